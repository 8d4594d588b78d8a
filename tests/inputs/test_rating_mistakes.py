"""Mistakes in ratings and votes: every command and function gives the same verdict in the same sentence.

A row of `MISTAKES` is a mistake; its columns are the entrances: ``agreement``, ``correlate``, ``test-judge``,
``estimate`` and ``prefer``, each with a file and with rows in memory.
"""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
from json_files import read_json
from messages import (
    COUNT_AS_TWO,
    DIFFER_IN_INVISIBLE_CHARACTERS,
    FOR_WORDS_IN_AN_ORDER,
    IDS_RESTART_IN_EACH_DATA_SET,
    LEFT_OUT_ROWS,
)
from tables_as_people_have_them import RATERS, RATINGS

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import FwError, InputError

Rows: TypeAlias = "list[dict[str, Any]]"
Change: TypeAlias = "Callable[[Rows], object]"
RATING_COMMANDS = ("agreement", "correlate", "test-judge", "estimate")
ALL = (*RATING_COMMANDS, "prefer")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "agreement": fw.agreement,
    "correlate": fw.correlate,
    "test-judge": fw.judge,
    "estimate": fw.estimate,
    "prefer": fw.prefer,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "agreement": {"rating": "quality"},
    "correlate": {"metrics": ["judge"], "human": "quality", "levels": "global", "ci": "none"},
    "test-judge": {"rating": "quality", "judges": ["judge"], "min_units": 2},
    "estimate": {"rating": "quality", "judges": ["judge"]},
    "prefer": {},
}


def rows_of(command: str) -> Rows:
    """Returns rows without a mistake."""
    if command == "prefer":
        sides = {"system_a": "lark", "system_b": "wren"}
        return [
            {"instance_id": one, "rater": rater, **sides, "winner": winner}
            for one, winners in {"1": "aab", "2": "aaa", "3": "bat", "4": "aba"}.items()
            for rater, winner in zip(RATERS, [{"t": "tie"}.get(word, word) for word in winners], strict=True)
        ]
    return [
        {"instance_id": one, "system": system, "rater": rater, "quality": rating, "judge": judge}
        for (one, system), (ratings, judge) in RATINGS.items()
        for rater, rating in zip(RATERS, ratings, strict=True)
    ]


class Mistake(NamedTuple):
    """A mistake, or what looks like one.

    Args:
        name: What it is.
        change: Makes it in rows without it.
        verdict: ``error``, ``warning`` or ``note``, or ``fine`` if results are those of rows without it.
        words: A pattern of a part of the sentence, which is the same at all entrances.
        options: The options of commands, as keywords in Python.
        commands: The commands that it concerns.
        why: Why not all.
    """

    name: str
    change: Change
    verdict: str
    words: str = ""
    options: Mapping[str, Any] = {}
    commands: Sequence[str] = ALL
    why: str = ""


# ---- changes ---------------------------------------------------------------------------------------------------------


def cells(column: str, value: Any, *indices: int) -> Change:
    """Returns a change of some cells; of all rows without indices."""

    def change(rows: Rows) -> None:
        for index in indices or range(len(rows)):
            rows[index][column] = value(rows[index]) if callable(value) else value

    return change


def renamed(column: str, name: str) -> Change:
    def change(rows: Rows) -> None:
        rows[:] = [{name if key == column else key: value for key, value in row.items()} for row in rows]

    return change


def both(*changes: Change) -> Change:
    return lambda rows: [change(rows) for change in changes]


def added(*indices: int, **cells_of_row: Any) -> Change:
    """Returns a change that repeats rows with other cells."""
    return lambda rows: rows.extend([{**rows[index], **cells_of_row} for index in indices])


def halves(column: str, first: str, second: str) -> Change:
    """Returns a change that adds a column with one value in the first half of the rows, another in the second."""

    def change(rows: Rows) -> None:
        for index, row in enumerate(rows):
            row[column] = first if 2 * index < len(rows) else second

    return change


def in_lists(rows: Rows) -> None:
    """Writes all ratings of an output into a cell, as a list in JSON."""
    outputs = {(row["instance_id"], row["system"]): row for row in rows}
    for output, row in outputs.items():
        row |= {"quality": json.dumps([*RATINGS[output][0]]), "raters": json.dumps([*RATERS])}
        del row["rater"]
    rows[:] = outputs.values()


