"""The base class of metrics that ask language models about outputs with a prompt template."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import InputError, OutputError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, AnnotatedScores, MetricsDict
from metrics_framework.data.sums import sample_deviation
from metrics_framework.language_models.answer_forms import ErrorsForm, TextsForm
from metrics_framework.language_models.error_annotations import WEIGHTS, AnnotatedError
from metrics_framework.language_models.field_texts import texts_of
from metrics_framework.language_models.injection import InjectionProbe
from metrics_framework.language_models.judge import Fields, Judge, PairSample, Sample, annotation_of
from metrics_framework.language_models.judge_templates import judge_template
from metrics_framework.language_models.options import check_weighting
from metrics_framework.language_models.samples import Weighting
from metrics_framework.language_models.template import PAIR_FIELDS, Template
from metrics_framework.language_models.templates import is_path
from metrics_framework.metrics.base.language_model_metric import LanguageModelMetric, digest_of

CREDIT = {"first": 1.0, "tie": 0.5, "second": 0.0}


class TemplateJudge(LanguageModelMetric):
    """A language model as a judge; see `metrics_framework.metrics.llm_judge.LlmJudge`.

    Args:
        template: The prompt template: the name of a shipped one, or the path of a file; by default direct-assessment,
            or criterion with a criterion.
        criterion: What to assess, such as "Is it polite?"; it replaces {criterion} in the template.
        scale: The scale of a criterion, such as 1-5.
        shown_fields: The fields of the rows that the template criterion shows besides the output.
        steps: A file with the steps of the evaluation, one per line; they replace {steps} in the template, or follow
            the criterion.
        examples: A file of worked examples as JSON lines: the fields of the template, and answer, or score and
            reasoning.
        samples: The number of answers about each output; by default that of the template, or 1 with logprobs.
        one_request: Whether to ask for all samples of an output in one request (n), whose input is paid for once; if
            the endpoint refuses or ignores this, samples are requested one by one.
        weighting: Whether the score is the number in the answer (mean), or the mean of all numbers of the scale,
            weighted by the probabilities of their tokens (logprobs).
        probe_injection: Whether to score each output also with a sentence at its end that claims the highest score, and
            to report the share of scores that change.
        options: The model, its endpoint and its requests.

    Raises:
        UsageError: if an option is invalid, or model or URL are missing when the first output is scored.
        UnknownNameError: if there is no template of that name.
        DataError: if a template is malformed.
        OutputError: if an output has no answer, or an invalid one where that is an error.
    """

    required_context_fields: Sequence[str] = ("source",)

    def __init__(
        self,
        template: str | None = None,
        criterion: str | None = None,
        scale: str | None = None,
        shown_fields: Sequence[str] = (),
        steps: str | None = None,
        examples: str | None = None,
        samples: int | None = None,
        one_request: bool = False,
        weighting: Weighting = "mean",
        probe_injection: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.template = judge_template(template, criterion, scale, shown_fields, steps, examples)
        if isinstance(self.template.form, TextsForm):
            raise UsageError(
                f"the template '{self.template.name}' asks for a list of texts; '{self.name}' needs a score"
            )
        self.required_context_fields = _context_fields(self.template)
        check_weighting(self.template, weighting)
        given_samples = samples if samples is not None or weighting == "mean" else 1
        self.sampling = self.sampling_of(self.template, given_samples, weighting, one_request)
        self._files = [path for path in (template if template and is_path(template) else None, steps, examples) if path]
        self._judge: Judge | None = None
        self._probe = InjectionProbe(self.template, self.name) if probe_injection else None

    @overrides
    def signature_options(self) -> dict[str, Any]:
        form, requests = self.template.form, self.options_of_requests(self.sampling)
        options = {
            "model": requests.pop("model"),
            "template": f"{self.template.name}@{self.template.digest}",
            **requests,
            "samples": self.sampling.samples,
            **({"one_request": True} if self.sampling.one_request else {}),
            "parser": f"{form.kind}@{digest_of([form.kind, form.where])}",
            "weighting": self.sampling.weighting,
        }
        if self._probe is not None:
            options["probe_injection"] = self._probe.sentence
        return {**options, **self.options_of_costs()}

    @overrides
    def files_read(self) -> list[str]:
        return [*super().files_read(), *self._files]

    @overrides
    def notes(self) -> Sequence[str]:
        """Returns a line with the numbers of requests, tokens and invalid answers, and one about the probe."""
        if self._judge is None:
            return ()
        return self.notes_of([self._judge], *(() if self._probe is None else (self._probe.note(),)))

    @overrides
    def __getstate__(self) -> dict[str, Any]:
        probe = None if self._probe is None else InjectionProbe(self.template, self.name)
        return {**super().__getstate__(), "_judge": None, "_probe": probe}

    @overrides
    def scores_of(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        self.check(outputs)
        scores = self._judged(outputs)
        if self._probe is None:
            return scores
        probed = self._judged(list(map(self._probe.probed, outputs)), f"with '{self._probe.sentence}' appended, ")
        return list(map(self._probe.merged, scores, probed))

    def judge(self) -> Judge:
        """Returns the judge, which counts its requests.

        Raises:
            UsageError: if there is no model or no URL.
        """
        if self._judge is None:
            self._judge = self.judge_of(self.template, self.sampling)
        return self._judge

    @overrides
    def check(self, outputs: Sequence[Fields]) -> None:
        names = [name for name in self.template.fields if name not in PAIR_FIELDS]
        for index, output in enumerate(outputs):
            try:
                for name in names:
                    texts_of(name, output[name])
            except InputError as error:
                raise OutputError(str(error), index=index) from None

    def _judged(self, outputs: Sequence[Fields], where: str = "") -> list[MetricsDict]:
        """Returns the scores of outputs; an error says which variant of an output it is about."""
        try:
            return self._pair_scores(outputs) if self.template.is_pairwise else self._scores(outputs)
        except OutputError as error:
            raise OutputError(f"{where}{error.args[0]}", *error.args[1:], index=error.index) from None

    def _scores(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        if not outputs:
            return []
        judged = self.judge().scores(outputs)
        scores = [
            self._summary([float(sample.value) for sample in samples if sample.value is not None], samples)
            for samples in judged
        ]
        if isinstance(self.template.form, ErrorsForm):
            return [
                with_errors(self.name, of_output, samples, output)
                for of_output, samples, output in zip(scores, judged, outputs, strict=True)
            ]
        return scores

    def _pair_scores(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        """Scores each output against each of its references."""
        if not outputs:
            return []
        pairs = [
            {**output, "first": output["summary"], "second": reference}
            for output in outputs
            for reference in output["references"]
        ]
        try:
            verdicts = iter(self.judge().verdicts(pairs))
        except OutputError as error:
            owners = [index for index, output in enumerate(outputs) for _ in output["references"]]
            raise OutputError(*error.args, index=owners[error.index]) from None
        scores = []
        for output in outputs:
            judged = [next(verdicts) for _ in output["references"]]
            valid = [pair for samples in judged for pair in samples if pair.is_valid]
            answers = [sample for samples in judged for pair in samples for sample in pair.samples]
            score = self._summary(credits_of(judged), answers)
            share = sum(pair.is_inconsistent for pair in valid) / len(valid) if valid else math.nan
            scores.append(MetricsDict({**score, f"{self.name}_inconsistent": share}))
        return scores

    def _summary(self, values: Sequence[float], samples: Sequence[Sample]) -> MetricsDict:
        """Returns the scores of one output, from the values of its samples and all answers about it."""
        name = self.name
        scores = MetricsDict({name: math.fsum(values) / len(values) if values else math.nan})
        if self.sampling.samples > 1:
            scores[f"{name}_sd"] = sample_deviation(values) if len(values) > 1 else math.nan
        scores[f"{name}_invalid"] = sum(bool(sample.problem) for sample in samples)
        scores.update(self.costs(sample.answer for sample in samples))
        return scores


def credits_of(judged: Sequence[Sequence[PairSample]]) -> list[float]:
    """Returns, for each sample, the mean over pairs of 1 for a win, ½ for a tie and 0 for a loss of the first text.

    A sample without a valid verdict is left out.

    Args:
        judged: For each pair its samples.
    """
    means = []
    for samples in zip(*judged, strict=True):
        outcomes = [CREDIT[sample.outcome] for sample in samples if sample.outcome is not None]
        if outcomes:
            means.append(math.fsum(outcomes) / len(outcomes))
    return means


def with_errors(name: str, scores: MetricsDict, samples: Sequence[Sample], output: Fields) -> AnnotatedScores:
    """Returns scores with the numbers of errors, and the spans of the first valid sample as predicted ones.

    Args:
        name: The name of the metric.
        scores: The scores of the output.
        samples: The samples.
        output: The fields of the output.
    """
    first = next((sample for sample in samples if sample.value is not None), None)
    spans = {} if first is None else {PREDICTED_SPANS: annotation_of(first.items, output)["spans"]}
    return AnnotatedScores({**scores, **error_counts(name, samples, output)}, spans)


def error_counts(name: str, samples: Sequence[Sample], output: Fields) -> dict[str, float]:
    """Returns the numbers of errors by severity, and of errors whose words are not in the texts; means over samples.

    Args:
        name: The name of the metric.
        samples: The samples; those without a value are left out.
        output: The fields of the output.
    """
    valid = [sample.items for sample in samples if sample.value is not None]
    severities = [item.severity for items in valid for item in items if isinstance(item, AnnotatedError)]
    counts = {severity: severities.count(severity) for severity in WEIGHTS}
    counts["unlocated"] = sum(len(annotation_of(items, output)["unlocated"]) for items in valid)
    return {f"{name}_{kind}": count / len(valid) if valid else math.nan for kind, count in counts.items()}


def _context_fields(template: Template) -> tuple[str, ...]:
    fields = [name for name in template.fields if name not in ("summary", *PAIR_FIELDS)]
    if template.is_pairwise and "references" not in fields:
        fields.insert(0, "references")
    return tuple(fields)
