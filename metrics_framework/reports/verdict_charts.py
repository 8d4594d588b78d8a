"""The pictures that a page of correlations leads with: metrics and coefficients, one matrix for each level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Average
from metrics_framework.meta_evaluation.correlate.ranked_metrics import (
    RankedMetric,
    TaskColumn,
    ranked_by_average,
    task_columns,
)
from metrics_framework.meta_evaluation.correlate.sentinel_metrics import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
from metrics_framework.reports.charts.verdict_matrix import (
    BEST,
    OTHER,
    TIED,
    WORSE,
    Verdict,
    VerdictColumn,
    verdict_matrix,
)
from metrics_framework.reports.metric_comparison_table import correction_of, p_cell, tails_of

MAX_COLUMNS = 9
"""With more columns, a level has several matrices, so that each is readable."""
LEGEND = (
    "Solid: the best metric by a coefficient. Shaded, with †: not distinguishable from it. Pale: significantly worse, "
    "or not tested. A minus sign before a name: negated, because lower is better."
)
"""What the shades of all matrices mean."""


def verdict_charts(study: Study) -> list[str]:
    """Draws a matrix of metrics and coefficients for each level, and one of averages.

    Args:
        study: The results, with the levels to show.
    """
    columns = task_columns(study)
    charts = [_of_averages(study.averages)] if study.averages else []
    for level in study.request.levels:
        of_level = [one for one in columns if one.level == level]
        charts += [_of_level(f"{level.capitalize()} level", part) for part in _parts(of_level)]
    return charts


def _parts(columns: Sequence[TaskColumn]) -> list[list[TaskColumn]]:
    """Splits columns between ratings or data sets, so that a part is not wider than needed for one of them."""
    parts: list[list[TaskColumn]] = []
    for _, group in groupby(columns, key=lambda one: (one.data_set, one.human)):
        of_rating = list(group)
        if parts and len(parts[-1]) + len(of_rating) <= MAX_COLUMNS:
            parts[-1] += of_rating
        else:
            parts.append(of_rating)
    return parts


def _of_level(title: str, columns: Sequence[TaskColumn]) -> str:
    ranked = [one.metric for column in columns for one in column.ranked]
    names = list(dict.fromkeys([*ranked, *(name for column in columns for name in column.estimates)]))
    names.sort(key=lambda name: name in SENTINELS)
    labels = {one.metric: one.label for column in columns for one in column.ranked}
    drawn = [
        VerdictColumn(
            f"{column.human}, {column.data_set}" if column.data_set else column.human,
            load_coefficient(column.coefficient).title,
            _verdicts(names, column.ranked),
        )
        for column in columns
    ]
    return verdict_matrix(
        title,
        _tests([one.comparison.found for one in columns if one.comparison is not None]),
        [labels.get(name, name) for name in names],
        drawn,
    )


def _of_averages(averages: Sequence[Average]) -> str:
    ranked = [ranked_by_average(average) for average in averages]
    names = list(dict.fromkeys(one.metric for of_average in ranked for one in of_average))
    labels = {one.metric: one.label for of_average in ranked for one in of_average}
    columns = [
        VerdictColumn(average.human, "average", _verdicts(names, of_average))
        for average, of_average in zip(averages, ranked, strict=True)
    ]
    title = f"Average over {counted(len(averages[0].found.task_values), 'task')}"
    return verdict_matrix(
        title, _tests([average.found for average in averages]), [labels[name] for name in names], columns
    )


def _tests(compared: Sequence[DifferenceMatrix | AverageMatrix]) -> str:
    """Returns the p-values that the shades follow."""
    if not compared:
        return "not tested"
    found = compared[0]
    return f"{tails_of(found)} p ≤ {found.alpha:g}, {correction_of(found)}"


def _verdicts(names: Sequence[str], ranked: Sequence[RankedMetric]) -> list[Verdict]:
    by_name = {one.metric: one for one in ranked}
    best = next((one for one in ranked if one.metric not in SENTINELS), None)
    return [_verdict(name, by_name.get(name), best) for name in names]


def _verdict(name: str, one: RankedMetric | None, best: RankedMetric | None) -> Verdict:
    if one is None:
        return Verdict("", title=f"{name}: undefined")
    value = f"{one.value:.3f}".replace("-", "−")
    if one is best:
        return Verdict(value, BEST, f"{one.label}: {value}, best")
    if one.is_worse is None or one.p_value is None:
        return Verdict(value, OTHER, f"{one.label}: {value}")
    return Verdict(value, WORSE if one.is_worse else TIED, f"{one.label}: {value}, p {p_cell(one.p_value)}")
