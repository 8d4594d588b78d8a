"""Published data: TurkCorpus with the outputs of four systems, and the outputs and scores of Simplicity-DA."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

SYSTEMS = ["SBMT-SARI", "PBMT-R", "Dress-Ls", "Hybrid"]
FORMS = {  # form: the start of its files, the sources, the references
    "detok": ("test.truecase.detok", "orig", "simp"),
    "tokenized": ("test.8turkers.tok", "norm", "turk"),
}


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def turkcorpus(
    shared_path: Callable[[str], Path], form: str, system: str
) -> tuple[list[str], list[list[str]], list[str]]:
    """Returns the outputs of a system, their eight references and their sources; skips the test without the data."""
    folder = shared_path(f"data/turkcorpus/{form}")
    name, source, reference = FORMS[form]
    columns = [lines(folder / f"{name}.{reference}.{index}") for index in range(8)]
    outputs = lines(shared_path(f"data/turkcorpus/outputs/{form}/{system}.txt"))
    return outputs, [list(row) for row in zip(*columns, strict=True)], lines(folder / f"{name}.{source}")


def simplicity_da(
    shared_path: Callable[[str], Path], name: str
) -> tuple[list[str], list[list[str]], list[str], list[float]]:
    """Returns the 600 outputs of Simplicity-DA, the references of ASSET, the sources, and published scores."""
    pytest.importorskip("sacremoses")
    folder = shared_path("data/simplicity_da")
    with (folder / "published_metrics_asset.csv").open(encoding="utf-8", newline="") as file:
        published = {(row["sent_id"], row["sys_name"]): float(row[name]) for row in csv.DictReader(file)}
    with (folder / "simplicity_DA.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    asset = shared_path("data/asset")
    columns = [lines(asset / f"asset.test.simp.{number}") for number in range(10)]
    references = [list(row) for row in zip(*columns, strict=True)]
    assert len(rows) == 600
    return (
        [row["simp_sent"] for row in rows],
        [references[int(row["sent_id"]) - 1] for row in rows],
        [row["orig_sent"] for row in rows],
        [published[row["sent_id"], row["sys_name"]] for row in rows],
    )
