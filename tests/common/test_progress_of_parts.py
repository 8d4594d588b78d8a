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
    with progress.progress("scored", "parts", Log(), 64) as advance:
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


def test_a_log_has_a_line_for_each_minute(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 59.0, 61.0, 100.0, 122.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with progress.progress("scored", "parts", Log(), 64) as advance:
        for _ in range(4):
            advance(1)
    assert capsys.readouterr().err.splitlines() == [
        "fw: scored 2 of 64 parts, about 32 min left",
        "fw: scored 4 of 64 parts, about 30 min left",
    ]
    times = iter([0.0, 61.0])
    with progress.progress("scored", "outputs", Log()) as advance:
        advance(12_200)
    assert capsys.readouterr().err == "fw: scored 12,200 outputs (200 per second)\n"


def test_a_silent_run_shows_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 100.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with progress.progress("scored", "parts", Log(silent=True), 2) as advance:
        advance(1)
    assert capsys.readouterr().err == ""
