"""Rows that cannot be scored: what the message says is missing, and how to name it."""

from __future__ import annotations

import pytest

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.evaluation.checked_input import valid_rows
from metrics_framework.metrics.base.metric import labelled


def problem_of(batch: ColumnBatch, metric: str) -> DataError:
    """Returns the problem of the only row of a batch."""
    problems = Problems()
    assert not valid_rows(batch, labelled([metric]), problems).ids
    return problems.kept[0]


FIELDS = [  # names besides the summary, end of the message
    (["ref"], "; rename 'ref' to 'reference'"),
    (["Reference_A", "Reference_B"], "; rename 'Reference_A' to 'reference_1', 'Reference_B' to 'reference_2'"),
    (["ref_a", "ref_b", "ref_c"], "; rename 'ref_a' to 'reference_1', 'ref_b' to 'reference_2', …"),
    (["target"], "'summary', 'target'; if a column has it under another name, use --columns references=COLUMN"),
]


@pytest.mark.parametrize(("names", "end"), FIELDS)
def test_fields_that_seem_to_be_references_are_advised_to_be_renamed(names: list[str], end: str) -> None:
    fields = {"summary": "a", **dict.fromkeys(names, "b")}
    batch = ColumnBatch([EvalInstance("1", "s", "peer", fields, "x.csv", 2)])
    problem = problem_of(batch, "ter")
    assert str(problem).startswith(
        "x.csv:2: 'references' is missing, which the metric 'ter' needs; the row has 'summary'"
    )
    assert str(problem).endswith(end)


ONE_OF_TWO_FILES = [  # metric, fields, the reader that the message names
    ("pyramid-score", {"summary": "a", "scus": []}, "pyramid-based"),
    ("simetrix", {"documents": ["a"]}, "split-document-based"),
    ("simetrix", {"summary": "a"}, "split-document-based"),
]


@pytest.mark.parametrize(("metric", "fields", "reader"), ONE_OF_TWO_FILES)
def test_rows_of_one_of_two_files_are_advised_which_reader_joins_them(
    metric: str, fields: dict[str, object], reader: str
) -> None:
    batch = ColumnBatch([EvalInstance("1", "s", "peer", fields, "x.jsonl", 2)])
    assert f"; the reader '{reader}' reads" in str(problem_of(batch, metric))
