"""Times two threads in one process: ``python benchmarks/threads.py``.

Each thread evaluates half of the texts of TurkCorpus with one metric, as a server does that answers two requests; the
same two calls one after the other are the baseline. Prints the elapsed time of the baseline over that of the threads:
× 2 if both cores are always in use. Scores are compared first. The kernels release the lock of the interpreter; copying
texts to them and making dictionaries of scores need it.
"""

from __future__ import annotations

import argparse
import os
import sysconfig
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from corpora import Corpus, first, sentences, stacked, texts
from timing import in_turns, ratios, spread

from metrics_framework.metrics.base.metric import load

METRICS = ("sari", "ter", "bleu", "chrf", "google-rouge", "cer")
REPETITIONS = 11
CALLS = 10  # of each thread


def fields_of(corpus: Corpus, metric: Any) -> list[Any]:
    """Returns the arguments of a metric."""
    fields = [corpus.summaries, corpus.references_list]
    return [*fields, corpus.sources] if "source" in metric.fields else fields


def tasks(name: str, corpus: Corpus) -> dict[str, Callable[[], object]]:
    """Returns both ways to evaluate a corpus twice, as often as `CALLS` says."""
    metric = load(name)
    fields = fields_of(corpus, metric)

    def evaluate() -> Any:
        return [metric.evaluate(*fields) for _ in range(CALLS)][-1]

    def in_threads() -> list[Any]:
        with ThreadPoolExecutor(2) as pool:
            return [done.result() for done in [pool.submit(evaluate), pool.submit(evaluate)]]

    if in_threads() != [evaluate(), evaluate()]:
        raise SystemExit(f"{name}: scores of threads differ")
    return {"threads": in_threads, "one after the other": lambda: [evaluate(), evaluate()]}


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--outputs", type=int, default=1436, help="the number of outputs of a call (%(default)s)")
    arguments = parser.parse_args()
    test_set, text = texts()
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    print(f"text: {text}; cores: {os.cpu_count()}; free-threaded Python: {'yes' if free else 'no'}")
    all_texts = stacked(test_set)
    for corpus in (first(all_texts, arguments.outputs), sentences(all_texts, arguments.outputs)):
        print(f"\n{corpus}")
        for name in METRICS:
            seconds = in_turns(tasks(name, corpus), arguments.repetitions, time.perf_counter)
            print(f"  {name:14} × {spread(ratios(seconds['one after the other'], seconds['threads']))}")


if __name__ == "__main__":
    main()
