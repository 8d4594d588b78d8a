"""Intervals of very many outputs: ``python benchmarks/many_outputs.py [--outputs N] [--resamples N]``.

Outputs of two systems are sentences of TurkCorpus, drawn with replacement. Their statistics are collected as ``fw
evaluate`` collects those of more than two million outputs, and resampled by a Poisson bootstrap, in which each input
has a weight from a Poisson distribution with mean 1. The program prints the interval of each score by both methods, how
far their ends are apart as a share of half the width, and the CPU time of the delta method over that of the bootstrap.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from corpora import texts

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.logs import Log
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import CorpusMetric, labelled
from metrics_framework.significance.confidence import ScoreCollector
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

METRICS = ("bleu", "sari", "ter")
BATCH = 10_000


def statistics_of(metric: CorpusMetric, system: int) -> Floats:
    """Returns the statistics of the sentences of a system, shape (sentences, statistics)."""
    text = texts()[0]
    arguments = [text.references_list, text.sources][: len(metric.fields) - 1]
    outputs = [[output] for output in [*text.outputs.values()][system]]
    return np.array([vector for (vector,) in metric.statistics_multi_all(outputs, *arguments)], dtype=np.float64)


def poisson_sums(vectors: Sequence[Floats], lines: Indices, resamples: int) -> list[Floats]:
    """Returns the sums of each of several tables of statistics in resamples with Poisson weights."""
    generator, joined = np.random.default_rng(1), np.concatenate(vectors, axis=1)
    sums = np.zeros((resamples, joined.shape[1]))
    for start in range(0, len(lines), 1000):
        drawn = lines[start : start + 1000]
        sums += generator.poisson(1.0, (resamples, len(drawn))).astype(np.float64) @ joined[drawn]
    return np.split(sums, np.cumsum([one.shape[1] for one in vectors])[:-1], axis=1)


def ends(metric: CorpusMetric, vectors: Floats, sums: Floats) -> tuple[float, float]:
    """Returns the percentiles of the score of sums, shape (resamples, statistics)."""
    scores = ScoreVectors.of_statistics(metric, ["input"], vectors[:1]).scores_of(sums)
    low, high = np.percentile(next(iter(scores.values())), [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--outputs", type=int, default=2_100_000, help="number of both systems together")
    parser.add_argument("--resamples", type=int, default=2000)
    given = parser.parse_args()
    inputs = given.outputs // 2
    metrics = labelled(METRICS)
    of_systems = [[statistics_of(one.metric, system) for one in metrics] for system in range(2)]
    lines = np.random.default_rng(0).integers(len(of_systems[0][0]), size=inputs)
    collector, started = ScoreCollector(metrics, most=given.outputs // 2), time.process_time()
    for start in range(0, inputs, BATCH):
        drawn = lines[start : start + BATCH]
        for name, statistics in zip("ab", of_systems, strict=True):
            results = [BatchScores([], vectors[drawn].tolist()) for vectors in statistics]
            collector.add([str(start + index) for index in range(len(drawn))], [name] * len(drawn), results)
    found = collector.confidence(metrics, Resampling(seed=0), None, Log(lambda _: None))
    delta = time.process_time() - started
    print(f"{inputs:,} inputs, two systems; {given.resamples:,} resamples\n")
    started = time.process_time()
    tables = [vectors for statistics in of_systems for vectors in statistics]
    all_sums = poisson_sums(tables, lines, given.resamples)
    cells = [(name, one) for name in "ab" for one in metrics]
    for (name, one), vectors, sums in zip(cells, tables, all_sums, strict=True):
        interval, (low, high) = found.systems[name][one.label], ends(one.metric, vectors, sums)
        apart = max(abs(interval.lower - low), abs(interval.upper - high)) / interval.half_width
        print(
            f"{one.label:<5} of {name}  delta [{interval.lower:.4f}, {interval.upper:.4f}]  Poisson [{low:.4f}, "
            f"{high:.4f}]  {100 * apart:.1f} % apart"
        )
    print(f"\nCPU time: the delta method takes × {delta / (time.process_time() - started):.2f}")


if __name__ == "__main__":
    main()
