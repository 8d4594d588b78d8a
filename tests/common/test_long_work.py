"""Long work is announced once, from the time of its first part; a clock is injected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kept_notes import Notes

from metrics_framework.common import long_work as module
from metrics_framework.common.logs import Log
from metrics_framework.common.long_work import long_work, share_is_done
from metrics_framework.common.progress import steps_of


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
    monkeypatch.setattr(module, "time", clock)
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


def test_a_costly_first_step_is_not_taken_for_the_others(clock: Clock) -> None:
    log = Notes()
    run(clock, [20.0, 0.5, 0.5], log, costly=1)
    assert not log.notes
    run(clock, [20.0, 3.0], log, costly=1)
    assert log.notes == ["the work takes about 47 s; less takes less"]


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


def test_a_share_of_a_step_counts_only_within_work(clock: Clock) -> None:
    share_is_done(0.5)
    log = Notes()
    with long_work("all", 2, "less takes less", "done", "steps", log):
        clock.now += 10
        share_is_done(0.25)
    assert log.notes == ["all takes about 80 s; less takes less"]


@pytest.mark.parametrize("is_silent", [False, True])
def test_the_note_is_printed_by_the_log_of_the_run_unless_it_is_silent(
    is_silent: bool, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with steps_of(Log(silent=is_silent)):
        run(clock, [5.0], None)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == ("" if is_silent else "fw: the work takes about 50 s; less takes less\n")


def test_work_of_a_program_without_a_log_prints_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    run(clock, [5.0], None)
    assert capsys.readouterr() == ("", "")


# ---- the work of the public functions --------------------------------------------------------------------------------


def rows(systems: int = 3, inputs: int = 30) -> list[dict[str, Any]]:
    return [
        {
            "instance_id": i,
            "summarizer_id": f"s{s}",
            "quality": (i * (s + 2)) % 7,
            "metric": (i * (s + 3)) % 11,
            "other": (i * 5 + s) % 6,
            "rater_id": rater,
            "summary": f"a {i % 4} b {s}",
            "reference": f"a {i % 3} b",
        }
        for s in range(systems)
        for i in range(inputs)
        for rater in "x"
    ]


def ratings() -> list[dict[str, Any]]:
    return [
        {**row, "rater_id": rater, "quality": (row["quality"] + (rater == "y")) % 5} for row in rows() for rater in "xy"
    ]


CALLS: dict[str, Callable[..., Any]] = {
    "testing 3 differences of systems": lambda fw, log: fw.compare(scores=rows(), names="metric", log=log),
    "testing 2 differences of systems": lambda fw, log: fw.evaluate(
        "bleu", [{k: v for k, v in row.items() if k != "rater_id"} for row in rows()], confidence=True, log=log
    ),
    "testing 9 correlations": lambda fw, log: fw.stat_sig_test(
        [{k: v for k, v in row.items() if k != "rater_id"} for row in rows()], "quality", "metric", "other", log=log
    ),
    "planning from 50 simulated studies": lambda fw, log: fw.plan(
        "alt-test", agreement=0.6, judge_agreement=0.7, power=0.5, raters=[3, 4], simulations=50, log=log
    ),
    "computing the agreement on 90 outputs": lambda fw, log: fw.agreement(ratings(), "quality", "all", log=log),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("what", CALLS)
def test_public_functions_announce_long_work_and_their_results_are_the_same(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import metrics_framework as fw

    plain = CALLS[what](fw, Notes())
    clock, log = Clock(), Notes()

    def passing() -> float:
        clock.now += 40.0
        return clock.now

    monkeypatch.setattr(clock, "monotonic", passing)
    monkeypatch.setattr(module, "time", clock)
    found = CALLS[what](fw, log)
    assert [note for note in log.notes if note.startswith(f"{what} takes about")]
    assert found.table("json") == plain.table("json")
