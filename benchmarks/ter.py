"""Times TER: sacreBLEU, the Python twin and the native kernel, from the same strings and in turns.

Run it with ``python benchmarks/ter.py``. Every comparison first checks that all scores, edits and lengths are equal, of
each output and of all together, and prints how many times as long sacreBLEU takes, as the median and the range over
repetitions in turns::

    twin     `Ter().evaluate` with FW_KERNELS=python: the score of each output and of all
    native   the same with FW_KERNELS=native
    counts   only the native kernel: from lists of strings to the edits and lengths of each output

The text is TurkCorpus below ``FW_SHARED``; where that is absent, text of the same shape is generated. Segments of 50
words and more are made of lines that follow each other.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sacrebleu.metrics import TER
from turkcorpus import REFERENCES, SYSTEMS, turkcorpus

from metrics_framework.kernels import dispatch
from metrics_framework.metrics.ter import Ter
from metrics_framework.text.tercom import tercom_words

REPETITIONS = 5
ROWS = 359  # of each system
SENTENCE = range(18, 36)  # words of what counts as a sentence of news: 25 on average


class Corpus(NamedTuple):
    """Outputs with their references."""

    summaries: list[str]
    references_list: list[list[str]]


def published() -> Corpus | None:
    """Reads TurkCorpus, the outputs of each system behind those of another; `None` where it is absent."""
    corpus = turkcorpus()
    if corpus is None:
        return None
    summaries = [text for outputs in corpus.outputs.values() for text in outputs]
    return Corpus(summaries, corpus.references_list * len(corpus.outputs))


def generated() -> Corpus:
    """Makes sentences of the same length, whose rewritings change, drop and move some words."""
    generator = random.Random(0)
    words = [f"w{index}" for index in range(2000)] + ["the", "a", "of", ",", "and"] * 200

    def rewritten(source: list[str]) -> str:
        kept = [word for word in source if generator.random() > 0.05]
        changed = [generator.choice(words) if generator.random() < 0.1 else word for word in kept]
        if generator.random() < 0.3:
            start, target = generator.randrange(len(changed)), generator.randrange(len(changed))
            block = changed[start : start + 3]
            del changed[start : start + 3]
            changed[target:target] = block
        return " ".join(changed) + " ."

    sources = [generator.choices(words, k=generator.randint(8, 35)) for _ in range(len(SYSTEMS) * ROWS)]
    return Corpus(
        [rewritten(source) for source in sources],
        [[rewritten(source) for _ in range(REFERENCES)] for source in sources],
    )


def sentences(corpus: Corpus, count: int) -> Corpus:
    """Makes segments with one reference of about 25 words."""
    pairs = [
        (summary, [reference])
        for column in range(REFERENCES)
        for summary, reference in zip(corpus.summaries, (row[column] for row in corpus.references_list), strict=True)
        if len(reference.split()) in SENTENCE
    ]
    return Corpus(*map(list, zip(*pairs[:count], strict=True)))


def joined(corpus: Corpus, words: int, count: int) -> Corpus:
    """Joins lines to the first ``count`` segments of at least so many words, with one reference each."""
    long = Corpus([], [])
    summary: list[str] = []
    reference: list[str] = []
    for text, references in zip(*corpus, strict=True):
        summary.append(text)
        reference.append(references[0])
        if len(" ".join(reference).split()) >= words:
            long.summaries.append(" ".join(summary))
            long.references_list.append([" ".join(reference)])
            summary, reference = [], []
    return Corpus(long.summaries[:count], long.references_list[:count])


def evaluated(corpus: Corpus, kernels: str) -> tuple[Any, list[Any]]:
    """Scores with this package; texts are cut into words anew."""
    os.environ[dispatch.VARIABLE] = kernels
    tercom_words.cache_clear()
    macro, micro = Ter().evaluate(*corpus)
    return tuple(macro.values()), [tuple(scores.values()) for scores in micro]


def by_twin(corpus: Corpus) -> tuple[Any, list[Any]]:
    """Scores with the Python twin."""
    return evaluated(corpus, "python")


def by_native(corpus: Corpus) -> tuple[Any, list[Any]]:
    """Scores with the native kernel."""
    return evaluated(corpus, "native")


def counts_only(corpus: Corpus) -> list[tuple[int, float]]:
    """Counts with the native kernel; returns the edits and the mean length of the references, of each output."""
    os.environ[dispatch.VARIABLE] = "native"
    groups = dispatch.ter_text_statistics(
        [[text] for text in corpus.summaries], corpus.references_list, False, False, tercom_words
    )
    return [(edits, length / number) for ((edits, length, number),) in groups]


def by_sacrebleu(corpus: Corpus) -> tuple[Any, list[Any]]:
    """Scores with sacreBLEU; a new instance has an empty cache."""
    metric = TER()
    counts = metric._extract_corpus_statistics(corpus.summaries, list(zip(*corpus.references_list, strict=True)))
    scores = [metric._aggregate_and_compute(part) for part in (counts, *([one] for one in counts))]
    first, *rest = [(score.score, score.num_edits, score.ref_length) for score in scores]
    return first, rest


def cpu_time(function: Callable[[Corpus], object], corpus: Corpus, repetitions: int = 1) -> float:
    """Runs a function some times and returns the mean of its CPU time."""
    start = time.process_time()
    for _ in range(repetitions):
        function(corpus)
    return (time.process_time() - start) / repetitions


def check(title: str, corpus: Corpus) -> None:
    """Checks that all give the same scores."""
    expected = by_sacrebleu(corpus)
    counts = [(edits, length) for _, edits, length in expected[1]]
    if by_native(corpus) != expected or by_twin(corpus) != expected or counts_only(corpus) != counts:
        raise SystemExit(f"{title}: the scores differ")


CONTENDERS = {"twin": (by_twin, 1), "native": (by_native, 20), "counts": (counts_only, 20)}  # and how often at a time


def compare(title: str, corpus: Corpus, repetitions: int) -> None:
    """Checks that all give the same scores; prints how many times as long sacreBLEU takes."""
    check(title, corpus)
    ratios: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(repetitions):
        published_time = cpu_time(by_sacrebleu, corpus)
        for name, (function, times) in CONTENDERS.items():
            ratios[name].append(published_time / cpu_time(function, corpus, times))
    words = statistics.mean(len(text.split()) for references in corpus.references_list for text in references)
    shown = "   ".join(
        f"{name} × {statistics.median(found):,.0f} ({min(found):,.0f} to {max(found):,.0f})"
        for name, found in ratios.items()
    )
    print(f"  {title:13} {len(corpus.summaries):5,} × {words:3.0f} words   {shown}", flush=True)


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    if dispatch.native_module is None:
        raise SystemExit("the native kernels are not built")
    corpus = published()
    print("text: TurkCorpus, de-tokenized" if corpus else "text: generated")
    corpus = corpus or generated()
    print("scores equal in every comparison; CPU time of sacreBLEU over that of this package, one core:")
    compare("8 references", Corpus(*(column[:ROWS] for column in corpus)), repetitions)
    compare("1 reference", sentences(corpus, 1500), repetitions)
    for words, count in ((50, 40), (100, 12), (200, 6), (400, 3)):
        compare("1 reference", joined(corpus, words, count), repetitions)


if __name__ == "__main__":
    main()
