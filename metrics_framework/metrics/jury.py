"""`jury`: several language models as judges, with one score."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import combinations
from typing import Any, ClassVar, Literal, NamedTuple

from metrics_framework.common.errors import OutputError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import sample_deviation
from metrics_framework.language_models.judge import Fields
from metrics_framework.language_models.language_model import BatchFile
from metrics_framework.metrics.base.language_model_metric import LanguageModelMetric, TemplateJudge
from metrics_framework.metrics.base.metric import Metric

Aggregate = Literal["mean", "median", "majority"]
COSTS = ("input_tokens", "output_tokens", "cost")
_INSTEAD = {
    "model": "name the models in 'judges'",
    "probe_injection": "probe each judge with llm-judge",
}


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
    citation: ClassVar[str] = "verga-etal-2024-replacing"

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


_URL = re.compile("@(?=https?://)")
_OTHER = re.compile(r"[^\w.-]+")


class Juror(NamedTuple):
    """One judge of a jury.

    Attributes:
        label: Its name in scores: that of the model, without characters such as slashes.
        model: The name of the model, as the endpoint knows it.
        url: The base URL of its endpoint; `None` for that of the jury.
    """

    label: str
    model: str
    url: str | None


def jurors_of(judges: Sequence[str]) -> list[Juror]:
    """Returns the judges of a jury.

    Args:
        judges: Names of models, ``MODEL@URL`` for one of another endpoint; one text may name several: ``a+b+c``.

    Raises:
        UsageError: if there are fewer than two, or two have the same name.

    >>> [juror.label for juror in jurors_of(["org/a+b@http://localhost:8000/v1"])]
    ['org-a', 'b']
    """
    words = judges[0].split("+") if len(judges) == 1 else judges
    jurors = []
    for word in (word.strip() for word in words):
        model, *urls = _URL.split(word, maxsplit=1)
        jurors.append(Juror(_OTHER.sub("-", model).strip("-"), model, urls[0] if urls else None))
    labels = [juror.label for juror in jurors]
    if len(jurors) < 2 or not all(labels):
        raise UsageError(f"'judges' must name two models or more, such as a+b+c, got '{'+'.join(words)}'")
    if len(set(labels)) < len(labels):
        raise UsageError(f"'judges' must name different models, got '{'+'.join(words)}'")
    return jurors


def options_of_juror(juror: Juror, options: Mapping[str, Any], is_first: bool) -> dict[str, Any]:
    """Returns the options of one judge, given those of the jury.

    Each judge writes its own batch, with its label in the name. The first one reads the results of all into the cache.

    Args:
        juror: The judge.
        options: The options of the jury.
        is_first: Whether it is the first judge.

    >>> options_of_juror(Juror("org-a", "org/a", None), {"write_batch": "all.jsonl"}, True)["write_batch"]
    'all.org-a.jsonl'
    """
    batch, results = options.get("write_batch"), options.get("read_batch") or ()
    if batch is not None:
        start, dot, ending = batch.rpartition(".")
        batch = f"{start}.{juror.label}{dot}{ending}" if dot else batch
    return {
        **options,
        "model": juror.model,
        "url": options.get("url") if juror.url is None else juror.url,
        "answers": None,
        "write_batch": batch,
        "read_batch": results if is_first else (),
        "calls": options.get("calls", True) and not results,
    }


def most_frequent(scores: Sequence[float]) -> float:
    """Returns the most frequent score; the mean of those that are equally frequent.

    >>> most_frequent([1, 3, 3]), most_frequent([0, 1]), most_frequent([5, 1, 2])
    (3.0, 0.5, 2.6666666666666665)
    """
    counts = Counter(scores)
    most = max(counts.values())
    return mean([score for score, count in counts.items() if count == most])


def mean(scores: Sequence[float]) -> float:
    """Returns the mean of scores, rounded once."""
    return math.fsum(scores) / len(scores)


def median(scores: Sequence[float]) -> float:
    """Returns the middle score, or the mean of both.

    >>> median([3, 1, 9]), median([1, 2, 4, 9])
    (3.0, 3.0)
    """
    ordered, middle = sorted(scores), len(scores) // 2
    return mean(ordered[middle : middle + 1] if len(ordered) % 2 else ordered[middle - 1 : middle + 1])


AGGREGATES: Mapping[Aggregate, Callable[[Sequence[float]], float]] = {
    "mean": mean,
    "median": median,
    "majority": most_frequent,
}
"""How the scores of the judges become one."""


def aggregated(scores: Sequence[float], aggregate: Aggregate) -> float:
    """Returns the common score of the judges that have one; NaN if none has."""
    defined = [score for score in scores if not math.isnan(score)]
    return float(AGGREGATES[aggregate](defined)) if defined else math.nan


class JuryAgreement:
    """Collects the scores of judges, and describes how far they agree.

    Args:
        labels: The names of the judges.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = labels
        self._rows: list[Sequence[float]] = []

    def add(self, scores: Sequence[float]) -> None:
        """Adds the scores of an output, in the order of the judges."""
        self._rows.append(scores)

    def notes(self) -> list[str]:
        """Returns a line with Krippendorff's alpha, and one about each pair of judges."""
        if not self._rows:
            return []
        alpha = interval_alpha(self._rows)
        shown = "undefined" if math.isnan(alpha) else f"{alpha:.3f}"
        return [
            f"agreement of {counted(len(self._labels), 'judge')} on {counted(len(self._rows), 'output')}: "
            f"Krippendorff's α (interval) {shown}",
            *(self._pair(one, other) for one, other in combinations(range(len(self._labels)), 2)),
        ]

    def _pair(self, one: int, other: int) -> str:
        both = [row[other] - row[one] for row in self._rows if not math.isnan(row[one] + row[other])]
        names = f"{self._labels[one]} and {self._labels[other]}"
        if not both:
            return f"{names} have no output in common"
        equal = sum(difference == 0 for difference in both)
        return (
            f"{names} agree on {equal:,} of {counted(len(both), 'output')} ({100 * equal / len(both):.1f} %); "
            f"mean difference {mean(both):+.4g}, in absolute value {mean(list(map(abs, both))):.4g}"
        )


def interval_alpha(units: Sequence[Sequence[float]]) -> float:
    """Computes Krippendorff's alpha at the interval level; NaN if all scores are equal.

    It equals the coefficient of ``fw agreement``, which needs the scores of the whole run in memory as an array.

    Args:
        units: The scores of each output; NaN where a judge has none.

    >>> round(interval_alpha([[1, 1], [2, 2], [3, 4]]), 6)
    0.878049
    """
    paired = [[score for score in unit if not math.isnan(score)] for unit in units]
    paired = [unit for unit in paired if len(unit) > 1]
    scores = [score for unit in paired for score in unit]
    if not scores:
        return math.nan
    centre = mean(scores)
    expected = len(scores) * math.fsum((score - centre) ** 2 for score in scores)
    observed = math.fsum(
        len(unit) / (len(unit) - 1) * math.fsum((score - mean(unit)) ** 2 for score in unit) for unit in paired
    )
    return 1 - (len(scores) - 1) * observed / expected if expected else math.nan
