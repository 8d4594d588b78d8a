"""The session of ``nox``: it tests the native kernels, instead of skipping them where no compiler works."""

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

    def __init__(self) -> None:
        self.env: dict[str, str] = {}
        self.commands: list[tuple[str, dict[str, str]]] = []

    def install(self, *arguments: str) -> None:
        self.commands.append(("install", dict(self.env)))

    def run(self, *arguments: str) -> None:
        self.commands.append((" ".join(arguments), dict(self.env)))


def test_nox_fails_without_native_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    nox: Any = SimpleNamespace(options=SimpleNamespace(), Session=Session, session=lambda **options: lambda run: run)
    monkeypatch.setitem(sys.modules, "nox", nox)
    session = Session()
    runpy.run_path(str(NOXFILE))["tests"](session)
    required = {"FW_REQUIRE_NATIVE": "1"}
    assert session.commands == [("install", required), ("python -m pytest -x", required)]
