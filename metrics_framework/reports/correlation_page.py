"""The page and the charts of ``fw correlate``: answers, a matrix for each level, and all else in folded sections."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from metrics_framework.common.errors import InputError, counted
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import (
    RankedMetric,
    TaskColumn,
    answers_of,
    as_shown,
    ranked_by_average,
    task_columns,
)
from metrics_framework.meta_evaluation.correlate.comparisons import Comparison
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, Estimate
from metrics_framework.meta_evaluation.correlate.data import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy
from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
from metrics_framework.reports.charts import (
    BEST,
    OTHER,
    TIED,
    WORSE,
    Group,
    Row,
    Verdict,
    VerdictColumn,
    forest,
    p_value_matrix,
    rank_chart,
    step_curve,
    verdict_matrix,
)
from metrics_framework.reports.correlation_notes import answer_text, comparison_notes, notes_of, p_values_of
from metrics_framework.reports.correlation_plot import MAX_ROWS, correlation_plot
from metrics_framework.reports.correlation_tables import comparison_tables, correlation_table, detail_tables
from metrics_framework.reports.html.document import PageTables, Section, analysis_page, figure
from metrics_framework.reports.numbers import number, p_equation, percent, span
from metrics_framework.reports.svg import Panel, document, stacked
from metrics_framework.significance.multiple_testing import RANGES

WIDEST = 1400.0
"""The width up to which charts of several comparisons are placed side by side."""
MAX_COLUMNS, MAX_RATINGS = 9, 4
"""With more columns, or ratings of data sets, a level has several matrices, so that each is readable."""
LEGEND = (
    "Solid: the best metric by a coefficient. Shaded, with †: not distinguishable from it. Pale: significantly worse, "
    "or not tested. A minus sign before a name: negated, because lower is better."
)
"""What the shades of all matrices mean."""
_METHOD = (
    "At the input level, a coefficient is computed over the systems for each input, and averaged over inputs; within "
    "systems, over the inputs of each system, and averaged over systems. At the system level, the means of systems are "
    "correlated; at the global level, all outputs.",
    "An interval or p-value speaks of the population that was resampled, which the notes name: other inputs with these "
    "systems, other systems on these inputs, or both.",
    "Undefined coefficients, as of constant scores, are left out of means and counted; they are never 0.",
)


def correlation_page(study: CorrelationStudy, warnings: Sequence[str]) -> str:
    """Writes the results of a study as an HTML page without scripts or network requests.

    Args:
        study: The results.
        warnings: What may make them misleading.
    """
    shown, output = as_shown(study), PageTables()
    correlations, compared = shown.correlations, [one for one in shown.comparisons if len(one.found.metrics) > 1]
    table = correlation_table(correlations, shown.ceilings, output)
    sections = [
        Section("metrics", "Metrics", LEGEND, [*map(figure, verdict_charts(shown))]),
        _folded("coefficients", "Coefficients with intervals", [table, figure(forest_chart(shown))]),
    ]
    if compared:
        charts = map(figure, (matrix_chart(compared), chart_of_ranks(compared)))
        parts = [*comparison_tables(shown.comparisons, output), *charts]
        sections.append(_folded("comparisons", "Ranks and p-values", parts, comparison_notes(compared)))
    details = detail_tables(shown, output)
    if details:
        sections.append(_folded("details", "Details", details))
    if len(correlations) <= MAX_ROWS:  # else they are too many for one picture
        sections.append(_folded("scores", "Scores", [figure(correlation_plot(correlations))]))
    levels = (found for one in correlations for found in one.levels.values())
    if any(_is_calibrated(estimate) for found in levels for estimate in found.estimates.values()):
        sections.append(_folded("ties", "Ties", [figure(epsilon_chart(correlations))]))
    sections += [_folded("notes", "Notes", [], notes_of(shown)), _folded("method", "Method", [], _METHOD)]
    metrics = list(dict.fromkeys(result.metric1 for result in study.correlations))
    humans = list(dict.fromkeys(result.metric2 for result in study.correlations))
    title = f"{metrics[0] if len(metrics) == 1 else 'Metrics'} against {', '.join(humans)}"
    lead = f"{counted(len(metrics), 'metric')} and {counted(len(humans), 'human score')}: {', '.join(metrics)}."
    answers = [answer_text(answer) for answer in answers_of(study)]
    return analysis_page(title, lead, _facts(study.correlations), sections, warnings, answers)


def _facts(correlations: Sequence[Correlation]) -> dict[str, str]:
    """Counts what all correlations rest on; an input or output of two data sets is two."""
    outputs = set[tuple[str, str, str]]()
    left_out = Counter[tuple[str, str]]()
    for one in correlations:
        systems, inputs = (one.matrix.x == one.matrix.x).nonzero()
        outputs |= {
            (one.data_set, one.matrix.systems[row], one.matrix.inputs[column])
            for row, column in zip(systems, inputs, strict=True)
        }
        left_out[one.metric1, one.metric2] += sum(one.dropped.values())
    facts = {
        "Systems": str(len({system for _, system, _ in outputs})),
        "Inputs": str(len({(data_set, name) for data_set, _, name in outputs})),
        "Outputs": str(len(outputs)),
    }
    lost = span(min(left_out.values()), max(left_out.values()))
    return facts if lost == "0" else {**facts, "Left out": lost}


def _folded(anchor: str, heading: str, parts: Sequence[str], notes: Sequence[str] = ()) -> Section:
    return Section(anchor, heading, "", parts, notes, is_folded=True)


def forest_chart(study: CorrelationStudy) -> str:
    """Draws all coefficients with their intervals, and the agreement of one rater with the others."""
    kinds = dict.fromkeys(
        (result.data_set, result.metric2, level, name)
        for result in study.correlations
        for level, found in result.levels.items()
        for name in found.estimates
    )
    groups = [_group(study, *kind) for kind in kinds]
    quantity = "accuracy" if all(load_coefficient(name).range[0] == 0 for *_, name in kinds) else "coefficient"
    level = percent(study.request.confidence / 100)
    return forest("Coefficients", f"{level} intervals, where defined", groups, quantity)


def _group(study: CorrelationStudy, data_set: str, human: str, level: Level, name: str) -> Group:
    rows = [
        _row(result.metric1, result.levels[level].estimates[name])
        for result in study.correlations
        if (result.data_set, result.metric2) == (data_set, human) and name in result.levels[level].estimates
    ]
    rated = [one for one in study.ceilings if (one.data_set, one.human) == (data_set, human)]
    ceilings = [one.ceilings.get((level, name)) for one in rated]
    mark = next((one.one_vs_rest for one in ceilings if one is not None), math.nan)
    return Group(_described(name, level, human, data_set), rows, mark, "one rater")


def _described(name: str, level: Level, human: str, data_set: str) -> str:
    title = f"{load_coefficient(name).title}, {level} level, {human}"
    return f"{title}, {data_set}" if data_set else title


def _row(label: str, estimate: Estimate) -> Row:
    ends = (math.nan if end is None else end for end in (estimate.lower, estimate.upper))
    return Row(label, estimate.value, *ends)


def matrix_chart(comparisons: Sequence[Comparison]) -> str:
    """Draws the p-values of all pairs of metrics, in the order of ranks.

    Raises:
        InputError: if no metrics were compared.
    """
    return stacked([_matrix(one) for one in _compared(comparisons)], "p-values of differences", WIDEST)


def _matrix(comparison: Comparison) -> str:
    found = comparison.found
    tails, correction = p_values_of(found)
    ranks = None if found.ranking == RANGES else [found.ranks[name].cluster for name in found.metrics]
    subtitle = f"{tails}, {correction}, {found.population}{'' if ranks is None else '; lines separate ranks'}"
    labels, p_values = [comparison.label(name) for name in found.metrics], found.ranking_p_values.tolist()
    return p_value_matrix(f"p-values: {_where(comparison)}", subtitle, labels, p_values, found.alpha, ranks)


def chart_of_ranks(comparisons: Sequence[Comparison]) -> str:
    """Draws the ranks of metrics: between 1 + the significantly better and n − the significantly worse metrics.

    Raises:
        InputError: if no metrics were compared.
    """
    return stacked([_ranks(one) for one in _compared(comparisons)], "Ranks of metrics", WIDEST)


def _ranks(comparison: Comparison) -> str:
    found = comparison.found
    ranks = [(comparison.label(name), found.ranks[name]) for name in found.metrics]
    tails, _ = p_values_of(found)
    return rank_chart(f"Ranks: {_where(comparison)}", f"{found.population}; p ≤ {found.alpha:g}, {tails}", ranks)


def _where(comparison: Comparison) -> str:
    return _described(comparison.coefficient, comparison.level, comparison.human, comparison.data_set)


def _compared(comparisons: Sequence[Comparison]) -> list[Comparison]:
    compared = [one for one in comparisons if len(one.found.metrics) > 1]
    if not compared:
        raise InputError("no metrics were compared; choose a 'test', such as inputs")
    return compared


def epsilon_chart(results: Sequence[Correlation]) -> str:
    """Draws the accuracy of each metric against ε, the largest difference of its scores that is a tie.

    Raises:
        InputError: if no coefficient with tie calibration was computed.
    """
    panels = []
    for result in results:
        for level, found in result.levels.items():
            for estimate in filter(_is_calibrated, found.estimates.values()):
                panels += _curves(result, level, estimate)
    if not panels:
        raise InputError(
            "the curve of accuracy against epsilon needs acc-eq with one calibrated epsilon: acc-eq among "
            "'coefficients', without 'epsilon'"
        )
    subtitle = "mean accuracy of pairs of outputs; the point is the chosen ε"
    return document("Accuracy against ε", subtitle, panels)


def _is_calibrated(estimate: Estimate) -> bool:
    """Returns whether an estimate is an accuracy whose ε can be calibrated."""
    return "accuracy_at_zero" in estimate.details


def _curves(result: Correlation, level: Level, estimate: Estimate) -> list[Panel]:
    from metrics_framework.meta_evaluation.coefficients.calibration import accuracy_curve
    from metrics_framework.meta_evaluation.groups.score_pair import without_small_groups

    human = without_small_groups(result.matrix.z, level, result.request.min_group)
    curve = accuracy_curve(human, result.matrix.x, level=level)
    points = list(zip(curve.epsilon.tolist(), curve.accuracy.tolist(), strict=True))
    if not points:
        return []
    details = estimate.details
    caption = (
        f"{level} level: {number(estimate.value)}, {number(details['accuracy_at_zero'])} at 0, all tied "
        f"{number(details['accuracy_all_tied'])}"
    )
    axes = f"ε of {result.metric1}", "accuracy"
    title = f"{result.metric1} against {result.metric2}{f', {result.data_set}' if result.data_set else ''}"
    return [step_curve(title, caption, axes, points, (details["epsilon"], estimate.value))]


def verdict_charts(study: CorrelationStudy) -> list[str]:
    """Draws a matrix of metrics and coefficients for each level, and one of averages.

    Args:
        study: The results, with the levels to show.
    """
    charts = []
    if study.averages:
        averaged = [(one.human, "average", ranked_by_average(one)) for one in study.averages]
        names = dict.fromkeys(one.metric for *_, ranked in averaged for one in ranked)
        title = f"Average over {counted(len(study.averages[0].found.task_values), 'task')}"
        charts.append(_verdicts(title, study.averages[0].found, [*names], averaged))
    every = task_columns(study)
    for level in study.request.levels:
        for part in _parts([one for one in every if one.level == level]):
            names = dict.fromkeys(one.metric for column in part for one in column.ranked)
            names |= dict.fromkeys(name for column in part for name in column.estimates)
            found = next((one.comparison.found for one in part if one.comparison is not None), None)
            groups = ["\n".join(filter(None, [column.human, column.data_set])) for column in part]
            titles = [load_coefficient(column.coefficient).title for column in part]
            columns = [*zip(groups, titles, (one.ranked for one in part), strict=True)]
            ordered = sorted(names, key=lambda name: name in SENTINELS)
            charts.append(_verdicts(f"{level.capitalize()} level", found, ordered, columns))
    return charts


def _parts(columns: Sequence[TaskColumn]) -> list[list[TaskColumn]]:
    """Splits columns between ratings or data sets, so that a part is not wider than needed for one of them."""
    parts: list[list[TaskColumn]] = []
    for number_of_rating, (_, group) in enumerate(groupby(columns, key=lambda one: (one.data_set, one.human))):
        of_rating = list(group)
        if number_of_rating % MAX_RATINGS and len(parts[-1]) + len(of_rating) <= MAX_COLUMNS:
            parts[-1] += of_rating
        else:
            parts.append(of_rating)
    return parts


_Column: TypeAlias = "tuple[str, str, Sequence[RankedMetric]]"
"""The headings of a group and of a column, and the metrics, the best first."""


def _verdicts(
    title: str, found: DifferenceMatrix | AverageMatrix | None, names: Sequence[str], columns: Sequence[_Column]
) -> str:
    """Draws a matrix whose shades follow the p-values of a comparison."""
    tests = "not tested"
    if found is not None:
        tails, correction = p_values_of(found)
        tests = f"{tails} p ≤ {found.alpha:g}, {correction}"
    labels, shown = {one.metric: one.label for *_, ranked in columns for one in ranked}, []
    for group, heading, ranked in columns:
        by_name, best = {one.metric: one for one in ranked}, next((one for one in ranked if one.is_ranked), None)
        shown.append(VerdictColumn(group, heading, [_verdict(name, by_name.get(name), best) for name in names]))
    return verdict_matrix(title, tests, [labels.get(name, name) for name in names], shown)


def _verdict(name: str, one: RankedMetric | None, best: RankedMetric | None) -> Verdict:
    if one is None:
        return Verdict("", title=f"{name}: undefined")
    value = number(one.value)
    if one is best:
        return Verdict(value, BEST, f"{one.label}: {value}, best")
    if one.is_worse is None or one.p_value is None:
        return Verdict(value, OTHER, f"{one.label}: {value}")
    return Verdict(value, WORSE if one.is_worse else TIED, f"{one.label}: {value}, {p_equation(one.p_value)}")
