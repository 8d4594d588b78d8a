"""Every metric with a native kernel: equal to its Python twin with all options and requests."""

from __future__ import annotations

import importlib.util
import itertools
import json
import random
from typing import Any

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import sampled
from twins import (
    Subclassed,
    differences,
    groups_of,
    jackknifed,
    random_groups,
    random_text,
    requires_native,
    under,
    with_statistics,
)

from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.scoring import SCORES_AND_JACKKNIFED
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import GroupsOfOne
from metrics_framework.metrics.base.metric import CorpusMetric, Metric, load
from metrics_framework.metrics.bleu import Bleu, SentBleu
from metrics_framework.metrics.chrf import Chrf
from metrics_framework.metrics.google_rouge import ROUGE_TYPES, GoogleRouge
from metrics_framework.metrics.rouge import Rouge
from metrics_framework.metrics.sari import VARIANTS, Sari
from metrics_framework.metrics.ter import Ter
from metrics_framework.text.rouge_words import exceptions, stop_words

pytestmark = requires_native

BOOLEANS = (False, True)


def combinations(**choices: Any) -> list[dict[str, Any]]:
    return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]


def own_options(variant: str) -> list[dict[str, Any]]:
    """The options that only some variants of SARI have, with every value."""
    choices: dict[str, Any] = {
        "deletion": ("f1", "precision"),
        "keep_recall": ("union", "intersection"),
        "beta_for_deletion": (0.0, 0.7, 1.0, 3),
    }
    return combinations(**{name: choices[name] for name in VARIANTS[variant].options})


SARI_TOKENIZERS = [None, "13a", "intl", "penn", "none", *(["moses"] if importlib.util.find_spec("sacremoses") else [])]
SARI = [
    {"variant": variant, "tokenizer": tokenizer, "lowercase": lowercase, **own}
    for variant in VARIANTS
    for own in own_options(variant)
    for tokenizer in SARI_TOKENIZERS
    for lowercase in (None, False, True)
]
SMOOTHINGS: list[dict[str, Any]] = [
    {},
    {"smooth_method": "none"},
    *({"smooth_method": "floor", "smooth_value": value} for value in (None, 0.0, 1e-300, 0.7, 3, 1e307)),
    *({"smooth_method": "add-k", "smooth_value": value} for value in (None, 0.0, 0.3, 1e15, 1e307)),
]
BLEU = [
    {**smoothing, **others}
    for smoothing in SMOOTHINGS
    for others in combinations(
        effective_order=BOOLEANS,
        max_ngram_order=range(1, 8),
        tokenizer=("13a", "none", "intl", "char", "zh"),
        lowercase=BOOLEANS,
    )
]
CHRF = [
    options
    for options in combinations(
        char_order=(0, 1, 2, 3, 6, 8, 9),
        word_order=(0, 1, 2, 3),
        beta=(0, 0.7, 1, 2, 3.3, 999_999, 1e6),
        lowercase=BOOLEANS,
        whitespace=BOOLEANS,
        eps_smoothing=BOOLEANS,
    )
    if options["char_order"] + options["word_order"]
]
TER = combinations(normalized=BOOLEANS, no_punct=BOOLEANS, asian_support=BOOLEANS, case_sensitive=BOOLEANS)
GOOGLE_ROUGE = combinations(
    rouge_types=[
        *([kind] for kind in ROUGE_TYPES),
        ["rouge2", "rougeLsum"],
        ["rouge1", "rouge2", "rougeL"],
        ROUGE_TYPES,
    ],
    use_stemmer=BOOLEANS,
)
ROUGE = [
    {**measures, **limit, **others}
    for measures in (
        {"max_ngram": 9},
        {"max_ngram": 1, "compute_rouge_l": True},
        {"max_ngram": 2, "wlcs_weight": 1.2, "alpha": 0.8},
        {"max_ngram": 1, "skip_bigram_gap_length": 0},
        {"compute_rouge_l": True, "skip_bigram_gap_length": 4, "wlcs_weight": 1.2},
        {"compute_rouge_l": True, "skip_bigram_gap_length": -1, "wlcs_weight": 2, "alpha": 0},
    )
    for limit in ({}, {"max_words": 1}, {"max_words": 5}, {"max_bytes": 1}, {"max_bytes": 7}, {"max_bytes": 30})
    for others in combinations(
        use_porter_stemmer=BOOLEANS, remove_stopwords=BOOLEANS, scoring_function=("average", "max")
    )
]
AUTOSUMMENG = combinations(min_n=(1, 2, 3), max_n=(3, 4, 6), window=(1, 3, 8), mode=("published", "corrected"))
LOWERCASE = combinations(lowercase=BOOLEANS)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "autosummeng": AUTOSUMMENG,
    "bleu": BLEU,
    "cer": LOWERCASE * 10,
    "chrf": CHRF,
    "google-rouge": GOOGLE_ROUGE,
    "rouge": ROUGE,
    "sari": SARI,
    "sent-bleu": BLEU,
    "ter": TER,
    "wer": LOWERCASE * 10,
}
PLAIN = [
    *(Sari(), Sari(variant="set"), Sari(variant="t2t"), Bleu(), SentBleu(), Chrf(word_order=2), Ter()),
    GoogleRouge(use_stemmer=True),
    Rouge(skip_bigram_gap_length=2),
]


