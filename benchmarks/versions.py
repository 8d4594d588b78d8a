"""Times metrics of this checkout and of an older one in turns: ``python benchmarks/versions.py --before CHECKOUT``.

Each checkout scores the same texts in its own process, with its own kernels. The program ends if a score differs
in any bit; then it prints how many times as long the older checkout takes, as the median and the range over
repetitions. The text is TurkCorpus below ``FW_SHARED``; if it is missing, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

from corpora import Corpus, documents, first, sentences, stacked, texts, with_references
from settings import QUICK, Sizes
from timing import ratios, seconds_of, spread
from turkcorpus import TurkCorpus

import metrics_framework as fw

ROOT = Path(__file__).resolve().parent.parent
REPETITIONS = 7
LONG = 100_000
VOCABULARY = 50_000
METRICS: Mapping[str, Mapping[str, Any]] = {
    "ter": {},
    "bleu": {},
    "chrf": {},
    "sari": {},
    "google-rouge": {"rouge_types": ["rouge1", "rouge2", "rougeL"]},
    "wer": {},
    "cer": {},
}
WITH_SOURCES = frozenset(("sari",))


def corpora(test_set: TurkCorpus, sizes: Sizes) -> dict[str, Corpus]:
    """Returns the texts by name."""
    four = first(stacked(test_set), sizes.lines)
    return {
        "one system, 8 references": first(four, len(test_set.sources)),
        "four systems, 8 references": four,
        "sentences, 1 reference": sentences(stacked(test_set), sizes.sentences),
        "documents of 200 words, 1 reference": documents(with_references(four, 1), 200, sizes.sentences // 20),
    }


def long_texts(words: int) -> tuple[str, str]:
    """Returns two unrelated texts whose words have frequencies by Zipf's law."""
    generator = random.Random(0)
    names = [f"w{rank}" for rank in range(VOCABULARY)]
    weights = [1 / (rank + 1) for rank in range(VOCABULARY)]
    summary, reference = (" ".join(generator.choices(names, weights, k=words)) for _ in range(2))
    return summary, reference


def tasks(quick: bool) -> dict[str, Callable[[], object]]:
    """Returns the tasks by name: metric and texts."""
    found: dict[str, Callable[[], object]] = {}
    for what, corpus in corpora(texts()[0], QUICK if quick else Sizes()).items():
        for name, options in METRICS.items():
            inputs = (corpus.summaries, corpus.references_list, *([corpus.sources] if name in WITH_SOURCES else []))
            found[f"{name}, {what}"] = partial(fw.load(name, **options).evaluate, *inputs)
    summary, reference = long_texts(LONG // 1000 if quick else LONG)
    longest = fw.load("google-rouge", rouge_types=["rougeL"])
    found["google-rouge, rougeL of two texts of 100,000 words"] = partial(longest.score, summary, [reference])
    return found


def serve(quick: bool) -> None:
    """Runs the tasks that standard input names; prints the hash of the scores, or the time, of each."""
    named = tasks(quick)
    for line in sys.stdin:
        name, is_timed = json.loads(line)
        answer = seconds_of(named[name]) if is_timed else hashlib.sha256(repr(named[name]()).encode()).hexdigest()
        print(json.dumps(answer), flush=True)


class Version:
    """A process that runs the tasks with the package of a checkout."""

    def __init__(self, tree: Path, quick: bool) -> None:
        words = [sys.executable, __file__, "--serve", *(["--quick"] if quick else [])]
        environment = os.environ | {"PYTHONPATH": str(tree)}
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=environment
        )

    def ask(self, name: str, is_timed: bool) -> Any:
        """Runs a task; returns the hash of its scores, or its time in seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, is_timed]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{name}: the process ended")
        return json.loads(line)

    def end(self) -> None:
        """Ends the process."""
        self._process.communicate()


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an older checkout, with its kernels built")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="NAME", help="tasks, as patterns such as 'sari*'")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="small inputs, to check that everything runs")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        return serve(given.quick)
    if given.before is None:
        parser.error("needs --before CHECKOUT")
    print(f"text: {texts()[1]}\n{'the older checkout takes':72}×")
    versions = {"now": Version(ROOT, given.quick), "before": Version(given.before.resolve(), given.quick)}
    for name in tasks(given.quick):
        if any(fnmatch(name, pattern) for pattern in given.only):
            if len({version.ask(name, False) for version in versions.values()}) > 1:
                raise SystemExit(f"{name}: scores differ")
            seconds: dict[str, list[float]] = {which: [] for which in versions}
            for repetition in range(given.repetitions):
                for which in list(versions)[:: -1 if repetition % 2 else 1]:
                    seconds[which].append(versions[which].ask(name, True))
            print(f"{name:72}{spread(ratios(seconds['before'], seconds['now']))}")
    for version in versions.values():
        version.end()
    return None


if __name__ == "__main__":
    main()
