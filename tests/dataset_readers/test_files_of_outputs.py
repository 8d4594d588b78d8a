"""Names of systems: the file name, else the shortest part of the path in which files of the same name differ."""

from __future__ import annotations

import pytest

from metrics_framework.dataset_readers.files_of_outputs import system_names

CASES = [  # paths, names, why
    ("a.txt b.txt", "a b", "file names differ"),
    ("b.txt a.txt", "b a", "the order given"),
    ("a/out.txt b/out.txt", "a b", "the folder differs"),
    ("x/a/1/out.txt x/b/1/out.txt", "a b", "an outer folder differs"),
    ("exp1/a/out.txt exp2/b/out.txt", "a b", "the folder next to the file, if two differ"),
    ("r/a/1/out.txt r/a/2/out.txt r/b/1/out.txt", "a/1 a/2 b/1", "no single folder differs"),
    ("a/out.txt b/out.txt other.txt", "a b other", "other files keep their names"),
    ("a/out.txt b/out.txt a.txt", "a/out b/out a", "a folder with the name of another file"),
    ("out.txt b/out.txt", "out b/out", "a file without a folder"),
    ("../out.txt out.txt", "../out out", "a file in the folder above"),
    ("a/out.txt a/out.hyp", "out.txt out.hyp", "only the endings differ"),
    ("a/out.txt b/out.hyp", "a b", "a folder rather than an ending"),
    ("a/out.txt a/out.hyp b/out.txt", "a/out.txt a/out.hyp b/out.txt", "endings and folders differ"),
    ("a//out.txt ./b/out.txt", "a b", "paths in another form"),
    ("/d/a/out.txt.gz /d/b/out.txt.gz", "a b", "absolute paths of compressed files"),
    ("beam.0.1.txt beam.0.2.txt", "beam.0.1 beam.0.2", "a number with a point is no ending"),
    ("a/- -", "- stdin", "standard input"),
]


@pytest.mark.parametrize(("paths", "names", "why"), CASES, ids=[why for *_, why in CASES])
def test_files_are_named_by_the_part_in_which_they_differ(paths: str, names: str, why: str) -> None:
    assert system_names(paths.split()) == names.split()


def test_names_that_are_given_are_kept() -> None:
    assert system_names(["a/out.txt", "b/out.txt"], ["ours", "theirs"]) == ["ours", "theirs"]
    assert system_names(["a/out.txt", "b/out.txt", "c/out.txt"], ["", "b", ""]) == ["a", "b", "c"]
    assert system_names(["a/out.txt", "b/out.txt"], ["out", ""]) == ["out", "b"], "another system is called 'out'"
