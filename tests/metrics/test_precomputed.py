import gzip
import json
import math
from pathlib import Path

import pytest
from json_files import write_rows
from messages import (
    DIFFERS_ONLY_IN_CASE,
    DIRECTION_IS_UNKNOWN,
    LEFT_OUT_COLUMN,
    NOT_A_NUMBER,
)

from metrics_framework import load
from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, InputError, UnknownNameError


def row(instance, system, **metrics):
    return {"instance_id": instance, "summarizer_id": system, "summarizer_type": "peer", "metrics": metrics}


def write(path, rows):
    write_rows(path, rows)
    return str(path)


@pytest.fixture
def file(tmp_path) -> Path:
    rows = [row("1", "a", comet=0.5, r={"f": 1, "p": [2, 4, None]}), row("2", "a", comet=None, r={"f": 3, "p": []})]
    return write(tmp_path / "scores.jsonl", rows)


def error_of(kind, file, *ids, **options):
    with pytest.raises(kind) as caught:
        load("precomputed", file=file, **options).score_all(*(list(one) for one in zip(*ids, strict=True)))
    return str(caught.value).replace(str(Path(file).parent) + "/", "")


def test_one_score_has_the_name_of_the_metric(file: str) -> None:
    metric = load("precomputed", file=file, score="r_f")
    assert metric.score_all(["2", "1"], ["a", "a"]) == [{"precomputed": 3}, {"precomputed": 1}]
    assert metric.score("1", "a") == metric.score(summarizer_id="a", instance_id="1") == {"precomputed": 1}
    assert metric.evaluate(["2", "1"], ["a", "a"])[0] == {"precomputed": 2.0}


def test_without_a_choice_all_scores_are_used(file: str) -> None:
    first, second = load("precomputed", file=file).score_all(["1", "2"], ["a", "a"])
    assert first == {"comet": 0.5, "r_f": 1, "r_p": 3.0}
    assert [name for name, value in second.items() if math.isnan(value)] == ["comet", "r_p"]


