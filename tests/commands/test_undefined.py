"""Outputs without a score: every command, format and way to run states how many, and compares on common inputs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from immediate_engine import ImmediateEngine
from json_files import read_json, read_rows
from messages import UNDEFINED_FOR_ALL, UNEQUAL_SHARES
from samples import sampled
from undefined_outputs import INPUTS, MISSING, commands, common_with, counts, expected_p_values, made, scored, written

from metrics_framework.reports.formats import REGISTRY
from metrics_framework.reports.formats.output_format import OTHER_FORMATS, OutputFormat
from metrics_framework.significance.resampling import Resampling

Run = Callable[..., Any]
NO_SCORE = "no output has a score"
PLUGIN = ["--include-packages", "plugin.py"]
FORMATS = [*REGISTRY.names(), *OTHER_FORMATS]
SCORING = {  # command: how it is run
    "evaluate": ["evaluate", "--metric", "patchy"],
    "score": ["score", "--metric", "patchy"],
    "compare": ["compare", "--metric", "patchy"],
    "report": ["report", "page.html", "--profile", "summarization", "--metric", "patchy"],
    "correlate": ["correlate", "scores.jsonl", "ratings.jsonl", "--metrics", "patchy", "good"],
}
OTHERS = {  # command: why no system has a mean of undefined scores of outputs in it
    "agreement": "ratings of people, whose missing ones it counts",
    "challenge": "pairs; those with one score only are left out and counted",
    "cite": "no scores",
    "completion": "no scores",
    "estimate": "means combine ratings with all scores; differences are of inputs that both systems have",
    "gate": "differences are of inputs that both runs have; a missing score is counted",
    "test-judge": "ratings of people; judgements of units that are rated",
    "list": "no scores",
    "partial-conjunction-test": "p-values",
    "plan": "ratings of people, whose missing ones it leaves out",
    "prefer": "votes",
    "convert-ratings": "rewrites ratings",
    "setup dataset": "no scores",
    "setup metric": "no scores",
    "stat-sig-test": "compares metrics on the outputs that all scores have",
    "visualize": "scores of single outputs, no means",
    "write pairs": "no scores",
    "write votes": "votes",
}


def test_every_command_is_in_one_of_the_tables() -> None:
    assert sorted([*SCORING, *OTHERS]) == sorted(commands())


@pytest.fixture
def some(tmp_path: Path) -> str:
    return written(tmp_path)


# ---- formats ---------------------------------------------------------------------------------------------------------


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("more", [[], ["--confidence"], ["--pooled"]], ids=["plain", "confidence", "pooled"])
@pytest.mark.parametrize("name", sampled(FORMATS, 4))
def test_every_format_has_the_number_of_scored_outputs(name: str, more: list[str], fw: Run, some: str) -> None:
    done = fw(*SCORING["evaluate"], *PLUGIN, "--input-files", some, "--format", name, *more)
    assert done.code == 0, done.err
    if name == "json":
        expected = {system: len(scores) for system, scores in scored().items()}
        assert json.loads(done.out)["num_scored"]["patchy"] == expected
    elif name in OTHER_FORMATS or OutputFormat.by_name(name).for_people:
        assert all(count in done.out for count in counts().values())
        assert ("53/72" in done.out) == (more == ["--pooled"] and name not in OTHER_FORMATS)
    else:
        rows = list(csv.DictReader(io.StringIO(done.out), delimiter="," if name == "csv" else "\t"))
        assert {row["system"]: f"{row['patchy_scored']}/{row['outputs']}" for row in rows[:3]} == counts()
        assert "patchy_words_scored" not in rows[0], "this score is defined for all outputs"
        if more == ["--confidence"]:
            assert [row["patchy_inputs"] for row in rows] == ["", *map(str, common_with("a").values())]


@pytest.mark.parametrize("command", ["evaluate", "compare"])
@pytest.mark.parametrize("name", sampled([*REGISTRY.names(), "json"], 3))
def test_no_format_has_them_if_all_outputs_have_a_score(name: str, command: str, fw: Run, tmp_path: Path) -> None:
    flags = [] if command == "compare" else ["--confidence"]
    done = fw(*SCORING[command], *PLUGIN, "--input-files", written(tmp_path, "none"), "--format", name, *flags)
    assert done.code == 0, done.err
    assert "scored" not in done.out
    assert f"/{INPUTS}" not in done.out
    assert "warning" not in done.err


@pytest.mark.parametrize("name", sampled([*REGISTRY.names(), "json"], 3))
def test_a_comparison_has_the_number_of_scored_inputs_in_every_format(name: str, fw: Run, some: str) -> None:
    done = fw(*SCORING["compare"], *PLUGIN, "--input-files", some, "--format", name, "--baseline", "a")
    assert done.code == 0, done.err
    pairs = {system: f"{count}/{INPUTS}" for system, count in common_with("a").items()}
    if name == "json":
        found = json.loads(done.out)["scores"]["patchy"]
        assert {system: one["num_undefined"] for system, one in found["systems"].items()} == MISSING
        of_pairs = {one["system1"]: (one["num_instances"], one["num_undefined"]) for one in found["pairs"]}
        assert of_pairs == {system: (count, INPUTS - count) for system, count in common_with("a").items()}
    elif OutputFormat.by_name(name).for_people:
        assert all(count in done.out for count in [*counts().values(), *pairs.values()])
        assert "scores are means over those of each system; differences and tests" in flat(done.out)
    else:
        rows = list(csv.DictReader(io.StringIO(done.out), delimiter="," if name == "csv" else "\t"))
        assert {row["system"]: int(row["undefined"]) for row in rows[:3]} == MISSING
        found = {row["system"]: (int(row["inputs"]), int(row["undefined"])) for row in rows[3:]}
        assert {system: f"{count}/{count + missing}" for system, (count, missing) in found.items()} == pairs


def test_the_picture_of_a_comparison_has_them(fw: Run, some: str) -> None:
    assert fw(*SCORING["compare"], *PLUGIN, "--input-files", some, "--plot", "plot.svg").code == 0
    picture = Path("plot.svg").read_text(encoding="utf-8")
    assert all(f"({count})" in picture for count in counts().values())


# ---- ways to run -----------------------------------------------------------------------------------------------------

WAYS = {  # how: the flags
    "one process": [],
    "processes": ["--jobs", "2"],
    "engine": ["--engine", "ray:auto"],
}


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores in this process what Ray would score."""
    engines = {"ray": f"{ImmediateEngine.__module__}:{ImmediateEngine.__name__}"}
    monkeypatch.setattr("metrics_framework.evaluation.engine._ADAPTERS", engines)


