"""Ids in one spelling, names that are alike, and ids that name several inputs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from messages import COUNT_AS_TWO, DIFFER_IN_INVISIBLE_CHARACTERS, IDS_RESTART_IN_EACH_DATA_SET

import metrics_framework as fw
from metrics_framework.common.errors import DataError, ListName
from metrics_framework.data.fields import parse_id, plain_ids
from metrics_framework.data.texts import SPELLINGS
from metrics_framework.inputs.keys import (
    LongRow,
    find_contradiction,
    moved_ids,
    similar_names,
    whole_ids,
    with_whole_ids,
)
from metrics_framework.inputs.rating_rows import RatingsInMemory
from metrics_framework.inputs.ratings import read_long_tables

ALIKE = [  # names, how they differ
    (["Ann", "ann"], "case"),
    (["Ann", "Ann "], "spaces"),
    (["Ann B", "AnnB"], "spaces"),
    (["sys1", "sys\uff11"], "width"),
    (["sys", "sys\u200b"], DIFFER_IN_INVISIBLE_CHARACTERS),
]


@pytest.mark.parametrize(("names", "how"), ALIKE)
def test_names_that_are_alike_are_reported(names: list[str], how: str) -> None:
    message = similar_names("systems", dict.fromkeys([*names, "other"], 3), "output")
    assert message is not None
    assert f"differ in {how} only {COUNT_AS_TWO}" in message
    assert "(3 outputs)" in message
    assert similar_names("systems", dict.fromkeys([names[0], "other"], 3)) is None


@pytest.mark.parametrize("word", sorted(SPELLINGS))
def test_spellings_of_missing_values_are_no_ids(word: str) -> None:
    for spelling in (word, word.upper(), f" {word} "):
        assert plain_ids(["1", spelling]) is None
        with pytest.raises(DataError, match="rows need an id"):
            parse_id(spelling, "instance_id")


WHOLE = [  # ids, as they are read
    (["1.0", "2.00", "30.0"], ["1", "2", "30"]),
    (["1.0", "a.0"], ["1", "a.0"]),
    (["1.0", "1.1"], ["1.0", "1.1"]),
    (["01", "1"], ["01", "1"]),
]


@pytest.mark.parametrize(("ids", "expected"), WHOLE)
def test_whole_numbers_have_one_spelling(ids: list[str], expected: list[str]) -> None:
    assert whole_ids(ids) == expected
    rows = with_whole_ids(iter([(line, {"instance_id": name}) for line, name in enumerate(ids, 2)]))
    assert [(line, row["instance_id"]) for line, row in rows] == [*enumerate(expected, 2)]


NAMES_OF_SYSTEMS = [  # keys of a dictionary, message
    ([1, "1"], "the keys 1 and '1' of 'outputs' are one name; rename one of them"),
    (["A", "A "], "the keys 'A' and 'A ' of 'outputs' are one name; rename one of them"),
    ([None, "A"], "'the key None of outputs' is null: rows need an id"),
    (["nan", "A"], "'the key 'nan' of outputs' is 'nan': rows need an id"),
]


@pytest.mark.parametrize(("names", "message"), NAMES_OF_SYSTEMS)
def test_keys_of_outputs_are_names_of_systems(names: list[Any], message: str) -> None:
    for function in (fw.evaluate, fw.compare):
        with pytest.raises(fw.InputError) as caught:
            function("ter", {name: ["a b"] for name in names}, references=["a"])
        assert str(caught.value) == message


def numbered(start: int, stop: int) -> set[str]:
    return {str(number) for number in range(start, stop)}


MOVED = [  # ids of two files, whether they look moved by one, why
    (numbered(1, 21), numbered(0, 20), True, "from 0 and from 1"),
    (numbered(0, 20), numbered(1, 21), True, "from 1 and from 0"),
    (numbered(7, 27), numbered(8, 28), True, "all rows are moved"),
    (numbered(11, 21), numbered(0, 20), True, "some are rated, the last one, too"),
    (numbered(0, 9), numbered(1, 21), True, "some are rated, the first one, too"),
    (numbered(1, 21), numbered(1, 20), False, "one is missing"),
    (numbered(2, 21), numbered(1, 19), False, "two are missing"),
    (numbered(5, 15), numbered(0, 20), False, "some are rated"),
    (numbered(0, 4), numbered(1, 5), False, "few"),
    (numbered(1, 21), {f"s{name}" for name in numbered(0, 20)}, False, "no numbers"),
    (numbered(1, 21), numbered(2, 22), True, "moved, without 0"),
    ({*numbered(1, 21), "9" * 5000}, {*numbered(2, 22), "9" * 5000}, False, "more digits than Python reads"),
]


@pytest.mark.parametrize(("first", "second", "expected", "why"), MOVED, ids=[why for *_, why in MOVED])
def test_ids_that_are_moved_by_one_are_told(first: set[str], second: set[str], expected: bool, why: str) -> None:
    assert len([*moved_ids({"a.csv": first, "b.csv": second})]) == expected


JOINS: dict[str, Callable[..., Any]] = {
    "correlate": lambda new, old, log: fw.correlate([new, old], "m", "q", ci="none", log=log),
    "judge": lambda new, old, log: fw.judge([old, new], rating="q", judges="m", log=log),
    "estimate": lambda new, old, log: fw.estimate([old, new], rating="q", judges="m", log=log),
    "compare": lambda new, old, log: fw.compare(scores=[new, old], names=["x"], log=log),
    "gate": lambda new, old, log: fw.gate(new, old, metric="x", system="new", baseline="old", log=log),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", JOINS)
def test_all_that_join_files_tell_of_ids_that_are_moved_by_one(name: str, tmp_path: Path) -> None:
    paths = []
    for file, column, start in (("new", "m", 1), ("old", "q", 0)):
        system = file if name in ("compare", "gate") else "s"
        raters = ["u", "v"] if column == "q" and name in ("judge", "estimate") else [None]
        rows = [
            {"id": i, "system": system, "rater": rater, column: (i + (rater == "u")) % 5, "x": i % 3}
            for i in range(start, start + 40)
            for rater in raters
        ]
        rows = [{key: value for key, value in one.items() if value is not None} for one in rows]
        paths.append(str(tmp_path / f"{file}.jsonl"))
        Path(paths[-1]).write_text("".join(f"{json.dumps(one)}\n" for one in rows), encoding="utf-8")
    told = list[str]()
    JOINS[name](*paths, told.append)
    assert [one for one in told if "ids look moved by one" in one]


def row(line: int, name: str, **cells: Any) -> LongRow:
    return LongRow(name, "s", None, cells, "x.csv", line)


RESTARTED = [row(4 * d + i, str(i), doc=f"d{d}", seg_id=i, lp="en-de") for d in (1, 2) for i in range(4)]
CONTRADICTIONS = [  # rows, message
    (RESTARTED, "has two documents: 'd1' (x.csv:4) and 'd2' (x.csv:8), and so have 3 other inputs; if ids restart in "
     "each document, use --columns instance_id=doc+seg_id"),
    ([row(n, str(n % 2), lp=lp) for n, lp in enumerate(["en-de", "en-de", "en-cs", "en-cs"])],
     "has two data sets: 'en-de' (x.csv:0) and 'en-cs' (x.csv:2), and so have 1 other input; "
     f"{IDS_RESTART_IN_EACH_DATA_SET} --columns instance_id=lp+seg_id or --task-column lp"),
    ([row(n, str(n % 2), source=f"text {n}", batch=n // 2) for n in range(4)],
     "has two sources: 'text 0' (x.csv:0) and 'text 2' (x.csv:2), and so have 1 other input; if ids restart in each "
     "'batch', use --columns instance_id=batch+seg_id"),
    ([row(1, "a", src="one"), row(2, "a", src="two")],
     "has two sources: 'one' (x.csv:1) and 'two' (x.csv:2); the rows need another id"),
]  # fmt: skip


CHANGED = [  # columns of two ratings of one output, whether they are refused, why
    ({"output": ["A cat.", "A dog."]}, "two texts: 'A cat.' (ratings[0]) and 'A dog.' (ratings[1]), and", "output"),
    ({"Hypothesis": ["A cat.", "A dog."]}, "two texts", "name of the output"),
    ({"system_type": ["peer", "reference"]}, "two types: 'peer'", "type"),
    (
        {"output": ["A", "B"], "batch": [1, 2]},
        "if ids restart in each 'batch', use columns=",
        "column that tells apart",
    ),
    ({"output": ["A", "B"], "system": ["", ""]}, "if the rows are by several systems, name them with columns=", "none"),
    ({"output": ["A cat.", None], "system_type": ["peer", ""]}, "", "missing cells agree with all"),
    ({"output": ["A", "B"], "system": ["s", "t"]}, "", "two systems"),
    ({"response": ["good", "bad"], "text": ["a", "b"]}, "", "names that may have another meaning"),
]


@pytest.mark.parametrize(("columns", "message", "why"), CHANGED, ids=[why for *_, why in CHANGED])
def test_texts_and_types_do_not_change_within_an_output(columns: dict[str, Any], message: str, why: str) -> None:
    cells = {"seg_id": "12", "system": "ss", "rater": "ab", "quality": "33", "batch": "11", **columns}
    rows = [{name: pair[i] for name, pair in cells.items() if pair[i] or name != "system"} for i in (0, 1)] * 2
    rows = [{**one, "seg_id": 1 + i // 2} for i, one in enumerate(rows)]
    with pytest.raises(DataError, match=re.escape(message)) if message else nullcontext():
        read_long_tables([RatingsInMemory(ListName("ratings"), rows)])


@pytest.mark.parametrize(("rows", "message"), CONTRADICTIONS)
def test_an_id_of_several_inputs_is_explained(rows: Any, message: str) -> None:
    problem = find_contradiction(rows, ["seg_id"], task_column=True)
    assert problem is not None
    assert problem.message.partition(" ")[2].partition(" ")[2] == message


def test_missing_cells_agree_with_all() -> None:
    rows = [row(1, "a", doc="d", source=""), row(2, "a", doc=None, source="x"), row(3, "a", doc="NA", source="x")]
    assert find_contradiction(rows) is None


ROWS = [
    {"seg_id": i, "doc": f"d{d}", "model": system, "output": f"cat {i}", "ref": f"cat {d}", "source": f"cat {d} {i}"}
    for system in ("a", "b")
    for d in range(3)
    for i in range(4)
]
EXPECTED = (
    "instance '0' has two documents: 'd0' ({0}) and 'd1' ({1}), and so have 3 other inputs; if ids restart in each "
    "document, use {2}"
)


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # both systems have the same outputs
def test_ids_that_restart_are_refused_at_every_entrance(tmp_path: Path) -> None:
    path = str(tmp_path / "x.jsonl")
    Path(path).write_text("".join(f"{json.dumps(one)}\n" for one in ROWS))
    how = "columns={'instance_id': ['doc', 'seg_id']}"
    expected = EXPECTED.format(f"{path}:1", f"{path}:5", how)
    for options in ({}, {"jobs": 2}, {"duplicates": "first"}, {"duplicates": "last"}):
        with pytest.raises(fw.DataError) as caught:
            fw.evaluate("ter", files=path, **options)
        assert str(caught.value) == expected
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = str(tmp_path / "x.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), table)
    with pytest.raises(fw.DataError) as caught:  # although the metric needs no document
        fw.evaluate("ter", files=table)
    expected = EXPECTED.format(f"{table}:row 1", f"{table}:row 5", how)
    assert str(caught.value) == expected
    in_memory = EXPECTED.format("rows[0]", "rows[4]", how)
    with pytest.raises(fw.DataError) as caught:
        fw.evaluate("ter", ROWS)
    assert str(caught.value) == in_memory
    pandas = pytest.importorskip("pandas")
    with pytest.raises(fw.DataError) as caught:
        fw.evaluate("ter", pandas.DataFrame(ROWS))
    assert str(caught.value) == in_memory
    joined = fw.evaluate("ter", files=path, columns={"instance_id": ["doc", "seg_id"]}, keep_outputs=True)
    assert joined.num_instances == 12
    assert joined.outputs[0].instance_id == "d0/0"


def test_systems_may_have_different_columns(tmp_path: Path) -> None:
    rows = [
        {"instance_id": i, "summarizer_id": system, "summary": f"cat {i}", "reference": "cat", "source": f"src {i}"}
        | ({"documents": [f"doc {i}"]} if system == "a" else {})
        | {"doc": str(i) if system == "a" else i}
        for system in ("a", "b")
        for i in range(20)
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    for jobs in (1, 2):
        assert fw.evaluate("ter", files=str(path), jobs=jobs, checks=False).num_instances == 20
