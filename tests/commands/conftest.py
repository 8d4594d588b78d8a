"""What the tests of the commands share: ``fw`` in this process, with the registries as they were afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shlex import split
from typing import NamedTuple

import pytest
from json_schemas import faults_of_result
from registries import REGISTRIES

from metrics_framework.commands.app import main
from metrics_framework.common import plugins


class Result(NamedTuple):
    """What a run of ``fw`` left behind."""

    code: int
    out: str
    err: str


@contextmanager
def registries_unchanged() -> Iterator[None]:
    """Takes what a block registers out again."""
    for registry in REGISTRIES:
        registry.search()
    entries = [(dict(registry.entries), dict(registry.conflicts)) for registry in REGISTRIES]
    before = (dict(plugins._imported), dict(plugins._failures), list(sys.path), set(sys.modules))
    yield
    for registry, (known, conflicts) in zip(REGISTRIES, entries, strict=True):
        registry.entries, registry.conflicts = known, conflicts
    plugins._imported, plugins._failures, sys.path[:] = before[0], before[1], before[2]
    for name in set(sys.modules) - before[3]:
        if not name.startswith("metrics_framework") and _below_tmp(name):
            del sys.modules[name]


@pytest.fixture
def unchanged_registries() -> Iterator[None]:
    """Takes what a test registers out again."""
    with registries_unchanged():
        yield


def _below_tmp(name: str) -> bool:
    file = getattr(sys.modules[name], "__file__", None)
    return bool(file) and "pytest-" in str(file)


@pytest.fixture
def new_registries() -> Callable[[], AbstractContextManager[None]]:
    """Gives a context for a part of a test, as `unchanged_registries` is for the whole."""
    return registries_unchanged


@pytest.fixture
def fw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unchanged_registries: None
) -> Callable[..., Result]:
    """Runs ``fw`` in this process, in an empty folder that is the data home too."""
    monkeypatch.setenv("FW_DATA", str(tmp_path / "home"))
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "home" / "cache"))
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Result:
        capsys.readouterr()
        code = main([str(word) for word in words])
        for path in (Path(word) for word in map(str, words) if code == 0 and word.endswith(".json")):
            assert faults_of_result(path) == [], path
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def plain(fw: Callable[..., Result], datasets_path: Path) -> Callable[[str], Result]:
    """Runs a command on the example texts of three systems."""
    folder = datasets_path / "simplification"
    outputs = " ".join(str(folder / f"{name}.txt") for name in ("careful", "timid", "clumsy"))
    references = " ".join(str(folder / f"references.{number}.txt") for number in range(3))
    files = f"--outputs {outputs} --references {references} --sources {folder / 'sources.txt'}"
    return lambda words: fw(*split(f"{words} {files}"))
