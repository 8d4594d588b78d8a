"""``fw convert-ratings``: MQM, ESA and the folders of mt-metrics-eval become rows of scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_rows
from messages import BOTH_INPUT_AND_OUTPUT

from metrics_framework.commands.app import main
from metrics_framework.inputs.ratings import read_long_tables
from metrics_framework.inputs.score_files import read_score_files

Rows = list[dict[str, Any]]
Convert = Callable[..., Rows]

MQM = [
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity",
    "online\td1\t1\t7\tr1\tA.\tB.\tAccuracy/Mistranslation\tMajor",
    'online\td1\t1\t7\tr1\tA.\t"B."\tFluency/Punctuation\tMinor',
    "online\td1\t1\t7\tr1\tA.\tB.\tStyle/Awkward\tMinor",
    "online\td1\t1\t7\tr2\tA.\tB.\tNo-error\tNo-error",
    "online\td1\t1\t8\tr2\tA.\tB.\tNon-translation!\tMajor",
    "human\td1\t1\t7\tr2\tA.\tB.\tStyle/Awkward\tNEUTRAL",
]


@pytest.fixture
def convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Convert:
    def run(*arguments: str) -> Rows:
        output = tmp_path / "rows.jsonl"
        assert main(["ratings", arguments[0], arguments[1], str(output), *arguments[2:]]) == 0, capsys.readouterr().err
        return read_rows(output)

    return run


@pytest.fixture
def mqm(tmp_path: Path) -> str:
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join(MQM) + "\n", encoding="utf-8")
    return str(path)


def test_mqm_scores_are_weighted_sums_of_errors_per_rater(convert: Convert, mqm: str) -> None:
    rows = convert("mqm", mqm)
    assert [(row["instance_id"], row["summarizer_id"], row["metrics"]["mqm"]) for row in rows] == [
        ("7", "online", [-6.1, 0.0]),  # Freitag et al. (2021): 5 + .1 + 1; no error
        ("8", "online", [-25.0]),
        ("7", "human", [0.0]),
    ]
    assert rows[0]["raters"] == ["r1", "r2"]
    assert rows[0]["metrics"]["mqm_errors"] == {"major": [1, 0], "minor": [2, 0], "neutral": [0, 0], "no-error": [0, 1]}


def test_correlate_and_agreement_read_the_rows(convert: Convert, mqm: str, tmp_path: Path) -> None:
    convert("mqm", mqm)
    path = str(tmp_path / "rows.jsonl")
    assert [row.metrics["mqm"] for row in read_score_files([path]).rows] == [[-6.1, 0.0], [-25.0], [0.0]]
    ratings = read_long_tables([path]).ratings("mqm")
    assert ratings.raters == ["r1", "r2"]
    assert ratings.means()["7", "online"] == pytest.approx(-3.05)


def test_rows_of_an_earlier_run_are_replaced_but_not_other_files(convert: Convert, mqm: str, tmp_path: Path) -> None:
    assert convert("mqm", mqm) == convert("mqm", mqm)
    other = tmp_path / "human.jsonl"
    other.write_text('{"instance_id": "1", "summarizer_id": "s", "metrics": {"q": 1}}\n', encoding="utf-8")
    assert main(["ratings", "mqm", mqm, str(other)]) == 2


def test_fewer_errors_are_better(
    convert: Convert, mqm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    convert("mqm", mqm)
    rows, path = str(tmp_path / "rows.jsonl"), tmp_path / "found.json"
    assert main(["compare", rows, "--ci", "none", "--output-file", str(path)]) == 0
    scores = {name: one["higher_is_better"] for name, one in json.loads(path.read_text())["scores"].items()}
    assert scores["mqm_errors_major"] is scores["mqm_errors_minor"] is False
    shown = capsys.readouterr()
    assert "direction  lower is better: mqm_errors_major, mqm_errors_minor\n" in shown.out
    assert re.search(r"^fw: .*'mqm_errors_no-error'.*: their direction is unknown", shown.err, re.MULTILINE)
    assert shown.err.count("direction is unknown") == 1
    assert "ratings:mqm|weights:Freitag-2021|better:lower|ar:" in shown.out


def test_mqm_weights_can_be_read_from_a_table(convert: Convert, mqm: str, tmp_path: Path) -> None:
    weights = tmp_path / "weights.csv"
    weights.write_text("category,severity,weight\nstyle,,3\n,major,10\n,,0.5\n", encoding="utf-8")
    rows = convert("mqm", mqm, "--weights", str(weights))
    assert [row["metrics"]["mqm"] for row in rows] == [[-13.5, -0.5], [-10.0], [-3.0]]
    assert rows[0]["signature"]["ratings"] == f"ratings:mqm|weights:{weights}"


@pytest.mark.parametrize(("columns", "what"), [("doc doc_id", "two documents"), ("unit", "two sources")])
def test_segments_whose_ids_restart_are_refused(
    columns: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Marks of errors in a source are no difference of sources."""
    header = ["system", *columns.split(), "seg_id", "rater", "source", "target", "category", "severity"]
    rows = [
        ["X", *[doc, "0"][: len(columns.split())], number, "r", source, "text", "Style", "Minor"]
        for doc, number, source in [("a", "1", "in a"), ("a", "1", "<v>in</v> a"), ("b", "1", "in b")]
    ]
    path = tmp_path / "in.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")
    assert main(["convert-ratings", "mqm", str(path), str(tmp_path / "rows.jsonl")]) == 1
    assert f"instance '1' has {what}: " in capsys.readouterr().err
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows[:2]]), encoding="utf-8")
    assert main(["convert-ratings", "mqm", str(path), str(tmp_path / "rows.jsonl")]) == 0


