"""Scores written as Parquet are those written as JSON lines, for every command that reads scores."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import BOTH_INPUT_AND_OUTPUT, NOT_A_RESULT_OF_FW

from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.output_rows import ParquetRows
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.parquet import KEYS, SIGNATURE, has_scores, read_score_rows

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
pq = pytest.importorskip("pyarrow.parquet")

NUMBERS = st.floats(allow_infinity=False).map(lambda number: None if math.isnan(number) else number)
SCORES = st.dictionaries(st.sampled_from(["a", "b", "é"]), NUMBERS, max_size=3)
NESTED = st.fixed_dictionaries({"one": SCORES}, optional={"r": SCORES, "lists": st.lists(NUMBERS, max_size=3)})
ROWS = st.lists(NESTED, max_size=9)
DATA = Path(__file__).parents[3] / "datasets"


def written(rows: list[dict[str, Any]], path: Path, rows_per_group: int = 1000) -> str:
    with closing(ParquetRows()) as parquet, path.open("wb") as stream:
        parquet.rows_per_group = rows_per_group
        for row in rows:
            parquet.write(to_line(row))
        parquet.finish(stream)
    return str(path)


@settings(max_examples=30)
@given(metrics=ROWS)
def test_rows_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, metrics: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "rows.parquet"
    rows = [
        {"instance_id": str(number), "summarizer_id": "s", "summarizer_type": "peer", "metrics": scores}
        for number, scores in enumerate(metrics)
    ]
    if rows:
        rows[0]["signature"] = {"one": "one|é", "r": "r"}
    written(rows, path, rows_per_group=4)
    flat = [MetricsDict(row["metrics"]).flatten() for row in rows]
    names = dict.fromkeys(name for scores in flat for name in scores)
    assert has_scores(str(path))
    found = dict(read_score_rows(str(path), Problems()))
    assert list(found) == list(range(1, len(rows) + 1))
    for row, of_row, scores in zip(rows, found.values(), flat, strict=True):
        assert MetricsDict(of_row.pop("metrics")).flatten() == {name: scores.get(name) for name in names}
        assert of_row == {name: value for name, value in row.items() if name != "metrics"}
    assert pq.ParquetFile(path).num_row_groups == -(-len(rows) // 4)


ROW = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer", "metrics": {"a": 1.0}}
NO_NUMBER = r"the score 'a' must be a number in every row, .* ends in \.jsonl"
REFUSED: list[tuple[list[dict[str, Any]], str]] = [  # changes of each row, message
    *(([{"metrics": {"a": value}}], NO_NUMBER) for value in ("text", [1.0, "b"], 2**60, True)),
    ([{}, {"metrics": {"a": [1.0]}}], NO_NUMBER),
    ([{"instance_id": "\ud800"}], "is not valid Unicode, as Parquet needs"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_rows_that_parquet_cannot_hold_are_refused(tmp_path: Path, changes: list[Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        written([{**ROW, **change} for change in changes], tmp_path / "x.parquet")


@pytest.fixture
def outputs(tmp_path: Path) -> str:
    rows = [
        {
            "instance_id": str(number // 4),
            "summarizer_id": f"s{number % 4}",
            "summary": " ".join(["the", "cat", "sat", "on", "a", "mat"][: 1 + number * 7 % 6]),
            "references": ["the cat sat on the mat", "a cat sat"][: 1 + number // 4 % 2],
        }
        for number in range(60)
    ]
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(map(to_line, rows)), encoding="utf-8")
    return str(path)


Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    def run_fw(*words: str, code: int = 0) -> str:
        assert main(list(words)) == code
        printed = capsys.readouterr()
        return printed.out + printed.err

    return run_fw


@pytest.mark.parametrize(("command", "jobs"), [("evaluate", "2"), ("score", "1")])
def test_commands_read_scores_from_parquet_as_from_json_lines(
    outputs: str, tmp_path: Path, run: Run, command: str, jobs: str
) -> None:
    for ending in ("jsonl", "parquet"):
        files = [str(tmp_path / f"scores.{ending}")]
        if command == "evaluate":
            files.insert(0, str(tmp_path / f"{ending}.json"))
        run(command, *files, "-m", "ter", "bleu", "rouge", "--input-files", outputs, "-q", "--jobs", jobs)
    text, binary = str(tmp_path / "scores.jsonl"), str(tmp_path / "scores.parquet")
    for words in (
        ["correlate", "{}", "--metrics", "ter", "rouge-1_f1", "--silent"],
        ["correlate", "{}", outputs.replace("outputs", "scores"), "--metrics", "bleu_bp", "ter", "--silent"],
    ):
        found = [run(*(word.format(path) for word in words)).replace(path, "FILE") for path in (text, binary)]
        assert found[0] == found[1]
        assert "|" in found[0]  # the signature


def test_an_existing_result_is_replaced_and_other_files_are_not(outputs: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "scores.parquet"
    for _ in range(2):
        run("ter", "score", str(path), "--input-files", outputs, "-q")
    before = path.read_bytes()
    assert BOTH_INPUT_AND_OUTPUT in run("ter", "score", str(path), "--input-files", str(path), code=2)
    foreign = tmp_path / "foreign.parquet"
    pq.write_table(pq.read_table(path).replace_schema_metadata({}), foreign)
    assert NOT_A_RESULT_OF_FW in run("ter", "score", str(foreign), "--input-files", outputs, code=2)
    assert "ends in .json" in run("ter", "evaluate", str(path), "--input-files", outputs, code=2)
    assert "Parquet is compressed already" in run("ter", "score", f"{path}.gz", "--input-files", outputs, code=2)
    assert path.read_bytes() == before


def test_a_full_disk_leaves_nothing(outputs: str) -> None:
    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, _: Any, /) -> int:
            raise OSError(28, "No space left on device", "x.parquet")

    with closing(ParquetRows()) as rows:
        rows.write(to_line(ROW))
        with pytest.raises(OSError, match="No space left on device"):
            rows.finish(Full())


DAMAGED = [  # metadata of the file, metadata of the columns 'a' and 'a_b', message
    ("{", {}, "has metadata of metrics_framework that are not JSON"),
    ("{}", {"a": "5"}, "the column 'a' has metadata metrics_framework.keys that are not a list of strings"),
    ("{}", {"a": "[]"}, "the column 'a' has metadata metrics_framework.keys that are not a list of strings"),
    ("{}", {"a_b": '["a", "b"]'}, "the column 'a' is one score, and other columns are parts of it"),
]


@pytest.mark.parametrize(("signature", "keys", "message"), DAMAGED)
def test_metadata_of_another_form_are_refused(
    tmp_path: Path, signature: str, keys: dict[str, str], message: str
) -> None:
    fields = [
        pa.field(name, pa.float64(), metadata={KEYS: keys[name]} if name in keys else None) for name in ("a", "a_b")
    ]
    schema = pa.schema([pa.field("instance_id", pa.string()), *fields], metadata={SIGNATURE: signature})
    path = str(tmp_path / "scores.parquet")
    pq.write_table(pa.table([["1"], [1.0], [2.0]], schema=schema), path)
    with pytest.raises(DataError, match=re.escape(f"{path}: {message}")):
        list(read_score_rows(path, Problems()))
