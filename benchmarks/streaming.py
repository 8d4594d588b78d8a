"""Peak memory of scoring files of different lengths: ``python benchmarks/streaming.py [rows …]``.

Every length is scored by a process of its own; printed is the peak of its resident
memory over that of the shortest file.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
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
    """Writes rows of about the length of a sentence, four systems, two references each."""
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


def peak(command: str, rows: str, folder: str) -> float:
    """Returns the peak memory in MB of one run."""
    words = [command, "--metric", "sari", "--input-files", rows]
    words[1:1] = [
        os.path.join(folder, name) for name in (["a.json", "b.jsonl"] if command == "evaluate" else ["c.jsonl"])
    ]
    run = subprocess.run([sys.executable, "-c", RUN, *words], check=True, capture_output=True, text=True, cwd=ROOT)
    return float(run.stderr.strip().splitlines()[-1])


def main() -> None:
    """Measures and prints."""
    lengths = [int(word) for word in sys.argv[1:]] or [2_000, 20_000, 200_000]
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        print(f"{'rows':>10}{'fw evaluate':>24}{'fw score':>24}")
        first: dict[str, float] = {}
        for length in lengths:
            write_rows(rows, length)
            cells = []
            for command in ("evaluate", "score"):
                used = peak(command, rows, folder)
                more = used - first.setdefault(command, used)
                cells.append(f"{used:.0f} MB (+{more:.0f} MB)")
            print(f"{length:>10,}{cells[0]:>24}{cells[1]:>24}")


if __name__ == "__main__":
    main()
