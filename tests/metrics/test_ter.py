"""TER: the published numbers, sacreBLEU itself to the last bit, and what the options do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import TER

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.common.options import options_of
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import SACREBLEU_VERSION
from metrics_framework.integrations import hugging_face
from metrics_framework.kernels import dispatch
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.metrics.ter import Ter

pytestmark = pytest.mark.usefixtures("kernels")

SharedPath = Callable[[str], Path]

NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
COMBINATIONS = [dict(zip(NAMES, values, strict=True)) for values in itertools.product([False, True], repeat=4)]
SYSTEMS = ["SBMT-SARI", "PBMT-R", "Dress-Ls", "Hybrid"]
REFERENCE_FILES = {"detok": "test.truecase.detok.simp", "tokenized": "test.8turkers.tok.turk"}


def result(score: float, edits: int, length: float) -> dict[str, Any]:
    return {"ter": score, "ter_num_edits": edits, "ter_ref_length": length}


# ---- published numbers ----------------------------------------------------------------------------------------------

CARD_SUMMARIES = [
    "does this sentence match??",
    "what about this sentence?",
    "What did the TER metric user say to the developer?",
]
CARD_REFERENCES = [
    ["does this sentence match", "does this sentence match!?!"],
    ["wHaT aBoUt ThIs SeNtEnCe?", "wHaT aBoUt ThIs SeNtEnCe?"],
    ["Your jokes are...", "...TERrible"],
]
CARD = [
    (3, {"case_sensitive": True}, (150.0, 15, 10.0)),
    (2, {"case_sensitive": True}, (62.5, 5, 8.0)),
    (2, {"normalized": True, "case_sensitive": True}, (57.14285714285714, 6, 10.5)),
    (2, {"ignore_punct": True, "case_sensitive": False}, (0.0, 0, 8.0)),
    (3, {"ignore_punct": True, "case_sensitive": False}, (100.0, 10, 10.0)),
]


@pytest.mark.parametrize(("count", "options", "expected"), CARD)
def test_examples_of_the_metric_card(count: int, options: dict[str, Any], expected: tuple[float, int, float]) -> None:
    macro, micro = load("ter", **options).evaluate(CARD_SUMMARIES[:count], CARD_REFERENCES[:count])
    assert macro == result(*expected)
    assert len(micro) == count
    computed = hugging_face.load("ter", **options).compute(
        predictions=CARD_SUMMARIES[:count], references=CARD_REFERENCES[:count]
    )
    assert list(computed.items()) == list(zip(("score", "num_edits", "ref_length"), expected, strict=True))


@pytest.mark.parametrize(
    ("summary", "references", "expected", "why"),
    [
        ("A cat.", ["a  cat."], result(0.0, 0, 2.0), "equal but for case and white space"),
        ("", ["a"], result(100.0, 1, 1.0), "one insertion"),
        ("a", [""], result(100.0, 1, 0.0), "edits without a length"),
        ("", [""], result(0.0, 0, 0.0), "nothing to edit"),
        ("a b c", ["", "a"], result(400.0, 2, 0.5), "an empty reference counts with length 0"),
        ("d e f g h a b c", ["a b c d e f g h"], result(12.5, 1, 8.0), "one move over eight words"),
        ("a", ["a b", "a b c", "a b"], result(100 * (1 / (7 / 3)), 1, 7 / 3), "the mean of three lengths"),
        (["A cat.", "It sat."], [["A cat.", "It", "sat."]], result(0.0, 0, 4.0), "lists of sentences"),
    ],
)
def test_scores_by_hand(summary: Any, references: Any, expected: dict[str, Any], why: str) -> None:
    assert Ter().score(summary, references) == expected, why


def test_the_number_of_edits_is_a_whole_number_and_the_length_is_not() -> None:
    scores = Ter().evaluate(["a", "b"], [["a"], ["c"]])[0]
    assert [type(value) for value in scores.values()] == [float, int, float]


# ---- sacreBLEU on TurkCorpus ----------------------------------------------------------------------------------------


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def turkcorpus(shared_path: SharedPath, form: str, system: str) -> tuple[list[str], list[list[str]]]:
    folder = shared_path(f"data/turkcorpus/{form}")
    columns = [lines(folder / f"{REFERENCE_FILES[form]}.{index}") for index in range(8)]
    outputs = lines(shared_path(f"data/turkcorpus/outputs/{form}/{system}.txt"))
    return outputs, [list(row) for row in zip(*columns, strict=True)]


def sacrebleu_scores(
    options: dict[str, bool], summaries: Sequence[str], references_list: Sequence[Sequence[str]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the score of the corpus and of each sentence, for the price of one of them."""
    metric = TER(**options)
    statistics = metric._extract_corpus_statistics(summaries, list(zip(*references_list, strict=True)))
    scores = [metric._aggregate_and_compute(part) for part in (statistics, *([one] for one in statistics))]
    corpus, *sentences = (result(score.score, score.num_edits, score.ref_length) for score in scores)
    return corpus, sentences


