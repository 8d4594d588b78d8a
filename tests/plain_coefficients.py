"""The definitions of coefficients of one group of outputs, word by word: loops over outputs and pairs, no weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from metrics_framework.common.arrays import Floats


def plain_coefficient(
    name: str, human: Sequence[float], metric: Sequence[float], epsilon: float = 0.0, threshold: float = 0.0
) -> float:
    """Computes a coefficient of one group.

    Args:
        name: The coefficient.
        human: The human scores.
        metric: The scores of the metric.
        epsilon: The largest difference of tied metric scores.
        threshold: The least difference of human scores that counts.
    """
    if len(human) < 2:
        return math.nan
    if name == "pearson":
        return _pearson(human, metric)
    if name == "spearman":
        return _pearson(_mid_ranks(human), _mid_ranks(metric))
    if name == "kendall-c":
        return _kendall_c(human, metric)
    pairs = [(h - k, m - n) for (h, m), (k, n) in combinations(zip(human, metric, strict=True), 2)]
    if name == "kendall-like":
        return _kendall_like(pairs, threshold)
    return _of_orders(name, [(_sign(h), 0 if abs(m) <= epsilon else _sign(m)) for h, m in pairs])


def _sign(value: float) -> int:
    return int(value > 0) - int(value < 0)


def _pearson(x: Sequence[float], z: Sequence[float]) -> float:
    if len(set(x)) == 1 or len(set(z)) == 1:
        return math.nan
    a, b = ([value - math.fsum(values) / len(values) for value in values] for values in (x, z))
    squares = math.fsum(one * one for one in a) * math.fsum(one * one for one in b)
    return math.fsum(one * other for one, other in zip(a, b, strict=True)) / math.sqrt(squares)


def _mid_ranks(values: Sequence[float]) -> list[float]:
    return [sum(other < one for other in values) + (sum(other == one for other in values) + 1) / 2 for one in values]


def _kendall_c(human: Sequence[float], metric: Sequence[float]) -> float:
    n, least = len(human), min(len(set(human)), len(set(metric)))
    if least == 1:
        return math.nan
    surplus = sum(_sign(h - k) * _sign(m - o) for (h, m), (k, o) in combinations(zip(human, metric, strict=True), 2))
    return 2 * surplus / (n * n * (least - 1) / least)


def _kendall_like(pairs: Sequence[tuple[float, float]], threshold: float) -> float:
    counted = [(h, m) for h, m in pairs if abs(h) >= threshold and h != 0]
    concordant = sum(_sign(h) == _sign(m) for h, m in counted)
    return (2 * concordant - len(counted)) / len(counted) if counted else math.nan


def _of_orders(name: str, orders: Sequence[tuple[int, int]]) -> float:
    """Computes a coefficient of pairs from how people and the metric order each."""
    total = len(orders)
    concordant = sum(h * m > 0 for h, m in orders)
    discordant = sum(h * m < 0 for h, m in orders)
    both = sum(h == m == 0 for h, m in orders)
    tied_human, tied_metric = sum(h == 0 for h, _ in orders), sum(m == 0 for _, m in orders)
    is_constant = total in (tied_human, tied_metric)
    if name in ("acc-23", "acc-eq", "pairwise-accuracy"):
        return (concordant + both) / total
    if name == "tau-23":
        return (concordant + both - discordant - (tied_human - both) - (tied_metric - both)) / total
    if name == "kendall-a":
        return math.nan if is_constant else (concordant - discordant) / total
    assert name == "kendall-b", name
    roots = math.sqrt((total - tied_human) * (total - tied_metric))
    return math.nan if is_constant else (concordant - discordant) / roots


def plain_groups(
    name: str, human: Floats, metric: Floats, weights: Floats, epsilon: float = 0.0, threshold: float = 0.0
) -> Floats:
    """Computes a coefficient of each row from copies of its outputs; the function of a `WeightedCoefficient`."""
    copies = ((np.repeat(h, w), np.repeat(m, w)) for h, m, w in zip(human, metric, weights.astype(int), strict=True))
    return np.array([plain_coefficient(name, h.tolist(), m.tolist(), epsilon, threshold) for h, m in copies])
