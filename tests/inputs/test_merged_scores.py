"""Scores in columns equal those of a plain reader that merges one row after the other."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from messages import MEAN_HAS_NO_MEANING

from metrics_framework.common.errors import DataError, DataErrors, InputError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.inputs.rating_rows import RatingRules
from metrics_framework.inputs.score_files import ScoreFiles, read_score_files
from metrics_framework.inputs.score_matrices import as_number
from metrics_framework.metrics.base.direction import known_metrics

Unit = tuple[str, str]
Row = dict[str, Any]


def read_plainly(files: Sequence[Sequence[Row]]) -> tuple[dict[Unit, MetricsDict], int]:
    """Returns the merged scores of each output, and the number of contradictions."""
    merged: dict[Unit, MetricsDict] = {}
    contradictions = 0
    for row in (row for rows in files for row in rows):
        unit = row["instance_id"], row["summarizer_id"]
        try:
            merged[unit] = merged.get(unit, MetricsDict()).merge(row["metrics"])
        except InputError:
            contradictions += 1
    flat = {}
    for unit, scores in merged.items():
        try:
            flat[unit] = scores.flatten()
        except InputError:
            contradictions += 1
    return flat, contradictions


def read(files: Sequence[Sequence[Row]]) -> ScoreFiles:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.jsonl" for number in range(len(files))]
        for path, rows in zip(paths, files, strict=True):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return read_score_files([str(path) for path in paths], metrics=known_metrics())


NUMBERS = st.sampled_from([0.5, -0.5, 1.0, 1, 2.5, 3, 0.1 + 0.2, 0.3, math.nan, None, 2**53 + 1, 10**30])
VALUES = st.one_of(NUMBERS, st.lists(st.sampled_from([1, 2.5, None]), max_size=3))
NAMES = st.sampled_from(["m", "m_jk", "a_b", "bleu_precisions", "h", "q"])
SCORES = st.dictionaries(
    NAMES, st.one_of(VALUES, st.dictionaries(st.sampled_from("bx"), VALUES, max_size=2)), max_size=4
)
UNITS = st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("ab")), unique=True, min_size=1, max_size=6)


@st.composite
def file_rows(draw: st.DrawFn) -> list[Row]:
    units = draw(UNITS)
    return [{"instance_id": i, "summarizer_id": s, "metrics": draw(SCORES)} for i, s in units]


def in_order(value: Any) -> str:
    """Returns scores with their types, in their order."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {in_order(score)}" for name, score in value.items()) + "}"
    return repr(value)


def rows(**scores: Any) -> list[Row]:
    return [{"instance_id": "1", "summarizer_id": "a", "metrics": scores}]


@settings(max_examples=40, deadline=None)
@given(st.lists(file_rows(), min_size=1, max_size=3))
@example([[{**rows(m=1, **{f"n{i}": i})[0], "instance_id": str(i)} for i in range(80)]] * 2)  # many sets of names
@example([rows(m=0.1 + 0.2), rows(m=0.3), rows(h=1)])  # equal but for the last digits
@example([rows(m=1), rows(m=1.0)])
@example([rows(m=math.nan), rows(m=None)])
@example([rows(a={}), rows(a={"b": 1})])
@example([rows(a={}), rows(a=1)])
@example([rows(a=1), rows(a={"b": 1})])
@example([rows(a={"b": 1}), rows(a=1)])
@example([rows(a={"b": 1}, x=1), rows(a={"x": 2}), rows(a_b=1)])
@example([rows(m=[1, None]), rows(m=[1, None]), rows(m=[None, 1])])
@example([rows(m=1), rows(m=2, h=5), rows(h=6), rows(h=7)])  # a row that contradicts is not merged
def test_rows_are_merged_as_one_after_the_other(files: list[list[Row]]) -> None:
    expected, contradictions = read_plainly(files)
    if contradictions:
        with pytest.raises(DataError) as caught:
            read(files)
        assert getattr(caught.value, "count", 1) == contradictions
        return
    found = read(files).rows
    assert [(row.instance_id, row.summarizer_id) for row in found] == list(expected)
    assert [in_order(row.metrics) for row in found] == [in_order(scores) for scores in expected.values()]


def score_of(scores: Any, name: str) -> Any:
    """Returns a score, or a number of a list of a metric by its name; `None` if there is neither."""
    owner, _, index = name.rpartition("_")
    of_metric = {key: parts for key, parts in scores.items() if key.startswith("bleu_") and isinstance(parts, list)}
    if of_metric.get(name):
        raise UsageError("a list of different numbers")
    parts = dict(enumerate(of_metric.get(owner, ()), 1))
    return scores[name] if name in scores else parts.get(int(index)) if index.isdigit() else None


@settings(max_examples=40, deadline=None)
@given(st.lists(file_rows(), min_size=1, max_size=2), st.lists(NAMES, min_size=1, max_size=3))
def test_columns_have_the_scores_of_rows(files: list[list[Row]], names: list[str]) -> None:
    if read_plainly(files)[1]:
        return
    read_files = read(files)
    try:
        expected = {name: [as_number(score_of(row.metrics, name)) for row in read_files.rows] for name in names}
    except UsageError:
        with pytest.raises(UsageError, match=rf"{MEAN_HAS_NO_MEANING}|unknown metric"):
            read_files.columns(names)
        return
    if not all(name in read_files.scores.names for name in names):
        with pytest.raises(UsageError, match="unknown metric"):
            read_files.columns(names)
        return
    columns = read_files.columns(names)
    for index, row in enumerate(read_files.rows):
        cell = columns.systems.index(row.summarizer_id), columns.inputs.index(row.instance_id)
        assert columns.present[cell]
        for name, values in expected.items():
            np.testing.assert_equal(columns.scores[name][cell], values[index])


def test_numbers_of_lists_are_selected_by_their_names() -> None:
    lines = [*rows(bleu_precisions=[10.0, 20.0]), {**rows(bleu_precisions=[30.0])[0], "summarizer_id": "b"}]
    found = read([lines, [{**lines[1], "metrics": {"ter": 1}}]])
    columns = found.columns(["bleu_precisions_1", "bleu_precisions_2"])
    assert [columns.scores[f"bleu_precisions_{number}"].tolist() for number in (1, 2)] == [
        [[10.0], [30.0]],
        [[20.0], [pytest.approx(math.nan, nan_ok=True)]],
    ]


def test_rows_that_are_replaced_keep_their_place(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [rows(m=1.0)[0], {**rows(m=2.0)[0], "summarizer_id": "b"}, rows(h=3)[0]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = read_score_files([str(path)], rules=RatingRules(duplicates="last")).rows
    assert [(row.summarizer_id, dict(row.metrics)) for row in found] == [("a", {"h": 3}), ("b", {"m": 2.0})]


def test_problems_with_replaced_rows_are_in_the_order_of_outputs(tmp_path: Path) -> None:
    other = {"instance_id": "1", "summarizer_id": "b"}
    first, second = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    first.write_text("".join(json.dumps(row) + "\n" for row in [*rows(m=1), {**other, "metrics": {"m": 1}}]))
    lines = [*rows(m=1), {**other, "metrics": {"m": 2}}, *rows(m=3)]
    second.write_text("".join(json.dumps(row) + "\n" for row in lines))
    with pytest.raises(DataErrors) as caught:
        read_score_files([str(first), str(second)], rules=RatingRules(duplicates="last"))
    assert [problem.line for problem in caught.value.problems] == [3, 2]
