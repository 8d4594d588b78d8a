"""Notes, warnings and progress of a run, and the announcements of long work."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_notes import Notes
from messages import CANNOT_WRITE_LOG
from samples import sampled

import metrics_framework as fw
from metrics_framework.common import logs
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.logs import Log, current_work, long_work, progress, steps_of


@pytest.mark.parametrize("silent", [False, True])
def test_notes_and_warnings_are_printable_lines_and_repeated_warnings_are_one(
    tmp_path: Path, silent: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log(silent=silent, file=str(tmp_path / "log.txt")) as log:
        log.note("wrote scores to a\nfw: b\x1b]0;title\x07 \ud800.json")
        log.warn("odd é")
        log.warn("odd é")
    expected = "fw: wrote scores to a\\nfw: b\\x1b]0;title\\x07 \\ud800.json\nfw: warning: odd é\n"
    assert capsys.readouterr() == ("", "" if silent else expected)
    assert (tmp_path / "log.txt").read_text(encoding="utf-8") == expected
    assert log.warnings == ["odd é"]


def test_warnings_end_a_strict_run_and_a_log_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"odd .*--strict"):
        Log(strict=True).warn("odd")
    with pytest.raises(UsageError, match=CANNOT_WRITE_LOG):
        Log(file=str(tmp_path / "absent" / "log.txt"))


class InterruptedStream(io.StringIO):
    """A stream after each write of which a signal arrives."""

    def write(self, text: str) -> int:
        super().write(text)
        raise KeyboardInterrupt


def test_a_signal_does_not_come_between_a_message_and_its_line_break() -> None:
    stream = InterruptedStream()
    with pytest.raises(KeyboardInterrupt):
        Log(stream=stream).note("wrote the scores")
    assert stream.getvalue() == "fw: wrote the scores\n"


@pytest.mark.parametrize("where", ["terminal", "notebook"])
def test_a_terminal_and_a_notebook_show_items_and_the_time_left_in_one_line_after_the_first_second(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream" if where == "notebook" else "io"})
    stream = kind()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(stream, "isatty", lambda: where == "terminal", raising=False)
    times = iter([0.0, 0.9, 20.0, 450.0])
    monkeypatch.setattr(logs.time, "monotonic", lambda: next(times))
    with progress("scored", "parts", Log(), 64) as advance:
        advance(1)
        advance(1)
        advance(1)
    assert stream.getvalue().split("\r") == [
        "",
        "fw: scored 2 of 64 parts, about 10 min left",
        "fw: scored 3 of 64 parts, about 2.5 h left ",
        " " * 43,
        "",
    ]


def test_a_log_has_a_line_for_each_minute(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 59.0, 61.0, 100.0, 122.0])
    monkeypatch.setattr(logs.time, "monotonic", lambda: next(times))
    with progress("scored", "parts", Log(), 64) as advance:
        for _ in range(4):
            advance(1)
    assert capsys.readouterr().err.splitlines() == [
        "fw: scored 2 of 64 parts, about 32 min left",
        "fw: scored 4 of 64 parts, about 30 min left",
    ]
    times = iter([0.0, 61.0])
    with progress("scored", "outputs", Log()) as advance:
        advance(12_200)
    assert capsys.readouterr().err == "fw: scored 12,200 outputs (200 per second)\n"
    times = iter([0.0, 100.0])
    with progress("scored", "parts", Log(silent=True), 2) as advance:
        advance(1)
    assert capsys.readouterr().err == ""


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """Returns the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(logs, "time", clock)
    return clock


def run(clock: Clock, seconds: list[float], log: Log | None, total: int = 10, costly: int = 0) -> None:
    with long_work("the work", total, "less takes less", "done", "steps", log, costly) as work:
        for one in seconds:
            clock.now += one
            work.advance()


CASES = [  # seconds of the first steps, of 10; the note; why
    ([4.0], "the work takes about 40 s; less takes less", "ten times the first step"),
    ([30.0] * 10, "the work takes about 5 min; less takes less", "it is announced once"),
    ([1.9], None, "the first two seconds are too few for an estimate"),
    ([1.9, 1.9, 8.2], "the work takes about 40 s; less takes less", "three of ten steps took 12 s"),
    ([2.5, 2.5, 2.5], None, "25 s are not long"),
    ([2.5, 2.5, 7.0], "the work takes about 40 s; less takes less", "later steps take longer than the first ones"),
]


@pytest.mark.parametrize(("seconds", "note", "why"), CASES, ids=[why for *_, why in CASES])
def test_long_work_is_announced_from_the_steps_that_are_done(
    seconds: list[float], note: str | None, why: str, clock: Clock
) -> None:
    log = Notes()
    run(clock, seconds, log)
    assert log.notes == ([] if note is None else [note])


def test_a_slow_start_of_many_steps_is_not_taken_for_all(clock: Clock) -> None:
    log = Notes()
    run(clock, [2.5, *[0.01] * 999], log, total=1000)
    assert not log.notes, "12.5 s, not 42 min"
    run(clock, [2.5, *[1.0] * 999], log, total=1000)
    assert log.notes == ["the work takes about 17 min; less takes less"]


