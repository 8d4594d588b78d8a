"""Quality features: worked by hand, those published, and every edge."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_texts import lines, turkcorpus
from rapidfuzz.distance import Indel
from twins import groups_of, requires_native, under
from twins import kernels as in_use

from metrics_framework.common.errors import DataError, MissingExtraError
from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.quality_estimation import QualityEstimation
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

tokenize_13a = load_tokenizer("13a").tokenize

PLAIN: dict[str, Any] = {"splitter": "none", "lexical_complexity": False}
needs_wordfreq = pytest.mark.skipif(importlib.util.find_spec("wordfreq") is None, reason="needs wordfreq")
needs_pysbd = pytest.mark.skipif(importlib.util.find_spec("pysbd") is None, reason="needs pysbd")


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "words.tsv"
    path.write_text("cat\t9\ndog\t7\nsat\t5\n", encoding="utf-8")
    return str(path)


# ---- published numbers ----------------------------------------------------------------------------------------------

NAMES = ("compression_ratio", "exact_copies", "additions_proportion", "deletions_proportion")
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "explanation" / "quality-features.md"
PUBLISHED = {  # EASSE (2019), Table 4, with two more digits; the paper misprints .78 for the compression of Dress-Ls
    "PBMT-R": (0.9531, 0.0975, 0.0989, 0.1112),
    "Hybrid": (0.5721, 0.0306, 0.0092, 0.4072),
    "SBMT-SARI": (0.9432, 0.1058, 0.1594, 0.1263),
    "Dress-Ls": (0.7646, 0.2618, 0.0380, 0.2594),
}


@pytest.mark.parametrize("system", PUBLISHED)
def test_published_features(system: str, kernels: str, shared_path: Callable[[str], Path]) -> None:
    summaries, _, sources = turkcorpus(shared_path, "tokenized", system)
    assert len(summaries) == 359
    macro, _ = QualityEstimation(**PLAIN).evaluate(summaries, sources)
    assert tuple(round(macro[name], 4) for name in NAMES) == PUBLISHED[system]
    expected = [Indel.normalized_similarity(*map(_normalized, pair)) for pair in zip(summaries, sources, strict=True)]
    assert macro["levenshtein_similarity"] == pytest.approx(sum(expected) / 359, abs=1e-12)


@pytest.mark.slow
@needs_wordfreq
@needs_pysbd
@pytest.mark.parametrize("system", PUBLISHED)
def test_the_documentation_has_the_features_of_the_four_systems(
    system: str, shared_path: Callable[[str], Path]
) -> None:
    metric = QualityEstimation(splitter="pysbd")
    if "wordfreq-en-100000-dfbb1217" not in metric.signature():
        pytest.skip("the documented numbers are those of another table of words")
    summaries, _, sources = turkcorpus(shared_path, "tokenized", system)
    macro, _ = metric.evaluate(summaries, sources)
    (row,) = [line for line in lines(DOCUMENTATION) if line.startswith(f"| {system} |")]
    shown = [float(cell) for cell in row.strip("|").split("|")[1:]]
    names = [*NAMES, "levenshtein_similarity", "sentence_splits", "lexical_complexity"]
    digits = [4, 4, 4, 4, 4, 4, 3]
    assert shown == [round(macro[name], count) for name, count in zip(names, digits, strict=True)]


def _normalized(text: str) -> str:
    return tokenize_13a(text.lower())


# ---- by hand --------------------------------------------------------------------------------------------------------


def test_all_features_by_hand(kernels: str, table: str) -> None:
    """'the cat sat .' (13 characters, 4 words) of 'the cat , the dog and i sat .' (29 characters, 9 words).

    16 characters are deleted, none is inserted: similarity (42 - 16) / 42. Of the nine words of the source five are
    gone. The content words cat and sat have ranks 0 and 2: three quarters of ln(3).
    """
    metric = QualityEstimation(splitter="none", frequencies=table)
    scores = metric.score("The cat sat.", "The cat, the dog and I sat.")
    assert scores == {
        "compression_ratio": 13 / 29,
        "sentence_splits": 1.0,
        "levenshtein_similarity": 26 / 42,
        "exact_copies": 0.0,
        "additions_proportion": 0.0,
        "deletions_proportion": 5 / 9,
        "lexical_complexity": pytest.approx(0.75 * math.log(3), abs=1e-15),
    }


def test_normalisation_decides_what_a_copy_is(kernels: str) -> None:
    pair = ("The cat  sat.", "the cat sat .")
    assert QualityEstimation(**PLAIN).score(*pair)["exact_copies"] == 1.0
    assert QualityEstimation(lowercase=False, **PLAIN).score(*pair)["exact_copies"] == 0.0
    assert QualityEstimation("none", **PLAIN).score(*pair)["exact_copies"] == 0.0
    assert QualityEstimation("penn", **PLAIN).score(*pair)["exact_copies"] == 1.0


# ---- edges ----------------------------------------------------------------------------------------------------------

EDGES = [  # summary, source, compression, splits, similarity, copy, why
    ("", "", math.nan, math.nan, 1, 1, "two empty texts are equal"),
    (" \n", "", math.nan, math.nan, 1, 1, "white space is nothing"),
    ("a", "", math.nan, math.nan, 0, 0, "there is nothing to compress or split"),
    ("", "a", 0, 0, 0, 0, "nothing is left"),
    (".", "...", 1 / 5, 1, 2 / 6, 0, "marks alone are words, and a sentence"),
]


def test_edges(kernels: str, table: str) -> None:
    for summary, source, compression, splits, similarity, copy, _ in EDGES:
        scores = QualityEstimation(splitter="none", frequencies=table).score(summary, source)
        assert scores.approx_equal(
            {
                "compression_ratio": compression,
                "sentence_splits": splits,
                "levenshtein_similarity": similarity,
                "exact_copies": copy,
                "additions_proportion": 1.0 if summary == "a" else 0.0,
                "deletions_proportion": {"a": 1.0, "...": 2 / 3}.get(source, 0.0),
                "lexical_complexity": math.log(4),  # "a" is a function word, and the table has three words
            }
        )


def test_what_is_not_defined_is_counted(table: str) -> None:
    metric = QualityEstimation(splitter="none", frequencies=table)
    total = metric.new_total()
    for summary, source in (("cat", ""), ("it", "a cat"), ("cat", "cat")):
        total.add(metric.score(summary, source), None)
    assert total.undefined == {"compression_ratio": 1, "sentence_splits": 1}
    assert total.score()["compression_ratio"] == (2 / 5 + 1) / 2


# ---- sentences ------------------------------------------------------------------------------------------------------


@needs_pysbd
def test_sentences_are_counted_in_the_normalised_text(kernels: str) -> None:
    metric = QualityEstimation(splitter="pysbd", lexical_complexity=False)
    assert metric.score("It sat. He ran. She left.", "It sat. He ran.")["sentence_splits"] == 1.5
    assert metric.score("It costs 3.5 a day.", "It sat; he ran.")["sentence_splits"] == 1.0


@needs_pysbd
def test_a_list_of_several_sentences_is_not_cut_any_further(kernels: str) -> None:
    metric = QualityEstimation(splitter="pysbd", lexical_complexity=False)
    source = "It sat. He ran."
    assert metric.score(["It sat. He", "ran.", " "], source)["sentence_splits"] == 1.0
    assert metric.score(["a", "b", "c"], [source])["sentence_splits"] == 1.5
    assert metric.score([source], source)["sentence_splits"] == 1.0
    assert metric.score([source, " "], source)["sentence_splits"] == 1.0
    assert metric.score([], [source])["sentence_splits"] == 0.0


# ---- both kernels ---------------------------------------------------------------------------------------------------

OPTIONS: list[dict[str, Any]] = [
    {"tokenizer": tokenizer, "lowercase": lowercase, **PLAIN}
    for tokenizer in ("13a", "intl", "penn", "none")
    for lowercase in (True, False)
]


@requires_native
@settings(max_examples=25)
@given(groups_of(2, most_references=1), st.sampled_from(OPTIONS))
def test_the_kernels_agree(groups: list[Any], options: dict[str, Any]) -> None:
    summaries_list, references_list = groups
    sources = [references[0] for references in references_list]
    metric = QualityEstimation(**options)
    native, twin = (repr(under(name, metric.score_multi_all, summaries_list, sources)) for name in ("native", "python"))
    assert native == twin


@given(st.lists(st.text("abc .é", max_size=12), min_size=1, max_size=3), st.text("abc .é", max_size=12))
def test_features_equal_their_definitions(summaries: list[str], source: str) -> None:
    metric = QualityEstimation(**PLAIN)
    with in_use("python"):
        found = metric.score_multi(summaries, source)
    for summary, scores in zip(summaries, found, strict=True):
        text, other = _normalized(summary), _normalized(source)
        words, source_words = Counter(text.split()), Counter(other.split())
        longer = max(sum(words.values()), sum(source_words.values()), 1)
        assert scores["levenshtein_similarity"] == pytest.approx(Indel.normalized_similarity(text, other), abs=1e-12)
        assert scores["additions_proportion"] == sum((words - source_words).values()) / longer
        assert scores["deletions_proportion"] == sum((source_words - words).values()) / longer
        assert scores["exact_copies"] == (text == other)


# ---- options --------------------------------------------------------------------------------------------------------


@needs_wordfreq
def test_the_signature_names_splitter_table_and_function_words() -> None:
    metric = load("quality-estimation", splitter="none")
    name = metric.signature().rpartition("|")[0]
    assert name.startswith("quality-estimation|tok:13a|case:lc|split:none|freq:wordfreq-en-100000-")
    assert name.endswith("|stop:fw-en-1")
    with_auto = QualityEstimation(lexical_complexity=False).signature()
    assert "|split:auto|" not in with_auto
    assert "|freq:no|" in with_auto
    assert "stop:" not in with_auto


def test_a_table_is_named_by_its_checksum(table: str) -> None:
    checksum = hashlib.sha256(Path(table).read_bytes()).hexdigest()[:8]
    assert f"|freq:sha256-{checksum}|" in QualityEstimation(splitter="none", frequencies=table).signature()


def test_without_lexical_complexity_its_score_is_not_there() -> None:
    assert "lexical_complexity" not in QualityEstimation(**PLAIN).score("a", "a")


def test_the_package_of_words_is_missed_up_front(monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingExtraError, match=r"'frequencies' .* 'lexical_complexity' .*\[simplification\]"):
        QualityEstimation(splitter="none")
    assert QualityEstimation(**PLAIN).score("a", "a")["exact_copies"] == 1.0
    assert QualityEstimation(splitter="none", frequencies=table).score("cat", "a")["lexical_complexity"] == 0.0


def test_tables_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none.tsv: cannot be read"):
        QualityEstimation(splitter="none", frequencies=str(tmp_path / "none.tsv"))
    bad = tmp_path / "bad.tsv"
    bad.write_text("cat\t9\ndog 7\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"bad\.tsv:2: .* got 'dog 7'"):
        QualityEstimation(splitter="none", frequencies=str(bad))
