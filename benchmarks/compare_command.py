"""Times ``fw compare`` of many systems, all pairs, as a whole command, against an older checkout.

Run it with ``python benchmarks/compare_command.py --before CHECKOUT``. Each system replaces a share of the words of
random references. The p-values of both checkouts must be equal; then our CPU time is divided by that of the older one,
in turns. With the default ``--options``, both have the same draws, whatever their own defaults are.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from correlate_command import cpu_seconds
from timing import spread

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 600.0
"""Seconds after which a run is ended."""


def rows(systems: int, inputs: int) -> Iterator[str]:
    """Yields a row of JSON for each output."""
    draw = random.Random(3)
    words = [f"w{number}" for number in range(2000)]
    references = [[draw.choice(words) for _ in range(draw.randint(12, 28))] for _ in range(inputs)]
    for system in range(systems):
        for number, reference in enumerate(references):
            summary = ["word" if draw.random() < 0.25 + 0.002 * system else word for word in reference]
            row = {"instance_id": str(number), "summarizer_id": f"s{system}", "summary": " ".join(summary)}
            yield json.dumps({**row, "source": "", "references": [" ".join(reference)]}) + "\n"


def p_values(file: Path) -> list[float]:
    """Returns the p-values of all pairs."""
    scores = json.loads(file.read_text(encoding="utf-8"))["scores"]
    return [pair["p_value"] for score in scores.values() for pair in score["pairs"]]


def main() -> None:
    """Checks that the results are equal, and prints the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", required=True, help="an older checkout, built")
    parser.add_argument("--metric", default="bleu")
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--inputs", type=int, default=359)
    parser.add_argument("--options", default="--trials 1000 --seed 0", help="more flags (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    trees = {"now": ROOT, "before": arguments.before.resolve()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.jsonl")
        file.write_text("".join(rows(arguments.systems, arguments.inputs)), encoding="utf-8")
        seconds: dict[str, list[float]] = {name: [] for name in trees}
        for _ in range(arguments.repetitions):
            for name, tree in trees.items():
                output = ["--output-file", f"{folder}/{name}.json", "--force", "--silent"]
                words = ["compare", "--input-files", str(file), "--metric", arguments.metric, *output]
                seconds[name].append(cpu_seconds(tree, [*words, *shlex.split(arguments.options)], LIMIT))
            if p_values(Path(folder, "now.json")) != p_values(Path(folder, "before.json")):
                raise SystemExit("the p-values differ")
    ratio = spread([now / before for before, now in zip(seconds["before"], seconds["now"], strict=True)])
    pairs = arguments.systems * (arguments.systems - 1) // 2
    print(f"{arguments.metric}, {pairs:,} pairs: {spread(seconds['now'])} s, {ratio} of the time before")


if __name__ == "__main__":
    main()
