"""Type checkers know what `load` returns and what the public functions accept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import load_stub
import pytest

import metrics_framework as fw

ROOT = Path(__file__).resolve().parents[2]
RIGHT = """
from typing import Any

import metrics_framework as fw

sari = fw.load("sari", variant="hf")
variant: str = sari.variant
macro, micro = sari.evaluate(["a"], references=[["b"]], sources=["c"])
one: fw.MetricsDict = sari.score(summary="a", references=["b"], source="c")
several: list[fw.MetricsDict] = fw.load("ter").score_all(summaries=["a"], references=[["b"]])
unknown: fw.Metric = fw.load("a-metric-of-a-plug-in")
spec: fw.Metric = fw.load({"type": "sari"})
options: dict[str, Any] = {"variant": "hf"}
name: str = "sari"
dynamic: fw.Metric = fw.load(name, **options)
alias = fw.load("bleu", tokenize="a-tokenizer-of-a-plug-in", smooth_value=None, smooth_method="floor")
fw.load("google-rouge", rouge_types=["rouge1"], use_stemmer=True)
fw.load("my-metric:option=3")
fw.load({"type": "my-metric", "option": 3})
both = fw.Accumulator(["ter", {"type": "sari"}, fw.load("bleu")])
both.update(["a"], references=[["b"]], sources=["c"])
edits: float = both.compute()["ter"]
metrics: list[fw.Metric] = fw.Accumulator({"edits": "ter"}).metrics


class Bar:
    def update(self, count: int) -> None: ...


result: fw.EvaluationResult = fw.evaluate(
    ["sari", {"type": "ter"}, fw.load("bleu")],
    {"ours": ["a"]},
    references=[["b"]],
    sources=["c"],
    confidence=0.95,
    progress=Bar(),
)
score: float = result.systems["ours"]["sari"]
records: list[dict[str, Any]] = result.to_records()
correlations: fw.CorrelationResult = fw.correlate([result, "human.csv"], ["sari", "ter"], "simplicity")
estimate: float = correlations["sari"].levels["global"].estimates["pearson"].value
page: fw.Report = fw.report([{"summary": "a"}], metrics="sari")
page.save("report.html")
fw.evaluate("ter", ["a"], references=["b"])
fw.evaluate("ter", [{"summary": "a", "reference": "b"}])
fw.agreement([[1, 2]], raters=[0, 1], cluster=2)
"""
WRONG = {  # statement, why
    'fw.evalute("ter", ["a"])': "a misspelt function",
    'fw.load("sari", varient="hf")': "a misspelt option",
    'fw.load("sari", variant="hg")': "a misspelt value of an option",
    'fw.load("sari", variant=None)': "an option that must have a value",
    'fw.load("ter", no_punct="maybe")': "a text where true or false is expected",
    'fw.load("bleu", max_ngram_order=2.5)': "a fraction where an integer is expected",
    'fw.load("bleu", tokenise="13a")': "a misspelt alias",
    "fw.Accumulator(3)": "a number where a metric is expected",
    'fw.load("ter").compute(["a"], [["b"]])': "a method of another package",
    'fw.load("sari").evalute(["a"], [["b"]], ["c"])': "a misspelt method",
    'fw.load("plug-in").evalute(["a"], [["b"]])': "a misspelt method of any metric",
    'fw.load("ter").evaluate(["a"], [["b"]], ["c"])': "sources, which TER does not need",
    'fw.load("sari").score("a", ["b"])': "no source",
    'fw.evaluate("ter", ["a"], refs=["b"])': "a misspelt argument",
    'fw.evaluate("ter", ["a"], references=["b"], duplicates="frist")': "a misspelt choice",
    'fw.evaluate("ter", ["a"], references=["b"]).to_frame("output")': "a misspelt table",
    'fw.correlate("scores.jsonl", "sari", "simplicity", summarizer_type="peers")': "another misspelt choice",
    'fw.report("a").write("report.html")': "a method of files",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A program, and the lines of its mistakes."""
    path = tmp_path_factory.mktemp("typed") / "program.py"
    path.write_text("\n".join([RIGHT, *WRONG, ""]), encoding="utf-8")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)], "reportMissingModuleSource": False}
    (path.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    first = len(RIGHT.split("\n")) + 1
    return path, list(range(first, first + len(WRONG)))


def lines_of_errors(path: Path, printed: str) -> list[int]:
    found = [line.strip() for line in printed.splitlines() if ": error: " in line or " - error: " in line]
    assert all(path.name in line for line in found), printed
    return sorted({int(line.split(path.name + ":", 1)[1].split(":")[0]) for line in found})


CHECKERS = [  # package, arguments, folder, why
    ("mypy", ["--config-file", "pyproject.toml"], ROOT, "with the settings of the gate, whose cache saves two minutes"),
    ("basedpyright", ["--pythonpath", sys.executable], None, "in the folder of its settings"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("package", "arguments", "folder", "why"), CHECKERS)
def test_type_checkers_report_the_mistakes_and_nothing_else(
    package: str, arguments: list[str], folder: Path | None, why: str, program: tuple[Path, list[int]]
) -> None:
    pytest.importorskip(package, reason=f"needs {package}, which the dependency group 'dev' installs")
    path, wrong = program
    files = [str(path)] if folder else []
    command = [sys.executable, "-m", package, *arguments, *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder or path.parent)
    assert lines_of_errors(path, done.stdout) == wrong, done.stdout + done.stderr


def test_the_stub_of_load_is_up_to_date_and_the_package_says_that_it_is_typed() -> None:
    assert load_stub.PATH.read_text(encoding="utf-8") == load_stub.load_stub(), "run: python docs/load_stub.py"
    assert (Path(fw.__file__).parent / "py.typed").exists()
