"""How much the comparisons measure."""

from __future__ import annotations

from dataclasses import dataclass

from corpora import Corpus


@dataclass(frozen=True)
class Sizes:
    """The sizes of the inputs.

    Args:
        lines: Lines of the test set with all references, the systems behind each other.
        sentences: Sentences of about 25 words with one reference.
        lengths: Words and number of the documents whose length grows; one word means the lines as they are.
        references: Numbers of references.
        rows: Numbers of pairs of lines.
        memory_rows: Pairs of lines whose scoring is measured in memory.
        score_rows: Rows that ``fw score`` reads.
    """

    lines: int = 1436
    sentences: int = 1500
    lengths: tuple[tuple[int, int], ...] = ((1, 200), (50, 40), (100, 20), (200, 10), (400, 5))
    references: tuple[int, ...] = (1, 2, 4, 8)
    rows: tuple[int, ...] = (1_000, 10_000, 100_000)
    memory_rows: int = 10_000
    score_rows: int = 20_000


QUICK = Sizes(16, 30, ((1, 10), (50, 2)), (1, 8), (20, 60), 100, 40)


@dataclass(frozen=True)
class Settings:
    """What the comparisons get.

    Args:
        corpus: The lines to make the inputs of.
        sizes: How large they are.
        repetitions: How often each side has its turn.
    """

    corpus: Corpus
    sizes: Sizes
    repetitions: int
