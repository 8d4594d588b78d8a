"""Published correlations of SARI and BLEU with the simplicity ratings of Alva-Manchego, Scarton and Specia (2021)."""

from __future__ import annotations

import csv
import math
from functools import cache

import numpy as np
import pytest

from metrics_framework.meta_evaluation import calibrate, coefficient, group_values, variance_shares


@cache
def columns(folder, metric):
    """Human and metric scores, shape (systems, inputs), from the published columns."""
    with open(folder / "simplicity_DA.csv", encoding="utf-8", newline="") as file:
        human = {(row["sys_name"], row["sent_id"]): float(row["simplicity_zscore"]) for row in csv.DictReader(file)}
    with open(folder / "published_metrics_asset.csv", encoding="utf-8", newline="") as file:
        scores = {(row["sys_name"], row["sent_id"]): float(row[metric]) for row in csv.DictReader(file)}
    systems, inputs = (sorted({output[part] for output in human}) for part in (0, 1))
    return [
        np.array([[values.get((system, one), math.nan) for one in inputs] for system in systems])
        for values in (human, scores)
    ]


SARI = [  # level, r, ρ, τ-b: as published, and computed from text with EASSE
    ("global", 0.358708, 0.3269, 0.2224),
    ("input", 0.3813, 0.3674, 0.3514),
    ("system", 0.6627, 0.3714, 0.3333),
]


@pytest.mark.parametrize(("level", "r", "rho", "tau"), SARI)
def test_sari_against_simplicity(level, r, rho, tau, shared_path):
    human, sari = columns(shared_path("data/simplicity_da"), "sari")
    for name, expected in (("pearson", r), ("spearman", rho), ("kendall-b", tau)):
        assert coefficient(human, sari, name, level=level) == pytest.approx(expected, abs=5e-5)


def test_bleu_and_the_halves_of_the_ratings(shared_path):
    human, bleu = columns(shared_path("data/simplicity_da"), "bleu")
    assert coefficient(human, bleu, "pearson") == pytest.approx(0.496, abs=5e-4)
    human, sari = columns(shared_path("data/simplicity_da"), "sari")
    median = np.nanmedian(human)
    lower, higher = np.where(human < median, human, np.nan), np.where(human >= median, human, np.nan)
    assert coefficient(lower, sari, "pearson") == pytest.approx(0.336, abs=5e-4)
    assert coefficient(higher, sari, "pearson") == pytest.approx(0.139, abs=5e-4)


def test_groups_of_sparse_ratings(shared_path):
    human, sari = columns(shared_path("data/simplicity_da"), "sari")
    assert (human.shape, np.isnan(human).sum()) == ((6, 302), 6 * 302 - 600)
    defined = ~np.isnan(group_values(human, sari, "pearson", level="input"))
    systems = (~np.isnan(human)).sum(axis=0)
    assert (defined.sum(), (systems == 1).sum(), (~defined & (systems > 1)).sum()) == (195, 105, 2)
    shares = variance_shares(human)
    assert shares.inputs + shares.systems + shares.within == pytest.approx(1)
    found = calibrate(human, sari)
    assert found.accuracy >= max(found.accuracy_at_zero, found.accuracy_all_tied)
