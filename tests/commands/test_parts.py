"""Runs in other processes and on engines: the same bytes as one process, whatever is read and computed."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from immediate_engine import ImmediateEngine
from json_files import write_rows
from samples import sampled

Run = Callable[..., Any]
WORDS = ["the", "cat", "sat", "on", "a", "red", "mat,", "under", "«its»", "old", "tree;", "it's", "late."]
COMMANDS = {  # name: the command and its metrics, the outputs
    "one metric": ("ter evaluate", "m.json o.jsonl"),
    "statistics of the corpus": ("bleu evaluate", "m.json"),
    "rows on standard output": ("evaluate --metric sent-bleu --metric sari:variant=hf", "m.json -"),
    "intervals and tests": (
        "evaluate --metric chrf --metric bleu --metric ter --confidence --resamples 50",
        "m.json o.jsonl.gz",
    ),
    "jackknifed scores": ("score --metric ter --metric bleu:label=again", "o.jsonl"),
}
INPUTS = {  # the flags of an input
    "jsonl": "--input-files in.jsonl",
    "two files": "--input-files first.jsonl second.jsonl",
    "parquet": "--input-files in.parquet",
    "gz": "--input-files in.jsonl.gz",
    "standard input": "--input-files -",
    "texts": "--outputs one.txt two.txt three.txt --references refs.txt more.txt --sources source.txt",
    "first duplicates": "--duplicates first --input-files in.jsonl second.jsonl",
    "last duplicates": "--duplicates last --input-files in.jsonl second.jsonl",
}
EXECUTORS = ["--jobs 2", "--jobs 3", "--engine ray:auto"]


def texts_of(number: int, count: int) -> list[str]:
    words = random.Random(number)
    return [" ".join(words.choices(WORDS, k=words.randrange(1, 11))) for _ in range(count)]


def rows(inputs: int = 60) -> list[dict[str, Any]]:
    """Returns the outputs of two peers and a reference, with three references and a source."""
    made = []
    for system, kind in (("b", "peer"), ("a", "peer"), ("Ünal", "reference")):
        for number in range(inputs):
            output, *references = texts_of(number + len(made), 4)
            (source,) = texts_of(number, 1)
            named = {"instance_id": str(number), "summarizer_id": system, "summarizer_type": kind}
            made.append({**named, "summary": output, "references": references, "source": source})
    return made


def write_input(kind: str) -> None:
    write_rows("in.jsonl", rows())
    write_rows("first.jsonl", rows()[:70])
    write_rows("second.jsonl", rows()[70:])
    if kind == "gz":
        Path("in.jsonl.gz").write_bytes(gzip.compress(Path("in.jsonl").read_bytes()))
    for number, name in enumerate(("one", "two", "three", "refs", "more", "source")):
        Path(f"{name}.txt").write_text("\n".join(texts_of(number, 300)) + "\n", encoding="utf-8")
    if kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow", reason="reads Parquet")
        parquet = pytest.importorskip("pyarrow.parquet", reason="reads Parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows()), "in.parquet", row_group_size=17)


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores in this process what Ray would score."""
    engines = {"ray": f"{ImmediateEngine.__module__}:{ImmediateEngine.__name__}"}
    monkeypatch.setattr("metrics_framework.evaluation.engine._ADAPTERS", engines)


def run_of(fw: Run, kind: str, words: str, outputs: str, executor: str) -> tuple[int, str, str, list[bytes]]:
    """Returns the exit code of a run, what it prints, and its files."""
    if kind == "standard input":
        data = io.BytesIO(Path("in.jsonl").read_bytes())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(data))
            done = fw(*words.split(), *outputs.split(), *INPUTS[kind].split(), *executor.split(), "--force")
    else:
        done = fw(*words.split(), *outputs.split(), *INPUTS[kind].split(), *executor.split(), "--force")
    connecting = "fw: connecting to Ray at 'auto' (for at most 30 seconds)\n"
    assert (connecting in done.err) == executor.startswith("--engine")
    files = [Path(name).read_bytes() for name in outputs.split() if name != "-"]
    return done.code, done.out, done.err.replace(connecting, ""), files


SCORED = [*(("intervals and tests", kind) for kind in INPUTS), *((name, "two files") for name in COMMANDS)]


@pytest.mark.parametrize(("name", "kind"), sampled(dict.fromkeys(SCORED), 1))
def test_every_executor_writes_and_prints_what_one_process_does(name: str, kind: str, fw: Run) -> None:
    write_input(kind)
    words, outputs = COMMANDS[name]
    expected = run_of(fw, kind, words, outputs, "")
    assert expected[0] == 0, expected
    for executor in EXECUTORS:
        assert run_of(fw, kind, words, outputs, executor) == expected, executor


@pytest.mark.slow
def test_the_rows_of_every_executor_are_the_same_in_parquet(fw: Run) -> None:
    pytest.importorskip("pyarrow", reason="writes Parquet")
    write_input("jsonl")
    for command in ("evaluate m.json", "score"):
        expected = run_of(fw, "jsonl", f"ter {command}", "rows.parquet", "")
        for executor in EXECUTORS:
            assert run_of(fw, "jsonl", f"ter {command}", "rows.parquet", executor) == expected, executor


