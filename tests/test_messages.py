"""The words of a message are written down in one file of tests: in the only one that needs them, or in `messages`."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import messages
import pytest

pytestmark = pytest.mark.slow  # reads all tests

ROOT = Path(__file__).resolve().parent.parent
TABLE = "tests/messages.py"
THIS_FILE = "tests/test_messages.py"
TABLE_OF_MESSAGES = {name: value for name, value in vars(messages).items() if name.isupper()}
WORDS_OF_A_RUN = 4
GAP = "\0"
PUNCTUATION = ".,;:"
AROUND_WORDS = "!?…()[]{}<>\"'`^$|+*-–/"
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\d+[.,]\d+")
BETWEEN = re.compile(r"\.[*+]\??|\\[dsw][*+]?|\n|\\n")  # what separates sentences, or a sentence and a value
NAME = re.compile(r"['`].*['`]\W*|\W*--?\w.*")  # a name in quotation marks, or a flag
FUNCTION_WORD = re.compile(
    "an?|and|are|as|at|be|but|by|did|do|does|for|from|got|had|has|have|if|in|is|its?|no|not|of|on|one|or|other|than|that|"
    r"the|their|then|they|this|to|was|were|which|with|\d+",
    re.IGNORECASE,
)
HOW_TO_FIX = """
The same words of a message are written down in two files of tests, so that rewording it breaks both. Either name the
words once in tests/messages.py and import them, or assert the type, path, line and names of the error instead.
"""

NOT_MESSAGES = [  # texts of tests that the package has too, or that other programs write
    "the cat sat on the mat",
    "the cat sat on a mat",
    "a list of sentences",
    "index out of range in",
    "the first of two",
]

Run = tuple[str, ...]
Files = Mapping[str, Sequence[tuple[int, str]]]


class Place(NamedTuple):
    """Where a string begins."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def strings(text: str) -> list[tuple[int, str]]:
    """Returns line and text of each string of a file except docstrings; the values in an f-string are gaps."""
    found = []
    nodes: list[ast.AST] = [ast.parse(text)]
    for node in nodes:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else GAP for part in child.values]
                found.append((child.lineno, "".join(parts)))
            elif not isinstance(child, ast.Constant):
                nodes.append(child)
            elif isinstance(child.value, str) and not isinstance(node, ast.Expr):
                found.append((child.lineno, child.value))
    return found


def words(text: str) -> Iterator[str]:
    """Yields the words of a text, each with the comma or colon after it; a name, flag, path or value is a gap."""
    for found in text.split():
        word = found.strip(AROUND_WORDS + PUNCTUATION)
        if NAME.fullmatch(found) or (word and not WORD.fullmatch(word)):
            yield GAP
        elif word:
            yield word + (found[-1] if found[-1] in PUNCTUATION else "")


def runs(text: str) -> Iterator[Run]:
    """Yields each four consecutive words of a text of which two are not function words."""
    if text.count(" ") < WORDS_OF_A_RUN - 1:
        return
    found = list(words(BETWEEN.sub(f" {GAP} ", text).replace("\\", "").replace(GAP, f" {GAP} ")))
    for start in range(len(found) - WORDS_OF_A_RUN + 1):
        *first, last = found[start : start + WORDS_OF_A_RUN]
        run = (*first, last.rstrip(PUNCTUATION))  # a test may write down the words before a comma
        meaningful = [word for word in run if not FUNCTION_WORD.fullmatch(word.rstrip(PUNCTUATION))]
        if GAP not in run and len(set(meaningful)) > 1:
            yield run


def runs_of(files: Files) -> dict[Run, list[Place]]:
    """Returns where each run of words is in the strings of files."""
    found: dict[Run, list[Place]] = defaultdict(list)
    for path, lines in files.items():
        for line, string in lines:
            for run in dict.fromkeys(runs(string)):
                found[run].append(Place(path, line))
    return found


def written_twice(package: Files, tests: Files) -> dict[Place, dict[Run, list[Place]]]:
    """Returns, for each string of the package, its words that two test files write down and no other string has."""
    sources = runs_of(package)
    found: dict[Place, dict[Run, list[Place]]] = defaultdict(dict)
    for run, places in runs_of(tests).items():
        if len(sources.get(run, [])) == 1 and len({place.path for place in places}) > 1:
            found[sources[run][0]][run] = places
    return dict(sorted(found.items()))


