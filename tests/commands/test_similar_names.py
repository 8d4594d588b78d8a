"""Ids of two files that differ in case or spaces only: both spellings are shown, with their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import write_json, write_rows
from messages import DIFFERS_ONLY_IN_CASE

CASES = [  # systems and inputs of the scores, those of the ratings, what is told, why
    (["Sys1", "b"], ["1", "2"], ["sys1", "b"], ["1", "2"], "systems 'Sys1' (2 rows) and 'sys1' (2) differ", "case"),
    (["a", "b"], ["1", "2"], ["a ", "b"], ["1", "2"], "", "spaces around a name are no part of it"),
    (["a b"], ["x1"], ["ab"], ["X1"], "systems 'a b' (1 row) and 'ab' (1) differ in spaces only", "nothing in common"),
    (["a b"], ["x1"], ["ab"], ["X1"], "inputs 'x1' (1 row) and 'X1' (1) differ in case", "inputs too"),
    (["a"], ["1", "2"], ["a\u200b"], ["1", "2"], "'a' (2 rows) and 'a\\u200b' (2)", "an invisible character"),
    (["é"], ["1", "2"], ["e\u0301"], ["1", "2"], "'é' (2 rows) and 'e\\u0301' (2)", "two ways to write é"),
    (["A", "a"], ["1", "2"], ["A", "a"], ["1", "2"], "systems 'A' (4 rows) and 'a' (4) differ", "in both files"),
    (["a", "b"], ["1"], ["a", "c"], ["1", "2"], "", "different names"),
]


def write(systems: list[str], inputs: list[str], others: list[str], rated: list[str]) -> None:
    pairs = [(system, instance) for system in systems for instance in inputs]
    rows = [{"instance_id": one, "summarizer_id": system, "metrics": {"sari": 1.0}} for system, one in pairs]
    write_rows("s.jsonl", rows)
    lines = [f"{one},{system},{number}" for number, (system, one) in enumerate((s, i) for s in others for i in rated)]
    Path("h.csv").write_text("\n".join(["instance_id,summarizer_id,human", *lines]), encoding="utf-8")


@pytest.mark.parametrize(("systems", "inputs", "others", "rated", "told", "why"), CASES, ids=[row[-1] for row in CASES])
def test_correlate_shows_both_spellings(
    fw: Callable[..., Any],
    systems: list[str],
    inputs: list[str],
    others: list[str],
    rated: list[str],
    told: str,
    why: str,
) -> None:
    write(systems, inputs, others, rated)
    words = ["correlate", "s.jsonl", "h.csv", "--metrics", "sari", "human", "--ci", "none"]
    done = fw(*words)
    assert told in done.err, why
    assert ("differ in" in done.err) == bool(told), why
    if told:
        assert fw(*words, "--strict").code == 1


def test_a_report_shows_both_spellings_of_its_score_files(fw: Callable[..., Any]) -> None:
    write(["Sys1"], ["1"], ["sys1"], ["1"])
    row = {"instance_id": "1", "summarizer_id": "Sys1", "source": "a b", "summary": "a"}
    write_json("in.jsonl", row)
    done = fw("report", "r.html", "--input-files", "in.jsonl", "--scores-files", "h.csv", "--no-confidence")
    assert "fw: warning: systems 'Sys1' and 'sys1' " in done.err


def test_documents_and_pyramids_show_both_spellings(fw: Callable[..., Any]) -> None:
    documents = {"instance_id": "D1", "documents": [{"text": "a"}]}
    pyramid = {"instance_id": "D1", "summarizer_ids": ["1"], "summaries": ["a"], "scus": []}
    output = {"instance_id": "d1 ", "summarizer_id": "s", "summarizer_type": "peer", "summary": "a", "scus": []}
    for name, row in (("documents", documents), ("pyramids", pyramid), ("outputs", output)):
        write_json(f"{name}.jsonl", row)
    told = f"'d1' in {{}}.jsonl; it has 'D1', {DIFFERS_ONLY_IN_CASE}"
    for reader, metric, name in (
        ("split-document-based", "quality-estimation", "documents"),
        ("pyramid-based", "pyramid-score", "pyramids"),
    ):
        files = ["--input-files", f"{name}.jsonl", "outputs.jsonl"]
        assert told.format(name) in fw(metric, "score", "o.jsonl", "--dataset-reader", reader, *files).err, reader
