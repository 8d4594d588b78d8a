"""Input sizes and repetitions of the comparisons."""

from __future__ import annotations

from dataclasses import dataclass

from corpora import Corpus


@dataclass(frozen=True)
class Sizes:
    """The sizes of the inputs.

    Args:
        lines: Lines of the test set with all references, one system after another.
        sentences: Sentences of about 25 words with one reference.
        lengths: Number of words and of documents for each length; 1 word means single lines.
        references: Numbers of references.
        rows: Numbers of pairs of lines.
        memory_rows: Pairs of lines scored when memory is measured.
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
    """Input and repetitions of the comparisons.

    Args:
        corpus: The lines from which inputs are created.
        sizes: Their sizes.
        repetitions: How often each side is timed.
    """

    corpus: Corpus
    sizes: Sizes
    repetitions: int