PAIRS = ("en-de", "en-cs")


def restarting(row: dict[str, Any]) -> str:
    return str(1 + (int(row["instance_id"]) - 1) % 2)


MISTAKES = [
    # columns
    Mistake(
        "two columns of raters",
        cells("annotator", lambda row: row["rater"]),
        "error",
        "'rater' and 'annotator' both name the rater; choose one with --columns rater=COLUMN",
    ),
    Mistake(
        "two columns of inputs",
        cells("sent_id", "1"),
        "error",
        "'instance_id' and 'sent_id' both name the input; choose one with --columns instance_id=COLUMN",
    ),
    Mistake(
        "no column of inputs",
        renamed("instance_id", "stimulus"),
        "error",
        "has no column for the input; its columns are .*'?stimulus'?.*; name it with --columns instance_id=COLUMN",
        commands=RATING_COMMANDS,
        why="votes may have no input",
    ),
    Mistake(
        "the columns are named",
        renamed("instance_id", "stimulus"),
        "fine",
        options={"columns": {"instance_id": "stimulus"}},
    ),
    Mistake(
        "clusters after a prefix of a tool",
        cells("data.genre", lambda row: "ab"[int(row["instance_id"]) > 2]),
        "fine",
        options={"cluster": "genre"},
        commands=("agreement", "estimate", "prefer"),
        why="few inputs have no interval of correlations and tests",
    ),
    Mistake("another name of inputs", renamed("instance_id", "Question ID"), "fine"),
    *(
        Mistake(
            f"the column of the {role} is named, and what it has changes",
            both(cells("extra", lambda row: f"text {row['instance_id']}"), cells("extra", "other", 1)),
            "error",
            rf"has two {plural}: 'text 1' \(PLACE\) and 'other' \(PLACE\)",
            {"columns": {role: "extra"}},
            RATING_COMMANDS,
            "votes of raters on one input are compared",
        )
        for role, plural in {
            "document": "documents",
            "doc": "documents",
            "documents": "lists of documents",
            "data_set": "data sets",
            "lp": "data sets",
            "source": "sources",
            "output": "texts",
            "Hypothesis": "texts",
        }.items()
    ),
    *(
        Mistake(
            f"the column of the {role} is named",
            cells("extra", lambda row, column=column: row.get(column, "peer")),
            "fine",
            "",
            {"columns": {role: "extra"}},
            commands,
            "others have no such role",
        )
        for role, column, commands in (
            ("turn", "instance_id", ALL),
            ("annotator", "rater", ALL),
            ("judge", "rater", ["prefer"]),
            ("system_a", "system_a", ["prefer"]),
            ("right", "system_b", ["prefer"]),
            ("winner", "winner", ["prefer"]),
            ("system id", "system", RATING_COMMANDS),
            ("system_type", "", RATING_COMMANDS),
            ("counts", "", ALL),
            ("document", "instance_id", ALL),
            ("source", "instance_id", ALL),
            ("data_set", "", ALL),
            ("output", "", RATING_COMMANDS),
        )
    ),
    *(
        Mistake(
            f"a role without a meaning: {role}",
            cells("extra", 1),
            "error",
            sentence,
            {"columns": {role: "extra"}},
            commands,
            "others have it, or no option for it",
        )
        for role, sentence, commands in (
            (
                "references",
                "--columns has no role references here, but .*; leave out references=COLUMN",
                RATING_COMMANDS,
            ),
            ("spans", "--columns has no role spans here, but .*; leave out spans=COLUMN", RATING_COMMANDS),
            ("references", "--columns has no role references here, but .*; leave out references=COLUMN", ["prefer"]),
            ("systm", "--columns has no role systm here, but .*; did you mean 'system'", ["estimate"]),
            (
                "rating",
                "--columns has no role rating here; use --rating for it",
                ("agreement", "test-judge", "estimate"),
            ),
            ("vote", "--columns has no role vote here; use --rating for it", ("agreement", "test-judge", "estimate")),
            ("label", "--columns has no role label here; use --human for it", ["correlate"]),
            ("judge", "--columns has no role judge here; use --judges for it", ("test-judge", "estimate")),
            ("cluster", "--columns has no role cluster here; use --cluster for it", ALL),
        )
    ),
    Mistake(
        "rows of a pilot",
        both(cells("batch", "main"), added(0, batch="pilot", rater="dee")),
        "fine",
        options={"where": {"batch": "main"}},
    ),
    Mistake(
        "no row meets the condition",
        cells("batch", "main"),
        "error",
        "'batch' has the values 'main' ; did you mean 'main'",
        options={"where": {"batch": "mian"}},
    ),
    # keys
    Mistake(
        "an input called nan", cells("instance_id", "nan", 1, 4), "error", "'instance_id' is 'nan'.*: rows need an id"
    ),
    Mistake(
        "an empty input",
        cells("instance_id", "", 1),
        "error",
        "'instance_id' is empty: rows need an id",
        commands=RATING_COMMANDS,
        why="votes may have no input",
    ),
    Mistake(
        "a null in place of the first input",
        cells("instance_id", None, 0),
        "error",
        "rows need an id",
        commands=RATING_COMMANDS,
        why="votes may have no input",
    ),
    Mistake("a rater called N/A", cells("rater", "N/A", 1), "error", "'rater' is 'N/A'.*: rows need an id"),
    Mistake(
        "a system called None",
        cells("system", "None", 1),
        "error",
        "'system' is 'None'.*: rows need an id",
        commands=RATING_COMMANDS,
    ),
    Mistake(
        "a side called NaN",
        cells("system_a", "NaN", 1),
        "error",
        "'system_a' is 'NaN'.*: rows need an id",
        commands=["prefer"],
    ),
    Mistake("spaces around names", both(cells("rater", "bob ", 1, 4), cells("instance_id", " 1", 0)), "fine"),
    Mistake("ids as numbers of pandas", cells("instance_id", lambda row: f"{row['instance_id']}.0", 0, 1), "fine"),
    Mistake(
        "raters in two cases",
        cells("rater", "Bob", 1, 4),
        "warning",
        f"raters 'Bob' and 'bob' differ in case only {COUNT_AS_TWO}",
    ),
    Mistake(
        "a rater with an invisible character",
        cells("rater", "b\u200bob", 1, 4),
        "warning",
        f"differ in {DIFFER_IN_INVISIBLE_CHARACTERS} only {COUNT_AS_TWO}",
    ),
    Mistake(
        "inputs in two cases",
        both(cells("instance_id", lambda row: f"a{row['instance_id']}"), cells("instance_id", "A1", 0)),
        "warning",
        f"inputs 'A1' and 'a1' differ in case only {COUNT_AS_TWO}",
    ),
    Mistake(
        "systems in two cases",
        cells("system", "Lark", 0, 1),
        "warning",
        f"systems 'Lark' and 'lark' differ in case only {COUNT_AS_TWO}",
        commands=RATING_COMMANDS,
    ),
    Mistake(
        "ids that restart in each document",
        both(cells("doc", lambda row: "ab"[int(row["instance_id"]) > 2]), cells("instance_id", restarting)),
        "error",
        r"instance '1' has two documents: 'a' \(PLACE\) and 'b' \(PLACE\), .*; if ids restart .*, use "
        r"--columns instance_id=doc\+instance_id",
        commands=RATING_COMMANDS,
        why="a second vote of a rater is the error there",
    ),
    Mistake(
        "the same beside a number of each document",
        both(
            cells("doc", lambda row: "ab"[int(row["instance_id"]) > 2]),
            cells("doc_id", 0),
            cells("instance_id", restarting),
        ),
        "error",
        r"instance '1' has two documents: 'a' \(PLACE\) and 'b' \(PLACE\), .*; if ids restart .*, use "
        r"--columns instance_id=doc\+instance_id",
        commands=RATING_COMMANDS,
        why="a second vote of a rater is the error there",
    ),
    Mistake(
        "the same with ids of two parts",
        both(cells("doc", lambda row: "ab"[int(row["instance_id"]) > 2]), cells("instance_id", restarting)),
        "fine",
        options={"columns": {"instance_id": ["doc", "instance_id"]}},
    ),
    Mistake(
        "two language pairs",
        both(cells("lp", lambda row: PAIRS[int(row["instance_id"]) > 2]), cells("instance_id", restarting)),
        "error",
        r"instance '1' has two data sets: 'en-de' \(PLACE\) and 'en-cs' \(PLACE\), .*; "
        rf"{IDS_RESTART_IN_EACH_DATA_SET} --columns instance_id=lp\+instance_id",
        commands=RATING_COMMANDS,
        why="a second vote of a rater is the error there",
    ),
    Mistake(
        "two languages that name the data set together",
        both(
            cells("src_lang", "en"),
            cells("tgt_lang", lambda row: PAIRS[int(row["instance_id"]) > 2][3:]),
            cells("instance_id", restarting),
        ),
        "error",
        r"instance '1' has two data sets: 'de' \(PLACE\) and 'cs' \(PLACE\), .*; "
        rf"{IDS_RESTART_IN_EACH_DATA_SET} --columns instance_id=src_lang\+tgt_lang\+instance_id",
        commands=RATING_COMMANDS,
        why="a second vote of a rater is the error there",
    ),
    Mistake(
        "a rating twice", added(0), "error", "use --duplicates first or last to keep one", commands=RATING_COMMANDS
    ),
    Mistake("the last one is kept", added(0), "fine", options={"duplicates": "last"}, commands=RATING_COMMANDS),
    Mistake(
        "an input with two sources",
        both(cells("source", lambda row: f"source {row['instance_id']}"), cells("source", "other", 1)),
        "error",
        "instance '1' has two sources",
        commands=RATING_COMMANDS,
    ),
    # values
    Mistake(
        "a word among numbers",
        cells("quality", "good", 2),
        "error",
        "'quality' must be a finite number, got the string 'good'; "
        f"{FOR_WORDS_IN_AN_ORDER} --scale [^;]*; if it means missing, use --missing good",
        commands=RATING_COMMANDS,
    ),
    Mistake(
        "separators of thousands",
        cells("quality", "1.234,5", 2),
        "error",
        "write it without separators of thousands",
        commands=RATING_COMMANDS,
    ),
    Mistake(
        "an infinite rating",
        cells("quality", "inf", 2),
        "error",
        "'quality' must be a.* number, got the string 'inf'",
        commands=RATING_COMMANDS,
    ),
    Mistake(
        "two denominators",
        both(cells("quality", lambda row: f"{row['quality']}/5"), cells("quality", "8/10", 2)),
        "error",
        "8/10",
        commands=RATING_COMMANDS,
    ),
    Mistake("percent and plain numbers", cells("quality", "80 %", 2), "error", "80 %", commands=RATING_COMMANDS),
    Mistake(
        "a rating beyond the scale",
        cells("quality", 7, 2),
        "error",
        "'quality' must be a number from 1 to 5, got '7'; if it means missing, use --missing 7",
        {"scale": "1-5"},
        RATING_COMMANDS,
    ),
    Mistake(
        "a word beyond the scale",
        both(cells("quality", "good"), cells("quality", "fine", 2), cells("quality", "bad", 3, 9)),
        "error",
        "'quality' must be .*, got 'fine'",
        {"scale": "bad,good"},
        RATING_COMMANDS,
    ),
    Mistake(
        "a code for missing",
        cells("quality", 99, 2, 7),
        "warning",
        "quality: 99 occurs 2 times, all others are from 1 to 5; if it means missing, use --missing 99",
        commands=RATING_COMMANDS,
    ),
    Mistake("missing ratings", added(0, 3, rater="dee", quality="n/a"), "fine", commands=RATING_COMMANDS),
    Mistake(
        "a code that is named",
        added(0, 3, rater="dee", quality=99),
        "fine",
        options={"missing": "99"},
        commands=RATING_COMMANDS,
    ),
    Mistake("lists in cells", in_lists, "fine", commands=("agreement", "test-judge", "estimate"), why="last bit"),
    Mistake("out of five", cells("quality", lambda row: f"{row['quality']}/5"), "fine", commands=RATING_COMMANDS),
    # rows that do not count
    Mistake(
        "attention checks",
        both(cells("itemtype", "TGT"), added(0, 1, 2, itemtype="BAD", quality=0)),
        "note",
        rf"{LEFT_OUT_ROWS} \(3 'BAD'\); to keep them, use --keep BAD",
        commands=RATING_COMMANDS,
    ),
    Mistake(
        "attention checks are left out",
        both(cells("itemtype", "TGT"), added(0, 1, 2, itemtype="BAD", quality=0)),
        "fine",
        commands=RATING_COMMANDS,
    ),
    # votes
    Mistake("an unknown vote", cells("winner", "lrak", 2), "error", "'lrak'", commands=["prefer"]),
    Mistake("a system against itself", cells("system_b", "lark", 2), "error", "lark", commands=["prefer"]),
    Mistake("a number that is no vote", cells("winner", "3", 2), "error", "3", commands=["prefer"]),
    Mistake(
        "a vote with two readings",
        both(cells("system_a", "b"), cells("winner", "b")),
        "error",
        "'b'",
        commands=["prefer"],
    ),
    Mistake(
        "other words of votes",
        cells("winner", lambda row: {"a": "[[A]]", "b": "B", "tie": "Tie (both bad)"}[row["winner"]]),
        "fine",
        commands=["prefer"],
    ),
    Mistake(
        "a winner in another case",
        cells("winner", lambda row: {"a": "Lark", "b": " wren"}.get(row["winner"], "tie")),
        "warning",
        "the winner 'Lark' is read as the system 'lark'",
        commands=["prefer"],
    ),
    Mistake(
        "winners in other cases count",
        cells("winner", lambda row: {"a": "LARK", "b": "Wren"}.get(row["winner"], "tie")),
        "fine",
        commands=["prefer"],
    ),
    Mistake(
        "a winner that differs in case from the other system",
        both(cells("system_a", "b"), cells("system_b", "a"), cells("winner", "A")),
        "error",
        "the winner 'A' may mean the system 'a', which is the second system, or the first system",
        commands=["prefer"],
    ),
    Mistake(
        "systems in two cases in votes",
        both(cells("system_a", "Lark", 1, 3, 4, 6, 7, 8), cells("winner", "tie", 1, 3, 4, 6)),
        "warning",
        f"systems 'lark' and 'Lark' differ in case only {COUNT_AS_TWO}",
        commands=["prefer"],
    ),
    Mistake("a vote twice", added(0), "error", "--duplicates first or last", commands=["prefer"]),
]


