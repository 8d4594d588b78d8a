"""The sessions of ``nox``: native kernels are tested instead of skipped, and digits are compared in one folder."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

NOXFILE = Path(__file__).resolve().parent.parent / "noxfile.py"


class Session:
    """Records the commands of a session, each with its environment."""

    posargs = ("-x",)
    cache_dir = Path("cache")

    def __init__(self) -> None:
        self.env: dict[str, str] = {}
        self.commands: list[tuple[str, dict[str, str]]] = []

    def install(self, *arguments: str) -> None:
        self.commands.append(("install", dict(self.env)))

    def run(self, *arguments: str) -> None:
        self.commands.append((" ".join(arguments), dict(self.env)))


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Returns the functions of the file of sessions."""
    nox: Any = SimpleNamespace(options=SimpleNamespace(), Session=Session, session=lambda **options: lambda run: run)
    monkeypatch.setitem(sys.modules, "nox", nox)
    return runpy.run_path(str(NOXFILE))


def test_all_versions_of_python_compare_their_digits_in_one_folder(sessions: dict[str, Any]) -> None:
    session = Session()
    sessions["digits"](session)
    program = f"python benchmarks/digits.py --folder {Path('cache') / 'digits'} -x"
    assert session.commands == [("install", {}), (program, {})]


def test_nox_fails_without_native_kernels(sessions: dict[str, Any]) -> None:
    session = Session()
    sessions["tests"](session)
    required = {"FW_REQUIRE_NATIVE": "1"}
    assert session.commands == [("install", required), ("python -m pytest -x", required)]
