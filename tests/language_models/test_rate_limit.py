"""How fast requests follow each other, and how long failed ones wait."""

from __future__ import annotations

import random

import pytest

from metrics_framework.language_models.rate_limit import RateLimit
from metrics_framework.language_models.retries import MAX_WAIT, Retries, retry_after


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_requests_are_spaced_and_unused_time_is_not_saved_up() -> None:
    clock = Clock()
    limit = RateLimit(30, clock)
    assert [limit.reserve() for _ in range(3)] == [0, 2, 4]
    clock.now += 100
    assert [limit.reserve() for _ in range(2)] == [0, 2]


def test_without_a_limit_nothing_waits() -> None:
    limit = RateLimit(None, Clock())
    assert [limit.reserve() for _ in range(3)] == [0, 0, 0]


def test_a_pause_ends_and_the_longest_counts() -> None:
    clock = Clock()
    limit = RateLimit(None, clock)
    limit.pause(5)
    limit.pause(2)
    assert limit.paused() == 5
    clock.now += 6
    assert limit.paused() == 0


def test_waits_double_with_jitter_up_to_a_longest_one() -> None:
    retries = Retries(chance=random.Random(1))
    waits = [retries.wait(attempt) for attempt in range(1, 12)]
    for attempt, wait in enumerate(waits):
        doubled = min(MAX_WAIT, 0.5 * 2**attempt)
        assert doubled / 2 <= wait <= doubled
    assert len({Retries(chance=random.Random(seed)).wait(5) for seed in range(9)}) > 1


def test_a_wait_is_never_shorter_than_the_endpoint_asks_for() -> None:
    assert Retries().wait(1, 12.5) == 12.5


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("0", 0), ("1.5", 1.5), ("-3", 0), ("nan", None), ("", None), ("Thu, 01 Jan 1970 00:00:10 GMT", 0)],
)
def test_a_header_is_a_number_of_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=20) == seconds
