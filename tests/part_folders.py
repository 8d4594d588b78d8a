"""The input of runs over parts, and what an output folder has after them."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WORDS = ["the", "cat", "sat", "on", "a", "red", "mat,", "under", "«its»", "old", "tree;", "it's", "late."]


def texts_of(number: int, count: int) -> list[str]:
    words = random.Random(number)
    return [" ".join(words.choices(WORDS, k=words.randrange(1, 11))) for _ in range(count)]


def rows(inputs: int = 60) -> list[dict[str, Any]]:
    """Returns the outputs of two peers and a reference, with three references and a source."""
    made = []
    for system, kind in (("b", "peer"), ("a", "peer"), ("Ünal", "reference")):
        for number in range(inputs):
            output, *references, source = texts_of(number + len(made), 5)
            named = {"instance_id": str(number), "summarizer_id": system, "summarizer_type": kind}
            made.append({**named, "summary": output, "references": references, "source": source})
    return made


def write(path: str, lines: list[dict[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def write_input(kind: str) -> str:
    """Writes the rows and returns the name of the file."""
    if kind == "jsonl":
        write("in.jsonl", rows())
        return "in.jsonl"
    pyarrow = pytest.importorskip("pyarrow", reason="reads Parquet")
    parquet = pytest.importorskip("pyarrow.parquet", reason="reads Parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows()), "in.parquet", row_group_size=17)
    return "in.parquet"


def assert_no_strays(folder: str) -> None:
    """Checks that a folder has the plan, and three files of each part."""
    plan = json.loads(Path(folder, "plan.json").read_bytes())
    parts = range(1, len(plan["parts"]) + 1)
    names = {f"part-{number:05d}{end}" for number in parts for end in (".jsonl", ".results", ".done.json")}
    assert set(os.listdir(folder)) - {"macro.json"} == {"plan.json", *names}


def refusal(fw: Callable[..., Any], *words: str) -> str:
    """Returns the message of a command that is refused as a usage error."""
    done = fw(*words)
    assert (done.code, done.out) == (2, "")
    return str(done.err)