def run(fw: Run, command: str, way: str, file: str, files: list[str]) -> Any:
    """Runs a command."""
    return fw(*SCORING[command], *files, *WAYS[way], *PLUGIN, "--input-files", file)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("way", sampled(WAYS))
def test_every_way_to_run_writes_the_same_counts(way: str, kind: str, fw: Run, some: str) -> None:
    if kind == "parquet":
        some = as_parquet(some)
    expected = fw(*SCORING["evaluate"], *PLUGIN, "expected.json", "--input-files", some)
    done = run(fw, "evaluate", way, some, ["macro.json", "micro.jsonl"])
    assert (done.code, done.out) == (0, expected.out)
    assert Path("macro.json").read_bytes() == Path("expected.json").read_bytes()
    assert all(count in done.out for count in counts().values())
    assert warnings(done.err) == warnings(expected.err)
    assert any("from 1 of 24 of 'b' to 14 of 24 of 'c'" in line for line in warnings(done.err))


@pytest.mark.parametrize("way", sampled(WAYS))
def test_every_way_to_score_rows_warns(way: str, fw: Run, some: str) -> None:
    done = run(fw, "score", way, some, ["scores.jsonl"])
    assert done.code == 0
    assert [line for line in warnings(done.err) if "'patchy'" in line] == [
        "fw: warning: 'patchy' is undefined for 19 outputs",
        f"fw: warning: 'patchy': {UNEQUAL_SHARES} 1 of 24 of 'b' to 14 of 24 of 'c'; "
        "their means are over different inputs",
    ]


