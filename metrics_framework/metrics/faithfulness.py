"""`faithfulness`: the share of the claims of an output that documents support, by a language model in two steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import InputError, OutputError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.language_models.judge import CLAIMS, Fields, Judge, Sample
from metrics_framework.language_models.templates import is_path, list_template, texts_of
from metrics_framework.metrics.base.language_model_metric import LanguageModelMetric
from metrics_framework.metrics.base.metric import Metric

DOCUMENTS, SUMMARY, YES = "documents", "summary", "yes"


@Metric.register("faithfulness")
class Faithfulness(LanguageModelMetric):
    """Faithfulness: the share of the claims of an output that its documents support, judged by a language model.

    The first request about an output asks for its claims, the second one which of them the documents support. Both
    answers are kept by themselves: other documents ask again only what they support. ``faithfulness_claims`` and
    ``faithfulness_supported`` are the numbers of claims. Without claims, or without a valid answer to one of the
    requests, the score is undefined; ``faithfulness_invalid`` counts invalid answers. The file of ``answers`` has the
    claims, each with its verdict.

    Range: 0 to 1, higher is better.

    Source: Min et al. (EMNLP 2023), whose FActScore is the share of supported facts; here, the documents of the output
    are the evidence. The prompts are our own; scores are comparable only if the signatures are equal.

    Args:
        evidence: The field of the rows that must support the claims, such as context or source.
        claims_template: The template that asks for claims: a shipped one, or the path of a file.
        support_template: The template that asks which claims are supported.
        options: The model, its endpoint and its requests.

    Raises:
        UsageError: if an option is invalid, or model or URL are missing when the first output is scored.
        DataError: if a template is malformed.
        EndpointError: if the endpoint fails; answers that have arrived are in the cache.
        OutputError: if an output has no answer, or an invalid one where that is an error.

    >>> Faithfulness(model="m", evidence="context").fields
    ('summary', 'context')
    """

    required_context_fields: Sequence[str] = (DOCUMENTS,)
    score_range = (0.0, 1.0)
    ratios = ("faithfulness",)
    citation = "min-etal-2023-factscore"

    def __init__(
        self,
        evidence: str = DOCUMENTS,
        claims_template: str = "claims",
        support_template: str = "claim-support",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._templates = [
            list_template(claims_template, "claims_template", SUMMARY, ""),
            list_template(support_template, "support_template", CLAIMS, YES),
        ]
        fields = (name for template in self._templates for name in template.fields)
        names = [evidence if name == DOCUMENTS else name for name in fields if name not in (SUMMARY, CLAIMS)]
        if evidence not in names:
            raise UsageError("'support_template' does not show {documents}, which the field of 'evidence' is shown as")
        self.required_context_fields = tuple(dict.fromkeys(names))
        self.evidence = evidence
        self._files = [path for path in (claims_template, support_template) if is_path(path)]
        self._sampling = [self.sampling_of(template, samples=1) for template in self._templates]
        self._judges: list[Judge] = []

    @overrides
    def signature_options(self) -> dict[str, Any]:
        claims, support = self._templates
        options = {"evidence": self.evidence, "claims": f"{claims.name}@{claims.digest}"}
        options["support"] = f"{support.name}@{support.digest}"
        requests = self.options_of_requests(self._sampling[0])
        requests["max_tokens"] = "+".join(self.options_of_requests(one)["max_tokens"] for one in self._sampling)
        return {"model": requests.pop("model"), **options, **requests, **self.options_of_costs()}

    @overrides
    def files_read(self) -> list[str]:
        return [*super().files_read(), *self._files]

    @overrides
    def notes(self) -> Sequence[str]:
        return self.notes_of(self._judges)

    @overrides
    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_judges": []}

    @overrides
    def check(self, outputs: Sequence[Fields]) -> None:
        for index, output in enumerate(outputs):
            self._shown(output, index)

    @overrides
    def scores_of(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        shown = [self._shown(output, index) for index, output in enumerate(outputs)]
        if shown and not self._judges:
            self._judges = list(map(self.judge_of, self._templates, self._sampling))
        claims = self._asked(0, shown, range(len(shown)))
        owners = [index for index, sample in enumerate(claims) if sample.items]
        asked = [{**shown[index], CLAIMS: claims[index].items} for index in owners]
        support = dict(zip(owners, self._asked(1, asked, owners), strict=True))
        return [self._scores(sample, support.get(index)) for index, sample in enumerate(claims)]

    def _shown(self, output: Fields, index: int) -> dict[str, Any]:
        """Returns the fields that the templates show, checked before the first request."""
        try:
            for name in self.required_context_fields:
                texts_of(name, output[name])
            return {**output, DOCUMENTS: texts_of(self.evidence, output[self.evidence])}
        except InputError as error:
            raise OutputError(str(error), index=index) from None

    def _asked(self, step: int, outputs: Sequence[Fields], owners: Sequence[int]) -> list[Sample]:
        """Returns the answers of a step; errors are located at the outputs that own the prompts."""
        try:
            return [sample for (sample,) in self._judges[step].scores(outputs)] if outputs else []
        except OutputError as error:
            raise OutputError(*error.args, index=owners[error.index]) from None

    def _scores(self, claims: Sample, support: Sample | None) -> MetricsDict:
        name, samples = self.name, [claims, *([] if support is None else [support])]
        is_known = support is not None and not support.problem
        supported = float(support.items.count(YES)) if support is not None and is_known else math.nan
        count = math.nan if claims.problem else float(len(claims.items))
        scores = MetricsDict({name: supported / count if is_known else math.nan, f"{name}_claims": count})
        scores[f"{name}_supported"] = 0.0 if count == 0 else supported
        scores[f"{name}_invalid"] = sum(bool(sample.problem) for sample in samples)
        scores.update(self.costs(sample.answer for sample in samples))
        return scores
