"""The aligner ``pharaoh``: word alignments from the output file of another program."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import shown
from metrics_framework.io.reading import read_parallel

SEPARATOR = "|||"
DIGITS_OF_HASH = 12
_ITEM = re.compile(r"([0-9]+)-([0-9]+)", re.ASCII)
_POSSIBLE = re.compile(r"[0-9]+p[0-9]+", re.ASCII)


def pair_line(source: Sequence[str], target: Sequence[str]) -> str:
    """Returns a line for the input file of a word aligner.

    >>> pair_line(["A", "cat", "."], ["Cats", "."])
    'A cat . ||| Cats .'
    """
    return " ".join((*source, SEPARATOR, *target))


@Aligner.register("pharaoh")
class PharaohAligner(Aligner):
    """Reads alignments in the Pharaoh format, the output of fast_align, eflomal, awesome-align and simalign.

    Line n of the alignment file belongs to line n of the file of pairs. Alignments are looked up by the words of both
    texts, so the order of the lines does not matter, and a pair may occur several times with the same alignment. A text
    without words needs no line. Tokens and case must be those of the metric; ``fw write pairs`` writes such a file.

    The signature contains the first twelve digits of a SHA-256 of all pairs and their alignments, sorted.

    Args:
        pairs: A file of lines ``source ||| target``, with spaces between the words.
        alignments: A file of lines of items ``i-j``: word i of the source is aligned to word j of the target, both
            counted from 0. A line may start with its number, counted from 0, and a tab, as in the output of the script
            of simalign.

    Raises:
        DataError: if a file cannot be read, the files have different numbers of lines, an item is malformed or an
            index out of range, or a pair has two different alignments.
    """

    def __init__(self, pairs: str, alignments: str) -> None:
        self.pairs = pairs
        self.alignments = alignments
        self._links = _read(pairs, alignments)
        self._hash = _hash_of(self._links)

    @overrides
    def align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        if not source or not target:
            return []
        line = pair_line(source, target)
        if line not in self._links:
            raise DataError(
                f"has no line {shown(line, 200).removeprefix('the string ')}; write all pairs with "
                "'fw write pairs PAIRS.txt --input-files …' and the --tokenizer and --lowercase of the metric, "
                "align them again, and pass both files",
                path=self.pairs,
            )
        items = (item.partition("-") for item in self._links[line].split())
        return [(int(left), int(right)) for left, _, right in items]

    @overrides
    def signature(self) -> str:
        return f"{super().signature()}.{self._hash}"


def _read(pairs: str, alignments: str) -> dict[str, str]:
    """Returns the alignment of each pair: sorted items ``i-j`` with spaces between them."""
    alignment_of: dict[str, str] = {}
    first: dict[str, int] = {}
    problems = Problems()
    for number, (pair, links) in enumerate(read_parallel([pairs, alignments]), 1):
        with problems.at(alignments, number):
            source, target = _texts(pair, pairs, number)
            alignment = _checked(links, (len(source), len(target)), number)
            line = pair_line(source, target)
            before = first.setdefault(line, number)
            if alignment_of.setdefault(line, alignment) != alignment:
                raise DataError(f"line {before} has a different alignment of the same pair ({shown(line)}); remove one")
    problems.raise_any()
    return alignment_of


def _texts(line: str, path: str, number: int) -> tuple[list[str], list[str]]:
    words = line.split()
    if words.count(SEPARATOR) != 1:
        message = f"must be 'source {SEPARATOR} target' with one {SEPARATOR} between spaces, got {shown(line)}"
        raise DataError(message, path=path, line=number)
    middle = words.index(SEPARATOR)
    return words[:middle], words[middle + 1 :]


def _checked(line: str, lengths: tuple[int, int], number: int) -> str:
    """Returns the items of an alignment, sorted and without duplicates; its number and a tab may start a line."""
    first, tab, items = line.partition("\t")
    if not tab or not first.isdecimal():
        items = line
    elif int(first) != number - 1:
        raise DataError(f"starts with line number {first}, expected {number - 1} (counted from 0)")
    links = set()
    for item in items.split():
        match = _ITEM.fullmatch(item)
        if match is None:
            advice = "; possible links of gold standards are not supported: write i-j or remove the item"
            more = advice if _POSSIBLE.fullmatch(item) else ""
            raise DataError(f"an item must have the form i-j, as in 0-1, got '{item}'{more}")
        link = (int(match[1]), int(match[2]))
        if link[0] >= lengths[0] or link[1] >= lengths[1]:
            raise DataError(
                f"index out of range in '{item}': the pair has {lengths[0]} and {lengths[1]} words, counted from 0"
            )
        links.add(link)
    return " ".join(f"{left}-{right}" for left, right in sorted(links))


def _hash_of(links: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for pair, alignment in sorted(links.items()):
        digest.update(f"{pair}\n{alignment}\n".encode())
    return digest.hexdigest()[:DIGITS_OF_HASH]
