"""Metric cards: keys, scale and arguments of the published cards, with the examples of the cards and their numbers."""

from __future__ import annotations

import inspect
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, geometric_mean
from typing import Any

import jiwer
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.ter import TER
from sums_of_floats import rounded

import metrics_framework as fw
from metrics_framework.integrations import hugging_face
from metrics_framework.integrations.hugging_face import REGISTRY, Card, HuggingFaceMetric

HELLO = ["hello there general kenobi", "foo bar foobar"]
ANKH = {
    "predictions": ["hello there general kenobi", "on our way to ankh morpork"],
    "references": [["hello there general kenobi", "hello there !"], ["goodbye ankh morpork", "ankh morpork"]],
}
CATS = {
    "predictions": [
        "The relationship between cats and dogs is not exactly friendly.",
        "a good bookshop is just a genteel black hole that knows how to read.",
    ],
    "references": [
        ["The relationship between dogs and cats is not exactly friendly."],
        ["A good bookshop is just a genteel Black Hole that knows how to read."],
    ],
}
OTHER = {
    "predictions": ["this is the prediction", "there is an other sample"],
    "references": ["this is the reference", "there is another one"],
}
GUIDE = {
    "predictions": ["It is a guide to action which ensures that the military always obeys the commands of the party"],
    "references": ["It is a guide to action that ensures that the military will forever heed Party commands"],
}


def bleu(length_ratio: float, translation_length: int, reference_length: int) -> dict[str, Any]:
    """Returns the dictionary of a perfect output, as the card prints it."""
    return {
        "bleu": 1.0,
        "precisions": [1.0] * 4,
        "brevity_penalty": 1.0,
        "length_ratio": length_ratio,
        "translation_length": translation_length,
        "reference_length": reference_length,
    }


EXAMPLES = [  # card, arguments and options, result
    ("bleu", {"predictions": HELLO, "references": [["hello there general kenobi", "hello there !"], HELLO[1:]]},
     bleu(1.1666666666666667, 7, 6)),
    ("bleu", {"predictions": HELLO, "references": [["hello there general kenobi", "hello there!"], HELLO[1:]]},
     bleu(1.1666666666666667, 7, 6)),
    ("bleu", {"predictions": HELLO, "references": [HELLO[:1], HELLO[1:]]}, bleu(1.0, 7, 7)),
    ("bleu", {"predictions": HELLO, "references": [*HELLO]}, bleu(1.0, 7, 7)),
    ("bleu", {"predictions": HELLO, "references": [["hello there general kenobi", "hello there!"], HELLO[1:]],
              "tokenizer": str.split}, bleu(7 / 5, 7, 5)),
    ("sacrebleu", ANKH, {"score": 39.76353643835252, "counts": [6, 4, 2, 1], "totals": [10, 8, 6, 4],
                         "precisions": [60.0, 50.0, 33.333333333333336, 25.0], "bp": 1.0, "sys_len": 10, "ref_len": 7}),
    ("chrf", CATS, {"score": 84.64214891738334, "char_order": 6, "word_order": 0, "beta": 2}),
    ("chrf", {**CATS, "word_order": 2}, {"score": 82.87263732906315, "char_order": 6, "word_order": 2, "beta": 2}),
    ("chrf", {**CATS, "word_order": 2, "lowercase": True},
     {"score": 92.12853119829202, "char_order": 6, "word_order": 2, "beta": 2}),
    ("wer", OTHER, 0.5),
    ("wer", {"predictions": ["hello world", "good night moon"], "references": ["hello world", "good night moon"]}, 0.0),
    ("wer", {"predictions": ["hello world", "good night moon"], "references": ["hi everyone", "have a great day"]},
     1.0),
    ("cer", OTHER, 0.34146341463414637),
    ("cer", {"predictions": ["hello"], "references": ["gracias"]}, 1.0),
    ("cer", {"predictions": ["hello world"], "references": ["hello"]}, 1.2),
    ("cer", {**OTHER, "concatenate_texts": True}, 0.34146341463414637),
    ("rouge", {"predictions": ["hello there", "general kenobi"], "references": ["hello there", "general kenobi"]},
     {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0, "rougeLsum": 1.0}),
    ("wiki_split", {"sources": ["About 95 species are currently accepted ."],
                    "predictions": ["About 95 you now get in ."],
                    "references": [["About 95 species are currently known ."]]},
     {"sari": 21.805555555555557, "sacrebleu": 14.535768424205482, "exact": 0.0}),
]  # fmt: skip


