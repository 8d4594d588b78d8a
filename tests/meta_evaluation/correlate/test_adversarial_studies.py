"""The paragraph of an answer is true in studies made to mislead it; the truth is computed here, by SciPy and swaps."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from scipy import stats

import metrics_framework as fw

ALPHA = 0.05
LOWER_IS_BETTER, HIGHER_IS_BETTER = {"ter", "wer"}, {"bleu", "chrf"}
UNITS = {"input": "input", "global": "output", "system": "system"}


def drawn(seed, shape=(12, 40)):
    return np.random.default_rng(seed).normal(size=shape)


HUMAN = drawn(0, (12, 1)) + drawn(1)
GOOD, FAIR, BAD, NOISE = HUMAN + 0.7 * drawn(2), HUMAN + 1.5 * drawn(3), HUMAN + 3 * drawn(4), drawn(5)
INPUTS = np.arange(40)
FEW = np.where(INPUTS < 5, 1.0, np.nan)
HOLES = np.where((np.arange(480).reshape(HUMAN.shape) % 7) == 0, np.nan, 1.0)
THIRTY = {f"m{number:02}": HUMAN + (0.5 + number / 4) * drawn(100 + number) for number in range(30)}
EVERY = ("none", "default")
STUDIES = {  # metrics, human scores, level, tests
    "a constant metric": ({"good": GOOD, "flat": 0 * GOOD + 1}, HUMAN, "input", EVERY),
    "a constant metric alone": ({"flat": 0 * GOOD + 1}, HUMAN, "input", ("none",)),
    "constant people": ({"good": GOOD, "bad": BAD}, 0 * HUMAN + 3, "input", EVERY),
    "an inverted metric": ({"cost": -GOOD, "bad": BAD}, HUMAN, "input", EVERY),
    "an inverted metric alone": ({"cost": -GOOD}, HUMAN, "input", ("none",)),
    "a metric of which lower is better": ({"ter": -GOOD, "bad": BAD}, HUMAN, "input", EVERY),
    "the best has 5 of 40 inputs": ({"few": GOOD * FEW, "fair": FAIR, "bad": BAD}, HUMAN, "input", EVERY),
    "the worst has 5 of 40 inputs": ({"good": GOOD, "fair": FAIR, "few": BAD * FEW}, HUMAN, "input", EVERY),
    "missing scores": ({"holes": GOOD * HOLES, "good": GOOD, "bad": BAD}, HUMAN, "input", EVERY),
    "no outputs in common": ({"a": GOOD * FEW, "b": BAD * np.where(INPUTS > 9, 1, np.nan)}, HUMAN, "input", EVERY),
    "identical metrics": ({"one": GOOD, "two": 3 * GOOD + 2, "bad": BAD}, HUMAN, "input", EVERY),
    "thirty metrics": (THIRTY, HUMAN, "input", ("default",)),
    "all negative, directions unknown": ({"a": -GOOD, "b": -BAD, "c": -FAIR}, HUMAN, "input", EVERY),
    "all negative, directions known": ({"bleu": -GOOD, "chrf": -BAD, "ter": FAIR}, HUMAN, "input", EVERY),
    "all negative, directions mixed": ({"bleu": -GOOD, "cost": -BAD, "ter": FAIR}, HUMAN, "input", EVERY),
    "noise": ({"a": NOISE, "b": drawn(6), "c": drawn(7)}, HUMAN, "input", EVERY),
    "one system": ({"good": GOOD[:1], "bad": BAD[:1]}, HUMAN[:1], "global", EVERY),
    "two systems": ({"good": GOOD[:2], "bad": BAD[:2]}, HUMAN[:2], "global", EVERY),
    "three inputs": ({"good": GOOD[:, :3], "bad": BAD[:, :3]}, HUMAN[:, :3], "input", EVERY),
    "four systems": ({"good": GOOD[:4], "bad": BAD[:4]}, HUMAN[:4], "system", ("none",)),
    "tied people": ({"good": GOOD, "bad": BAD}, np.round(HUMAN / 3), "input", EVERY),
    "an outlier": ({"good": GOOD, "far": np.where(HUMAN.max() == HUMAN, 1e9, BAD)}, HUMAN, "input", EVERY),
}


def of_inputs(metric, human, level):
    """Returns Pearson's r of each input, or of all outputs or systems; NaN where undefined."""
    missing = np.isnan(metric + human)
    metric, human = np.where(missing, np.nan, metric), np.where(missing, np.nan, human)
    if level == "system":
        metric, human = (np.nanmean(one, axis=1)[:, None] for one in (metric, human))
    if level == "global":
        metric, human = metric.reshape(-1, 1), human.reshape(-1, 1)
    found = []
    for one, other in zip(metric.T, human.T, strict=True):
        x, z = one[~np.isnan(one)], other[~np.isnan(other)]
        found.append(stats.pearsonr(x, z)[0] if len(x) > 1 and np.ptp(x) > 0 and np.ptp(z) > 0 else np.nan)
    return np.array(found)


