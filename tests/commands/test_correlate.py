"""``fw correlate``, run as the command line runs it."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, read_rows, write_rows
from messages import SIGNED_AS_COMPUTED

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.correlate import Correlate
from metrics_framework.common.errors import DataError, InputError, UsageError

SYSTEMS = "abcd"


@pytest.fixture
def scored(tmp_path):
    """Writes scores of four systems on five inputs, and a table of ratings of the same outputs."""
    rows, ratings = [], ["sent_id,sys_name,simplicity"]
    for instance in range(5):
        for number, system in enumerate(SYSTEMS):
            score = float((3 * instance + 5 * number) % 11)
            metrics = {"sari": score, "ter": {"num_edits": 20 - score}}
            rows.append({"instance_id": str(instance), "summarizer_id": system, "metrics": metrics})
            ratings.append(f"{instance},{system},{score + (instance * number) % 3}")
    scores, human = tmp_path / "scores.jsonl", tmp_path / "human.csv"
    write_rows(scores, rows)
    human.write_text("\n".join(ratings), encoding="utf-8")
    return [str(scores), str(human)]


def fw(*words):
    command, parser = Correlate(), Parser(prog="fw correlate")
    command.add_arguments(parser)
    return command.run(parser.parse(words))


PAIR = ("--metrics", "sari", "simplicity")
DRAWN = (*PAIR, "--resamples", "20")


def test_a_table_goes_to_standard_output_and_warnings_to_standard_error(
    scored: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fw(*scored, *DRAWN, "--ci", "bootstrap:systems", "--level", "input,system,global") == 0
    captured = capsys.readouterr()
    answer, table, *_ = captured.out.split("\n\n")
    assert answer.startswith("Only metric for simplicity: sari (Pearson r ")
    assert table.splitlines()[0].split() == [
        *["metric", "against", "level", "n", "Pearson", "r", "Spearman", "ρ", "Kendall", "τ-b"]
    ]
    assert "data: 20 outputs of 4 systems (peers) on 5 inputs; left out: none" in captured.out
    assert "20 resamples, seed 0" in captured.out
    few = "fw: warning: the bootstrap resamples only 4 systems; with fewer than"
    warned = captured.err.splitlines()
    assert [line.split(": use ")[1] for line in warned] == [
        "jackknife-systems",
        *("fisher", "fisher-shrunken"),
        "jackknife-systems",
    ]
    assert all(line.startswith(few) for line in warned)


@pytest.mark.parametrize(("metric", "direction"), [("ter", "; features: lower is better"), ("quality-estimation", "")])
def test_the_direction_of_a_metric_is_printed_if_it_has_one(
    scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], metric: Any, direction: Any
) -> None:
    rows = read_rows(Path(scored[0]))
    for row in rows:
        row["metrics"] = {"features": row["metrics"]["sari"]}
        row["signature"] = {"features": f"{metric}|fw:0"}
    write_rows(Path(scored[0]), rows)
    fw(*scored, "--metrics", "features", "simplicity", "--ci", "fisher")
    assert f"sign: {SIGNED_AS_COMPUTED}{direction}\n" in capsys.readouterr().out


def test_json_goes_to_a_file(scored: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "new" / "out.json"
    fw("--metrics-jsonl-files", *scored, *PAIR, "--summarizer_type", "peer", "--output-file", str(out))
    written = read_json(out)
    assert list(written)[:6] == ["metric1", "metric2", "summarizer_type", "summary_level", "system_level", "global"]
    assert list(written["system_level"]["pearson"]) == ["r", "value", "p_value", "lower", "upper"]
    assert "\n\nmetric" in capsys.readouterr().out


def test_json_on_standard_output_sends_the_table_to_standard_error(
    scored: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fw(*scored, *PAIR, "--output-file", "-")
    captured = capsys.readouterr()
    assert json.loads(captured.out)["metric1"] == "sari"
    assert "metric  against" in captured.err


def test_several_metrics_against_one_human_score(scored: Any, capsys: pytest.CaptureFixture[str]) -> None:
    fw(
        *scored,
        "--metric",
        "sari",
        "--metric",
        "ter_num_edits",
        "--human",
        "simplicity",
        "--format",
        "csv",
        "--ci",
        "none",
    )
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 2 * 3 * 3
    assert [row["metric1"] for row in rows[::9]] == ["sari", "ter_num_edits"]
    assert float(rows[0]["value"]) == pytest.approx(-float(rows[9]["value"]))


def test_a_star_names_all_scores(scored: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert fw(*scored, "--metric", "*", "--human", "simplicity", "--ci", "none", "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["metric1"] for row in rows} == {"sari", "ter_num_edits"}


def test_a_star_leaves_out_ratings_of_several_raters_unless_there_is_nothing_else(
    scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings = tmp_path / "ratings.jsonl"
    lists = {"simplicity": [1.0, 2.0], "fluency": [2.0, 5.0]}
    rows = [
        {"instance_id": str(i), "summarizer_id": s, "metrics": {name: [i % 3, n, *of] for name, of in lists.items()}}
        for i in range(5)
        for n, s in enumerate(SYSTEMS)
    ]
    write_rows(ratings, rows)
    words = ("--metric", "*", "--human", "simplicity", "--ci", "none", "--format", "csv")
    for files, metrics, notes in ((scored[:1], ["sari", "ter_num_edits"], 1), ([], ["fluency"], 0)):
        assert fw(*files, str(ratings), *words) == 0
        printed = capsys.readouterr()
        names = [row["metric1"] for row in csv.DictReader(io.StringIO(printed.out))]
        assert [*dict.fromkeys(name for name in names if name[0] != "(")] == metrics
        assert printed.err.count("leaves out ratings of several raters, fluency") == notes
    write_rows(ratings, [{**row, "metrics": {"simplicity": 1.0}} for row in rows])
    with pytest.raises(InputError, match="the data have only simplicity"):
        fw(str(ratings), *words)


def test_files_name_their_data_sets(scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    human = {tuple(row[:2]): float(row[2]) for row in csv.reader(Path(scored[1]).read_text().splitlines()[1:])}
    every = []
    for pair in ("en-de", "he-en", "zh-en"):
        rows = read_rows(Path(scored[0]))
        for row in rows:
            row["metrics"]["simplicity"] = human[row["instance_id"], row["summarizer_id"]]
        write_rows(tmp_path / f"{pair}.jsonl", rows)
        every += [{**row, "lp": pair} for row in rows]
    write_rows(tmp_path / "all.jsonl", every)
    words = ("--metric", "sari,ter_num_edits", "--human", "simplicity", "--preset", "wmt23", "--ci", "none")
    files = [str(tmp_path / f"{pair}.jsonl") for pair in ("en-de", "he-en", "zh-en")]
    named = [f"{Path(file).stem}={file}" for file in files]
    tables = []
    for given in ([str(tmp_path / "all.jsonl"), "--data-sets", "lp"], files, named):
        path = tmp_path / f"{len(tables)}.tex"
        assert fw(*given, *words, "--task-table", str(path), "--seed", "0") == 0
        tables.append(path.read_text(encoding="utf-8"))
    assert tables[0] == tables[1] == tables[2]
    assert "\\multicolumn{4}{c}{en-de}" in tables[0]


def test_metrics_over_different_outputs_are_reported(
    scored: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    more = tmp_path / "more.csv"
    more.write_text("id,system,bleu\n0,a,1\n0,b,2\n1,a,3\n", encoding="utf-8")
    fw(*scored, str(more), "--metric", "sari", "--metric", "bleu", "--human", "simplicity", "--ci", "none")
    captured = capsys.readouterr()
    assert "scores for different outputs" in captured.err
    assert "fw: warning: bleu: left out: 17 outputs without bleu" in captured.err
    assert "bleu: 3 outputs" in captured.out


@pytest.mark.parametrize("name", ["bootstrap-system", "bootstrap-systems"])
def test_flags_of_sacrerouge_are_accepted(scored: Any, capsys: pytest.CaptureFixture[str], name: str) -> None:
    words = ["--confidence-interval-method", name, "--num-samples", "7", "--skip-summary-level", "--skip-global"]
    fw(*scored, "--metrics", "sari", "simplicity", *words, "--one-tailed", "--format", "json")
    written = json.loads(capsys.readouterr().out)
    assert "summary_level" not in written
    assert "global" not in written
    assert written["resamples"] == 7
    assert (written["system_level"]["ci_method"], written["system_level"]["two_tailed"]) == ("bootstrap-system", False)


def test_strict_turns_warnings_into_errors_and_writes_nothing(scored: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with pytest.raises(DataError, match="--strict"):
        fw(*scored, *DRAWN, "--ci", "bootstrap:systems", "--strict", "--output-file", str(out))
    assert not out.exists()


def test_silent_with_an_output_file_prints_nothing(
    scored: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "log.txt"
    fw(
        *scored,
        *DRAWN,
        "--ci",
        "bootstrap:systems",
        "--silent",
        "--output-file",
        str(tmp_path / "o.json"),
        "--log-file",
        str(log),
    )
    assert capsys.readouterr() == ("", "")
    assert "warning" in log.read_text(encoding="utf-8")


def test_missing_ratings_may_be_written_as_na(scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column of numbers with NA was text: "unknown metric 'simplicity'"."""
    lines = Path(scored[1]).read_text(encoding="utf-8").splitlines()
    lines[3], lines[8] = (f"{line.rpartition(',')[0]},NA" for line in (lines[3], lines[8]))
    lines[9] = lines[9].rpartition(",")[0] + ",n/a"
    Path(scored[1]).write_text("\n".join(lines), encoding="utf-8")
    assert fw(*scored, *PAIR, "--output-file", str(tmp_path / "out.json")) == 0
    captured = capsys.readouterr()
    assert "fw: 3 missing values of 'simplicity' in tables: 2 'NA', 1 'n/a'\n" in captured.err
    assert "data: 17 outputs of 4 systems (peers) on 5 inputs; left out: 3 simplicity missing" in captured.out
    written = read_json(tmp_path / "out.json")
    assert written["missing_values"] == {"simplicity": {"NA": 2, "n/a": 1}}


