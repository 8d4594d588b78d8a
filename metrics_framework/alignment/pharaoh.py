"""The aligner ``pharaoh``: alignments that another program wrote into a file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from overrides import overrides

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.texts import shown
from metrics_framework.io.text_lines import read_parallel

SEPARATOR = "|||"
DIGITS_OF_HASH = 12
_ITEM = re.compile(r"([0-9]+)-([0-9]+)", re.ASCII)
_POSSIBLE = re.compile(r"[0-9]+p[0-9]+", re.ASCII)


def pair_line(source: Sequence[str], target: Sequence[str]) -> str:
    """Writes the words of two texts as programs that align words read them.

    >>> pair_line(["A", "cat", "."], ["Cats", "."])
    'A cat . ||| Cats .'
    """
    return " ".join((*source, SEPARATOR, *target))


@Aligner.register("pharaoh")
class PharaohAligner(Aligner):
    """Looks alignments up in a file in the Pharaoh format, as fast_align, eflomal, awesome-align and simalign write it.

    Line n of the file of alignments belongs to line n of the file of pairs. An alignment is found by the words of both
    texts, so neither the order of lines nor that of the texts to align matters; a pair may be there again with the
    same alignment. A text without words needs no line. Case and tokens must be those of the metric: ``fw write-pairs``
    writes them so.

    The signature has the first twelve digits of a SHA-256 of all pairs and their alignments, in whatever order they
    stand.

    Args:
        pairs: A file of lines ``source ||| target``, in words with blanks between them.
        alignments: A file of lines of items ``i-j``: word i of the source is aligned to word j of the target, both
            counted from 0. In front there may be the number of the line, counted from 0, and a tab, as the script
            of simalign writes them.

    Raises:
        DataError: if a file cannot be read, one has more lines than the other, an item is not of this form or names
            a word that is not there, or a pair has two different alignments.
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
                "'fw write-pairs PAIRS.txt --input-files …' and the --tokenizer and --lowercase of the metric, "
                "align them anew, and give both files",
                path=self.pairs,
            )
        return _pairs_of(self._links[line])

    @overrides
    def signature(self) -> str:
        return f"{super().signature()}.{self._hash}"


def _read(pairs: str, alignments: str) -> dict[str, str]:
    """Returns the alignment of each pair, as ``i-j`` in order with blanks between them."""
    found: dict[str, str] = {}
    first: dict[str, int] = {}
    problems = Problems()
    for number, (pair, links) in enumerate(read_parallel([pairs, alignments]), 1):
        try:
            source, target = _texts(pair, pairs, number)
            alignment = _checked(links, (len(source), len(target)), alignments, number)
        except DataError as problem:
            problems.add(problem)
            continue
        line = pair_line(source, target)
        if found.setdefault(line, alignment) != alignment:
            message = f"another alignment of the pair of line {first[line]}, {shown(line)}; keep one of the two"
            problems.add(DataError(message, path=alignments, line=number))
        first.setdefault(line, number)
    problems.raise_any()
    return found


def _texts(line: str, path: str, number: int) -> tuple[list[str], list[str]]:
    words = line.split()
    if words.count(SEPARATOR) != 1:
        message = f"must be 'source {SEPARATOR} target' with one {SEPARATOR} between blanks, got {shown(line)}"
        raise DataError(message, path=path, line=number)
    middle = words.index(SEPARATOR)
    return words[:middle], words[middle + 1 :]


def _checked(line: str, lengths: tuple[int, int], path: str, number: int) -> str:
    """Returns the items of an alignment in order, each once."""
    links = set()
    for item in _without_number(line, path, number).split():
        match = _ITEM.fullmatch(item)
        if match is None:
            advice = "; a possible link of a gold standard is no alignment: write i-j or drop it"
            raise DataError(
                f"an item must have the form i-j, as in 0-1, got '{item}'{advice if _POSSIBLE.fullmatch(item) else ''}",
                path=path,
                line=number,
            )
        link = (int(match[1]), int(match[2]))
        if link[0] >= lengths[0] or link[1] >= lengths[1]:
            raise DataError(
                f"'{item}' names a word that is not there: the pair has {lengths[0]} and {lengths[1]} words, "
                "counted from 0",
                path=path,
                line=number,
            )
        links.add(link)
    return " ".join(f"{one}-{other}" for one, other in sorted(links))


def _without_number(line: str, path: str, number: int) -> str:
    """Takes away the number of a line that stands before a tab."""
    first, tab, items = line.partition("\t")
    if not tab or not first.isdecimal():
        return line
    if int(first) != number - 1:
        raise DataError(f"begins with the number {first}, but counted from 0 it is line {number - 1}", path, number)
    return items


def _pairs_of(alignment: str) -> list[tuple[int, int]]:
    items = (item.partition("-") for item in alignment.split())
    return [(int(one), int(other)) for one, _, other in items]


def _hash_of(links: dict[str, str]) -> str:
    lines: Iterable[str] = (f"{pair}\n{alignment}\n" for pair, alignment in sorted(links.items()))
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8"))
    return digest.hexdigest()[:DIGITS_OF_HASH]
