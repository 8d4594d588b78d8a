"""BLEU, chrF and TER: sacreBLEU itself to the last bit, published numbers, and cases worked by hand."""

from __future__ import annotations

import itertools
import json
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from public_texts import FORMS, SYSTEMS, lines, simplicity_da, turkcorpus
from sacrebleu.metrics import BLEU, CHRF, TER
from samples import sampled
from sums_of_floats import rounded

from metrics_framework.common.errors import MissingExtraError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import SACREBLEU_VERSION
from metrics_framework.integrations import hugging_face
from metrics_framework.metrics.base.metric import load

SharedPath = Callable[[str], Path]

Options = dict[str, Any]
BOOLEANS = (False, True)
BLANKS = [chr(code) for code in range(0x3001) if chr(code).isspace()]


def combinations(**choices: Sequence[Any]) -> list[Options]:
    return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]


SMOOTHINGS: list[Options] = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.0},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.3},
]
ORDERS = [(6, 0), (6, 2), (6, 1), (1, 0), (3, 4), (0, 2), (9, 0)]  # of characters, of words
COMBINATIONS: dict[str, list[Options]] = {
    "bleu": [
        {**smoothing, **others}
        for smoothing in SMOOTHINGS
        for others in combinations(
            tokenizer=("13a", "intl", "char", "zh", "none"),
            effective_order=BOOLEANS,
            max_ngram_order=(1, 2, 4, 6),
            lowercase=BOOLEANS,
        )
    ],
    "chrf": [
        {"char_order": characters, "word_order": words, **others}
        for characters, words in ORDERS
        for others in combinations(beta=(2, 1, 3, 0), lowercase=BOOLEANS, whitespace=BOOLEANS, eps_smoothing=BOOLEANS)
    ],
    "ter": combinations(normalized=BOOLEANS, no_punct=BOOLEANS, asian_support=BOOLEANS, case_sensitive=BOOLEANS),
}
NAMES = list(COMBINATIONS)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Silences sacreBLEU, which warns of sentence scores without effective order."""
    logger = logging.getLogger("sacrebleu")
    logger.disabled = True
    yield
    logger.disabled = False


# ---- sacreBLEU -------------------------------------------------------------------------------------------------------


def theirs(name: str, options: Options) -> Any:
    if name == "bleu":
        renamed = {"tokenize" if option == "tokenizer" else option: value for option, value in options.items()}
        return BLEU(force=True, **renamed)
    return {"chrf": CHRF, "ter": TER}[name](**options)


def result(name: str, score: Any) -> Options:
    """Returns what our metric states for a score of sacreBLEU."""
    if name == "bleu":
        numbers = {number: getattr(score, number) for number in ("precisions", "bp", "sys_len", "ref_len")}
        return {"bleu": rounded(score.score), **{f"bleu_{number}": value for number, value in numbers.items()}}
    if name == "ter":
        return of_ter(score.score, score.num_edits, score.ref_length)
    return {"chrf": score.score}


def of_ter(score: float, edits: int, length: float) -> Options:
    return {"ter": score, "ter_num_edits": edits, "ter_ref_length": length}


def by_sacrebleu(
    name: str, options: Options, summaries: Sequence[str], references_list: Sequence[Sequence[str]]
) -> tuple[Options, list[Options]]:
    """Returns the score of the corpus and of each sentence, for the price of one of them."""
    metric = theirs(name, options)
    statistics = metric._extract_corpus_statistics(summaries, list(itertools.zip_longest(*references_list)))
    corpus, *sentences = (
        result(name, metric._aggregate_and_compute(part)) for part in (statistics, *([one] for one in statistics))
    )
    return corpus, sentences


def assert_equal(
    name: str, options: Options, summaries: Sequence[str], references_list: Sequence[Sequence[str]]
) -> None:
    macro, micro = by_sacrebleu(name, options, summaries, references_list)
    assert load(name, **options).evaluate(summaries, references_list) == (macro, micro), options
    if name == "bleu":
        expected = [{"sent-bleu": scores["bleu"]} for scores in micro]
        assert (
            load("sent-bleu", **{"effective_order": False, **options}).score_all(summaries, references_list) == expected
        )


RUNS: list[tuple[str, Options, str]] = [
    *(("bleu", {}, system) for system in SYSTEMS),
    *(("chrf", {"word_order": order}, system) for order in (0, 2) for system in SYSTEMS),
    *(("ter", {}, system) for system in SYSTEMS),
    *(("ter", {"normalized": True}, system) for system in SYSTEMS),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "system"), RUNS, ids=str)
def test_scores_of_systems_equal_those_of_sacrebleu(
    name: str, options: dict[str, Any], system: str, shared_path: SharedPath
) -> None:
    for form in FORMS if not options else ["detok"]:
        summaries, references_list, _ = turkcorpus(shared_path, form, system)
        chosen = slice(0, None, 4 if name == "ter" else 1)  # sacreBLEU's TER takes seconds
        assert_equal(name, options, summaries[chosen], references_list[chosen])


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_scores_under_all_options_equal_those_of_sacrebleu(name: str, step: Any, shared_path: SharedPath) -> None:
    for index, options in list(enumerate(COMBINATIONS[name]))[::step]:
        system = SYSTEMS[index % 4]
        summaries, references_list, _ = turkcorpus(shared_path, ("detok", "tokenized")[index % 2], system)
        chosen = slice(7 * index % 300, 7 * index % 300 + (20 if name == "ter" else 5))
        assert_equal(name, options, summaries[chosen], references_list[chosen])


# What breaks careless code: what 13a replaces, clitics, marks in a row, letters that lower case changes, blanks.
PIECES = [
    *("the", "The", "cat", "cat's", "cat's ", "a", "b", "A.", "b,", "3.5", "2-3", "(x)", "?!", "(", ")", "-"),
    *("&amp;", "&quot;", "<skipped>", "-\n", "\n-", "\n", "\u2010", "５．", "漢字", "かな、", "。", "・"),
    *("ΣΑΣ", "σας", "İ", "i̇", "\ud800", "\x1c", "\x1f", "\x85", "\xa0", "\ufeff", "\u200b", "\u2028", "\u3000"),
]
GLUED = [*"sS's.,-019 漢、…", "'s", "'S", "..", "s's", "a"]
SEGMENTS = (
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
    | st.lists(st.sampled_from([*PIECES, *GLUED]), max_size=14).map("".join)
    | st.lists(st.sampled_from(GLUED), max_size=10).map("".join)
    | st.text(st.sampled_from("aAbB .,-'\x1d\u2029漢、"), max_size=25)
)
OUTPUTS = st.lists(st.tuples(SEGMENTS, st.lists(SEGMENTS, min_size=1, max_size=4)), min_size=1, max_size=4)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=35)
@given(OUTPUTS, st.data())
def test_scores_equal_those_of_sacrebleu_on_any_text(
    name: str, outputs: list[tuple[str, list[str]]], data: Any
) -> None:
    summaries, references_list = map(list, zip(*outputs, strict=True))
    assert_equal(name, data.draw(st.sampled_from(COMBINATIONS[name])), summaries, references_list)


@settings(deadline=None)
@given(SEGMENTS, st.lists(SEGMENTS, min_size=1, max_size=3))
def test_sentence_scores_have_the_defaults_of_sacrebleu(summary: str, references: list[str]) -> None:
    expected = sacrebleu.sentence_bleu(summary, references).score
    assert load("sent-bleu").score(summary, references) == {"sent-bleu": rounded(expected)}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(("bleu", {"tokenizer": one, "effective_order": True}) for one in ("13a", "intl", "char", "zh", "none")),
        *(("chrf", {"word_order": 2, "whitespace": whitespace}) for whitespace in BOOLEANS),
    ],
    ids=str,
)
def test_every_white_space_is_that_of_sacrebleu(name: str, options: dict[str, Any]) -> None:
    assert len(BLANKS) == 29
    for blank in BLANKS:
        assert_equal(name, options, [f"{blank}a,{blank}b 3.{blank}"], [[f"a, b{blank}3.", f"{blank}"]])


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_sacrebleu(name: str) -> None:
    sentence = ["sent-bleu"] if name == "bleu" else []
    for options in COMBINATIONS[name][:: max(1, len(COMBINATIONS[name]) // 16)]:
        for references, refs in ([["a"]], "1"), ([["a"]] * 8, "8"), ([["a", "b"], [None, "c"]], "1-2"):
            metric = theirs(name, options)
            metric.corpus_score(["a"] * len(references[0]), references)
            signature = str(metric.get_signature())
            expected = signature.replace(f"version:{sacrebleu.__version__}", f"version:{SACREBLEU_VERSION}")
            for one in (name, *sentence):
                own = {"effective_order": False, **options} if one == "sent-bleu" else options
                assert load(one, **own).other_signatures(refs) == {"sacrebleu": expected}


def test_there_is_no_signature_of_sacrebleu_for_what_it_does_not_have() -> None:
    assert load("bleu", tokenizer="penn").other_signatures("1") == {}
    assert load("ibleu").other_signatures("8") == {}


def test_a_tokenizer_whose_package_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"metrics-framework\[ja\]"):
        load("bleu", tokenizer="ja-mecab")


# ---- by hand ---------------------------------------------------------------------------------------------------------

SHORT = math.exp(1 - 4 / 2)
EFFECTIVE, UNIGRAMS = {"effective_order": True}, {"max_ngram_order": 1}
ONE_LETTER, WORDS_ONLY = {"char_order": 1}, {"char_order": 0, "word_order": 1}
CASES: list[tuple[str, Any, list[Any], Options, float, str]] = [  # metric, summary, references, options, score, why
    ("bleu", "a b", ["a b c d"], EFFECTIVE, 100 * SHORT, "half as long as the reference: exp(1 - 4/2)"),
    ("bleu", "a b c x", ["a b c d"], {}, 100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4), "exp: 1/2 of 1 for order 4"),
    ("bleu", "a b x y", ["a b c d"], {}, 100 * (2 / 4 * 1 / 3 * 1 / 4 * 1 / 4) ** (1 / 4), "exp: 1/2 of 2, 1/4 of 1"),
    (
        *("bleu", "a b x y", ["a b c d"], {"smooth_method": "floor"}),
        *(100 * (2 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1) ** (1 / 4), "floor: 0.1 of 2, 0.1 of 1"),
    ),
    (
        *("bleu", "a b x y", ["a b c d"], {"smooth_method": "add-k"}),
        *(100 * (2 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** (1 / 4), "add-k: one more match and n-gram, but of order 1"),
    ),
    ("bleu", "a a a a", ["a a", "a a a"], UNIGRAMS, 75.0, "a stands three times in one reference"),
    ("bleu", ["a b", "c d"], [["a b c", "d"]], {}, 100.0, "lists of sentences"),
    ("chrf", "abc", ["abd"], {}, 100 * (2 / 3 + 1 / 2) / 3, "a and b, ab, nothing of order 3: P = R"),
    ("chrf", "ab", ["abcd"], ONE_LETTER, 100 * 5 * 1 * 0.5 / (4 * 1 + 0.5), "P = 1, R = 1/2, recall four times"),
    ("chrf", "aab", ["ab"], {"char_order": 1, "beta": 1}, 80.0, "the second a has no counterpart: P = 2/3, R = 1"),
    ("chrf", "ab", ["ab"], {"char_order": 6, "eps_smoothing": True}, 100 * 2 / 6, "orders without n-grams count as 0"),
    ("chrf", "(hi)", ["(hi!"], WORDS_ONLY, 50.0, "only the mark at the end is cut off: (hi is shared"),
    ("chrf", ["ab", "c"], [["abc"]], {}, 100.0, "lists of sentences"),
]


@pytest.mark.parametrize(("name", "summary", "references", "options", "expected", "why"), CASES)
def test_scores_by_hand(
    name: str, summary: Any, references: Any, options: dict[str, Any], expected: float, why: str, kernels: str
) -> None:
    assert load(name, **options).score(summary, references)[name] == pytest.approx(expected, abs=1e-9), why


TER_CASES: list[tuple[Any, list[Any], tuple[float, int, float], str]] = [
    ("A cat.", ["a  cat."], (0.0, 0, 2.0), "equal but for case and white space"),
    ("", ["a"], (100.0, 1, 1.0), "one insertion"),
    ("a", [""], (100.0, 1, 0.0), "edits without a length"),
    ("", [""], (0.0, 0, 0.0), "nothing to edit"),
    ("a b c", ["", "a"], (400.0, 2, 0.5), "an empty reference counts with length 0"),
    ("d e f g h a b c", ["a b c d e f g h"], (12.5, 1, 8.0), "one move over eight words"),
    ("a", ["a b", "a b c", "a b"], (100 * (1 / (7 / 3)), 1, 7 / 3), "the mean of three lengths"),
    (["A cat.", "It sat."], [["A cat.", "It", "sat."]], (0.0, 0, 4.0), "lists of sentences"),
]


@pytest.mark.parametrize(("summary", "references", "expected", "why"), TER_CASES)
def test_ter_by_hand(summary: str, references: list[str], expected: str, why: str, kernels: str) -> None:
    scores = load("ter").score(summary, references)
    assert scores == of_ter(*expected), why
    assert [type(value) for value in scores.values()] == [float, int, float]


def test_the_numbers_beside_bleu_by_hand(kernels: str) -> None:
    # 4 of 5 words, 3 of 4 pairs; 5 words, and references of 4 and 6: the shorter of two that are equally near.
    scores = load("bleu", max_ngram_order=2).score("a b c d x", ["a b c d", "a b c d e f"])
    assert scores["bleu_precisions"] == [80.0, 75.0]
    assert (scores["bleu_bp"], scores["bleu_sys_len"], scores["bleu_ref_len"]) == (1.0, 5, 4)
    assert [type(value) for value in scores.values()] == [float, list, float, int, int]


def test_of_references_that_score_alike_the_first_counts(kernels: str) -> None:
    assert load("chrf", char_order=1).statistics_multi_all([["a"]], [["bc", "d"]]) == [[[1, 2, 0]]]


# ---- published numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "system"), sampled(itertools.product(FORMS, SYSTEMS)))
def test_frozen_scores_of_corpora(form: str, system: str, shared_path: SharedPath) -> None:
    golden = json.loads(shared_path("golden/sari.json").read_text(encoding="utf-8"))["corpus"][f"{form}/{system}"]
    data = turkcorpus(shared_path, form, system)[:2]
    for lowercase, case in (False, "cased"), (True, "lowercase"):
        macro, _ = load("bleu", lowercase=lowercase).evaluate(*data)
        assert macro["bleu"] == pytest.approx(golden[f"bleu_13a_{case}"], abs=1e-12)


PUBLISHED = {"PBMT-R": 81.11, "Hybrid": 48.97, "SBMT-SARI": 73.08, "Dress-Ls": 80.12}  # EASSE (EMNLP 2019), table 2


def test_scores_published_with_easse(shared_path: SharedPath) -> None:
    for system, published in PUBLISHED.items():
        macro, _ = load("bleu").evaluate(*turkcorpus(shared_path, "tokenized", system)[:2])
        assert round(macro["bleu"], 2) == published


def test_ter_of_a_corpus(shared_path: SharedPath) -> None:
    macro, _ = load("ter").evaluate(*turkcorpus(shared_path, "tokenized", "SBMT-SARI")[:2])
    assert macro == of_ter(18.318646684247764, 1424, 7773.5)


@pytest.mark.slow
def test_sentence_scores_published_with_simplicity_da(shared_path: SharedPath) -> None:
    summaries, references_list, _, published = simplicity_da(shared_path, "bleu")
    metric = load("sent-bleu", smooth_method="floor", smooth_value=0.0, tokenizer="moses")
    assert metric.other_signatures("1") == {}
    scores = metric.score_all(summaries, references_list)
    assert [score["sent-bleu"] for score in scores] == pytest.approx(published, abs=1e-6)


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
CARD: list[tuple[int, Options, tuple[float, int, float]]] = [
    (3, {"case_sensitive": True}, (150.0, 15, 10.0)),
    (2, {"case_sensitive": True}, (62.5, 5, 8.0)),
    (2, {"normalized": True, "case_sensitive": True}, (57.14285714285714, 6, 10.5)),
    (2, {"ignore_punct": True, "case_sensitive": False}, (0.0, 0, 8.0)),
    (3, {"ignore_punct": True, "case_sensitive": False}, (100.0, 10, 10.0)),
]


@pytest.mark.parametrize(("count", "options", "expected"), CARD)
def test_examples_of_the_card_of_ter(count: int, options: dict[str, Any], expected: str) -> None:
    sample = CARD_SUMMARIES[:count], CARD_REFERENCES[:count]
    macro, micro = load("ter", **options).evaluate(*sample)
    assert macro == of_ter(*expected)
    assert len(micro) == count
    computed = hugging_face.load("ter", **options).compute(predictions=sample[0], references=sample[1])
    assert list(computed.items()) == list(zip(("score", "num_edits", "ref_length"), expected, strict=True))


ADAPTERS = [  # card, metric, options, names
    ("sacrebleu", "bleu", {"lowercase": True}, ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")),
    ("chrf", "chrf", {}, ("score", "char_order", "word_order", "beta")),
]


@pytest.mark.parametrize(("card", "name", "options", "names"), ADAPTERS)
def test_adapters_have_the_names_of_their_cards(
    card: str, name: str, options: dict[str, Any], names: list[str]
) -> None:
    summary, reference = "the cat sat on a mat", "the cat sat on the mat"
    computed = hugging_face.load(card).compute(predictions=[summary], references=[[reference]], **options)
    score = theirs(name, options).corpus_score([summary], [[reference]])
    expected = {one: getattr(score, one) for one in names}
    assert computed == {**expected, "score": result(name, score)[name]}
    assert load(name).score(summary, [reference])[name] == computed["score"]


# ---- TER tokenizes references twice under `normalized` ---------------------------------------------------------------

TWICE: list[tuple[str, Options, list[str]]] = [  # text, options under which it shows, words of both passes
    ("It is the cat's.", {"normalized": True}, ["it is the cat's .", "it is the cat 's ."]),
    ("She took James's, too.", {"normalized": True}, ["she took james's , too .", "she took james 's , too ."]),
    ("it costs $..5 now", {"normalized": True}, ["it costs $ . .5 now", "it costs $ . . 5 now"]),
    ("cat's、b", {"normalized": True, "asian_support": True}, ["cat's 、 b", "cat 's 、 b"]),
    ("cat's.", {"normalized": True, "no_punct": True}, ["cat's", "cat 's"]),
]


@pytest.mark.parametrize(("text", "options", "passes"), TWICE, ids=[text for text, _, _ in TWICE])
def test_a_second_pass_splits_what_the_first_set_free(
    text: str, options: dict[str, bool], passes: list[str], kernels: str
) -> None:
    tokenize, metric = TER(**options)._preprocess_segment, load("ter", **options)
    assert [tokenize(text), tokenize(tokenize(text))] == passes
    assert_equal("ter", options, [passes[0]], [[text]])
    assert metric.score(text, [text])["ter_num_edits"] > 0, "the summary is tokenized once only"
    assert metric.score(text, [text])["ter_ref_length"] == len(passes[1].split())


def test_texts_that_a_second_pass_changes_score_as_sacrebleu_has_it() -> None:
    texts = [text for text, _, _ in TWICE]
    summaries = [summary for summary in texts for _ in texts]
    references_list = [[text, texts[0]] for _ in texts for text in texts]
    for options in COMBINATIONS["ter"]:
        assert_equal("ter", options, summaries, references_list)


def test_a_reference_of_several_sentences_is_tokenized_twice_too() -> None:
    sentences = ["It is the cat's.", "She took James's, too."]
    joined = " ".join(sentences)
    found = load("ter", normalized=True).score(sentences, [sentences])
    assert found == by_sacrebleu("ter", {"normalized": True}, [joined], [[joined]])[0]


def test_one_option_under_two_names_is_refused() -> None:
    with pytest.raises(UsageError, match="no_punct"):
        load("ter", no_punct=True, ignore_punct=True)


# ---- numbers of the documentation ------------------------------------------------------------------------------------

DOCUMENTATION = Path(__file__).resolve().parent.parent.parent / "docs" / "explanation" / "bleu-and-chrf.md"
COLUMNS = ["bleu", "bleu:lowercase=true", "bleu:tokenizer=none", "sent-bleu", "sent-bleu:smooth_method=floor"]
COLUMNS += ["chrf", "chrf:word_order=2"]


def scores_of(specs: Sequence[str], summaries: Any, references_list: Any) -> list[float]:
    return [load(spec).evaluate(summaries, references_list)[0][spec.partition(":")[0]] for spec in specs]


def best_and_worst(name: str, summaries: Any, references_list: Any) -> list[float]:
    """Returns the least and the greatest score against one of the eight references."""
    singles = [load(name).evaluate(summaries, [[row[index]] for row in references_list])[0][name] for index in range(8)]
    return [min(singles), max(singles)]


def documented(first: str) -> list[float]:
    """Returns the numbers of the row of the page that starts with a cell."""
    rows = [line.strip("|").split("|") for line in lines(DOCUMENTATION) if line.startswith(f"| {first} |")]
    return [float(cell) for cell in rows[0][1:] if cell.strip()[:1].isdigit()]


DOCUMENTED = {  # system: by default, case_sensitive, normalized, no_punct, mean of segments, best and worst reference
    "PBMT-R": [16.20, 16.73, 13.84, 13.84, 17.64, 37.84, 43.17],
    "SBMT-SARI": [21.14, 21.83, 18.53, 20.48, 20.84, 42.01, 46.60],
    "Dress-Ls": [26.98, 27.43, 24.60, 24.77, 24.04, 47.86, 51.91],
    "Hybrid": [44.27, 45.52, 37.16, 39.57, 43.10, 63.12, 65.82],
}


@pytest.mark.parametrize("system", sampled(SYSTEMS, 1))
def test_numbers_of_the_documentation(system: str, shared_path: SharedPath) -> None:
    data = turkcorpus(shared_path, "detok", system)[:2]
    found = scores_of(COLUMNS, *data) + best_and_worst("bleu", *data)
    assert [round(number, 2) for number in found] == documented(system)
    found = scores_of(
        ["ter", *(f"ter:{option}=true" for option in ("case_sensitive", "normalized", "no_punct"))], *data
    )
    found += [MetricsDict.mean(load("ter").score_all(*data))["ter"], *best_and_worst("ter", *data)]
    assert [round(number, 2) for number in found] == DOCUMENTED[system]


@pytest.mark.parametrize("method", ["exp", "floor", "add-k", "none"])
def test_scores_of_the_smoothing_methods_in_the_documentation(method: str) -> None:
    score = load("sent-bleu", smooth_method=method).score("the cat lay on a mat", ["the cat sat on the mat"])
    rows = [line for line in lines(DOCUMENTATION) if line.startswith(f"| `{method}` |")]
    assert f"{score['sent-bleu']:.2f}" == rows[0].strip("| ").rpartition("|")[2].strip()
