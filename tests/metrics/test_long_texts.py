"""Error rates of long texts: a signal ends a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from messages import COMPARES_A_LONG_TEXT
from twins import requires_native

SECONDS = 60
"""Far more than a run needs to end, and less than the comparison takes."""


@pytest.fixture
def long_texts(tmp_path: Path) -> list[str]:
    """Writes two texts whose comparison takes minutes."""
    for name, letters in ("outputs.txt", "abcde"), ("references.txt", "edcba"):
        text = "".join(letters[number**3 % 1009 % 5] for number in range(2_000_000))
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    return ["--outputs", str(tmp_path / "outputs.txt"), "--references", str(tmp_path / "references.txt")]


@pytest.mark.timing
@pytest.mark.parametrize("kernels", [pytest.param("native", marks=requires_native), "python"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_that_compares_long_texts(
    number: int, code: int, kernels: str, long_texts: list[str]
) -> None:
    command = [sys.executable, "-m", "metrics_framework", "cer", "evaluate", *long_texts]
    environment = {**os.environ, "FW_KERNELS": kernels}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stderr is not None
        note = run.stderr.readline()
        assert f"'cer' {COMPARES_A_LONG_TEXT} 2,000,000 characters with one of 2,000,000" in note
        os.kill(run.pid, number)
        assert run.wait(SECONDS) == code