def p_of_flips(differences):
    """Returns the p-value of sign flips of the differences of inputs, and the least that is possible."""
    if not len(differences):
        return np.nan, np.nan
    if len(differences) <= 10:
        signs = np.array([*itertools.product((1, -1), repeat=len(differences))])
        return (abs(signs @ differences) >= abs(differences.sum()) - 1e-12).mean(), 2 / len(signs)
    signs = np.random.default_rng(9).choice((-1, 1), (100_000, len(differences)))
    return ((abs(signs @ differences) >= abs(differences.sum()) - 1e-12).sum() + 1) / (len(signs) + 1), 0.0


def holm(p_values):
    order = sorted(p_values, key=p_values.get)
    steps = [(len(order) - rank) * p_values[pair] for rank, pair in enumerate(order)]
    return dict(zip(order, np.minimum(np.maximum.accumulate(steps), 1), strict=True)) if order else {}


class Truth:
    """What is true in a study: values and sizes of metrics oriented so that higher is better, and adjusted p-values."""

    def __init__(self, scores, human, level):
        self.is_single, self.scores = len(scores) == 1, scores
        self.negated = [] if self.is_single else [name for name in scores if name in LOWER_IS_BETTER]
        oriented = {name: -one if name in self.negated else one for name, one in scores.items()}
        self.each = {name: of_inputs(one, human, level) for name, one in oriented.items()}
        self.values = {name: np.nanmean(one) for name, one in self.each.items() if not np.isnan(one).all()}
        cells = {"input": 0, "global": human.size, "system": len(human)}[level]
        self.sizes = {name: cells or int((~np.isnan(one)).sum()) for name, one in self.each.items()}
        known = () if self.is_single else LOWER_IS_BETTER | HIGHER_IS_BETTER
        self.unknown = {name for name in self.values if name not in known and not self.is_single}

    def label(self, name):
        return f"-{name}" if name in self.negated else name

    def named(self, start, said):
        """Returns the metrics of a list in the paragraph, which begins with some words and ends its sentence."""
        part = re.search(rf"{start}: (.*?)\.(?: |$)(?!\d)", said)
        return [name for name in self.scores if part and re.search(rf"(?<![\w-]){self.label(name)}\b", part[1])]

    def p_values(self):
        """Returns the adjusted p-value of each pair of metrics by its names, and the least that is possible."""
        found = {}
        for pair in itertools.combinations(self.values, 2):
            differences = self.each[pair[0]] - self.each[pair[1]]
            if not np.isnan(differences).all():
                found[frozenset(pair)] = p_of_flips(differences[~np.isnan(differences)])
        return [holm({pair: both[index] for pair, both in found.items()}) for index in (0, 1)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("study", "test"), [(name, test) for name, (*_, tests) in STUDIES.items() for test in tests])
def test_the_paragraph_is_true(study, test):
    scores, human, level, _ = STUDIES[study]
    options = {"levels": level, "coefficients": "pearson", "log": [].append}
    said = " ".join(fw.correlate(scores, human, test=test, **options).summary().split())
    truth = Truth(scores, human, level)
    values, sizes = truth.values, truth.sizes
    unranked = truth.named("Not ranked, because lower scores may be better", said)
    assert {name for name in truth.unknown if values[name] < -0.2} <= {*unranked} <= truth.unknown
    assert all(values[name] < 0 for name in unranked)
    begins = bool(re.match(r"(All|The) metrics? correlates? neg", said))
    assert begins == (max(values.values(), default=0) < 0)
    ranked = sorted({*values}.difference(unranked), key=lambda name: (-round(values[name], 9), name))
    if not ranked:
        assert "No metric can be named" in said or "none is named" in said
        return
    best = ranked[0]
    shown = re.search(r"for human: (\S+) \(Pearson r (-?[\d.]+)(?:, .*?)?, (\w+) level, (\d+) ", said)
    assert shown.groups() == (truth.label(best), f"{values[best]:.3f}", level, str(sizes[best]))
    for name, value, size in re.findall(r"(\S+) \((-?\d\.\d{3})(?:, (\d+) \w+)?(?:, p [=<] ?[.\d]+)?\)", said):
        name = name.lstrip("-")
        assert (value, size or str(sizes[best])) == (f"{values[name]:.3f}", str(sizes[name]))
    if test == "none":
        assert "ignificantly" not in said
    elif level == "input":
        check_the_tests(said, truth, ranked)


def check_the_tests(said, truth, ranked):
    adjusted, least = truth.p_values()
    best, worse = ranked[0], truth.named("Significantly worse", said)
    tied = truth.named("Not distinguishable from it", said)
    if "It is significantly better than all" in said:
        worse = [name for name in ranked[1:] if frozenset((best, name)) in adjusted]
        assert ("all other metrics" in said) == (len(worse) == len(truth.scores) - 1)
    assert not {*worse} & {*tied}
    for name in (*worse, *tied):
        assert (adjusted[frozenset((best, name))] - ALPHA) * (1 if name in tied else -1) > -0.02
    hopeless = re.search(r"cannot find a \w+(?: of (.*?))?: no", said)
    named = re.findall(r"against (\S+?)(?:,|$)", hopeless[1] or "") if hopeless else []
    named = [name.lstrip("-") for name in named] or (ranked[1:] if hopeless else [])
    assert {*named} == {name for name in (*worse, *tied) if least[frozenset((best, name))] > ALPHA}
    assert not {*worse} & {*named}
