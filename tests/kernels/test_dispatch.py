"""Missing native kernels are reported once, on first use, with what that costs; also kernels that sources hide."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from samples import sampled

import metrics_framework
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import COST

PACKAGE = Path(metrics_framework.__file__).parent
SCORE = """
import metrics_framework as fw
for _ in range(3):
    print(fw.load("ter").score("b a", ["a b"])["ter"])
    print(fw.load("sari").score("b a", ["a b"], "a")["sari"] > 0)
"""
ROW = '{"instance_id": "1", "summarizer_id": "s", "summary": "b a", "references": ["a b"]}\n'
ALONE = ("-S", "-m", "metrics_framework")
"""The command without installed packages, one of which may be this one, with kernels."""
PLUGIN = """
from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric

@Metric.register("length-ratio")
class LengthRatio(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"length-ratio": 1.0}) for _ in summaries] for summaries in summaries_list]
"""
MESSAGE = "which has no native kernels, instead of"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sources of the package, without native kernels."""
    folder = tmp_path_factory.mktemp("clone")
    ignored = shutil.ignore_patterns("__pycache__", "_native.*", "src")
    shutil.copytree(PACKAGE, folder / "metrics_framework", ignore=ignored)
    (folder / "in.jsonl").write_text(ROW)
    return folder


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with an installed package that has native kernels."""
    kernels = tmp_path / "site" / "metrics_framework" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / f"_native{EXTENSION_SUFFIXES[0]}").touch()
    return tmp_path / "site"


def run(clone: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FW_KERNELS": "auto", **variables}
    result = subprocess.run(
        [sys.executable, *arguments], cwd=clone, env=environment, capture_output=True, encoding="utf-8", timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result


def test_python_in_a_clone_warns_once(clone: Path, installed: Path) -> None:
    result = run(clone, "-c", SCORE, PYTHONPATH=str(installed))
    assert result.stderr.count(MESSAGE) == 1
    assert f"UserWarning: metrics_framework was imported from '{clone}', {MESSAGE} '{installed}'" in result.stderr
    assert f"python -m pip install -e {clone}" in result.stderr
    assert result.stdout == "50.0\nTrue\n" * 3


@pytest.mark.parametrize("jobs", sampled(["1", "2"], 1))
def test_a_command_notes_it_once(clone: Path, installed: Path, jobs: str) -> None:
    words = ["ter", "evaluate", "--input-files", "in.jsonl", "--strict", "--jobs", jobs]
    result = run(clone, "-m", "metrics_framework", *words, PYTHONPATH=str(installed))
    assert result.stderr.startswith(f"fw: metrics_framework was imported from '{clone}', {MESSAGE} '{installed}'")
    assert result.stderr.count("\n") == 1


def test_nothing_is_reported_when_the_twins_are_wanted(clone: Path, installed: Path) -> None:
    assert not run(clone, "-c", SCORE, PYTHONPATH=str(installed), FW_KERNELS="python").stderr


@pytest.mark.parametrize("jobs", sampled(["1", "2"], 1))
def test_a_command_notes_missing_kernels_and_what_they_cost(clone: Path, tmp_path: Path, jobs: str) -> None:
    (tmp_path / "metrics_framework" / "kernels").mkdir(parents=True)
    words = [*ALONE, "ter", "evaluate", "--input-files", "in.jsonl", "--strict", "--jobs", jobs]
    path = os.pathsep.join([str(tmp_path), str(clone), "x.zip"])
    result = run(clone, *words, PYTHONPATH=path)
    assert result.stderr.startswith(f"fw: the native kernels are missing; {COST}; ")
    assert result.stderr.count("\n") == 1
    assert not run(clone, *words, "--silent", PYTHONPATH=path).stderr
    assert not run(clone, *words, PYTHONPATH=path, FW_KERNELS="python").stderr


def test_python_warns_once_of_missing_kernels(clone: Path) -> None:
    result = run(clone, "-S", "-c", SCORE)
    assert result.stderr.count(f"UserWarning: the native kernels are missing; {COST}") == 1
    assert not run(clone, "-S", "-W", "ignore", "-c", SCORE).stderr


def test_nothing_is_reported_by_metrics_without_a_kernel(clone: Path) -> None:
    words = [*ALONE, "length-ratio", "evaluate", "--input-files", "in.jsonl"]
    (clone / "plugin.py").write_text(PLUGIN)
    assert not run(clone, *words, "--include-packages", "plugin").stderr


def test_nothing_is_reported_by_a_package_with_native_kernels(installed: Path) -> None:
    if dispatch.native_module is None:
        pytest.skip("needs the native kernels, which are not built")
    assert not run(PACKAGE.parent, "-c", SCORE, PYTHONPATH=str(installed)).stderr
