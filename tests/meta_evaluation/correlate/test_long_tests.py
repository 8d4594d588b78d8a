"""How long tests of differences take is estimated from the tests alone, with the sums that their pairs share."""

from __future__ import annotations

import pytest
from correlated_rows import request_of
from kept_notes import Notes

from metrics_framework.common import logs
from metrics_framework.meta_evaluation.correlate.comparisons import progress_of_tests

PAIRS = [(f"m{number}", "human") for number in range(4)]


@pytest.fixture
def notes_after(monkeypatch):
    """Returns the notes of 6 pairs, given the seconds before the tests, those of the first pair and of the others."""

    def measured(before: float, first: float, other: float, sentinels: int = 0) -> list[str]:
        now, log = [0.0], Notes()
        monkeypatch.setattr(logs.time, "monotonic", lambda: now[0])
        request = request_of(*PAIRS, levels="input", coefficients="pearson")
        with logs.steps_of(log), progress_of_tests(request, 1, sentinels):
            now[0] += before
            logs.current_work().start()
            for done in range(1, 7):
                now[0] += first if done == 1 else other
                logs.current_work().advance()
        return log.notes

    return measured


def test_long_tests_are_announced(notes_after) -> None:
    assert notes_after(0, 30, 30) == ["testing 6 pairs of metrics takes about 3 min; fewer resamples take less"]


def test_sentinels_are_compared_as_metrics_are(notes_after) -> None:
    assert notes_after(0, 30, 30, sentinels=3)[0].startswith("testing 21 pairs of metrics takes about 10 min")


@pytest.mark.parametrize(
    ("before", "first", "other", "why"),
    [
        (100, 0.1, 0.1, "the time before the tests is not that of a pair"),
        (0, 20, 1, "the first pair computes the sums that all pairs share"),
    ],
)
def test_short_tests_are_not_announced(notes_after, before, first, other, why) -> None:
    assert not notes_after(before, first, other), why
