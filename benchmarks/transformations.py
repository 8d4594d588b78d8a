"""Times the metric ``transformations``: over SARI's Python twin, by its parts, and as texts grow.

Run it with ``python benchmarks/transformations.py``. Ratios are of CPU times, as the median and the range over
alternating repetitions::

    SARI         `evaluate` of the metric over that of SARI with FW_KERNELS=python, for the same outputs
                 and references
    parts        the share of tokenization, alignment and labelling in the metric's time; the rest is scoring
    growth       the time per word to align one pair of long texts, over the time for pairs of about 25 words
    exhaustive   an aligner that tries every occurrence of a source word in the target, over the aligner itself,
                 which tries only the nearest ones; and the share of pairs that both find

The text is TurkCorpus below ``FW_SHARED``; if it is missing, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias
from unittest import mock

from corpora import Corpus, documents, first, sentences, stacked, texts
from timing import in_turns, ratios, spread

from metrics_framework import load
from metrics_framework.alignment import stems
from metrics_framework.alignment.stems import StemsAligner
from metrics_framework.kernels import dispatch
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer
from metrics_framework.text.word_labels import label_words

tokenize_13a = load_tokenizer("13a").tokenize

REPETITIONS = 7
LENGTHS = ((100, 40), (400, 10), (2000, 2))  # words, documents
Pairs: TypeAlias = "list[tuple[list[str], list[str]]]"


def pairs_of(corpus: Corpus) -> Pairs:
    """Returns the words of each source with those of the output and of the references, each pair once."""
    lines = {
        (source.lower(), text.lower()): None
        for summary, references, source in corpus.rows()
        for text in (summary, *references)
    }
    return [(tokenize_13a(source).split(), tokenize_13a(text).split()) for source, text in lines]


def against_sari(corpus: Corpus) -> dict[str, Callable[[], object]]:
    """Returns the two evaluations."""
    metric, sari = load("transformations"), load("sari")
    columns = (corpus.summaries, corpus.references_list, corpus.sources)

    def twin() -> object:
        with mock.patch.dict(os.environ, {dispatch.VARIABLE: "python"}):
            return sari.evaluate(*columns)

    return {"transformations": lambda: metric.evaluate(*columns), "sari": twin}


def parts(corpus: Corpus) -> dict[str, Callable[[], object]]:
    """Returns the whole of the metric, and its parts by themselves."""
    aligner = StemsAligner()
    pairs = pairs_of(corpus)
    aligned = [(*pair, aligner.align(*pair)) for pair in pairs]
    lines = {text for row in corpus.rows() for text in (row[0], *row[1], row[2])}
    return {
        "transformations": against_sari(corpus)["transformations"],
        "tokens": lambda: [tokenize_13a(text.lower()).split() for text in lines],
        "alignments": lambda: [aligner.align(*pair) for pair in pairs],
        "labels": lambda: [label_words(*one) for one in aligned],
    }


def aligning(pairs: Pairs) -> Callable[[], list[list[tuple[int, int]]]]:
    """Returns a task that aligns pairs."""
    aligner = StemsAligner()
    return lambda: [aligner.align(*pair) for pair in pairs]


@contextmanager
def all_occurrences() -> Iterator[None]:
    """Makes the aligner try all occurrences of a word."""
    with mock.patch.object(stems, "NEAREST", 10**9):
        yield


def exhaustively(task: Callable[[], list[list[tuple[int, int]]]]) -> Callable[[], list[list[tuple[int, int]]]]:
    """Returns the task with an aligner that tries all occurrences of a word."""

    def run() -> list[list[tuple[int, int]]]:
        with all_occurrences():
            return task()

    return run


def in_common(pairs: Pairs) -> str:
    """Returns the share of word pairs that both aligners find, of all pairs that either finds."""
    task = aligning(pairs)
    found, others = (
        {(number, *link) for number, links in enumerate(links_list) for link in links}
        for links_list in (task(), exhaustively(task)())
    )
    return f"{100 * len(found & others) / len(found | others):.2f} % of the pairs in common"


def show(title: str, tasks: dict[str, Callable[[], object]], unit: str, repetitions: int) -> None:
    """Prints what each task costs in units of one of them."""
    seconds = in_turns(tasks, repetitions)
    print(f"\n{title}")
    for name, values in seconds.items():
        if name != unit:
            print(f"  {name:16} {spread(ratios(values, seconds[unit]))}")


def show_growth(corpus: Corpus, lengths: tuple[tuple[int, int], ...], repetitions: int) -> None:
    """Prints the cost per word in longer texts, and the cost of a search of all occurrences."""
    inputs = {"25 words": pairs_of(sentences(corpus, 200))}
    for words, count in lengths:
        inputs[f"{words} words"] = pairs_of(documents(corpus, words, count))
    tasks = {name: aligning(pairs) for name, pairs in inputs.items()}
    seconds = in_turns(tasks, repetitions)
    of_word = {
        name: [value / sum(len(source) for source, _ in inputs[name]) for value in values]
        for name, values in seconds.items()
    }
    print("\nAligning, CPU time a word, over that of 25 words; then the exhaustive search over the aligner as it is")
    for name, task in tasks.items():
        turns = in_turns({"exhaustive": exhaustively(task), "stems": task}, repetitions)
        growth, search = ratios(of_word[name], of_word["25 words"]), ratios(turns["exhaustive"], turns["stems"])
        print(f"  {name:12} {spread(growth)!s:24} {spread(search)!s:24} {in_common(inputs[name])}")


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="a few lines only: shows that all runs")
    arguments = parser.parse_args()
    test_set, text = texts()
    corpus = stacked(test_set)
    outputs, lengths = (first(corpus, 20), LENGTHS[:1]) if arguments.quick else (corpus, LENGTHS)
    print(f"text: {text}\noutputs: {outputs}")
    show("transformations over SARI's Python twin", against_sari(outputs), "sari", arguments.repetitions)
    show("Parts of transformations", parts(outputs), "transformations", arguments.repetitions)
    show_growth(corpus, lengths, arguments.repetitions)


if __name__ == "__main__":
    main()
