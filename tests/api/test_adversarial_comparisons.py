"""What `compare`, `prefer` and `judge` say is true in studies made to mislead them; the truth is computed here."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import metrics_framework as fw
from metrics_framework.common.errors import FwError

ALPHA = 0.05


def drawn(seed: int, shape: tuple[int, ...] = (40,)) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


EASY = drawn(0)
GOOD, FAIR, BAD = EASY + 1 + 0.5 * drawn(1), EASY + 0.4 * drawn(2), EASY - 1 + 0.5 * drawn(3)
SPARSE = np.where(np.arange(40) < 5, GOOD, np.nan)
SYSTEMS = {  # why: the scores of systems
    "usual": {"good": GOOD, "fair": FAIR, "bad": BAD},
    "constant": {"one": 0 * GOOD + 1, "two": 0 * GOOD + 1},
    "a constant system": {"flat": 0 * GOOD, "good": GOOD, "bad": BAD},
    "inverted": {"good": -GOOD, "fair": -FAIR, "bad": -BAD},
    "sparse": {"sparse": SPARSE, "fair": FAIR, "bad": BAD},
    "identical": {"one": GOOD, "two": GOOD, "bad": BAD},
    "NaN": {"holes": np.where(np.arange(40) % 3 == 0, np.nan, GOOD), "fair": FAIR, "nothing": GOOD * np.nan},
    "thirty systems": {f"s{number:02}": EASY + number / 20 + drawn(50 + number) for number in range(30)},
    "all negative": {"good": GOOD - 50, "fair": FAIR - 50, "bad": BAD - 50},
    "one system": {"good": GOOD},
    "three inputs": {"good": GOOD[:3], "bad": BAD[:3]},
    "an outlier": {"far": np.where(np.arange(40) == 7, 1e9, BAD), "good": GOOD},
}


def holm(p_values: dict[Any, float]) -> dict[Any, float]:
    order = sorted(p_values, key=lambda pair: p_values[pair])
    steps = [(len(order) - rank) * p_values[pair] for rank, pair in enumerate(order)]
    return dict(zip(order, np.minimum(np.maximum.accumulate(steps), 1), strict=True)) if order else {}


def p_of_flips(differences: Any) -> float:
    """Returns the p-value of sign flips: exact for few inputs, else of draws of its own."""
    if len(differences) <= 11:
        signs = np.array([*itertools.product((1, -1), repeat=len(differences))])
        return float((abs(signs @ differences) >= abs(differences.sum()) - 1e-9).mean())
    signs = np.random.default_rng(9).choice((-1, 1), (50_000, len(differences)))
    return float(((abs(signs @ differences) >= abs(differences.sum()) * (1 - 1e-9)).sum() + 1) / (len(signs) + 1))


def check_ranks(ranks: dict[str, Any], better: set[tuple[str, str]]) -> None:
    """Checks that ranks are 1 + the number of better systems, to the number of systems that are not worse."""
    for name, rank in ranks.items():
        best = 1 + sum((other, name) in better for other in ranks)
        assert (rank.best, rank.worst) == (best, len(ranks) - sum((name, other) in better for other in ranks)), name


@pytest.mark.parametrize("study", SYSTEMS)
def test_compare_says_what_is_true(study: str) -> None:
    scores = SYSTEMS[study]
    rows = [
        {"id": number, "system": name, "score": None if math.isnan(value) else value}
        for name, values in scores.items()
        for number, value in enumerate(values)
    ]
    with warnings.catch_warnings(action="ignore"):
        (found,) = fw.compare(scores=rows, names="score", higher_is_better="score").comparisons
    usable = {name: values for name, values in scores.items() if not np.isnan(values).all()}
    means = {name: float(np.nanmean(values)) for name, values in usable.items()}
    p_values = {}
    for pair in itertools.combinations(usable, 2):
        differences = usable[pair[0]] - usable[pair[1]]
        p_values[frozenset(pair)] = p_of_flips(differences[~np.isnan(differences)])
    adjusted = holm(p_values)
    for system in found.systems:
        assert (system.system in usable) == (not math.isnan(system.score))
        if system.system in usable:
            assert system.score == pytest.approx(means[system.system])
            assert system.inputs == int((~np.isnan(usable[system.system])).sum())
    for pair in found.pairs:
        truth = adjusted[frozenset((pair.first, pair.second))]
        assert abs(truth - ALPHA) < 0.045 or (truth <= ALPHA) == (pair.winner is not None)
        assert pair.p_value == pytest.approx(p_values[frozenset((pair.first, pair.second))], abs=0.02)
        if pair.winner is not None:
            shared = usable[pair.first] - usable[pair.second]
            assert pair.winner == (pair.first if np.nanmean(shared) > 0 else pair.second)
    better = {
        (pair.winner, pair.second if pair.winner == pair.first else pair.first)
        for pair in found.pairs
        if pair.winner is not None
    }
    check_ranks({one.system: one.rank for one in found.systems if one.rank is not None}, better)


def of_votes(*chances: float, ties: float = 0.0, systems: str = "xyz", inputs: int = 60) -> list[dict[str, Any]]:
    """Returns votes between pairs of systems, of which the first wins with these chances."""
    draw = np.random.default_rng(7)
    rows = []
    for number in range(inputs):
        for pair, chance in zip(itertools.combinations(systems, 2), chances, strict=False):
            winner = ("model_a", "model_b")[int(draw.random() >= chance)]
            winner = "tie" if draw.random() < ties else winner
            rows.append({"input": number, "system_a": pair[0], "system_b": pair[1], "winner": winner})
    return rows


VOTES = {
    "usual": of_votes(0.9, 0.95, 0.6),
    "inverted": of_votes(0.1, 0.05, 0.4),
    "even": of_votes(0.5, 0.5, 0.5),
    "ties only": of_votes(0.5, 0.5, 0.5, ties=1.0),
    "one always wins": of_votes(1.0, 1.0, 0.5),
    "three inputs": of_votes(0.9, 0.9, 0.5, inputs=3),
    "one pair": of_votes(0.8, systems="xy"),
    "thirty systems": of_votes(*([0.7] * 435), systems="ABCDEFGHIJKLMNOPQRSTUVWXYZabcd", inputs=4),
}


UNDETERMINED = ("one always wins", "three inputs")


@pytest.mark.parametrize("study", VOTES)
def test_prefer_says_what_is_true(study: str) -> None:
    rows = VOTES[study]
    if study in UNDETERMINED:
        with pytest.raises(FwError, match="strengths: x never lost"):
            fw.prefer(rows)
        return
    with warnings.catch_warnings(action="ignore"):
        found = fw.prefer(rows).to_records()
    wins: dict[str, list[float]] = {}
    for row in rows:
        score = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5}[row["winner"]]
        wins.setdefault(row["system_a"], []).append(score)
        wins.setdefault(row["system_b"], []).append(1 - score)
    assert {one["system"] for one in found} == {*wins}
    strengths = [round(one["strength"], 9) for one in found]
    assert strengths == sorted(strengths, reverse=True)
    rates = {name: float(np.mean(values)) for name, values in wins.items()}
    for one, other in itertools.pairwise(found):
        assert rates[one["system"]] >= rates[other["system"]] - 1e-9
        assert one["rank_best"] <= other["rank_best"]
        if one["rank_worst"] < other["rank_best"]:  # said to be better: then it is far from even
            lower = (one["strength"] - other["strength"]) / math.hypot(one["standard_error"], other["standard_error"])
            assert stats.norm.sf(lower) < 0.1
    if study in ("even", "ties only"):
        assert {(one["rank_best"], one["rank_worst"]) for one in found} == {(1, len(found))}


QUALITY = drawn(11, (60,))
JUDGES = {  # why: the scores of a judge, and whether it may pass
    "good": (QUALITY + 0.2 * drawn(12, (60,)), True),
    "constant": (0 * QUALITY, False),
    "inverted": (-QUALITY, False),
    "noise": (drawn(13, (60,)), False),
    "the mean of the raters": (QUALITY, True),
    "shifted far": (QUALITY + 30, False),
    "NaN": (np.where(np.arange(60) % 3 == 0, np.nan, QUALITY + 0.2 * drawn(12, (60,))), True),
}


@pytest.mark.parametrize("study", JUDGES)
def test_a_judge_passes_only_if_it_is_as_close_to_the_raters_as_they_are(study: str) -> None:
    scores, may_pass = JUDGES[study]
    noise = {rater: 0.6 * drawn(20 + number, (60,)) for number, rater in enumerate("pqr")}
    rows = [
        {"id": number, "rater": rater, "rating": QUALITY[number] + noise[rater][number], "judge": scores[number]}
        for number in range(60)
        for rater in noise
    ]
    rows = [{**row, "judge": None if math.isnan(row["judge"]) else row["judge"]} for row in rows]
    with warnings.catch_warnings(action="ignore"):
        result = fw.judge(rows, "rating", "judge")
    said = result.to_records()[0]
    line = next(one for one in result.table().splitlines() if one.startswith("judge   ") and "test" not in one)
    assert said["passes"] == may_pass == ("does not pass" not in line)
    assert may_pass or said["above_constant_lower"] <= 0
    used = ~np.isnan(scores)
    shares = []
    for rater, own in noise.items():
        others = [QUALITY + noise[other] for other in noise if other != rater]
        far = [
            np.sqrt(np.mean([(candidate - other) ** 2 for other in others], axis=0))
            for candidate in (scores, QUALITY + own)
        ]
        shares.append(np.mean((far[0] <= far[1])[used]))
    assert said["advantage_probability"] == pytest.approx(np.mean(shares))
    assert f"{np.mean(shares):.3f}" in line