@pytest.mark.slow
@pytest.mark.parametrize("executor", EXECUTORS)
def test_the_table_of_a_profile_is_that_of_one_process(executor: str, fw: Run) -> None:
    write_input("jsonl")
    words = ["evaluate", "--profile", "simplification", "--input-files", "in.jsonl", "--resamples", "50"]
    assert fw(*words, *executor.split()).out == fw(*words).out


@pytest.mark.parametrize("is_sorted", [True, False])
@pytest.mark.parametrize("executor", sampled(EXECUTORS, 1))
def test_sorted_rows_of_parts_follow_one_another_or_are_merged(executor: str, is_sorted: bool, fw: Run) -> None:
    lines = sorted(rows(60), key=lambda row: (int(row["instance_id"]), row["summarizer_id"]))
    if not is_sorted:
        random.Random(1).shuffle(lines)
    write_rows("in.jsonl", lines)
    expected = run_of(fw, "jsonl", "score --metric ter", "o.jsonl", "")
    assert run_of(fw, "jsonl", "score --metric ter", "o.jsonl", executor) == expected


# ---- the words of one process ----------------------------------------------------------------------------------------


def broken(lines: list[str]) -> None:
    lines[3] = '{"broken'
    lines[90] = lines[90].replace('"references"', '"nothing"')
    lines[170] = lines[2]


def many(lines: list[str]) -> None:
    for number in range(len(lines)):
        lines[number] = lines[number].replace('"references"' if number % 2 else '"summary"', '"nothing"')
    lines[100] = '{"broken'


def blank(lines: list[str]) -> None:
    row = json.loads(lines[70])
    lines[70] = json.dumps({**row, "summary": " "})
    del lines[100]


PROBLEMS = {  # what is changed: what is reported
    broken: ["in.jsonl:4:", "in.jsonl:91:", "in.jsonl:171:"],
    many: [
        "in.jsonl:1, 3, 5 and 86 more lines: the metric 'ter' needs 'summary'",
        "in.jsonl:2, 4, 6 and 87 more",
        "in.jsonl:101: ",
    ],
    blank: ["empty outputs: 1 of 59 outputs of 'a'", "fewer than 60 inputs"],
}


@pytest.mark.parametrize("change", sampled(PROBLEMS, 1), ids=lambda change: change.__name__)
@pytest.mark.parametrize("duplicates", sampled(["error", "first", "last"], 1))
def test_problems_and_warnings_are_those_of_one_process(
    change: Callable[[list[str]], None], duplicates: str, fw: Run
) -> None:
    lines = [json.dumps(row) for row in rows()]
    change(lines)
    Path("in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["ter", "evaluate", "m.json", "--input-files", "in.jsonl", "--duplicates", duplicates, "--force"]
    expected = fw(*words)
    found = PROBLEMS[change][:-1] if change is broken and duplicates != "error" else PROBLEMS[change]
    assert [text for text in found if text not in expected.err] == []
    assert expected.code == (0 if change is blank else 1)
    for executor in EXECUTORS:
        done = fw(*words, *executor.split())
        connecting, _, rest = done.err.rpartition("seconds)\n")
        assert bool(connecting) == executor.startswith("--engine")
        assert (done.code, done.out, rest) == (expected.code, expected.out, expected.err), executor
    assert Path("m.json").exists() == (change is blank)


@pytest.mark.parametrize("words", sampled(["fails score", "fails evaluate m.json"], 1))
def test_the_error_of_a_metric_has_the_words_of_one_process(words: str, fw: Run) -> None:
    Path("plugin.py").write_text(
        "from metrics_framework import Metric, ReferenceBasedMetric\n"
        "@Metric.register('fails')\n"
        "class Fails(ReferenceBasedMetric):\n"
        "    def score_multi_all(self, summaries_list, references_list):\n"
        "        return [[{'fails': 1 / ('«its» old' not in text)} for text in texts] for texts in summaries_list]\n"
    )
    write_rows("in.jsonl", rows())
    command = ["--include-packages", "plugin.py", *words.split(), "--no-checks", "--input-files", "in.jsonl"]
    expected = fw(*command)
    assert (expected.code, "plugin.py:5: ZeroDivisionError" in expected.err) == (1, True)
    for executor in EXECUTORS:
        done = fw(*command, *executor.split())
        assert (done.code, done.out) == (1, expected.out)
        assert done.err.endswith(expected.err.removeprefix("fw: error: ")), executor
        assert ("failed repeatedly on Ray" in done.err) == executor.startswith("--engine"), "it may be a server"


# ---- flags -----------------------------------------------------------------------------------------------------------


def test_a_metric_that_needs_all_inputs_is_scored_in_one_process(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics_framework.metrics.ter.Ter.in_one_process", True)
    write_rows("in.jsonl", rows())
    done = fw("ter", "evaluate", "--input-files", "in.jsonl", "--engine", "ray:auto")
    assert (done.code, done.out) == (0, fw("ter", "evaluate", "--input-files", "in.jsonl").out)
    assert "--engine has no effect with 'ter'" in done.err
