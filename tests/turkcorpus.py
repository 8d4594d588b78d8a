"""TurkCorpus, with the outputs of four systems, as the published data have it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
