"""`llm-judge`: a language model of an OpenAI-compatible endpoint as a metric."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import OutputError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import sample_deviation
from metrics_framework.language_models.endpoint import KEY_VARIABLE, base_url, check_key_variable
from metrics_framework.language_models.injection import InjectionProbe
from metrics_framework.language_models.judge import Fields, Judge, PairSample, Policy, Sample, Sampling, Weighting
from metrics_framework.language_models.language_model import LanguageModel
from metrics_framework.language_models.options import at_least, check_weighting, members, prices
from metrics_framework.language_models.templates import PAIR_FIELDS, Template, is_path, load_template
from metrics_framework.metrics.base.chosen_fields import ChosenFieldsMetric
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.requirements import Package, Requirement

PRICED_TOKENS = 1_000_000
CREDIT = {"first": 1.0, "tie": 0.5, "second": 0.0}


@Metric.register("llm-judge")
class LlmJudge(ChosenFieldsMetric):
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
    - ``pairwise``: the output against each reference, in both orders, in the manner of MT-Bench: 1 for a win in both,
      0 for a loss in both, else ½. ``llm-judge_inconsistent`` is the share of pairs whose order changes the verdict.
      ``fw write-votes`` compares systems with each other instead.

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
        template: The prompt template: the name of a shipped one, or the path of a file.
        model: The name of the model, as the endpoint knows it.
        url: The base URL of the endpoint; by default the environment variable OPENAI_BASE_URL.
        key_variable: The environment variable with the key; no key is sent if it is unset.
        temperature: The temperature; by default that of the template.
        top_p: The probability mass from which tokens are sampled.
        max_tokens: The largest number of tokens of an answer; by default that of the template.
        sampling_seed: The seed of the first sample; each further one has the next seed.
        samples: The number of answers about each output; by default that of the template, or 1 with logprobs.
        weighting: Whether the score is the number in the answer (mean), or the mean of all numbers of the scale,
            weighted by the probabilities of their tokens (logprobs).
        probe_injection: Whether to score each output also with a sentence at its end that claims the highest score, and
            to report the share of scores that change.
        extra_body: Further members of each request, as a JSON object; null removes a member.
        invalid: What an answer without a valid score becomes: an undefined score, or an error.
        failed: What a request without an answer becomes, after all retries: an error, or an undefined score.
        concurrency: The number of requests in progress at the same time.
        requests_per_minute: The largest number of requests per minute; by default no limit.
        retries: How often a failed request is repeated, with growing waits.
        time_limit: The seconds within which an answer must be complete.
        input_price: The price of a million input tokens, in any currency.
        output_price: The price of a million output tokens.
        calls: Whether to make requests; otherwise only the cache answers.
        cache: Whether to read answers from the cache and keep them there.

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

    requirements: ClassVar[Sequence[Requirement]] = (Package("httpx", "judge"),)
    in_one_process = True
    example_flags = "--url http://localhost:8000/v1 --model NAME"
    required_context_fields: Sequence[str] = ("source",)
    unsigned_options: ClassVar[Sequence[str]] = (
        *("url", "key_variable", "invalid", "failed", "concurrency", "requests_per_minute"),
        *("retries", "time_limit", "calls", "cache"),
    )
    citation: ClassVar[str] = """@inproceedings{kocmi-federmann-2023-large,
    title = "Large Language Models Are State-of-the-Art Evaluators of Translation Quality",
    author = "Kocmi, Tom and Federmann, Christian",
    booktitle = "Proceedings of the 24th Annual Conference of the European Association for Machine Translation",
    year = "2023",
    url = "https://aclanthology.org/2023.eamt-1.19",
    pages = "193--203",
}

@inproceedings{liu-etal-2023-g,
    title = "{G}-Eval: {NLG} Evaluation using Gpt-4 with Better Human Alignment",
    author = "Liu, Yang and Iter, Dan and Xu, Yichong and Wang, Shuohang and Xu, Ruochen and Zhu, Chenguang",
    booktitle = "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing",
    year = "2023",
    doi = "10.18653/v1/2023.emnlp-main.153",
    pages = "2511--2522",
}

