"""Outputs of two systems to resample, and shorthands for the tests of significance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.resampling import SACREBLEU, Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

WORDS = ["the", "cat", "sat", "on", "a", "red", "mat", "under", "its", "old", "tree", "and", "slept", "all", "day"]
AS_SACREBLEU = Resampling(**SACREBLEU)
CORPUS_METRICS = [("bleu", "BLEU"), ("chrf", "CHRF"), ("ter", "TER")]


class Texts:
    """Outputs of two systems with three references each, as many as asked for."""

    def __init__(self, count: int, seed: int = 1) -> None:
        words = random.Random(seed)
        self.ids = [str(number + 1) for number in range(count)]
        references = [words.choices(WORDS, k=words.randrange(4, 14)) for _ in range(count)]
        self.references_list = [[" ".join(one), " ".join(reversed(one)), " ".join(one[1:])] for one in references]
        self.good = [" ".join(self.noisy(one, words, 0.2)) for one in references]
        self.bad = [" ".join(self.noisy(one, words, 0.24)) for one in references]

    @staticmethod
    def noisy(text: list[str], words: random.Random, share: float) -> list[str]:
        return [words.choice(WORDS) if words.random() < share else word for word in text]

    def streams(self) -> list[list[str]]:
        return [list(column) for column in zip(*self.references_list, strict=True)]

    def outputs(self, metric: Any, texts: Sequence[str]) -> ScoreVectors:
        groups = metric.statistics_multi_all([[text] for text in texts], self.references_list)
        return ScoreVectors.of_statistics(metric, self.ids, [vector for (vector,) in groups])


def interval_of(outputs: ScoreVectors, name: str, resampling: Resampling = AS_SACREBLEU) -> Interval:
    (found,) = bootstrap_intervals([outputs], resampling)
    one = found[name]
    assert isinstance(one, Interval)
    return one


def means(values: Sequence[float], ids: Sequence[str] | None = None) -> ScoreVectors:
    return ScoreVectors.of_scores(ids or [str(number) for number in range(len(values))], [{"m": one} for one in values])


def some_numbers(count: int, seed: int, shift: float = 0.0) -> list[float]:
    return (np.random.default_rng(seed).normal(size=count) + shift).tolist()
