"""How long failed requests wait before they are repeated."""

from __future__ import annotations

import random

import pytest

from metrics_framework.io.retries import MAX_WAIT, Retries, retry_after


def test_waits_double_with_jitter_up_to_a_longest_one() -> None:
    retries = Retries(5, 0.5, random.Random(1))
    waits = [retries.wait(attempt) for attempt in range(1, 12)]
    for attempt, wait in enumerate(waits):
        doubled = min(MAX_WAIT, 0.5 * 2**attempt)
        assert doubled / 2 <= wait <= doubled
    assert len({Retries(5, 0.5, random.Random(seed)).wait(5) for seed in range(9)}) > 1


def test_without_jitter_waits_double_exactly() -> None:
    assert [Retries(2, 1.0).wait(attempt) for attempt in (1, 2, 6, 99)] == [1, 2, 30, 30]


def test_a_wait_is_never_shorter_than_the_endpoint_asks_for() -> None:
    assert Retries(5, 0.5).wait(1, 12.5) == 12.5


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("0", 0), ("1.5", 1.5), ("-3", 0), ("nan", None), ("", None), ("Thu, 01 Jan 1970 00:00:10 GMT", 0)],
)
def test_a_header_is_a_number_of_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=20) == seconds
