"""Intervals of strengths and ranks hold the truth as often as they should: a small version of the benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def preferences(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.delitem(sys.modules, "preferences", raising=False)
    import preferences

    return preferences


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [10, 40])
def test_intervals_hold_the_truth(preferences: ModuleType, inputs: int) -> None:
    """The bounds are three Monte-Carlo errors (intervals of six strengths are not independent) around 93 to 97 %."""
    independent = preferences.coverage(inputs, 250)
    varying = preferences.coverage(inputs, 250, spread=1.0, clustered=True)
    ignoring = preferences.coverage(inputs, 250, spread=1.0)
    controlled = preferences.coverage(inputs, 250, effect=0.5)
    for found in (independent, varying, controlled):
        assert 0.92 < found.strengths < 0.98
        assert found.ranks > 0.93
    assert 0.90 < controlled.coefficient < 0.99
    assert ignoring.strengths < 0.92


@pytest.mark.slow
@pytest.mark.parametrize("name", ["6 systems, the first two swapped", "6 systems, opposite order"])
def test_intervals_of_rankings_hold_the_truth(preferences: ModuleType, name: str) -> None:
    strengths, order = preferences.ORDERS[name]
    _, _, covered = preferences.coverage_of_rankings(strengths, order, 20, 60, resamples=200)
    assert covered >= 0.9