# ---- entrances -------------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What a call says: whether it fails, all its sentences without what differs by entrance, and its numbers."""

    is_error: bool
    said: str
    numbers: list[float]


def from_file(command: str, rows: Rows, options: Mapping[str, Any], folder: Path) -> tuple[bool, list[float]]:
    """Runs a command on a table of rows, and returns whether it fails, and the numbers of its result."""
    path, output = folder / "ratings.csv", folder / "result.json"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
    flags = [word for name, value in options.items() for word in words_of(name, value)]
    code = main([command, str(path), *flags, "--output-file", str(output)])
    return code != 0, numbers_of(command, read_json(output)) if code == 0 else []


def words_of(name: str, value: Any) -> list[str]:
    """Returns an option of Python as words of the command line."""
    flag = f"--{name.removesuffix('s' if name == 'metrics' else '').replace('_', '-')}"
    if isinstance(value, dict):
        return [
            flag,
            ",".join(
                f"{key}={'+'.join([of_key] if isinstance(of_key, str) else of_key)}" for key, of_key in value.items()
            ),
        ]
    return [flag, *map(str, value if isinstance(value, list) else [value])]


def numbers_of(command: str, result: Any) -> list[float]:
    """Returns the numbers that a command is called for."""
    if command == "agreement":
        return [result["ratings"][0]["agreement"][0]["value"]]
    if command == "correlate":
        return [result["global"]["num_summaries"], result["global"]["pearson"]["value"]]
    if command == "test-judge":
        return [result["judges"][0][name]["value"] for name in ("signed_error", "advantage_probability")]
    if command == "estimate":
        return [one["mean"]["classical"]["value"] for one in result["judges"][0]["systems"]]
    return [result["votes"], *(one["strength"] for one in result["systems"])]


