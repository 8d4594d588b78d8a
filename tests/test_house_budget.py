"""The code base keeps its budget, and ``benchmarks/house.py`` counts what it says."""

from __future__ import annotations

import re
import subprocess
import sys

from benchmark_modules import ROOT
from twins import requires_native


@requires_native
def test_the_code_base_keeps_its_budget() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "house.py")], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr


@requires_native
def test_the_way_of_a_command_is_printed() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "house.py"), "--calls", "fw ter evaluate"]
    first, *_, last = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    assert first.startswith("commands/app.py: main")
    assert re.fullmatch(r"fw ter evaluate: \d+ files, \d+ changes of file; \d+ lead back to an earlier file", last)
