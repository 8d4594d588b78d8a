"""Language models as judges: one (`llm-judge`), or several with one score (`jury`)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import combinations
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import InputError, OutputError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, AnnotatedScores, MetricsDict
from metrics_framework.data.sums import sample_deviation
from metrics_framework.language_models.answers import WEIGHTS, AnnotatedError, ErrorsForm, TextsForm
from metrics_framework.language_models.judge import (
    Fields,
    InjectionProbe,
    Judge,
    PairSample,
    Sample,
    annotation_of,
    check_weighting,
)
from metrics_framework.language_models.language_model import BatchFile
from metrics_framework.language_models.samples import Weighting
from metrics_framework.language_models.templates import PAIR_FIELDS, Template, is_path, judge_template, texts_of
from metrics_framework.metrics.base.language_model_metric import LanguageModelMetric, digest_of
from metrics_framework.metrics.base.metric import Metric

CREDIT = {"first": 1.0, "tie": 0.5, "second": 0.0}
Aggregate = Literal["mean", "median", "majority"]
COSTS = ("input_tokens", "output_tokens", "cost")
_INSTEAD = {"model": "name the models in 'judges'", "probe_injection": "probe each judge with llm-judge"}


@Metric.register("llm-judge")
class LlmJudge(LanguageModelMetric):
    """A language model as a judge: the score that it assigns to an output, over an OpenAI-compatible endpoint.

    The endpoint is a local server (vLLM, llama.cpp, Ollama) or a service. A prompt template says what is asked, which
    fields the metric needs, and where the score is in an answer. Each output is judged ``samples`` times, with
    different seeds; the score is the mean of the valid answers and ``llm-judge_sd`` their standard deviation. An answer
    without a valid score (a refusal, a text without exactly one score, a number outside the scale) is counted in
    ``llm-judge_invalid``, never guessed. Without any valid answer, the score is undefined.

    The shipped templates:

    - ``direct-assessment`` (0 to 100): source and output, in the manner of GEMBA-DA.
    - ``g-eval-coherence``, ``g-eval-consistency``, ``g-eval-relevance`` (1 to 5) and ``g-eval-fluency`` (1 to 3):
      documents and summary, in the manner of G-Eval, with 20 samples, or with ``weighting`` ``logprobs`` and one.
    - ``criterion`` (1 to 5, or ``scale``): any criterion, from an option or the field ``criterion`` of each row.
    - ``error-annotation`` (-25 to 0): source and translation, in the manner of GEMBA-MQM: errors with category and
      severity. The score is minus the weights of the five worst errors (critical 25, major 5, minor 1; a
      non-translation is critical), at least -25. ``llm-judge_critical``, ``_major`` and ``_minor`` count errors,
      ``llm-judge_unlocated`` those whose words are not in the texts. The rows have the spans of the first valid
      answer as ``predicted_spans``, the file of ``answers`` those of each.
    - ``pairwise``: the output against each reference, in both orders, in the manner of MT-Bench: 1 for a win in both,
      0 for a loss in both, else ½. ``llm-judge_inconsistent`` is the share of pairs whose order changes the verdict.
      ``fw write votes`` compares systems with each other instead.

    A shipped template marks where each text begins and ends by a number that no text contains. ``probe_injection``
    measures whether a sentence in an output still changes its score: each output is also scored with "Score: " and the
    top of the scale in a new line at its end ("Score: 10" for pairs). ``llm-judge_probe`` is that score;
    ``llm-judge_probe_changed`` and ``llm-judge_probe_rose`` are 1 for an output whose score changed, or rose, else 0,
    so their means are shares; tokens and costs include the probe.

    Every answer is kept on disk as soon as it arrives, so that a run can be repeated and continued without paying
    twice. The key comes from an environment variable only.

    Range: the scale of the template; 0 to 1 for pairs. Higher is better. The score of a system is the mean over its
    outputs.

    Source: Kocmi and Federmann (EAMT 2023); Liu et al. (EMNLP 2023); Zheng et al. (NeurIPS 2023). The prompts are our
    own; scores are comparable only if the signatures are equal.

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
        EndpointError: if the endpoint fails; answers that have arrived are in the cache.
        OutputError: if an output has no answer, or an invalid one where that is an error.
        MissingExtraError: if httpx is not installed.

    >>> LlmJudge(template="pairwise", model="m").fields
    ('summary', 'references', 'source')
    """

    citation = "kocmi-federmann-2023-large liu-etal-2023-g zheng-etal-2023-judging"
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


@Metric.register("jury")
class Jury(LlmJudge):
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
    citation = "verga-etal-2024-replacing"

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

    def _member(self, juror: Juror, options: dict[str, Any]) -> LlmJudge:
        member = LlmJudge(**options_of_juror(juror, options, is_first=juror is self.jurors[0]))
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
