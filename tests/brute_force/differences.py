"""Tests of differences between metrics, and averages over data sets: every permutation swaps the scores themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import stats

from brute_force.coefficients import (
    WITH_EPSILON,
    coefficient,
    fitted,
    group_values,
    groups,
    of_group,
    only_level,
    trimmed,
    weighted_mean,
    without_small_groups,
)
from brute_force.resamples import bootstrap_weights, resampled
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient

PARTS = {"both": ("inputs", "systems")}


def signs_of(test, data_sets, settings, seeds, *, enumerate_all=True):
    """Returns the signs that the package draws, (permutations, systems, inputs) for each data set; and whether all."""
    from metrics_framework.meta_evaluation.differences.difference_test import MetricSet, TestSettings, load_test

    sets = [MetricSet(human, {}, labels) for human, labels in data_sets]
    drawn = load_test(test).draw(sets, TestSettings(test, settings["resamples"]), seeds, enumerate_all=enumerate_all)
    signs = [one.dense(human.shape) for one, (human, _) in zip(drawn, data_sets, strict=True)]
    return signs, drawn[0].is_exact


def standardized(scores):
    """Returns z-scores over all cells, and the standard deviation (population)."""
    spread = float(np.nanstd(scores))
    return (scores - np.nanmean(scores)) / (spread or 1.0), spread


def null_differences(name, human, metrics, level, options, test, signs):
    """Returns the difference between two metrics after the swaps of each permutation."""
    swaps_groups = {"input": "inputs", "within-system": "systems"}.get(level) == test and not only_level(name)
    return np.array(
        [
            swapped_groups(name, human, metrics, level, options, one)
            if swaps_groups
            else swapped_cells(name, human, metrics, level, options, one)
            for one in signs
        ]
    )


def swapped_groups(name, human, metrics, level, options, signs):
    """Exchanges the values of whole groups, each with the ε of its metric."""
    values = [group_values(name, human, metric, level, one) for metric, one in zip(metrics, options, strict=True)]
    stays = (signs[0] if level == "input" else signs[:, 0]) > 0
    sides = [
        weighted_mean([one if kept else other for kept, one, other in zip(stays, *pair, strict=True)])
        for pair in (values, values[::-1])
    ]
    return sides[0] - sides[1]


def swapped_cells(name, human, metrics, level, options, signs):
    """Exchanges standardized scores; scores keep the ε of their metric, and pairs of both metrics have the mean ε."""
    scaled, spreads = zip(*map(standardized, metrics), strict=True)
    scaled = metrics if load_coefficient(name).depends_on_scale else scaled
    sizes = [(own.epsilon or 0.0) / spread if spread else 0.0 for own, spread in zip(options, spreads, strict=True)]
    sides = []
    for one, other in ((0, 1), (1, 0)):
        mixed = np.where(signs > 0, scaled[one], scaled[other])
        epsilon = np.where(signs > 0, sizes[one], sizes[other])
        own = replace(options[0], epsilon=None)
        if name not in WITH_EPSILON:
            sides.append(coefficient(name, human, mixed, level, own))
        elif level == "system":  # a mean of scores of both metrics has the mean ε
            sides.append(weighted_mean(group_values(name, human, mixed, level, replace(own, epsilon=epsilon.mean()))))
        else:
            pairs = zip(groups(human, mixed, level), groups(human, epsilon, level), strict=True)
            sides.append(
                weighted_mean([of_group(name, *pair, replace(own, epsilon=each)) for pair, (_, each) in pairs])
            )
    return sides[0] - sides[1]


def tails(observed, trials, *, is_exact):
    """Returns the two-sided p-value, and that in favour of the first metric; undefined trials count as large."""
    undefined = np.isnan(trials)
    large = (np.abs(trials) >= abs(observed) - 1e-12, trials >= observed - 1e-12)
    counts = [int((undefined | one).sum()) for one in large]
    return [count / len(trials) if is_exact else (count + 1) / (len(trials) + 1) for count in counts]


def tested(name, human, metrics, level, options, test, settings, labels):
    """Returns the p-values of one pair of metrics: two-sided, and in favour of the first."""
    if test in PARTS:
        parts = [tested(name, human, metrics, level, options, part, settings, labels) for part in PARTS[test]]
        return [max(each) for each in zip(*parts, strict=True)]
    values = [coefficient(name, human, one, level, each) for one, each in zip(metrics, options, strict=True)]
    if test == "williams":
        return williams(*values, coefficient(name, *metrics, level, options[0]), len(human))
    if test.startswith("bootstrap-"):
        weights = bootstrap_weights(test[10:], human.shape, settings["resamples"], settings["seed"], labels)
        drawn = [resampled(name, human, one, level, each, weights) for one, each in zip(metrics, options, strict=True)]
        differences = drawn[0] - drawn[1]
        differences = differences[~np.isnan(differences)]
        if not len(differences):
            return [math.nan, math.nan]
        sides = [((side * differences <= 1e-12).sum() + 1) / (len(differences) + 1) for side in (1, -1)]
        return [min(1.0, 2 * min(sides)), sides[0]]
    (signs,), is_exact = signs_of(test, [(human, labels)], settings, [settings["seed"]])
    trials = null_differences(name, human, metrics, level, options, test, signs)
    return tails(values[0] - values[1], trials, is_exact=is_exact)


def williams(r12, r13, r23, n):
    """Returns Williams' t-test of two correlations that share a variable."""
    determinant = np.linalg.det([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    if n <= 3 or math.isnan(determinant) or determinant <= 1e-12:
        return [math.nan, math.nan]
    mean = (r12 + r13) / 2
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / (2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3))
    return [2 * stats.t.sf(abs(t), n - 3), stats.t.sf(t, n - 3)]


def compared(name, human, metrics, level, options_of, settings, labels):
    """Returns values on all outputs of a metric, and the p-values of each pair on the outputs that both have."""
    test = settings["test"]
    test = ("systems" if level == "system" else "inputs") if test == "default" else test

    def measured(*names):
        people, scores, clusters = joint(human, {one: metrics[one] for one in names}, labels)
        people = without_small_groups(people, level, settings["min_group"])
        people, *rest, clusters = trimmed(people, *scores.values(), labels=clusters)
        scores = [np.where(np.isnan(people), math.nan, one) for one in rest]
        pairs = zip(names, scores, strict=True)
        options = [fitted(name, people, one, level, options_of(metric, level)) for metric, one in pairs]
        return people, scores, clusters, options

    def value(people, scores, options):
        return coefficient(name, people, scores, level, options)

    values = {}
    for metric in metrics:
        people, (scores,), _, (options,) = measured(metric)
        values[metric] = value(people, scores, options)
    found = {}
    for pair in ranked_pairs(values):
        people, scores, clusters, options = measured(*pair)
        of_pair = [value(people, *each) for each in zip(scores, options, strict=True)]
        found[pair] = [math.nan, math.nan]
        if not any(map(math.isnan, of_pair)):
            found[pair] = tested(name, people, scores, level, options, test, settings, clusters)
    return values, found


def joint(human, metrics, labels):
    """Keeps the outputs that have a human score and all metrics."""
    missing = np.isnan(human) | np.isnan(list(metrics.values())).any(axis=0)
    human = np.where(missing, math.nan, human)
    human, *rest, labels = trimmed(human, *metrics.values(), labels=labels)
    return (
        human,
        {name: np.where(np.isnan(human), math.nan, one) for name, one in zip(metrics, rest, strict=True)},
        labels,
    )


def ranked_pairs(values):
    """Returns all pairs of the metrics with a value, the better one first."""
    ranked = sorted((name for name in values if not math.isnan(values[name])), key=lambda name: (-values[name], name))
    return [(one, other) for index, one in enumerate(ranked) for other in ranked[index + 1 :]]


def corrected(p_values, correction):
    """Corrects p-values for their number: Holm's method by its definition, the others by SciPy."""
    names = [name for name, p in p_values.items() if not math.isnan(p)]
    if correction == "none" or not names:
        return dict(p_values)
    numbers = [p_values[name] for name in names]
    if correction != "holm":
        found = stats.false_discovery_control(numbers, method=correction)
        return {**p_values, **dict(zip(names, found, strict=True))}
    ranks = stats.rankdata(numbers, method="ordinal")
    steps = [min(1.0, (len(numbers) - rank + 1) * p) for rank, p in zip(ranks, numbers, strict=True)]
    largest = [max(step for step, rank in zip(steps, ranks, strict=True) if rank <= own) for own in ranks]
    return {**p_values, **dict(zip(names, largest, strict=True))}
