"""`jury`: several language models as judges, with one score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar

from metrics_framework.common.errors import OutputError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import sample_deviation
from metrics_framework.language_models.batch_files import BatchFile
from metrics_framework.language_models.judge import Fields
from metrics_framework.language_models.juries import (
    Aggregate,
    Juror,
    JuryAgreement,
    aggregated,
    jurors_of,
    options_of_juror,
)
from metrics_framework.metrics.base.language_model_metric import LanguageModelMetric, TemplateJudge
from metrics_framework.metrics.base.metric import Metric

COSTS = ("input_tokens", "output_tokens", "cost")


@Metric.register("jury")
class Jury(TemplateJudge):
    """A jury: the mean, the median or the majority of the scores of several language models as judges.

    All judges have the same template and options, as of llm-judge. Each has its own answers in the cache, and its own
    score: ``jury_MODEL``. ``jury_sd`` is the standard deviation of the judges' scores of an output. Judges without a
    valid answer are left out of the common score and counted in ``jury_missing``. At the end of a run, notes report how
    far the judges agree: Krippendorff's alpha, and for each pair the share of equal scores and the mean difference.
    Each judge has its own batch file: ``write_batch`` requests.jsonl writes requests.MODEL.jsonl; ``read_batch`` names
    the results of all judges.

    Range: the scale of the template; 0 to 1 for pairs. Higher is better.

    Source: Verga et al. (2024).

    Args:
        judges: The names of the models, as in a+b+c; MODEL@URL for one of another endpoint.
        aggregate: How their scores become one: the mean, the median, or the most frequent score (majority), with the
            mean of scores that are equally frequent.
        options: The template, the endpoint and the requests, as of llm-judge.

    Raises:
        UsageError: if an option is invalid, or the URL is missing when the first output is scored.
        UnknownNameError: if there is no template of that name.
        DataError: if a template is malformed.
        EndpointError: if an endpoint fails; answers that have arrived are in the cache.
        OutputError: if an output has no answer, or an invalid one where that is an error.

    >>> Jury(judges=["a+b"], criterion="Is it polite?").fields
    ('summary',)
    """

    example_flags = "--url http://localhost:8000/v1 --judges NAME OTHER"
    citation: ClassVar[str] = """@misc{verga-etal-2024-replacing,
    title = "Replacing Judges with Juries: Evaluating {LLM} Generations with a Panel of Diverse Models",
    author = "Verga, Pat and Hofstatter, Sebastian and Althammer, Sophia and Su, Yixuan and Piktus, Aleksandra and
        Arkhangorodsky, Arkady and Xu, Minjie and White, Naomi and Lewis, Patrick",
    year = "2024",
    url = "https://arxiv.org/abs/2404.18796",
}"""

    def __init__(self, judges: Sequence[str], aggregate: Aggregate = "mean", **options: Any) -> None:
        for name in _INSTEAD:
            if options.get(name):
                raise UsageError(f"'{name}' has no effect on a jury; {_INSTEAD[name]}")
        super().__init__(**{**options, "write_batch": None})
        self.aggregate = aggregate
        self.jurors = jurors_of(judges)
        self._members: list[LanguageModelMetric] = [self._member(juror, options) for juror in self.jurors]
        self.needs_all_inputs = bool(self.batches())
        self._agreement = JuryAgreement([juror.label for juror in self.jurors])

    def _member(self, juror: Juror, options: dict[str, Any]) -> TemplateJudge:
        member = TemplateJudge(**options_of_juror(juror, options, is_first=juror is self.jurors[0]))
        member.answers = self.answers
        return member

    @overrides
    def batches(self) -> Sequence[BatchFile]:
        return [batch for member in self._members for batch in member.batches()]

    @overrides
    def collector(self) -> Jury:
        collector = copy(self)
        collector.answers = None
        collector._members = [member.collector() for member in self._members]
        return collector

    @overrides
    def signature_options(self) -> dict[str, Any]:
        judges = "+".join(juror.model for juror in self.jurors)
        options = super().signature_options()
        del options["model"]
        return {"judges": judges, "aggregate": self.aggregate, **options}

    @overrides
    def notes(self) -> Sequence[str]:
        """Returns the notes of each judge, and how far the judges agree."""
        of_judges = [
            f"{self.name}: {juror.label}: {note.removeprefix(f'{member.name}: ')}"
            for juror, member in zip(self.jurors, self._members, strict=True)
            for note in member.notes()
        ]
        return [*of_judges, *(f"{self.name}: {note}" for note in self._agreement.notes())]

    @overrides
    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_agreement": JuryAgreement([juror.label for juror in self.jurors])}

    @overrides
    def scores_of(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        judged = [self._judged_by(index, outputs) for index in range(len(self._members))]
        return [self._common(scores) for scores in zip(*judged, strict=True)]

    def _judged_by(self, index: int, outputs: Sequence[Fields]) -> list[MetricsDict]:
        try:
            return self._members[index].scores_of(outputs)
        except OutputError as error:
            name = self.jurors[index].label
            raise OutputError(f"judge {name}: {error.args[0]}", *error.args[1:], index=error.index) from None

    def _common(self, judged: Sequence[MetricsDict]) -> MetricsDict:
        """Returns the scores of an output, from those of each judge."""
        name, of_member = self.name, self._members[0].name
        scores = [float(one[of_member]) for one in judged]
        defined = [score for score in scores if not math.isnan(score)]
        self._agreement.add(scores)
        found = MetricsDict({name: aggregated(scores, self.aggregate)})
        found[f"{name}_sd"] = sample_deviation(defined) if len(defined) > 1 else math.nan
        found[f"{name}_missing"] = len(scores) - len(defined)
        found.update({f"{name}_{juror.label}": score for juror, score in zip(self.jurors, scores, strict=True)})
        for cost in COSTS:
            if f"{of_member}_{cost}" in judged[0]:
                found[f"{name}_{cost}"] = math.fsum(one[f"{of_member}_{cost}"] for one in judged)
        return found


_INSTEAD = {
    "model": "name the models in 'judges'",
    "probe_injection": "probe each judge with llm-judge",
}
