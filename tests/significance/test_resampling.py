"""Draws of inputs: the same in blocks of any size; options out of range are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from messages import NEEDS_RESAMPLES

from metrics_framework.common.errors import InputError
from metrics_framework.significance import resampling as draws
from metrics_framework.significance.confidence_level import as_fraction, as_percent
from metrics_framework.significance.resampling import Resampling


def test_a_level_above_1_is_in_percent() -> None:
    assert (as_fraction(1.5), as_fraction(0.99), as_percent(99.5)) == (0.015, 0.99, 99.5)
    with pytest.raises(InputError):
        as_fraction(1)


@pytest.mark.parametrize("block", [1, 31, 33, 500, 10_000])
def test_blocks_draw_as_one_call_does(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator discards the rest of a random word after each call, so each call must draw whole words."""
    monkeypatch.setattr(draws, "BLOCK_WEIGHTS", block)
    resampling = Resampling(100, seed=7)
    drawn = np.concatenate(list(draws.bootstrap_weights(11, resampling)))
    expected = np.random.default_rng(7).integers(11, size=(100, 11))
    assert np.array_equal(drawn, [np.bincount(row, minlength=11) for row in expected])
    swapped = np.concatenate(list(draws.swap_weights(11, resampling)))
    stays = np.random.default_rng(7).integers(2, size=(100, 11), dtype=bool)
    assert np.array_equal(swapped, ~stays)


def test_blocks_are_no_larger_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "BLOCK_WEIGHTS", 64)
    assert {len(block) for block in draws.bootstrap_weights(10, Resampling(100))} <= {6, 4}
    assert max(len(block) for block in draws.swap_weights(10, Resampling(100))) <= 6


BAD = [
    ({"level": 1.0}, "between 0 and 1"),
    ({"level": math.nan}, "between 0 and 1"),
    ({"resamples": 39}, f"95 % {NEEDS_RESAMPLES} 40 resamples, got 39"),
    ({"resamples": 100, "level": 0.99}, "needs at least 200 resamples"),
    ({"seed": -1}, "non-negative"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Resampling(**options)
