"""All sections of a study, from matrices (systems, inputs) and the arguments of `correlate`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy import stats

from brute_force.averages import average, tasks_of
from brute_force.coefficients import (
    AVERAGED,
    Options,
    calibrated,
    coefficient,
    fitted,
    group_values,
    only_level,
    without_small_groups,
)
from brute_force.differences import compared, corrected, joint
from brute_force.resamples import interval, p_value

LEVELS = ("input", "system", "global", "within-system")


@dataclass(frozen=True)
class Part:
    """A data set.

    Args:
        ratings: Shape (systems, inputs, raters); NaN where missing.
        metrics: Metric to scores, shape (systems, inputs).
        covariate: Of the same shape.
        clusters: The cluster of each input, or `None`.
        slices: Label to which outputs have it.
    """

    ratings: np.ndarray
    metrics: dict
    covariate: np.ndarray
    clusters: list | None
    slices: dict

    @property
    def human(self):
        """The mean of the ratings."""
        return self.ratings.mean(axis=2)


def chosen_of(request):
    """Returns the levels and coefficients of a study, in their order."""
    names = request["coefficients"]
    levels = [level for level in LEVELS if level in request["levels"]]
    return [(level, name) for level in levels for name in names if only_level(name) in (None, level)]


def options_of(request, fit=None):
    """Returns a function from a metric and a level to the options of coefficients."""
    plain = Options(
        epsilon=request["epsilon"],
        threshold=request["threshold"],
        sign_flips=request["sign_flips"],
        seed=request["seed"],
        stream=request["stream"],
    )
    return lambda metric, level: replace(plain, fit=(fit or {}).get((metric, level)), flips={})


def expected(parts, request, other=None):
    """Returns the numbers of every section, under the keys of `sections_of`.

    Args:
        parts: Data set to its scores.
        request: The arguments of `correlate`.
        other: The same for the scores that fit ε.
    """
    chosen = chosen_of(request)
    sections = {}
    fits = {}
    for name, part in parts.items():
        fits[name] = _fit(other[name], request, chosen) if other else {}
        options = options_of(request, fits[name])
        for metric, scores in part.metrics.items():
            _add(sections, "", (name, metric), _correlated(part.human, scores, part.clusters, request, options, metric))
        _add_comparisons(sections, name, part, request, options, chosen)
        _add_slices(sections, name, part, request, options)
        _add_partials(sections, name, part, request)
        _add_people(sections, name, part, request, chosen, options_of(request))
    if request["data_sets"]:
        options_of_sets = {name: options_of(request, fits[name]) for name in parts}
        data_sets = {name: (part.human, part.metrics, part.clusters) for name, part in parts.items()}
        tasks = tasks_of(request["preset"], list(parts), chosen)
        values, averages, tested = average(data_sets, tasks, options_of_sets, request)
        sections["task values"] = values
        sections["averages"] = {one: value for one, value in averages.items() if not math.isnan(value)}
        sections["p-values of averages"] = tested
    return sections


def _add(sections, prefix, key, found):
    for section, values in found.items():
        sections.setdefault(prefix + section, {}).update({(*key, *one): value for one, value in values.items()})


def _fit(part, request, chosen):
    fit = {}
    for metric, scores in part.metrics.items():
        human, metrics, _ = joint(part.human, {metric: scores}, None)
        for level in {level for level, _ in chosen}:
            people = without_small_groups(human, level, request["min_group"])
            epsilon = calibrated(people, np.where(np.isnan(people), math.nan, metrics[metric]), level)
            if not math.isnan(epsilon):
                fit[metric, level] = epsilon
    return fit


def _correlated(human, scores, labels, request, options, metric):
    """Returns the sections of one metric and one human score."""
    found = {"values": {}, "groups": {}, "intervals": {}, "p-values": {}}
    whole, metrics, labels = joint(human, {metric: scores}, labels)
    for level, name in chosen_of(request):
        people = without_small_groups(whole, level, request["min_group"])
        one = np.where(np.isnan(people), math.nan, metrics[metric])
        own = fitted(name, people, one, level, options(metric, level))
        found["values"][level, name] = coefficient(name, people, one, level, own)
        if level in AVERAGED and name != "pdp":
            found["groups"][level, name] = [value for value, _ in group_values(name, people, one, level, own)]
        found["intervals"][level, name] = interval(name, people, one, level, own, request, labels)
        found["p-values"][level, name] = p_value(name, people, one, level, labels)
    return found


def _add_comparisons(sections, name, part, request, options, chosen):
    if request["test"] == "none":
        return
    for level, coefficient_name in chosen:
        values, tested = compared(coefficient_name, part.human, part.metrics, level, options, request, part.clusters)
        key = (name, level, coefficient_name)
        both = {pair: found[0] for pair, found in tested.items()}
        sections.setdefault("compared values", {})[key] = values
        sections.setdefault("p-values of differences", {})[key] = both
        sections.setdefault("corrected p-values", {})[key] = corrected(both, request["correct"])
        sections.setdefault("p-values in favour", {})[key] = {pair: found[1] for pair, found in tested.items()}


def _add_slices(sections, name, part, request, options):
    for label, cells in part.slices.items() if request["slices"] else ():
        for metric, scores in part.metrics.items():
            human = np.where(cells, part.human, math.nan)
            if np.isnan(human + scores).all():
                continue
            found = _correlated(human, scores, part.clusters, request, options, metric)
            _add(sections, "slices: ", (name, label, metric), found)
    if request["slices"]:
        _add_changes(sections, name, part)


def _add_changes(sections, name, part):
    """Adds the value over all outputs, the mean of the values of the slices, and how many slices have one."""
    for (data_set, metric, level, kind), pooled in sections["values"].items():
        if data_set == name:
            where = [(name, label, metric, level, kind) for label in part.slices]
            each = [sections["slices: values"][one] for one in where if one in sections.get("slices: values", {})]
            each = _defined(each)
            mean = sum(each) / len(each) if each else math.nan
            sections.setdefault("slice changes", {})[name, metric, level, kind] = pooled, mean, len(each)


def _add_partials(sections, name, part, request):
    if not request["partial"]:
        return
    for metric, scores in part.metrics.items():
        for level in ("input", "global"):
            for kind in ("pearson", "spearman"):
                if level in request["levels"] and kind in request["coefficients"]:
                    people = np.where(np.isnan(scores), math.nan, part.human)
                    people = without_small_groups(people, level, request["min_group"])
                    found = partial(people, scores, part.covariate, kind, level)
                    p = found[2] if part.clusters is None else math.nan
                    sections.setdefault("partial correlations", {})[name, metric, level, kind] = (*found[:2], p)


def partial(human, metric, covariate, kind, level):
    """Returns the correlation at equal values of a covariate, the one without it, and its p-value."""
    missing = np.isnan(human) | np.isnan(metric) | np.isnan(covariate)
    columns = [np.where(missing, math.nan, one) for one in (human, metric, covariate)]
    cells = [np.flatnonzero(~missing[:, index]) for index in range(human.shape[1])]
    if level == "global":
        columns = [one.reshape(-1, 1) for one in columns]
        cells = [np.flatnonzero(~missing.ravel())]
    every = [[one[rows, index] for index, rows in enumerate(cells) if len(rows)] for one in columns]
    if kind == "spearman":
        every = [[stats.rankdata(group) for group in one] for one in every]
    centred = [np.concatenate([group - group.mean() for group in one] or [np.empty(0)]) for one in every]
    squares = float((centred[2] ** 2).sum())
    residuals = [one - (centred[2] @ one / squares) * centred[2] if squares else one for one in centred[:2]]
    ends = np.cumsum([len(group) for group in every[0]])[:-1]
    before = [_pearson(*pair) for pair in zip(*every[:2], strict=True)]
    after = [_pearson(*pair) for pair in zip(*(np.split(one, ends) for one in residuals), strict=True)]
    after = [math.nan if math.isnan(one) else other for one, other in zip(before, after, strict=True)]
    value, plain = (float(np.mean(kept)) if kept else math.nan for kept in map(_defined, (after, before)))
    freedom = int((~missing).sum()) - 3
    p = math.nan
    if level == "global" and freedom > 0 and not math.isnan(value):
        p = float(2 * stats.t.sf(abs(value) * math.sqrt(freedom / max(1e-300, 1 - value**2)), freedom))
    return value, plain, p


def _defined(values):
    return [value for value in values if not math.isnan(value)]


def _pearson(x, z):
    if len(x) < 2 or np.ptp(x) <= 1e-9 or np.ptp(z) <= 1e-9:
        return math.nan
    return float(np.corrcoef(x, z)[0, 1])


def _add_people(sections, name, part, request, chosen, options):
    raters = part.ratings.shape[2]
    if raters < 2:
        return
    means = {}
    for rater in range(raters):
        rest = np.delete(part.ratings, rater, axis=2).mean(axis=2)
        means[rater] = part.ratings[:, :, rater], rest
        if request["humans_as_metrics"]:
            found = _correlated(rest, means[rater][0], part.clusters, request, options, str(rater + 1))
            _add(sections, "raters: ", (name, str(rater + 1)), found)
    halves = [half for half in combinations(range(raters), raters // 2) if raters % 2 or 0 in half]
    for level, kind in chosen:
        if kind in ("spa", "spa:normal"):
            continue
        own = replace(options("", level), epsilon=None)

        def value(rest, rating, kind=kind, level=level, own=own):
            people = without_small_groups(rest, level, request["min_group"])
            metric = np.where(np.isnan(people), math.nan, rating)
            return coefficient(kind, people, metric, level, fitted(kind, people, metric, level, own))

        each = _defined([value(rest, rating) for rating, rest in means.values()])
        splits = _defined([value(part.ratings[:, :, half].mean(axis=2), _other(part.ratings, half)) for half in halves])
        one_vs_rest, split_half = (float(np.mean(one)) if one else math.nan for one in (each, splits))
        sections.setdefault("ceilings", {})[name, level, kind] = one_vs_rest, split_half


def _other(ratings, half):
    return np.delete(ratings, half, axis=2).mean(axis=2)


def rows_of(parts):
    """Returns the rows of data sets, whose systems and inputs have the same ids."""
    rows = []
    for name, part in parts.items():
        for system, index in np.ndindex(part.human.shape):
            row = {"instance_id": f"{index:02}", "summarizer_id": f"s{system}", "doc": f"d{index * 3 // 7}"}
            row |= {"kind": f"k{system % 2}", "task": name, "length": float(part.covariate[system, index])}
            scores = {metric: float(one[system, index]) for metric, one in part.metrics.items()}
            ratings = part.ratings[system, index].tolist()
            if not math.isnan(ratings[0]):
                row["human"] = ratings if len(ratings) > 1 else ratings[0]
            rows.append(row | {metric: score for metric, score in scores.items() if not math.isnan(score)})
    return rows