def plain(sentences: str) -> str:
    """Returns sentences without what differs by entrance: places, and arguments in place of flags."""
    sentences = re.sub(r"([^\s(]*ratings\.csv|ratings|scores|votes)(:\d+|\[\d+\])", "PLACE", sentences)
    sentences = re.sub(r"\S*ratings\.csv|(?<= )of (ratings|scores|votes)\b", "FILE", sentences)
    pairs = r"\['\w+'(, '\w+')+\]"
    sentences = re.sub(pairs, lambda found: repr("+".join(re.findall(r"\w+", found[0]))), sentences)
    sentences = re.sub(r"columns=\{'(\w+)': '?([^'}]+)'?\}", r"--columns \1=\2", sentences)
    sentences = sentences.replace("data_sets=", "task_column=")
    sentences = re.sub(r"'(columns|rating|human|judges|cluster)'", r"--\1", sentences)
    sentences = re.sub(r"\b(missing|scale|duplicates|keep)=", r"--\1 ", sentences)
    sentences = re.sub(r"(?<=--)(\w+) '([^']*)'", r"\1 \2", sentences).replace("or 'last'", "or last")
    sentences = re.sub(r"PLACE(, \d+)*,? and \d+ more \w+|PLACE(, \d+)+", "PLACE", sentences)
    sentences = re.sub(r"for categories, use (--labels|labels=True); ", "", sentences)  # not all commands have labels
    return re.sub(r"\blabels=True", "--labels", re.sub(r"fw: (error|warning): |\(\d+( \w+)?\)", "", sentences))