@inproceedings{zheng-etal-2023-judging,
    title = "Judging {LLM}-as-a-Judge with {MT}-Bench and Chatbot Arena",
    author = "Zheng, Lianmin and Chiang, Wei-Lin and Sheng, Ying and Zhuang, Siyuan and Wu, Zhanghao and
        Zhuang, Yonghao and Lin, Zi and Li, Zhuohan and Li, Dacheng and Xing, Eric P. and Zhang, Hao and
        Gonzalez, Joseph E. and Stoica, Ion",
    booktitle = "Advances in Neural Information Processing Systems 36 (Datasets and Benchmarks Track)",
    year = "2023",
    url = "https://arxiv.org/abs/2306.05685",
}"""

    def __init__(
        self,
        template: str = "direct-assessment",
        model: str | None = None,
        url: str | None = None,
        key_variable: str = KEY_VARIABLE,
        temperature: float | None = None,
        top_p: float = 1.0,
        max_tokens: int | None = None,
        sampling_seed: int = 0,
        samples: int | None = None,
        weighting: Weighting = "mean",
        probe_injection: bool = False,
        extra_body: str | None = None,
        invalid: Policy = "undefined",
        failed: Policy = "error",
        concurrency: int = 8,
        requests_per_minute: float | None = None,
        retries: int = 5,
        time_limit: float = 120.0,
        input_price: float | None = None,
        output_price: float | None = None,
        calls: bool = True,
        cache: bool = True,
    ) -> None:
        loaded = load_template(template)
        super().__init__(required_context_fields=_context_fields(loaded))
        check_key_variable(key_variable)
        check_weighting(loaded, weighting)
        given_samples = samples if samples is not None or weighting == "mean" else 1
        self.template = loaded
        self.sampling = Sampling(
            model or "",
            at_least(0, "temperature", loaded.number("temperature", 0) if temperature is None else temperature),
            at_least(0, "top_p", top_p, most=1),
            int(at_least(1, "max_tokens", loaded.number("max_tokens", 500) if max_tokens is None else max_tokens)),
            int(at_least(0, "sampling_seed", sampling_seed)),
            int(at_least(1, "samples", loaded.number("samples", 1) if given_samples is None else given_samples)),
            weighting,
            members(extra_body),
        )
        self._path = template if is_path(template) else None
        self._url = url
        self._policies = (invalid, failed)
        self._prices = prices(input_price, output_price)
        self._access: dict[str, Any] = {
            "key_variable": key_variable,
            "time_limit": at_least(0.001, "time_limit", time_limit),
            "retries": int(at_least(0, "retries", retries)),
            "concurrency": int(at_least(1, "concurrency", concurrency)),
            "requests_per_minute": requests_per_minute
            if requests_per_minute is None
            else at_least(0.001, "requests_per_minute", requests_per_minute),
            "cache": cache,
            "calls": calls,
        }
        if not cache and not calls:
            raise UsageError(
                "without calls, all answers come from the cache: use only one of --no-calls and --no-cache"
            )
        self._judge: Judge | None = None
        self._probe = InjectionProbe(loaded, self.name) if probe_injection else None

    @overrides
    def signature_options(self) -> dict[str, Any]:
        sampling, form = self.sampling, self.template.form
        options = {
            "model": sampling.model or None,
            "template": f"{self.template.name}@{self.template.digest}",
            "temperature": f"{sampling.temperature:g}",
            "top_p": f"{sampling.top_p:g}",
            "max_tokens": sampling.max_tokens,
            "sampling_seed": sampling.seed,  # "seed" is that of resampling
            "samples": sampling.samples,
            "parser": f"{form.kind}@{_digest([form.kind, form.where])}",
            "weighting": sampling.weighting,
        }
        if self._probe is not None:
            options["probe_injection"] = self._probe.sentence
        if sampling.extra_body:
            options["extra"] = _digest(sampling.extra_body)
        if self._prices is not None:
            options["prices"] = "+".join(f"{price:g}" for price in self._prices)
        return options

    @overrides
    def files_read(self) -> list[str]:
        return [] if self._path is None else [self._path]

    @overrides
    def notes(self) -> Sequence[str]:
        """Returns a line with the numbers of requests, tokens and invalid answers, and one about the probe."""
        if self._judge is None:
            return ()
        notes = [f"{self.name}: {note}" for note in self._judge.notes()]
        counts = self._judge.counts
        if not (counts.cached or counts.answered):
            return notes
        cost = self._cost(counts.input_tokens, counts.output_tokens)
        summary = self._judge.summary("" if cost is None else f", which cost {cost:.4g}")
        probed = () if self._probe is None else (self._probe.note(),)
        return [f"{self.name}: {summary}", *probed, *notes]

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out connections, the key and counts."""
        probe = None if self._probe is None else InjectionProbe(self.template, self.name)
        return {**self.__dict__, "_judge": None, "_probe": probe}

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        summaries_list, *contexts = groups
        names = self.required_context_fields
        outputs = [
            {"summary": summary, **dict(zip(names, values, strict=True))}
            for summaries, *values in zip(summaries_list, *contexts, strict=True)
            for summary in summaries
        ]
        scores = self._judged(outputs)
        if self._probe is not None:
            probed = self._judged(list(map(self._probe.probed, outputs)), f"with '{self._probe.sentence}' appended, ")
            scores = list(map(self._probe.merged, scores, probed))
        each = iter(scores)
        return [[next(each) for _ in summaries] for summaries in summaries_list]

    def judge(self) -> Judge:
        """Returns the judge, which counts its requests.

        Raises:
            UsageError: if there is no model or no URL.
        """
        if self._judge is None:
            if not self.sampling.model:
                raise UsageError(f"'{self.name}' needs the name of the model, as the endpoint knows it: --model NAME")
            model = LanguageModel(base_url(self._url), **self._access)
            self._judge = Judge(self.template, self.sampling, model, *self._policies)
        return self._judge

    def _judged(self, outputs: Sequence[Fields], where: str = "") -> list[MetricsDict]:
        """Returns the scores of outputs; an error says which variant of an output it is about."""
        try:
            return self._pair_scores(outputs) if self.template.is_pairwise else self._scores(outputs)
        except OutputError as error:
            raise OutputError(f"{where}{error.args[0]}", *error.args[1:], index=error.index) from None

    def _scores(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        if not outputs:
            return []
        return [self._summary([float(sample.value) for sample in samples if sample.value is not None], samples)
                for samples in self.judge().scores(outputs)]  # fmt: skip

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
        answers = [sample.answer for sample in samples]
        given = _total(None if answer is None else answer.input_tokens for answer in answers)
        written = _total(None if answer is None else answer.output_tokens for answer in answers)
        scores[f"{name}_input_tokens"], scores[f"{name}_output_tokens"] = given, written
        cost = self._cost(given, written)
        if cost is not None:
            scores[f"{name}_cost"] = cost
        return scores

    def _cost(self, input_tokens: float, output_tokens: float) -> float | None:
        """Returns the cost of tokens; `None` without prices."""
        if self._prices is None:
            return None
        return (input_tokens * self._prices[0] + output_tokens * self._prices[1]) / PRICED_TOKENS


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


def _context_fields(template: Template) -> tuple[str, ...]:
    fields = [name for name in template.fields if name not in ("summary", *PAIR_FIELDS)]
    if template.is_pairwise and "references" not in fields:
        fields.insert(0, "references")
    return tuple(fields)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def _total(counts: Iterable[int | None]) -> float:
    """Returns the sum of counts; NaN if one is unknown."""
    known = list(counts)
    return math.nan if None in known else sum(count for count in known if count is not None)
