"""Sums of permuted scores equal those of dense signs, whichever of rows, columns and cells have signs."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_framework.meta_evaluation.sums.permutations import Permutations
from metrics_framework.meta_evaluation.sums.score_pair import all_weights

COUNT, SHAPE = 5, (3, 4)
DRAWN = np.random.default_rng(4)
ROWS, COLUMNS = (DRAWN.choice([-1.0, 1.0], size=(COUNT, size)) for size in SHAPE)
CELLS = DRAWN.choice([-1.0, 1.0], size=(COUNT, *SHAPE))
KINDS = {
    "none": Permutations(COUNT, None, None, None),
    "rows": Permutations(COUNT, ROWS, None, None),
    "columns": Permutations(COUNT, None, COLUMNS, None),
    "rows and columns": Permutations(COUNT, ROWS, COLUMNS, None),
    "cells": Permutations(COUNT, None, None, CELLS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_totals_are_sums_of_signs_and_values(kind: str) -> None:
    values = DRAWN.integers(0, 9, size=(2, *SHAPE)).astype(float)
    expected = np.einsum("psi,msi->mp", KINDS[kind].dense(SHAPE), values)
    assert np.array_equal(KINDS[kind].totals(values), expected)


def test_without_weights_there_is_one_resample_of_ones() -> None:
    rows, columns = all_weights(None, None, SHAPE)
    assert (rows.shape, columns.shape) == ((1, 3), (1, 4))
    assert rows.all()
    assert columns.all()
    assert [len(weights) for weights in all_weights(None, COLUMNS, SHAPE)] == [COUNT, COUNT]
