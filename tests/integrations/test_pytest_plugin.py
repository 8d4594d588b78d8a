"""The fixture ``fw_gate``, in runs of pytest on a file of tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

TESTS = """
import pytest

OLD = [1] * 300 + [0] * 100

def test_equal(fw_gate):
    assert fw_gate(OLD, OLD, margin=0.02).verdict == "no worse"

def test_worse(fw_gate):
    fw_gate([1] * 260 + [0] * 140, OLD, "exact_match")

def test_reported_only(fw_gate):
    fw_gate([1] * 260 + [0] * 140, OLD, fail_on="undecided")

def test_without():
    pass
"""


@pytest.mark.parametrize("processes", [0, 2])
def test_a_test_fails_with_the_sentence(processes: int, tmp_path: Path) -> None:
    (tmp_path / "test_run.py").write_text(TESTS)
    # The entry point is that of the installed package, if it is installed with it.
    words = ["-p", "no:fw_gate", "-p", "metrics_framework.integrations.pytest_plugin", "-p", "no:cacheprovider"]
    words += ["--junit-xml", "junit.xml", *(["-n", str(processes)] if processes else [])]
    command = [sys.executable, "-m", "pytest", "-W", "error", *words, "test_run.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert "exact_match: worse by 0.100 [" in done.stdout
    assert "During handling" not in done.stdout
    summary = done.stdout.partition("= fw gate =")[2]
    assert summary.count("test_run.py::") >= 3
    assert "test_run.py::test_equal: score: no worse by 0.02: " in summary
    cases = {case.get("name"): case for case in ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase")}
    values = {name: [one.get("value", "") for one in case.iter("property")] for name, case in cases.items()}
    assert [values["test_reported_only"][0].split(" by")[0], values["test_without"]] == ["score: worse", []]
    assert "worse by 0.100" in (cases["test_worse"][0].get("message", "") + str(values["test_worse"]))


def test_the_entry_point_is_declared() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nfw_gate = "metrics_framework.integrations.pytest_plugin"\n' in text