def test_tables_and_compressed_files(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,system,comet\n1,a,0.5\n2,a,NA\n")
    with gzip.open(tmp_path / "x.jsonl.gz", "wt") as stream:
        stream.write(json.dumps(row("1", "a", comet=0.5)))
    assert load("precomputed", file=str(tmp_path / "x.csv")).score("1", "a") == {"comet": 0.5}
    assert math.isnan(load("precomputed", file=str(tmp_path / "x.csv")).score("2", "a")["comet"])
    assert load("precomputed", file=str(tmp_path / "x.jsonl.gz"), score="comet").score("1", "a") == {"precomputed": 0.5}


def test_ratings_of_several_raters_are_averaged(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,system,rater,grade\n1,a,r1,1\n1,a,r2,4\n")
    assert load("precomputed", file=str(tmp_path / "x.csv")).score("1", "a") == {"grade": 2.5}


def test_outputs_without_a_score_are_listed(file: str) -> None:
    assert error_of(DataError, file, ("1", "a"), ("3", "a"), ("1", "A"), score="comet") == (
        "scores.jsonl: has no row with a score for instance '3' of system 'a'; missing=nan leaves it undefined\n"
        "scores.jsonl: has no row with a score for instance '1' of system 'A'; it has 'a', "
        f"{DIFFERS_ONLY_IN_CASE}; missing=nan leaves it undefined"
    )


def test_a_row_without_the_score_is_listed(tmp_path: Path) -> None:
    file = write(tmp_path / "x.jsonl", [row("1", "a", x=1), row("2", "a", y=1)])
    assert error_of(DataError, file, ("2", "a"), score="x") == (
        "x.jsonl: has no row with the score 'x' for instance '2' of system 'a'; missing=nan leaves it undefined"
    )


def test_outputs_without_a_score_may_be_undefined(file: str) -> None:
    metric = load("precomputed", file=file, score="comet", missing="nan")
    assert math.isnan(metric.score("9", "a")["precomputed"])


def test_an_unknown_score(file: str) -> None:
    assert error_of(UnknownNameError, file, ("1", "a"), score="commet") == (
        "unknown score 'commet' of scores.jsonl; did you mean 'comet'? Known: comet, r_f, r_p."
    )


INVALID = [  # rows, message, why
    (
        [row("1", "a", x=1), row("1", "a", x=2)],
        "x.jsonl:2: duplicate row for instance '1' of summarizer 'a' (first on line 1); remove one of them",
        "duplicate",
    ),
    ([row("1", "a", x="y")], f"x.jsonl:1: score 'x' {NOT_A_NUMBER} the string 'y'", "text"),
    (
        [{"instance_id": "1", "metrics": {}}],
        "x.jsonl:1: 'summarizer_id' is missing; the row has 'instance_id', 'metrics'",
        "no system",
    ),
    ([], "x.jsonl: contains no scores", "empty"),
    ([row("1", "a")], "x.jsonl: contains no scores", "no scores"),
    ([row("1", "a", r={"f": 1}, r_f=2)], "x.jsonl:1: two scores have the same flat name 'r_f'", "two names"),
]


@pytest.mark.parametrize(("rows", "message", "why"), INVALID)
def test_invalid_files(tmp_path: Path, rows: Path, message: str, why: str) -> None:
    assert error_of(DataError, write(tmp_path / "x.jsonl", rows), ("1", "a")) == message


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    assert "no-such.jsonl" in error_of(DataError, str(tmp_path / "no-such.jsonl"), ("1", "a"))


def test_ids_are_strings(file: str) -> None:
    assert error_of(InputError, file, (1, "a")) == "'instance_id' must be a string, got the number 1"


def test_the_signature_has_the_scores_and_their_own_signature(tmp_path: Path) -> None:
    rows = [{**row("1", "a", ter=1, ter_num_edits=3), "signature": {"ter": "ter|case:lc|fw:0"}}, row("2", "a", ter=2)]
    metric = load("precomputed", file=write(tmp_path / "x.jsonl", rows), score="ter_num_edits", better="lower")
    assert "|better:lower|" in metric.signature()
    assert "|of:ter;case:lc;fw:0|" in metric.signature()
    other = load("precomputed", file=write(tmp_path / "x.jsonl", rows[:1]), score="ter_num_edits", better="lower")
    assert other.signature() != metric.signature()
    assert metric.higher_is_better is False


def test_direction_and_range_are_those_of_the_metric_in_the_signature(tmp_path: Path) -> None:
    rows = [{**row("1", "a", x=1), "signature": {"x": "ter|case:lc|fw:0"}}]
    metric = load("precomputed", file=write(tmp_path / "x.jsonl", rows), score="x")
    assert (metric.higher_is_better, metric.score_range) == (False, (0, None))
    assert "|better:lower|" in metric.signature()
    assert load("precomputed", file=metric.file, score="x", better="higher").higher_is_better is True
    assert load("precomputed", file=metric.file).directions == {"x": False}


def test_an_unknown_direction_is_reported(tmp_path: Path, outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "x.jsonl", [row(name, system, x=1, ter=2) for system in "ab" for name in "12"])
    for options, number in ((",score=x", 1), (",score=x,better=higher", 0), (",score=ter", 0), ("", 0)):
        assert main(["evaluate", "--metric", f"precomputed:file={file}{options}", "--input-files", outputs]) == 0
        assert capsys.readouterr().err.count("'x': higher is taken as better; set better=lower") == number
    assert main(["compare", "--metric", f"precomputed:file={file}", "--input-files", outputs]) == 0
    assert capsys.readouterr().err.count(f"'x': its direction {DIRECTION_IS_UNKNOWN}") == 1


# ---- whole runs ------------------------------------------------------------------------------------------------------


@pytest.fixture
def outputs(tmp_path):
    rows = [
        {"instance_id": name, "summarizer_id": system, "summary": "x", "references": ["x", "y"]}
        for system in "ab"
        for name in "12"
    ]
    return write(tmp_path / "outputs.jsonl", rows)


def test_scores_are_used_like_those_of_a_metric(
    tmp_path: Path, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(name, system, x=int(name), y=2) for system in "abc" for name in "12"]
    file, macro, micro = write(tmp_path / "x.jsonl", rows), tmp_path / "macro.json", tmp_path / "micro.jsonl"
    metrics = [
        "--metric",
        f"precomputed:file={file},score=x",
        "--metric",
        f"precomputed:file={file},score=y,better=lower",
    ]
    assert main(["evaluate", str(macro), str(micro), *metrics, "--jobs", "2", "--input-files", outputs]) == 0
    assert json.loads(macro.read_text())["systems"] == {"a": {"x": 1.5, "y": 2.0}, "b": {"x": 1.5, "y": 2.0}}
    assert json.loads(micro.read_text().split("\n")[1])["metrics"] == {"x": 2, "y": 2}
    assert f"{file} also has the scores of 2 outputs that this run did not score" in capsys.readouterr().err
    assert main(["score", str(micro), *metrics, "--metric", "bleu", "--input-files", outputs]) == 0
    assert "x_jk" not in micro.read_text()
    assert "bleu_jk" in micro.read_text()


def test_the_system_with_the_lowest_ter_is_the_best(
    tmp_path: Path, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(name, system, ter=ord(system) + int(name)) for system in "ab" for name in "12"]
    metric = f"precomputed:file={write(tmp_path / 'x.jsonl', rows)},score=ter"
    comparison = tmp_path / "comparison.json"
    words = ["--metric", metric, "--input-files", outputs]
    assert main(["compare", *words, "--output-file", str(comparison)]) == 0
    assert "direction  lower is better: ter" in capsys.readouterr().out
    assert main(["evaluate", *words, "--format", "latex"]) == 0
    assert [line.split(" & ")[0] for line in capsys.readouterr().out.split("\n") if "textbf" in line] == ["a"]


@pytest.mark.slow
def test_a_report_has_no_precomputed_scores_of_its_baselines(
    tmp_path: Path, datasets_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = datasets_path / "simplification"
    metric = f"precomputed:file={folder / 'human.jsonl'},score=simplicity"
    words = ["--metric", metric, "--metric", "bleu", "--no-confidence", "--input-files", str(folder / "outputs.jsonl")]
    assert main(["report", str(tmp_path / "page.html"), *words]) == 0
    assert "simplicity" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_an_output_may_not_be_written_over_the_scores(
    tmp_path: Path, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "x.json", [row("1", "a", x=1)])
    assert main(["evaluate", file, "--metric", f"precomputed:file={file}", "--input-files", outputs]) == 2
    assert "x.json" in capsys.readouterr().err
    assert json.loads(Path(file).read_text())["metrics"] == {"x": 1}


TEXT_IN_A_COLUMN = "instance_id,system,comet,length\n1,A,zero,3\n1,B,0.25,4\n2,A,0.3,5\n2,B,0,6\n"


def test_a_column_that_is_left_out_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("instance_id,system,comet\n1,A,zero\n1,B,0.25\n")
    with pytest.raises(DataError, match=rf"contains no scores\. {LEFT_OUT_COLUMN} 'comet' .* has the string 'zero'"):
        load("precomputed", file=str(path)).score("1", "A")
    path.write_text(TEXT_IN_A_COLUMN)
    with pytest.raises(UnknownNameError, match=rf"unknown score 'comet' .* {LEFT_OUT_COLUMN} 'comet'"):
        load("precomputed", file=str(path), score="comet").score("1", "A")
    metric = load("precomputed", file=str(path))
    assert metric.score("1", "A") == {"length": 3}
    assert f"{LEFT_OUT_COLUMN} 'comet'" in metric.notes()[0]
