"""Coefficients of two vectors, and their values at each level, by loops over groups and pairs of outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from concordance import plain_concordance
from scipy import stats

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient

KINDS = [(True, True), (False, True), (True, False), (False, False)]
TINY = 1e-9
"""Scores of the test data differ by more, or not at all."""

AVERAGED = ("input", "within-system")
DETECTION = ("f1", "mcc", "precision-at-recall")
KENDALL = ("kendall-a", "kendall-b", "kendall-c")
DEFINITIONS = {"concordance": plain_concordance}
"""Name to a function of two lists of scores: the definition, by loops, of a coefficient without options."""
WITH_EPSILON = ("acc-eq", "acc-23", "tau-23")


@dataclass(frozen=True)
class Options:
    """What coefficients are told."""

    epsilon: float | None = None
    fit: float | None = None
    threshold: float | None = None
    good_above: float = 0.0
    folds: int = 5
    sign_flips: int = 1000
    seed: int = 0
    stream: str = "default"
    has_epsilon_everywhere: bool = False
    flips: dict = field(default_factory=dict, compare=False)


def order(differences, tolerance=0.0):
    """Returns the sign of each difference, 0 for ties."""
    return np.where(np.abs(differences) <= tolerance + TINY, 0, np.sign(differences))


def only_level(name):
    """Returns the level of a coefficient that is defined at one level, else `None`."""
    levels = load_coefficient(name).levels
    return levels[0] if len(levels) == 1 else None


def is_share(name):
    """Returns whether a coefficient is between 0 and 1."""
    return load_coefficient(name).range == (0, 1)


@cache
def pairs_of(number):
    """Returns the indices of all pairs of outputs."""
    return np.triu_indices(number, 1)


def of_group(name, human, metric, options):
    """Returns the coefficient of one group of outputs and its weight in the mean over groups; NaN if undefined."""
    n = len(human)
    if n < 2:
        return math.nan, 0.0
    if name in DEFINITIONS:
        return DEFINITIONS[name](human.tolist(), metric.tolist()), 1.0
    if name == "auroc":
        good, bad = metric[human > options.good_above], metric[human <= options.good_above]
        wins = [1.0 if x - y > TINY else 0.5 if abs(x - y) <= TINY else 0.0 for x in good for y in bad]
        return (float(np.mean(wins)), 1.0) if wins else (math.nan, 0.0)
    if name in DETECTION:
        return detected(name, (human > options.good_above).tolist(), metric.tolist(), options.threshold or 0.0), 1.0
    constant = human.max() - human.min() <= TINY or metric.max() - metric.min() <= TINY
    if name in ("pearson", "spearman"):
        if constant:
            return math.nan, 0.0
        if name == "spearman":
            human, metric = (stats.rankdata(np.round(scores, 9)) for scores in (human, metric))
        return np.corrcoef(human, metric)[0, 1], 1.0
    return of_pairs(name, human, metric, options, is_constant=constant)


def detected(name, good, metric, threshold):
    """Returns F1, MCC, or the precision at a recall of 0.9, from counts of outputs."""
    if name == "precision-at-recall":
        found = [[is_good for is_good, score in zip(good, metric, strict=True) if score >= least] for least in metric]
        return max((sum(one) / len(one) for one in found if sum(one) >= 0.9 * sum(good) > 0), default=math.nan)
    kinds = [(is_good, score >= threshold) for is_good, score in zip(good, metric, strict=True)]
    hits, alarms, misses, rejections = map(kinds.count, KINDS)
    if name == "f1":
        return 2 * hits / (2 * hits + alarms + misses) if hits + alarms + misses else math.nan
    margins = (hits + alarms) * (hits + misses) * (rejections + alarms) * (rejections + misses)
    return (hits * rejections - alarms * misses) / math.sqrt(margins) if margins else math.nan


def cross_fitted(name, human, metric, options):
    """Returns which outputs are called good by the lowest of the best thresholds of the other folds, 1 or 0."""
    inputs = human.shape[1]
    folds = np.random.default_rng(options.seed).permutation(inputs) % options.folds
    called = np.full(metric.shape, math.nan)
    for fold in range(min(options.folds, inputs)):
        others = ~np.isnan(human[:, folds != fold])
        good, scores = (one[:, folds != fold][others].tolist() for one in (human > options.good_above, metric))
        values = [(detected(name, good, scores, least), -least) for least in set(scores)]
        defined = [one for one in values if not math.isnan(one[0])]
        if not defined:
            return np.full(metric.shape, math.nan)
        best = max(value for value, _ in defined)
        threshold = -max(negated for value, negated in defined if value >= best - 1e-12)
        called[:, folds == fold] = metric[:, folds == fold] >= threshold
    return np.where(np.isnan(metric), math.nan, called)


def of_pairs(name, human, metric, options, *, is_constant):
    """Returns a coefficient of Kendall's family and its weight."""
    n = len(human)
    first, second = pairs_of(n)
    is_used = name in WITH_EPSILON or options.has_epsilon_everywhere  # as in functions of arrays
    epsilon = 0.0 if options.epsilon is None or not is_used else options.epsilon
    if np.ndim(epsilon):  # after swaps, each output has the ε of the metric that it is from
        epsilon = (epsilon[first] + epsilon[second]) / 2
    people = order(human[first] - human[second])
    judged = order(metric[first] - metric[second], epsilon)
    if name == "kendall-like":
        counted = (people != 0) & (np.abs(human[first] - human[second]) >= (options.threshold or 0.0) - TINY)
        right = int((counted & (people == judged)).sum())
        return (2 * right / counted.sum() - 1, float(counted.sum())) if counted.any() else (math.nan, 0.0)
    if name in ("acc-eq", "acc-23", "pairwise-accuracy"):
        return float((people == judged).mean()), 1.0
    if name == "tau-23":
        return 2 * float((people == judged).mean()) - 1, 1.0
    if name not in KENDALL:
        with open(__file__, encoding="utf-8") as lines:
            line = next(number for number, text in enumerate(lines, 1) if text.startswith("DEFINITIONS"))
        raise LookupError(f"no definition of '{name}': add a function of two lists of scores in {__file__}:{line}")
    if is_constant or not people.any() or not judged.any():
        return math.nan, 0.0
    surplus = float((people * judged).sum())
    distinct = min(len(np.unique(np.round(scores, 9))) for scores in (human, metric))
    divisor = {
        "kendall-a": len(first),
        "kendall-b": math.sqrt((people != 0).sum() * (judged != 0).sum()),
        "kendall-c": n**2 * (distinct - 1) / distinct / 2,
    }[name]
    return min(1.0, max(-1.0, surplus / divisor)), 1.0


