"""Tables as people have them, of many programs: every command reads them and finds the numbers of one study."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from copy import deepcopy
from csv import DictReader
from dataclasses import make_dataclass
from functools import reduce
from math import fsum, log, sqrt
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from json_files import read_json, read_rows
from messages import POOLED
from tables_as_people_have_them import (
    CONVERTED,
    DOCCANO,
    EDITS,
    JUDGED,
    OUTPUT_FILES,
    PER_RATER,
    POTATO,
    RATERS,
    RATING_TABLES,
    RATINGS,
    ROWS,
    TEXT_ROWS,
    VOTE_TABLES,
    VOTES,
    WORDS,
    Outputs,
    Table,
    Votes,
    write,
)

import metrics_framework as fw
from metrics_framework.commands.app import main

Run: TypeAlias = "Callable[..., dict[str, Any]]"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def result(command: str, *arguments: str) -> dict[str, Any]:
        path = tmp_path / "result.json"
        assert main([command, *arguments, "--output-file", str(path)]) == 0, capsys.readouterr().err
        content: dict[str, Any] = read_json(path)
        return content

    return result


# ---- the numbers of the study, by formulas ---------------------------------------------------------------------------


def mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def alpha() -> float:
    """Returns Krippendorff's α for intervals: 1 − (squared differences within outputs) / (those of all pairs)."""
    outputs = [ratings for ratings, _ in RATINGS.values()]
    values = [value for ratings in outputs for value in ratings]
    within = fsum((x - y) ** 2 / (len(ratings) - 1) for ratings in outputs for x in ratings for y in ratings)
    between = fsum((x - y) ** 2 / (len(values) - 1) for x in values for y in values)
    return 1 - within / between


def correlation() -> float:
    """Returns Pearson's r of the judge and the means of raters, over all outputs."""
    xs, ys = [judge for _, judge in RATINGS.values()], [mean(ratings) for ratings, _ in RATINGS.values()]
    x, y = mean(xs), mean(ys)
    products = fsum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return products / sqrt(fsum((a - x) ** 2 for a in xs) * fsum((b - y) ** 2 for b in ys))


def mean_of(system: str) -> float:
    return mean([value for (_, name), (ratings, _) in RATINGS.items() if name == system for value in ratings])


def signed_error(times: float) -> float:
    """Returns the mean of the differences of the judge and each rater."""
    return mean([judge - times * value for ratings, judge in RATINGS.values() for value in ratings])


FLAGS = {
    "agreement": ["--rating", "{rating}"],
    "correlate": [
        *("--human", "{rating}", "--metric", "judge"),
        *("--levels", "global", "--coefficients", "pearson", "--ci", "none"),
    ],
    "test-judge": ["--rating", "{rating}", "--judge", "judge", "--min-units", "4"],
    "estimate": ["--rating", "{rating}", "--judge", "judge"],
}


def check(command: str, result: dict[str, Any], times: float = 1) -> None:
    """Asserts that the result of a command has the numbers of the study, whose ratings are multiplied."""
    if command == "agreement":
        (ratings,) = result["ratings"]
        (found,) = ratings["agreement"]
        assert (found["units"], found["ratings"]) == (len(RATINGS), 3 * len(RATINGS))
        assert found["value"] == pytest.approx(alpha())
    elif command == "correlate":
        assert result["global"]["num_summaries"] == len(RATINGS)
        assert result["global"]["pearson"]["value"] == pytest.approx(correlation())
    elif command == "test-judge":
        judge = result["judges"][0]
        assert [len(judge["raters"]), *(rater["n"] for rater in judge["raters"])] == [3, *[len(RATINGS)] * 3]
        assert judge["signed_error"]["value"] == pytest.approx(signed_error(times))
    else:
        (judge,) = result["judges"]
        means = {one["system"]: one["mean"]["classical"]["value"] for one in judge["systems"]}
        assert means == {name: pytest.approx(times * mean_of(name)) for name in EDITS}


# ---- the tables ------------------------------------------------------------------------------------------------------

RATING_CASES = [
    pytest.param(table, command, id=f"{command}-{table.name}") for table in RATING_TABLES for command in table.commands
]


