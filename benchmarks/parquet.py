"""Parquet against JSON lines: ``python benchmarks/parquet.py [--rows N] [--repetitions N] [--memory N N]``.

Prints ratios of CPU time on the same rows, by turns in one process: reading into batches, reading and checking, and
evaluating, against JSON lines and against `pandas.read_parquet` with an evaluation of the DataFrame. Then, with new
processes, by how much the peak memory of reading and checking a longer file exceeds that of a shorter one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from streaming import write_rows
from timing import in_turns, ratios, spread

import metrics_framework as fw
from metrics_framework.common.errors import Problems
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.evaluation.checked_input import InputSummary, batches_of_piece, checked_batches
from metrics_framework.io.reading import Piece
from metrics_framework.metrics.base.metric import labelled

METRICS = ("sari", "ter", "bleu")
FIELDS = ("summary", "references", "source")
ROWS_PER_GROUP = 50_000
PEAK = """
import sys
import parquet
parquet.check(sys.argv[1])
status = dict(line.split(":") for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 1024)  # ru_maxrss includes the memory of the process that started this one
"""


def write_files(folder: str, rows: int) -> tuple[str, str]:
    """Writes the same rows as JSON lines and as Parquet; returns both paths."""
    lines, columns = os.path.join(folder, f"{rows}.jsonl"), os.path.join(folder, f"{rows}.parquet")
    write_rows(lines, rows)
    writer = None
    with open(lines, encoding="utf-8") as stream:
        while group := [json.loads(line) for line, _ in zip(stream, range(ROWS_PER_GROUP), strict=False)]:
            table = pa.Table.from_pylist(group)
            writer = writer or pq.ParquetWriter(columns, table.schema)
            writer.write_table(table)
    if writer is not None:
        writer.close()
    return lines, columns


def read(path: str) -> None:
    """Reads a file into batches."""
    deque(batches_of_piece(load_reader("default"), Piece(path, "s"), Problems(), FIELDS), maxlen=0)


def check(path: str) -> None:
    """Reads and checks a file, with the search for duplicates."""
    deque(checked_batches(load_reader("default"), [path], labelled(METRICS), InputSummary()), maxlen=0)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Parquet against JSON lines.", allow_abbrev=False)
    parser.add_argument("--rows", type=int, default=40_000, help="rows of the files whose times are measured")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--memory", type=int, nargs=2, default=[400_000, 2_000_000], metavar="N", help="two lengths")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines, columns = write_files(folder, arguments.rows)
        tasks: dict[str, Callable[[], object]] = {
            "reading, JSONL": lambda: read(lines),
            "reading": lambda: read(columns),
            "checking, JSONL": lambda: check(lines),
            "checking": lambda: check(columns),
            "evaluating, JSONL": lambda: fw.evaluate("ter", files=[lines]),
            "evaluating, pandas": lambda: fw.evaluate("ter", pd.read_parquet(columns), keep_outputs=False),
            "evaluating": lambda: fw.evaluate("ter", files=[columns]),
        }
        times = in_turns(tasks, arguments.repetitions)
        print(f"{arguments.rows:,} rows, CPU time as a share of")
        for name in ("reading, JSONL", "checking, JSONL", "evaluating, JSONL", "evaluating, pandas"):
            print(f"  {name:20} {spread(ratios(times[name.partition(',')[0]], times[name]))}")
        size = os.path.getsize(columns) / os.path.getsize(lines)
        print(f"  size of JSONL        {size:.2f}")
        peaks = [peak(write_files(folder, rows)[1]) for rows in arguments.memory]
        short, long = arguments.memory
        print(f"peak memory: {long:,} rows need {peaks[1] - peaks[0]:+.1f} MB more than {short:,}")


def peak(path: str) -> float:
    """Returns the peak memory in MB of reading and checking a file in a new process."""
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", PEAK, path], check=True, capture_output=True, text=True, cwd=here)
    return float(done.stdout)


if __name__ == "__main__":
    main()