def of_copies(name, human, metric, weights, options):
    """Returns the coefficient of each row of matrices, whose outputs are copied as often as their weights say."""
    copies = ((np.repeat(h, w), np.repeat(m, w)) for h, m, w in zip(human, metric, weights.astype(int), strict=True))
    return np.array([of_group(name, h, m, options)[0] for h, m in copies])


def means(scores):
    """Averages each row over its scores; NaN for a row without any."""
    return np.array([row[~np.isnan(row)].mean() if (~np.isnan(row)).any() else math.nan for row in scores])


def groups(human, metric, level):
    """Returns the pairs of vectors that a level correlates, without missing scores."""
    if level == "input":
        pairs = list(zip(human.T, metric.T, strict=True))
    elif level == "within-system":
        pairs = list(zip(human, metric, strict=True))
    elif level == "system":
        pairs = [(means(human), means(metric))]
    else:
        pairs = [(human.ravel(), metric.ravel())]
    return [(one[~np.isnan(one)], other[~np.isnan(one)]) for one, other in pairs]


def group_values(name, human, metric, level, options):
    """Returns the coefficient of each group, and its weight."""
    return [of_group(name, one, other, options) for one, other in groups(human, metric, level)]


def weighted_mean(values):
    """Averages the defined values of groups by their weights."""
    defined = [(value, weight) for value, weight in values if not math.isnan(value) and weight]
    total = sum(weight for _, weight in defined)
    return sum(value * weight for value, weight in defined) / total if defined else math.nan


def coefficient(name, human, metric, level, options, complete=None):
    """Returns the coefficient of two matrices (systems, inputs), NaN in the same cells.

    ``complete`` are the inputs of SPA, by default those that no system lacks.
    """
    if name == "pdp":
        return pdp(human, metric)
    if name in ("f1", "mcc") and options.threshold is None:
        metric, options = cross_fitted(name, human, metric, options), replace(options, threshold=0.5)
        human = np.where(np.isnan(metric), math.nan, human)
    if name in ("spa", "spa:normal"):
        return spa(name, human, metric, options, complete)
    return weighted_mean(group_values(name, human, metric, level, options))


