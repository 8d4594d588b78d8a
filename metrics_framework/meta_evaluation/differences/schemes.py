"""Schemes of arrangements: what each permutation test swaps, and the population of which it speaks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.differences.spins import Signs, Spins, all_spins, random_spins
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.clusters import Clusters

SCHEMES = ("inputs", "systems", "cells", "rows-cols")
"""The tests that swap scores of two metrics and need one set of arrangements."""


@dataclass(frozen=True)
class Arrangements:
    """The arrangements of a test.

    Args:
        spins: The arrangements.
        is_exact: Whether they are all arrangements that exist, the observed one included.
        units: The number of units that swap: systems, clusters of inputs, or cells.
    """

    spins: Spins
    is_exact: bool
    units: int

    @property
    def least_p(self) -> float:
        """The least two-sided p-value that is possible: an arrangement and its opposite have the same distance."""
        if self.is_exact:
            return min(1.0, 2 / self.spins.count)
        return 1 / (self.spins.count + 1)


def arrange(
    scheme: str,
    shape: tuple[int, int],
    resamples: int,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
    *,
    enumerate_all: bool = True,
) -> Arrangements:
    """Enumerates all arrangements of a scheme if there are at most as many as resamples; otherwise draws some.

    Args:
        scheme: One of `SCHEMES`.
        shape: The numbers of systems and inputs.
        resamples: The number of arrangements to draw.
        seed: The seed.
        clusters: The cluster of each input; inputs of one cluster swap together.
        enumerate_all: Whether to enumerate them if there are few.
    """
    grouping = Clusters.of(clusters, shape[1])
    systems, groups = shape[0], grouping.count
    units = {"inputs": groups, "systems": systems, "cells": systems * groups, "rows-cols": systems + groups - 1}[scheme]
    exact = enumerate_all and units < 63 and 2**units <= resamples
    count = 2**units if exact else resamples
    if scheme == "cells":
        return Arrangements(Spins(count, cells=_cells(shape, grouping, count, seed, exact)), exact, units)
    if exact:
        spins = all_spins(units)
        rows, columns = _split(scheme, spins, systems)
    else:
        rows = random_spins(count, systems, "rows", seed).astype(np.float64) if scheme != "inputs" else None
        columns = random_spins(count, groups, "columns", seed).astype(np.float64) if scheme != "systems" else None
    spread = None if columns is None else columns[:, grouping.codes]
    return Arrangements(Spins(count, rows, spread), exact, units)


def _split(scheme: str, spins: Floats, systems: int) -> tuple[Floats | None, Floats | None]:
    """Splits spins into those of rows and those of columns."""
    if scheme == "systems":
        return spins, None
    if scheme == "inputs":
        return None, spins
    # Flipping all rows and all columns changes nothing, so the first row always keeps its scores.
    rows = np.concatenate([np.ones((len(spins), 1)), spins[:, : systems - 1]], axis=1)
    return rows, spins[:, systems - 1 :]


def _cells(shape: tuple[int, int], grouping: Clusters, count: int, seed: int, exact: bool) -> Signs:
    size = shape[0] * grouping.count
    spins = all_spins(size).astype(np.int8) if exact else random_spins(count, size, "cells", seed)
    return spins.reshape(count, shape[0], grouping.count)[:, :, grouping.codes]


def population(test: str, systems: int, inputs: int) -> str:
    """Names the population of which a test speaks.

    >>> population("inputs", 12, 80)
    'for other inputs, these 12 systems'
    """
    resampled = test.removeprefix("bootstrap-")
    if resampled == "inputs":
        return f"for other inputs, {_these(systems, 'system')}"
    if resampled == "systems":
        return f"for other systems, {_these(inputs, 'input')}"
    if resampled == "both":
        return "for other systems and other inputs"
    if test == "williams":
        return "for other systems" if inputs == 1 else "for other outputs, as if all were independent"
    return f"for other errors of single outputs, {_these(systems, 'system')} and {counted(inputs, 'input')}"


def _these(number: int, noun: str) -> str:
    return f"{'this' if number == 1 else 'these'} {counted(number, noun)}"
