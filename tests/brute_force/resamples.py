"""Intervals and p-values of single correlations: resamples are written out, copy by copy."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
from scipy import stats

from brute_force.coefficients import (
    AVERAGED,
    KENDALL,
    Options,
    coefficient,
    groups,
    is_share,
    of_group,
    order,
    trimmed,
)

RANKS = ("spearman", *KENDALL, "tau-23", "acc-23", "acc-eq", "kendall-like", "pairwise-accuracy")


def resample(name, human, metric, level, options, rows, columns):
    """Returns the coefficient of a resample, in which systems and inputs are as often as their weights say."""
    chosen = np.repeat(np.arange(len(rows)), rows.astype(int))
    drawn = np.repeat(np.arange(len(columns)), columns.astype(int))
    complete = ~np.isnan(human).any(axis=0)
    one, other = (scores[chosen][:, drawn] for scores in (human, metric))
    return coefficient(name, one, other, level, options, complete[drawn])


def resampled(name, human, metric, level, options, weights):
    """Returns the coefficient in each resample; SPA draws its sign flips once, for the longest resample."""
    complete = ~np.isnan(human).any(axis=0)
    longest = max((int(columns[complete].sum()) for _, columns in weights), default=0)
    options = replace(options, flips={"width": longest})
    return np.array([resample(name, human, metric, level, options, *one) for one in weights])


def bootstrap_weights(population, shape, resamples, seed, labels):
    """Returns the weights of systems and inputs that the package draws."""
    from metrics_framework.meta_evaluation import intervals as populations

    found = []
    for rows, columns in populations.bootstrap_blocks(population, shape, resamples, seed, labels):
        rows = np.ones((len(columns), shape[0])) if rows is None else rows
        columns = np.ones((len(rows), shape[1])) if columns is None else columns
        found += list(zip(rows, columns, strict=True))
    return found


def left_out_weights(population, shape, labels):
    """Returns weights that leave out one system, or the inputs of one cluster."""
    if population == "systems":
        return [(1.0 - (np.arange(shape[0]) == one), np.ones(shape[1])) for one in range(shape[0])]
    labels = list(range(shape[1])) if labels is None else labels
    return [(np.ones(shape[0]), np.array([float(label != one) for label in labels])) for one in dict.fromkeys(labels)]


def interval_method(name, level, ci):
    """Returns the method of an interval."""
    if ci != "default":
        return ci
    if level != "system" or name not in ("pearson", *RANKS):
        return "jackknife-systems"
    return "fisher" if name == "pearson" else "fisher-shrunken"


def interval(name, human, metric, level, options, settings, labels):
    """Returns both ends of an interval and the number of undefined resamples; `None` where there is none."""
    method = interval_method(name, level, settings["ci"])
    human, metric, labels = trimmed(human, metric, labels=labels)
    if method == "none" or not human.size:
        return None, None, None
    value = coefficient(name, human, metric, level, options)
    tail = (100 - settings["confidence"]) / 100 / (2 if settings["two_tailed"] else 1)
    if method in ("fisher", "fisher-shrunken"):
        formula = fisher if method == "fisher" else fisher_shrunken
        return *_ends(*formula(name, value, human, metric, level, tail)), None
    kind, population = method.split("-")
    undefined, drawn, left_out = None, None, None
    if kind in ("bootstrap", "bca"):
        weights = bootstrap_weights(population, human.shape, settings["resamples"], settings["seed"], labels)
        drawn = resampled(name, human, metric, level, options, weights)
        undefined = int(np.isnan(drawn).sum())
        drawn = drawn[~np.isnan(drawn)]
    if kind in ("jackknife", "bca"):
        left_out = resampled(name, human, metric, level, options, left_out_weights(population, human.shape, labels))
    if math.isnan(value):
        return None, None, undefined
    if kind == "jackknife":
        ends = jackknife(name, value, left_out, tail)
    elif kind == "bca":
        ends = bca(value, drawn, left_out, tail)
    else:
        ends = np.percentile(drawn, [100 * tail, 100 - 100 * tail]) if len(drawn) else (math.nan, math.nan)
    if kind != "jackknife" and not (ends[1] - ends[0] >= 1e-9 and ends[0] - 1e-9 <= value <= ends[1] + 1e-9):
        ends = (math.nan, math.nan)
    if method == "jackknife-systems" and len(left_out) < 4:
        ends = (math.nan, math.nan)
    return *_ends(*ends), undefined


def _ends(lower, upper):
    return (None, None) if math.isnan(lower) or math.isnan(upper) else (lower, upper)


def _tanh_interval(value, error, tail):
    if not abs(value) < 1 - 1e-12 or math.isnan(error):
        return math.nan, math.nan
    return tuple(math.tanh(math.atanh(value) + side * stats.norm.isf(tail) * error) for side in (-1, 1))


def _error(name, value, n):
    """Returns the standard error of artanh of the coefficient."""
    if name == "pearson":
        return 1 / math.sqrt(n - 3) if n > 3 else math.nan
    if name == "spearman":
        return math.sqrt((1 + value**2 / 2) / (n - 3)) if n > 3 else math.nan
    return math.sqrt(0.437 / (n - 4)) if n > 4 else math.nan


def fisher(name, value, human, metric, level, tail):
    """Returns Fisher's interval, with the errors of Bonett and Wright, and of Fieller, Hartley and Pearson."""
    if name not in ("pearson", "spearman", *KENDALL):
        return math.nan, math.nan
    axis = {"within-system": 0, "input": 1, "system": 1}.get(level)
    present = ~np.isnan(human)
    n = present.sum() if axis is None else present.any(axis=axis).sum()
    return _tanh_interval(value, _error(name, value, int(n)), tail)


