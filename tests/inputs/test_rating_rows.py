"""How rows of ratings are read: columns of roles, conditions, wide tables, rows that do not count, repeated ratings."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from messages import COUNT_AS_TWO, IDS_IN_ALL_OR_NONE, LEFT_OUT_ROWS, NUMBERED_IF_OF_ONE_SYSTEM, POOLED

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.inputs.rating_rows import RATERS, SYSTEMS, RatingRules
from metrics_framework.inputs.ratings import LongTables, Ratings, read_long_tables
from metrics_framework.inputs.row_view import parsed_conditions
from metrics_framework.inputs.score_files import read_score_files

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_lines(name: str, *lines: str) -> str:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    return write_lines


def by_rater(ratings: Ratings) -> dict[str, dict[str, float]]:
    return {
        rater: {
            "/".join(unit).rstrip("/"): value for unit, value in zip(ratings.units, row, strict=True) if value == value
        }
        for rater, row in zip(ratings.raters, ratings.values.tolist(), strict=True)
    }


READ: list[tuple[Sequence[str], dict[str, Any], str, dict[str, dict[str, float]], str]] = [
    (["Segment ID,Coder,q", "1,Ann,4"], {}, "q", {"Ann": {"1": 4}}, "names in any case, with any separator"),
    (
        ["n,who,q", "1,Ann,4"],
        {"columns": {"instance_id": ["n"], "rater": ["who"]}},
        "q",
        {"Ann": {"1": 4}},
        "columns of roles",
    ),
    (
        ["doc,seg,q", "a,1,4", "b,1,5"],
        {"columns": {"instance_id": ["doc", "seg"]}},
        "q",
        {"q": {"a/1": 4, "b/1": 5}},
        "joined",
    ),
    (["id,turn,q", "1,1,4", "1,2,5"], {}, "q", {"q": {"1/1": 4, "1/2": 5}}, "a turn is part of the id"),
    (["id,lp,q", "1,de,4", "2,fr,5"], {"where": parsed_conditions("lp=de")}, "q", {"q": {"1": 4}}, "a condition"),
    (["q", "4", "5"], {}, "q", {"q": {"1": 4, "2": 5}}, "rows without ids are numbered"),
    (
        ["Ann,Bob", "1,2", "3,"],
        {"raters": ["Ann", "Bob"]},
        RATERS,
        {"Ann": {"1": 1, "2": 3}, "Bob": {"1": 2}},
        "raters",
    ),
    (["id,x,y", "1,2,3"], {"systems": ["x", "y"]}, SYSTEMS, {SYSTEMS: {"1/x": 2, "1/y": 3}}, "systems"),
    (["id,type,q", "1,TGT,4", "2,BAD,1"], {}, "q", {"q": {"1": 4}}, "attention checks do not count"),
    (["id,type,q", "1,TGT,4", "2,BAD,1"], {"keep": ["bad"]}, "q", {"q": {"1": 4, "2": 1}}, "unless they are kept"),
    (["id,type,q", "1,news,4", "2,BAD,1"], {}, "q", {"q": {"1": 4, "2": 1}}, "a column of other types is no role"),
    (["id,AssignmentStatus,q", "1,Approved,4", "2,Rejected,1"], {}, "q", {"q": {"1": 4}}, "rejected work"),
    (["id,was_cancelled,q", "1,False,4", "2,True,1"], {}, "q", {"q": {"1": 4}}, "cancelled work"),
    (["id,rater,q", "1,a,4", "1,a,5"], {"duplicates": "first"}, "q", {"a": {"1": 4}}, "the first of two ratings"),
    (["id,rater,q", "1,a,4", "1,a,5"], {"duplicates": "last"}, "q", {"a": {"1": 5}}, "the last of two ratings"),
    (
        ["id,user,rater,q", "1,u,a,4"],
        {"columns": {"rater": ["user"]}},
        "q",
        {"u": {"1": 4}},
        "a column that is named",
    ),
    (["id,rater,q", "1.0,a,4", "2.0,a,5"], {}, "q", {"a": {"1": 4, "2": 5}}, "whole numbers with decimals"),
    (["id,rater,q", "1.0,a,4", "1.5,a,5"], {}, "q", {"a": {"1.0": 4, "1.5": 5}}, "unless there are other numbers"),
    (["id,model,q", "1,4,5"], {"named": {"model"}}, "model", {"model": {"1": 4}}, "a judge is no system"),
]


@pytest.mark.parametrize(("lines", "rules", "rating", "expected", "why"), READ, ids=[why for *_, why in READ])
def test_rows_are_read(
    write: Write, lines: Sequence[str], rules: dict[str, Any], rating: str, expected: dict[str, Any], why: str
) -> None:
    tables = read_long_tables([write("x.csv", *lines)], RatingRules(**rules))
    assert by_rater(tables.ratings(rating)) == expected


def test_both_views_are_of_the_same_rows(write: Write) -> None:
    path = write("x.csv", "id,system,type,Ann,Bob", "1,s,TGT,4,", "2,s,BAD,1,1", "3,s,TGT,2,3")
    rules = RatingRules(raters=["Ann", "Bob"])
    files = read_score_files([path], rules=rules)
    assert [(row.instance_id, row.metrics[RATERS]) for row in files.rows] == [("1", [4, None]), ("3", [2, 3])]
    assert by_rater(LongTables([*files.scores.table.long_rows()]).ratings(RATERS)) == {
        "Ann": {"1/s": 4, "3/s": 2},
        "Bob": {"3/s": 3},
    }
    assert rules.left_out == {"BAD": 1}


WRONG: list[tuple[Sequence[str], dict[str, Any], type[Exception], str]] = [
    (
        ["id,rater,annotator,q", "1,a,b,4"],
        {},
        DataError,
        "'rater' and 'annotator' both name .* --columns rater=",
    ),
    (
        ["rater,q", "a,4"],
        {},
        DataError,
        "x.csv:1: has no column for the input; .* --columns instance_id=",
    ),
    (["system,q", "a,4", "b,4"], {}, DataError, NUMBERED_IF_OF_ONE_SYSTEM),
    (["id,q", "1,4"], {"columns": {"rater": ["who"]}}, UnknownNameError, "unknown column 'who'"),
    (["id,q", "1,4"], {"where": parsed_conditions("lp=de")}, UnknownNameError, "unknown column 'lp'"),
    (["id,a,q", "1,4,5"], {"raters": ["a", "b"]}, UnknownNameError, "unknown column 'b'"),
    (["id,type,q", "1,BAD,4"], {}, DataError, "has no row that counts; all are BAD; use --keep BAD"),
    (
        ["id,rater,q", "1,a,4", "1,a,5"],
        {},
        DataError,
        "x.csv:3: .* twice .first at .*x.csv:2.; if .* several systems, .* summarizer_id=COLUMN; else use --duplicates",
    ),
]


@pytest.mark.parametrize(("lines", "rules", "error", "message"), WRONG)
def test_mistakes_name_the_option_that_fixes_them(
    write: Write, lines: Sequence[str], rules: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read_long_tables([write("x.csv", *lines)], RatingRules(**rules)).ratings("q")


@pytest.mark.parametrize("columns", [{"colour": "x"}, {"rater": ["x", "y"]}, "rater=x,worker=y"])
def test_unknown_and_repeated_roles_are_refused(columns: Any) -> None:
    with pytest.raises(InputError, match="'columns'"):
        fw.agreement([{"id": 1, "q": 2}], "q", columns=columns)


ONE_PER_COLUMN = ["id,system,Ann,Bob,note,length", *(f"{i},a,{1 + i % 5},{1 + i % 4},x,{40 + i}" for i in range(9))]


def test_one_of_the_columns_of_raters_is_no_rating(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write("wide.csv", *ONE_PER_COLUMN)
    assert main(["agreement", path, "--rating", "Ann"]) == 0
    assert "'Ann' has ratings by 1 rater; if each rater has a column, use --raters Ann Bob\n" in capsys.readouterr().err
    assert main(["test-judge", path, "--rating", "Ann", "--judge", "length"]) == 1
    assert "if each rater has a column, use --raters Ann Bob\n" in capsys.readouterr().err
    with pytest.warns(UserWarning, match=r"use raters=\['Ann', 'Bob'\]"):
        fw.agreement([{"id": i, "Ann": 1 + i % 5, "Bob": 1 + i % 4} for i in range(9)], "Ann")


FILES = [  # columns after id and system, rows, words of the line about what is pooled, whether it is a warning
    (["rater,q", "ann,1", "bob,2"], ["rater,q", "cyd,3"], "'ann', 'bob' (", False),
    (["rater,q", "ann,1", "bob,2"], ["q", "3"], "one without a name (", True),
    (["rater,q", "ann,1", "bob,2"], ["judge", "3"], "", False),
    (["rater,q", "ann,1"], ["rater,r", "bob,2"], "", False),
]


@pytest.mark.parametrize(("first", "second", "words", "is_warning"), FILES)
def test_raters_of_several_files_are_not_pooled_in_silence(
    write: Write, capsys: pytest.CaptureFixture[str], first: list[str], second: list[str], words: str, is_warning: bool
) -> None:
    paths = [
        write(name, f"id,system,{names}", *(f"{one},a,{row}" for one in (1, 2) for row in rows))
        for name, (names, *rows) in (("x.csv", first), ("y.csv", second))
    ]
    assert main(["agreement", *paths, "--rating", "q"]) == 0
    printed = capsys.readouterr().err
    assert (POOLED in printed) == bool(words)
    assert words in printed
    assert ("fw: warning: raters" in printed) == is_warning


OF_SYSTEMS = [  # rows of the ratings, words of the error; "" if it is read
    (["system,da", "a,1", "b,2", "c,4"], ""),
    (["system,da", "a,1", "b,2", "a,4"], "'b' follows 'a'"),
    (["system,da", "a,1", "a,2", "b,4"], "'b' follows 'a'"),
    (["id,system,da", "1,a,1", "1,b,2", "2,a,4"], "y.csv has several inputs; write the mean of each system in that"),
]


@pytest.mark.parametrize(("ratings", "words"), OF_SYSTEMS)
def test_tables_of_systems_are_correlated_with_tables_of_systems(
    write: Write, capsys: pytest.CaptureFixture[str], ratings: list[str], words: str
) -> None:
    paths = [write("x.tsv", "system\tbleu", "a\t10", "b\t30", "c\t50"), write("y.csv", *ratings)]
    flags = ["--metric", "bleu", "--human", "da", "--level", "system", "--coefficient", "spearman", "--ci", "none"]
    output = Path(paths[0]).parent / "result.json"
    assert main(["correlate", *paths, *flags, "--output-file", str(output)]) == bool(words)
    printed = capsys.readouterr().err
    assert (words or "x.tsv: each row has the scores of a system, as of one input") in printed
    if not words:
        (answer,) = json.loads(output.read_text(encoding="utf-8"))["answers"]
        assert (answer["level"], answer["n"], answer["best"]["value"]) == ("system", 3, 1)


def test_a_file_of_several_systems_is_not_called_like_one(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write("x.csv", "id,system,q", "1,a,2", "1,b,3")
    assert main(["agreement", f"ann={path}", "--rating", "q"]) == 1
    assert "has several systems, but is called 'ann'; if this is the rater, use --rater-column FILE" in (
        capsys.readouterr().err
    )
    with pytest.raises(DataError, match="if each file is by one rater, use rater_column='FILE'"):
        fw.agreement([path, write("y.csv", "id,system,q", "1,a,2")], "q")
    (Path(path).parent / "2").mkdir()
    other = write("2/x.csv", "id,system,q", "1,a,2")
    with pytest.raises(DataError, match=r"rater 'x' rates .* twice .*; name the rater of each file, as in NAME=FILE"):
        fw.agreement([path, other], "q", rater_column="FILE")
    rules = RatingRules.of({"rating": "q", "rater_column": "FILE"}, ["q"])
    assert read_long_tables([path, f"y={other}"], rules).ratings("q").raters == ["x", "y"]


def test_a_number_of_too_many_digits_is_an_error_of_ours() -> None:
    rows = [{"id": 1, "system": "a", "rater": rater, "q": 10**5000, "judge": 1} for rater in "xy"]
    for call in (partial(fw.agreement, rows, "q"), partial(fw.correlate, rows, "judge", "q")):
        with pytest.raises(InputError, match="a number has more than 4,300 digits"):
            call()


def test_messages_about_rows_in_memory_name_arguments() -> None:
    with pytest.raises(DataError, match=r"choose one with columns=\{'rater': COLUMN\}"):
        fw.agreement([{"id": 1, "rater": "a", "annotator": "b", "q": 2}], "q")


def test_rows_that_do_not_count_are_counted_in_the_result(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"{i},{kind},{rater},{i % 3}" for i in range(30) for rater in "ab" for kind in ("TGT", "BAD")[: 1 + (i == 7)]
    ]
    path, out = write("x.csv", "id,type,rater,q", *rows), write("out.json")
    assert main(["agreement", path, "--rating", "q", "--output-file", out, "--force"]) == 0
    assert json.loads(Path(out).read_text())["left_out"] == {"BAD": 2}
    assert f"{LEFT_OUT_ROWS} (2 'BAD'); to keep them, use --keep BAD" in capsys.readouterr().err


def test_every_analysis_reads_wide_tables() -> None:
    rows = [{"seg": i, "system": s, "a": i % 4, "b": (i + 1) % 4, "gpt": i % 4} for i in range(40) for s in "xy"]
    wide: dict[str, Any] = {"raters": ["a", "b"], "columns": {"instance_id": "seg"}}
    assert fw.agreement(rows, raters=["a", "b"], columns="instance_id=seg").studies[0].ratings.raters == [
        "a",
        "b",
    ]
    (found,) = fw.correlate(rows, "gpt", RATERS, ci="none", levels="global", **wide).correlations
    assert found.matrix.num_cells == 80
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # every output is rated
        assert fw.estimate(rows, RATERS, "gpt", **wide).estimates
        assert fw.judge(rows, RATERS, "gpt", scoring="ranks", **wide)["gpt"]


def test_an_id_that_names_several_inputs_is_refused_with_the_columns_that_tell_them_apart(write: Write) -> None:
    lines = [f"{doc},{seg},{system},x,{seg}" for doc in ("d1", "d2") for seg in (1, 2) for system in "ab"]
    path = write("x.csv", "doc_id,seg_id,system,rater,q", *lines)
    words = ["agreement", path, "--rating", "q"]
    message = (
        r"instance '1' has two documents: 'd1' \(.*:2\) and 'd2' \(.*:6\).*; .* --columns instance_id=doc_id\+seg_id"
    )
    for read in (read_long_tables, read_score_files):
        with pytest.raises(DataError, match=message):
            read([path])
    assert main(words) == 1
    assert main([*words, "--columns", "instance_id=doc_id+seg_id"]) == 0


def test_names_that_differ_in_spelling_are_told_once_for_each_role() -> None:
    rows = [{"id": i, "rater": rater, "q": i % 3} for i in range(30) for rater in ("Ann", "ann", "Ann ")[: 2 + i % 2]]
    with pytest.warns(UserWarning, match=rf"raters 'Ann' \(45 rows\) and 'ann' \(30\) differ in case .*{COUNT_AS_TWO}"):
        fw.agreement(rows, "q", duplicates="first")


def test_compare_and_stat_sig_test_read_tables_as_the_other_commands_do(write: Write) -> None:
    lines = [f"{i},{s},{lp},d{i // 2},{i % 3},{i % 4},{i % 5}" for i in range(20) for s in "xy" for lp in ("de", "fr")]
    path = write("x.csv", "n,engine,lang,talk,a,b,c", *lines)
    options: dict[str, Any] = {"columns": {"instance_id": "n", "summarizer_id": "engine"}, "where": {"lang": "de"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few inputs
        assert fw.compare(scores=path, names="a", clusters="talk", **options).num_instances == 20
        found = fw.stat_sig_test(path, "a", "b", "c", resamples=10, levels=["global"], **options)
    assert found["num_outputs"] == 40
    words = ["--score", "a", "--columns", "id=n,system=engine", "--where", "lang=de", "--cluster", "talk"]
    assert main(["compare", path, *words]) == 0


@pytest.mark.parametrize("first", [0, 1])
def test_ids_in_some_rows_only_are_refused(write: Write, first: int):
    rows = ['{"id": "1", "system": "a", "q": 4}', '{"system": "a", "q": 5}']
    has_id = ("one", "none")[first]
    with pytest.raises(DataError, match=f"jsonl:2: 'instance_id' {IDS_IN_ALL_OR_NONE} {has_id}$"):
        read_long_tables([write("x.jsonl", *sorted(rows, reverse=bool(first)))])


def test_a_rating_is_found_as_an_answer_and_an_index_of_pandas_as_an_id(write: Write):
    path = write("x.csv", "Unnamed: 0,who,Answer.Fluency", "a,Ann,4", "b,Ann,5")
    columns = {"instance_id": "Unnamed: 0", "rater": "who"}
    rows = [{"id": name, "rater": "Bo", "answer": {"fluency": value}} for name, value in (("a", 3), ("b", 5))]
    found = fw.agreement([path, rows], "fluency", columns=columns)
    assert [(one["rating"], one["raters"], one["units"]) for one in found.to_records()] == [("fluency", 2, 2)]
    assert [*read_score_files([write("y.csv", "Unnamed: 0,id,system,q", "0,a,x,4")]).rows[0].metrics] == ["q"]


def test_forms_in_memory_are_read_like_files():
    form = {"Timestamp": "t", "Text 1 [Fluency]": 4, "Text 2 [Fluency]": 5}
    rows = [form, {**form, "Text 2 [Fluency]": 3}]
    assert fw.agreement(rows, "Fluency").to_records()[0]["units"] == 2
    assert "Text 1 [Fluency]" in form