def test_a_costly_first_step_is_not_taken_for_the_others(clock: Clock) -> None:
    log = Notes()
    run(clock, [20.0, 0.5, 0.5], log, costly=1)
    assert not log.notes
    run(clock, [20.0, 3.0], log, costly=1)
    assert log.notes == ["the work takes about 47 s; less takes less"]


def test_the_time_of_rounds_is_that_of_whole_rounds_after_the_first(clock: Clock) -> None:
    log = Notes()
    rounds = [5.0, 0.1, *[0.2, 0.1] * 4]
    run(clock, rounds, log, costly=5)
    assert not log.notes, "the first step also loads modules, and takes longer than the first ones of other rounds"
    run(clock, [5.0, 1.0, 7.0, 1.0], log, costly=5)
    assert log.notes == ["the work takes about 38 s; less takes less"]


def test_work_within_work_is_a_step_of_it(clock: Clock) -> None:
    log = Notes()
    with long_work("all", 4, "less takes less", "done", "steps", log) as outer:
        for _ in range(4):
            with long_work("a step", 100, "less takes less", "done", "parts", log) as work:
                for _ in range(100):
                    clock.now += 0.09
                    work.advance()
            outer.advance()
    assert log.notes == ["all takes about 36 s; less takes less"]


def test_steps_that_are_done_together_are_counted_as_such(clock: Clock) -> None:
    log = Notes()
    with long_work("all", 1000, "less takes less", "done", "steps", log) as work:
        for seconds in (1.9, 4.0):
            clock.now += seconds
            work.advance(100)
    assert log.notes == ["all takes about 38 s; less takes less"]
    with long_work("all", 25, "less takes less", "done", "steps", log) as work:
        work.size = 20
        clock.now += 10
        current_work().advance_within(0.25)
    assert log.notes[1:] == ["all takes about 50 s; less takes less"], "10 s for a quarter of 20 of 25 steps"


def test_work_is_announced_again_if_it_takes_more_than_twice_as_long(clock: Clock) -> None:
    log = Notes()
    run(clock, [4.0, 4.0, 5.0, 11.0, 9.0, 60.0], log)
    assert log.notes == [f"the work takes about {time}; less takes less" for time in ("40 s", "3 min")]


def test_a_share_of_a_step_counts_only_within_work(clock: Clock) -> None:
    current_work().advance_within(0.5)
    log = Notes()
    with long_work("all", 2, "less takes less", "done", "steps", log):
        clock.now += 10
        current_work().advance_within(0.25)
    assert log.notes == ["all takes about 80 s; less takes less"]


def test_the_note_is_printed_by_the_log_of_the_run_unless_it_is_silent(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    run(clock, [5.0], None)  # a program without a log
    with steps_of(Log(silent=True)):
        run(clock, [5.0], None)
    assert capsys.readouterr() == ("", "")
    with steps_of(Log()):
        run(clock, [5.0], None)
    assert capsys.readouterr() == ("", "fw: the work takes about 50 s; less takes less\n")


# ---- the work of the public functions --------------------------------------------------------------------------------


def rows(*raters: str) -> list[dict[str, Any]]:
    """Returns scores, texts and, of each rater, ratings of 3 systems on 30 inputs."""
    return [
        {
            "instance_id": i,
            "summarizer_id": f"s{s}",
            "quality": ((i * (s + 2)) % 7 + (rater == "y")) % 5,
            "metric": (i * (s + 3)) % 11,
            "other": (i * 5 + s) % 6,
            "summary": f"a {i % 4} b {s}",
            "reference": f"a {i % 3} b",
            **({"rater_id": rater} if rater else {}),
        }
        for s in range(3)
        for i in range(30)
        for rater in raters or ("",)
    ]


CALLS: dict[str, Callable[..., Any]] = {
    "testing 3 differences of systems": lambda log: fw.compare(scores=rows(), names="metric", log=log),
    "testing 2 differences of systems": lambda log: fw.evaluate("bleu", rows(), confidence=True, log=log),
    "testing 9 correlations": lambda log: fw.stat_sig_test(rows(), "quality", "metric", "other", log=log),
    "planning from 50 simulated studies": lambda log: fw.plan(
        "alt-test", agreement=0.6, judge_agreement=0.7, power=0.5, raters=[3, 4], simulations=50, log=log
    ),
    "computing the agreement on 90 outputs": lambda log: fw.agreement(rows("x", "y"), "quality", "all", log=log),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("what", sampled(CALLS, 3))
def test_public_functions_announce_long_work_and_their_results_are_the_same(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = CALLS[what](Notes())
    clock, log = Clock(), Notes()

    def passing() -> float:
        clock.now += 40.0
        return clock.now

    monkeypatch.setattr(clock, "monotonic", passing)
    monkeypatch.setattr(logs, "time", clock)
    found = CALLS[what](log)
    assert [note for note in log.notes if note.startswith(f"{what} takes about")]
    assert found.table("json") == plain.table("json")
