"""Every metric of the project through every check that any metric can be put through."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from judge_server import lasting_url
from learned_models import tiny_alignscore, tiny_comet, tiny_metricx, tiny_nli

from metrics_framework import CorpusMetric, Metric, MetricsDict, ReferenceBasedMetric, load
from metrics_framework.data.error_spans import ErrorSpan
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation, Scu
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.neural_metric import NeuralMetric
from metrics_framework.metrics.sari import VARIANTS
from metrics_framework.testing.contracts import CHECKS, Example, example_of
from metrics_framework.testing.flat_passage import COMMAND

REGISTRY = Metric.registry()
REGISTRY.search()
BUILT_IN = [name for name, entry in REGISTRY.entries.items() if entry.module.startswith("metrics_framework.")]
# Metrics in more than one setting, each of which must keep the contract.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "autosummeng": [{}, {"min_n": 1, "max_n": 2, "window": 5, "mode": "corrected"}],
    "blanc": [{}, {"gap": 6, "gap_mask": 2, "separator": ":", "measure": "improve", "splitter": "none"}],
    "bertscore": [{"num_layers": 2}, {"num_layers": 1, "idf": __file__}],
    "bleu": [{}, {"smooth_method": "floor", "effective_order": True}, {"smooth_method": "add-k", "tokenizer": "zh"}],
    "chrf": [{}, {"word_order": 2}, {"char_order": 0, "word_order": 1}, {"whitespace": True, "eps_smoothing": True}],
    "fkbleu": [{}, {"splitter": "none", "tokenizer": "penn", "alpha": 1.0}],
    "fkgl": [{"splitter": splitter} for splitter in ("auto", "pysbd", "none")],
    "google-rouge": [{}, {"use_stemmer": True, "rouge_types": ["rouge9", "rougeLsum"]}],
    "llm-judge": [
        {"input_price": 1.0, "output_price": 2.0},
        {"probe_injection": True},
        {"template": "pairwise", "samples": 2},
        {"template": "g-eval-coherence", "samples": 3},
    ],
    "faithfulness": [{}, {"evidence": "source", "input_price": 1.0, "output_price": 2.0}],
    "jury": [
        {"aggregate": "median", "input_price": 1.0, "output_price": 2.0},
        {"template": "pairwise", "aggregate": "majority"},
    ],
    "ibleu": [{}, {"smooth_method": "floor", "tokenizer": "intl", "alpha": 0.5}],
    "supert": [{}, {"top": 1, "max_tokens": 3, "splitter": "none"}],
    "moverscore": [{}, {"variant": "v2"}, {"variant": "v1", "ngram": 2, "stop_words": __file__}],
    "sent-bleu": [{}, {"smooth_method": "none", "tokenizer": "char"}],
    "rouge": [
        {},
        {"compute_rouge_l": True, "skip_bigram_gap_length": 4, "wlcs_weight": 1.2, "scoring_function": "max"},
        {"max_ngram": 1, "remove_stopwords": True, "max_words": 3, "official_average": True},
    ],
    "sari": [{"variant": variant} for variant in VARIANTS],
    "transformations": [{}, {"tokenizer": "none", "lowercase": False, "tagger": "none"}],
    "token-f1": [{}, {"tokenizer": "char", "lowercase": False}],
    "samsa": [{}, {"mode": "published"}, {"splitter": "none", "tokenizer": "penn"}],
    "cer": [{}, {"lowercase": True}],
    "precomputed": [{}, {"score": "simplicity", "missing": "nan"}],
    "external": [{}, {"mode": "server", "fields": ["summary", "source"]}],
    "cross-encoder": [
        {"output_index": 0},
        {"output_index": 1, "activation": "softmax", "template": ["{summary} {source}"]},
    ],
    "error-spans": [{}, {"measure": "characters", "matching": "many-to-many", "severity_credit": 0.5}],
    "wer": [{}, {"lowercase": True}],
    "ter": [{}, {"normalized": True, "asian_support": True}, {"no_punct": True, "case_sensitive": True}],
}
NEEDED: dict[str, dict[str, Any]] = {  # options without which a metric scores nothing
    **{name: {"parser": COMMAND} for name in ("samsa", "samsa-abl")},
    "meteor": {"language": "da", "normalize": False},  # without the table of paraphrases, it starts quickly
    "external": {"command": "sh -c 'while read -r row; do echo ${#row}; done'", "time_limit": 20.0},
}


SCORES = Path(__file__).resolve().parents[2] / "datasets" / "simplification" / "human.jsonl"


def needed(name: str) -> dict[str, Any]:
    """Returns the options without which a metric scores nothing."""
    if name in ("llm-judge", "faithfulness", "jury"):
        pytest.importorskip("httpx", reason="needs the extra 'judge'")
        asked = {"judges": ["a", "b"]} if name == "jury" else {"model": "a"}
        return {"url": lasting_url(), "cache": False, **asked}
    if name == "precomputed":
        return {"file": str(SCORES)}
    return NEEDED.get(name, {})


def models_of(name: str, request: pytest.FixtureRequest) -> dict[str, str]:
    """Returns tiny models for the options of a neural metric, and gives the test a cache of its own."""
    metric = Metric.by_name(name)
    if not issubclass(metric, NeuralMetric):
        return {}
    request.getfixturevalue("no_network")
    build = request.getfixturevalue("tiny_models")
    if name in LEARNED:
        return LEARNED[name](request.getfixturevalue("tmp_path"))
    return {option: build(task) for option, task in {"model": metric.task, **OTHER_TASKS.get(name, {})}.items()}


OTHER_TASKS: dict[str, dict[str, str]] = {  # of the other models of a neural metric, by option
    "question-answering": {"question_model": "text-to-text"}
}
LEARNED: dict[str, Callable[[Path], dict[str, str]]] = {  # metrics whose models have layouts of their own
    "alignscore": tiny_alignscore,
    "comet": tiny_comet,
    "metricx": tiny_metricx,
    "summac": tiny_nli,
}
PYRAMID = Pyramid("1", ("A", "B"), ("reference",) * 2, ("", ""), (Scu(1, (0, 1)), Scu(2, (0,)), Scu(3, (1,))))
EXAMPLES = {  # for metrics of something else than texts
    "precomputed": Example({"instance_id": ["1", "2", "1"], "summarizer_id": ["timid", "careful", "clumsy"]}),
    "error-spans": Example(
        {
            "predicted_spans": [[ErrorSpan(0, 5, "major"), ErrorSpan(3, 9, "minor")], [], [ErrorSpan(1, 2, "minor")]],
            "spans": [[ErrorSpan(2, 7, "minor")], [ErrorSpan(0, 3, "major")], []],
        }
    ),
    "pyramid-score": Example(
        {
            "annotation": [
                PyramidAnnotation("1", name, "peer", "", scus) for name, scus in (("p", (1,)), ("q", (1, 3, 9)))
            ],
            "pyramid": [PYRAMID, PYRAMID.remove_summary(0)],
        }
    ),
}
SETUPS = [(name, options) for name in BUILT_IN for options in SETTINGS.get(name, [{}])]
NEURAL = {name for name in BUILT_IN if issubclass(Metric.by_name(name), NeuralMetric)}
EXPENSIVE = {"faithfulness", "jury", "meteor", "samsa", "samsa-abl"}
FIRST_ONLY = {"fkgl", "llm-judge", "sari"}


def setup_parameter(name: str, options: dict[str, Any]) -> Any:
    """Marks as slow what needs a model, many requests or processes, and further settings of what takes long."""
    slow = name in NEURAL | EXPENSIVE or (name in FIRST_ONLY and options != SETTINGS.get(name, [{}])[0])
    return pytest.param(
        name, options, marks=[pytest.mark.slow] * slow, id="-".join([name, *map(str, options.values())])
    )


@pytest.mark.parametrize(("name", "options"), [setup_parameter(*setup) for setup in SETUPS])
def test_every_metric_keeps_the_contract(name: str, options: dict[str, Any], request: pytest.FixtureRequest) -> None:
    given = {**needed(name), **models_of(name, request), **options}
    for check in CHECKS:
        metric = load(name, **given)
        missing = [requirement.how_to_get_it() for requirement in metric.requirements if not requirement.is_met()]
        if missing:
            pytest.skip(f"'{name}' {'; '.join(missing)}")
        example = EXAMPLES.get(name) or example_of(metric)
        assert example is not None, f"fields {metric.fields} are no texts; add an example to EXAMPLES"
        check(metric, example)
    check_jackknifed_scores(load(name, **given), example)


def check_jackknifed_scores(metric: Any, example: Example) -> None:
    """Checks that the jackknifed score of an output is the mean over what its jackknifer leaves."""
    if metric.jackknifer is None:
        return
    columns, number = example.of(metric), len(metric.required_summary_fields)
    groups = [[[value] for value in column] if i < number else column for i, column in enumerate(columns)]
    found = metric.score_batch(Request.SCORES | Request.JACKKNIFED, *groups).jackknifed
    for values, mean in zip(zip(*columns, strict=True), found, strict=True):
        fields = dict(zip(metric.fields, values, strict=True))
        variants = [{**fields, **variant} for variant in metric.jackknifer.variants(fields)]
        scores = [metric.score(*(variant[name] for name in metric.fields)) for variant in variants]
        assert mean.approx_equal(MetricsDict.mean(scores), 1e-6) if scores else mean is None


def test_every_check_says_what_it_checks() -> None:
    assert len(CHECKS) >= 15
    assert all((check.__doc__ or "").endswith(".") for check in CHECKS)


# ---- the checks themselves find what they look for -------------------------------------------------------------------


class Sound(CorpusMetric, ReferenceBasedMetric):
    """Counts the words of summary and first reference."""

    registered_name = "sound"
    jackknifer = ReferencesJackknifer()
    score_range = (0, None)
    citation = "@misc{sound, title = {Sound}}"

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor

    def statistics(self, summary: Any, references: Any) -> list[float]:
        words = summary if isinstance(summary, str) else " ".join(summary)
        return [self.factor * len(words.split()), 1]

    def score_statistics(self, statistics: Any) -> MetricsDict:
        return MetricsDict({"sound": statistics[0] / statistics[1]})


class OutOfRange(Sound):
    """Scores below its range."""

    score_range = (100, None)


class Mutating(Sound):
    """Empties the references."""

    def statistics(self, summary: Any, references: Any) -> list[float]:
        references.clear()
        return super().statistics(summary, ["x"])


class OfChangingLength(Sound):
    """Has a statistic for each reference."""

    def statistics(self, summary: Any, references: Any) -> list[float]:
        return [*super().statistics(summary, references), *[0.0] * len(references)]


class OrderBound(Sound):
    """Counts its calls."""

    calls = 0.0

    def statistics(self, summary: Any, references: Any) -> list[float]:
        self.calls += 1
        return [self.calls, 1]


class Crashing(Sound):
    """Takes the first word."""

    def statistics(self, summary: Any, references: Any) -> list[float]:
        return [len(summary.split()[0]), 1]


class SilentOption(Sound):
    """Keeps its option out of the signature."""

    def signature_options(self) -> dict[str, Any]:
        return {}


class Nameless(Sound):
    """Cites nothing."""

    citation = "Somebody (1999)"


class NoMean(Sound):
    """Has another score for all outputs than their statistics give."""

    def _evaluate(self, *arguments: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        return MetricsDict({"sound": -1.0}), super()._evaluate(*arguments)[1]


class Tied(Sound):
    """Cannot be sent to another process."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__(factor)
        self.tie = lambda: None