def _extended(ends, value):
    """Returns the ends of an interval that contains the value."""
    return min(ends[0], value), max(ends[1], value)  # NaN stays first


def fisher_shrunken(name, value, human, metric, level, tail):
    """Returns the interval over systems of a coefficient of ranks, on a shrunken value."""
    if name not in RANKS:
        return math.nan, math.nan
    ((people, scores),) = groups(human, metric, "system")
    n = len(people)
    if name == "spearman":
        m = n * (n**2 - 1) / 3
        shrunken = value * m / (m + 4)
        return _extended(_tanh_interval(shrunken, _error(name, shrunken, n), tail), value)
    first, second = np.triu_indices(n, 1)
    untied = int(((order(people[first] - people[second]) != 0) & (order(scores[first] - scores[second]) != 0)).sum())
    if not untied:
        return math.nan, math.nan
    tau = 2 * value - 1 if is_share(name) else value
    ends = _extended(_tanh_interval(tau * untied / (untied + 1), _error(name, tau, n), tail), tau)
    return tuple((end + 1) / 2 for end in ends) if is_share(name) else ends


def jackknife(name, value, left_out, tail):
    """Returns Student's interval of the pseudo-values on the scale of artanh."""
    values = np.append(left_out, value)
    values = 2 * values - 1 if is_share(name) else values
    n = len(left_out)
    at_limit = (np.abs(values) > 1 - 1e-12).any()
    if n < 2 or np.isnan(values).any() or (at_limit and n < 20):
        return math.nan, math.nan
    theta = values if at_limit else np.arctanh(values)
    pseudo = n * theta[-1] - (n - 1) * theta[:-1]
    half = stats.t.isf(tail, n - 1) * pseudo.std(ddof=1) / math.sqrt(n)
    ends = [pseudo.mean() - half, pseudo.mean() + half]
    lower, upper = np.clip(ends, -1, 1) if at_limit else np.tanh(ends)
    if upper - lower < 1e-9 * (1 + is_share(name)) or not lower <= values[-1] <= upper:
        return math.nan, math.nan
    return ((lower + 1) / 2, (upper + 1) / 2) if is_share(name) else (lower, upper)


def bca(value, drawn, left_out, tail):
    """Returns the bias-corrected and accelerated interval of Efron."""
    equal = np.abs(drawn - value) <= 1e-9 * abs(value)
    below = ((drawn < value) & ~equal).sum() + equal.sum() / 2
    if not len(drawn) or not 0 < below < len(drawn) or np.isnan(left_out).any():
        return math.nan, math.nan
    bias = stats.norm.ppf(below / len(drawn))
    skew = left_out.mean() - left_out
    power = (skew**2).sum() ** 1.5
    acceleration = (skew**3).sum() / 6 / power if power > 1e-30 else 0.0
    shifted = [bias + stats.norm.ppf(one) for one in (tail, 1 - tail)]
    return np.percentile(drawn, [100 * stats.norm.cdf(bias + one / (1 - acceleration * one)) for one in shifted])


def p_value(name, human, metric, level, labels):
    """Returns the p-value of no correlation of independent points; `None` if there is none."""
    if (
        level in AVERAGED
        or (level == "global" and labels is not None)
        or name not in ("pearson", "spearman", "kendall-b")
    ):
        return None
    ((people, scores),) = groups(human, metric, level)
    value, _ = of_group(name, people, scores, Options()) if len(people) > 1 else (math.nan, 0)
    if math.isnan(value):
        return math.nan
    n = len(people)
    if name == "pearson":
        return float(stats.pearsonr(people, scores)[1]) if n > 2 else 1.0
    people, scores = (stats.rankdata(np.round(one, 9)) for one in (people, scores))
    if name == "kendall-b":
        return float(stats.kendalltau(people, scores)[1])
    if n <= 7:
        sums = [abs(np.corrcoef(people, one)[0, 1]) for one in map(np.array, permutations(scores))]
        return float(np.mean(np.array(sums) >= abs(value) - 1e-12))
    if n <= 10 or abs(value) > 1 - 1e-12:
        return ...  # too many pairings to try: other tests have such p-values
    return max(float(stats.spearmanr(people, scores)[1]), 2 / math.factorial(n))
