"""Peak memory of scoring files of different lengths: ``python benchmarks/streaming.py [--metric NAME …] [rows …]``.

Each file is scored by a new process. The program prints the peak of its resident memory, and by how much it exceeds
that of the shortest file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SYLLABLES = ("car", "fin", "mor", "tel", "ban", "sul", "per", "dor")
WORDS = ["the", "of", "and", "in", *(f"{one}{two}" for one in SYLLABLES for two in ("al", "es", "o", "ic"))]
RUN = """
import resource, sys
from metrics_framework.commands.app import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
sys.exit(code)
"""


def write_rows(path: str, rows: int) -> None:
    """Writes rows of sentence length for four systems, with two references each."""
    words = random.Random(0)
    with open(path, "w", encoding="utf-8") as stream:
        for number in range(rows):
            if number % 4 == 0:
                source, first, second = (" ".join(words.choices(WORDS, k=12)) for _ in range(3))
            row = {
                "instance_id": str(number // 4),
                "summarizer_id": f"system-{number % 4}",
                "summary": " ".join(words.choices(WORDS, k=10)),
                "references": [first, second],
                "source": source,
            }
            stream.write(json.dumps(row) + "\n")


def peak(command: str, metrics: Sequence[str], rows: str, folder: str) -> float:
    """Returns the peak memory in MB of one run."""
    names = ["a.json", "b.jsonl"] if command == "evaluate" else ["c.jsonl"]
    words = [command, *(os.path.join(folder, name) for name in names), "--input-files", rows]
    for metric in metrics:
        words += ["--metric", metric]
    run = subprocess.run([sys.executable, "-c", RUN, *words], check=True, capture_output=True, text=True, cwd=ROOT)
    return float(run.stderr.strip().splitlines()[-1])


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--metric", action="append", help="default: sari, ter, bleu and chrf together")
    parser.add_argument("rows", nargs="*", type=int, default=[10_000, 100_000], help="1000000 takes some minutes")
    given = parser.parse_args()
    metrics = given.metric or ["sari", "ter", "bleu", "chrf"]
    print(f"peak memory with {' '.join(metrics)}")
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        print(f"{'rows':>10}{'fw evaluate':>32}{'fw score':>32}")
        first: dict[str, float] = {}
        for length in given.rows:
            write_rows(rows, length)
            cells = []
            for command in ("evaluate", "score"):
                used = peak(command, metrics, rows, folder)
                least = first.setdefault(command, used)
                cells.append(f"{used:.1f} MB ({used - least:+.1f} MB, {used / least - 1:+.1%})")
            print(f"{length:>10,}{cells[0]:>32}{cells[1]:>32}", flush=True)


if __name__ == "__main__":
    main()
