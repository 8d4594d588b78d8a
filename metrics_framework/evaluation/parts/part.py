"""Parts of a run: pieces of its input files, or outputs that the main process has read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.io.pieces import Piece


@dataclass(slots=True)
class Part:
    """A part of the input of a run.

    Args:
        number: The number of the part, counted from 0.
        pieces: The pieces of files to read, in order.
        instances: Outputs that the main process has read, instead of pieces.
    """

    number: int
    pieces: list[Piece] = field(default_factory=list)
    instances: list[EvalInstance] | None = None


def plan(reader: DatasetReader, input_files: Sequence[str], size: int) -> list[Part] | None:
    """Splits the input into parts, in its order; small files share a part.

    Args:
        reader: Reads the files.
        input_files: The files.
        size: The greatest number of bytes of a part, if its files can be split.

    Returns:
        The parts; `None` if the reader needs all files together.
    """
    pieces = reader.pieces(input_files, size)
    return None if pieces is None else [Part(number, group) for number, group in enumerate(_groups(pieces, size))]


def _groups(pieces: Iterable[Piece], size: int) -> list[list[Piece]]:
    groups: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        length = piece.size
        if length is None or length > room or not groups:
            groups.append([])
            room = size
        groups[-1].append(piece)
        room -= size if length is None else length
    return groups
