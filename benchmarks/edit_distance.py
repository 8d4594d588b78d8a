"""Times the plain edit distance of many pairs: rapidfuzz, the native kernel and, for what is short, the Python twin.

Run it with ``python benchmarks/edit_distance.py``. Every comparison first checks that all distances are equal, and
prints how many times as long as the native kernel the others take, as the median and the range over repetitions in
turns::

    loop     `Levenshtein.distance` for one pair after the other
    cpdist   `rapidfuzz.process.cpdist` for all pairs, with one worker: its fastest form
    twin     the Python twin

All start from the same lists. The text is generated: words of letters as frequent as in English. One side of a pair is
either a rewriting of the other, a fifth of whose characters or words are changed, or has nothing to do with it.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python import edit_distances as twin

REPETITIONS = 7
LETTERS = "e" * 12 + "t" * 9 + "a" * 8 + "o" * 8 + "i" * 7 + "n" * 7 + "s" * 6 + "h" * 6 + "r" * 6 + "dlcumwfgypbvk"
GENERATOR = random.Random(0)
VOCABULARY = ["".join(GENERATOR.choices(LETTERS, k=GENERATOR.randint(1, 9))) for _ in range(3000)]

Sides: TypeAlias = "list[Any]"


class Size(NamedTuple):
    """How long the sides of pairs are, and how many pairs of that length are worked out at a time."""

    title: str
    length: tuple[int, int]
    count: int
    of_words: bool = False


SIZES = [
    Size("words of 5-12 characters", (5, 12), 20_000),
    Size("characters, about 30", (25, 35), 10_000),
    Size("characters, about 60", (50, 64), 10_000),
    Size("characters, about 100", (85, 115), 5_000),
    Size("characters, about 500", (450, 550), 500),
    Size("characters, about 5,000", (4500, 5500), 10),
    Size("25 words", (20, 30), 5_000, True),
    Size("400 words", (350, 450), 200, True),
]


def text(length: int) -> str:
    """Makes a text of words."""
    return " ".join(GENERATOR.choices(VOCABULARY, k=length))[:length]


def rewritten(symbols: Sequence[str], of_words: bool) -> list[str]:
    """Changes a fifth of the symbols: each is left out, replaced, or has another put behind it."""

    def other() -> str:
        return GENERATOR.choice(VOCABULARY if of_words else LETTERS)

    made: list[str] = []
    for symbol in symbols:
        edit = GENERATOR.randrange(15)
        made += {0: [], 1: [other()], 2: [symbol, other()]}.get(edit, [symbol])
    return made


def pairs(size: Size, related: bool) -> tuple[Sides, Sides]:
    """Makes pairs. No two words of them are the same object, as after reading a file."""
    summaries: Sides = []
    references: Sides = []
    for _ in range(size.count):
        length = GENERATOR.randint(*size.length)
        if size.of_words:
            words = GENERATOR.choices(VOCABULARY, k=length)
            summaries.append(" ".join(words).split())
            references.append(" ".join(rewritten(words, True)).split())
        else:
            summaries.append(text(length))
            references.append("".join(rewritten(summaries[-1], False)))
    return summaries, references if related else references[1:] + references[:1]


def by_loop(summaries: Sides, references: Sides) -> list[int]:
    """Asks rapidfuzz for each pair."""
    distance = Levenshtein.distance
    return [distance(summary, reference) for summary, reference in zip(summaries, references, strict=True)]


def by_cpdist(summaries: Sides, references: Sides) -> Any:
    """Asks rapidfuzz for all pairs."""
    return cpdist(summaries, references, scorer=Levenshtein.distance, workers=1, dtype=np.int32)


def by_native(summaries: Sides, references: Sides) -> list[int]:
    """Asks the native kernel."""
    return dispatch._native.edit_distances(summaries, references)


def cpu_time(function: Callable[[Sides, Sides], object], summaries: Sides, references: Sides) -> float:
    """Returns the CPU time of a function."""
    start = time.process_time()
    function(summaries, references)
    return time.process_time() - start


def compare(size: Size, related: bool, repetitions: int) -> None:
    """Checks that all distances are equal; prints how many times as long as the native kernel the others take."""
    sides = pairs(size, related)
    contenders: dict[str, Callable[[Sides, Sides], Any]] = {"loop": by_loop, "cpdist": by_cpdist}
    if size.length[1] <= 500:
        contenders["twin"] = twin.edit_distances
    expected = by_native(*sides)
    for name, function in contenders.items():
        if list(function(*sides)) != expected:
            raise SystemExit(f"{size.title}: the distances of {name} differ")
    ratios: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repetitions):
        for name, function in contenders.items():
            ratios[name].append(cpu_time(function, *sides) / cpu_time(by_native, *sides))
    kind = "rewritten" if related else "unrelated"
    shown = "   ".join(
        f"{name} × {statistics.median(found):.1f} ({min(found):.1f} to {max(found):.1f})"
        for name, found in ratios.items()
    )
    print(f"  {size.title:25} {kind}   {shown}", flush=True)


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    if dispatch.native_module is None:
        raise SystemExit("the native kernels are not built")
    print("distances equal in every comparison; CPU time of each over that of the native kernel, one core:")
    for size in SIZES:
        for related in (True, False):
            compare(size, related, repetitions)


if __name__ == "__main__":
    main()
