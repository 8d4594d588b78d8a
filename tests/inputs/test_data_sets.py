"""Data sets of one study, such as language pairs: rows of each, whose ids may be those of another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics_framework.common.errors import DataError, ListName, UnknownNameError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.inputs.rating_rows import RatingRules, RatingsInMemory
from metrics_framework.inputs.ratings import MAX_DATA_SETS, DataSets

PAIRS = ("en-de", "zh-en")
Row = dict[str, Any]
Source = str | RatingsInMemory


@pytest.fixture
def path(tmp_path: Path) -> Callable[[str], str]:
    return lambda name: str(tmp_path / name)


def rows(**changes: Any) -> list[Row]:
    """Two systems on three inputs in two data sets, all with the same ids."""
    return [
        {"instance_id": str(i), "summarizer_id": s, "lp": lp, "m": float(i + 10 * p), "h": float(i * (1 - 2 * p) + k)}
        | changes
        for p, lp in enumerate(PAIRS)
        for k, s in enumerate("ab")
        for i in (1, 2, 3)
    ]


def jsonl(path: str, lines: Sequence[Row]) -> str:
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def nested(row: Mapping[str, Any], *names: str) -> Row:
    """Moves scores into an object ``metrics``."""
    return {name: row[name] for name in row if name not in names} | {"metrics": {name: row[name] for name in names}}


def table(path: str, lines: Sequence[Row]) -> str:
    separator = "\t" if path.endswith(".tsv") else ","
    texts = [lines[0], *(line.values() for line in lines)]
    written = [separator.join("" if cell is None else str(cell) for cell in line) for line in texts]
    Path(path).write_text("\n".join(written) + "\n", encoding="utf-8")
    return path


def parquet(path: str, lines: Sequence[Row]) -> str:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pa.Table.from_pylist(list(lines)), path)
    return path


def scored_parquet(path: str, lines: Sequence[Row]) -> str:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    table = pa.Table.from_pylist(list(lines))
    write_table(table.replace_schema_metadata({"metrics_framework.signature": "{}"}), path)
    return path


def in_memory(_: str, lines: Sequence[Row]) -> RatingsInMemory:
    return RatingsInMemory(ListName("scores"), lines)


FORMS: list[tuple[str, Callable[[str, Sequence[Row]], Source]]] = [
    ("x.jsonl", lambda path, lines: jsonl(path, [nested(line, "m", "h") for line in lines])),
    ("x.csv", table),
    ("x.tsv", table),
    ("x.parquet", parquet),
    ("scored.parquet", scored_parquet),
    ("memory", in_memory),
]


@pytest.mark.parametrize(("name", "write"), FORMS, ids=[name for name, _ in FORMS])
def test_ids_may_repeat_in_every_form(path: Callable[[str], str], name: str, write: Callable[..., Source]) -> None:
    source = write(path(name), rows())
    data = DataSets([source], "lp")
    assert list(data.parts) == ["en-de", "zh-en"]
    for number, (lp, part) in enumerate(data.parts.items()):
        columns = part.columns(["m", "h"])
        assert (columns.systems, columns.inputs) == (["a", "b"], ["1", "2", "3"])
        np.testing.assert_array_equal(columns.scores["m"], [[1.0 + 10 * number, 2 + 10 * number, 3 + 10 * number]] * 2)
        assert data.tables_of_parts[lp].texts("lp") == {(i, s): lp for s in "ab" for i in "123"}
        assert data.tables_of_parts[lp].numbers("m")["2", "b"] == 2 + 10 * number
        assert [(row.instance_id, row.summarizer_id) for row in part.rows] == [(i, s) for s in "ab" for i in "123"]
    assert (data.notes, data.warnings) == ([], [])


def test_rows_of_several_files_are_joined_within_their_data_set(path: Callable[[str], str]) -> None:
    metric = jsonl(path("m.jsonl"), [nested({k: v for k, v in row.items() if k != "h"}, "m") for row in rows()])
    human = table(path("h.csv"), [{k: v for k, v in row.items() if k != "m"} for row in rows()])
    parts = DataSets([metric, human], "lp").parts
    assert {lp: dict(part.rows[0].metrics) for lp, part in parts.items()} == {
        "en-de": {"m": 1.0, "h": 1.0},
        "zh-en": {"m": 11.0, "h": -1.0},
    }


def test_the_label_may_be_a_number_or_a_score(path: Callable[[str], str]) -> None:
    years = {"en-de": 2022, "zh-en": 2023}
    beside = jsonl(path("a.jsonl"), [nested(row | {"lp": years[row["lp"]]}, "m", "h") for row in rows()])
    score = jsonl(path("b.jsonl"), [nested(row | {"lp": years[row["lp"]]}, "m", "h", "lp") for row in rows()])
    column = table(path("c.csv"), [row | {"lp": years[row["lp"]]} for row in rows()])
    objects = [
        MetricsRow(row["instance_id"], row["summarizer_id"], "peer", MetricsDict(m=row["m"], lp=years[row["lp"]]))
        for row in rows()
    ]
    for source in (beside, score, column, RatingsInMemory(ListName("scores"), [row.as_json() for row in objects])):
        parts = DataSets([source], "lp").parts
        assert list(parts) == ["2022", "2023"]
        assert parts["2023"].columns(["m"]).scores["m"][0, 0] == 11


def test_a_label_may_be_nested(path: Callable[[str], str]) -> None:
    lines = [nested(row, "m", "h") | {"meta": {"lp": row["lp"]}, "lp": None} for row in rows()]
    assert list(DataSets([jsonl(path("x.jsonl"), lines)], "meta_lp").parts) == ["en-de", "zh-en"]


def unique_rows() -> list[Row]:
    """Rows whose inputs belong to one data set each."""
    return [row | {"instance_id": f"{row['lp']}-{row['instance_id']}"} for row in rows()]


def without(lines: Sequence[Row], *names: str) -> list[Row]:
    return [{name: cell for name, cell in line.items() if name not in names} for line in lines]


def test_a_file_without_the_column_is_joined_by_its_unique_ids(path: Callable[[str], str]) -> None:
    metric = jsonl(path("m.jsonl"), [nested(row, "m") for row in without(unique_rows(), "lp", "h")])
    human = table(path("h.csv"), without(unique_rows(), "m"))
    for order in ([metric, human], [human, metric]):
        data = DataSets(order, "lp")
        assert [part.columns(["m", "h"]).present.sum() for part in data.parts.values()] == [6, 6]
        assert data.parts["zh-en"].columns(["m"]).inputs == ["zh-en-1", "zh-en-2", "zh-en-3"]
        assert len(data.tables_of_parts["zh-en"].rows) == 12


def test_labels_may_be_in_files_of_texts_only(path: Callable[[str], str]) -> None:
    scores = jsonl(path("m.jsonl"), [nested(row, "m", "h") for row in without(unique_rows(), "lp")])
    texts = jsonl(path("t.jsonl"), without(unique_rows(), "m", "h"))
    data = DataSets([scores], "lp", texts=[texts])
    assert {lp: len(part.rows) for lp, part in data.parts.items()} == {"en-de": 6, "zh-en": 6}
    with pytest.raises(UnknownNameError, match="unknown column 'lp'"):
        DataSets([scores], "lp")


def test_a_file_without_the_column_must_not_have_outputs_of_several_data_sets(path: Callable[[str], str]) -> None:
    metric = jsonl(path("m.jsonl"), [nested(row, "m") for row in without(rows(), "lp", "h")[:6]])
    human = table(path("h.csv"), without(rows(), "m"))
    with pytest.raises(DataError) as caught:
        DataSets([metric, human], "lp")
    assert str(caught.value) == (
        f"{metric}:1: has no column 'lp', and instance '1' of summarizer 'a' is in several data sets "
        "('en-de', 'zh-en'); add the column to this file"
    )


def test_an_empty_cell_must_not_be_ambiguous(path: Callable[[str], str]) -> None:
    full, lines = table(path("h.csv"), without(rows(), "m")), without(rows(), "h")
    partial = table(path("m.csv"), [*lines[:6], lines[6] | {"lp": "NA"}])
    with pytest.raises(DataError, match=r"m\.csv:8: 'lp' is missing, and instance '1' of summarizer 'a' is in several"):
        DataSets([full, partial], "lp")


def test_ids_that_repeat_in_a_file_without_the_column_are_duplicates(path: Callable[[str], str]) -> None:
    metric = jsonl(path("m.jsonl"), [nested(row, "m") for row in without(rows(), "lp", "h")])
    with pytest.raises(DataError) as caught:
        DataSets([metric, table(path("h.csv"), without(rows(), "m"))], "lp")
    assert str(caught.value).splitlines()[0] == (
        f"{metric}:7: duplicate row for instance '1' of summarizer 'a' (first at {metric}:1); if the rows are of "
        "several data sets, name them in the column 'lp'; else use --duplicates first or last to keep one"
    )


def test_duplicates_within_a_data_set_are_reported_or_resolved(path: Callable[[str], str]) -> None:
    lines = [nested(row, "m", "h") for row in rows()]
    source = jsonl(path("x.jsonl"), [*lines, lines[7] | {"metrics": {"m": 99.0}}])
    with pytest.raises(DataError) as caught:
        DataSets([source], "lp")
    assert str(caught.value).startswith(
        f"{source}:13: duplicate row for instance '2' of summarizer 'a' in 'zh-en' (first at {source}:8); use "
    )
    parts = DataSets([source], "lp", rules=RatingRules(duplicates="last")).parts
    assert parts["zh-en"].columns(["m"]).scores["m"][0, 1] == 99
    assert parts["en-de"].columns(["m"]).scores["m"][0, 1] == 2


def test_contradictions_name_the_data_set(path: Callable[[str], str]) -> None:
    first = jsonl(path("a.jsonl"), [nested(row, "m") for row in rows()])
    changed = jsonl(
        path("b.jsonl"), [nested(row | {"m": row["m"] + (row["lp"] == "zh-en")}, "m") for row in rows()[:7]]
    )
    with pytest.raises(DataError) as caught:
        DataSets([first, changed], "lp")
    assert str(caught.value).startswith(
        f"{changed}:7: instance '1' of summarizer 'a' in 'zh-en': score 'm' has two values, 11.0 and 12.0 "
        f"(first at {first}:7)"
    )


def test_contradictions_with_rows_that_are_joined_are_reported(path: Callable[[str], str]) -> None:
    plain = jsonl(path("a.jsonl"), [nested(row, "m") for row in without(unique_rows(), "lp")])
    labelled = jsonl(path("b.jsonl"), [nested(row | {"m": 77.0}, "m") for row in unique_rows()[:1]])
    with pytest.raises(DataError, match=r"score 'm' has two values, .*77\.0") as caught:
        DataSets([plain, labelled], "lp")
    assert f"{plain}:1" in str(caught.value)
    assert f"{labelled}:1" in str(caught.value)


def test_outputs_of_unknown_data_sets_are_counted(path: Callable[[str], str]) -> None:
    lines = [nested(row, "m", "h") for row in unique_rows()]
    source = jsonl(path("x.jsonl"), [*lines, lines[0] | {"instance_id": "7", "lp": None}, lines[1] | {"lp": "zh-en"}])
    other = jsonl(path("y.jsonl"), [{"instance_id": "8", "summarizer_id": "b", "metrics": {"m": 1}}])
    data = DataSets([source, other], "lp")
    assert data.notes == ["left out: 2 outputs without a value of 'lp' (for example 'a' on '7')"]
    assert {lp: len(part.rows) for lp, part in data.parts.items()} == {"en-de": 6, "zh-en": 7}


def test_ratings_of_raters_belong_to_their_data_set(path: Callable[[str], str]) -> None:
    rated = [row | {"rater": rater, "h": row["h"] + r} for row in without(rows(), "m") for r, rater in enumerate("xy")]
    source = table(path("h.csv"), rated)
    data = DataSets([source], "lp")
    assert data.parts["zh-en"].rows[0].metrics == {"h": [-1.0, 0.0]}
    ratings = data.tables_of_parts["zh-en"].ratings("h")
    assert (ratings.raters, len(ratings.units)) == (["x", "y"], 6)
    assert ratings.means()["1", "a"] == -0.5
    with pytest.raises(DataError, match=r"instance '1' of summarizer 'a' in 'en-de'"):
        DataSets([table(path("g.csv"), [*rated, rated[0]])], "lp")


def test_labels_of_inputs_belong_to_their_data_set(path: Callable[[str], str]) -> None:
    source = table(path("x.csv"), [row | {"doc": f"{row['lp']}-{int(row['instance_id']) // 2}"} for row in rows()])
    tables = DataSets([source], "lp").tables_of_parts
    assert tables["en-de"].texts_of_inputs("doc") == {"1": "en-de-0", "2": "en-de-1", "3": "en-de-1"}
    assert tables["zh-en"].texts_of_inputs("doc") == {"1": "zh-en-0", "2": "zh-en-1", "3": "zh-en-1"}


def test_rows_without_a_system_belong_to_the_data_set_of_their_input(path: Callable[[str], str]) -> None:
    scores = table(path("x.csv"), unique_rows())
    inputs = [{"instance_id": row["instance_id"], "doc": row["instance_id"][-1]} for row in unique_rows()[::6]]
    parts = DataSets([scores], "lp", texts=[jsonl(path("docs.jsonl"), inputs)])
    assert parts.tables_of_parts["en-de"].texts_of_inputs("doc") == {"en-de-1": "1"}
    ambiguous = jsonl(path("ambiguous.jsonl"), [{"instance_id": "1", "doc": "d"}])
    data = DataSets([table(path("y.csv"), rows())], "lp", texts=[ambiguous])
    with pytest.raises(DataError) as caught:
        data.tables_of_parts["en-de"].texts("doc")
    assert str(caught.value) == (
        f"{ambiguous}:1: has no column 'lp', and instance '1' is in several data sets ('en-de', 'zh-en'); "
        "add the column to this file"
    )


def test_missing_values_are_counted_per_data_set(path: Callable[[str], str]) -> None:
    lines = unique_rows()
    lines[0] |= {"h": "NA"}
    lines[6] |= {"h": "NA"}
    lines[7] |= {"h": None, "lp": None}
    labels = jsonl(path("t.jsonl"), without(unique_rows(), "m", "h"))
    data = DataSets([table(path("x.csv"), lines)], "lp", texts=[labels])
    assert {lp: part.missing for lp, part in data.parts.items()} == {
        "en-de": {"m": {}, "h": {"NA": 1}},
        "zh-en": {"m": {}, "h": {"NA": 1, "": 1}},
    }


def test_similar_names_are_compared_within_a_data_set(path: Callable[[str], str]) -> None:
    def files(other: str) -> Iterator[str]:
        lines = [nested(row, "m") for row in rows()]
        yield jsonl(path("a.jsonl"), lines[:6])
        yield jsonl(path("b.jsonl"), [lines[6] | {"lp": other, "summarizer_id": "A"}])

    for other, count in (("zh-en", 0), ("en-de", 1)):
        rules = RatingRules()
        DataSets([*files(other)], "lp", rules=rules)
        assert [warning.split()[0] for warning in rules.name_warnings()] == ["systems"] * count


def test_columns_that_name_no_data_sets_are_refused(path: Callable[[str], str]) -> None:
    source = table(path("x.csv"), [row | {"empty": ""} for row in rows()[:6]])
    with pytest.raises(UnknownNameError, match="unknown column 'pl'; did you mean 'lp'"):
        DataSets([source], "pl")
    with pytest.raises(UsageError, match="no output has a value in the column 'empty'"):
        DataSets([source], "empty")
    many = [row | {"instance_id": str(i), "lp": f"t{i}"} for i, row in enumerate(rows()[:1] * (MAX_DATA_SETS + 1))]
    with pytest.raises(UsageError, match=f"the column 'lp' has {MAX_DATA_SETS + 1} different values"):
        DataSets([table(path("y.csv"), many)], "lp")


def test_hints_and_signatures_are_those_of_all_files(path: Callable[[str], str]) -> None:
    lines = [nested(row, "m", "h") for row in rows()]
    lines[0] |= {"signature": {"m": "m|v:1"}}
    text = table(path("x.csv"), [{"instance_id": "1", "summarizer_id": "a", "lp": "en-de", "note": "good"}])
    data: DataSets = DataSets([jsonl(path("x.jsonl"), lines), text], "lp")
    for part in data.parts.values():
        assert part.signatures == {"m": "m|v:1"}
        assert set(part.hints) == {"note"}
    with pytest.raises(UnknownNameError, match=r"unknown metric 'note'.*is text: line 2 has 'good'"):
        data.parts["zh-en"].columns(["note"])
