"""Totals of means are the same, whether a metric returns the scores of outputs as dictionaries or as a table."""

from __future__ import annotations

from array import array
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.parts.part_totals import IrregularError, PartTotals, TotalsEncoder, add_to_totals
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
def test_totals_of_a_table_are_those_of_dictionaries(batches: Any) -> None:
    found = []
    for form in (as_dictionaries, as_table):
        totals = [MeanTotal() for _ in range(4)]
        for rows in batches:
            add_to_totals(PartTotals(results=[(members_of(rows), form(rows))]), totals[0], totals[1:], b"")
        found.append([described(total) for total in totals if total.count])
    assert found[0] == found[1]


@given(st.lists(ROWS, min_size=1, max_size=3), st.data())
def test_encoded_totals_of_a_table_are_those_of_dictionaries(batches: Any, data: Any) -> None:
    """Also if a kernel leaves some batches to Python."""
    found = []
    mixed = data.draw(st.lists(st.sampled_from([as_dictionaries, as_table]), min_size=3, max_size=3))
    for forms in ([as_dictionaries] * 3, [as_table] * 3, mixed):
        encoder = TotalsEncoder(MeanTotal, has_kernel=True, as_results=False)
        for form, rows in zip(forms, batches, strict=False):
            encoder.add(form(rows), members_of(rows))
        part = encoder.finish()
        numbers = array("I", [system for rows in batches for system, *_ in rows]).tobytes()
        totals = [MeanTotal() for _ in range(4)]
        add_to_totals(part, totals[0], totals[1:], numbers)
        found.append([described(total) for total in totals if total.count])
    assert found[0] == found[1] == found[2]


def test_a_table_of_other_scores_is_irregular() -> None:
    encoder = TotalsEncoder(MeanTotal, has_kernel=True, as_results=False)
    encoder.add(as_table([(0, 1.0, 2.0, 3.0, 4.0)]), {0: [0]})
    other = Vectors(bytearray(array("d", [1.0])), 1, 0, [("other",)])
    with pytest.raises(IrregularError):
        encoder.add(BatchScores([], vectors=other), {0: [0]})
