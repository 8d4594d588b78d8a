"""Totals of means are the same, whether a metric returns the scores of outputs as dictionaries or as a table."""

from __future__ import annotations

from array import array
from math import nan
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import BatchScores, Vectors
from metrics_framework.metrics.base.totals import MeanTotal, Total

PATHS: list[tuple[Any, ...]] = [("a",), ("b", "c"), ("b", "d"), ("e", 0)]
NUMBERS = st.sampled_from([0.1, 0.7, 1e-9, 3e8, -0.0]) | st.floats(-1e3, 1e3)
ROWS = st.lists(st.tuples(st.integers(0, 2), *[NUMBERS | st.just(nan)] * 4), min_size=1, max_size=12)


def as_dictionaries(rows: Any) -> BatchScores:
    return BatchScores([MetricsDict({"a": a, "b": {"c": c, "d": d}, "e": [e]}) for _, a, c, d, e in rows])


def as_table(rows: Any) -> BatchScores:
    numbers = array("d", [number for _, *scores in rows for number in scores])
    return BatchScores([], vectors=Vectors(bytearray(numbers.tobytes()), len(PATHS), 0, PATHS))


def members_of(rows: Any) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for index, (system, *_) in enumerate(rows):
        members.setdefault(system, []).append(index)
    return members


def described(total: Total) -> Any:
    return repr(total.score()), total.count, dict(total.undefined)


@given(st.lists(ROWS, min_size=1, max_size=3))
def test_totals_of_a_table_are_those_of_dictionaries(batches):
    found = []
    for forms in ([as_dictionaries], [as_table], [as_table, as_dictionaries]):  # a kernel may leave batches to Python
        totals = [MeanTotal() for _ in range(4)]
        for number, rows in enumerate(batches):
            results = forms[number % len(forms)](rows)
            totals[0].add_batch(results, None, len(rows))
            for system, outputs in members_of(rows).items():
                totals[1 + system].add_batch(results, outputs, len(outputs))
        found.append([described(total) for total in totals if total.count])
    assert found[0] == found[1] == found[2]
