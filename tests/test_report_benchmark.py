"""The benchmark of the report keeps working."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import chromium_path

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture
def _modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets the modules of the benchmarks be imported."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


@pytest.mark.usefixtures("_modules")
def test_a_page_about_more_systems_than_there_are_is_written_opened_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if chromium_path() is None:
        pytest.skip("needs Chromium, which is not installed (set FW_CHROMIUM if it is not on the path)")
    import report
    from corpora import generated
    from turkcorpus import TurkCorpus

    full = generated()
    few = TurkCorpus(
        full.sources[:12], full.references_list[:12], {name: texts[:12] for name, texts in full.outputs.items()}
    )
    path = report.write_report(few, 6, tmp_path)
    monkeypatch.setattr(report, "REPETITIONS", 1)
    report.measured(path)
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("open", *report.ACTIONS))
    assert "console: nothing; requests: none" in printed
