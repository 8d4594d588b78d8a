"""The file of a part's results: everything comes back, and damaged files are errors."""

from __future__ import annotations

import io
import json
import marshal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework import MetricsDict, ReferenceBasedMetric
from metrics_framework.common.errors import DataError, OutputError, UsageError
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.evaluation.parts.part import Failure, Part, PartResult
from metrics_framework.evaluation.parts.scorer import PartScorer
from metrics_framework.evaluation.parts.stored_part import StoredPart, encoded
from metrics_framework.evaluation.system_scores import system_scoring
from metrics_framework.io.reading import Piece
from metrics_framework.metrics.base.labelled_metric import labelled
from metrics_framework.significance.collector import ScoreCollector


class Uneven(ReferenceBasedMetric):
    """Returns lists of different lengths, whose totals need the results themselves."""

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        return [[MetricsDict(uneven=[1.0] * (len(summary) % 3 + 1)) for summary in group] for group in summaries_list]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file with outputs of three systems, a lone surrogate, and two rows that cannot be read."""
    lines = []
    for number in range(40):
        row = {"instance_id": f"{number}\ud800", "summarizer_id": "abc"[number % 3], "summary": "a cat " * (number % 4)}
        lines.append(json.dumps({**row, "references": ["a cat", "the dog"]}))
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join([*lines, '{"broken', "{}"]), encoding="utf-8")
    return str(file)


def result_of(path: str, metrics: list[Any], **options: Any) -> PartResult:
    made = labelled(metrics)
    scoring = system_scoring(made, None)._replace(reader=load_reader("default"), **options)
    return PartScorer(scoring)(Part(3, [Piece(path, "in")]))


def stored(result: PartResult) -> StoredPart:
    data = b"".join(encoded(result))
    return StoredPart(io.BytesIO(data), "part-00004.results")


def plain(value: Any) -> Any:
    """Returns a value with errors and types as their content, so that equal values are equal."""
    if isinstance(value, DataError):
        return str(value)
    if hasattr(value, "__match_args__"):
        return {name: plain(getattr(value, name)) for name in value.__match_args__}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


@pytest.mark.parametrize("metrics", [["ter", "bleu"], ["sent-bleu"], [Uneven()]])
def test_all_results_come_back(metrics: list[Any], path: str) -> None:
    result = result_of(path, metrics, counts_tokenized=True)
    back = stored(result)
    expected = replace(result, rows="", ids=b"", sorted_rows=[])
    assert plain(back.result(None)) == plain(expected)
    assert len(back.result(None).pieces[0].unread) == 2
    assert marshal.loads(back.ids()) == marshal.loads(result.ids)


def test_what_intervals_need_comes_back(path: str) -> None:
    made = labelled(["ter", "sent-bleu"])
    collector = partial(ScoreCollector, made)
    scoring = system_scoring(made, None)._replace(reader=load_reader("default"), new_collector=collector)
    result = PartScorer(scoring)(Part(0, [Piece(path, "in")]))
    back = stored(result).result(collector).collected
    assert vars(back)["_columns"] == vars(result.collected)["_columns"]
    assert vars(back)["_inputs"] == vars(result.collected)["_inputs"]
    assert vars(back)["_input_numbers"] == vars(result.collected)["_input_numbers"]


def test_errors_come_back_with_their_place() -> None:
    error = OutputError("no\tdigits", index=3)
    error.place("in.jsonl", 4, "input 1")
    back = stored(PartResult(0, failure=Failure(error, 1, 4, "input 1"))).result(None).failure
    assert back is not None
    assert (type(back.error), str(back.error), vars(back.error)) == (OutputError, str(error), vars(error))
    assert back[1:] == (1, 4, "input 1")


def test_sort_keys_come_back_in_their_order() -> None:
    keys = [f"{number}\0\0\ud800" for number in range(5000)]
    assert list(stored(PartResult(0, sorted_rows=[(key, "") for key in keys])).keys()) == keys


def test_results_without_a_form_in_json_are_an_error() -> None:
    result = PartResult(0, tokenized={"a": complex(1, 1)})  # type: ignore[dict-item]
    with pytest.raises(UsageError, match="cannot be stored in an output folder"):
        b"".join(encoded(result))


DATA = b"".join(
    encoded(
        PartResult(0, systems=["a", "b"], system_numbers=b"\0" * 8, input_hashes=b"1" * 16, sorted_rows=[("k", "r")])
    )
)


def everything(data: bytes) -> Iterator[Any]:
    part = StoredPart(io.BytesIO(data), "x")
    yield part.result(None)
    yield part.ids()
    yield from part.keys()


@settings(max_examples=300)
@given(st.integers(0, len(DATA) - 1), st.binary(min_size=1, max_size=4), st.integers(0, len(DATA)))
def test_a_damaged_file_is_a_data_error_and_never_another(position: int, bytes_: bytes, end: int) -> None:
    for data in (DATA[:position] + bytes_ + DATA[position + len(bytes_) :], DATA[:end], bytes_):
        with suppress(DataError):
            list(everything(data))


def test_nothing_of_a_file_is_run() -> None:
    pickled = b"cos\nsystem\n(S'touch /tmp/run'\ntR."
    with pytest.raises(DataError):
        list(everything(pickled))
    hostile = json.loads(DATA.split(b"\n")[0])
    hostile["failure"] = [{"type": "Popen", "lines": ["x"], "state": {}}, 0, None, ""]
    hostile["warnings"] = [["x", "eval", "f", 1]]
    data = json.dumps(hostile).encode() + b"\n" + DATA.split(b"\n", 1)[1]
    result = StoredPart(io.BytesIO(data), "x").result(None)
    assert result.failure is not None
    assert type(result.failure.error).__name__ == "FwError"
    assert result.warnings[0][1] is UserWarning
