"""BLEU: sacreBLEU itself, to the last bit where its `sum` is plain; published numbers, and what the options do."""

from __future__ import annotations

import csv
import itertools
import json
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_results import kept
from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import BLEU
from sums_of_floats import rounded

from metrics_framework.common.errors import InputError, MissingExtraError, UnknownNameError, UsageError
from metrics_framework.common.options import options_of
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import SACREBLEU_VERSION
from metrics_framework.integrations import hugging_face
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.metrics.bleu import Bleu, SentBleu

pytestmark = pytest.mark.usefixtures("kernels")

SharedPath = Callable[[str], Path]

SYSTEMS = ["SBMT-SARI", "PBMT-R", "Dress-Ls", "Hybrid"]
FILES = {"detok": "test.truecase.detok.simp", "tokenized": "test.8turkers.tok.turk"}
SMOOTHINGS: list[dict[str, Any]] = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.0},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.3},
]
TOKENIZERS = ["13a", "intl", "char", "zh", "none"]
COMBINATIONS: list[dict[str, Any]] = [
    {**smoothing, "effective_order": effective, "max_ngram_order": order, "tokenizer": tokenizer, "lowercase": lower}
    for smoothing, effective, order, tokenizer, lower in itertools.product(
        SMOOTHINGS, (False, True), (1, 2, 4, 6), TOKENIZERS, (False, True)
    )
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Silences sacreBLEU, which warns of sentence scores without effective order."""
    logger = logging.getLogger("sacrebleu")
    logger.disabled = True
    yield
    logger.disabled = False


def theirs(options: dict[str, Any]) -> Any:
    renamed = {"tokenize" if name == "tokenizer" else name: value for name, value in options.items()}
    return BLEU(force=True, **renamed)


def result(score: Any) -> dict[str, Any]:
    return {
        "bleu": rounded(score.score),
        "bleu_precisions": score.precisions,
        "bleu_bp": score.bp,
        "bleu_sys_len": score.sys_len,
        "bleu_ref_len": score.ref_len,
    }


def columns_of(references_list: Sequence[Sequence[str]]) -> list[list[Any]]:
    """Returns references by place, as sacreBLEU takes them, with `None` where an output has fewer."""
    return [list(column) for column in itertools.zip_longest(*references_list)]


def by_sacrebleu(
    options: dict[str, Any], summaries: Sequence[str], references_list: Sequence[Sequence[str]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the score of the corpus and of each sentence, for the price of one of them."""
    metric = theirs(options)
    statistics = metric._extract_corpus_statistics(summaries, columns_of(references_list))
    corpus, *sentences = (
        result(metric._aggregate_and_compute(part)) for part in (statistics, *([one] for one in statistics))
    )
    return corpus, sentences


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def turkcorpus(shared_path: SharedPath, form: str, system: str) -> tuple[list[str], list[list[str]]]:
    folder = shared_path(f"data/turkcorpus/{form}")
    columns = [lines(folder / f"{FILES[form]}.{index}") for index in range(8)]
    outputs = lines(shared_path(f"data/turkcorpus/outputs/{form}/{system}.txt"))
    return outputs, [list(row) for row in zip(*columns, strict=True)]


kept_by_sacrebleu = kept(by_sacrebleu)


# ---- by hand --------------------------------------------------------------------------------------------------------

SHORT = math.exp(1 - 4 / 2)
CASES = [  # summary, references, options, score, why
    ("a b c d", ["a b c d"], {}, 100.0, "equal texts"),
    ("a b", ["a b"], {}, 0.0, "without effective order a text of two words has no n-grams of order 3"),
    ("a b", ["a b"], {"effective_order": True}, 100.0, "with it, two orders count"),
    ("a b", ["a b c d"], {"effective_order": True}, 100 * SHORT, "half as long as the reference: exp(1 - 4/2)"),
    ("a b c x", ["a b c d"], {}, 100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4), "exp: 1/2 of 1 for order 4"),
    ("a b x y", ["a b c d"], {}, 100 * (2 / 4 * 1 / 3 * 1 / 4 * 1 / 4) ** (1 / 4), "exp: 1/2 of 2, then 1/4 of 1"),
    ("a b x y", ["a b c d"], {"smooth_method": "none"}, 0.0, "no smoothing, no match of order 3"),
    (
        *("a b x y", ["a b c d"], {"smooth_method": "floor"}),
        *(100 * (2 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1) ** (1 / 4), "floor: 0.1 of 2, 0.1 of 1"),
    ),
    (
        *("a b x y", ["a b c d"], {"smooth_method": "add-k"}),
        *(100 * (2 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** (1 / 4), "add-k: one more match and n-gram, but of order 1"),
    ),
    ("x", ["a"], {"smooth_method": "add-k"}, 0.0, "nothing matches at all: no smoothing helps"),
    ("", ["a"], {}, 0.0, "an empty summary"),
    ("a", [""], {}, 0.0, "an empty reference"),
    ("", [""], {}, 0.0, "both"),
    ("A b C d", ["a B c D"], {"lowercase": True}, 100.0, "case does not count"),
    ("a b c d", ["a b x x", "y y c d"], {"max_ngram_order": 1}, 100.0, "the references together have all words"),
    ("a a a a", ["a a", "a a a"], {"max_ngram_order": 1}, 75.0, "a stands three times in one reference"),
    (["a b", "c d"], [["a b c", "d"]], {}, 100.0, "lists of sentences"),
]


@pytest.mark.parametrize(("summary", "references", "options", "expected", "why"), CASES)
def test_scores_by_hand(summary: Any, references: Any, options: dict[str, Any], expected: float, why: str) -> None:
    scores = load("bleu", **options).score(summary, references)
    assert scores["bleu"] == pytest.approx(expected, abs=1e-9), why


def test_the_numbers_beside_the_score_by_hand() -> None:
    # 4 of 5 words, 3 of 4 pairs; 5 words, and references of 4 and 6: the shorter of two that are equally near.
    scores = Bleu(max_ngram_order=2).score("a b c d x", ["a b c d", "a b c d e f"])
    assert scores["bleu_precisions"] == [80.0, 75.0]
    assert (scores["bleu_bp"], scores["bleu_sys_len"], scores["bleu_ref_len"]) == (1.0, 5, 4)
    assert [type(value) for value in scores.values()] == [float, list, float, int, int]


def test_the_score_of_a_corpus_is_that_of_the_sums_and_not_the_mean() -> None:
    summaries, references_list = ["a", "a b c"], [["b"], ["a b c"]]
    macro, micro = Bleu(max_ngram_order=1).evaluate(summaries, references_list)
    assert macro["bleu"] == pytest.approx(75.0)  # 3 of 4 words
    assert [scores["bleu"] for scores in micro] == pytest.approx([0.0, 100.0])
    assert Bleu(max_ngram_order=1).statistics_multi_all([["a"], ["a b c"]], references_list) == [
        [[1, 1, 0, 1]],
        [[3, 3, 3, 3]],
    ]
    mean, each = SentBleu(max_ngram_order=1).evaluate(summaries, references_list)
    assert mean == {"sent-bleu": pytest.approx(50.0)}
    assert each == [{"sent-bleu": scores["bleu"]} for scores in micro]


# ---- published numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_frozen_scores_of_corpora(form: str, system: str, shared_path: SharedPath) -> None:
    golden = json.loads(shared_path("golden/sari.json").read_text(encoding="utf-8"))["corpus"][f"{form}/{system}"]
    data = turkcorpus(shared_path, form, system)
    assert Bleu().evaluate(*data)[0]["bleu"] == pytest.approx(golden["bleu_13a_cased"], abs=1e-12)
    assert Bleu(lowercase=True).evaluate(*data)[0]["bleu"] == pytest.approx(golden["bleu_13a_lowercase"], abs=1e-12)


PUBLISHED = {"PBMT-R": 81.11, "Hybrid": 48.97, "SBMT-SARI": 73.08, "Dress-Ls": 80.12}  # EASSE (EMNLP 2019), table 2


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_published_with_easse(system: str, shared_path: SharedPath) -> None:
    macro = Bleu().evaluate(*turkcorpus(shared_path, "tokenized", system))[0]
    assert round(macro["bleu"], 2) == PUBLISHED[system]


def test_sentence_scores_published_with_simplicity_da(shared_path: SharedPath) -> None:
    pytest.importorskip("sacremoses")
    folder = shared_path("data/simplicity_da")
    with (folder / "published_metrics_asset.csv").open(encoding="utf-8", newline="") as file:
        published = {(row["sent_id"], row["sys_name"]): float(row["bleu"]) for row in csv.DictReader(file)}
    with (folder / "simplicity_DA.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    asset = shared_path("data/asset")
    references = list(zip(*(lines(asset / f"asset.test.simp.{index}") for index in range(10)), strict=True))
    metric = SentBleu(smooth_method="floor", smooth_value=0.0, tokenizer="moses")
    scores = metric.score_all([row["simp_sent"] for row in rows], [references[int(row["sent_id"]) - 1] for row in rows])
    assert len(scores) == 600
    for row, score in zip(rows, scores, strict=True):
        assert score["sent-bleu"] == pytest.approx(published[row["sent_id"], row["sys_name"]], abs=1e-6)


# ---- sacreBLEU on TurkCorpus ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_of_systems_equal_those_of_sacrebleu(form: str, system: str, shared_path: SharedPath) -> None:
    summaries, references_list = turkcorpus(shared_path, form, system)
    assert Bleu().evaluate(summaries, references_list) == kept_by_sacrebleu({}, summaries, references_list)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_scores_under_all_options_equal_those_of_sacrebleu(tokenizer: str, shared_path: SharedPath) -> None:
    for index, options in enumerate(options for options in COMBINATIONS if options["tokenizer"] == tokenizer):
        summaries, references_list = turkcorpus(shared_path, ("detok", "tokenized")[index % 2], SYSTEMS[index % 4])
        chosen = slice(7 * index % 300, 7 * index % 300 + 12)
        sample = summaries[chosen], references_list[chosen]
        corpus, sentences = kept_by_sacrebleu(options, *sample)
        assert Bleu(**options).evaluate(*sample) == (corpus, sentences)
        expected = [{"sent-bleu": scores["bleu"]} for scores in sentences]
        assert SentBleu(**options).score_all(*sample) == expected


# ---- sacreBLEU on any text ------------------------------------------------------------------------------------------

PIECES = [
    *("the", "The", "cat", "cat's", "a", "b", "A.", "b,", "3.5", "2-3", "(x)", "?!", "&amp;", "&quot;", "<skipped>"),
    *("漢字", "かな、", "。", "ΣΑΣ", "σας", "İ", "i̇", "\ud800", "-\n", "\n", "\u2010", "５．"),
    *("\x1c", "\x1f", "\x85", "\xa0", "\ufeff", "\u200b", "\u2028", "\u3000"),
]
SEGMENTS = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.text(
    st.sampled_from("aAbB .,-'\x1d\u2029漢、"), max_size=25
)
OUTPUTS = st.lists(st.tuples(SEGMENTS, st.lists(SEGMENTS, min_size=1, max_size=4)), min_size=1, max_size=4)


@settings(deadline=None, max_examples=300)
@given(OUTPUTS, st.sampled_from(COMBINATIONS))
def test_scores_equal_those_of_sacrebleu_on_any_text(
    outputs: list[tuple[str, list[str]]], options: dict[str, Any]
) -> None:
    summaries, references_list = map(list, zip(*outputs, strict=True))
    assert Bleu(**options).evaluate(summaries, references_list) == by_sacrebleu(options, summaries, references_list)


@settings(deadline=None)
@given(SEGMENTS, st.lists(SEGMENTS, min_size=1, max_size=3))
def test_sentence_scores_have_the_defaults_of_sacrebleu(summary: str, references: list[str]) -> None:
    import sacrebleu

    expected = sacrebleu.sentence_bleu(summary, references).score
    assert SentBleu().score(summary, references) == {"sent-bleu": rounded(expected)}


BLANKS = [chr(code) for code in range(0x3001) if chr(code).isspace()]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_white_space_is_that_of_sacrebleu(tokenizer: str) -> None:
    options = {"tokenizer": tokenizer, "effective_order": True}
    assert len(BLANKS) == 29
    for blank in BLANKS:
        summaries, references_list = [f"{blank}a,{blank}b 3.{blank}"], [[f"a, b{blank}3.", f"{blank}"]]
        assert Bleu(**options).evaluate(summaries, references_list) == by_sacrebleu(options, summaries, references_list)


# ---- statistics -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.lists(SEGMENTS, max_size=3), min_size=1, max_size=3), st.lists(SEGMENTS, min_size=1, max_size=3))
def test_groups_score_as_their_outputs_do(summaries_list: list[list[str]], references: list[str]) -> None:
    references_list = [references[: index + 1] for index in range(len(summaries_list))]
    grouped = Bleu().score_multi_all(summaries_list, references_list)
    assert grouped == [
        [Bleu().score(summary, own) for summary in summaries]
        for summaries, own in zip(summaries_list, references_list, strict=True)
    ]


@settings(deadline=None)
@given(OUTPUTS, OUTPUTS)
def test_statistics_add_up(one: list[tuple[str, list[str]]], other: list[tuple[str, list[str]]]) -> None:
    metric = Bleu()

    def summed(outputs: list[tuple[str, list[str]]]) -> list[float]:
        groups = metric.statistics_multi_all([[summary] for summary, _ in outputs], [own for _, own in outputs])
        return [sum(numbers) for numbers in zip(*(vector for (vector,) in groups), strict=True)]

    both = [a + b for a, b in zip(summed(one), summed(other), strict=True)]
    assert both == summed(one + other)
    summaries, references_list = map(list, zip(*one, *other, strict=True))
    assert metric.score_statistics(both) == metric.evaluate(summaries, references_list)[0]


# ---- options, signatures, errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", COMBINATIONS[:: len(COMBINATIONS) // 60], ids=str)
@pytest.mark.parametrize(
    ("references", "refs"), [([["a"]], "1"), ([["a"]] * 8, "8"), ([["a", "b"], [None, "c"]], "1-2")]
)
def test_signature_of_sacrebleu(options: dict[str, Any], references: list[list[str]], refs: str) -> None:
    metric = theirs(options)
    metric.corpus_score(["a"] * len(references[0]), references)
    expected = str(metric.get_signature()).replace(f"version:{sacrebleu_version}", f"version:{SACREBLEU_VERSION}")
    assert Bleu(**options).other_signatures(refs) == {"sacrebleu": expected}
    assert SentBleu(**options).other_signatures(refs) == {"sacrebleu": expected}


def test_signature_says_what_is_computed() -> None:
    assert Bleu().signature().startswith("bleu|case:mixed|eff:no|tok:13a|smooth:exp|order:4|fw:")
    assert SentBleu().signature().startswith("sent-bleu|case:mixed|eff:yes|tok:13a|smooth:exp|order:4|fw:")
    metric = Bleu("floor", 0.001, 2, True, "intl", True)
    assert metric.signature().startswith("bleu|case:lc|eff:yes|tok:intl|smooth:floor[0.001]|order:2|fw:")


@pytest.mark.parametrize("tokenizer", ["moses", "penn"])
def test_there_is_no_signature_of_sacrebleu_for_a_tokenizer_that_it_does_not_have(tokenizer: str) -> None:
    if tokenizer == "moses":
        pytest.importorskip("sacremoses")
    assert load("bleu", tokenizer=tokenizer).other_signatures("1") == {}


def test_options_are_flags_with_aliases() -> None:
    found = {option.name: (option.kind, option.default, option.aliases) for option in options_of(Bleu, Metric)}
    assert found == {
        "smooth_method": ("choice", "exp", ()),
        "smooth_value": ("float", None, ()),
        "max_ngram_order": ("int", 4, ()),
        "effective_order": ("bool", False, ("use_effective_order",)),
        "tokenizer": ("choice", "13a", ("tokenize",)),
        "lowercase": ("bool", False, ()),
    }
    sentence = {option.name: option.default for option in options_of(SentBleu, Metric)}
    assert sentence == {**{name: default for name, (_, default, _) in found.items()}, "effective_order": True}
    assert all(option.help for option in [*options_of(Bleu, Metric), *options_of(SentBleu, Metric)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smooth_method": "exp", "smooth_value": 0.1}, "'smooth_value' requires the smoothing method floor or add-k"),
        ({"smooth_method": "none", "smooth_value": 0.1}, "floor or add-k, got 'none'"),
        ({"smooth_method": "floor", "smooth_value": -0.1}, "must be a non-negative number"),
        ({"smooth_method": "floor", "smooth_value": math.inf}, "must be a non-negative number"),
        ({"smooth_method": "floor", "smooth_value": math.nan}, "must be a non-negative number"),
        ({"smooth_method": "method1"}, "one of none, floor, add-k, exp"),
        ({"max_ngram_order": 0}, "from 1"),
        ({"max_ngram_order": 1001}, "from 1 to 1000, got 1001"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    for metric in (Bleu, SentBleu):
        with pytest.raises(UsageError, match=message):
            metric(**options)


def test_an_unknown_tokenizer_is_refused() -> None:
    for name, meant in (("14a", "13a"), ("ja-mecap", "ja-mecab"), ("moss", "moses")):
        tokenizer: Any = name
        with pytest.raises(UnknownNameError, match=f"did you mean '{meant}'"):
            Bleu(tokenizer=tokenizer)


def test_a_tokenizer_whose_package_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"metrics-framework\[ja\]"):
        Bleu(tokenizer="ja-mecab")


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
        Bleu().evaluate(summaries, references_list)


def test_what_the_classes_declare() -> None:
    for metric in (Bleu(), SentBleu()):
        assert metric.fields == ("summary", "references")
        assert (metric.higher_is_better, metric.score_range) == (True, (0, 100))
        assert metric.jackknifer is not None
        assert "papineni-etal-2002-bleu" in metric.citation
        assert "post-2018-call" in metric.citation
    assert (Bleu().name, SentBleu().name) == ("bleu", "sent-bleu")


SACREBLEU_KEYS = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")


def test_the_adapter_has_the_names_of_the_card() -> None:
    summaries, references_list = ["the cat sat on a mat"], [["the cat sat on the mat"]]
    computed = hugging_face.load("sacrebleu").compute(predictions=summaries, references=references_list, lowercase=True)
    score = theirs({"lowercase": True}).corpus_score(summaries, [["the cat sat on the mat"]])
    expected = {name: getattr(score, name) for name in SACREBLEU_KEYS}
    assert computed == {**expected, "score": rounded(score.score)}
    assert MetricsDict(Bleu().score(summaries[0], references_list[0]))["bleu"] == rounded(score.score)


# ---- numbers of the documentation -----------------------------------------------------------------------------------

DOCUMENTATION = Path(__file__).resolve().parent.parent.parent / "docs" / "explanation" / "bleu-and-chrf.md"
COLUMNS = ["bleu", "bleu:lowercase=true", "bleu:tokenizer=none", "sent-bleu", "sent-bleu:smooth_method=floor"]
COLUMNS += ["chrf", "chrf:word_order=2"]


def documented(first: str) -> list[float]:
    """Returns the numbers of the row of the page that starts with a cell."""
    rows = [line.strip("|").split("|") for line in lines(DOCUMENTATION) if line.startswith(f"| {first} |")]
    return [float(cell) for cell in rows[0][1:] if cell.strip()[:1].isdigit()]


@pytest.mark.parametrize("system", SYSTEMS)
def test_numbers_of_the_documentation(system: str, shared_path: SharedPath) -> None:
    summaries, references_list = turkcorpus(shared_path, "detok", system)
    found = [load(one).evaluate(summaries, references_list)[0][one.partition(":")[0]] for one in COLUMNS]
    singles = [Bleu().evaluate(summaries, [[row[index]] for row in references_list])[0]["bleu"] for index in range(8)]
    assert [round(number, 2) for number in (*found, min(singles), max(singles))] == documented(system)


@pytest.mark.parametrize("method", ["exp", "floor", "add-k", "none"])
def test_scores_of_the_smoothing_methods_in_the_documentation(method: str) -> None:
    score = load("sent-bleu", smooth_method=method).score("the cat lay on a mat", ["the cat sat on the mat"])
    rows = [line for line in lines(DOCUMENTATION) if line.startswith(f"| `{method}` |")]
    assert f"{score['sent-bleu']:.2f}" == rows[0].strip("| ").rpartition("|")[2].strip()
