"""Rows of scores."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_framework import InputError, MetricsDict, MetricsRow


def test_a_plain_dictionary_of_scores_is_converted() -> None:
    row = MetricsRow("1", "s", "peer", {"a": {"b": 1.0}})
    assert type(row.metrics) is MetricsDict
    assert row.metrics.flatten() == {"a_b": 1.0}


@pytest.mark.parametrize("scores", [None, 3.0, [1.0], "a"])
def test_other_scores_are_refused(scores: Any) -> None:
    with pytest.raises(InputError, match="'metrics' must be a dictionary of scores, got"):
        MetricsRow("1", "s", "peer", scores)