@pytest.mark.parametrize("command", ["evaluate", "score"])
@pytest.mark.parametrize("way", sampled(WAYS))
def test_a_run_without_any_score_ends_with_exit_code_1_and_its_files(
    way: str, command: str, fw: Run, tmp_path: Path
) -> None:
    files = ["macro.json", "micro.jsonl"] if command == "evaluate" else ["scores.jsonl"]
    done = run(fw, command, way, written(tmp_path, "all"), files)
    assert done.code == 1
    assert f"fw: error: {NO_SCORE}: 'patchy' {UNDEFINED_FOR_ALL} outputs ({3 * INPUTS})" in done.err
    rows = read_rows(Path(files[-1]))
    assert [row["metrics"]["patchy"] for row in rows] == [None] * 3 * INPUTS
    if command == "evaluate":
        macro = read_json("macro.json")
        assert {system: scores["patchy"] for system, scores in macro["systems"].items()} == dict.fromkeys(MISSING)
        assert macro["num_scored"]["patchy"] == dict.fromkeys(MISSING, 0)
        assert done.out.count("0/24") == 3


@pytest.mark.parametrize("source", ["texts", "scores"])
def test_a_comparison_without_any_score_ends_with_exit_code_1_and_its_file(
    source: str, fw: Run, tmp_path: Path
) -> None:
    words = ["--metric", "patchy", *PLUGIN, "--input-files", written(tmp_path, "all")]
    if source == "scores":
        assert fw("score", "scores.jsonl", *words).code == 1
        words = ["scores.jsonl", "--metric", "patchy"]
    done = fw("compare", *words, "--output-file", "compared.json", "--plot", "plot.svg")
    assert (done.code, done.out.count("0/24")) == (1, 3)
    assert f"{NO_SCORE}: 'patchy'" in done.err
    found = read_json("compared.json")
    assert found["num_instances"] == INPUTS
    assert [one["value"] for one in found["scores"]["patchy"]["systems"].values()] == [None] * 3
    assert Path("plot.svg").read_text(encoding="utf-8").count("undefined") == 3


@pytest.mark.parametrize("way", [*WAYS, "compare"])
def test_a_corpus_score_that_no_system_has_ends_with_exit_code_1(way: str, fw: Run, tmp_path: Path) -> None:
    words = ["--metric", "fkgl:splitter=none"]
    for name in "ab":
        tmp_path.joinpath(f"{name}.txt").write_text("\n" * INPUTS, encoding="utf-8")
    words += ["--outputs", "a.txt", "b.txt"]
    if way == "compare":
        done = fw("compare", *words)
    else:
        done = fw("evaluate", "macro.json", *WAYS[way], *words)
    assert done.code == 1
    assert f"fw: error: {NO_SCORE}: 'fkgl' {UNDEFINED_FOR_ALL} outputs ({2 * INPUTS})" in done.err
    if way != "compare":
        macro = read_json("macro.json")
        assert [scores["fkgl"] for scores in macro["systems"].values()] == [None, None]


def test_a_corpus_score_that_one_system_has_is_enough(fw: Run, tmp_path: Path) -> None:
    for name, text in {"a": "", "b": "A cat."}.items():
        tmp_path.joinpath(f"{name}.txt").write_text(f"{text}\n" * INPUTS, encoding="utf-8")
    words = ["--metric", "fkgl:splitter=none", "--outputs", "a.txt", "b.txt"]
    for command in ("evaluate", "compare"):
        done = fw(command, *words)
        assert (done.code, UNDEFINED_FOR_ALL in done.err) == (0, False), done.err


