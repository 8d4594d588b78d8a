"""How much memory the rows of score files take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "score_files.py"
MAX_BYTES = 1300
"""About twice what a row of 21 scores takes, with the matrices of all scores; as objects, it takes 4000."""


@pytest.mark.slow
def test_a_row_of_21_scores_takes_little_memory() -> None:
    command = [sys.executable, str(BENCHMARK), "--rows", "10000", "--repetitions", "1"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    sizes = [int(line.split()[-2]) for line in done.stdout.splitlines()[1:]]
    assert len(sizes) == 4
    assert max(sizes) < MAX_BYTES, done.stdout
