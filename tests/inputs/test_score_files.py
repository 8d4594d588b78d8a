"""Score files: what is read, merged, and refused with its place."""

from __future__ import annotations

import gzip
import json
import sys
from io import BytesIO, TextIOWrapper

import pytest
from messages import (
    IDS_IN_ALL_OR_NONE,
    NO_ID,
    NOT_A_JSON_OBJECT,
    NOT_A_NUMBER,
    NOT_AN_ID,
    NUMBERED_IF_OF_ONE_SYSTEM,
    SCORE_WITH_A_LABEL,
)

import metrics_framework as fw
from metrics_framework.common.errors import DataError, DataErrors, InputError
from metrics_framework.inputs.rating_rows import RatingRules
from metrics_framework.inputs.score_files import read_score_files


@pytest.fixture
def write(tmp_path):
    def write(name, *rows):
        path = tmp_path / name
        lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


def row(instance="1", system="a", kind="peer", **metrics):
    return {"instance_id": instance, "summarizer_id": system, "summarizer_type": kind, "metrics": metrics}


def scores(paths, **options):
    files = read_score_files(paths, **options)
    return {(one.instance_id, one.summarizer_id, one.summarizer_type): one.metrics for one in files.rows}


def test_rows_of_several_files_are_merged_at_every_depth(write):
    first = write("a.jsonl", row(rouge={"precision": 1.0}), row("2", x=1))
    second = write("b.jsonl", row(rouge={"recall": 2.0}, grade=[1, None]))
    assert scores([first, second]) == {
        ("1", "a", "peer"): {"rouge_precision": 1.0, "rouge_recall": 2.0, "grade": [1, None]},
        ("2", "a", "peer"): {"x": 1},
    }


def test_ids_are_strings_everywhere(write):
    jsonl = write("a.jsonl", {"instance_id": 1, "summarizer_id": 7, "metrics": {"m": 1}})
    table = write("b.csv", "sent_id,sys_name,h", "1,7,2")
    assert scores([jsonl, table]) == {("1", "7", "peer"): {"m": 1, "h": 2.0}}


def test_other_names_of_ids_and_types(write):
    path = write("a.jsonl", {"instance_id": "1", "system_id": "a", "system_type": "reference", "metrics": {"m": 1}})
    assert scores([path]) == {("1", "a", "reference"): {"m": 1}}


def test_compressed_files_and_standard_input(write, tmp_path, monkeypatch):
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(row(m=1)).encode()))
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(json.dumps(row(h=2)).encode())))
    assert scores([str(packed), "-"]) == {("1", "a", "peer"): {"m": 1, "h": 2}}


def test_a_row_without_a_type_takes_that_of_other_files(write):
    untyped = write("a.jsonl", {"instance_id": "1", "summarizer_id": "R", "metrics": {"h": 1}})
    typed = write("b.jsonl", row("1", "R", "reference", m=2))
    for order in ([untyped, typed], [typed, untyped]):
        assert list(scores(order)) == [("1", "R", "reference")]


@pytest.mark.parametrize(("one", "other"), [("peer", "reference"), ("reference", "peer")])
def test_contradictory_types_are_reported_with_both_places(write, one, other):
    first, second = write("a.jsonl", row(kind=one, m=1)), write("b.jsonl", "", row(kind=other, h=1))
    with pytest.raises(DataError) as caught:
        read_score_files([first, second])
    assert str(caught.value) == (
        f"{second}:2: instance '1' of summarizer 'a' has the type '{other}', but '{one}' at {first}:1"
    )


def test_contradictory_scores_are_reported_with_both_places(write):
    first = write("a.jsonl", row("0"), row(rouge={"f1": 1.0}))
    second = write("b.jsonl", row(other=3))
    third = write("c.jsonl", row(rouge={"f1": 2.0}))
    with pytest.raises(DataError) as caught:
        read_score_files([first, second, third])
    assert str(caught.value) == (
        f"{third}:1: instance '1' of summarizer 'a': score 'rouge_f1' has two values, 1.0 and 2.0 (first at {first}:2)"
        "; if the files are of two systems, name one, as in NAME=FILE"
        f"; to compare scores of one name, rename one or {SCORE_WITH_A_LABEL}"
    )


def test_duplicates_in_one_file_are_reported_with_both_lines(write):
    path = write("a.jsonl", row(m=1), row("2", m=1), row(m=1))
    with pytest.raises(DataError) as caught:
        read_score_files([path])
    assert str(caught.value).startswith(
        f"{path}:3: duplicate row for instance '1' of summarizer 'a' (first at {path}:1); "
    )