def test_the_precisions_of_bleu_are_correlated_one_by_one(scored: Any, tmp_path: Path) -> None:
    """The files have no signature; the name of the metric shows that the list is no list of ratings."""
    rows = read_rows(Path(scored[0]))
    for row in rows:
        row["metrics"] = {"bleu": row["metrics"]["sari"], "bleu_precisions": [50.0, row["metrics"]["sari"]]}
    write_rows(Path(scored[0]), rows)
    with pytest.raises(UsageError, match="use one of bleu_precisions_1, bleu_precisions_2"):
        fw(*scored, "--metrics", "bleu_precisions", "simplicity", "--ci", "none")
    found = []
    for name in ("bleu", "bleu_precisions_2"):
        fw(*scored, "--metrics", name, "simplicity", "--ci", "none", "--output-file", str(tmp_path / "out.json"))
        found.append(read_json(tmp_path / "out.json")["global"])
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_run_does_not_import_scipy_stats(scored: Any) -> None:
    program = (
        "import sys\n"
        "from metrics_framework.commands.arguments import Parser\n"
        "from metrics_framework.commands.correlate import Correlate\n"
        "command, parser = Correlate(), Parser(prog='fw correlate')\n"
        "command.add_arguments(parser)\n"
        "command.run(parser.parse(sys.argv[1:]))\n"
        "print('scipy.stats' in sys.modules, 'matplotlib' in sys.modules, 'pandas' in sys.modules)\n"
    )
    words = [*scored, *PAIR, "--format", "csv"]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False False False\n")


