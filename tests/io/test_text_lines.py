from __future__ import annotations

from pathlib import Path

import pytest
from messages import SAME_NUMBER_OF_LINES

from metrics_framework.common.errors import DataError
from metrics_framework.io.text_lines import read_lines, read_parallel


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    contents = {"summary": "a\nb\n", "source": "c\nd", "more": "e\nf\ng\nh\n", "one": "i\n", "empty": ""}
    for name, text in contents.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return {name: str(tmp_path / f"{name}.txt") for name in contents}


def test_a_missing_last_line_end_makes_no_difference(files: dict[str, str]):
    assert list(read_lines(files["summary"])) == ["a", "b"]
    assert list(read_lines(files["source"])) == ["c", "d"]


def test_files_are_read_side_by_side(files: dict[str, str]):
    assert list(read_parallel([files["summary"], files["source"]])) == [("a", "c"), ("b", "d")]


def test_a_file_may_be_given_twice(files: dict[str, str]):
    assert list(read_parallel([files["summary"], files["summary"]])) == [("a", "a"), ("b", "b")]


UNEQUAL = [  # files, shortest, where it ends and how that is said, listing
    (("summary", "more"), "summary", ":2: ends after 2 lines", "summary has 2, more has 4"),
    (("more", "summary"), "summary", ":2: ends after 2 lines", "more has 4, summary has 2"),
    (("one", "more"), "one", ":1: ends after 1 line", "one has 1, more has 4"),
    (("summary", "empty"), "empty", ": is empty", "summary has 2, empty has 0"),
]


@pytest.mark.parametrize(("names", "shortest", "end", "listing"), UNEQUAL)
def test_files_of_unequal_length_are_refused_with_their_lengths(
    files: dict[str, str], names: tuple[str, ...], shortest: str, end: str, listing: str
):
    with pytest.raises(DataError) as caught:
        list(read_parallel([files[name] for name in names]))
    for name in names:
        listing = listing.replace(f"{name} has", f"{files[name]} has")
    assert str(caught.value) == f"{files[shortest]}{end}; {SAME_NUMBER_OF_LINES}: {listing}"


def test_an_unreadable_line_is_named_by_its_own_file(files: dict[str, str]):
    Path(files["source"]).write_bytes(b"a\n\xff\n")
    with pytest.raises(DataError, match=r"source\.txt:2: is not UTF-8 text"):
        list(read_parallel([files["summary"], files["source"]]))