@pytest.mark.parametrize(("choice", "expected"), [("first", 1), ("last", 3)])
def test_the_first_or_last_duplicate_can_be_kept(write, choice, expected):
    path = write("a.jsonl", row(m=1), row("2", m=2), row(m=3))
    assert scores([path], rules=RatingRules(duplicates=choice))[("1", "a", "peer")] == {"m": expected}
    table = write("a.csv", "id,system,m", "1,a,1", "1,a,3")
    assert scores([table], rules=RatingRules(duplicates=choice))[("1", "a", "peer")] == {"m": expected}


def test_an_unknown_choice_for_duplicates_is_refused():
    with pytest.raises(InputError, match="error, first, last"):
        fw.correlate([{"id": 1, "system": "a", "m": 1, "h": 2}], "m", "h", duplicates="best")


BAD_ROWS = [  # row, message after the place, why
    (
        {"summarizer_id": "a", "metrics": {}},
        f"'instance_id' {IDS_IN_ALL_OR_NONE} one",
        "no id",
    ),
    ({**row(), "instance_id": None}, f"'instance_id' is null: {NO_ID}", "null id"),
    (
        {**row(), "instance_id": True},
        f"'instance_id' {NOT_AN_ID}, got the boolean",
        "boolean id",
    ),
    (
        {**row(), "summarizer_id": 1.5},
        f"'summarizer_id' {NOT_AN_ID}, got the number",
        "float id",
    ),
    (row(kind="human"), "'summarizer_type' must be 'peer' or 'reference', got the string 'human'", "unknown type"),
    ({"instance_id": "1", "summarizer_id": "a"}, "'metrics' must be an object of scores, but is missing", "none"),
    ({**row(), "metrics": [1]}, "'metrics' must be an object of scores, got the list [1]", "a list"),
    (row(m="4"), f"score 'm' {NOT_A_NUMBER} the string '4'", "text"),
    (row(a={"b": True}), "score 'a_b' must be a finite number", "boolean"),
    (row(m=[1, [2]]), "score 'm' must be a finite number", "nested list"),
    (row(m=float("inf")), "score 'm' must be a finite number", "infinity"),
    (row(m=10**400), "score 'm' must be a finite number", "beyond floats"),
    ({**row(), "signature": {"sari": "sari|v", "ter": 3}}, "'signature' must be an object from metrics", "a number"),
    ({**row(), "signature": ["sari|v"]}, "'signature' must be an object from metrics to signatures", "a list"),
    ("{", "is not JSON", "broken line"),
    ("[1]", f"{NOT_A_JSON_OBJECT} the list [1]", "no object"),
]


@pytest.mark.parametrize(("bad", "message", "why"), BAD_ROWS)
def test_bad_rows_are_refused_with_their_place(write, bad, message, why):
    path = write("a.jsonl", row("9"), bad)
    with pytest.raises(DataError) as caught:
        read_score_files([path])
    assert str(caught.value).startswith(f"{path}:2: {message}"), why


def test_all_problems_of_all_files_are_reported_together(write, tmp_path):
    first = write("a.jsonl", "x", row(m="x"))
    second = write("b.csv", "id,value", "1,2")
    missing = str(tmp_path / "c.jsonl")
    with pytest.raises(DataErrors) as caught:
        read_score_files([first, second, missing])
    places = [problem.location for problem in caught.value.problems]
    assert places == [f"{first}:1", f"{first}:2", f"{second}:1", missing]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_without_scores_is_refused(write, name):
    path = write(name, *(["id,system,m"] if name == "a.csv" else []))
    with pytest.raises(DataError, match="contains no scores"):
        read_score_files([path])


def test_rows_after_an_invalid_signature_are_checked(write):
    with pytest.raises(DataErrors) as caught:
        read_score_files([write("x.jsonl", {**row(), "signature": 1}, {"summarizer_id": "s", "metrics": {}})])
    assert [problem.line for problem in caught.value.problems] == [1, 2]


def test_signatures_are_collected_and_differing_ones_reported(write):
    first = write("a.jsonl", {**row(sari=1), "signature": {"sari": "sari|tok:13a"}}, row("2", sari=1))
    second = write("b.jsonl", {**row("3", sari=1), "signature": {"sari": "sari|tok:moses"}})
    files = read_score_files([first, second])
    assert files.signatures == {"sari": "sari|tok:13a"}
    assert files.warnings == [f"'sari' was computed in two ways: sari|tok:13a in {first}, sari|tok:moses in {second}"]


