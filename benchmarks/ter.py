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
from collections.abc import Iterator

from contenders import OURS, Contender, Task, our_scores, sacrebleu_scores, with_kernels
from corpora import LINES, Corpus, documents, first, sentences, stacked, texts, with_references
from speed import check
from tables import Line, Table, show
from timing import in_turns, ratios, spread

from metrics_framework.kernels import dispatch

REPETITIONS = 5
LENGTHS = ((50, 40), (100, 12), (200, 6), (400, 3))  # words and number of segments
TABLE = Table(
    "CPU time of sacreBLEU over that of this package, one core; scores equal in every line",
    ("input", "twin", "native", "counts"),
    (42, 24, 28, 0),
)


def counts_only(corpus: Corpus) -> Task:
    """Counts with the native kernel; returns the edits and the mean length of the references, of each output."""

    def counts() -> list[float]:
        kernel = dispatch.native_kernel("ter", dispatch.Request.STATISTICS)
        if kernel is None:
            raise SystemExit("the native kernels are not built")
        texts = [[text] for text in corpus.summaries], corpus.references_list
        (vectors,) = kernel(*texts, case_sensitive=False, no_punct=False)
        return [number for vector in vectors for number in vector]

    return with_kernels("native", counts)


SACREBLEU = sacrebleu_scores("ter")
COLUMNS = {
    "twin": our_scores("ter", "python"),
    "native": our_scores("ter", "native"),
    "counts": Contender(OURS, "counts", counts_only),
}


def check_counts(title: str, scores: list[float], counts: list[float]) -> None:
    """Ends the program when the counts are not those of the scores: of all, then of each output."""
    if [number for start in range(3, len(scores), 3) for number in scores[start + 1 : start + 3]] != counts:
        raise SystemExit(f"{title}: the counts differ")


def compared(corpora: list[Corpus], repetitions: int) -> Iterator[Line]:
    """Checks that all give the same scores, and times them."""
    for corpus in corpora:
        tasks = {side: side.prepare(corpus) for side in (SACREBLEU, *COLUMNS.values())}
        counts = tasks[COLUMNS["counts"]]
        check(f"ter, {corpus}", {side: task for side, task in tasks.items() if task is not counts})
        check_counts(f"ter, {corpus}", tasks[COLUMNS["native"]](), counts())
        seconds = in_turns(tasks, repetitions)
        found = {name: ratios(seconds[SACREBLEU], seconds[side]) for name, side in COLUMNS.items()}
        yield Line(TABLE, (str(corpus), *(f"× {spread(values)}" for values in found.values())), dict(found))


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    if dispatch.native_module is None:
        raise SystemExit("the native kernels are not built")
    test_set, text = texts()
    print(f"text: {text}")
    lines = stacked(test_set)
    alone = with_references(lines, 1)
    corpora = [first(lines, LINES), sentences(lines, 1500), *(documents(alone, *length) for length in LENGTHS)]
    show(compared(corpora, repetitions))


if __name__ == "__main__":
    main()
