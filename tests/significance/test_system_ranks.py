"""Ranks and clusters of systems, worked by hand."""

from __future__ import annotations

import pytest

from metrics_framework.significance.compared_systems import ranked

CLUSTERS = [  # p-values above the diagonal row by row, clusters at 5 %, why
    (([0.2, 0.03, 0.01, 0.0], [0.2, 0.04, 0.0], [0.3, 0.01], [0.2]), [1, 1, 2, 2, 3], "the first of a cluster decides"),
    (([0.01, 0.3, 0.3], [0.01, 0.3], [0.5]), [1, 2, 3, 3], "not transitive: the first does not beat the last two"),
    (([0.3, 0.3], [0.01]), [1, 1, 2], "the second of a cluster decides"),
    (([],), [1], "one system"),
    ((), [], "no system"),
]


@pytest.mark.parametrize(("rows", "clusters", "why"), CLUSTERS)
def test_a_cluster_ends_where_one_of_it_is_significantly_better(
    rows: tuple[list[float], ...], clusters: list[int], why: str
) -> None:
    beats = [[False] * len(clusters) for _ in clusters]
    for row, p_values in enumerate(rows):
        for column, p in enumerate(p_values, row + 1):
            beats[row][column] = p <= 0.05
    assert [rank.cluster for rank in ranked(beats)] == clusters, why


def test_the_range_of_a_rank_counts_systems_that_are_better_and_worse() -> None:
    """The first beats the third; the second does not differ from either."""
    beats = [[False, False, True], [False, False, False], [False, False, False]]
    assert [(rank.best, rank.worst) for rank in ranked(beats)] == [(1, 2), (1, 3), (2, 3)]
