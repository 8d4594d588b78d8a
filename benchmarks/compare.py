"""Times the paired tests of many systems: sacreBLEU and this package, in turns, from the same statistics and texts.

Run it with ``python benchmarks/compare.py``. Systems are made from the reference texts of TurkCorpus below
``FW_SHARED``, or generated text of the same shape: each replaces some of the words. Both programs compare all systems
with the first one by BLEU, chrF and TER, with sacreBLEU's tests and seed; before anything is timed, their p-values must
be equal. Given the statistics, sacreBLEU is timed from them; from texts, both programs start from lists of texts. For
all pairs, this package compares twenty times as many pairs as sacreBLEU's baseline comparison has.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from typing import Any

from corpora import texts
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from timing import in_turns, ratios, spread

import metrics_framework as fw
from metrics_framework.metrics.base.metric import load
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import SACREBLEU_SEED, Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

METRICS = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
TRIALS = {"bs": 1000, "ar": 10_000}
EQUAL = 1e-12


class Systems:
    """Outputs of systems, and their statistics for both programs.

    Args:
        systems: The number of systems.
        inputs: The number of inputs.
    """

    def __init__(self, systems: int, inputs: int) -> None:
        text, self.origin = texts()
        words = random.Random(7)
        references = [text.references_list[number % len(text.references_list)][0] for number in range(inputs)]
        self.references_list = [[reference] for reference in references]
        self.outputs = {
            f"system {number}": [_changed(reference, 0.25 + 0.002 * number, words) for reference in references]
            for number in range(systems)
        }
        self.vectors: dict[str, list[ScoreVectors]] = {}
        self.statistics: dict[str, list[Any]] = {}
        ids = [str(number) for number in range(inputs)]
        for name, theirs in METRICS.items():
            metric: Any = load(name)
            for outputs in self.outputs.values():
                groups = metric.statistics_multi_all([[output] for output in outputs], self.references_list)
                vectors = [vector for (vector,) in groups]
                self.vectors.setdefault(name, []).append(ScoreVectors.of_statistics(metric, ids, vectors))
                own: Any = theirs(references=[references])
                self.statistics.setdefault(name, []).append(own._extract_corpus_statistics(outputs, None))


def _changed(text: str, share: float, words: random.Random) -> str:
    return " ".join("word" if words.random() < share else word for word in text.split())


def theirs(systems: Systems, kind: str, given: bool) -> dict[str, list[float]]:
    """Runs a test of sacreBLEU; returns the p-values of each metric.

    Args:
        systems: The systems.
        kind: ``bs`` or ``ar``.
        given: Whether the statistics are given.
    """
    streams = [[reference for (reference,) in systems.references_list]]
    metrics: dict[str, Any] = {name: METRICS[name](references=streams) for name in METRICS}
    if given:
        for name, metric in metrics.items():
            known = iter(systems.statistics[name])
            metric._extract_corpus_statistics = lambda outputs, references, known=known: next(known)
    named = list(systems.outputs.items())
    test = PairedTest(named, metrics, None, kind, TRIALS[kind])
    _, scores = test()
    results: list[Any] = [values for key, values in scores.items() if key != "System"]
    return {name: [result.p_value for result in values[1:]] for name, values in zip(METRICS, results, strict=True)}


def ours(systems: Systems, kind: Any) -> dict[str, list[float]]:
    """Runs the same test of this package from the statistics."""
    pairs = [(vectors[0], other) for vectors in systems.vectors.values() for other in vectors[1:]]
    resampling = Resampling(seed=SACREBLEU_SEED, trials=TRIALS[kind])
    found = paired_p_values([*pairs], f"paired-{kind}", resampling)  # type: ignore[arg-type]
    p_values = iter(found)
    return {
        name: [float(next(p_values).p_values[name]) for _ in vectors[1:]]  # type: ignore[arg-type]
        for name, vectors in systems.vectors.items()
    }


def compared(systems: Systems, test: Any, baseline: str | None) -> Any:
    """Compares the texts of all systems with the public function."""
    references = [reference for (reference,) in systems.references_list]
    return fw.compare(
        list(METRICS), systems.outputs, references=references, test=test, baseline=baseline, confidence=95
    )


def check(systems: Systems, kind: str) -> None:
    """Ends the run if the p-values differ."""
    expected, found = theirs(systems, kind, given=True), ours(systems, kind)
    for name in METRICS:
        if any(abs(one - other) > EQUAL for one, other in zip(expected[name], found[name], strict=True)):
            raise SystemExit(f"{name}, {kind}: the p-values differ: {found[name]} and {expected[name]}")


def tasks_of(systems: Systems, kind: str, from_texts: bool) -> dict[str, Callable[[], object]]:
    """Returns what to time."""
    tasks: dict[str, Callable[[], object]] = {
        "sacreBLEU, statistics": lambda: theirs(systems, kind, given=True),
        "statistics": lambda: ours(systems, kind),
    }
    if from_texts:
        tasks["sacreBLEU, texts"] = lambda: theirs(systems, kind, given=False)
        tasks["texts"] = lambda: compared(systems, f"paired-{kind}", "system 0")
        tasks["texts, all pairs"] = lambda: compared(systems, f"paired-{kind}", None)
    return tasks


def show(kind: str, seconds: dict[str, list[float]]) -> None:
    """Prints how many times as long sacreBLEU takes."""
    for task, of_sacrebleu in (
        ("statistics", "sacreBLEU, statistics"),
        ("texts", "sacreBLEU, texts"),
        ("texts, all pairs", "sacreBLEU, texts"),
    ):
        if task in seconds:
            print(f"  paired-{kind:<4}{task:<18}{spread(ratios(seconds[of_sacrebleu], seconds[task]))}", flush=True)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--systems", type=int, default=20, help="number of systems (%(default)s)")
    parser.add_argument("--inputs", type=int, default=3000, help="number of inputs (%(default)s)")
    parser.add_argument("--repetitions", type=int, default=3, help="how often each is timed (%(default)s)")
    parser.add_argument("--statistics-only", action="store_true", help="do not time the way from texts")
    arguments = parser.parse_args(words)
    systems = Systems(arguments.systems, arguments.inputs)
    print(
        f"text: {systems.origin}; {arguments.systems} systems, {arguments.inputs:,} inputs, BLEU, chrF and TER; "
        "CPU time of sacreBLEU over this package"
    )
    for kind in TRIALS:
        check(systems, kind)
        tasks = tasks_of(systems, kind, not arguments.statistics_only)
        show(kind, in_turns(tasks, arguments.repetitions))


if __name__ == "__main__":
    main()