def test_attention_checks_are_left_out_and_counted(
    convert: Convert, mqm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(mqm, "a", encoding="utf-8") as file:
        file.write("online\td1\t1\t9\tr1\tA.\tB.\tFound\tHOTW-test\n")
    assert len(convert("mqm", mqm)) == 3
    notes = capsys.readouterr().err
    assert "6 annotations of 3 outputs; weights of Freitag et al. (2021)" in notes
    assert "left out: attention check (1)" in notes


SPANS = '[{"start_i": 0, "end_i": 4, "severity": "Major"}, {"start": "missing", "end": "missing", "severity": "minor"}]'


def test_esa_scores_keep_their_spans(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "esa.tsv"
    lines = ["seg_id\tsystem\trater\tscore\tspans", f"1\ts\tb\t80\t{SPANS}", "1\ts\ta\t95\t", "2\ts\ta\tNone\t[]"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = convert("esa", str(path))
    assert [row["metrics"]["esa"] for row in rows] == [[95.0, 80.0], [None]]
    assert rows[0]["raters"] == ["a", "b"]
    assert rows[0]["spans"] == [{"start": 0, "end": 5, "severity": "major", "rater": "b"}]
    assert rows[0]["omissions"] == [{"severity": "minor", "rater": "b"}]
    assert rows[1]["spans"] == []


def test_the_reader_of_error_spans_reads_the_spans_of_esa(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "esa.jsonl"
    span = {"start": 0, "end": 4, "severity": "major"}
    path.write_text(json.dumps({"id": 1, "system": "s", "rater": "a", "esa": 60, "spans": [span]}) + "\n", "utf-8")
    convert("esa", str(path))
    predicted = tmp_path / "predicted.jsonl"
    predicted.write_text(json.dumps({"id": 1, "system": "s", "spans": [span]}) + "\n", "utf-8")
    rows = str(tmp_path / "rows.jsonl")
    reading = ["--dataset-reader", f"error-spans:predictions={predicted}"]
    assert main(["error-spans", "score", "-", *reading, "--input-files", rows]) == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A test set of three segments of two documents, three systems, of which one is an outlier, and a reference."""
    files = {
        "documents/en-de.docs": "news d1\nnews d1\nsocial d2\n",
        "references/en-de.refA.txt": "a\nb\nc\n",
        "references/en-de.refB.jsonl": '{"hypothesis": "a"}\n{"hypothesis": "b"}\n{"hypothesis": "c"}\n',
        "human-scores/en-de.mqm.seg.score": "x\t-1\nx\tNone\nx\t-3\ny -2\ny 0\ny -5\nrefA 0\nrefA 0\nrefA None\n",
        "human-scores/en-de.mqm.sys.score": "x -2\ny -2.3\nrefA None\n",
        "human-scores/zh-en.mqm.seg.score": "x 1\n",
        "metric-scores/en-de/BLEU-refA.seg.score": "x 10\nx 20\nx 30\ny 5\ny 6\ny 7\n"
        + "synthetic_ref 1\nsynthetic_ref 2\nsynthetic_ref 3\n",
        "metric-scores/en-de/Kiwi-src.seg.score": "x .1\nx .2\nx .3\ny .4\ny .5\ny .6\nrefA .7\nrefA .8\nrefA .9\n"
        + "refB 1\nrefB 1\nrefB 1\n",
        "metric-scores/en-de/BLEU-refA.doc.score": "x 10\nx 20\ny 5\ny 6\n",
    }
    for name, text in files.items():
        path = tmp_path / "data" / "wmt23" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "data"


FLAGS = ("--test-set", "wmt23", "--pair", "en-de")


def test_segments_have_all_scores(convert: Convert, folder: Path) -> None:
    rows = convert("mt-metrics-eval", str(folder), *FLAGS)
    assert [(row["instance_id"], row["summarizer_id"]) for row in rows] == [(i, s) for s in "xy" for i in "123"]
    assert rows[1] == {
        "instance_id": "2",
        "summarizer_id": "x",
        "summarizer_type": "peer",
        "language_pair": "en-de",
        "domain": "news",
        "document": "d1",
        "metrics": {"mqm": None, "BLEU-refA": 20.0, "Kiwi-src": 0.2},
    }


def test_errors_of_segments_keep_their_raters(convert: Convert, folder: Path, tmp_path: Path) -> None:
    error = {"start": 0, "end": 2, "category": "Style", "severity": "Minor", "score": None, "is_source_error": True}
    rating = json.dumps({"errors": [error]})
    ratings = folder / "wmt23" / "human-scores" / "en-de.mqm.seg.rating"
    ratings.write_text(f'x\t{rating}\tr1\nx\tNone\nx\t{{"errors": []}}\tr2\n', "utf-8")
    rows = convert("mt-metrics-eval", str(folder), *FLAGS)
    span = {"start": 0, "end": 2, "category": "Style", "severity": "minor", "side": "source", "rater": "r1"}
    assert [row.get("spans") for row in rows] == [[span], None, [], None, None, None]
    ratings.write_text("x\t1\tr1\n", "utf-8")
    assert main(["ratings", "mt-metrics-eval", str(folder), str(tmp_path / "rows.jsonl"), *FLAGS]) == 1


def test_human_translations_and_outliers_are_kept_if_named(
    convert: Convert, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    convert("mt-metrics-eval", str(folder), *FLAGS)
    notes = capsys.readouterr().err
    assert "left out: 2 human translations, refA, refB; --include keeps the named ones" in notes
    assert "left out: 1 outlier, synthetic_ref" in notes
    rows = convert("mt-metrics-eval", str(folder), *FLAGS, "--include", "refA", "refB", "synthetic_ref")
    types = {row["summarizer_id"]: row["summarizer_type"] for row in rows}
    assert types == {"x": "peer", "y": "peer", "refA": "reference", "synthetic_ref": "peer", "refB": "reference"}
    assert "left out" not in capsys.readouterr().err


def test_documents_and_systems_are_levels(convert: Convert, folder: Path) -> None:
    rows = convert("mt-metrics-eval", str(folder), *FLAGS, "--level", "doc")
    assert [(row["instance_id"], row["metrics"]) for row in rows[:2]] == [
        ("d1", {"BLEU-refA": 10.0}),
        ("d2", {"BLEU-refA": 20.0}),
    ]
    rows = convert("mt-metrics-eval", str(folder), *FLAGS, "--level", "sys")
    assert [(row["instance_id"], row["summarizer_id"], row["metrics"]["mqm"]) for row in rows] == [
        ("en-de", "x", -2.0),
        ("en-de", "y", -2.3),
    ]


WRONG = [  # flags, exit code, message
    ((), 2, "mt-metrics-eval needs --test-set and --pair"),
    (("--test-set", "wmt22", "--pair", "en-de"), 2, "'test-set' must be one of wmt23, got 'wmt22'"),
    (("--test-set", "wmt23", "--pair", "en-ru"), 2, "--pair must be one of en-de, zh-en, got 'en-ru'"),
    ((*FLAGS, "--include", "z"), 2, "no system 'z' to include; the systems are refA, refB, synthetic_ref, x, y"),
    ((*FLAGS, "--weights", "w.csv"), 2, "--weights is not an option of mt-metrics-eval"),
    (("--test-set", "wmt23", "--pair", "zh-en", "--level", "doc"), 1, "has no scores of 'zh-en' at level 'doc'"),
]


@pytest.mark.parametrize(("flags", "code", "message"), WRONG)
def test_wrong_flags_are_explained(
    flags: tuple[str, ...], code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ratings", "mt-metrics-eval", str(folder), *flags]) == code
    assert message in capsys.readouterr().err


def test_a_test_set_in_place_of_the_folder_that_contains_it_is_explained(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ratings", "mt-metrics-eval", str(folder / "wmt23"), *FLAGS]) == 1
    assert "it is a test set itself" in capsys.readouterr().err


BAD_SCORES = [  # scores, message
    ("x 1\nx 2\ny 1\ny 2\ny 3\n", "en-de.mqm.seg.score: 'x' must have 3 scores, got 2"),
    ("x 1\nx two\nx 3\n", "en-de.mqm.seg.score:2: 'score' must be a finite number, got the string 'two'"),
    ("", "en-de.mqm.seg.score: contains no scores"),
    ("x 1\nx\nx 3\n", "en-de.mqm.seg.score:2: must be a system and a score, got 'x'"),
]


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES)
def test_malformed_score_files_are_reported(
    scores: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "wmt23" / "human-scores" / "en-de.mqm.seg.score").write_text(scores, encoding="utf-8")
    assert main(["ratings", "mt-metrics-eval", str(folder), *FLAGS]) == 1
    assert message in capsys.readouterr().err


def test_rows_in_the_folder_of_test_sets_are_replaced_but_no_file_of_the_test_set(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ratings", "mt-metrics-eval", str(folder)]
    assert main([*words, str(folder / "rows.jsonl"), *FLAGS]) == main([*words, str(folder / "rows.jsonl"), *FLAGS]) == 0
    read = folder / "wmt23" / "documents" / "en-de.docs"
    assert main([*words, str(read), *FLAGS, "--force"]) == 2
    assert BOTH_INPUT_AND_OUTPUT in capsys.readouterr().err


def test_a_folder_without_human_scores_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "wmt23" / "human-scores"
    folder.mkdir(parents=True)
    assert main(["ratings", "mt-metrics-eval", str(tmp_path), *FLAGS]) == 1
    assert f"{folder}: has no human scores" in capsys.readouterr().err


def test_columns_of_other_names_and_rows_that_do_not_count_are_read(
    convert: Convert, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "esa.csv"
    lines = ["1,s,a,40,TGT,main", "1,s,b,50,TGT,main", "2,s,a,0,BAD,main", "2,s,b,30,TGT,pilot"]
    path.write_text("\n".join(["stimulus,condition,rater,score,itemtype,batch", *lines]), encoding="utf-8")
    flags = ["--columns", "instance_id=stimulus,system=condition", "--where", "batch=main"]
    (row,) = convert("esa", str(path), *flags)
    assert (row["instance_id"], row["metrics"]["esa"]) == ("1", [40.0, 50.0])
    assert "left out: BAD (1)" in capsys.readouterr().err
    assert main(["ratings", "appraise", str(path), *flags]) == 2


def test_mqm_of_later_years_is_read(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    lines = ["s\td1\t1\t1\tr1\tAccuracy\tMajor", "s\td2\t1\t2\tr1\tAccuracy\tMinor"]
    path.write_text("\n".join(["system\tdoc\tdocSegId\tglobalSegId\trater\tcategory\tseverity", *lines]), "utf-8")
    rows = convert("mqm", str(path))
    assert [(row["instance_id"], row["metrics"]["mqm"]) for row in rows] == [("1", [-5.0]), ("2", [-1.0])]


@pytest.mark.parametrize("kind", ["mqm", "esa"])
def test_documents_and_domains_of_tables_are_clusters(
    kind: str, convert: Convert, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.tsv"
    lines = [
        f"{system}\td{number // 3}\t{number % 3}\t{number}\t{'news' if number < 9 else 'speech'}\tr1\tStyle\t"
        f"{'Major' if (number + shift) % 4 else 'Minor'}\t{80 + (number + shift) % 5}"
        for number in range(18)
        for shift, system in enumerate("AB")
    ]
    path.write_text(
        "\n".join(["system\tDoc\tdoc_id\tseg_id\tdomain\trater\tcategory\tseverity\tscore", *lines]), encoding="utf-8"
    )
    rows = convert(kind, str(path))
    assert {(row["document"], row["domain"]) for row in rows} == {
        (f"d{number}", "news" if number < 3 else "speech") for number in range(6)
    }
    result = tmp_path / "result.json"
    words = ["compare", str(tmp_path / "rows.jsonl"), "--score", kind, "--preset", "wmt", "--output-file", str(result)]
    assert main(words) == 0
    assert json.loads(result.read_text(encoding="utf-8"))["scores"][kind]["systems"]["A"]["num_clusters"] == 6


VOTES_OF_DOCUMENTS = "seg_id,doc_id,rater,system_a,system_b,winner\n1,x,r,A,B,a\n1,y,r,A,B,b\n"
MQM_OF_DOCUMENTS = (
    "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    "A\tx\t1\tr\tone\ttwo\tAccuracy\tMajor\nA\ty\t1\tr\tone\ttwo\tAccuracy\tMajor\n"
)


@pytest.mark.parametrize(
    ("command", "table", "advice"),
    [
        ("prefer {}", VOTES_OF_DOCUMENTS, "--columns instance_id=doc_id+seg_id"),
        ("convert-ratings mqm {} -", MQM_OF_DOCUMENTS, "--columns instance_id=doc+seg_id"),
    ],
)
def test_votes_and_annotations_of_several_documents_are_told_apart(
    command: str, table: str, advice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(table)
    assert main(command.format(path).split()) == 1
    message = capsys.readouterr().err
    assert f"instance '1' has two documents: 'x' ({path}:2) and 'y' ({path}:3); " in message
    assert message.rstrip().endswith(advice)
    assert main([*command.format(path).split(), *advice.split()]) == 0


@pytest.mark.parametrize(
    ("log_format", "name", "rows", "scores", "left_out"),
    [
        ("inspect", "inspect-graded.json", 12, {"match", "closeness", "fluency", "length"}, {"error": 1, "missing": 1}),
        ("inspect", "inspect-old.eval", 12, {"match"}, {}),
        (
            "lm-eval",
            "lm-eval-old.samples_toy_sums.jsonl",
            10,
            {"exact_match:first", "exact_match:digits"},
            {"corpus": 20},
        ),
        ("every-eval-ever", "every-eval-ever-old_samples.jsonl", 10, {"exact_match:first", "exact_match:digits"}, {}),
    ],
)
def test_logs_of_harnesses_become_rows_that_compare_reads(
    log_format: str, name: str, rows: int, scores: set[str], left_out: dict[str, int], shared_path: Any, tmp_path: Path
) -> None:
    log, out, summary = shared_path(f"golden/logs/{name}"), tmp_path / "out.jsonl", tmp_path / "summary.json"
    assert main(["convert-ratings", log_format, str(log), str(out), "--summary", str(summary)]) == 0
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert (len(found), found[0]["metrics"].keys()) == (rows, scores)
    assert json.loads(summary.read_text())["dropped"] == left_out
    assert main(["compare", str(out), "--silent", "--output-file", str(tmp_path / "x.json")]) == 0


def test_a_log_of_another_harness_is_refused(shared_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert-ratings", "lm-eval", str(shared_path("golden/logs/inspect-old.eval"))]) == 1
    assert "is no log of lm-eval, but of inspect" in capsys.readouterr().err


def test_the_help_for_every_day_has_the_flags_that_a_format_needs(fw: Callable[..., Any]) -> None:
    shown = fw("convert-ratings", "--help").out
    assert [flag for flag in ("--test-set", "--pair", "--level") if flag not in shown] == []
