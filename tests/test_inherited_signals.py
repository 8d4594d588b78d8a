"""The suite run under ``nohup`` or in the background, where the shell has signals ignored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
IGNORING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs SIGHUP")
def test_tests_that_send_signals_pass_where_signals_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_signals.py").write_text(
        "import signal, subprocess, sys, pytest\n"
        "@pytest.mark.parametrize('name', ['SIGINT', 'SIGHUP'])\n"
        "def test_a_signal_ends_a_process(name):\n"
        "    code = f'import os, signal; os.kill(os.getpid(), signal.{name}); print(1)'\n"
        "    assert subprocess.run([sys.executable, '-c', code], capture_output=True).stdout == b''\n"
    )
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    result = subprocess.run(
        [sys.executable, "-c", IGNORING, *command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stdout
