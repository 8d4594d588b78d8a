"""Alignments read from a file: found by the words, whatever the order; what is wrong is said with file and line."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics_framework.alignment.aligner import Aligner, load_aligner
from metrics_framework.alignment.pharaoh import PharaohAligner
from metrics_framework.common.errors import DataError, DataErrors, UsageError

Make = Callable[[str, str], PharaohAligner]
PAIRS = "a big cat ||| a cat\nit ran . ||| ran\n"
ALIGNMENTS = "0-0 2-1\n1-0\n"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Builds an aligner of the contents of its two files."""
    monkeypatch.chdir(tmp_path)

    def built(pairs: str, alignments: str) -> PharaohAligner:
        Path("pairs.txt").write_text(pairs, encoding="utf-8")
        Path("links.txt").write_text(alignments, encoding="utf-8")
        return PharaohAligner("pairs.txt", "links.txt")

    return built


def test_alignments_are_found_by_the_words(make: Make) -> None:
    aligner = make(PAIRS, ALIGNMENTS)
    assert aligner.align(["it", "ran", "."], ["ran"]) == [(1, 0)]
    assert aligner.align(["a", "big", "cat"], ["a", "cat"]) == [(0, 0), (2, 1)]


def test_items_are_sorted_and_each_counts_once(make: Make) -> None:
    assert make("a b ||| b a\n", "1-0 0-1 1-0").align(["a", "b"], ["b", "a"]) == [(0, 1), (1, 0)]


def test_a_line_without_items_aligns_nothing(make: Make) -> None:
    assert make("a ||| b\nc ||| d\n", "\n0-0\n").align(["a"], ["b"]) == []


def test_a_text_without_words_needs_no_line(make: Make) -> None:
    assert make(PAIRS, ALIGNMENTS).align([], ["a"]) == []
    assert make(PAIRS, ALIGNMENTS).align(["a"], []) == []


def test_neither_line_ends_nor_blanks_make_a_difference(make: Make) -> None:
    aligner = make("a  big cat |||  a cat \r\nit ran . ||| ran", "0-0  2-1\r\n1-0")
    assert aligner.signature() == make(PAIRS, ALIGNMENTS).signature()
    assert aligner.align(["a", "big", "cat"], ["a", "cat"]) == [(0, 0), (2, 1)]


def test_numbers_of_lines_as_simalign_writes_them_are_taken_away(make: Make) -> None:
    numbered = make(PAIRS, "0\t0-0 2-1\n1\t1-0\n")
    assert numbered.signature() == make(PAIRS, ALIGNMENTS).signature()
    assert make("a ||| b\n", "0\t\n").align(["a"], ["b"]) == []


def test_the_signature_depends_on_pairs_and_alignments_not_on_their_order_or_path(make: Make) -> None:
    signature = make(PAIRS, ALIGNMENTS).signature()
    assert signature.startswith("pharaoh.")
    assert len(signature) == len("pharaoh.") + 12
    backwards = make("it ran . ||| ran\na big cat ||| a cat\n", "1-0\n2-1 0-0\n")
    assert backwards.signature() == signature
    assert make(PAIRS, "0-0 1-1\n1-0\n").signature() != signature
    assert make(PAIRS.replace("big", "fat"), ALIGNMENTS).signature() != signature


def test_the_same_pair_twice_is_one(make: Make) -> None:
    assert make(PAIRS * 2, ALIGNMENTS * 2).signature() == make(PAIRS, ALIGNMENTS).signature()


def test_it_is_built_from_a_name_with_options(make: Make) -> None:
    aligner: Aligner = make(PAIRS, ALIGNMENTS)
    assert load_aligner("pharaoh:pairs=pairs.txt,alignments=links.txt").signature() == aligner.signature()
    with pytest.raises(UsageError, match="'pharaoh' needs the option 'alignments'"):
        load_aligner("pharaoh:pairs=pairs.txt")


def test_a_copy_by_pickle_needs_no_file(make: Make) -> None:
    copied = pickle.dumps(make(PAIRS, ALIGNMENTS))
    Path("pairs.txt").unlink()
    assert pickle.loads(copied).align(["it", "ran", "."], ["ran"]) == [(1, 0)]


def test_a_missing_pair_is_an_error_that_says_how_to_make_it(make: Make) -> None:
    with pytest.raises(DataError, match=r"^pairs\.txt: has no line 'It ran \|\|\| ran'; .*fw write pairs"):
        make(PAIRS, ALIGNMENTS).align(["It", "ran"], ["ran"])


WRONG = [  # pairs, alignments, message
    ("a b\n", "0-0\n", r"pairs\.txt:1: must be 'source \|\|\| target' with one \|\|\| between spaces, got .*'a b'"),
    ("a ||| b ||| c\n", "0-0\n", r"pairs\.txt:1: must be 'source"),
    ("a|||b\n", "0-0\n", r"pairs\.txt:1: must be 'source"),
    ("a ||| b\n", "0-1\n", r"links\.txt:1: index out of range in '0-1': the pair has 1 and 1 words"),
    ("a ||| b\n", "1-0\n", r"links\.txt:1: index out of range in '1-0'"),
    ("a ||| b\n", "1\t0-0\n", r"links\.txt:1: starts with line number 1, expected 0"),
    ("a ||| b\n", "-1-0\n", r"links\.txt:1: an item must have the form i-j, as in 0-1, got '-1-0'$"),
    ("a ||| b\n", "0-0:0.5\n", r"links\.txt:1: an item must have the form i-j"),
    ("a ||| b\n", "0-\u0660\n", r"links\.txt:1: an item must have the form i-j"),
    ("a ||| b\n", "0p0\n", r"got '0p0'; possible links of gold standards are not supported"),
    (
        "a ||| b\nc ||| d\n",
        "0-0\n",
        r"links\.txt:1: ends after 1 line; all files must .* pairs\.txt has 2, links\.txt has 1",
    ),
    (
        "a ||| b\n",
        "0-0\n0-0\n",
        r"pairs\.txt:1: ends after 1 line; all files must .*pairs\.txt has 1, links\.txt has 2",
    ),
    ("a ||| b\na ||| b\n", "0-0\n\n", r"links\.txt:2: line 1 has a different alignment of the same pair"),
]


@pytest.mark.parametrize(("pairs", "alignments", "message"), WRONG, ids=[case[2][:40] for case in WRONG])
def test_what_is_wrong_is_said_with_file_and_line(make: Make, pairs: str, alignments: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        make(pairs, alignments)


def test_all_problems_are_reported_together(make: Make) -> None:
    with pytest.raises(DataErrors) as caught:
        make("a ||| b\nc\ne ||| f\n", "0-5\n0-0\nx\n")
    assert [problem.location for problem in caught.value.problems] == ["links.txt:1", "pairs.txt:2", "links.txt:3"]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        PharaohAligner(str(tmp_path / "none"), str(tmp_path / "none"))
