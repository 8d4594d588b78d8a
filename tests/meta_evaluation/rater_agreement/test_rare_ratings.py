"""Warnings of intervals from few outputs with rare ratings, and the coverage that they name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from benchmark_modules import benchmark

import metrics_framework as fw
from metrics_framework.meta_evaluation.rater_agreement.study import rare_ratings_caution

CAUTIONS = [  # outputs, those with another rating, what is resampled, the coverage that is named
    (20, 1, 20, "11 to 43 %"),
    (50, 3, 50, "44 to 77 %"),
    (50, 6, 50, "70 to 92 %"),
    (50, 6, 10, "11 to 43 %"),  # ten clusters
    (100, 10, 100, ""),
    (20, 6, 20, ""),  # few outputs, but no rare rating
]


@pytest.mark.parametrize(("outputs", "others", "resampled", "covered"), CAUTIONS)
def test_few_outputs_with_rare_ratings_are_a_caution(outputs: int, others: int, resampled: int, covered: str) -> None:
    values = np.full((3, outputs + 1), np.nan)
    values[:2, :outputs] = np.arange(outputs) < others
    values[2, outputs] = 7  # an output with one rating does not count
    caution = rare_ratings_caution(values, resampled)
    assert (covered in caution) if covered else not caution


def ratings(kinds: dict[str, int]) -> list[dict[str, Any]]:
    """Returns ratings of 40 outputs of each kind, of which some are bad."""
    outputs = [(kind, number, bad) for kind, bad in kinds.items() for number in range(40)]
    return [
        {"id": f"{kind}{number}", "kind": kind, "rater": rater, "label": "bad" if number < bad else "good"}
        for kind, number, bad in outputs
        for rater in (1, 2)
    ]


@pytest.mark.filterwarnings("ignore")
def test_the_groups_with_rare_ratings_are_named_together() -> None:
    found = fw.agreement(ratings({"a": 2, "b": 20, "c": 3}), "label", labels=True, by="kind", resamples=20).warnings
    assert [warning.split(":")[0] for warning in found] == ["label (a, c)"]
    alone = fw.agreement(ratings({"a": 2}), "label", ["krippendorff", "gwet"], labels=True, resamples=20).warnings
    assert [warning.split(":")[0] for warning in alone] == ["label"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{"resamples": 0}, {"statistics": "icc", "labels": False, "rating": "q"}])
def test_without_bootstrap_intervals_there_is_no_caution(options: dict[str, Any]) -> None:
    rows = [{**row, "q": int(row["label"] == "bad")} for row in ratings({"a": 2})]
    assert not fw.agreement(rows, **{"rating": "label", "labels": True, **options}).warnings


@pytest.mark.slow
@pytest.mark.parametrize(("share", "outputs", "least", "most"), [(0.05, 20, 0.11, 0.43), (0.1, 100, 0.9, 0.97)])
def test_intervals_cover_as_seldom_as_the_warning_says(share: float, outputs: int, least: float, most: float) -> None:
    module = benchmark("agreement_coverage")
    setting, simulations = module.Setting("krippendorff", "nominal", 3, 0.9), 300
    truth = module.population(setting, share)
    assert truth == pytest.approx(0.81, abs=0.01)
    covered, _ = module.coverage(setting, share, truth, outputs, simulations, 400)
    error = 3 * math.sqrt(0.25 / simulations)
    assert least - error <= covered <= most + error
