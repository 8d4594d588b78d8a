"""Long tables: one row per rating, with a rater column, and further columns by name."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import NO_ID
from processes import needs_pipes

from metrics_framework.common.errors import DataError, UnknownNameError
from metrics_framework.inputs.rating_rows import RatingRules, sources_of
from metrics_framework.inputs.ratings import LongTables, read_long_tables
from metrics_framework.inputs.score_files import read_score_files

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_lines(name: str, *lines: str) -> str:
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(path)

    return write_lines


CSV = ("sent_id,sys_name,rater_id,fluency,meaning,doc,words", "1,a,r1,4,5,d1,3", "1,a,r2,2,NA,d1,3", "2,a,r1,3,1,d2,7")
JSONL = (
    '{"sent_id": 1, "sys_name": "a", "rater_id": "r1", "fluency": 4, "meaning": 5, "doc": "d1", "words": 3}',
    '{"sent_id": 1, "sys_name": "a", "rater_id": "r2", "fluency": 2, "meaning": null, "doc": "d1", "words": 3}',
    '{"sent_id": 2, "sys_name": "a", "rater_id": "r1", "fluency": 3, "meaning": 1, "doc": "d2", "words": 7}',
)


@pytest.mark.parametrize(
    ("name", "lines"),
    [("x.csv", CSV), ("x.tsv", [line.replace(",", "\t") for line in CSV]), ("x.jsonl", JSONL)],
)
def test_formats_have_the_same_ratings(write: Write, name: str, lines: tuple[str, ...]) -> None:
    tables = read_long_tables([write(name, *lines)])
    fluency, meaning = tables.ratings("fluency"), tables.ratings("meaning")
    assert fluency.units == [("1", "a"), ("2", "a")]
    assert fluency.raters == [*meaning.raters[:1], "r2"]
    np.testing.assert_array_equal(fluency.values, [[4, 3], [2, np.nan]])
    np.testing.assert_array_equal(meaning.values, [[5, 1]])
    assert fluency.missing == {}
    assert meaning.missing == ({"null": 1} if name.endswith("jsonl") else {"NA": 1})
    assert tables.texts_of_inputs("doc") == {"1": "d1", "2": "d2"}
    assert tables.numbers("words") == {("1", "a"): 3.0, ("2", "a"): 7.0}
    assert tables.texts("words") == {("1", "a"): "3", ("2", "a"): "7"}


def test_rows_in_memory_and_data_frames_are_read_like_files() -> None:
    rows = [
        {"sent_id": 1, "sys_name": "a", "rater": "x", "good": 1},
        {"sent_id": 1, "sys_name": "a", "rater": "y", "good": math.nan},
        {"sent_id": 2, "sys_name": "a", "rater": "y", "good": None},
    ]
    ratings = read_long_tables(sources_of(rows)[0]).ratings("good")
    np.testing.assert_array_equal(ratings.values, [[1, np.nan]])
    assert ratings.missing_described == "2 'null'"
    pandas = pytest.importorskip("pandas")
    of_frame = read_long_tables(sources_of(pandas.DataFrame(rows))[0]).ratings("good")
    np.testing.assert_array_equal(of_frame.values, ratings.values)


def test_lists_number_their_raters(write: Write) -> None:
    path = write(
        "human.jsonl",
        '{"instance_id": "1", "summarizer_id": "s", "metrics": {"q": [4, 2, null]}}',
        '{"instance_id": "2", "summarizer_id": "s", "metrics": {"q": [1, 5]}}',
    )
    ratings = read_long_tables([path]).ratings("q")
    assert ratings.raters == ["1", "2"]
    np.testing.assert_array_equal(ratings.values, [[4, 1], [2, 5]])
    assert ratings.missing == {"null": 1}
    assert ratings.means() == {("1", "s"): 3.0, ("2", "s"): 3.0}


def test_a_row_without_rater_belongs_to_its_column(write: Write) -> None:
    human = write("h.csv", "id,system,annotator,q", "1,s,r1,2", "1,s,r2,3")
    judge = write("j.jsonl", '{"id": 1, "system": "s", "metrics": {"judge": 2.5}}')
    tables = read_long_tables([human, judge])
    assert tables.ratings("judge").raters == ["judge"]
    assert tables.ratings("q").raters == ["r1", "r2"]
    assert tables.numbers("judge") == {("1", "s"): 2.5}


def test_a_table_may_have_no_systems(write: Write) -> None:
    path = write("x.csv", "id,rater,label", "1,a,good", "1,b,bad", "2,a,bad")
    ratings = read_long_tables([path]).ratings("label", as_labels=True)
    assert ratings.units == [("1", ""), ("2", "")]
    assert ratings.labels == ["bad", "good"]
    np.testing.assert_array_equal(ratings.values, [[1, 0], [0, np.nan]])


def test_a_rater_column_can_be_named(write: Write) -> None:
    path = write("x.csv", "id,system,coder,q", "1,s,b,2", "1,s,a,3")
    assert read_long_tables([path], RatingRules({"rater": ["coder"]})).ratings("q").raters == ["a", "b"]
    with pytest.raises(UnknownNameError, match="unknown column 'code'; did you mean 'coder'"):
        read_long_tables([path], RatingRules({"rater": ["code"]})).ratings("q")


def test_raters_with_numbers_are_sorted_by_value(write: Write) -> None:
    path = write("x.csv", "id,system,rater,q", *(f"1,s,{rater},{rater}" for rater in (10, 9, 1)))
    assert read_long_tables([path]).ratings("q").raters == ["1", "9", "10"]


BAD = [  # lines, message, why
    (
        ("id,system,rater,q", "1,s,a,1", "1,s,a,2"),
        r"x\.csv:3: rater 'a' rates instance '1' of summarizer 's' twice \(first at .*x\.csv:2\)",
        "a rating twice",
    ),
    (("id,system,rater,q", "1,s,a,four"), r"x\.csv:2: 'q' must be a finite number, got the string 'four'", "text"),
    (("id,system,rater,q", "1,s,a,inf"), r"x\.csv:2: 'q' must be a finite number", "infinite"),
    (("id,system,rater,q", "1,s,a,1_0"), r"x\.csv:2: 'q' must be a finite number", "not a number to other programs"),
    (("id,system,rater,q", "1,s,,1"), rf"x\.csv:2: 'rater' is empty: {NO_ID}", "no rater"),
    (("system,rater,q", "s,a,1"), r"x\.csv:1: has no column for the input; .* --columns instance_id=COLUMN", "no id"),
    (("id,system,rater,q",), r"x\.csv: contains no rows", "only a header"),
]


@pytest.mark.parametrize(("lines", "message", "why"), BAD, ids=[why for _, _, why in BAD])
def test_malformed_tables_are_reported_with_file_and_line(
    write: Write, lines: tuple[str, ...], message: str, why: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_long_tables([write("x.csv", *lines)]).ratings("q")


def test_a_list_in_a_row_of_one_rater_is_an_error(write: Write) -> None:
    with pytest.raises(DataError, match=r"x\.jsonl:1: 'q' is a list of ratings, but the row names one rater, 'a'"):
        read_long_tables([write("x.jsonl", '{"id": 1, "system": "s", "rater": "a", "q": [1, 2]}')]).ratings("q")


def test_rows_of_one_output_must_agree_on_a_covariate(write: Write) -> None:
    tables = read_long_tables([write("x.csv", "id,system,rater,words,topic", "1,s,a,3,d", "1,s,b,4,e")])
    with pytest.raises(DataError, match=r"x\.csv:3: 'words' of instance '1' of summarizer 's' is '4', but '3' at .*:2"):
        tables.numbers("words")
    with pytest.raises(DataError, match=r"x\.csv:3: 'topic' of instance '1' is 'e', but 'd' at .*:2"):
        tables.texts_of_inputs("topic")
    with pytest.raises(UnknownNameError, match="unknown column 'word'; did you mean 'words'"):
        tables.numbers("word")


@given(st.permutations(range(6)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    rows = [{"id": i // 2, "system": "s", "rater": i % 2, "q": i * i} for i in range(6)]
    first, second = (read_long_tables(sources_of(table)[0]).ratings("q") for table in (rows, [rows[i] for i in order]))
    assert (first.units, first.raters) == (second.units, second.raters)
    np.testing.assert_array_equal(first.values, second.values)


def test_ratings_have_the_shape_of_systems_inputs_and_raters(write: Write) -> None:
    path = write("x.csv", "id,system,rater,q", "1,t,a,1", "2,s,a,2", "1,s,b,3")
    systems, inputs, cube = read_long_tables([path]).ratings("q").cube()
    assert (systems, inputs) == (["s", "t"], ["1", "2"])
    np.testing.assert_array_equal(cube, [[[np.nan, 3], [2, np.nan]], [[1, np.nan], [np.nan, np.nan]]])


@needs_pipes
def test_rows_that_can_be_read_only_once_are_read_again_from_memory(tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    row = '{"instance_id": "1", "summarizer_id": "s", "document": "d", "metrics": {"q": [4, 2]}}\n'
    writer = threading.Thread(target=lambda: Path(pipe).write_text(row, encoding="utf-8"))
    writer.start()
    scores = read_score_files([pipe]).scores
    writer.join()
    tables = LongTables([*scores.table.long_rows()])
    assert tables.texts_of_inputs("document") == {"1": "d"}
    assert tables.ratings("q").raters == ["1", "2"]
