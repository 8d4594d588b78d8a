"""The counts of a run's input: empty outputs of each system, and the numbers of references."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import Problems
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import checked_batches
from metrics_framework.evaluation.input_summary import InputSummary
from metrics_framework.metrics.base.metric import labelled, load

TEXTS = st.sampled_from(["", " ", "\u3000\n", "a", " b ", [], [""], ["", " "], ["", "a"]])


class Given(DatasetReader):
    """Yields these outputs."""

    def __init__(self, outputs: list[tuple[str, Any]]) -> None:
        self.outputs = outputs

    def instances(self, input_files: Any, problems: Problems) -> Any:
        for number, (system, text) in enumerate(self.outputs):
            fields = {"summary": text, "references": ["b"]}
            yield EvalInstance(str(number), system, "peer", fields, "a.jsonl", number + 1)


def summary_of(outputs: list[tuple[str, Any]], size: int, *names: str) -> InputSummary:
    summary, metrics = InputSummary(), labelled(list(map(load, names or ("ter",))))
    for _ in checked_batches(Given(outputs), ["a.jsonl"], metrics, summary, size=size):
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


SCRIPTS = [  # summary, counted, why
    ("Η γάτα κάθισε.", True, "no ASCII letter"),
    (["猫が座った", "2024 OK"], True, "most letters of the list"),
    ("Le café était très bon.", False, "Latin with accents"),
    ("the cat γάτα sat", False, "one word of another script"),
    ("“—…” 12 €", False, "no letters"),
    ("", False, "empty"),
]


@pytest.mark.parametrize(("text", "counted", "why"), SCRIPTS)
def test_outputs_in_other_scripts_are_counted_for_metrics_that_ignore_them(text: Any, counted: bool, why: str) -> None:
    assert bool(summary_of([("a", text)], 1, "rouge").in_other_scripts) is counted, why
    assert not summary_of([("a", text)], 1, "chrf").in_other_scripts


def test_a_warning_names_the_metrics_that_ignore_other_scripts() -> None:
    summary = summary_of([("a", "γάτα"), ("a", "cat"), ("b", "cat")], 2, "rouge", "google-rouge")
    log = Log(silent=True)
    summary.warn(log)
    assert log.warnings == [
        "some outputs have mostly letters that are not ASCII ('a' 1 of 2), which rouge and google-rouge are defined to "
        "ignore; their scores are 0 or meaningless. 'chrf' and 'autosummeng' compare characters of any script"
    ]


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), min_size=1, max_size=4))
def test_the_lowest_and_highest_number_of_references_are_those_of_all_batches(batches: list[list[int]]) -> None:
    """The signature said ``refs:2`` for ``1-2`` when only the first or the last batch counted."""
    summary = InputSummary()
    for batch in batches:
        rows = ({"summary": "a", "references": ["b"] * count} for count in batch)
        summary.add(ColumnBatch([EvalInstance("1", "a", "peer", row, "a.jsonl", 1) for row in rows]))
    counts = [count for batch in batches for count in batch]
    assert summary.references == (min(counts), max(counts))
    expected = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"
    assert summary.number_of_references == expected


@pytest.mark.parametrize("batches", [[[1], [2]], [[2], [1]], [[2, 1], [2]], [[1, 2]]])
def test_the_signature_has_the_lowest_number_of_references_of_any_batch(batches: list[list[int]]) -> None:
    summary = InputSummary()
    for batch in batches:
        rows = [{"summary": "a", "references": ["b"] * count} for count in batch]
        summary.add(ColumnBatch([EvalInstance("1", "a", "peer", row, "a.jsonl", 1) for row in rows]))
    assert summary.number_of_references == "1-2"