def test_ratings_of_several_people_may_come_from_standard_input(
    scored: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"instance_id": str(instance), "summarizer_id": system, "metrics": {"rating": [instance, number]}}
        for instance in range(5)
        for number, system in enumerate(SYSTEMS)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    levels = ["--level", "input,system,global"]
    assert fw(scored[0], "-", "--metric", "sari", "--human", "rating", "--ci", "none", *levels) == 0
    assert "(one rater)" in capsys.readouterr().out


def test_the_reliability_of_few_outputs_counts_all_raters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(system, {"m": number, "rating": [number, number + 1, 2 * number]}) for number, system in enumerate("abc")]
    lines = [json.dumps({"instance_id": "1", "summarizer_id": name, "metrics": scores}) for name, scores in rows]
    (tmp_path / "scores.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert (
        fw(str(tmp_path / "scores.jsonl"), "--metric", "m", "--human", "rating", "--ci", "none", "--level", "input")
        == 0
    )
    assert re.search(r"\(mean of raters\) +rating +input +3 raters", capsys.readouterr().out)


def test_kwargs_of_sacrerouge_set_the_number_of_resamples(scored: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--confidence-interval-kwargs", '{"num_samples": 7}', "--num-tails", "1", "--ci", "bootstrap-both"]
    fw(*scored, "--metrics", "sari", "simplicity", *words, "--format", "json", "--silent")
    written = json.loads(capsys.readouterr().out)
    assert (written["resamples"], written["global"]["two_tailed"]) == (7, False)


@pytest.mark.parametrize(("flag", "title"), [("--system-level-output-plot", "Means"), ("--global-output-plot", "All")])
def test_plots_of_one_level(scored: Any, tmp_path: Path, flag: str, title: str) -> None:
    fw(*scored, *PAIR, flag, str(tmp_path / "p.svg"), "--silent")
    drawn = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert title in drawn
    assert ("All outputs" in drawn) != ("Means of systems" in drawn)


@pytest.fixture
def constant_inputs(tmp_path: Path) -> str:
    """Writes scores of four systems on six inputs: those of 'tied' are equal on the first two inputs."""
    rows = [
        {
            "instance_id": str(item),
            "summarizer_id": system,
            "metrics": {
                "tied": 1 if item < 2 else (number * 3 + item) % 5,
                "free": (number + item) % 4,
                **{name: (number * step + item) % 7 for name, step in (("fluent", 2), ("adequate", 3))},
            },
        }
        for item in range(6)
        for number, system in enumerate("abcd")
    ]
    (tmp_path / "tied.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(tmp_path / "tied.jsonl")


@pytest.mark.parametrize(
    ("coefficients", "count", "also"),
    [  # the coefficients, the inputs in the table and in the answer, and who counts constant inputs
        ("pearson", "4 inputs", ""),
        ("acc-eq", "6 inputs", ", but not by acc-eq"),
        ("kendall-like", "6 inputs", ", but not by kendall-like"),
        ("pdp", "6 inputs", ", but not by pdp"),
        ("pearson,acc-eq", "4 inputs", ", but not by acc-eq"),
    ],
)
def test_inputs_are_those_that_a_coefficient_averages(
    constant_inputs: str, coefficients: str, count: str, also: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-m", "tied", "--human", "fluent", "--level", "input", "--coefficients", coefficients]
    fw(constant_inputs, *words, "--silent")
    out = capsys.readouterr().out
    assert re.search(rf"input\s+level,\s{count}", out), out
    assert re.search(rf"fluent +input +{count} ", out), out
    assert re.search(rf"skipped: 2 constant .*{re.escape(also)}\n", out)
    fw(constant_inputs, *words, "--silent", "--format", "csv")
    for row in csv.DictReader(io.StringIO(capsys.readouterr().out)):
        assert row["n"] == ("4" if row["coefficient"] == "pearson" else "6")


@pytest.mark.parametrize("shape", ["table", "markdown", "latex"])
def test_tables_of_ranks_name_the_rating_if_there_are_several(
    constant_inputs: str, shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-m", "tied", "free", "--level", "input", "--coefficients", "pearson", "--test", "--format", shape]
    fw(constant_inputs, *words, "--human", "fluent", "adequate", "--silent")
    out = capsys.readouterr().out
    assert {"fluent", "adequate"} <= {*re.findall(r"input level, (\w+)", out)}
    fw(constant_inputs, *words, "--human", "fluent", "--silent")
    assert "input level, fluent" not in capsys.readouterr().out.partition("p vs. 1")[0].rpartition("rank")[2]
