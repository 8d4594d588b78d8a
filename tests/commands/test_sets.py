"""``--by COLUMN`` of the commands that score outputs: the rows with each value of a column are a set of their own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, write_rows
from samples import sampled

Run = Callable[..., Any]
TEXTS = ("the cat sat on the mat", "a dog ran far away", "birds sing", "the old house is red", "we ate rice today")
FILES = "--input-files ours.jsonl theirs.jsonl"


@pytest.fixture
def run(fw: Run) -> Run:
    """Runs ``fw`` with the words of a text, in a folder with the outputs of two systems on two sets."""
    for shift, system in enumerate(("ours", "theirs")):
        rows = [
            {
                "instance_id": number // 2,  # each set has the same ids
                "summary": TEXTS[(number * (1 + shift)) % 5],
                "references": [TEXTS[number % 5], TEXTS[0]][: 1 + number % 2],
                "test_set": ("asset", "turk")[number % 2],
            }
            for number in range(24)
        ]
        write_rows(f"{system}.jsonl", rows)
    return lambda text: fw(*text.split())


@pytest.mark.parametrize("jobs", sampled(["", "--jobs 2"], 1))
@pytest.mark.parametrize("confidence", ["", "--confidence"])
def test_each_set_has_the_scores_of_a_run_on_its_rows(jobs: str, confidence: str, run: Run) -> None:
    metrics = f"-m bleu -m ter {confidence}"
    found = run(f"evaluate m.json {metrics} --by test_set {jobs} {FILES}")
    assert found.code == 0, found.err
    both = read_json("m.json")
    assert list(both["sets"]) == ["asset", "turk"]
    for name in both["sets"]:
        assert run(f"evaluate {name}.json {metrics} --where test_set={name} {FILES}").code == 0
        assert both["sets"][name] == read_json(f"{name}.json")
    for system in ("ours", "theirs"):
        values = [both["sets"][name]["systems"][system]["bleu"] for name in both["sets"]]
        assert both["systems"][system]["bleu"] == pytest.approx(sum(values) / 2, abs=1e-12)
    assert both["by"] == "test_set"
    assert list(both["signature"]) == []  # the sets have 1 and 2 references


def test_systems_are_compared_within_each_set(run: Run) -> None:
    words = f"-m bleu ter --trials 40 --resamples 40 {FILES}"
    assert run(f"compare {words} --by test_set --output-file both.json").code == 0
    scores = "\n".join(
        f"{row['instance_id']},{system},{row['test_set']},{len(row['summary']) % 7}"
        for system in ("ours", "theirs")
        for row in map(json.loads, Path(f"{system}.jsonl").read_text().splitlines())
    )
    Path("scores.csv").write_text(f"id,system,test_set,length\n{scores}\n")
    assert run("compare scores.csv --score length --by test_set --output-file rated.json").code == 0
    for name in ("asset", "turk"):
        where = f"--where test_set={name} --output-file alone.json"
        assert run(f"compare {words} {where}").code == 0
        assert read_json("both.json")["sets"][name] == read_json("alone.json")
        assert run(f"compare scores.csv --score length {where}").code == 0
        assert read_json("rated.json")["sets"][name] == read_json("alone.json")
    assert read_json("both.json")["by"] == "test_set"
    table = run(f"compare {words} --by test_set").out
    assert [line.split()[:3] for line in table.splitlines()[2:5:2]] == [["asset:", "bleu", "1"], ["asset:", "ter", "1"]]
    for _ in range(2):  # the second run replaces its own result
        assert run(f"compare {words} --by test_set -o data.csv").code == 0
    assert Path("data.csv").read_text().startswith("test_set,metric,system,")


def test_a_report_divides_its_buckets_by_the_column(run: Run) -> None:
    rows = [{"id": n, "summary": "a cat", "reference": "a dog", "year": n % 3, "kind": "ab"[n % 2]} for n in range(6)]
    write_rows("rows.jsonl", [{**row, "one": 1} for row in rows])
    words = "report page.html -m ter --profile translation --no-confidence --input-files rows.jsonl"
    for column, order in (("kind", ["kind", "year"]), ("year", ["year", "kind"])):
        assert run(f"{words} --by {column}").code == 0
        page = Path("page.html").read_text(encoding="utf-8")
        assert sorted(order, key=lambda name: page.index(f'{{"name": "{name}", "values"')) == order
    assert "did you mean 'kind'?" in run(f"{words} --by kin").err
    assert "cannot divide its inputs by 'one', because it has a single value" in run(f"{words} --by one").err


def test_scores_of_outputs_are_not_divided(run: Run) -> None:
    found = run(f"score -m ter --by test_set {FILES}")
    assert (found.code, "fw evaluate --by or fw compare --by" in found.err) == (2, True)


def test_a_table_has_a_block_of_columns_for_each_set_and_the_means(run: Run) -> None:
    found = run(f"evaluate -m bleu -m ter --by test_set {FILES}")
    header, _, first, second = found.out.splitlines()[:4]
    assert header.split("  ")[-1].strip() == "mean ter"
    names = [cell.strip() for cell in header.split("  ") if cell.strip()]
    blocks = [f"{name} {metric}" for name in ("asset", "turk", "mean") for metric in ("bleu", "ter")]
    assert names == ["system", "outputs", *blocks]
    assert (first.split()[:2], second.split()[:2]) == (["ours", "24"], ["theirs", "24"])
    assert "mean over the 2 sets of 'test_set'" in found.out
    assert "signature  bleu asset" in found.out  # the sets differ in their numbers of references


FORMATS = [  # format, the start of the table
    (
        "latex",
        "\\begin{tabular}{lrrrr}\n\\toprule\nsystem & outputs & \\multicolumn{1}{c}{asset} & \\multicolumn{1}{c}{turk}",
    ),
    ("markdown", "| system | outputs | asset ter |"),
    ("html", '<table>\n<thead>\n<tr><th style="text-align: left" rowspan="2">system</th>'),
    ("csv", "system,outputs,test_set,ter,"),
    ("tsv", "system\toutputs\ttest_set\tter\t"),
    ("json", '{\n  "by": "test_set",\n  "metrics"'),
]


@pytest.mark.parametrize(("format", "start"), FORMATS, ids=[name for name, _ in FORMATS])
def test_every_format_has_the_table_and_may_be_written_again(format: str, start: str, run: Run) -> None:
    for _ in range(2):  # the second run replaces its own result
        found = run(f"ter evaluate --by test_set --format {format} -o table.out {FILES}")
        assert found.code == 0, found.err
    assert Path("table.out").read_text().startswith(start)


def test_tables_for_programs_have_a_row_for_each_system_and_set(run: Run) -> None:
    found = run(f"ter evaluate m.json --by test_set --confidence --format csv {FILES}")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [(row["test_set"], row["system"]) for row in rows] == [
        (name, system) for name in ("asset", "turk", "mean") for system in ("ours", "theirs")
    ]
    written = read_json("m.json")
    assert float(rows[0]["ter"]) == written["sets"]["asset"]["systems"]["ours"]["ter"]
    assert float(rows[5]["ter"]) == written["systems"]["theirs"]["ter"]
    assert (rows[1]["ter_low"] != "", rows[1]["ter_p"] != "", rows[5]["ter_low"]) == (True, True, "")


def test_a_system_without_outputs_in_a_set_has_no_mean(run: Run) -> None:
    lines = Path("theirs.jsonl").read_text().splitlines(keepends=True)
    Path("theirs.jsonl").write_text("".join(line for line in lines if '"turk"' not in line))
    found = run(f"ter evaluate m.json --by test_set --format markdown {FILES}")
    assert [cell.strip() for cell in found.out.splitlines()[3].strip("|").split("|")][-2:] == ["–", "–"]
    assert list(read_json("m.json")["systems"]) == ["ours"]


TABLE_FLAGS = [  # flags, what the table has
    ("--no-counts", "| system |"),
    ("--pooled", "| (all)"),
    ("--scores ter_num_edits", "asset ter_num_edits"),
    ("--sort ter", "| ours"),
    ("--components", "mean ter_ref_length"),
    ("--digits 4", ".0000"),
    ("--where test_set!=turk", "asset ter"),
    ("--baseline theirs", "theirs (baseline)"),
    ("--confidence --ci jackknife", "95 % confidence interval (jackknife"),
]


@pytest.mark.parametrize(("flags", "fragment"), TABLE_FLAGS, ids=[flags for flags, _ in TABLE_FLAGS])
def test_the_flags_of_tables_apply_to_all_blocks(flags: str, fragment: str, run: Run) -> None:
    found = run(f"ter evaluate --by test_set --format markdown {flags} {FILES}")
    assert found.code == 0, found.err
    assert fragment in found.out


def test_a_column_with_many_values_or_none_is_refused(run: Run) -> None:
    Path("many.jsonl").write_text(
        "".join(json.dumps({"instance_id": n, "summary": "a", "reference": "a"}) + "\n" for n in range(60))
    )
    found = run("ter evaluate --by instance_id --input-files many.jsonl")
    assert (found.code, "60 values" in found.err) == (2, True), found.err
    found = run(f"ter evaluate --by test_st {FILES}")
    assert "did you mean 'test_set'" in found.err
    found = run(f"ter evaluate --by test_set --where test_set=x {FILES}")
    assert "leaves out all 48 rows" in found.err


@pytest.mark.slow
def test_sets_are_not_scored_on_an_engine(run: Run) -> None:
    pytest.importorskip("ray", reason="without it, --engine says how to install it")
    found = run(f"ter evaluate --by test_set --engine ray:auto {FILES}")
    assert found.code == 2
    assert all(part in found.err for part in ("--by test_set", "--engine", "--where test_set=VALUE"))


def test_rows_with_an_empty_column_are_a_set(run: Run) -> None:
    Path("ours.jsonl").write_text(Path("ours.jsonl").read_text().replace('"turk"', "null"))
    found = run("ter evaluate m.json --by test_set --format markdown --input-files ours.jsonl")
    assert "(empty) ter" in found.out
    assert list(read_json("m.json")["sets"]) == ["asset", ""]


def test_warnings_name_their_set(run: Run) -> None:
    Path("ours.jsonl").write_text(Path("ours.jsonl").read_text().replace(f'"{TEXTS[2]}"', '""', 1))
    found = run(f"ter evaluate --by test_set {FILES}")
    assert "fw: warning: asset: " in found.err
    assert "empty outputs: 1 of 12 outputs of 'ours' (first at ours.jsonl:3)" in found.err
    assert "left out" not in found.err
