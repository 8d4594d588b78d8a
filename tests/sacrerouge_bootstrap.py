"""The intervals of SacreROUGE from draws of rows and columns, to compare with its recorded results.

Resamples are computed by the package, or, with ``ties="floats"``, by copying the drawn rows and columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import coefficient
from metrics_framework.meta_evaluation.coefficients.coefficient import resampled_values
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.intervals.populations import MAX_PAIRS
from metrics_framework.meta_evaluation.sums.moments import BLOCK_BYTES
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair

COEFFICIENTS = ("pearson", "spearman", "kendall")
LEVELS = ("input", "system", "global")

Draw: TypeAlias = "Indices | None"
Resample: TypeAlias = "tuple[Draw, Draw]"
"""The indices of the rows and columns drawn; `None` if all are kept."""

Weights: TypeAlias = "tuple[Floats | None, Floats | None]"


def fisher(name: str, value: float, n: int, tail: float) -> tuple[float, float] | None:
    """Computes the interval tanh(artanh r ± z_{1−tail}·c/√(n−b)) of a coefficient.

    (b, c) is (3, 1) for Pearson, (3, √(1+ρ²/2)) for Spearman and (4, √.437) for Kendall (Bonett and Wright, 2000).

    Args:
        name: The coefficient.
        value: Its value.
        n: The number of points.
        tail: The fraction of the distribution beyond each end.

    Returns:
        Both ends; `None` if the formula is undefined: for too few points, an undefined value, or ±1.
    """
    from scipy.special import ndtri

    b = 4 if name == "kendall" else 3
    c = {"pearson": 1.0, "spearman": math.sqrt(1 + value**2 / 2), "kendall": math.sqrt(0.437)}[name]
    if n <= b or not abs(value) < 1:
        return None
    centre = math.atanh(value)
    half_width = float(ndtri(1 - tail)) * c / math.sqrt(n - b)
    return math.tanh(centre - half_width), math.tanh(centre + half_width)


def percentile_interval(values: Floats, tail: float) -> tuple[float, float] | None:
    """Returns the percentiles of the defined values of resamples, shape (resamples,); `None` if there are none."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return None
    lower, upper = np.percentile(defined, [100 * tail, 100 * (1 - tail)])
    return float(lower), float(upper)


def draw_resamples(method: str, shape: tuple[int, int], count: int, seed: int) -> Iterator[Resample]:
    """Draws resamples of a matrix, rows before columns, from one seeded generator.

    Args:
        method: ``bootstrap-system`` draws rows, ``bootstrap-input`` columns, ``bootstrap-both`` both.
        shape: The shape of the matrix (systems, inputs).
        count: The number of resamples.
        seed: The seed of NumPy's default generator.
    """
    generator = np.random.default_rng(seed)
    for _ in range(count):
        rows = None if method == "bootstrap-input" else generator.integers(shape[0], size=shape[0])
        columns = None if method == "bootstrap-system" else generator.integers(shape[1], size=shape[1])
        yield rows, columns


def bootstrap(
    x: Floats,
    z: Floats,
    resamples: Iterable[Resample],
    levels: Sequence[str] = LEVELS,
    names: Sequence[str] = COEFFICIENTS,
    ties: str = "rounded",
) -> dict[tuple[str, str], Floats]:
    """Computes coefficients in every resample.

    At the input level, the value of a resample is the mean over the drawn inputs where the coefficient is defined.

    Args:
        x: The first metric, shape (systems, inputs); NaN where missing, in the same cells as z.
        z: The second, of the same shape.
        resamples: The draws; either all or none of them draw rows, and likewise columns.
        levels: The levels.
        names: The coefficients.
        ties: Which means of systems are tied: ``rounded``, those that differ only by rounding; ``floats``, equal
            floats, summed over the drawn inputs in the order drawn, as in SacreROUGE (decision 0012).

    Returns:
        Level and coefficient to values of shape (resamples,), NaN where undefined.

    Raises:
        InputError: if ``ties`` is neither.
    """
    if ties not in ("rounded", "floats"):
        raise InputError(f"'ties' must be 'rounded' or 'floats', got '{ties}'")
    if ties == "floats" and "system" in levels:
        resamples = list(resamples)
        others = [level for level in levels if level != "system"]
        return {**bootstrap(x, z, resamples, others, names), **_system_level_of_copies(x, z, resamples, names)}
    scores = ScorePair(x, z)
    wanted = {name: (load_coefficient(name), CoefficientOptions()) for name in names}
    parts: dict[tuple[str, str], list[Floats]] = {(level, name): [] for level in levels for name in names}
    for rows, columns in _weight_blocks(resamples, x.shape):
        for level in levels:
            for name, values in resampled_values(scores, level, wanted, rows, columns).items():
                parts[level, name].append(values)
    return {key: np.concatenate(part) if part else np.empty(0) for key, part in parts.items()}


def _system_level_of_copies(
    x: Floats, z: Floats, resamples: Sequence[Resample], names: Sequence[str]
) -> dict[tuple[str, str], Floats]:
    """Copies the drawn rows and columns, averages the copies, and compares the resulting floats."""
    values = {name: np.empty(len(resamples)) for name in names}
    for number, (rows, columns) in enumerate(resamples):
        means = []
        for scores in (x, z):
            drawn = scores if rows is None else scores[rows]
            drawn = drawn if columns is None else drawn[:, columns]
            empty = np.isnan(drawn).all(axis=1)
            # Removing empty rows changes the memory layout and so the order of the sum; do it only where necessary.
            means.append(_means(drawn[~empty] if empty.any() else drawn))
        for name in names:
            values[name][number] = coefficient(*(one[None] for one in means), name)
    return {("system", name): of_resamples for name, of_resamples in values.items()}


def _means(scores: Floats) -> Floats:
    """Averages each row as SacreROUGE does."""
    means: Floats = np.nansum(scores, axis=1) / (~np.isnan(scores)).sum(axis=1)
    return means


def _weight_blocks(resamples: Iterable[Resample], shape: tuple[int, ...]) -> Iterator[Weights]:
    """Yields the weights of draws in blocks that fit in memory; shapes (resamples, rows) and (resamples, columns)."""
    rows, columns = shape
    widest = 8 * max(columns, rows) + 2 * min(rows * rows, 2 * MAX_PAIRS)
    stream = iter(resamples)
    while block := list(islice(stream, max(1, BLOCK_BYTES // (2 * widest)))):
        yield _weights([drawn for drawn, _ in block], rows), _weights([drawn for _, drawn in block], columns)


def _weights(draws: Sequence[Draw], size: int) -> Floats | None:
    counts = [np.bincount(draw, minlength=size) for draw in draws if draw is not None]
    return np.array(counts, dtype=np.float64) if counts else None
