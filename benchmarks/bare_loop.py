"""Baseline for scoring rows: ``python benchmarks/bare_loop.py ROWS.jsonl SCORES.json OUT.jsonl``.

Decodes each row, encodes a row of the same shape as those of ``fw score``, with precomputed scores, and writes it.
"""

from __future__ import annotations

import itertools
import json
import sys


def main() -> None:
    """Reads and writes."""
    rows, scores, out = sys.argv[1:]
    with open(scores, encoding="utf-8") as stream:
        metrics = itertools.cycle(json.load(stream))
    with open(rows, encoding="utf-8") as lines, open(out, "w", encoding="utf-8") as stream:
        for line in lines:
            row = json.loads(line)
            result = {name: row[name] for name in ("instance_id", "summarizer_id", "summarizer_type")}
            stream.write(json.dumps({**result, "metrics": next(metrics)}) + "\n")


if __name__ == "__main__":
    main()
