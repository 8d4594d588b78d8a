"""No command imports a file of the working folder that has the name of a module, nor do the processes it starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import pytest
from json_files import write_rows
from judge_server import lasting_url
from samples import sampled
from tiny_dataset import write_files, write_plugin

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.io.child_process import module_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs the start method forkserver")
EXAMPLES = Path(__file__).resolve().parents[1] / "datasets" / "simplification"
FILES = f"--outputs {EXAMPLES}/careful.txt {EXAMPLES}/timid.txt --jobs 2 --references {EXAMPLES}/references.0.txt"
PLUGIN = """
import wordlist
from metrics_framework import Metric, MetricsDict, ReferenceFreeMetric

@Metric.register("listed")
class Listed(ReferenceFreeMetric):
    "Counts."
    def score_multi_all(self, summaries_list):
        return [[MetricsDict({"listed": wordlist.COUNT}) for _ in summaries] for summaries in summaries_list]
"""
OTHERS = ("numpy", "scipy", "jsonlines", "overrides", "pip", "setuptools", "sitecustomize", "usercustomize", "httpx")
LAUNCHER = """
import multiprocessing
import sys

if __name__ == "__main__":
    from metrics_framework.__main__ import main

    multiprocessing.set_start_method(sys.argv.pop(1))
    main()
"""
Started: TypeAlias = "Callable[..., subprocess.CompletedProcess[str]]"


@pytest.fixture
def started(tmp_path: Path) -> Started:
    """Runs Python in a folder with files of the names of all modules; each leaves a mark, which is an error."""
    folder, marks = tmp_path / "working", tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    (tmp_path / "launch.py").write_text(LAUNCHER)
    (tmp_path / "plugin.py").write_text(PLUGIN.replace("import wordlist", "wordlist = type('', (), {'COUNT': 3})"))

    def run(*words: str, besides: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        for name in {*sys.stdlib_module_names, *OTHERS} - {*besides}:
            (folder / f"{name}.py").write_text(f"open({str(marks / name)!r}, 'w').close()\n")
        done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, encoding="utf-8")
        assert sorted(path.name for path in marks.iterdir()) == []
        assert done.returncode == 0, done.stderr
        return done

    return run


DATA = EXAMPLES.parent
RATINGS = f"{DATA}/judging/ratings.csv {DATA}/judging/judgements.csv --rating helpfulness --judge model"
TWO_METRICS = "--metric-A m --metric-B n --dependent-metric human"
CALLS = {  # for each command, the words of a call
    "agreement": f"{EXAMPLES}/ratings.csv --rating simplicity",
    "challenge": f"{DATA}/challenge/pairs.jsonl -m ter",
    "cite": "ter",
    "compare": f"-m ter {FILES}",
    "completion": "bash",
    "convert-ratings": f"pearmut {DATA}/campaign/annotations.json rows.jsonl",
    "correlate": "../scores.jsonl --metrics m human --test both",
    "estimate": RATINGS,
    "evaluate": f"-m bleu ter {FILES} --confidence",
    "gate": "../scores.jsonl --against ../scores.jsonl --metric m --baseline a --system a",
    "list": "metrics",
    "partial-conjunction-test": "result.json result.json --names a b",
    "plan": "mean --half-width 0.5 --agreement 0.5 --sd 1 --raters 2",
    "prefer": f"{DATA}/preferences/judge.jsonl",
    "report": f"page.html --profile translation {FILES}",
    "score": f"scores.jsonl -m ter {FILES}",
    "setup dataset": "tiny tiny --from-dir ../files --include-packages ../plugin/tiny.py",
    "setup metric": "ter",
    "stat-sig-test": f"../scores.jsonl {TWO_METRICS}",
    "test-judge": RATINGS,
    "visualize": f"pyramid page.html --input-files {DATA}/pyramids/pyramids.jsonl {DATA}/pyramids/annotations.jsonl",
    "write pairs": f"pairs.jsonl --input-files {EXAMPLES}/outputs.jsonl",
    "write votes": f"votes.jsonl --input-files {DATA}/translation/outputs.jsonl --model m --url URL",
}
PLUGIN_COMMAND = f"--include-packages ../plugin.py listed evaluate {FILES.partition(' --references')[0]}"


@pytest.mark.parametrize("method", sampled(["spawn", "forkserver"], 1))
@pytest.mark.parametrize("command", sampled([*COMMANDS.names(), PLUGIN_COMMAND], 5))
def test_no_command_nor_its_workers_import_a_file_of_the_working_folder(
    command: str, method: str, started: Started, tmp_path: Path
):
    rows = [
        {"instance_id": str(row), "summarizer_id": system, "metrics": {"m": row * at % 7, "n": row % 5, "human": at}}
        for row in range(8)
        for at, system in enumerate("abcd", 1)
    ]
    write_rows(tmp_path / "scores.jsonl", rows)
    write_plugin(tmp_path / "plugin")
    write_files(tmp_path / "files")
    if command == "partial-conjunction-test":
        words = f"stat-sig-test {CALLS['stat-sig-test']} --output-file result.json"
        started(str(tmp_path / "launch.py"), method, *words.split())
    words = f"{command} {CALLS[command]}" if command in COMMANDS.names() else command
    started(str(tmp_path / "launch.py"), method, *words.replace("URL", lasting_url()).split())


@pytest.mark.skipif(find_spec("pip") is None, reason="needs pip")
def test_pip_imports_no_file_of_the_working_folder(started: Started):
    assert "pip" in started(*module_command("pip", "--version")[1:]).stdout


@pytest.mark.parametrize("words", [["--version"], ["ter", "evaluate", *FILES.split()]])
def test_the_program_as_a_module_imports_only_what_python_itself_imports_first(words: list[str], started: Started):
    imported = subprocess.run(
        [sys.executable, "-I", "-c", "import sys, runpy; print(*sys.modules)"], capture_output=True, encoding="utf-8"
    )
    started("-m", "metrics_framework", *words, besides=tuple(imported.stdout.split()))


def test_no_other_modules_start_python():
    package = EXAMPLES.parents[1] / "metrics_framework"
    named = {path.name: path.read_text() for path in package.rglob("*.py")}
    assert {name for name, text in named.items() if re.search(r"\bsys\.executable\b(?!\}\))|get_context\(", text)} == {
        "child_process.py",
        "flat_passage.py",  # a command that users may give
        "worker_pool.py",  # in workers_without_working_folder()
    }