class Lenient(Sound):
    """Cuts lists to the shortest."""

    def score_all(self, summaries: Any, references_list: Any) -> list[MetricsDict]:
        shortest = min(len(summaries), len(references_list))
        return super().score_all(summaries[:shortest], references_list[:shortest])


UNSOUND = [
    (OutOfRange, "scores_are_inside_the_range"),
    (Mutating, "arguments_are_not_changed"),
    (OfChangingLength, "statistics_add_up"),
    (OrderBound, "scores_follow_their_outputs"),
    (OrderBound, "the_five_methods_agree"),
    (Crashing, "unusual_texts_are_scored"),
    (SilentOption, "the_signature_says_what_was_computed"),
    (Nameless, "the_citation_is_bibtex"),
    (NoMean, "evaluate_equals_the_total_of_all_outputs"),
    (Tied, "a_pickled_copy_scores_the_same"),
    (Lenient, "lists_of_unequal_length_are_refused"),
]


@pytest.mark.parametrize(("kind", "name"), UNSOUND, ids=[f"{kind.__name__}-{name}" for kind, name in UNSOUND])
def test_a_check_fails_for_a_metric_that_does_not_keep_to_it(kind: type[Sound], name: str) -> None:
    check = next(check for check in CHECKS if check.__name__ == f"check_{name}")
    example = example_of(kind())
    assert example is not None
    with pytest.raises(AssertionError, match=r"must|returns|before and"):
        check(kind(), example)


def test_a_sound_metric_passes_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, Sound.__module__, sys.modules.get(Sound.__module__, SimpleNamespace(Sound=Sound)))
    example = example_of(Sound())
    assert example is not None
    for check in CHECKS:
        check(Sound(), example)


def test_there_is_no_example_for_fields_of_another_kind() -> None:
    assert example_of(load("pyramid-score")) is None