SIGNATURES = [  # signatures of one score in two files, whether it was computed in one way, why
    ("sari|tok:13a|fw:1.0.0", "sari|tok:13a|refs:3|bs:1000|ar:10000|seed:0|fw:1.0.0", True, "a run adds to systems"),
    ("sari|tok:13a|fw:1.0.0", "sari|tok:13a|bs:9|seed:1", True, "a run adds to systems"),
    ("sari|tok:13a|refs:3|bs:1000|seed:0|fw:1.0.0", "sari|tok:13a|refs:1|fw:1.0.0", False, "other references"),
    ("sari|tok:13a|fw:0.9", "sari|tok:13a|fw:1.0.0", True, "another release"),
    ("sari|tok:13a|fw:0.9", "sari|tok:13a|def:2|fw:1.0.0", False, "another definition"),
]


@pytest.mark.parametrize(("one", "other", "is_one", "why"), SIGNATURES)
def test_signatures_of_one_definition_are_no_contradiction(write, one, other, is_one, why):
    files = [
        write(f"{place}.jsonl", {**row(str(place), sari=1), "signature": {"sari": signature}})
        for place, signature in enumerate((one, other))
    ]
    assert ["in two ways" in warning for warning in read_score_files(files).warnings] == ([] if is_one else [True]), why


def test_null_and_nan_are_missing_and_unknown_keys_ignored(write):
    path = write("a.jsonl", '{"instance_id": "1", "summarizer_id": "a", "metrics": {"m": null, "n": NaN}, "more": 1}')
    metrics = scores([path])[("1", "a", "peer")]
    assert metrics["m"] is None
    assert metrics["n"] != metrics["n"]


def test_columns_of_a_table(write):
    path = write(
        "a.tsv", "segment_id\tsystem\tsys_type\tnote\tm\tempty\th", "1\ta\tSBMT\tgood\t1\t\t0.5", "2\ta\tx\t3\t\t\t1"
    )
    files = read_score_files([path])
    assert [one.metrics for one in files.rows] == [{"m": 1.0, "h": 0.5}, {"m": None, "h": 1.0}]
    assert files.hints["note"] == f"(The column 'note' of {path} is text: line 2 has 'good'.)"
    assert files.hints["empty"] == f"(The column 'empty' of {path} is empty.)"
    assert files.rows[0].summarizer_type == "peer"


DROPPED = [  # cells of a column, line and cell that make it text, numbers, why
    (["1", "good", "", "3"], (3, "good"), 2, "one cell is text"),
    (["5,5", "4", "3.5", "1"], None, 0, "a decimal comma"),
    (["5,5", "4", "3", "1,234,5"], (5, "1,234,5"), 3, "two commas"),
    (["1", "inf", "2", "3"], (3, "inf"), 3, "no score is infinite"),
    (["good", "", "bad", "nan"], None, 0, "text that never is a number"),
    (["", "", "", ""], None, 0, "empty"),
    (["1", "nan", "", "3"], None, 0, "numbers"),
]


@pytest.mark.parametrize(("cells", "place", "numbers", "why"), DROPPED, ids=[why for *_, why in DROPPED])
def test_a_column_of_numbers_with_a_text_cell_is_reported(write, cells, place, numbers, why):
    path = write("a.tsv", "id\tsystem\tm\tother", *(f"{line}\ta\t{cell}\t1" for line, cell in enumerate(cells)))
    files = read_score_files([path])
    reported = [(one.name, one.path, (one.line, one.cell), one.numbers, one.cells) for one in files.dropped]
    assert reported == ([] if place is None else [("m", path, place, numbers, sum(map(bool, cells)))])
    assert files.without_scores == {}


MISSING = ["NA", "n/a", "N/A", " None ", "null", "NULL", "NaN", "#N/A", "<NA>", "-nan", ""]


@pytest.mark.parametrize("cell", MISSING)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_spellings_of_a_missing_value_are_missing_and_counted(write, name, cell):
    lines = ["id,system,m", "1,a,0.5", f"2,a,{cell}", f"3,a,{cell}", "4,a,-3"]
    files = read_score_files([write(name, *(line.replace(",", "\t" if name == "a.tsv" else ",") for line in lines))])
    assert [one.metrics["m"] for one in files.rows] == [0.5, None, None, -3]
    assert files.missing == {"m": {cell.strip(): 2}}
    assert files.hints == {}