def pdp(human, metric):
    """Correlates the differences of all ordered pairs of outputs of the same input."""
    differences = [[], []]
    for people, scores in zip(human.T, metric.T, strict=True):
        present = np.flatnonzero(~np.isnan(people))
        for first in present:
            for second in present:
                if first != second:
                    differences[0].append(people[first] - people[second])
                    differences[1].append(scores[first] - scores[second])
    x, z = map(np.array, differences)
    if not len(x) or max(abs(x)) <= TINY or max(abs(z)) <= TINY:
        return math.nan
    return float((x * z).sum() / math.sqrt((x * x).sum() * (z * z).sum()))


def spa(name, human, metric, options, complete=None):
    """Returns 1 − the mean distance between the p-values of people and metric over pairs of systems."""
    complete = ~np.isnan(human).any(axis=0) if complete is None else complete
    human, metric = human[:, complete], metric[:, complete]
    if len(human) < 2 or not human.shape[1]:
        return math.nan
    distances = []
    for first in range(len(human)):
        for second in range(first + 1, len(human)):
            p_values = [better(name, one[first], one[second], options) for one in (human, metric)]
            distances.append(abs(p_values[0] - p_values[1]))
    return 1 - float(np.mean(distances))


def better(name, one, other, options):
    """Returns the p-value that one system is no better than another."""
    differences = one - other
    if name == "spa:normal":
        norm = math.sqrt((differences**2).sum())
        return float(stats.norm.cdf(-differences.sum() / norm)) if norm > TINY else 0.5
    flips = sign_flips(options, len(differences))
    if options.stream == "mt-metrics-eval":  # it sums the scores of each system in single precision
        single = [scores.astype(np.float32) for scores in (one, other)]
        sums = [flips @ scores for scores in single]
        return float((sums[0] - sums[1] >= single[0].sum() - single[1].sum()).mean())
    return float((flips @ differences >= differences.sum() - 1e-9 * np.abs(differences).sum()).mean())


def sign_flips(options, inputs):
    """Returns the sign flips, which are those of `width` inputs if that is more."""
    width = max(inputs, options.flips.get("width", 0))
    if width not in options.flips:
        shape = options.sign_flips, width
        if options.stream == "mt-metrics-eval":
            flips = 2 * np.rint(np.random.default_rng(4).random(shape, dtype=np.float32)) - 1
            options.flips[width] = flips.astype(np.float64)
        else:
            options.flips[width] = np.where(np.random.default_rng(options.seed).random(shape) < 0.5, -1.0, 1.0)
    return options.flips[width][:, :inputs]


def calibrated(human, metric, level):
    """Returns the least ε with the largest mean of (C + T_hm)/T over groups of two outputs or more."""
    compared = [(one, other) for one, other in groups(human, metric, level) if len(one) > 1]
    if not compared:
        return math.nan
    candidates = {0.0}
    for _, scores in compared:
        candidates.update(abs(one - other) for index, one in enumerate(scores) for other in scores[:index])
    best, chosen = -1.0, math.nan
    for epsilon in sorted(candidates):
        options = Options(epsilon=float(epsilon))
        accuracy = np.mean([of_group("acc-eq", one, other, options)[0] for one, other in compared])
        if accuracy > best + 1e-12:
            best, chosen = accuracy, float(epsilon)
    return chosen


def fitted(name, human, metric, level, options):
    """Returns the options with the ε of acc-eq: given, or calibrated on other data or on these."""
    if name == "acc-eq" and options.fit is not None:
        return replace(options, epsilon=options.fit)
    if name != "acc-eq" or options.epsilon is not None:
        return options
    epsilon = calibrated(human, metric, level)
    return replace(options, epsilon=0.0 if math.isnan(epsilon) else epsilon)


def without_small_groups(human, level, least):
    """Returns the human scores without the groups that have fewer outputs; groups of one have no coefficient anyway."""
    human = human.copy()
    if level in AVERAGED and least > 2:
        by_group = human.T if level == "input" else human  # views, so that changes reach the scores
        by_group[(~np.isnan(by_group)).sum(axis=1) < least] = math.nan
    return human


def trimmed(human, *others, labels=None):
    """Leaves out the systems and inputs without scores, and the labels of these inputs."""
    rows, columns = ((~np.isnan(human)).any(axis=axis) for axis in (1, 0))
    kept = [matrix[rows][:, columns] for matrix in (human, *others)]
    return [*kept, None if labels is None else [one for one, used in zip(labels, columns, strict=True) if used]]
