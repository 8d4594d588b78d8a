"""A name that fits two columns, scores or files is refused: neither their order nor that of the files decides."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metrics_framework as fw
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.inputs.rating_rows import RatingRules, RatingsInMemory
from metrics_framework.inputs.ratings import read_long_tables
from metrics_framework.inputs.roles import find_columns
from metrics_framework.inputs.row_view import standard_row
from metrics_framework.inputs.score_files import read_score_files
from metrics_framework.meta_evaluation.prefer.votes import VoteReader
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat
from metrics_framework.metrics.base.direction import known_metrics

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_lines(name: str, *rows: Any) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    return write_lines


def test_a_column_is_found_by_its_only_clear_name() -> None:
    assert find_columns(["x"], ["instance_id"]) == {}
    assert find_columns(["id", "x"], ["instance_id"]) == {"instance_id": ("id",)}
    assert find_columns(["id", "sent_id"], ["instance_id"]) == {"instance_id": ("sent_id",)}
    for pair in (["instance_id", "sent_id"], ["segment_id", "seg_id"]):
        with pytest.raises(DataError, match=f"'{pair[0]}'.*'{pair[1]}'|'{pair[1]}'.*'{pair[0]}'"):
            find_columns(pair, ["instance_id"])


@pytest.mark.parametrize("row", [{"text": "a", "response": "b"}, {"response": "b", "text": "a"}])
def test_two_names_that_may_have_another_meaning_are_refused(row: dict[str, str]) -> None:
    assert standard_row({**row, "summary": "c"}) == {**row, "summary": "c"}
    with pytest.raises(DataError, match=r"^'\w+' and '\w+' both name the output; choose one with --columns summary="):
        standard_row(row)


def scores_of(path: str, rows: list[Any]) -> Any:
    return read_score_files([path])


def ratings_of(path: str, rows: list[Any]) -> Any:
    return read_long_tables([path])


def votes_of(path: str, rows: list[Any]) -> Any:
    return VoteReader(numbers=["length"]).read([RatingsInMemory(path, rows)])


def esa_of(path: str, rows: list[Any]) -> Any:
    return _ratings("esa", path)


JSON_ROW = {"instance_id": "1", "system_id": "a", "metrics": {"m": 1}}
RATING = {"id": "1", "rater": "r1", "annotator": "x", "good": 3}
VOTE = {"model_a": "x", "model_b": "y", "winner": "a"}
ESA = {"seg_id": "1", "system": "a", "rater": "r", "esa": 50, "spans": []}
TWO_COLUMNS: list[tuple[Callable[..., Any], str, list[Any], int, tuple[str, ...]]] = [  # rows, line, names
    (scores_of, "ids.jsonl", [JSON_ROW, {**JSON_ROW, "sent_id": "2"}], 2, ("instance_id", "sent_id")),
    (scores_of, "systems.jsonl", [{**JSON_ROW, "sys_name": "b"}], 1, ("system_id", "sys_name")),
    (
        scores_of,
        "types.jsonl",
        [{**JSON_ROW, "summarizer_type": "peer", "system_type": "reference"}],
        1,
        ("summarizer_type",),
    ),
    (scores_of, "raters.csv", ["sent_id,sys_name,rater,annotator,m", "1,a,r1,x,3"], 1, ("rater", "annotator")),
    (scores_of, "inputs.csv", ["sent_id,instance_id,sys_name,m", "1,7,a,3"], 1, ("sent_id", "instance_id")),
    (ratings_of, "x.csv", ["id,rater,annotator,good", "1,r1,x,3"], 1, ("rater", "annotator")),
    (ratings_of, "x.jsonl", [RATING], 1, ("rater", "annotator")),
    (votes_of, "votes", [{**VOTE, "system_a": "z"}], 1, ("system_a", "model_a")),
    (votes_of, "votes", [{**VOTE, "vote": "b"}], 1, ("winner", "vote")),
    (votes_of, "votes", [{**VOTE, "judge": "j", "rater": "r"}], 1, ("rater", "judge")),
    (votes_of, "votes", [{**VOTE, "question_id": "1", "prompt_id": "2"}], 1, ("question_id", "prompt_id")),
    (
        votes_of,
        "votes",
        [{**VOTE, **dict.fromkeys(("text_a", "text_b", "response_a", "response_b"), "t")}],
        1,
        ("response_a", "text_a"),
    ),
    *(
        (esa_of, "esa.jsonl", [{**ESA, extra: None}], 1, (extra,))
        for extra in ("annotator", "esa_score", "error_spans")
    ),
]


@pytest.mark.parametrize(("read", "name", "rows", "line", "columns"), TWO_COLUMNS)
def test_two_columns_of_one_meaning_are_refused(
    write: Write, read: Callable[..., Any], name: str, rows: list[Any], line: int, columns: tuple[str, ...]
) -> None:
    path = write(name, *rows)
    with pytest.raises(DataError) as caught:
        read(path, rows)
    assert caught.value.location == f"{path}:{line}"
    assert all(f"'{column}'" in str(caught.value) for column in columns)


def test_a_rater_column_that_is_named_decides(write: Write) -> None:
    tables = read_long_tables([write("x.jsonl", RATING)], RatingRules({"rater": ["annotator"]}))
    assert tables.ratings("good").raters == ["x"]


def _ratings(kind: str, path: str, **options: str) -> list[dict[str, Any]]:
    from metrics_framework.common.errors import Problems

    problems = Problems()
    rows = [*RatingFormat.registry().get(kind)(**options).rows(path, problems)]
    problems.raise_any()
    return rows


def test_a_metric_named_like_a_human_score_is_refused(write: Write, tmp_path: Path) -> None:
    write("wmt/human-scores/en-de.mqm.seg.score", "x 1")
    assert [row["metrics"] for row in _mt_metrics_eval(tmp_path)] == [{"mqm": 1.0}]
    metric = write("wmt/metric-scores/en-de/mqm.seg.score", "x 2")
    with pytest.raises(DataError, match="human score") as caught:
        _mt_metrics_eval(tmp_path)
    assert caught.value.path == metric


def _mt_metrics_eval(folder: Path) -> list[dict[str, Any]]:
    return _ratings("mt-metrics-eval", str(folder), test_set="wmt", pair="en-de")


def test_segments_of_a_folder_without_documents_and_sources_are_numbered_from_one(write: Write, tmp_path: Path) -> None:
    write("wmt/human-scores/en-de.mqm.seg.score", "x 1", "x 2", "x 3", "y 4", "y 5", "y 6")
    rows = _mt_metrics_eval(tmp_path)
    assert [(row["instance_id"], row["summarizer_id"]) for row in rows] == [(i, s) for s in "xy" for i in "123"]


def test_segments_of_a_folder_without_documents_are_the_lines_of_its_sources(write: Write, tmp_path: Path) -> None:
    write("wmt/human-scores/en-de.mqm.seg.score", "x 1", "x 2")
    write("wmt/sources/en-de.txt", "One.", "Two.")
    assert [row["instance_id"] for row in _mt_metrics_eval(tmp_path)] == ["1", "2"]
    score = write("wmt/human-scores/en-de.mqm.seg.score", "x 1", "x 2", "x 3")
    with pytest.raises(DataError, match="2 scores, got 3") as caught:
        _mt_metrics_eval(tmp_path)
    assert caught.value.path == score


def test_one_name_for_metrics_of_opposite_directions_is_refused(write: Write) -> None:
    rows = [{**JSON_ROW, "instance_id": str(index), "metrics": {"score": index}} for index in range(2)]
    files = [
        write(f"{index}.jsonl", {**row, "signature": {"score": signature}})
        for index, (row, signature) in enumerate(zip(rows, ("bleu|tok:13a", "ter|case:lc"), strict=True))
    ]
    with pytest.raises(DataError, match=r"bleu\|tok:13a in .*, ter\|case:lc in ") as caught:
        read_score_files(files, metrics=known_metrics())
    assert caught.value.location == f"{files[1]}:1"


ROWS = [
    {"id": str(index), "system": name, "summary": "a b c"[: 1 + 2 * (index % 3)], "h": index, "m": -index}
    for index in range(6)
    for name in "abc"
]


def test_a_score_named_like_a_sentinel_is_refused() -> None:
    assert "sentinel-length" in str(fw.correlate(ROWS, ["m"], "h", sentinels=True, ci="none", test="none"))
    rows = [{**row, "sentinel-length": 1} for row in ROWS]
    with pytest.raises(UsageError, match="'sentinel-length'"):
        fw.correlate(rows, ["m"], "h", sentinels=True, ci="none", test="none")


def test_two_texts_of_an_output_have_no_sentinel(write: Write) -> None:
    rows = [{"id": row["id"], "system": row["system"], "metrics": {"h": row["h"], "m": row["m"]}} for row in ROWS]
    scores = write("scores.jsonl", *rows)
    texts = [{"id": row["id"], "system": row["system"], "summary": row["summary"]} for row in ROWS]
    first, second = write("a.jsonl", *texts), write("b.jsonl", {**texts[0], "summary": "other"})
    with pytest.raises(DataError, match=f"instance '0' .*{second}:1"):
        fw.correlate(scores, ["m"], "h", sentinels=True, texts=[first, second], ci="none", test="none")
    third = write("c.jsonl", {**texts[0], "prediction": texts[0]["summary"]})
    with pytest.raises(DataError, match="'summary' and 'prediction'") as caught:
        fw.correlate(scores, ["m"], "h", sentinels=True, texts=[third], ci="none", test="none")
    assert caught.value.location == f"{third}:1"


@pytest.mark.filterwarnings("ignore")
def test_a_judge_named_like_a_column_and_a_rater_is_refused() -> None:
    rows = [
        {"id": str(unit), "rater": rater, "good": (unit + index) % 3, "model": unit % 3}
        for unit in range(40)
        for index, rater in enumerate(("r1", "r2", "r3", "model"))
    ]
    with pytest.raises(UsageError, match="'model'"):
        fw.judge(rows, "good", ["model"])
    by_column = fw.judge([row for row in rows if row["rater"] != "model"], "good", ["model"])
    assert [judge.name for judge in by_column.judging.judges][:1] == ["model"]
