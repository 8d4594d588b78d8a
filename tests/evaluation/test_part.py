"""A run in parts has the digits, the rows and the words of a run in one process, however it is divided."""

from __future__ import annotations

import json
import math
import pickle
import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework import DataError, FwError, MetricsDict, ReferenceBasedMetric, load_reader
from metrics_framework.common.logs import Log
from metrics_framework.evaluation.run import PartChecks, PartScorer, parts_of
from metrics_framework.evaluation.scoring import PlainScorer, RowWriter, Scoring
from metrics_framework.evaluation.system_scores import Evaluation, Totals, evaluate
from metrics_framework.metrics.base.metric import LabelledMetric, labelled

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "one", "two", "three", "dogs", "barked"]
SPECS = ["ter", "sari:variant=hf,label=hf", "sari", "bleu", "sent-bleu", "chrf", "google-rouge"]


class Uneven(ReferenceBasedMetric):
    """Returns whole numbers, fractions and undefined scores, in a list too."""

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
        return [[_uneven(len(summary)) for summary in group] for group in summaries_list]


def _uneven(length: int) -> MetricsDict:
    value = (3, 0.1 * length, None, math.nan)[length % 4]
    return MetricsDict({"uneven": value, "uneven_list": [length, value], "nested": {"a": value, "b": length}})


def _rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    texts = lambda: " ".join(rng.choices(WORDS, k=rng.randint(1, 9)))  # noqa: E731 - short for a test
    return [
        {
            "instance_id": number,
            "summarizer_id": system,
            "source": " ".join(random.Random(number).choices(WORDS, k=5)),
            "summary": texts(),
            "references": [texts() for _ in range(3)],
        }
        for number in range(count)
        for system in ("b", "a")[: rng.randint(1, 2)]
    ]


def _written(folder: Path, rows: Sequence[Any], files: int = 2) -> list[str]:
    """Writes rows into several files, some after empty lines."""
    paths = []
    for number in range(files):
        path = folder / f"{number}.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows[number::files]]
        path.write_text("\n" * number + "".join(f"{line}\n" for line in lines))
        paths.append(str(path))
    return paths


def _in_parts(paths: Sequence[str], metrics: Sequence[LabelledMetric], size: int) -> tuple[Evaluation, str]:
    """Evaluates parts in this process."""
    reader, rows = load_reader("default"), list[str]()
    scoring = Scoring(metrics, PlainScorer(metrics, only_files=True), has_rows=True, has_totals=True)
    totals, writer, scorer = Totals(metrics), RowWriter(rows.append, metrics), PartScorer(scoring, reader)
    parts = parts_of(reader, paths, size)
    assert parts is not None
    checks = PartChecks(paths, totals.summary)
    with closing(checks):
        for part in parts:
            for scored in checks.accepted(pickle.loads(pickle.dumps(scorer(part)))):
                totals.add(scored)
                writer.write(scored.rows)
        checks.finish()
    with Log(silent=True) as log:
        return totals.evaluation(log), "".join(rows)


def _in_one_process(paths: Sequence[str], metrics: Sequence[LabelledMetric]) -> tuple[Evaluation, str]:
    rows: list[str] = []
    with Log(silent=True) as log:
        evaluation = evaluate(load_reader("default"), paths, metrics, rows.append, log)
    return evaluation, "".join(rows)


def _metrics() -> list[LabelledMetric]:
    return labelled([*SPECS, Uneven()])


@settings(max_examples=15, deadline=None)
@given(count=st.integers(1, 40), size=st.integers(200, 30_000), seed=st.integers(0, 5), files=st.integers(1, 3))
def test_any_division_has_the_digits_of_one_process(
    tmp_path_factory: pytest.TempPathFactory, count: int, size: int, seed: int, files: int
) -> None:
    paths = _written(tmp_path_factory.getbasetemp(), _rows(count, seed), files)
    for parts, whole in zip(_in_parts(paths, _metrics(), size), _in_one_process(paths, _metrics()), strict=True):
        left, right = (
            repr(replace(result, warnings=[]).as_json() if isinstance(result, Evaluation) else result)
            for result in (parts, whole)  # of which only a whole run has a log
        )
        assert left == right


MISTAKES = [
    ("a row that is not JSON", {3: '{"instance_id": 3, '}),
    ("three mistakes", {2: "[]", 11: '{"summary": "x"}', 25: '{"instance_id": 90, "summary": "x"}'}),
    ("a duplicate far away", {30: "SAME"}),
    ("all kinds", {5: "no", 7: "REFERENCE", 12: "SAME", 26: '{"instance_id": 91, "summary": 4, "references": []}'}),
    ("thirty mistakes", dict.fromkeys(range(30), '{"instance_id": "x"}')),
    ("a file that is not UTF-8", {4: "LATIN"}),
]


@pytest.mark.parametrize(("why", "mistakes"), MISTAKES, ids=[why for why, _ in MISTAKES])
@pytest.mark.parametrize("size", [300, 1000, 4000])
def test_mistakes_are_told_in_the_words_of_one_process(
    tmp_path: Path, why: str, mistakes: dict[int, str], size: int
) -> None:
    rows: list[Any] = _rows(40)
    for number, text in mistakes.items():
        other = {"SAME": json.dumps(rows[1]), "REFERENCE": json.dumps({**rows[number], "summarizer_type": "reference"})}
        rows.insert(number, other.get(text, text))
    paths = _written(tmp_path, rows)
    for path in map(Path, paths):
        path.write_bytes(path.read_bytes().replace(b"LATIN", b'{"a": "\xe9"}'))
    metrics = labelled(["ter"])
    with pytest.raises(DataError) as expected:
        _in_one_process(paths, metrics)
    with pytest.raises(DataError) as told:
        _in_parts(paths, metrics, size)
    assert str(told.value) == str(expected.value)


class Fails(ReferenceBasedMetric):
    """Cannot score one of the outputs."""

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        from metrics_framework.common.errors import OutputError

        for index, (summary,) in enumerate(summaries_list):
            if summary == "fails":
                raise OutputError("it fails", index=index)
        return [[MetricsDict(fails=1.0)] for _ in summaries_list]


@pytest.mark.parametrize("earlier", [False, True], ids=["alone", "after a mistake"])
def test_the_output_that_a_metric_cannot_score_has_the_line_of_the_file(tmp_path: Path, earlier: bool) -> None:
    rows: list[Any] = _rows(30)
    rows[25]["summary"] = "fails"
    if earlier:
        rows[4] = "no"
    paths = _written(tmp_path, rows, 1)
    metrics = labelled([Fails()])
    with pytest.raises(FwError) as expected:
        _in_one_process(paths, metrics)
    for size in (300, 2000):
        with pytest.raises(FwError) as told:
            _in_parts(paths, metrics, size)
        if not earlier:  # one process scores whole batches, and finds the mistake of the batch first
            assert ":26: " in str(told.value)
        assert str(told.value) == str(expected.value)