@pytest.mark.parametrize(("card", "given", "expected"), EXAMPLES)
def test_cards_return_what_the_published_ones_print(card: str, given: dict[str, Any], expected: Any) -> None:
    found = hugging_face.load(card).compute(**given)
    assert found == expected
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        assert [*map(type, found.values())] == [*map(type, expected.values())]


WORDS = st.lists(st.sampled_from(["a", "b", "c."]), max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=2, max_size=2)), min_size=1, max_size=3)


@given(PAIRS)
def test_sacrebleu_returns_the_counts_of_sacrebleu(pairs: Sequence[tuple[str, list[str]]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    found = hugging_face.load("sacrebleu").compute(predictions=predictions, references=references)
    theirs = sacrebleu.corpus_bleu(list(predictions), [list(stream) for stream in zip(*references, strict=True)])
    assert found == {name: getattr(theirs, name) for name in found} | {"score": rounded(theirs.score)}


@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=3))
def test_error_rates_are_those_of_jiwer(pairs: Sequence[tuple[str, str]]) -> None:
    predictions, references = map(list, zip(*pairs, strict=True))
    arguments = {"predictions": predictions, "references": references}
    assert hugging_face.load("wer").compute(**arguments) == jiwer.wer(references, predictions)
    assert hugging_face.load("cer").compute(**arguments) == jiwer.cer(references, predictions)


def streams(references: Sequence[Any]) -> list[list[str]]:
    return [
        list(stream) for stream in zip(*[[one] if isinstance(one, str) else one for one in references], strict=True)
    ]


def bleu_of(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    tokenizer: Callable[[str], list[str]] | None = None,
    max_order: int = 4,
    smooth: bool = False,
) -> Any:
    """Computes the card from its definition, with sacreBLEU's tokenizer."""
    words = tokenizer or (lambda text: sacrebleu.BLEU().tokenizer(text).split())
    matches, totals = [0] * max_order, [0] * max_order
    for prediction, texts in zip(predictions, references, strict=True):
        for index in range(max_order):
            ngrams, *of_texts = (
                Counter(zip(*[words(text)[start:] for start in range(index + 1)], strict=False))
                for text in (prediction, *texts)
            )
            largest: Counter[Any] = Counter()
            for counts in of_texts:
                largest |= counts
            matches[index] += (ngrams & largest).total()
            totals[index] += ngrams.total()
    added = 1 if smooth else 0
    precisions = [
        (one + added) / (total + added) if total + added else 0.0 for one, total in zip(matches, totals, strict=True)
    ]
    length = sum(len(words(text)) for text in predictions)
    shortest = sum(min(len(words(text)) for text in texts) for texts in references)
    penalty = 1.0 if length > shortest else math.exp(1 - shortest / length) if length else 0.0
    mean = geometric_mean(precisions) if min(precisions) > 0 else 0.0
    return {"bleu": mean * penalty, "precisions": precisions, "brevity_penalty": penalty,
            "length_ratio": length / shortest, "translation_length": length, "reference_length": shortest}  # fmt: skip


def sacrebleu_of(
    predictions: Sequence[str],
    references: Sequence[Any],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
) -> Any:
    given = {"tokenize": tokenize} if tokenize else {}
    options = {"lowercase": lowercase, "use_effective_order": use_effective_order, "force": force, **given}
    found = sacrebleu.corpus_bleu(predictions, streams(references), smooth_method, smooth_value, **options)
    return {
        name: getattr(found, name) for name in ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    }


