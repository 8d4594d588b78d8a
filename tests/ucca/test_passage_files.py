"""Which passage belongs to a text: by its words, from files or from a program."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import FAILED_WITH_EXIT_CODE
from ucca_writer import passage, passage_xml

from metrics_framework.common.errors import DataError, DataErrors, ProcessError, UsageError
from metrics_framework.testing.flat_passage import COMMAND, flat_passage
from metrics_framework.ucca.passage import letters, parse_passage
from metrics_framework.ucca.passage_files import PassageFiles, PassageParser
from metrics_framework.ucca.scenes import scenes_of

BIRDS, FISH, COWS = "[H [A Birds] [P sing] [U .]]", "[H [A Fish] [P swim]]", "[H [A Cows] [D n't] [P sing]]"
Files = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Files:
    """Gives what writes passages to files."""

    def write(**passages: str) -> Path:
        for name, brackets in passages.items():
            (tmp_path / f"{name}.xml").write_text(passage_xml(brackets), encoding="utf-8")
        return tmp_path

    return write


SAME = [  # a text, the words of its passage, why they are the same
    ("A cat sat.", "A cat sat .", "white space does not count"),
    (" A\u00a0cat\u2028sat.\n", "A cat sat .", "of any kind"),
    ('He said "no".', "He said `` no '' .", "the quotes of the Penn Treebank"),
    ("He said “no”.", 'He said " no " .', "curved quotes"),
    ("It’s ‘so’.", "It 's ` so ' .", "single quotes and apostrophes"),
    ("(a) [b] {c}", "-LRB- a -RRB- -LSB- b -RSB- -LCB- c -RCB-", "the brackets of the Penn Treebank"),
    ("a\x00b\ud800c\ufffe", "abc", "what XML cannot hold"),
]


@pytest.mark.parametrize(("text", "words", "why"), SAME)
def test_a_text_and_the_words_of_its_passage_have_the_same_letters(text: str, words: str, why: str) -> None:
    assert letters(text) == letters(words.split())


@pytest.mark.parametrize(("one", "other"), [("A cat", "a cat"), ("3.5", "35"), ("-LXB-", "("), ("a-b", "a b")])
def test_texts_that_differ_otherwise_have_other_letters(one: str, other: str) -> None:
    assert letters(one) != letters(other)


# ---- files -----------------------------------------------------------------------------------------------------------


def test_a_passage_is_found_by_its_words_in_folders_and_files(folder: Files) -> None:
    path = folder(one=BIRDS, two=FISH, three=COWS)
    (path / "readme.txt").write_text("not a passage", encoding="utf-8")
    for paths in ([str(path)], [str(path / f"{name}.xml") for name in ("two", "three", "one")]):
        found = PassageFiles(paths)
        assert found.passages_of(["Birds sing.", "Cowsn't   sing"]) == [passage(BIRDS), passage(COWS)]


def test_files_are_read_when_the_first_passage_is_asked_for(folder: Files) -> None:
    found = PassageFiles([str(folder())])
    folder(late=FISH)
    assert found.passages_of(["Fish swim"]) == [passage(FISH)]


def test_a_text_without_a_passage_is_named_with_how_many_there_are_and_what_to_do(folder: Files) -> None:
    path = folder(one=BIRDS, two=FISH)
    with pytest.raises(DataError) as caught:
        PassageFiles([str(path)]).passages_of(["Cows " * 40])
    assert caught.value.path == str(path)
    for part in (
        "the source 'Cows Cows ",
        "…', only 2 passages with other words; a passage must have ",
        "add the file, or",
    ):
        assert part in caught.value.message


def test_passages_of_the_same_words_must_be_the_same(folder: Files) -> None:
    path = folder(one=BIRDS, same=BIRDS)
    assert PassageFiles([str(path)]).passages_of(["Birds sing."]) == [passage(BIRDS)]
    folder(other="[H [A Birds] [S sing] [U .]]")
    with pytest.raises(DataError) as caught:
        PassageFiles([str(path)]).passages_of(["Birds sing."])
    assert str(caught.value) == (
        f"{path / 'other.xml'}: has the same words as {path / 'one.xml'}, "
        "but is a different passage; remove one of them"
    )


def test_all_files_that_are_no_passages_are_named_together(folder: Files) -> None:
    path = folder(good=BIRDS)
    (path / "a.xml").write_text("<root>\n<oops/></root>", encoding="utf-8")
    (path / "b.xml").write_text("", encoding="utf-8")
    with pytest.raises(DataErrors) as caught:
        PassageFiles([str(path)]).passages_of(["Birds sing."])
    assert [problem.location for problem in caught.value.problems] == [f"{path / 'a.xml'}:2", f"{path / 'b.xml'}:1"]


def test_a_folder_without_passages_and_a_file_that_is_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is a folder without \*\.xml files; expected UCCA passages"):
        PassageFiles([str(tmp_path)]).passages_of(["x"])
    with pytest.raises(DataError, match=r"gone: cannot be read: No such file"):
        PassageFiles([str(tmp_path / "gone")]).passages_of(["x"])


# ---- a program -------------------------------------------------------------------------------------------------------


def python(program: str) -> str:
    """Returns the command that runs a program of Python."""
    return shlex.join([sys.executable, "-c", program])


@given(st.text())
def test_the_flat_parser_keeps_the_words_of_any_text(text: str) -> None:
    text = letters(text)
    found = parse_passage(flat_passage(text).encode(), "x.xml")
    assert letters(found.words) == text
    assert len(scenes_of(found).scenes) <= 1


def test_a_program_makes_the_passage_of_a_text() -> None:
    (found,) = PassageParser(COMMAND).passages_of(["“Zoë” sings\x00\ud800 & (\n<waves>) !"])
    assert found.words == ["“Zoë”", "sings", "&", "(", "<waves>)", "!"]
    (scene,) = scenes_of(found).scenes
    assert scene.main_relation == {0}
    assert scene.participants == ({1}, {4})


def test_a_program_is_run_without_a_shell(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        PassageParser(f"{python('pass')} ; touch {tmp_path / 'touched'}").passages_of(["x"])
    assert not (tmp_path / "touched").exists()


def test_a_program_that_fails_is_named_with_its_exit_code_and_what_it_said() -> None:
    program = "import sys; print('no model found', file=sys.stderr); sys.exit(3)"
    with pytest.raises(ProcessError, match=rf"^the parser '.*' {FAILED_WITH_EXIT_CODE} 3: no model found$"):
        PassageParser(python(program)).passages_of(["Birds sing."])
    with pytest.raises(ProcessError, match=rf"{FAILED_WITH_EXIT_CODE} 4$"):
        PassageParser(python("raise SystemExit(4)")).passages_of(["Birds sing."])


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match=r"the parser '.*gone' cannot be run: No such file or directory"):
        PassageParser(f"{tmp_path}/gone --fast").passages_of(["x"])


@pytest.mark.parametrize(("command", "message"), [("", "got nothing"), ("a 'b", "got 'a 'b': No closing quotation")])
def test_what_is_no_command_is_refused(command: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"'parser' must be a command, {message}"):
        PassageParser(command)


def test_what_a_program_writes_must_be_a_passage_of_the_text() -> None:
    with pytest.raises(DataError, match=r"(?s)^the output of '.*' for the source 'x':1: is not XML"):
        PassageParser(python("print('<')")).passages_of(["x"])
    other = python(f"print({flat_passage('Fish swim')!r})")
    with pytest.raises(DataError, match=r"has different words than the source: 'Fish swim'; a parser may split"):
        PassageParser(other).passages_of(["Birds sing"])
