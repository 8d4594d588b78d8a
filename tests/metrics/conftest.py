"""What the tests of metrics share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from judge_server import JudgeServer, judging


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    """Runs a server of a language model, with an empty cache and short waits, in an empty folder."""
    pytest.importorskip("httpx", reason="needs the extra 'judge'")
    from metrics_framework.language_models import language_model

    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(language_model, "FIRST_WAIT", 0.001)
    monkeypatch.chdir(tmp_path)
    with judging() as running:
        yield running
