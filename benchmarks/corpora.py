"""The texts of the benchmarks: parts of TurkCorpus or, if it is missing, generated text with the same statistics."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from turkcorpus import REFERENCES, SYSTEMS, TurkCorpus, turkcorpus

LINES = 359
SENTENCE = range(18, 36)  # words of a news sentence: 25 on average
PAIR = range(14, 31)  # words of two lines: 25 on average
Row: TypeAlias = tuple[str, list[str], str]


@dataclass(frozen=True)
class Corpus:
    """Outputs with their references and sources.

    Args:
        summaries: The outputs.
        references_list: The references of each.
        sources: The source of each.
        kind: Name for the kind of text.
    """

    summaries: list[str]
    references_list: list[list[str]]
    sources: list[str]
    kind: str

    def __len__(self) -> int:
        return len(self.summaries)

    def __str__(self) -> str:
        count = max(map(len, self.references_list))
        words = sum(len(references[0].split()) for references in self.references_list) / len(self)
        return f"{len(self):,} {self.kind} × {words:.0f} words × {count} reference{'' if count == 1 else 's'}"

    def rows(self) -> Iterator[Row]:
        """Returns each output with its references and source."""
        return zip(self.summaries, self.references_list, self.sources, strict=True)


def collected(rows: Iterable[Row], kind: str) -> Corpus:
    """Collects outputs with their references and sources in a corpus."""
    corpus = Corpus([], [], [], kind)
    for summary, references, source in rows:
        corpus.summaries.append(summary)
        corpus.references_list.append(references)
        corpus.sources.append(source)
    return corpus


def texts() -> tuple[TurkCorpus, str]:
    """Returns the texts and their description."""
    published = turkcorpus()
    if published is not None:
        return published, "TurkCorpus, detokenized"
    return generated(), "generated, because TurkCorpus is not in FW_SHARED"


def generated() -> TurkCorpus:
    """Generates as many sentences of the same length; simplifications change, drop and shift some words."""
    generator = random.Random(0)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(generator.choices(letters, k=generator.randint(2, 9))) for _ in range(2000)]
    words += ["the", "a", "of", "and", "in"] * 200

    def rewritten(source: list[str]) -> str:
        kept = [word for word in source if generator.random() > 0.05]
        changed = [generator.choice(words) if generator.random() < 0.1 else word for word in kept]
        if changed and generator.random() < 0.3:
            start, target = generator.randrange(len(changed)), generator.randrange(len(changed))
            block = changed[start : start + 3]
            del changed[start : start + 3]
            changed[target:target] = block
        return " ".join(changed) + "."

    sources = [generator.choices(words, k=generator.randint(8, 35)) for _ in range(LINES)]
    return TurkCorpus(
        [" ".join(source) + "." for source in sources],
        [[rewritten(source) for _ in range(REFERENCES)] for source in sources],
        {system: [rewritten(source) for source in sources] for system in SYSTEMS},
    )


def stacked(test_set: TurkCorpus) -> Corpus:
    """Concatenates the outputs of all systems."""
    systems = len(test_set.outputs)
    summaries = [text for outputs in test_set.outputs.values() for text in outputs]
    return Corpus(summaries, test_set.references_list * systems, test_set.sources * systems, "lines")


def first(corpus: Corpus, count: int) -> Corpus:
    """Keeps the first outputs."""
    return collected(islice(corpus.rows(), count), corpus.kind)


def with_references(corpus: Corpus, number: int) -> Corpus:
    """Keeps some references of each output."""
    return replace(corpus, references_list=[references[:number] for references in corpus.references_list])


def sentences(corpus: Corpus, count: int) -> Corpus:
    """Selects lines of about 25 words, each once per reference."""
    rows = (
        (summary, [references[column]], source)
        for column in range(REFERENCES)
        for summary, references, source in corpus.rows()
        if len(references[column].split()) in SENTENCE
    )
    return collected(islice(rows, count), "sentences")


def documents(corpus: Corpus, words: int, count: int) -> Corpus:
    """Joins consecutive lines to documents of at least ``words`` words; returns the first ``count``."""
    return collected((join(corpus, lines) for lines in islice(runs(corpus, words), count)), "documents")


def runs(corpus: Corpus, words: int) -> Iterator[list[int]]:
    """Groups consecutive lines until their first references have at least ``words`` words."""
    lines: list[int] = []
    found = 0
    for line, references in enumerate(corpus.references_list):
        lines.append(line)
        found += len(references[0].split())
        if found >= words:
            yield lines
            lines, found = [], 0


def join(corpus: Corpus, lines: Iterable[int]) -> Row:
    """Joins lines to one output with references and source."""
    lines = list(lines)
    columns = zip(*(corpus.references_list[line] for line in lines), strict=True)
    return (
        " ".join(corpus.summaries[line] for line in lines),
        [" ".join(column) for column in columns],
        " ".join(corpus.sources[line] for line in lines),
    )


def pairs(corpus: Corpus, count: int) -> Corpus:
    """Joins random pairs of short lines: any number of different segments of about 25 words."""
    generator = random.Random(0)
    lengths = [len(references[0].split()) for references in corpus.references_list]
    chosen: dict[tuple[int, int], None] = {}
    while len(chosen) < count:
        one, other = generator.randrange(len(lengths)), generator.randrange(len(lengths))
        if lengths[one] + lengths[other] in PAIR:
            chosen[one, other] = None
    return collected((join(corpus, pair) for pair in chosen), "pairs of lines")
