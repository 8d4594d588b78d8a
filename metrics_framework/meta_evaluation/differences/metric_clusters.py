"""Clusters of metrics that do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.arrays import Floats


def ranking_p_values(ranking: str, adjusted: Floats, p_in_favour: Floats) -> Floats:
    """Returns the p-values that decide on ranks.

    Args:
        ranking: ``corrected`` or ``wmt``.
        adjusted: The two-sided p-values, corrected for the number of pairs.
        p_in_favour: The one-sided p-values in favour of the better metric of each pair.
    """
    return {"corrected": adjusted, "wmt": p_in_favour}[ranking]


def cluster_ranks(p_values: Sequence[Sequence[float]] | Floats, alpha: float = 0.05) -> list[int]:
    """Ranks metrics by clusters: a new one starts at a metric that any metric of the current cluster beats.

    Args:
        p_values: For metrics sorted by value, the best first, the p-value of each pair, in the upper triangle; shape
            (metrics, metrics).
        alpha: The level of significance: a metric beats another if p ≤ alpha.

    Returns:
        The rank of each metric: 1 for the first cluster, 2 for the second, and so on.

    >>> cluster_ranks([[0, 0.01, 0.3, 0.3], [0, 0, 0.01, 0.3], [0, 0, 0, 0.5], [0, 0, 0, 0]])
    [1, 2, 3, 3]
    """
    ranks: list[int] = []
    start = 0
    for metric in range(len(p_values)):
        if any(p_values[better][metric] <= alpha for better in range(start, metric)):
            start = metric
        ranks.append((ranks[-1] if ranks else 0) + (start == metric))
    return ranks


def hidden_by_clusters(ranks: Sequence[int], p_values: Sequence[Sequence[float]] | Floats, alpha: float) -> int:
    """Counts the pairs of metrics in different clusters that do not differ significantly.

    >>> hidden_by_clusters([1, 2, 3], [[0, 0.01, 0.3], [0, 0, 0.01], [0, 0, 0]], 0.05)
    1
    """
    pairs = ((i, j) for i in range(len(ranks)) for j in range(i + 1, len(ranks)) if ranks[i] != ranks[j])
    return sum(not p_values[i][j] <= alpha for i, j in pairs)