def test_a_text_in_a_column_with_missing_values_is_still_text(write):
    files = read_score_files([write("a.csv", "id,system,m,h", "1,a,NA,1", "2,a,nano,2", "3,a,4,3")])
    (dropped,) = files.dropped
    assert (dropped.line, dropped.cell, dropped.numbers, dropped.cells) == (3, "nano", 1, 2)


def test_a_column_of_missing_values_is_no_metric(write):
    path = write("a.csv", "id,system,m,h", "1,a,NA,1", "2,a,,2", "3,a,NA,3")
    assert read_score_files([path]).hints == {
        "m": f"(The column 'm' of {path} has only missing values: 2 'NA', 1 empty.)"
    }


def test_missing_ratings_of_raters_are_missing_judgements(write):
    path = write("a.csv", "id,system,rater,h", "1,a,x,1", "1,a,y,NA", "1,b,x,None")
    files = read_score_files([path])
    assert [one.metrics["h"] for one in files.rows] == [[1.0, None], [None]]
    assert files.missing == {"h": {"NA": 1, "None": 1}}


def test_the_reason_is_reported_for_files_without_scores(write):
    text = write("a.csv", "id,system,m,note", "1,a,?,good", "2,a,3,bad")
    empty = write("b.jsonl", row())
    scored = write("c.csv", "id,system,m", "1,a,1")
    assert read_score_files([text, empty, scored]).without_scores == {
        text: f"(The column 'm' of {text} is text: line 2 has '?'.) "
        f"(The column 'note' of {text} is text: line 2 has 'good'.)",
        empty: "(Its rows have no scores.)",
    }


TABLES = [  # lines of a table, its scores, why
    (
        ["id,system,m", "1,a,1", ",,", " , ,", "2,a,2"],
        {("1", "a", "peer"): {"m": 1.0}, ("2", "a", "peer"): {"m": 2.0}},
        "rows of empty cells are ignored",
    ),
    (
        ["id,system,system_type,m", "1,a,peer,1", "1,R,reference,2", "2,a,,3"],
        {("1", "a", "peer"): {"m": 1.0}, ("1", "R", "reference"): {"m": 2.0}, ("2", "a", "peer"): {"m": 3.0}},
        "types are those of a column",
    ),
    (["id,system,system_type,m", "1,a,SBMT,1"], {("1", "a", "peer"): {"m": 1.0}}, "unless it has other words"),
    (
        ["id,system,rater,h,g", "1,a,x,1,5", "1,b,x,2,", "1,a,y,3,6", "1,a,z,,7"],
        {
            ("1", "a", "peer"): {"h": [1.0, 3.0, None], "g": [5.0, 6.0, 7.0]},
            ("1", "b", "peer"): {"h": [2.0], "g": [None]},
        },
        "ratings of raters become lists",
    ),
]


@pytest.mark.parametrize(("lines", "expected", "why"), TABLES, ids=[why for *_, why in TABLES])
def test_rows_of_tables(write, lines, expected, why):
    assert scores([write("a.csv", *lines)]) == expected


BAD_TABLES = [  # lines, place, message
    (["system,m", "a,1", "b,2"], 3, NUMBERED_IF_OF_ONE_SYSTEM),
    (["system,rater,m", "a,x,1"], 1, "has no column for the input"),
    (["id,m", "1,1"], 1, "has no column for the system"),
    (["id,system,m", "1,a"], 2, "must have 3 fields, as in the header, got 2"),
    (["id,system,m", ",a,1"], 2, f"'id' is empty: {NO_ID}"),
    (["id,system,summarizer_type,m", "1,a,human,1"], 2, "must be 'peer' or 'reference', got the string 'human'"),
    (["id,system,m", "1,a,1", "1,a,2"], 3, "duplicate row for instance '1' of summarizer 'a' (first at "),
    (["id,system,m", "1,a,1", "1,a,2"], 3, "if the rows are by several raters, name them with --columns rater=COLUMN"),
    (["id,system,rater,m", "1,a,x,1", "1,a,x,2"], 3, "twice (first at "),
]


@pytest.mark.parametrize(("lines", "line", "message"), BAD_TABLES)
def test_bad_tables_are_refused_with_their_place(write, lines, line, message):
    path = write("a.csv", *lines)
    with pytest.raises(DataError) as caught:
        read_score_files([path])
    assert str(caught.value).splitlines()[0].startswith(f"{path}:{line}: ")
    assert message in str(caught.value)
