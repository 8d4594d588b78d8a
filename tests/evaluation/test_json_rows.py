"""Lines of JSON: those of the native writer equal those of its twin, and are what `json` reads back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import requires_native

from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.evaluation.scoring import formatted_rows, rows_as_json
from metrics_framework.kernels.dispatch import native_function

NAMES = st.text(st.sampled_from('a0_" \\\x7f\n\x1fé\u2028\ud800'), min_size=1, max_size=4) | st.text("ab1", min_size=1)
MEMBERS = st.sampled_from(["", '"sari": 1.5', '"ter": null', '"é": 2'])
ROWS = st.integers(0, 3).flatmap(lambda metrics: st.lists(st.tuples(NAMES, NAMES, *[MEMBERS] * metrics), min_size=1))


NOT_ROWS: list[tuple[Any, Any, Any, str]] = [
    (["a"], [], ([],), "fewer heads than ids"),
    (["a"], ["b"], ([],), "fewer scores than ids"),
    (["a"], ["b"], (("c",),), "a tuple for a list"),
    (["a"], ["b"], ([{"c": 1.0}],), "scores that are not written yet"),
    ([1], ["b"], (["c"],), "an id that is no string"),
]


@settings(max_examples=40)
@requires_native
@given(ROWS)
def test_the_native_writer_equals_its_twin_or_leaves_the_rows_to_it(rows: list[tuple[str, ...]]) -> None:
    native: Any = native_function("rows_as_json")
    ids, heads, *columns = map(list, zip(*rows, strict=True))
    lines = native(ids, heads, tuple(columns))
    plain = "".join(map("".join, rows)).isascii() and not set("".join(ids)) & set('"\\\n\x1f\x7f')
    assert lines == (rows_as_json(ids, heads, columns) if plain else None)
    for *arguments, why in NOT_ROWS:
        assert native(*arguments) is None, why


@settings(max_examples=40)
@given(st.lists(st.tuples(NAMES, NAMES), min_size=1))
def test_lines_read_back_as_the_rows_they_were_made_of(names: list[tuple[str, str]]) -> None:
    batch = [EvalInstance(instance_id, summarizer_id, "peer") for instance_id, summarizer_id in names]
    columns = [[{"sari": float(number)} for number in range(len(batch))], ['"ter": 1.0'] * len(batch)]
    rows = [json.loads(line) for line in formatted_rows(ColumnBatch(batch), columns)]
    assert [list(row) for row in rows] == [["instance_id", "summarizer_id", "summarizer_type", "metrics"]] * len(batch)
    assert [(row["instance_id"], row["summarizer_id"]) for row in rows] == names
    assert [row["metrics"] for row in rows] == [{"sari": float(number), "ter": 1.0} for number in range(len(batch))]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60)
SCORES = st.recursive(
    NUMBERS | st.lists(NUMBERS, max_size=3),
    lambda values: st.dictionaries(st.text("ab-1", max_size=3), values, max_size=3),
)


@requires_native
@settings(max_examples=50)
@given(st.dictionaries(st.text("ab-1", max_size=3), SCORES, max_size=4))
def test_the_native_writer_of_scores_equals_json_and_leaves_others_to_python(scores: dict[str, Any]) -> None:
    writer: Any = native_function("scores_as_json")
    assert writer((scores,)) == json.dumps(scores)
    for value in (None, float("nan"), float("inf"), "1", {"é": 1.0}, {"a": {"b": None}}, [{}]):
        assert writer(({**scores, "a": value},)) is None


@requires_native
def test_scores_nested_too_deeply_are_an_error_and_no_crash() -> None:
    scores: dict[str, Any] = {}
    for _ in range(100_000):
        scores = {"a": scores}
    writer: Any = native_function("scores_as_json")
    with pytest.raises(RecursionError):
        writer((scores,))
