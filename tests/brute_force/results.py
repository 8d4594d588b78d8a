"""The numbers of a study of the package, under the keys of `brute_force.study.expected`."""

from __future__ import annotations

import math


def numbers_of(study):
    """Returns the numbers of each section."""
    found = {}
    for one in study.correlations:
        add_levels(found, "", (one.data_set, one.metric1), one)
    add_slices(found, study)
    for one in study.raters:
        add_levels(found, "raters: ", (one.data_set, one.metric1.removeprefix("rater:")), one)
    for one in study.comparisons:
        add_comparison(found, (one.data_set, one.level, one.coefficient), one.found)
    for one in study.averages:
        found["task values"] = {task: dict(values) for task, values in one.found.task_values.items()}
        found["averages"] = dict(one.found.averages)
        tables = [by_pair(one.found.metrics, table) for table in (one.found.p_values, one.found.p_in_favour)]
        found["p-values of averages"] = {pair: [table[pair] for table in tables] for pair in tables[0]}
    for one in study.partials:
        values = (one.found.value, one.found.uncontrolled, one.found.p_value)
        found.setdefault("partial correlations", {})[one.data_set, one.metric1, one.level, one.coefficient] = values
    for one in study.ceilings:
        for (level, name), ceiling in one.ceilings.items():
            found.setdefault("ceilings", {})[one.data_set, level, name] = ceiling.one_vs_rest, ceiling.split_half
    return found


def add_slices(found, study):
    """Adds the coefficients of slices, and their means."""
    for one in study.slices:
        for each in one.correlations:
            add_levels(found, "slices: ", (one.data_set, one.value, each.metric1), each)
    for one in study.changes:
        key = one.data_set, one.metric1, one.level, one.coefficient
        found.setdefault("slice changes", {})[key] = one.pooled, one.mean_of_slices, one.slices


def add_levels(found, prefix, key, one):
    """Adds the coefficients of a correlation at all levels."""
    for level, of_level in one.levels.items():
        for name, estimate in of_level.estimates.items():
            where = (*key, level, name)
            ends = (estimate.lower, estimate.upper, estimate.undefined_resamples)
            found.setdefault(f"{prefix}values", {})[where] = estimate.value
            found.setdefault(f"{prefix}intervals", {})[where] = ends
            found.setdefault(f"{prefix}p-values", {})[where] = estimate.p_value
            if name in of_level.groups:
                found.setdefault(f"{prefix}groups", {})[where] = list(of_level.groups[name])


def add_comparison(found, key, one):
    """Adds the values and p-values of compared metrics."""
    found.setdefault("compared values", {})[key] = dict(one.values)
    for section, table in (
        ("p-values of differences", one.p_values),
        ("p-values in favour", one.p_in_favour),
        ("corrected p-values", one.adjusted),
    ):
        found.setdefault(section, {})[key] = by_pair(one.metrics, table)


def by_pair(metrics, table):
    """Returns the entries above the diagonal by the names of the metrics."""
    size = len(metrics)
    return {(metrics[i], metrics[j]): float(table[i, j]) for i in range(size) for j in range(i + 1, size)}


def differing(found, wanted, where=()):
    """Returns where two nested results differ."""
    if isinstance(wanted, dict):
        missing = [(*where, key) for key in {*found} ^ {*wanted}]
        return missing + [
            bad for key in wanted if key in found for bad in differing(found[key], wanted[key], (*where, key))
        ]
    if isinstance(wanted, (list, tuple)):
        pairs = zip(found, wanted, strict=True)
        return [bad for index, pair in enumerate(pairs) for bad in differing(*pair, (*where, index))]
    if wanted is ...:
        return []
    if found is None or wanted is None:
        return [] if found is wanted else [(where, found, wanted)]
    same = math.isclose(found, wanted, rel_tol=1e-8, abs_tol=1e-9) or (math.isnan(found) and math.isnan(wanted))
    return [] if same else [(where, found, wanted)]
