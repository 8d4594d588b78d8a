"""ROUGE with stemming in the first call of a process, when no word is known: ``python benchmarks/first_call.py``.

``google-rouge`` keeps stems between calls (decision 0015), so `peers.py`, which repeats its calls, measures texts whose
words are known. Here each process scores once with ours and once with rouge-score-rs, in either order. Prints how many
times as long rouge-score-rs takes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

from contenders import our_rouge, rouge_score_rs
from corpora import Corpus, documents, first, sentences, stacked, texts
from timing import ratios, spread

SHAPES = ("sentences of 24 words", "documents of 71 words", "documents of 211 words")


def corpus_of(shape: str) -> Corpus:
    """Returns texts as `peers.py` has them."""
    test_set = stacked(texts()[0])
    if shape == SHAPES[0]:
        return sentences(test_set, 1500)
    return documents(test_set, 60, 250) if shape == SHAPES[1] else documents(test_set, 200, 75)


def first_calls(shape: str, ours_first: bool) -> tuple[float, float]:
    """Returns the CPU times of the first calls; needs a new process.

    Raises:
        SystemExit: if scores differ.
    """
    corpus = corpus_of(shape)
    seconds, found = {}, []
    contenders = {"ours": our_rouge(True), "peer": rouge_score_rs(True)}
    for name in sorted(contenders, reverse=not ours_first):
        contenders[name].prepare(first(corpus, 1))()  # imports what it needs
        task = contenders[name].prepare(corpus)
        start = time.process_time()
        found.append(task())
        seconds[name] = time.process_time() - start
    if found[0] != found[1]:
        raise SystemExit(f"{shape}: the scores differ")
    return seconds["ours"], seconds["peer"]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=10, help="the number of processes (%(default)s)")
    given = parser.parse_args()
    for shape in SHAPES:
        seconds = []
        for repetition in range(given.repetitions):
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                seconds.append(process.submit(first_calls, shape, repetition % 2 == 0).result())
        ours, peer = map(list, zip(*seconds, strict=True))
        print(f"{shape:24} rouge-score-rs takes × {spread(ratios(peer, ours))} in the first call")


if __name__ == "__main__":
    main()