def report(found: Mapping[Place, Mapping[Run, list[Place]]]) -> str:
    """Returns each message with the test files that write it down, and how to fix it."""
    lines = []
    for source, written in found.items():
        words_at: dict[Place, list[str]] = defaultdict(list)
        for run, places in written.items():
            for place in places:
                words_at[place].append(" ".join(run))
        lines.append(
            f"{source}: a message of which {len({place.path for place in words_at})} files have the same words:"
        )
        lines.extend(f"    {place}: {' | '.join(parts)}" for place, parts in sorted(words_at.items()))
    return "\n".join([HOW_TO_FIX, *lines])


def texts(folder: str) -> dict[str, str]:
    """Returns paths and texts of the files of Python in a folder."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def strings_of(files: Mapping[str, str]) -> Files:
    """Returns the strings of files, given by their paths and texts."""
    return {path: strings(text) for path, text in files.items()}


@pytest.fixture(scope="module")
def package() -> Files:
    return strings_of(texts("metrics_framework"))


@pytest.fixture(scope="module")
def tests() -> dict[str, str]:
    return {path: text for path, text in texts("tests").items() if path != THIS_FILE}


@pytest.fixture(scope="module")
def found(package: Files, tests: dict[str, str]) -> dict[Place, dict[Run, list[Place]]]:
    return written_twice(package, strings_of(tests))


def test_a_message_is_written_down_in_one_place(found: dict[Place, dict[Run, list[Place]]]) -> None:
    allowed = {run for text in NOT_MESSAGES for run in runs(text)}
    wrong = {
        source: left
        for source, written in found.items()
        if (left := {run: places for run, places in written.items() if run not in allowed})
    }
    assert not wrong, report(wrong)


@pytest.mark.parametrize("text", NOT_MESSAGES)
def test_every_exception_is_needed(text: str, found: dict[Place, dict[Run, list[Place]]]) -> None:
    assert any(run in written for run in runs(text) for written in found.values())


def test_the_table_has_words_of_messages(package: Files) -> None:
    texts_of_package = [string for lines in package.values() for _, string in lines]
    for name, words_of_message in TABLE_OF_MESSAGES.items():
        assert any(words_of_message in string for string in texts_of_package), f"{name}: no message has these words"


def test_the_table_has_only_what_two_test_files_recognize(tests: dict[str, str]) -> None:
    names_of = [set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", text)) for path, text in tests.items() if path != TABLE]
    for name in TABLE_OF_MESSAGES:
        assert sum(name in names for names in names_of) > 1, (
            f"{name}: write the words in the only test file that uses it"
        )


# ---- the functions above ---------------------------------------------------------------------------------------------

MESSAGE = 'def f(x):\n    """Fails."""\n    raise E(f"\'{x}\' is not a result of fw; use another file")\n'
PAIRS = [  # strings of two test files, whether they have the same words of the message
    ('"is not a result of fw"', "\"'a' is not a result of fw; use\"", True),
    ('f"{x} is not a result of fw"', 'r"^is not a " "result of fw .*"', True),
    ('"is not a result"', '"a result of fw"', False),
    ('"is not a result of fw"', 'f"is not {a} result of fw"', False),
    ('"is not a result of fw"', 'r"is not .* result of fw"', False),
    ('"is not a result of fw"', "NOT_A_RESULT", False),
    ('"is not the cause"', '"is not the cause"', False),
]


@pytest.mark.parametrize(("first", "second", "same"), PAIRS)
def test_words_of_a_message_in_two_files_are_reported_with_both_lines(first: str, second: str, same: bool) -> None:
    files = {"a.py": f"\nx = {first}\n", "b.py": f"\n\nx = ({second})\n"}
    found = written_twice(strings_of({"p.py": MESSAGE}), strings_of(files))
    assert list(found) == [Place("p.py", 3)][:same]
    assert [line[:10] for line in report(found).splitlines()[-2:]] == ["    a.py:2", "    b.py:3"] or not same