def outcome(
    command: str, rows: Rows, options: Mapping[str, Any], folder: Path | None, capsys: pytest.CaptureFixture[str]
) -> Outcome:
    """Returns what a call says, of a file in a folder or of rows in memory."""
    given = {**OPTIONS[command], **options}
    if folder is not None:
        is_error, found = from_file(command, rows, given, folder)
        captured = capsys.readouterr()
        return Outcome(is_error, plain(captured.err + captured.out), found)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = FUNCTIONS[command](rows, **given)
        except FwError as error:
            return Outcome(True, plain(str(error)), [])
    said = "\n".join([*(str(warning.message) for warning in caught), str(result)])
    return Outcome(False, plain(said), numbers_of(command, result.as_json()))


def sentence(words: str, said: str) -> str:
    """Returns the sentence with the words; an empty string if there is none."""
    found = re.search(words, " ".join(said.split()))
    return found[0] if found else ""


def shortened(found: Outcome) -> str:
    return " ".join(found.said.split())[:300] if found.is_error else "no error, and no such sentence"


@pytest.mark.parametrize("make", [tuple, list])
def test_rows_without_names_meet_one_sentence(make: Callable[[Any], Any]) -> None:
    said = set()
    for command in ALL:
        rows = [make(row.values()) for row in rows_of(command)]
        with pytest.raises(InputError) as error:
            FUNCTIONS[command](rows, **OPTIONS[command])
        said.add(re.sub(r"'\w+\[0\]'|got .*?;", "…", str(error.value)))
    (only,) = said
    assert only.endswith("pass [dict(zip(NAMES, row)) for row in rows]")


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.name for mistake in MISTAKES])
def test_a_mistake_meets_the_same_verdict_in_the_same_sentence(
    mistake: Mistake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, sentences = [], set()
    for command in mistake.commands:
        for folder in (tmp_path, None):
            rows, clean = rows_of(command), rows_of(command)
            mistake.change(rows)
            found = outcome(command, rows, mistake.options, folder, capsys)
            entrance = f"{command}, {'a file' if folder else 'memory'}"
            if mistake.verdict == "fine":
                expected = outcome(command, clean, {}, folder, capsys)
                if found.is_error or found.numbers != expected.numbers:
                    wrong.append(f"{entrance}: {shortened(found) if found.is_error else 'other numbers'}")
            else:
                sentences.add(sentence(mistake.words, found.said))
                if found.is_error != (mistake.verdict == "error") or not sentence(mistake.words, found.said):
                    wrong.append(f"{entrance}: {shortened(found)}")
    assert not wrong, "\n".join(wrong)
    assert len(sentences) < 2
