"""Times BLEU and chrF: sacreBLEU and this package, on the same texts and in turns.

Run it with ``python benchmarks/bleu.py``. Every comparison first checks that the scores of each output and of all
together are equal, and prints how many times as long sacreBLEU takes, as the median and the range over repetitions in
turns, in one process. The text is TurkCorpus below ``FW_SHARED``; where that is absent, text of the same shape is
generated. Segments of about 200 words are made of lines that follow each other.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sacrebleu.metrics import BLEU, CHRF
from turkcorpus import REFERENCES, SYSTEMS, turkcorpus

from metrics_framework.metrics.metric import load

REPETITIONS = 7
ROWS = 359
Scores = tuple[float, list[float]]


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
    """Makes sentences of the same length, whose rewritings change and drop some words."""
    generator = random.Random(0)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(generator.choices(letters, k=generator.randint(2, 9))) for _ in range(2000)]
    words += ["the", "a", "of", "and", "in"] * 200

    def rewritten(source: list[str]) -> str:
        kept = [word for word in source if generator.random() > 0.05]
        return " ".join(generator.choice(words) if generator.random() < 0.1 else word for word in kept) + "."

    sources = [generator.choices(words, k=generator.randint(8, 35)) for _ in range(len(SYSTEMS) * ROWS)]
    return Corpus(
        [rewritten(source) for source in sources],
        [[rewritten(source) for _ in range(REFERENCES)] for source in sources],
    )


def with_references(corpus: Corpus, number: int) -> Corpus:
    """Keeps some references of each output."""
    return Corpus(corpus.summaries, [references[:number] for references in corpus.references_list])


def joined(corpus: Corpus, words: int) -> Corpus:
    """Joins lines to segments of at least so many words, with one reference each."""
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
    return long


def by_this_package(name: str, options: dict[str, Any], corpus: Corpus) -> Scores:
    """Returns the score of all outputs and of each."""
    macro, micro = load(name, **options).evaluate(*corpus)
    return macro[name], [scores[name] for scores in micro]


def by_sacrebleu(name: str, options: dict[str, Any], corpus: Corpus) -> Scores:
    """Returns the same; a new instance has an empty cache."""
    metric: Any = BLEU(force=True, **options) if name == "bleu" else CHRF(**options)
    counts = metric._extract_corpus_statistics(corpus.summaries, list(zip(*corpus.references_list, strict=True)))
    score, *scores = (metric._aggregate_and_compute(part).score for part in (counts, *([one] for one in counts)))
    return score, scores


def cpu_time(function: Callable[..., Scores], *arguments: Any) -> float:
    """Runs a function and returns its CPU time."""
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def compare(name: str, options: dict[str, Any], title: str, corpus: Corpus, repetitions: int) -> None:
    """Checks that both give the same scores; prints how many times as long sacreBLEU takes."""
    label = f"{name} {' '.join(f'{key}={value}' for key, value in options.items())}"
    if by_this_package(name, options, corpus) != by_sacrebleu(name, options, corpus):
        raise SystemExit(f"{label}, {title}: the scores differ")
    ratios = []
    for _ in range(repetitions):
        ours = cpu_time(by_this_package, name, options, corpus)
        ratios.append(cpu_time(by_sacrebleu, name, options, corpus) / ours)
    words = statistics.mean(len(text.split()) for text in corpus.summaries)
    print(
        f"  {label:20} {title:13} {len(corpus.summaries):4} × {words:3.0f} words   "
        f"× {statistics.median(ratios):4.2f}  ({min(ratios):.2f} to {max(ratios):.2f})"
    )


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    corpus = published()
    print("text: TurkCorpus, de-tokenized" if corpus else "text: generated")
    corpus = corpus or generated()
    print("scores equal in every comparison; CPU time of sacreBLEU over that of this package, one core:")
    metrics: list[tuple[str, dict[str, Any]]] = [("bleu", {}), ("chrf", {}), ("chrf", {"word_order": 2})]
    for name, options in metrics:
        compare(name, options, "1 reference", with_references(corpus, 1), repetitions)
        compare(name, options, "8 references", corpus, repetitions)
        compare(name, options, "joined lines", joined(corpus, 200), repetitions)


if __name__ == "__main__":
    main()
