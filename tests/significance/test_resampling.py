"""Draws of inputs: the same in blocks of any size; options out of range are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from messages import NEEDS_RESAMPLES

from metrics_framework.common.errors import InputError
from metrics_framework.significance.confidence_level import as_fraction, as_percent
from metrics_framework.significance.resampling import Resampling, bootstrap_weights, swap_weights


def test_a_level_above_1_is_in_percent() -> None:
    assert (as_fraction(1.5), as_fraction(0.99), as_percent(99.5)) == (0.015, 0.99, 99.5)
    with pytest.raises(InputError):
        as_fraction(1)


@pytest.mark.parametrize("inputs", [11, pytest.param(50_000, marks=pytest.mark.slow)])
def test_blocks_draw_as_one_call_does(inputs: int) -> None:
    """The generator discards the rest of a random word after each call, so each call must draw whole words."""
    resampling = Resampling(100, seed=7)
    blocks = list(bootstrap_weights(inputs, resampling))
    assert (len(blocks) > 1) == (inputs > 11)
    expected = np.random.default_rng(7).integers(inputs, size=(100, inputs))
    for drawn, row in zip(np.concatenate(blocks), expected, strict=True):
        assert np.array_equal(drawn, np.bincount(row, minlength=inputs))
    stays = np.random.default_rng(7).integers(2, size=(100, inputs), dtype=bool)
    for width in (0, 400_000):
        swapped = list(swap_weights(inputs, resampling, width))
        assert np.array_equal(np.concatenate(swapped), ~stays)
        assert (len(swapped) > 1) == (inputs > 11 or width > 0)


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
