"""Reads the TurkCorpus test set from the folder ``FW_SHARED``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

SHARED = Path(os.environ.get("FW_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))
SYSTEMS = ("SBMT-SARI", "PBMT-R", "Dress-Ls", "Hybrid")
REFERENCES = 8


class TurkCorpus(NamedTuple):
    """The detokenized sentences, line by line."""

    sources: list[str]
    references_list: list[list[str]]
    outputs: dict[str, list[str]]


def turkcorpus() -> TurkCorpus | None:
    """Reads sources, the references of each, and the outputs of four systems; `None` if they are missing."""
    folder = SHARED / "data" / "turkcorpus"
    if not folder.exists():
        return None

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    columns = [lines(f"detok/test.truecase.detok.simp.{index}") for index in range(REFERENCES)]
    return TurkCorpus(
        lines("detok/test.truecase.detok.orig"),
        [list(row) for row in zip(*columns, strict=True)],
        {system: lines(f"outputs/detok/{system}.txt") for system in SYSTEMS},
    )