@pytest.mark.parametrize(("table", "command"), RATING_CASES)
def test_ratings(table: Table, command: str, run: Run, tmp_path: Path) -> None:
    if table.file.endswith(".xlsx"):
        pytest.importorskip("openpyxl")
    path = write(tmp_path, table.file, table.content)
    flags = [flag.format(rating=table.rating) for flag in FLAGS[command]]
    if command != "correlate" and {"--raters", "--systems"}.intersection(table.flags):
        flags = flags[2:]  # the columns are the ratings
    check(command, run(command, path, *flags, *table.flags), table.times)


@pytest.mark.parametrize(("files", "rating"), [(DOCCANO, "label"), (PER_RATER, "quality")], ids=["Doccano", "tables"])
@pytest.mark.parametrize("command", FLAGS)
def test_one_file_per_rater(
    command: str, files: dict[str, str], rating: str, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *others = [write(tmp_path, file, content) for file, content in files.items()]
    paths = [f"ann={first}", *others, write(tmp_path, "judge.csv", JUDGED)]
    check(
        command,
        run(command, *paths, *(flag.format(rating=rating) for flag in FLAGS[command]), "--rater-column", "FILE"),
    )
    assert f"{POOLED}: 'ann' (" in capsys.readouterr().err


def test_one_folder_per_user_of_potato(run: Run, tmp_path: Path) -> None:
    for rater in RATERS:
        (tmp_path / rater).mkdir()
    paths = [write(tmp_path, file, content) for file, content in POTATO.items()]
    check("agreement", run("agreement", *paths, "--rating", "quality"))
    (found,) = run("agreement", *paths, "--rating", "kind", "--labels")["ratings"]
    assert (found["raters"], found["categories"]) == ([*RATERS], ["a summary"])


def test_one_table_per_rater_in_memory() -> None:
    tables = {name.partition(".")[0]: [*DictReader(content.splitlines())] for name, content in PER_RATER.items()}
    result = fw.agreement(tables, "quality", rater_column="FILE", pairwise=True)
    assert result.to_records()[0]["value"] == pytest.approx(alpha())
    assert {rater for pair in result["quality"].pairs for rater in (pair.rater1, pair.rater2)} == {*tables}


FORMS = [table for table in RATING_TABLES[-21:] if not table.flags]  # exports of tools and nested rows


@pytest.mark.filterwarnings("ignore:left out")
@pytest.mark.parametrize("in_frame", [False, True], ids=["rows", "frame"])
@pytest.mark.parametrize("table", FORMS, ids=[table.name for table in FORMS])
def test_forms_in_memory(table: Table, in_frame: bool, tmp_path: Path) -> None:
    path = write(tmp_path, table.file, table.content)
    if path.endswith(".csv"):
        rows = [*DictReader(Path(path).read_text(encoding="utf-8").splitlines())]
    else:
        rows = read_rows(path) if path.endswith(".jsonl") else read_json(path)
    given = pytest.importorskip("pandas").DataFrame(rows) if in_frame else deepcopy(rows)
    (agreement,) = fw.agreement(given, table.rating).to_records()
    assert (agreement["units"], agreement["value"]) == (len(RATINGS), pytest.approx(alpha()))
    assert in_frame or given == rows


@pytest.mark.parametrize(("name", "file", "content", "score", "line"), CONVERTED, ids=[one[0] for one in CONVERTED])
def test_converted_ratings(
    name: str, file: str, content: str, score: str, line: tuple[float, float], run: Run, tmp_path: Path
) -> None:
    path, rows = write(tmp_path, file, content), str(tmp_path / "rows.jsonl")
    assert main(["convert-ratings", name, path, rows]) == 0
    check("agreement", run("agreement", rows, "--rating", score))
    means = {
        system: mean(
            [value for row in read_rows(rows) if row["summarizer_id"] == system for value in row["metrics"][score]]
        )
        for system in EDITS
    }
    assert means == {system: pytest.approx(line[0] * mean_of(system) + line[1]) for system in EDITS}


@pytest.mark.parametrize("outputs", OUTPUT_FILES, ids=[outputs.name for outputs in OUTPUT_FILES])
def test_outputs(outputs: Outputs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if any(file.endswith(".xlsx") for file in outputs.files):
        pytest.importorskip("openpyxl")
    files = [write(tmp_path, file, content) for file, content in outputs.files.items()]
    arguments = [argument.format(tmp_path) for argument in outputs.arguments] or ["--input-files", *files]
    macro = tmp_path / "macro.json"
    assert main(["evaluate", str(macro), *arguments, "--metric", "wer"]) == 0, capsys.readouterr().err
    systems = read_json(macro)["systems"]
    found = {system: scores["wer"] for system, scores in systems.items()}
    assert found == {system: pytest.approx(100 * edits / WORDS) for system, edits in EDITS.items()}


@pytest.mark.parametrize("votes", VOTE_TABLES, ids=[votes.name for votes in VOTE_TABLES])
def test_votes(votes: Votes, run: Run, tmp_path: Path) -> None:
    result = run("prefer", write(tmp_path, votes.file, votes.content))
    wins = sum(winner == "lark" for _, winner in VOTES) + sum(not winner for _, winner in VOTES) / 2
    assert (result["votes"], result["inputs"]) == (len(VOTES), len(VOTES))
    strengths = {one["system"]: one["strength"] for one in result["systems"]}
    half = log(wins / (len(VOTES) - wins)) / 2  # of two systems, Bradley–Terry has the logit of the win rate
    assert strengths == {"lark": pytest.approx(half), "wren": pytest.approx(-half)}


# ---- tables in memory ------------------------------------------------------------------------------------------------

Rows: TypeAlias = "list[dict[str, Any]]"


def _columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _frame(library: str, *names: str) -> Callable[[Rows], Any]:
    def make(rows: Rows) -> Any:
        of_library = pytest.importorskip(library)
        return reduce(getattr, names, of_library)(_columns(rows))

    return make


def _objects(rows: Rows) -> list[Any]:
    kind = make_dataclass("Row", list(rows[0]))
    return [kind(**row) for row in rows]


def _named_tuples(rows: Rows) -> list[Any]:
    kind = namedtuple("Row", list(rows[0]))
    return [kind(**row) for row in rows]


MEMORY: dict[str, Callable[[Rows], Any]] = {
    "rows": list,
    "a generator of rows": iter,
    "a tuple of rows": tuple,
    "dataclasses": _objects,
    "named tuples": _named_tuples,
    "columns": _columns,
    "pandas": _frame("pandas", "DataFrame"),
    "pandas with ids as the index": lambda rows: _frame("pandas", "DataFrame")(rows).set_index(next(iter(rows[0]))),
    "pandas with a filtered index": lambda rows: _frame("pandas", "DataFrame")([*rows, *rows]).iloc[len(rows) :],
    "Series of pandas": lambda rows: [row for _, row in _frame("pandas", "DataFrame")(rows).iterrows()],
    "polars": _frame("polars", "DataFrame"),
    "Arrow": _frame("pyarrow", "table"),
}


@pytest.mark.parametrize("make", MEMORY.values(), ids=MEMORY)
def test_outputs_in_memory(make: Callable[[Rows], Any]) -> None:
    found = {one["system"]: one["wer"] for one in fw.evaluate("wer", make(TEXT_ROWS)).to_records()}
    assert found == {system: pytest.approx(100 * edits / WORDS) for system, edits in EDITS.items()}


@pytest.mark.filterwarnings("ignore::UserWarning")  # of few ratings
@pytest.mark.parametrize("make", MEMORY.values(), ids=MEMORY)
def test_ratings_in_memory(make: Callable[[Rows], Any]) -> None:
    (agreement,) = fw.agreement(make(ROWS), "quality").to_records()
    assert (agreement["units"], agreement["value"]) == (len(RATINGS), pytest.approx(alpha()))
    levels = {"levels": "global", "coefficients": "pearson", "ci": "none"}
    (correlated,) = fw.correlate(make(ROWS), "judge", "quality", **levels).to_records()
    assert (correlated["n"], correlated["value"]) == (len(RATINGS), pytest.approx(correlation()))
    judged = fw.judge(make(ROWS), "quality", "judge", min_units=4).to_records()[0]
    assert judged["signed_error"] == pytest.approx(signed_error(1))
    records = fw.estimate(make(ROWS), "quality", "judge").to_records()
    estimated = {one["system"]: one["classical_value"] for one in records if one["minus"] is None}
    assert estimated == {name: pytest.approx(mean_of(name)) for name in EDITS}
