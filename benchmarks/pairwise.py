"""Times ``pairwise`` and the packages that decoders use, in turns: ``python benchmarks/pairwise.py``.

All score the same texts against each other in one process and thread: rewrites of one text, which differ as the samples
of a model do; rewrites with many shifted blocks; the sources, outputs and references of test sets, joined to texts of
about this length; and unrelated texts. The program ends if a score of fastchrf or sacreBLEU differs in any bit; then it
prints how many times as long they take. sacreBLEU scores a random part of the pairs, because all would take many
minutes. Last, it prints the memory of 1,024 texts. Words and test sets are those of TurkCorpus below ``FW_SHARED``; if
it is missing, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import fastchrf
from contenders import COMPENSATED
from corpora import texts
from sacrebleu.metrics import BLEU, CHRF, TER
from timing import in_turns, ratios, spread

from metrics_framework import load

REPETITIONS = 5
TEXTS = 128
PAIRS = 30
LENGTHS = (22, 100)
MANY = 1024
PEERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "sacreBLEU, sentence BLEU": ("sent-bleu", partial(BLEU, effective_order=True)),
    "sacreBLEU, chrF++": ("chrf:word_order=2", partial(CHRF, word_order=2)),
    "sacreBLEU, TER": ("ter", TER),
}
DECODED, REORDERED, PUBLISHED, UNRELATED = KINDS = (
    "rewrites of one text",
    "rewrites with shifts",
    "texts of test sets",
    "unrelated texts",
)
SHIFTS, MAX_BLOCK = 4, 10


def vocabulary() -> list[str]:
    """Returns the words of all sources, as often as they occur."""
    return [word for source in texts()[0].sources for word in source.split()]


def rewritten(words: Sequence[str], others: Sequence[str], chance: random.Random) -> list[str]:
    """Drops a twentieth of the words, replaces a tenth, and shifts a block of three of every third text."""
    kept = [chance.choice(others) if chance.random() < 0.1 else word for word in words if chance.random() > 0.05]
    if chance.random() < 0.3:
        start, target = chance.randrange(len(kept)), chance.randrange(len(kept))
        block = kept[start : start + 3]
        del kept[start : start + 3]
        kept[target:target] = block
    return kept


def reordered(words: Sequence[str], chance: random.Random) -> list[str]:
    """Shifts some blocks of words."""
    kept = list(words)
    for _ in range(SHIFTS):
        start, size = chance.randrange(len(kept)), chance.randint(1, MAX_BLOCK)
        block = kept[start : start + size]
        del kept[start : start + size]
        target = chance.randint(0, len(kept))
        kept[target:target] = block
    return kept


def published(count: int, length: int) -> list[str]:
    """Returns the sources, outputs and references of inputs, those of several inputs joined if one is too short."""
    test_set, lines = texts()[0], max(1, length // LENGTHS[0])
    columns = [test_set.sources, *test_set.outputs.values(), *zip(*test_set.references_list, strict=True)]
    starts = range(0, len(test_set.sources) - lines, lines)
    return [" ".join(column[start : start + lines]) for start in starts for column in columns][:count]


def candidates(kind: str, count: int, length: int) -> list[str]:
    """Returns texts to compare with each other."""
    if kind == PUBLISHED:
        return published(count, length)
    chance, words = random.Random(count + length), vocabulary()
    starts = [chance.randrange(len(words) - length) for _ in range(count)]
    if kind == UNRELATED:
        return [" ".join(words[start : start + length]) for start in starts]
    text = words[starts[0] : starts[0] + length]
    if kind == REORDERED:
        return [" ".join(rewritten(reordered(text, chance), words, chance)) for _ in range(count)]
    return [" ".join(rewritten(text, words, chance)) for _ in range(count)]


def check(found: Sequence[float], expected: Sequence[float], what: str) -> None:
    """Ends the program if scores differ."""
    for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if not abs(ours - theirs) <= (COMPENSATED if "BLEU" in what else 0.0):
            raise SystemExit(f"{what}: pair {number}: {ours!r} is not {theirs!r}")


def compare(what: str, ours: Callable[[], Any], theirs: Callable[[], Any], share: float, repetitions: int) -> None:
    """Prints how many times as long a package takes; it computes a share of the scores."""
    seconds = in_turns({"ours": ours, "theirs": theirs}, repetitions)
    print(f"  {what:26} takes × {spread([ratio / share for ratio in ratios(seconds['theirs'], seconds['ours'])])}")


def compare_all(hypotheses: list[str], pairs: int, repetitions: int) -> None:
    """Compares with each package."""
    matrix = partial(load("chrf").pairwise, hypotheses)
    theirs = partial(fastchrf.pairwise_chrf, [hypotheses], [hypotheses])
    check(matrix().ravel().tolist(), [score for row in theirs()[0] for score in row], "fastchrf")
    compare("fastchrf, chrF", matrix, theirs, 1, repetitions)
    indices = list(product(range(len(hypotheses)), repeat=2))
    chosen = random.Random(0).sample(indices, min(pairs, len(indices)))
    for what, (spec, peer) in PEERS.items():
        matrix, scorer = partial(load(spec).pairwise, hypotheses), peer()

        def sentence_scores(scorer: Any = scorer) -> list[float]:
            return [scorer.sentence_score(hypotheses[row], [hypotheses[column]]).score for row, column in chosen]

        found = matrix()
        check([found[pair] for pair in chosen], sentence_scores(), what)
        compare(what, matrix, sentence_scores, len(chosen) / len(indices), repetitions)


def resident(name: str) -> int:
    """Returns a number of the status of this process, in kB: ``VmRSS``, or ``VmHWM`` for the peak."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def peak_growth(spec: str, count: int, length: int) -> float:
    """Returns how far one call raises the memory of this process, in MB; run in a new process, on Linux."""
    metric, hypotheses = load(spec), candidates(DECODED, count, length)
    metric.pairwise(hypotheses[:2])
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak is now the current size
    before = resident("VmRSS")
    metric.pairwise(hypotheses)
    return (resident("VmHWM") - before) * 1024 / 1e6


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--texts", type=int, default=TEXTS, help="the number of texts (%(default)s)")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="the pairs that sacreBLEU scores (%(default)s)")
    parser.add_argument("--many", type=int, default=MANY, help="the number of texts to measure memory (%(default)s)")
    parser.add_argument("--memory", nargs=2, metavar=("METRIC", "WORDS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        print(round(peak_growth(arguments.memory[0], arguments.many, int(arguments.memory[1]))))
        return
    print(f"text: {texts()[1]}")
    for length, kind in product(LENGTHS, KINDS):
        print(f"\n{arguments.texts} {kind} × {length} words")
        compare_all(candidates(kind, arguments.texts, length), arguments.pairs, arguments.repetitions)
    if sys.platform != "linux":
        return
    print(f"\nmemory of {arguments.many} {DECODED}, of which the matrix takes {arguments.many**2 * 8 // 10**6} MB")
    for spec, length in (("chrf", 22), ("chrf", 100), ("sent-bleu", 22), ("sent-bleu", 100), ("ter", 22)):
        call = [sys.executable, __file__, "--many", str(arguments.many), "--memory", spec, str(length)]
        grown = subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()
        print(f"  {spec:10} {length:4} words {grown:>5} MB")


if __name__ == "__main__":
    main()