def signed(metric: Any) -> str:
    return str(metric.signature().rpartition("|")[0])


def test_these_are_the_metrics_that_have_a_kernel() -> None:
    assert {name for name in Metric.registry().names() if Metric.by_name(name).has_kernel} == set(OPTIONS)


# ---- equal to the twin ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OPTIONS)
def test_random_batches(name: str, count: int) -> None:
    """So many combinations of options, or nearly, at equal distances; each with different texts."""
    for seed, options in enumerate(OPTIONS[name][:: max(1, len(OPTIONS[name]) // count)]):
        metric = load(name, **options)
        assert not differences(metric, random_groups(seed, 2, len(metric.fields), most_references=9))


@pytest.mark.parametrize("name", sampled(OPTIONS, 5))
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_any_texts(name: str, data: Any) -> None:
    metric = load(name, **data.draw(st.sampled_from(OPTIONS[name])))
    assert not differences(metric, data.draw(groups_of(len(metric.fields), most_references=9)))


LINES = st.lists(st.lists(st.sampled_from("abcd"), max_size=80).map(" ".join), max_size=5).map("\n".join)


@pytest.mark.parametrize(
    ("name", "every"), [("google-rouge", [{"rouge_types": ["rougeL", "rougeLsum"]}]), ("rouge", ROUGE)]
)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_lines_of_few_words(name: str, every: Any, data: Any) -> None:
    texts = data.draw(st.lists(LINES, max_size=3)), data.draw(st.lists(LINES, min_size=1, max_size=9))
    assert not differences(load(name, **data.draw(st.sampled_from(every))), [[one] for one in texts])


@pytest.mark.parametrize("kinds", [1, 3, 400])
def test_long_lines(kinds: int) -> None:
    """Lines with masks of frequent words, and pairs of words that are too many to be numbered."""
    generator = random.Random(kinds)
    texts = [" ".join(str(generator.randrange(kinds)) for _ in range(length)) for length in (280, 260, 70)]
    groups = [[[texts[0]]], [[f"{texts[1]}\n{texts[2]}", texts[2]]]]
    assert not differences(GoogleRouge(["rougeLsum"]), groups)
    for gap in (-1, 100):
        assert not differences(Rouge(1, compute_rouge_l=gap < 0, skip_bigram_gap_length=gap), groups)


SUFFIXES = [
    *("", "s", "sses", "ies", "ied", "ed", "eed", "ing", "at", "y", "ational", "izer", "alli", "ousli", "ation")
]
SUFFIXES += [
    *("fulli", "logi", "icate", "ness", "ical", "ement", "ment", "ent", "sion", "tion", "ion", "ive", "e", "ll")
]
FORMS = st.tuples(st.text("abeilosty2", min_size=1, max_size=4), *[st.sampled_from(SUFFIXES)] * 3).map("".join)


@settings(deadline=None, max_examples=50)
@given(st.lists(FORMS, max_size=6), st.lists(st.sampled_from(SUFFIXES), max_size=6))
@example(["222sssessses"], ["ousli"])  # a word of more than 16 letters whose stem has another stem
def test_words_are_stemmed_as_by_the_twins(words: str, suffixes: list[str]) -> None:
    """Each word is scored against all words with its start: a stem of its own would match other words."""
    groups = [[[word] for word in words], [[word + suffix for suffix in suffixes] or ["a"] for word in words]]
    for metric in (GoogleRouge(["rouge1"], use_stemmer=True), Rouge(1)):
        assert not differences(metric, groups)


@pytest.mark.parametrize("metric", PLAIN, ids=signed)
@pytest.mark.parametrize("references", sampled([2, 7, 8, 9, 17, 40], 1))
def test_many_references(metric: Any, references: int) -> None:
    generator = random.Random(references)
    groups = [
        [[random_text(generator, 6) for _ in range(2)] for _ in range(4)],
        [[random_text(generator, 6) for _ in range(references)] for _ in range(4)],
        [random_text(generator, 6) for _ in range(4)],
    ]
    assert not differences(metric, groups[: len(metric.fields)])


@pytest.mark.slow
@pytest.mark.parametrize("metric", PLAIN, ids=signed)
def test_many_batches_in_one_call(metric: Any) -> None:
    """A kernel reuses its memory for larger and smaller groups; a batch is a megabyte."""
    groups = random_groups(1, 150, len(metric.fields), most_references=12)
    groups[0][70] = [" ".join(map(str, range(3000)))]
    groups[1][70] = [" ".join(map(str, range(10, 2990))), "x" * 2**20]
    assert not differences(metric, groups)


@pytest.mark.slow
@pytest.mark.parametrize("char_order", [6, 9])
def test_chrf_with_more_characters_than_fit_in_a_byte(char_order: int) -> None:
    generator = random.Random(0)
    for kinds in (253, 254, 255, 256, 3000):
        letters = [chr(0x4E00 + number) for number in range(kinds)]
        texts = ["".join(generator.choices(letters[:kinds], k=3 * kinds)) + "".join(letters) for _ in range(4)]
        assert not differences(Chrf(char_order, 2), [[texts[:2], ["a"]], [texts[2:], ["b a"]]])


@pytest.mark.parametrize("distance", [1, 0x100, 0x101, 0x400])
def test_chrf_with_characters_far_apart(distance: int) -> None:
    """The first texts of a call use up the ids of characters that are not ASCII; those of the next group are new."""
    characters = [chr(code) for code in range(0x80, 0x110000, distance)]
    groups = [
        ["".join(characters[start : start + count]) for start in (0, count // 2)] for count in (253, 254, 255, 600)
    ]
    later = [[text[::-1][:40] + "a" for text in texts] for texts in groups]
    groups += later
    assert not differences(Chrf(), [[texts[:1] for texts in groups], [texts[1:] for texts in groups]])


@pytest.mark.parametrize("letters", sampled(["ab", "abcdefgh .", "aé漢字 \u3000", "\0\x7fab"], 1))
@pytest.mark.parametrize("summaries", [1, 3])
def test_chrf_of_texts_about_as_long_as_some_words_of_bits(summaries: int, letters: str) -> None:
    """Texts of up to 384 characters are compared by the positions of characters, or 192 if they are many."""
    generator = random.Random(summaries)
    for length in (63, 64, 65, 127, 128, 129, 191, 192, 193, 256, 257, 320, 321, 383, 384, 385):
        texts = ["".join(generator.choices(letters, k=length)) for _ in range(summaries)]
        others = [texts[0][5:] + texts[0][:9], "".join(generator.choices(letters, k=generator.randint(0, 500)))]
        for metric in (Chrf(whitespace=True), Chrf(generator.choice([1, 2, 3, 4, 5, 7, 8]), 2)):
            assert not differences(metric, [[texts], [others]])


@pytest.mark.slow
def test_chrf_of_texts_longer_than_small_counts_reach() -> None:
    for length in (2**15 - 1, 2**15, 2**16 + 1):
        texts = ["a" * length, "a" * (length - 1) + "b", "ab" * (length // 2)]
        assert not differences(Chrf(word_order=1), [[texts[:2]], [texts[1:]]])


@pytest.mark.parametrize("order", [99, 100, 101])
def test_orders_that_reach_the_kernels_limit(order: int) -> None:
    groups = random_groups(order, 3, 2)
    for metric in (Bleu(max_ngram_order=order), Chrf(order), Chrf(1, order)):
        assert not differences(metric, groups)


# ---- texts in other forms -------------------------------------------------------------------------------------------

PAIR: list[Any] = [[["a b c", "d"], ["a"]], [["a b d", "b c"], ["x", "a"]], ["a b", "a x"]]


def array(values: Any) -> Any:
    made = numpy.empty(len(values), dtype=object)
    made[:] = values
    return made


FORMS_OF_GROUPS = [  # how groups are written, why
    (lambda groups: [[tuple(texts) for texts in field] for field in groups[:2]], "tuples"),
    (lambda groups: [tuple(map(tuple, field)) for field in groups[:2]], "tuples of tuples"),
    (lambda groups: [[numpy.array(texts) for texts in field] for field in groups[:2]], "arrays of strings"),
    (lambda groups: [array([array(texts) for texts in field]) for field in groups[:2]], "arrays of arrays of objects"),
    (lambda groups: [[[[text] for text in texts] for texts in field] for field in groups[:2]], "lists of sentences"),
    (lambda groups: [[[text.split() for text in texts] for texts in field] for field in groups[:2]], "lists of words"),
    (lambda groups: [[[Subclassed(text) for text in texts] for texts in field] for field in groups[:2]], "subclasses"),
    (lambda groups: [[[numpy.str_(text) for text in texts] for texts in field] for field in groups[:2]], "of NumPy"),
]


@pytest.mark.parametrize("metric", sampled(PLAIN, 3), ids=signed)
@pytest.mark.parametrize(("written", "why"), FORMS_OF_GROUPS)
def test_groups_may_have_other_forms(metric: Any, written: Any, why: str) -> None:
    groups = [*written(PAIR), array(PAIR[2]) if "arrays" in why else tuple(PAIR[2])][: len(metric.fields)]
    plain = under("native", jackknifed(metric), *PAIR[: len(metric.fields)])
    for name in ("native", "python"):
        assert repr(under(name, jackknifed(metric), *groups)) == repr(plain), why
    assert not differences(metric, groups)


@pytest.mark.parametrize("name", ["native", "python"])
@pytest.mark.parametrize("method", ["score_multi_all", "statistics_multi_all", with_statistics, jackknifed])
@pytest.mark.parametrize(
    "metric", [*PLAIN, Sari(variant="set", tokenizer="penn"), Bleu(tokenizer="char"), Bleu(max_ngram_order=101)]
)
def test_iterators_are_read_once(metric: Any, method: Any, name: str) -> None:
    if method == "statistics_multi_all" and not isinstance(metric, CorpusMetric):
        method = "score_multi_all"
    groups = PAIR[: len(metric.fields)]
    call = getattr(metric, method) if isinstance(method, str) else method(metric)
    expected = under("python", call, *groups)
    assert len(expected) == (2 if isinstance(method, str) else 3)  # groups, or outputs
    assert under(name, call, *map(iter, groups)) == expected
    assert under(name, call, [iter(own) for own in groups[0]], *groups[1:]) == expected


@pytest.mark.parametrize("name", ["native", "python"])
@pytest.mark.parametrize("metric", [*PLAIN, Bleu(max_ngram_order=101)])
def test_iterators_and_arrays_are_evaluated_too(metric: Any, name: str) -> None:
    """Arrays create a new object for each row, so contexts cannot be recognized by identity."""
    texts = [f"a b {number}" for number in range(40)]
    outputs = [texts, [[text, "x"] for text in texts], texts][: len(metric.fields)]
    expected = under("python", metric.evaluate, *outputs)
    assert under(name, metric.evaluate, *map(iter, outputs)) == expected
    assert under(name, metric.evaluate, *map(numpy.array, outputs)) == expected


# ---- when the kernel is used ----------------------------------------------------------------------------------------


class Halved(Bleu):
    def score_statistics(self, statistics: Any) -> MetricsDict:
        return MetricsDict({"bleu": super().score_statistics(statistics)["bleu"] / 2})


class FewerWords(Ter):
    def _words(self, text: Any) -> tuple[str, ...]:
        return super()._words(text)[:1]


class PlainBleu(Bleu):
    """Changes nothing, but it might."""


class Backwards(ReferencesJackknifer):
    def variants(self, fields: Any) -> list[dict[str, Any]]:
        return super().variants(fields)[:1]


def test_subclasses_do_not_use_the_kernel_of_their_base() -> None:
    for name in ("native", "python"):
        score = under(name, Bleu().score, "a b c d e", ["a b c d x"])["bleu"]
        for half in (
            under(name, Halved().score, "a b c d e", ["a b c d x"]),
            under(name, Halved().evaluate, ["a b c d e"], [["a b c d x"]])[0],
            under(name, jackknifed(Halved()), [["a b c d e"]], [["a b c d x"] * 2])[0][1],
        ):
            assert half == {"bleu": score / 2}
    for metric in (PlainBleu(), Halved()):
        assert not differences(metric, PAIR[:2])


def test_a_subclass_that_inherits_its_statistics_has_those_of_its_own_words() -> None:
    assert under("python", FewerWords().score, "a b c", ["a x"])["ter"] == 0.0
    assert under("native", FewerWords().score, "a b c", ["a x"])["ter"] == 0.0


@pytest.mark.parametrize(
    ("jackknifer", "left_out"),
    [(Backwards(), 1), (ReferencesJackknifer(), 2), (ReferencesJackknifer("source"), 2)],
    ids=["a subclass", "plain", "another field"],
)
def test_other_jackknifers_do_not_use_the_kernel(jackknifer: ReferencesJackknifer, left_out: int) -> None:
    metric = Sari()
    metric.jackknifer = jackknifer
    groups = [[["a b", "c"]], [["a b", "x"]], [["a", "b x"]]]
    assert not differences(metric, groups)
    context = {"references": groups[1][0], "source": groups[2][0]}
    expected = [
        MetricsDict.mean(
            under("python", metric.score, summary, variant["references"], variant["source"])
            for variant in jackknifer.variants(context)
        )
        for summary in groups[0][0]
    ]
    assert len(jackknifer.variants(context)) == left_out
    found = under("native", jackknifed(metric), *groups)
    assert [mean for _, mean in found] == expected


def test_no_jackknifer_means_no_mean() -> None:
    metric = load("bleu")
    metric.jackknifer = None
    assert [mean for _, mean in under("native", jackknifed(metric), [["a", "b"]], [["a", "b"]])] == [None, None]


def test_results_are_of_the_class_of_scores() -> None:
    for metric in PLAIN:
        ((scores, mean),) = under(
            "native", jackknifed(metric), [["a b"]], [["a b", "c"]], *[["a"]][: len(metric.fields) - 2]
        )
        assert type(scores) is MetricsDict
        assert type(mean) is MetricsDict


def test_a_kernel_returns_the_columns_that_are_requested() -> None:
    options = {"dictionary": MetricsDict, "suffix": "_mean", "cell": "", "case_sensitive": False, "no_punct": False}

    def asked(request: int) -> Any:
        groups = [["a b"], [], ["a c"]], [["a c", "a b"], ["x"], ["a c"]]
        return dispatch.native_module.ter(*groups, request=request, **options)

    scores = [{"ter": 0.0, "ter_num_edits": 0, "ter_ref_length": 2.0}] * 2
    statistics = [[0, 2.0]] * 2
    means = [{"ter": 25.0, "ter_num_edits": 0.5, "ter_ref_length": 2.0}, None]
    total = [0, 4.0]
    json_members = ['"ter": 0.0, "ter_num_edits": 0, "ter_ref_length": 2.0'] * 2
    of_mean = ', "ter_mean": 25.0, "ter_num_edits_mean": 0.5, "ter_ref_length_mean": 2.0'
    assert asked(1) == (scores,)
    assert asked(2) == (statistics,)
    assert asked(4) == (means,)
    assert asked(5) == (scores, means)
    assert asked(7) == (scores, statistics, means)
    assert asked(8) == (total,)
    assert asked(15) == (scores, statistics, means, total)
    assert asked(16) == (json_members,)
    assert asked(20) == ([json_members[0] + of_mean, json_members[1]],)
    assert asked(27) == (scores, statistics, total, json_members)


@pytest.mark.parametrize("metric", PLAIN, ids=signed)
def test_groups_of_one_are_scored_as_other_groups(metric: Any) -> None:
    summaries = ["a b c", ["a b", "c d"], ("É é",), "", Subclassed("a b"), [], "漢\u3000字\ud800"]
    contexts = [[["a b d", ["b", "c"]], *[["a"]] * 6], ["a b c"] * 7][: len(metric.fields) - 1]
    expected = metric.score_batch(SCORES_AND_JACKKNIFED, [[text] for text in summaries], *contexts, checked=True)
    found = metric.score_batch(SCORES_AND_JACKKNIFED, GroupsOfOne(summaries), *contexts, checked=True)
    assert repr(found) == repr(expected)
    assert (
        metric.score_batch(SCORES_AND_JACKKNIFED, GroupsOfOne(()), *[[] for _ in contexts], checked=True).scores == []
    )


def test_a_kernel_leaves_other_groups_of_one_to_python() -> None:
    class Failing:
        @property
        def only_members(self) -> list[str]:
            raise OSError("no members")

    options = {"request": 1, "dictionary": dict, "suffix": "", "cell": "", "case_sensitive": False, "no_punct": False}
    wrong: list[Any] = ["ab", 3, None, ["a"], ["a", 3], ["a", None], {"a": 1, "b": 2}.keys]
    for members in wrong:
        assert dispatch.native_module.ter(GroupsOfOne(members), [["a"], ["b"]], **options) is None
    with pytest.raises(OSError, match="no members"):
        dispatch.native_module.ter(Failing(), [["a"]], **options)


def test_options_are_read_by_name() -> None:
    ter = dispatch.native_module.ter
    options = {"request": 1, "dictionary": dict, "suffix": "", "cell": "", "case_sensitive": False, "no_punct": False}
    for name in options:
        others = {other: value for other, value in options.items() if other != name}
        with pytest.raises(TypeError, match=rf"ter\(\) missing required keyword argument '{name}'"):
            ter([["a"]], [["a"]], **others)
    with pytest.raises(TypeError, match=r"ter\(\) got an unexpected keyword argument 'punctuation'"):
        ter([["a"]], [["a"]], **options, punctuation=True)
    with pytest.raises(TypeError, match=r"ter\(\) takes 2 lists of texts, got 1"):
        ter([["a"]], **options)
    with pytest.raises(TypeError):
        ter([["a"]], [["a"]], **{**options, "request": "1"})
    chrf = {"char_order": -1, "word_order": 0, "squared_beta": 4, "lowercase": 0, "whitespace": 0, "eps_smoothing": 0}
    with pytest.raises(ValueError, match="must not be negative"):
        dispatch.native_module.chrf([["a"]], [["a"]], request=1, dictionary=dict, suffix="", cell="", **chrf)


@pytest.mark.parametrize("metric", sampled(PLAIN, 1), ids=signed)
def test_json_is_that_of_the_scores(metric: Any) -> None:
    groups = random_groups(5, 50, len(metric.fields))
    request = Request.SCORES | Request.JACKKNIFED | Request.JSON
    found = under("native", metric.score_batch, request, *groups).json
    if metric.name == "sari" and metric.variant == "set":  # its scores are computed in Python
        assert found is None
        return
    assert under("python", metric.score_batch, request, *groups).json is None
    for text, (scores, mean) in zip(found, under("python", jackknifed(metric), *groups), strict=True):
        means = {f"{name}_jk": value for name, value in (mean or {}).items()}
        assert f"{{{text}}}" == json.dumps({**scores, **means})


@pytest.mark.slow
def test_rouge_replaces_all_exceptions_as_its_twin() -> None:
    """Each form is scored against its base form and against the base form of the next."""
    pairs = sorted((form, base) for form, base in exceptions().items() if (form + base).isalnum())
    references_list = [[base, following] for (_, base), (_, following) in itertools.pairwise(pairs)]
    summaries_list = [[form] for form, _ in pairs[:-1]]
    assert len(pairs) > 5000
    assert not differences(Rouge(1), [summaries_list, references_list])
    assert not differences(
        Rouge(1, remove_stopwords=True), [[sorted(stop_words())], [[" ".join(stop_words()), "a cat"]]]
    )


@pytest.mark.slow
def test_rouge_forgets_words_between_groups() -> None:
    """So many words of so many groups that the list of stems is emptied in between."""
    texts = [" ".join(f"{group}x{word}ing" for word in range(40_000)) for group in range(30)]
    groups = [[[text] for text in texts], [[text, texts[0]] for text in texts]]
    found = under("native", jackknifed(Rouge(1)), *groups)
    alone = [under("native", jackknifed(Rouge(1)), [[text]], [[text, texts[0]]])[0] for text in texts]
    assert found == alone


@pytest.mark.slow
def test_google_rouge_stems_more_words_than_it_remembers_as_its_twin() -> None:
    """The table of stems grows between groups and is kept between calls, and words replace each other in it."""
    letters = ("bcdst", "aeiou", "lmnrt", "eiy", "bdgkptz", "aeo")
    stems, suffixes = map("".join, itertools.product(*letters)), ["ing", "ations", "ies", "ed"]
    words = [stem + suffix for stem in stems for suffix in suffixes]
    texts = [" ".join(words[start : start + 50]) for start in range(0, len(words), 50)]
    texts += texts[:40]
    assert not differences(
        GoogleRouge(["rouge1"], use_stemmer=True), [[[text] for text in texts], [[texts[0]]] * len(texts)]
    )
