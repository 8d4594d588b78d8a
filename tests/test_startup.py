"""The cost of starting ``fw``: the modules it imports, counted in new interpreters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from samples import sampled

from metrics_framework.commands import REGISTRY as COMMANDS

HEAVY = {
    "overrides",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "narwhals",
    "matplotlib",
    "sacrebleu",
    "sacremoses",
    "httpx",
    "hypothesis",
    "pytest",
    "sqlite3",
    "importlib.metadata",
    "urllib.request",
    "http.client",
    "ssl",
    *("torch", "transformers", "wordfreq"),
    *("fsspec", "s3fs", "aiohttp", "asyncio"),
}
SCRIPT = """
import sys
from metrics_framework.commands.app import main
code = main(sys.argv[1:])
print(code, *sys.modules, file=sys.stderr)
"""


def modules_of(words: str, folder: Path, expected: int = 0) -> set[str]:
    """Runs ``fw`` in a fresh interpreter and returns the modules that it imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words.split()], cwd=folder, capture_output=True, encoding="utf-8", check=True
    )
    code, *modules = done.stderr.splitlines()[-1].split()
    assert int(code) == expected, done.stderr
    return set(modules)


HELPS = [
    *("--help", "sari evaluate --help", "ter score --help", "list metrics", "cite sari", "complete-words -- sar"),
    *(f"{command} --help" for command in COMMANDS.names()),
    *("--version", "list readers", "list aligners", "list datasets", "list profiles", "completion bash"),
    *("transformations evaluate --help", "llm-judge evaluate --help"),
]


@pytest.mark.parametrize("words", sampled(HELPS, 8))
def test_asking_for_help_imports_nothing_heavy(words: str, tmp_path: Path) -> None:
    assert not modules_of(words, tmp_path) & HEAVY


MODULES = [  # a command, and the most modules of this package that it may import
    ("--help", 15),
    ("sari evaluate --help", 63),
    ("ter evaluate --help", 56),
    ("evaluate --help", 55),
    ("correlate --help", 52),
    ("agreement --help", 45),
    ("ter evaluate --outputs out.txt --references ref.txt", 72),
    ("ter evaluate --input-files rows.jsonl", 79),
]


@pytest.mark.parametrize(("words", "most"), sampled(MODULES, 4))
def test_a_command_imports_few_modules(words: str, most: int, tmp_path: Path) -> None:
    for name in ("out.txt", "ref.txt"):
        (tmp_path / name).write_text("a cat\n", encoding="utf-8")
    row = '{"instance_id": "1", "summary": "a cat", "references": ["a cat"]}\n'
    (tmp_path / "rows.jsonl").write_text(row, encoding="utf-8")
    ours = {name for name in modules_of(words, tmp_path) if name.startswith("metrics_framework.")}
    assert len(ours) <= most


def test_loading_a_metric_imports_few_modules() -> None:
    program = "import sys, metrics_framework; metrics_framework.load('ter'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    names = done.stdout.split()
    assert not {"overrides", "json"} & set(names)
    assert sum(name.startswith("metrics_framework.") for name in names) <= 35


def test_a_run_of_text_files_imports_no_threading(tmp_path: Path) -> None:
    for name in ("out.txt", "ref.txt"):
        (tmp_path / name).write_text("a cat\n", encoding="utf-8")
    modules = modules_of("ter evaluate --outputs out.txt --references ref.txt", tmp_path)
    assert not modules & {"threading", "multiprocessing"}


@pytest.mark.parametrize("words", ["", "sarii score", "sari eval", "sari score out.jsonl", "sari score --nothing"])
def test_a_mistake_imports_nothing_heavy(words: str, tmp_path: Path) -> None:
    assert not modules_of(words, tmp_path, expected=2) & HEAVY


def test_the_help_of_fw_imports_no_metric_no_reader_and_no_command(tmp_path: Path) -> None:
    ours = {name for name in modules_of("--help", tmp_path) if name.startswith("metrics_framework.")}
    rooms = ("metrics.", "dataset_readers.", "meta_evaluation", "evaluation", "io.", "text.", "reports")
    assert not {name for name in ours if name.removeprefix("metrics_framework.").startswith(rooms)}
    commands = {"__init__", "app", "arguments", "command"}
    assert {name.rsplit(".", 1)[1] for name in ours if name.startswith("metrics_framework.commands.")} <= commands


def test_a_metric_imports_no_other_metric(tmp_path: Path) -> None:
    modules = modules_of("sari evaluate --help", tmp_path)
    assert "metrics_framework.metrics.sari" in modules
    assert not {"metrics_framework.metrics.ter", "metrics_framework.metrics.pyramid_score"} & modules


@pytest.mark.parametrize("metric", ["sari", "ter"])
@pytest.mark.parametrize("action", ["score out.jsonl", "evaluate macro.json micro.jsonl"])
def test_scoring_ten_rows_imports_nothing_heavy(metric: str, action: str, datasets_path: Path, tmp_path: Path) -> None:
    lines = (datasets_path / "simplification" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()[:10]
    (tmp_path / "ten.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert not modules_of(f"{metric} {action} --silent --input-files ten.jsonl", tmp_path) & HEAVY


@pytest.mark.parametrize("action", ["score out.jsonl", "evaluate macro.json micro.jsonl"])
def test_scoring_against_a_test_set_imports_nothing_heavy_and_nothing_of_the_network(
    action: str, tmp_path: Path
) -> None:
    rows = ['{"instance_id": "1", "source": "a big cat", "references": ["a cat", "the cat"]}']
    (tmp_path / "set.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "out.txt").write_text("a cat\n", encoding="utf-8")
    assert not modules_of(f"sari {action} --silent --dataset set.jsonl --outputs out.txt", tmp_path) & HEAVY