def expected_scores(
    kernels: str, options: dict[str, bool], summaries: Sequence[str], references_list: Sequence[Sequence[str]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns sacreBLEU's scores; to the native kernel its twin's, as they are compared with those already."""
    if kernels == "python":
        return sacrebleu_scores(options, summaries, references_list)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(dispatch.VARIABLE, "python")
        macro, micro = Ter(**options).evaluate(summaries, references_list)
    return macro, list(micro)


def test_score_of_a_corpus(shared_path: SharedPath) -> None:
    macro = Ter().evaluate(*turkcorpus(shared_path, "tokenized", "SBMT-SARI"))[0]
    assert macro == result(18.318646684247764, 1424, 7773.5)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["detok", "tokenized"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_of_systems_equal_those_of_sacrebleu(
    form: str, system: str, shared_path: SharedPath, kernels: str
) -> None:
    summaries, references_list = turkcorpus(shared_path, form, system)
    expected = expected_scores(kernels, {}, summaries, references_list)
    assert Ter().evaluate(summaries, references_list) == expected


@pytest.mark.slow
@pytest.mark.parametrize("options", COMBINATIONS, ids=str)
def test_scores_under_all_options_equal_those_of_sacrebleu(
    options: dict[str, bool], shared_path: SharedPath, kernels: str
) -> None:
    chosen = random.Random(0).sample(range(359), 40)
    for index, system in enumerate(SYSTEMS):
        summaries, references_list = turkcorpus(shared_path, ("detok", "tokenized")[index % 2], system)
        sample = [summaries[line] for line in chosen], [references_list[line] for line in chosen]
        assert Ter(**options).evaluate(*sample) == expected_scores(kernels, options, *sample)


# ---- references are tokenized twice under `normalized` --------------------------------------------------------------

TWICE = [  # text, options under which the second pass shows, words of the first pass, of the second
    ("It is the cat's.", {"normalized": True}, ["it is the cat's .", "it is the cat 's ."]),
    ("She took James's, too.", {"normalized": True}, ["she took james's , too .", "she took james 's , too ."]),
    ("it costs $..5 now", {"normalized": True}, ["it costs $ . .5 now", "it costs $ . . 5 now"]),
    ("cat's、b", {"normalized": True, "asian_support": True}, ["cat's 、 b", "cat 's 、 b"]),
    ("cat's.", {"normalized": True, "no_punct": True}, ["cat's", "cat 's"]),
]


@pytest.mark.parametrize(("text", "options", "passes"), TWICE, ids=[text for text, _, _ in TWICE])
def test_a_second_pass_splits_what_the_first_set_free(text: str, options: dict[str, bool], passes: list[str]) -> None:
    tokenize = TER(**options)._preprocess_segment
    assert [tokenize(text), tokenize(tokenize(text))] == passes
    assert Ter(**options).score(passes[0], [text]) == result(*sacrebleu_numbers(options, passes[0], [text]))
    assert Ter(**options).score(text, [text])["ter_num_edits"] > 0, "the summary is tokenized once only"
    assert Ter(**options).score(text, [text])["ter_ref_length"] == len(passes[1].split())


@pytest.mark.parametrize("options", COMBINATIONS, ids=str)
def test_texts_that_a_second_pass_changes_score_as_sacrebleu_has_it(options: dict[str, bool]) -> None:
    texts = [text for text, _, _ in TWICE]
    summaries = [summary for summary in texts for _ in texts]
    references_list = [[text, texts[0]] for _ in texts for text in texts]
    assert Ter(**options).evaluate(summaries, references_list) == sacrebleu_scores(options, summaries, references_list)
    for summary, references in zip(summaries, references_list, strict=True):
        expected = result(*sacrebleu_numbers(options, summary, references))
        assert Ter(**options).score(summary, references) == expected, (summary, references)


def sacrebleu_numbers(options: dict[str, bool], summary: str, references: list[str]) -> tuple[float, int, float]:
    score = TER(**options).sentence_score(summary, references)
    return score.score, score.num_edits, score.ref_length


def test_a_reference_of_several_sentences_is_tokenized_twice_too() -> None:
    sentences = ["It is the cat's.", "She took James's, too."]
    joined = " ".join(sentences)
    found = Ter(normalized=True).score(sentences, [sentences])
    assert found == Ter(normalized=True).score(joined, [joined])
    assert found == result(*sacrebleu_numbers({"normalized": True}, joined, [joined]))


CHANGED_LINES = [  # index of the reference, line, counted from 0: what a second pass changes in TurkCorpus
    *((0, 251), (1, 1), (1, 251), (4, 204), (4, 251), (5, 130), (6, 251), (7, 204), (7, 211), (7, 251)),
]


def test_ten_references_of_turkcorpus_change_in_the_second_pass(shared_path: SharedPath) -> None:
    _, references_list = turkcorpus(shared_path, "detok", "PBMT-R")
    tokenize = TER(normalized=True)._preprocess_segment
    changed = [
        (index, line)
        for line, references in enumerate(references_list)
        for index, reference in enumerate(references)
        if tokenize(tokenize(reference)) != tokenize(reference)
    ]
    assert sorted(changed) == CHANGED_LINES


@pytest.mark.parametrize("system", SYSTEMS)
def test_lines_that_a_second_pass_changes_score_as_sacrebleu_has_it(system: str, shared_path: SharedPath) -> None:
    summaries, references_list = turkcorpus(shared_path, "detok", system)
    chosen = [summaries[line] for _, line in CHANGED_LINES]
    single = [[references_list[line][index]] for index, line in CHANGED_LINES]
    every = [references_list[line] for _, line in CHANGED_LINES]
    for chosen_references in (single, every):
        sample = chosen, chosen_references
        assert Ter(normalized=True).evaluate(*sample) == sacrebleu_scores({"normalized": True}, *sample)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_normalized_scores_of_systems_equal_those_of_sacrebleu(
    system: str, shared_path: SharedPath, kernels: str
) -> None:
    corpus = turkcorpus(shared_path, "detok", system)
    assert Ter(normalized=True).evaluate(*corpus) == expected_scores(kernels, {"normalized": True}, *corpus)


# ---- sacreBLEU on any text ------------------------------------------------------------------------------------------

PIECES = [
    *("the", "The", "cat", "cat's", "cat's ", "a", "b", "A.", "b,", "3.5", "2-3", "(x)", "?!", "&amp;", "&quot;"),
    *("漢字", "かな、", "。", "・", "ΣΑΣ", "σας", "İ", "i̇", "\ud800", "\n-", "\n"),
    *("\x1c", "\x1f", "\x85", "\xa0", "\ufeff", "\u2028", "\u3000"),
]
GLUED = [*"sS's.,-019 漢、…", "'s", "'S", "..", "s's", "a"]
SEGMENTS = (
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
    | st.lists(st.sampled_from([*PIECES, *GLUED]), max_size=14).map("".join)
    | st.lists(st.sampled_from(GLUED), max_size=10).map("".join)
    | st.text(st.sampled_from("aAbB .,-'\x1d\u2029漢、"), max_size=25)
)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(SEGMENTS, st.lists(SEGMENTS, min_size=3, max_size=3)), min_size=1, max_size=4),
    st.sampled_from(COMBINATIONS),
)
def test_scores_equal_those_of_sacrebleu_on_any_text(
    outputs: list[tuple[str, list[str]]], options: dict[str, bool]
) -> None:
    summaries, references_list = map(list, zip(*outputs, strict=True))
    assert Ter(**options).evaluate(summaries, references_list) == sacrebleu_scores(options, summaries, references_list)


def test_scores_with_different_numbers_of_references_equal_those_of_sacrebleu() -> None:
    summaries, references_list = ["b a", "a c"], [["a b"], ["a b c", "a"]]
    theirs = TER().corpus_score(summaries, [["a b", "a b c"], [None, "a"]])
    assert Ter().evaluate(summaries, references_list)[0] == result(theirs.score, theirs.num_edits, theirs.ref_length)


# ---- statistics -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.lists(SEGMENTS, max_size=3), min_size=1, max_size=3), st.lists(SEGMENTS, min_size=1, max_size=3))
def test_groups_score_as_their_outputs_do(summaries_list: list[list[str]], references: list[str]) -> None:
    references_list = [references[: index + 1] for index in range(len(summaries_list))]
    grouped = Ter().score_multi_all(summaries_list, references_list)
    assert grouped == [
        [Ter().score(summary, own) for summary in summaries]
        for summaries, own in zip(summaries_list, references_list, strict=True)
    ]


def test_the_score_of_a_corpus_is_that_of_the_sums_and_not_the_mean() -> None:
    macro, micro = Ter().evaluate(["a", "a b c d"], [["b"], ["a b c d"]])
    assert macro == result(20.0, 1, 5.0)
    assert MetricsDict.mean(micro)["ter"] == 50.0
    assert Ter().statistics_multi_all([["a"], ["a b c d"]], [["b"], ["a b c d"]]) == [[[1, 1.0]], [[0, 4.0]]]


# ---- options, signatures, errors ------------------------------------------------------------------------------------


def test_options_are_flags_with_aliases() -> None:
    found = {option.name: (option.kind, option.default, option.aliases) for option in options_of(Ter, Metric)}
    assert found == {
        "normalized": ("bool", False, ()),
        "no_punct": ("bool", False, ("ignore_punct",)),
        "asian_support": ("bool", False, ("support_zh_ja_chars",)),
        "case_sensitive": ("bool", False, ()),
    }
    assert all(option.help for option in options_of(Ter, Metric))
    aliased: Any = Ter
    assert aliased(ignore_punct=True, support_zh_ja_chars=True).signature() == Ter(False, True, True).signature()
    with pytest.raises(UsageError, match="no_punct"):
        load("ter", no_punct=True, ignore_punct=True)


def test_signature_says_what_is_computed() -> None:
    assert Ter().signature().startswith("ter|case:lc|norm:no|punct:yes|asian:no|fw:")
    assert Ter(True, True, True, True).signature().startswith("ter|case:mixed|norm:yes|punct:no|asian:yes|fw:")


@pytest.mark.parametrize("options", COMBINATIONS, ids=str)
@pytest.mark.parametrize(
    ("references", "refs"), [([["a"]], "1"), ([["a"]] * 8, "8"), ([["a", "b"], [None, "c"]], "1-2")]
)
def test_signature_of_sacrebleu(options: dict[str, bool], references: list[list[str]], refs: str) -> None:
    metric = TER(**options)
    metric.corpus_score(["a"] * len(references[0]), references)
    theirs = str(metric.get_signature()).replace(f"version:{sacrebleu_version}", f"version:{SACREBLEU_VERSION}")
    assert Ter(**options).other_signatures(refs) == {"sacrebleu": theirs}


def test_what_the_class_declares() -> None:
    metric = Ter()
    assert metric.fields == ("summary", "references")
    assert (metric.name, metric.higher_is_better, metric.score_range) == ("ter", False, (0, None))
    assert metric.jackknifer is not None
    assert "snover-etal-2006-study" in metric.citation


@pytest.mark.parametrize(
    ("summaries", "references_list", "message"),
    [
        (["a", "b"], [["a"]], "same number of entries"),
        (["a"], ["a"], "non-empty list of texts"),
        (["a"], [[]], "non-empty list of texts"),
        ([], [], "no outputs to evaluate"),
    ],
)
def test_what_does_not_fit_is_refused(summaries: Any, references_list: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Ter().evaluate(summaries, references_list)


# ---- numbers of the documentation -----------------------------------------------------------------------------------

DOCUMENTED = {  # system: by default, case_sensitive, normalized, no_punct, mean of segments, best and worst reference
    "PBMT-R": (16.20, 16.73, 13.84, 13.84, 17.64, 37.84, 43.17),
    "SBMT-SARI": (21.14, 21.83, 18.53, 20.48, 20.84, 42.01, 46.60),
    "Dress-Ls": (26.98, 27.43, 24.60, 24.77, 24.04, 47.86, 51.91),
    "Hybrid": (44.27, 45.52, 37.16, 39.57, 43.10, 63.12, 65.82),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_numbers_of_the_documentation(system: str, shared_path: SharedPath) -> None:
    summaries, references_list = turkcorpus(shared_path, "detok", system)
    macro, micro = Ter().evaluate(summaries, references_list)
    found = [macro["ter"]]
    for option in ("case_sensitive", "normalized", "no_punct"):
        found.append(load("ter", **{option: True}).evaluate(summaries, references_list)[0]["ter"])
    single = [Ter().evaluate(summaries, [[row[index]] for row in references_list])[0]["ter"] for index in range(8)]
    found += [MetricsDict.mean(micro)["ter"], min(single), max(single)]
    assert tuple(round(number, 2) for number in found) == DOCUMENTED[system]
