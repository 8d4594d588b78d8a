"""Clusters of items: bootstrap draws of whole clusters."""

from __future__ import annotations

import numpy as np

from metrics_framework.significance.clusters import Clusters


def test_draws_do_not_depend_on_blocks() -> None:
    clusters = Clusters.of(None, 7)
    whole = np.concatenate([*clusters.draws(20, 3, 20)])
    np.testing.assert_array_equal(whole, np.concatenate([*clusters.draws(20, 3, 3)]))
    assert set(whole.sum(axis=1)) == {7.0}


def test_items_of_a_cluster_are_drawn_together() -> None:
    (drawn,) = Clusters.of("aabbbc", 6).draws(50, 0, 50)
    assert drawn.shape == (50, 6)
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])
    np.testing.assert_array_equal(drawn[:, 2], drawn[:, 4])
    assert {*(drawn[:, 0] + drawn[:, 2] + drawn[:, 5])} == {3.0}
