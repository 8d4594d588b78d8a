"""Warnings and notes: each is printed once, whatever the format of the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows
from samples import sampled

COMMANDS = [  # words, warnings or notes, why
    (
        "correlate s.jsonl h.csv --metrics sari human --summarizer-type peer --level input,system,global",
        [
            "1 output without human (for example 'A' on '9')",
            "at the system level there are only two systems",
            "there are only two systems",
            "instead of 'sari'",
            "1 not of type peer",
        ],
        "a correlation",
    ),
    (
        "correlate s.jsonl h.csv --metric sari --metric ter --human human --ci none --level input,system,global",
        ["sari: left out", "ter: left out", "ter: system means are over", "there are only two systems"],
        "several",
    ),
    (
        "evaluate --metric ter --input-files in.jsonl --confidence --resamples 50",
        ["3 comparisons with 50 trials cannot be"],
        "systems that cannot differ significantly",
    ),
    (
        "report r.html --metric ter --input-files in.jsonl --resamples 50",
        ["3 comparisons with 50 trials cannot be"],
        "a report",
    ),
]


@pytest.fixture
def files(fw: Callable[..., Any]) -> Callable[..., Any]:
    rows = [
        {"instance_id": str(n), "summarizer_id": system, "metrics": {"sari": n, "ter": -n}}
        for system, n in [(s, n) for s in "AB" for n in range(4)] + [("A", 9)]
    ]
    rows.append({"instance_id": "8", "summarizer_id": "B", "metrics": {"sari": None, "sari_jk": 1.0, "ter": 2.0}})
    rows.append({"instance_id": "1", "summarizer_id": "human", "summarizer_type": "reference", "metrics": {"ter": 1.0}})
    write_rows("s.jsonl", rows)
    ratings = [f"{n},{system},{(n * 7) % 5}" for system in "AB" for n in (0, 1, 2, 3)] + ["8,B,1"]
    Path("h.csv").write_text("\n".join(["instance_id,summarizer_id,human", *ratings]), encoding="utf-8")
    outputs = [
        {"instance_id": str(n), "summarizer_id": s, "summary": f"a {s}", "references": ["a c"], "source": "a c"}
        for s in "ABCD"
        for n in range(25)
    ]
    write_rows("in.jsonl", outputs)
    return fw


@pytest.mark.parametrize("format", sampled(["table", "latex", "markdown", "csv", "json"]))
@pytest.mark.parametrize(("words", "warnings", "why"), COMMANDS, ids=[row[-1] for row in COMMANDS])
def test_a_warning_is_printed_once(
    files: Callable[..., Any], words: str, warnings: list[str], why: str, format: str
) -> None:
    flags = [] if "report" in words else ["--format", format]
    done = files(*words.split(), *flags)
    assert done.code == 0, done.err
    printed = done.err if format == "json" else done.out + done.err  # the results file contains them, too
    for warning in warnings:
        assert printed.count(warning) == 1, (warning, printed)
