"""Tables of scores of DUC and TAC, which may begin with text and have rows without scores."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_framework.common.errors import DataError
from metrics_framework.datasets.shared_tasks.names import Output
from metrics_framework.datasets.shared_tasks.score_tables import AnnotatedTable, ScoreTable

SCORES = ScoreTable("scores.table", {"responsiveness": 2}, system=1)
ANSWERS = AnnotatedTable("answers.table", 6, 1, 4, 2, lambda cells: cells[0])


def test_lines_before_the_first_row_are_text_and_hyphens_are_no_scores() -> None:
    found: dict[Output, dict[str, Any]] = {}
    SCORES.read(b"topic peer responsiveness\nd1 3 4\nd1 4 -\n\nd2 3 5\n", found)
    assert found == {Output("d1", "3"): {"responsiveness": 4}, Output("d2", "3"): {"responsiveness": 5}}


def test_a_row_without_any_score_is_a_row() -> None:
    found: dict[Output, dict[str, Any]] = {}
    ANSWERS.read(b"d1 3 x 100 4 2\nd1 4 x 100 - -\n", found)
    assert found == {Output("d1", "3"): {"peer_quality": {"Q1": 4, "Q2": 2}}}


@pytest.mark.parametrize(
    ("table", "content", "message"),
    [
        (SCORES, b"d1 3 4\ntotal\n", "scores.table:2: is not a row of scores: expected numbers in columns 3"),
        (SCORES, b"text\n", "scores.table: contains no row with numbers in columns 3"),
        (ANSWERS, b"d1 3 x 100 4 2\nd1 4\n", "answers.table:2: is not a row of scores: expected 6 columns"),
        (ANSWERS, b"", "answers.table: contains no row with 6 columns"),
    ],
)
def test_other_lines_are_errors(table: Any, content: bytes, message: str) -> None:
    with pytest.raises(DataError) as error:
        table.read(content, {})
    assert str(error.value) == message