def test_a_corpus_score_that_no_system_has_is_a_warning_beside_other_scores(fw: Run, tmp_path: Path) -> None:
    tmp_path.joinpath("a.txt").write_text("\n" * INPUTS, encoding="utf-8")
    tmp_path.joinpath("b.txt").write_text("A cat.\n" * INPUTS, encoding="utf-8")
    words = ["--metric", "fkgl:splitter=none", "--metric", "ter", "--outputs", "a.txt", "--references", "b.txt"]
    done = fw("evaluate", *words)
    assert done.code == 0
    assert f"fw: warning: 'fkgl' {UNDEFINED_FOR_ALL} {INPUTS} outputs" in done.err


def test_another_metric_with_scores_is_enough(fw: Run, tmp_path: Path) -> None:
    words = ["--metric", "patchy", "--metric", "ter", *PLUGIN, "--input-files", written(tmp_path, "all")]
    for command in (["evaluate"], ["score", "scores.jsonl"], ["compare"]):
        done = fw(*command, *words)
        assert done.code == 0, done.err
        assert "'patchy' is undefined for" in done.err


# ---- tests on common inputs ------------------------------------------------------------------------------------------


TESTS = {  # flags: the test and its resampling
    "--confidence": ("randomization", Resampling()),
    "--confidence --resamples 3000": ("randomization", Resampling(3000)),
    "--paired-ar": ("paired-ar", Resampling(seed=12345, trials=10_000)),
    "--paired-bs": ("paired-bs", Resampling(seed=12345, trials=1000)),
}


@pytest.mark.parametrize("flags", TESTS)
def test_evaluate_tests_on_the_inputs_for_which_both_systems_have_a_score(flags: str, fw: Run, some: str) -> None:
    done = fw(*SCORING["evaluate"], "macro.json", *PLUGIN, "--input-files", some, *flags.split())
    assert done.code == 0, done.err
    tests = read_json("macro.json")["significance"]["systems"]
    assert {name: test["p_values"]["patchy"] for name, test in tests.items()} == expected_p_values(*TESTS[flags])
    assert {name: test["scores"]["patchy"]["num_instances"] for name, test in tests.items()} == common_with("a")
    assert {test["num_instances"] for test in tests.values()} == {INPUTS}, "for scores of all outputs"
    described = ", ".join(f"{count} of {INPUTS} for '{name}'" for name, count in common_with("a").items())
    assert described in done.err
    assert described in flat(done.out)


def test_few_common_inputs_are_enumerated_and_said_to_be_too_few(fw: Run, some: str) -> None:
    rows = [row for row in made() if int(row["instance_id"]) < 17]
    Path(some).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    done = fw(*SCORING["evaluate"], "macro.json", *PLUGIN, "--input-files", some, "--confidence")
    tested = read_json("macro.json")["significance"]["systems"]["c"]
    found = scored()
    inputs = [name for name in found["a"].keys() & found["c"].keys() if int(name) < 17]
    assert tested["scores"]["patchy"] == {"num_instances": len(inputs), "trials": 2 ** (len(inputs) - 1), "exact": True}
    assert not tested["exact"]
    assert f"1000 trials; exact for {len(inputs)}, 14 inputs" in flat(done.out)


def test_compare_has_the_same_tests(fw: Run, some: str) -> None:
    words = ["--baseline", "a", "--trials", "1000", "--correct", "none", "--output-file", "compared.json"]
    for more in ([], ["--jobs", "2"]):
        done = fw(*SCORING["compare"], *PLUGIN, "--input-files", some, *words, *more, "--force")
        assert done.code == 0, done.err
        pairs = read_json("compared.json")["scores"]["patchy"]["pairs"]
        expected = expected_p_values("randomization", Resampling())
        assert {pair["system1"]: pair["p_value"] for pair in pairs} == expected
        assert "from 1 of 24 of 'b' to 14 of 24 of 'c'" in done.err


def warnings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("fw: warning")]


def as_parquet(path: str) -> str:
    pyarrow = pytest.importorskip("pyarrow", reason="reads Parquet")
    parquet = pytest.importorskip("pyarrow.parquet", reason="reads Parquet")
    rows = read_rows(path)
    parquet.write_table(pyarrow.Table.from_pylist(rows), "in.parquet", row_group_size=7)
    return "in.parquet"
