"""Kendall's family of coefficients: counts of the pairs of outputs in many groups.

Two outputs are tied in the metric if their scores differ by at most ε, compared in floats without a tolerance, and tied
in the human scores if these are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.sorted_pairs import sorted_pair_counts
from metrics_framework.significance.arrays import Bools, Floats, Indices

LARGEST_DENSE = 64
"""Up to this many outputs per group all pairs are compared; the pairs of larger groups are counted by sorting."""

BLOCK_PAIRS = 1 << 21
"""The number of pairs compared in one block."""


@dataclass(frozen=True)
class GroupPairs:
    """The numbers of pairs of outputs of each group, shape (groups,), by their order.

    Args:
        total: The number of pairs T.
        tied_human: Pairs tied in the human scores.
        tied_metric: Pairs tied in the metric.
        tied_both: Pairs tied in both (also counted in the other two).
        concordant: Pairs that both scores order in the same way, C.
        discordant: Pairs that they order differently, D.
    """

    total: Floats
    tied_human: Floats
    tied_metric: Floats
    tied_both: Floats
    concordant: Floats
    discordant: Floats


def group_pairs(human: Floats, metric: Floats, epsilon: float = 0.0) -> GroupPairs:
    """Counts the pairs of each group.

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
        epsilon: The largest difference of the metric that is a tie.

    >>> pairs = group_pairs(np.array([[1.0, 2, 2, 3]]), np.array([[1.0, 1.5, 2, 0]]), epsilon=0.5)
    >>> [float(count[0]) for count in (pairs.total, pairs.tied_metric, pairs.concordant, pairs.discordant)]
    [6.0, 2.0, 1.0, 3.0]
    """
    if human.shape[1] <= LARGEST_DENSE:
        counts = _dense_counts(human, metric, epsilon)
    else:
        counts = np.array([_sorted_counts(*rows, epsilon) for rows in zip(human, metric, strict=True)]).T
    sizes = (~np.isnan(human)).sum(axis=1)
    total = sizes * (sizes - 1) / 2
    tied_both, untied_human, untied_metric, concordant = counts.reshape(4, len(human)).astype(np.float64)
    tied_human, tied_metric = total - untied_human, total - untied_metric
    discordant = total - tied_human - tied_metric + tied_both - concordant
    return GroupPairs(total, tied_human, tied_metric, tied_both, concordant, discordant)


def pair_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yields blocks of groups, shape (groups, outputs), that are small enough to compare all pairs of outputs."""
    groups, outputs = shape
    step = max(1, BLOCK_PAIRS // max(1, outputs * (outputs - 1) // 2))
    for start in range(0, groups, step):
        yield slice(start, min(start + step, groups))


def pair_differences(values: Floats) -> Floats:
    """Subtracts the scores of each pair of outputs, shape (groups, pairs); NaN where one is missing.

    Args:
        values: Shape (groups, outputs).
    """
    first, second = np.triu_indices(values.shape[1], 1)
    with np.errstate(over="ignore"):  # an infinite difference is no tie, and has the right sign
        differences: Floats = values[:, first] - values[:, second]
    return differences


def _dense_counts(human: Floats, metric: Floats, epsilon: float) -> Indices:
    """Compares all pairs: tied in both, untied in the human scores, untied in the metric, concordant; (4, groups)."""
    counts = np.zeros((4, len(human)), dtype=np.int64)
    for block in pair_blocks(human.shape):
        h, m = pair_differences(human[block]), pair_differences(metric[block])
        untied_human, untied_metric = (h > 0) | (h < 0), np.abs(m) > epsilon
        ordered_alike = ((h > 0) == (m > 0)) & untied_human & untied_metric
        tied_both = ~np.isnan(h) & ~untied_human & ~untied_metric
        for row, pairs in enumerate((tied_both, untied_human, untied_metric, ordered_alike)):
            counts[row, block] = _count(pairs)
    return counts


def _count(pairs: Bools) -> Indices:
    counted: Indices = np.count_nonzero(pairs, axis=1)
    return counted


def _sorted_counts(human: Floats, metric: Floats, epsilon: float) -> tuple[int, int, int, int]:
    """Counts the pairs of one large group by sorting, in the order of `_dense_counts`."""
    present = ~np.isnan(human)
    counts = sorted_pair_counts(human[present], metric[present], epsilon)
    return counts.tied_both, counts.total - counts.tied_x, counts.total - counts.tied_z, counts.concordant


def kendall_values(name: str, pairs: GroupPairs) -> Floats:
    """Computes a coefficient of Kendall's family in each group from its counts of pairs.

    - ``kendall-a``: (C − D) / T; undefined if a score is constant;
    - ``kendall-b``: (C − D) / √((T − T_h)(T − T_m));
    - ``tau-23``: (C + T_hm − D − (T_h − T_hm) − (T_m − T_hm)) / T;
    - ``acc-23`` and ``pairwise-accuracy``: (C + T_hm) / T.

    Args:
        name: The coefficient.
        pairs: The counts of pairs, of which T_h are tied in the human scores, T_m in the metric and T_hm in both.

    Returns:
        Shape (groups,), NaN where undefined.
    """
    surplus = pairs.concordant - pairs.discordant
    correct = pairs.concordant + pairs.tied_both
    untied_human, untied_metric = pairs.total - pairs.tied_human, pairs.total - pairs.tied_metric
    with np.errstate(invalid="ignore", divide="ignore"):
        if name == "kendall-b":
            values = surplus / np.sqrt(untied_human * untied_metric)
        elif name == "kendall-a":
            values = np.where((untied_human > 0) & (untied_metric > 0), surplus / pairs.total, np.nan)
        elif name == "tau-23":
            values = (2 * correct - pairs.total) / pairs.total
        else:
            values = correct / pairs.total
    return np.asarray(values)


def kendall_c(human: Floats, metric: Floats) -> Floats:
    """Computes τ-c = 2(C − D) / (n²(m − 1)/m) in each group, m the smaller number of distinct scores.

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.

    Returns:
        Shape (groups,), NaN where a score is constant.
    """
    pairs = group_pairs(human, metric)
    distinct = np.minimum(_distinct(human), _distinct(metric))
    sizes = (~np.isnan(human)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2 * (pairs.concordant - pairs.discordant) * distinct / (sizes**2 * (distinct - 1.0))
    return np.where(distinct > 1, values, np.nan)


def _distinct(values: Floats) -> Indices:
    """Counts the distinct scores of each group."""
    ordered = np.sort(values, axis=1)
    increases: Indices = np.count_nonzero(ordered[:, 1:] > ordered[:, :-1], axis=1)
    return increases + (~np.isnan(values)).any(axis=1)


def kendall_like(human: Floats, metric: Floats, threshold: float) -> tuple[Floats, Floats]:
    """Computes (C − D) / (C + D) over pairs whose human scores differ by at least a threshold, in each group.

    A pair tied in the metric is discordant, a pair tied in the human scores is left out (WMT until 2020).

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
        threshold: The least difference of human scores that counts.

    Returns:
        The values, NaN for a group without such a pair, and the numbers of pairs C + D; both of shape (groups,).
    """
    if not threshold:
        pairs = group_pairs(human, metric)
        concordant, counted = pairs.concordant, pairs.total - pairs.tied_human
    elif human.shape[1] <= LARGEST_DENSE:
        concordant, counted = _dense_threshold_counts(human, metric, threshold)
    else:
        # Pairs that differ by less than the threshold are tied with the next smaller ε, now of the human scores.
        pairs = group_pairs(metric, human, float(np.nextafter(threshold, 0)))
        concordant, counted = pairs.concordant, pairs.total - pairs.tied_metric
    with np.errstate(invalid="ignore"):
        return (2 * concordant - counted) / counted, counted


def _dense_threshold_counts(human: Floats, metric: Floats, threshold: float) -> tuple[Floats, Floats]:
    concordant, counted = np.zeros(len(human)), np.zeros(len(human))
    for block in pair_blocks(human.shape):
        h, m = pair_differences(human[block]), pair_differences(metric[block])
        far = np.abs(h) >= threshold
        counted[block] = _count(far)
        concordant[block] = _count(far & ((h > 0) == (m > 0)) & (m != 0))
    return concordant, counted
