"""Outputs of systems as lists: the example data of this repository, and published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TURKCORPUS = "data/turkcorpus/detok/test.truecase.detok"
Fields = dict[str, list[list[str]] | list[str]]


def example_outputs() -> Fields:
    """Returns the outputs of the example data: sentences with sources and several references."""
    lines = (ROOT / "datasets" / "simplification" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {
        "summary": [row["summary"]["text"] for row in rows],
        "references": [[text["text"] for text in row["references"]] for row in rows],
        "source": [row["source"]["text"] for row in rows],
    }


def published_outputs(shared_path: Callable[[str], Path], references: int = 8) -> Fields:
    """Returns the outputs of a system for TurkCorpus; skips the test if it is missing."""

    def lines(path: str) -> list[str]:
        return shared_path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    columns = [lines(f"{TURKCORPUS}.simp.{index}") for index in range(references)]
    return {
        "summary": lines("data/turkcorpus/outputs/detok/Dress-Ls.txt"),
        "references": [list(row) for row in zip(*columns, strict=True)],
        "source": lines(f"{TURKCORPUS}.orig"),
    }
