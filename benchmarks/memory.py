"""Peak memory of both sides, each in a separate process.

This file is also the program of that process: ``python benchmarks/memory.py WORK SIDE ROWS.jsonl`` reads texts, scores
them with one side, and prints by how many bytes the peak of its resident memory rose.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from contenders import CORPUS_WORKS, SENTENCE_WORKS, Contender, Work
from corpora import Corpus, collected, first, pairs, with_references
from settings import Settings
from speed import present
from tables import Line, Table
from timing import ratios, spread

MEMORY = Table(
    "Peak memory of scoring in MB, above that of the imports and the texts",
    ("scores", "peer", "input", "metrics_framework", "the peer", "peer over metrics_framework"),
    (16, 30, 46, 24, 24, 0),
)
STATUS = Path("/proc/self/status")
FEW = 2  # outputs scored before memory is measured, so that all modules are imported


def by_memory(work: Work, settings: Settings) -> Iterator[Line]:
    """Measures the first peer and this package alternately."""
    peers, missing = present(work._replace(peers=work.peers[:1]), MEMORY)
    yield from missing
    corpus = with_references(pairs(settings.corpus, settings.sizes.memory_rows), 1)
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        write(corpus, rows)
        for peer in peers:
            turns = [(risen(work, 0, rows), risen(work, 1, rows)) for _ in range(settings.repetitions)]
            ours, theirs = map(list, zip(*turns, strict=True))
            sides = (str(spread([size / 2**20 for size in side])) for side in (ours, theirs))
            ratio = ratios(theirs, ours)
            cells = (work.name, str(peer), str(corpus), *sides, f"× {spread(ratio)}")
            numbers = {"bytes": ours, "peer_bytes": theirs, "ratios": ratio}
            yield Line(
                MEMORY, cells, {"what": f"{work.name}-memory", "peer": str(peer), "input": str(corpus)} | numbers
            )


def write(corpus: Corpus, path: str) -> None:
    """Writes texts, one output per line."""
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in corpus.rows())


def read(path: str) -> Corpus:
    """Reads texts written by `write`."""
    with open(path, encoding="utf-8") as stream:
        return collected(map(json.loads, stream), "pairs of lines")


def risen(work: Work, side: int, rows: str) -> float:
    """Returns by how many bytes memory rose while a side scored in a new process; at least one page."""
    words = [sys.executable, __file__, work.name, str(side), rows]
    return max(resource.getpagesize(), float(subprocess.run(words, check=True, capture_output=True, text=True).stdout))


def peak() -> int:
    """Returns the peak of the resident memory of this process in bytes.

    On Linux, ``ru_maxrss`` includes the memory of the parent before this program started; the status file does not.
    """
    if STATUS.exists():
        fields = dict(line.split(":", 1) for line in STATUS.read_text(encoding="utf-8").splitlines())
        return 1024 * int(fields["VmHWM"].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Scores with one side and prints the memory used."""
    name, side, rows = sys.argv[1:]
    work = next(work for work in (*CORPUS_WORKS, *SENTENCE_WORKS) if work.name == name)
    contender: Contender = (work.ours, *work.peers)[int(side)]
    corpus = read(rows)
    contender.prepare(first(corpus, FEW))()
    task = contender.prepare(corpus)
    before = peak()
    task()
    print(peak() - before)


if __name__ == "__main__":
    main()
