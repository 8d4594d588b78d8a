"""Times the variants and tokenizers of SARI against each other, on the outputs of four systems.

Run it with ``python benchmarks/sari.py``. It first checks that every variant gives the same scores in groups as one by
one, then prints what each costs as a multiple of what ``easse`` costs, as the median and the range over repetitions in
turns. The text is TurkCorpus below ``FW_SHARED``; where that is absent, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from turkcorpus import REFERENCES, SYSTEMS, turkcorpus

from metrics_framework.metrics.sari import FORMS, Sari
from metrics_framework.text.tokenizers import TOKENIZERS, get_tokenizer

SENTENCES, REPETITIONS = 359, 7


class Corpus(NamedTuple):
    """Groups of outputs: one group a sentence, one output a system."""

    summaries_list: list[list[str]]
    references_list: list[list[str]]
    sources: list[str]


def published() -> Corpus | None:
    """Reads TurkCorpus; `None` where it is absent."""
    corpus = turkcorpus()
    if corpus is None:
        return None
    by_sentence = [list(row) for row in zip(*corpus.outputs.values(), strict=True)]
    return Corpus(by_sentence, corpus.references_list, corpus.sources)


def generated() -> Corpus:
    """Makes sentences of the same number and length, whose rewritings change and drop some words."""
    generator = random.Random(0)
    words = [f"w{index}" for index in range(2000)]

    def rewritten(source: list[str]) -> str:
        kept = [word for word in source if generator.random() > 0.1]
        return " ".join(generator.choice(words) if generator.random() < 0.1 else word for word in kept) + "."

    sources = [generator.choices(words, k=generator.randint(8, 35)) for _ in range(SENTENCES)]
    return Corpus(
        [[rewritten(source) for _ in SYSTEMS] for source in sources],
        [[rewritten(source) for _ in range(REFERENCES)] for source in sources],
        [" ".join(source) + "." for source in sources],
    )


def check(metric: Sari, corpus: Corpus) -> None:
    """Ends the program when groups do not give what outputs give one by one."""
    for summaries, references, source in list(zip(*corpus, strict=True))[:20]:
        alone = [metric.score(summary, references, source) for summary in summaries]
        if metric.score_multi(summaries, references, source) != alone:
            raise SystemExit(f"{metric.signature()}: groups and single outputs differ")


def cpu_time(function: Callable[[], object]) -> float:
    """Runs a function and returns its CPU time."""
    start = time.process_time()
    function()
    return time.process_time() - start


def show(title: str, tasks: Mapping[str, Callable[[], object]], unit: str, repetitions: int) -> None:
    """Prints what each task costs in units of one of them."""
    for task in tasks.values():
        task()
    ratios: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repetitions):
        times = {name: cpu_time(task) for name, task in tasks.items()}
        for name, seconds in times.items():
            ratios[name].append(seconds / times[unit])
    print(f"\n{title}")
    for name, values in ratios.items():
        print(f"  {name:14} {statistics.median(values):6.2f}  ({min(values):.2f} to {max(values):.2f})")


def tokenizing(name: str, texts: list[str]) -> Callable[[], object]:
    """Returns a task that tokenizes all texts."""
    tokenizer = get_tokenizer(name)
    return lambda: [tokenizer(text) for text in texts]


def scoring(metric: Sari, corpus: Corpus) -> Callable[[], object]:
    """Returns a task that scores all outputs."""
    return lambda: metric.score_multi_all(*corpus)


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    corpus = published()
    print("text: TurkCorpus, de-tokenized" if corpus else "text: generated")
    corpus = corpus or generated()
    variants = {name: Sari(variant=name) for name in FORMS}  # type: ignore[arg-type]
    for metric in variants.values():
        check(metric, corpus)
    alone = Corpus([group[:1] for group in corpus.summaries_list], corpus.references_list, corpus.sources)
    tasks = {name: scoring(metric, corpus) for name, metric in variants.items()}
    tasks["easse, alone"] = scoring(variants["easse"], alone)
    show(
        f"Scoring {len(SYSTEMS)} systems together, in units of easse; 'alone' is one of them",
        tasks,
        "easse",
        repetitions,
    )
    texts = [text for group in corpus.references_list for text in group]
    names = [name for name in TOKENIZERS if name != "moses"]
    show("Tokenizing, in units of 13a", {name: tokenizing(name, texts) for name in names}, "13a", repetitions)


if __name__ == "__main__":
    main()
