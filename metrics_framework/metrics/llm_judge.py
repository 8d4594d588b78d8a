"""`llm-judge`: a language model of an OpenAI-compatible endpoint as a metric."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.metrics.base.language_model_metric import TemplateJudge
from metrics_framework.metrics.base.metric import Metric


@Metric.register("llm-judge")
class LlmJudge(TemplateJudge):
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

    citation: ClassVar[str] = "kocmi-federmann-2023-large liu-etal-2023-g zheng-etal-2023-judging"
