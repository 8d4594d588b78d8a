"""Times n-gram graphs: the native kernel over its Python twin, with and without jackknifing, and their memory.

Run it with ``python benchmarks/ngram_graphs.py``. It first checks that both give equal scores. Ratios are of CPU times,
as the median and the range over alternating repetitions; memory is the growth of peak resident memory in a new process.
A group has four outputs and four references. The text is TurkCorpus below ``FW_SHARED``; if it is missing, text of the
same shape is generated.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

from corpora import Corpus, documents, first, texts, with_references
from memory import peak
from timing import in_turns, ratios, spread
from turkcorpus import TurkCorpus

from metrics_framework import load
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Request

REPETITIONS = 3
REFERENCES = 4
SIZES = ((1, 40), (100, 10), (400, 3), (1600, 1))  # words of a text, groups
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "orders 1 to 4, window 5": {"min_n": 1, "max_n": 4, "window": 5},
}
REQUESTS = {"scores": Request.SCORES, "scores, jackknifed": Request.SCORES | Request.JACKKNIFED}


class Groups(NamedTuple):
    """Outputs of all systems, with the references that they share."""

    summaries_list: list[list[str]]
    references_list: list[list[str]]


def groups_of(test_set: TurkCorpus, words: int, count: int) -> Groups:
    """Joins lines to texts of at least as many words; repeats them if there are too few."""
    columns = []
    for outputs in test_set.outputs.values():
        rows = with_references(Corpus(outputs, test_set.references_list, test_set.sources, "lines"), REFERENCES)
        columns.append(first(documents(rows, words, count), count))
    groups = Groups(
        [list(row) for row in zip(*(column.summaries for column in columns), strict=True)], columns[0].references_list
    )
    repeated = -(-count // len(groups.summaries_list))
    return Groups(*((part * repeated)[:count] for part in groups))


def task(name: str, options: dict[str, Any], request: int, groups: Groups) -> Callable[[], Any]:
    """Returns a function that scores groups with one implementation."""
    metric = load("autosummeng", **options)

    def run() -> Any:
        with mock.patch.dict(os.environ, {dispatch.VARIABLE: name}):
            return metric.score_batch(request, *groups, checked=True)

    return run


def compare(test_set: TurkCorpus, repetitions: int, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
    """Prints how many times as long the twin takes."""
    for words, count in sizes:
        groups = groups_of(test_set, words, count)
        size = sum(len(text.split()) for text in groups.references_list[0]) // REFERENCES
        print(f"\n{len(groups.summaries_list)} groups, texts of about {size} words")
        for title, options in SETTINGS.items():
            for asked, request in REQUESTS.items():
                tasks = {name: task(name, options, request, groups) for name in ("native", "python")}
                native, twin = (run() for run in tasks.values())
                if (native.scores, native.jackknifed) != (twin.scores, twin.jackknifed):
                    raise SystemExit("the native scores differ from those of the twin")
                seconds = in_turns(tasks, repetitions)
                found = spread(ratios(seconds["python"], seconds["native"]))
                print(f"  {title:25} {asked:20} the twin takes × {found}")


def memory(words: int, count: int) -> None:
    """Prints the growth of memory of each implementation, in new processes."""
    grown = {
        name: int(subprocess.run([sys.executable, __file__, "--grow", name, str(words), str(count)], **CAPTURED).stdout)
        for name in ("native", "python")
    }
    ratio = grown["python"] / grown["native"]
    print(f"\nMemory for {count} groups of texts of at least {words} words: the twin needs × {ratio:.1f}")
    print("  " + ", ".join(f"{name} {size / 2**20:.1f} MB" for name, size in grown.items()))


CAPTURED: dict[str, Any] = {"check": True, "capture_output": True, "text": True}


def grow(name: str, words: int, count: int) -> None:
    """Scores with one implementation and prints by how many bytes memory grew."""
    groups = groups_of(texts()[0], words, count)
    score = partial(task, name, {}, REQUESTS["scores, jackknifed"])
    score(Groups(*(part[:1] for part in groups_of(texts()[0], 1, 1))))()  # all modules are imported
    before = peak()
    score(groups)()
    print(max(4096, peak() - before))


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--grow", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.grow:
        name, words, count = arguments.grow
        grow(name, int(words), int(count))
        return
    test_set, text = texts()
    print(f"text: {text}")
    compare(test_set, arguments.repetitions)
    memory(400, 10)


if __name__ == "__main__":
    main()
