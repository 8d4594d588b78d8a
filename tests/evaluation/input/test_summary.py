"""The counts of a run's input: empty outputs, of each system."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import Problems
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import checked_batches
from metrics_framework.metrics.base.labelled_metric import labelled
from metrics_framework.metrics.base.metric import load

TEXTS = st.sampled_from(["", " ", "\u3000\n", "a", " b ", [], [""], ["", " "], ["", "a"]])


class Given(DatasetReader):
    """Yields these outputs."""

    def __init__(self, outputs: list[tuple[str, Any]]) -> None:
        self.outputs = outputs

    def instances(self, input_files: Any, problems: Problems) -> Any:
        for number, (system, text) in enumerate(self.outputs):
            fields = {"summary": text, "references": ["b"]}
            yield EvalInstance(str(number), system, "peer", fields, "a.jsonl", number + 1)


def summary_of(outputs: list[tuple[str, Any]], size: int) -> InputSummary:
    summary = InputSummary()
    for _ in checked_batches(Given(outputs), ["a.jsonl"], labelled([load("ter")]), summary, size=size):
        pass
    return summary


@given(st.lists(st.tuples(st.sampled_from("ab"), TEXTS), min_size=1, max_size=9), st.integers(1, 4))
def test_outputs_without_text_are_counted_for_each_system(outputs: list[tuple[str, Any]], size: int) -> None:
    expected = Counter(system for system, text in outputs if not "".join(text).strip())
    assert summary_of(outputs, size).empty == expected


def test_an_empty_text_does_not_matter_to_metrics_that_read_other_fields() -> None:
    summary = InputSummary()
    summary.add(
        ColumnBatch([EvalInstance("1", "a", "peer", {"summary": "", "annotation": {}}, "a.jsonl", 1)]), ["annotation"]
    )
    assert (summary.outputs, summary.empty) == ({"a": 1}, {})
