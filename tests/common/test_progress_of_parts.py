"""Progress of a known number of items: how many are done, and an estimate of the time that is left."""

from __future__ import annotations

import sys

import pytest

from metrics_framework.common import progress
from metrics_framework.common.logs import Log


def test_a_terminal_shows_items_and_the_time_left_after_the_first_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    times = iter([0.0, 0.9, 20.0, 450.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with progress.progress_of(64, "scored", "parts", Log()) as advance:
        advance(1)
        advance(1)
        advance(1)
    shown = capsys.readouterr().err.replace("\x1b[K", "").split("\r")
    assert shown == [
        "",
        "fw: scored 2 of 64 parts, about 10 min left",
        "fw: scored 3 of 64 parts, about 2.5 h left",
        "",
    ]


def test_nothing_is_shown_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress_of(2, "scored", "parts", Log()) as advance:
        advance(1)
    assert capsys.readouterr().err == ""
