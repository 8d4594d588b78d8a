"""The pictures that a page of correlations leads with: metrics and coefficients, one matrix for each level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import (
    RankedMetric,
    TaskColumn,
    ranked_by_average,
    task_columns,
)
from metrics_framework.meta_evaluation.correlate.comparisons import Average
from metrics_framework.meta_evaluation.correlate.data import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
from metrics_framework.reports.correlation_notes import p_values_of
from metrics_framework.reports.numbers import number, p_equation
from metrics_framework.reports.svg import MARGIN, box, drawing, line, shortened, text

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
    tails, correction = p_values_of(found)
    return f"{tails} p ≤ {found.alpha:g}, {correction}"


def _verdicts(names: Sequence[str], ranked: Sequence[RankedMetric]) -> list[Verdict]:
    by_name = {one.metric: one for one in ranked}
    best = next((one for one in ranked if one.metric not in SENTINELS), None)
    return [_verdict(name, by_name.get(name), best) for name in names]


def _verdict(name: str, one: RankedMetric | None, best: RankedMetric | None) -> Verdict:
    if one is None:
        return Verdict("", title=f"{name}: undefined")
    value = number(one.value)
    if one is best:
        return Verdict(value, BEST, f"{one.label}: {value}, best")
    if one.is_worse is None or one.p_value is None:
        return Verdict(value, OTHER, f"{one.label}: {value}")
    return Verdict(value, WORSE if one.is_worse else TIED, f"{one.label}: {value}, {p_equation(one.p_value)}")


WIDTH, HEIGHT = 88.0, 30.0
TOP = 84.0
GROUP = 26.0
HEADING = 24.0
MAX_LABEL = 30
MAX_HEADING = 12
NARROWEST = 320.0
"""The width of the title."""

BEST, TIED, WORSE, OTHER = "best", "tied", "worse", "other"
"""What is known of a value: the best of its column, not distinguishable from it, significantly worse, or not tested."""
_SHADES = {BEST: 1.0, TIED: 0.32, WORSE: 0.06, OTHER: 0.06}


class Verdict(NamedTuple):
    """A value of a matrix.

    Attributes:
        shown: The value, as text; empty if it is undefined.
        kind: What is known of it: one of `BEST`, `TIED`, `WORSE` and `OTHER`.
        title: The text of its tooltip.
    """

    shown: str
    kind: str = OTHER
    title: str = ""


class VerdictColumn(NamedTuple):
    """A column of a matrix.

    Attributes:
        group: The heading above several columns.
        heading: The heading.
        values: The values, from the first row to the last.
    """

    group: str
    heading: str
    values: Sequence[Verdict]


def verdict_matrix(title: str, subtitle: str, names: Sequence[str], columns: Sequence[VerdictColumn]) -> str:
    """Draws values as a matrix in which the best ones are solid, and those that do not differ from them shaded.

    Args:
        title: The title.
        subtitle: The line below the title.
        names: The names of the rows.
        columns: The columns; neighbours of one group share its heading.
    """
    left = MARGIN + 7.0 * max(len(shortened(name, MAX_LABEL)) for name in names) + 12
    groups = len({column.group for column in columns}) > 1
    top = TOP + HEADING + GROUP * groups
    body = [*_groups(columns, left)] if groups else []
    for index, column in enumerate(columns):
        x = left + index * WIDTH
        body.append(text(x + WIDTH / 2, top - 9, shortened(column.heading, MAX_HEADING), "middle"))
        for row, value in enumerate(column.values):
            body += _cell(x, top + row * HEIGHT, value)
    body += [
        text(left - 10, top + (row + 0.5) * HEIGHT + 4, shortened(name, MAX_LABEL), "end")
        for row, name in enumerate(names)
    ]
    width = max(left + len(columns) * WIDTH + MARGIN, NARROWEST)
    return drawing(title, subtitle, (width, top + len(names) * HEIGHT + MARGIN), body)


def _groups(columns: Sequence[VerdictColumn], left: float) -> list[str]:
    """Draws the headings of groups, with a line above the columns of each."""
    marks = []
    start = 0
    for end in range(1, len(columns) + 1):
        if end == len(columns) or columns[end].group != columns[start].group:
            x1, x2 = left + start * WIDTH + 4, left + end * WIDTH - 4
            shown = shortened(columns[start].group, round((x2 - x1) / 6.5))
            marks += [text((x1 + x2) / 2, TOP, shown, "strong middle"), line(x1, TOP + 8, x2, TOP + 8, "axis")]
            start = end
    return marks


def _cell(x: float, y: float, value: Verdict) -> list[str]:
    size = WIDTH - 2, HEIGHT - 2
    if not value.shown:
        return [box(x + 1, y + 1, size, "empty", title=value.title)]
    words = "strong on middle" if value.kind == BEST else "middle"
    shown = f"{value.shown} †" if value.kind == TIED else value.shown
    return [
        box(x + 1, y + 1, size, "cell", _SHADES[value.kind], value.title),
        text(x + WIDTH / 2, y + HEIGHT / 2 + 4, shown, words),
    ]