def chrf_of(
    predictions: Sequence[str],
    references: Sequence[Any],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> Any:
    metric = sacrebleu.CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
    found = metric.corpus_score(predictions, streams(references))
    return {name: getattr(found, name) for name in ("score", "char_order", "word_order", "beta")}


def ter_of(
    predictions: Sequence[str],
    references: Sequence[Any],
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> Any:
    found = TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive).corpus_score(
        predictions, streams(references)
    )
    return {name: getattr(found, name) for name in ("score", "num_edits", "ref_length")}


def rouge_of(
    predictions: Sequence[str],
    references: Sequence[Any],
    rouge_types: Sequence[str] | None = None,
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Callable[[str], list[str]] | None = None,
) -> Any:
    """The card, with the mean for the median of the means of random resamples."""

    class Tokenizer:
        tokenize = staticmethod(tokenizer) if tokenizer else None

    kinds = rouge_types or ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = RougeScorer(kinds, use_stemmer, tokenizer=Tokenizer if tokenizer else None)
    pairs = zip([[one] if isinstance(one, str) else one for one in references], predictions, strict=True)
    scores = [scorer.score_multi(*pair) for pair in pairs]
    lists = {kind: [score[kind].fmeasure for score in scores] for kind in kinds}
    return {kind: fmean(values) for kind, values in lists.items()} if use_aggregator else lists


def wer_of(predictions: Sequence[str], references: Sequence[str], concatenate_texts: bool = False) -> Any:
    return jiwer.wer(list(references), list(predictions))


def cer_of(predictions: Sequence[str], references: Sequence[str], concatenate_texts: bool = False) -> Any:
    return jiwer.cer(list(references), list(predictions))


BOTH = [False, True]
PROGRAMS: dict[str, tuple[Callable[..., Any], dict[str, Sequence[Any]]]] = {  # card: program, values of its options
    "bleu": (bleu_of, {"tokenizer": [None, str.split, fw.load_tokenizer("char")], "max_order": [1, 2, 4],
                       "smooth": BOTH}),
    "sacrebleu": (sacrebleu_of, {"smooth_method": ["exp", "floor", "add-k", "none"],
                                 "smooth_value": [None, 0.25, 1, 2], "force": BOTH, "lowercase": BOTH,
                                 "tokenize": [None, "13a", "none", "intl", "char", "zh"], "use_effective_order": BOTH}),
    "chrf": (chrf_of, {"char_order": [1, 3, 6], "word_order": [0, 1, 2], "beta": [1, 2, 3], "lowercase": BOTH,
                       "whitespace": BOTH, "eps_smoothing": BOTH}),
    "ter": (ter_of, {"normalized": BOTH, "ignore_punct": BOTH, "support_zh_ja_chars": BOTH, "case_sensitive": BOTH}),
    "rouge": (rouge_of, {"rouge_types": [None, ["rouge1"], ["rougeLsum"], ["rougeL", "rouge3"]], "use_aggregator": BOTH,
                         "use_stemmer": BOTH, "tokenizer": [None, str.split, list, lambda text: text.split(" ")]}),
    "wer": (wer_of, {"concatenate_texts": BOTH}),
    "cer": (cer_of, {"concatenate_texts": BOTH}),
}  # fmt: skip
SHORT = ("wer", "cer")
VOCABULARY = ("The", "cats", "cat,", "sat", "running", "runs", "on", "(2)", "it's", "猫", "the\n", "sat.\n\n")


def texts_of(card: str, rng: random.Random) -> dict[str, list[Any]]:
    """Draws predictions and references, which are texts for error rates and two texts for other cards."""

    def text() -> str:
        return " ".join(rng.choices(VOCABULARY, k=rng.randint(1, 9))).strip()

    predictions = [text() for _ in range(rng.randint(1, 4))]
    return {
        "predictions": predictions,
        "references": [text() if card in SHORT else [text(), text()] for _ in predictions],
    }


def same(found: Any, expected: Any) -> bool:
    """Returns whether two results are equal, with floats to 12 digits."""
    if isinstance(expected, Mapping):
        return set(found) == set(expected) and all(same(found[name], expected[name]) for name in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return type(found) is type(expected) and found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("card", PROGRAMS)
def test_every_default_of_a_published_signature_is_accepted_in_load_and_in_compute(card: str) -> None:
    program, _ = PROGRAMS[card]
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(program).parameters.items()
        if parameter.default is not parameter.empty
    }
    texts = texts_of(card, random.Random(0))
    expected = program(**texts)
    assert same(hugging_face.load(card, **defaults).compute(**texts), expected)
    assert same(hugging_face.load(card).compute(**texts, **defaults), expected)


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # random references resemble transposed ones
@pytest.mark.parametrize("card", [card for card in PROGRAMS if card not in SHORT])
def test_random_calls_return_what_the_programs_of_the_cards_return(card: str) -> None:
    program, values = PROGRAMS[card]
    rng = random.Random(f"calls of {card}")
    for _ in range(30):
        texts = texts_of(card, rng)
        given = {name: rng.choice(choices) for name, choices in values.items() if rng.random() < 0.7}
        in_load = {name: value for name, value in given.items() if rng.random() < 0.5}
        in_compute = {name: value for name, value in given.items() if name not in in_load}
        found = hugging_face.load(card, **in_load).compute(**texts, **in_compute)
        assert same(found, program(**texts, **given)), (texts, in_load, in_compute)


def test_wiki_split_compares_words_as_squad_does() -> None:
    """By hand: equal without case, articles and punctuation; the second prediction equals its second reference."""
    given = {"predictions": ["The cat.", "b", "c"], "references": [["a Cat", "x"], ["y", "b!"], ["d", "e"]]}
    found = hugging_face.load("wiki_split").compute(sources=["a", "b", "c"], **given, use_aggregator=False)
    assert found["exact"] == [100.0, 100.0, 0.0]
    both = hugging_face.load("wiki_split").compute(sources=["a", "b", "c"], **given)
    assert both["exact"] == pytest.approx(200 / 3)
    assert both["sacrebleu"] == hugging_face.load("sacrebleu").compute(**given)["score"]
    assert both["sari"] == hugging_face.load("sari").compute(sources=["a", "b", "c"], **given)["sari"]


class Lengths(fw.SourceReferenceBasedMetric):
    """Stands for COMET, whose model is not here."""

    def score_multi_all(self, summaries_list: Any, references_list: Any, sources: Any) -> Any:
        return [[{"comet": float(len(summary))} for summary in summaries] for summaries in summaries_list]


def test_comet_returns_the_mean_and_the_list_of_its_card() -> None:
    texts = {"predictions": ["a", "bcd"], "references": ["a", "b"], "sources": ["a", "b"]}
    comet = HuggingFaceMetric(Lengths(), Card.by_name("comet")())
    assert comet.compute(**texts) == {"mean_score": 2.0, "scores": [1.0, 3.0]}
    with pytest.raises(fw.InputError, match="a text, got"):
        hugging_face.load("comet", gpus=None, progress_bar=False).compute(**{**texts, "references": [["a"], ["b"]]})


def test_comet_is_given_its_model() -> None:
    pytest.importorskip("transformers", reason="models need transformers")
    with pytest.raises(fw.UsageError, match="'nowhere/model'"):
        hugging_face.load("comet", "nowhere/model", gpus=None, progress_bar=False)


@pytest.mark.filterwarnings("ignore:empty outputs:metrics_framework.TextWarning")
def test_bleu_compares_lengths_with_the_shortest_reference() -> None:
    """By hand: 3 words, references of 3 and 1 words; 3/3, 1/2 and 0/1 n-grams match."""
    given = {"predictions": ["a b c"], "references": [["b c a", "d"]]}
    found = hugging_face.load("bleu").compute(**given, max_order=3)
    assert found == {
        "bleu": 0.0,
        "precisions": [1.0, 0.5, 0.0],
        "brevity_penalty": 1.0,
        "length_ratio": 3.0,
        "translation_length": 3,
        "reference_length": 1,
    }
    smooth = hugging_face.load("bleu", smooth=True, max_order=3).compute(**given)
    assert smooth["precisions"] == [1.0, 2 / 3, 1 / 2]
    assert smooth["bleu"] == pytest.approx((1 / 3) ** (1 / 3), rel=1e-12)
    short = hugging_face.load("bleu", max_order=1).compute(predictions=["a"], references=[["a b", "a b c"]])
    assert short["bleu"] == math.exp(-1)
    assert hugging_face.load("bleu").compute(predictions=[""], references=["a"])["brevity_penalty"] == 0.0


def test_predictions_can_be_scored_one_by_one() -> None:
    assert hugging_face.load("wer").compute(**OTHER, use_aggregator=False) == [1 / 4, 3 / 4]
    counts = hugging_face.load("sacrebleu").compute(**ANKH, use_aggregator=False)["counts"]
    assert counts == [[4, 3, 2, 1], [2, 1, 0, 0]]


@pytest.mark.parametrize(("card", "advice"), [("meteor", "METEOR 1.5"), ("bertscore", "bertscore_f1"),
                                              ("exact_match", "token-f1")])  # fmt: skip
def test_cards_that_no_metric_computes_are_refused(card: str, advice: str) -> None:
    with pytest.raises(fw.UsageError, match=f"'{card}' is unavailable.*{advice}"):
        hugging_face.load(card)


def test_a_metric_is_not_its_card() -> None:
    assert HuggingFaceMetric(fw.load("wer")).compute(**OTHER)["wer"] == 50.0
    assert "bleu_bp" in HuggingFaceMetric(fw.load("bleu")).compute(**ANKH)


UNEVEN = {"predictions": ["a", "b"], "references": [["a"], ["b", "c"]]}
REFUSED = [  # card, arguments, message
    ("sacrebleu", UNEVEN, "same number of references .* 1 for entry 0 and 2 for entry 1"),
    ("chrf", UNEVEN, "same number of references"),
    ("ter", UNEVEN, "same number of references"),
    ("wer", {"predictions": ["a"], "references": [["a"]]}, "a text, got"),
    ("cer", {"predictions": ["a"], "references": [["a", "b"]]}, "a text, got"),
    ("bleu", {"predictions": ["a"], "references": ["a"], "lowercase": True}, "sacrebleu"),
    ("bleu", {"predictions": ["a"], "references": ["a"], "tokenizer": "13a"}, "must be a function"),
    ("bleu", {"predictions": ["a"], "references": ["a"], "max_order": 0}, "from 1 to"),
    ("rouge", {"predictions": ["a"], "references": ["a"], "tokenizer": "13a"}, "must be a function"),
    ("wiki_split", {**UNEVEN, "sources": ["a", "b"]}, "same number of references"),
]


@pytest.mark.parametrize(("card", "arguments", "message"), REFUSED)
def test_arguments_that_the_card_does_not_accept_are_refused(
    card: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises((fw.InputError, fw.UsageError), match=message):
        hugging_face.load(card).compute(**arguments)


def test_options_without_effect_are_accepted() -> None:
    expected = hugging_face.load("sacrebleu").compute(**ANKH)
    assert hugging_face.load("sacrebleu", force=True, tokenize=None).compute(**ANKH) == expected
    assert hugging_face.load("sacrebleu", tokenize="none").compute(**ANKH, use_effective_order=True)["score"] > 0


def test_every_card_is_tested() -> None:
    tested = {*(card for card, *_ in EXAMPLES), "ter", "comet", "meteor", "bertscore", "exact_match"}
    assert {*REGISTRY.names()} == tested
