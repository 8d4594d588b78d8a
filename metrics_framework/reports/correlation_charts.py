"""Charts of a study of metrics: intervals, p-values, ranks, and accuracy against the size of ties."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Comparison
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, Estimate
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.reports.charts import Group, Rank, Row, forest, p_value_matrix, rank_chart, step_curve
from metrics_framework.reports.correlation_notes import p_values_of
from metrics_framework.reports.numbers import number, percent
from metrics_framework.reports.svg import Panel, document, stacked

MAX_IN_ROW = 3
WIDEST = 1400.0
"""The width up to which charts of several comparisons are placed side by side."""


def forest_chart(study: Study) -> str:
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


def _group(study: Study, data_set: str, human: str, level: Level, name: str) -> Group:
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
    return p_value_matrix(
        f"p-values: {_where(comparison)}",
        f"{tails}, {correction}, {found.population}; lines separate ranks",
        [comparison.label(name) for name in found.metrics],
        found.ranking_p_values.tolist(),
        found.alpha,
        [found.ranks[name] for name in found.metrics],
    )


def chart_of_ranks(comparisons: Sequence[Comparison]) -> str:
    """Draws the ranks of metrics: between 1 + the significantly better and n − the significantly worse metrics.

    Raises:
        InputError: if no metrics were compared.
    """
    return stacked([_ranks(one) for one in _compared(comparisons)], "Ranks of metrics", WIDEST)


def _ranks(comparison: Comparison) -> str:
    found, size = comparison.found, len(comparison.found.metrics)
    significant = [[p <= found.alpha for p in row] for row in found.ranking_p_values.tolist()]
    ranks = [
        Rank(
            comparison.label(name),
            index + 1,
            1 + sum(significant[index][:index]),
            size - sum(significant[index][index + 1 :]),
        )
        for index, name in enumerate(found.metrics)
    ]
    tails, _ = p_values_of(found)
    return rank_chart(f"Ranks: {_where(comparison)}", f"{found.population}; p ≤ {found.alpha:g}, {tails}", ranks)


def _where(comparison: Comparison) -> str:
    return _described(comparison.coefficient, comparison.level, comparison.human, comparison.data_set)


def _compared(comparisons: Sequence[Comparison]) -> list[Comparison]:
    compared = [one for one in comparisons if len(one.found.metrics) > 1]
    if not compared:
        raise InputError("no metrics were compared; choose a test, for example with --test inputs")
    return compared


def epsilon_chart(results: Sequence[Correlation]) -> str:
    """Draws the accuracy of each metric against ε, the largest difference of its scores that is a tie.

    Raises:
        InputError: if no coefficient with tie calibration was computed.
    """
    panels = [
        panel
        for result in results
        for level, found in result.levels.items()
        for estimate in found.estimates.values()
        if is_calibrated(estimate)
        for panel in _curves(result, level, estimate)
    ]
    if not panels:
        raise InputError(
            "the curve of accuracy against epsilon needs the coefficient acc-eq with one calibrated epsilon "
            "(--coefficient acc-eq, without --epsilon)"
        )
    subtitle = "mean accuracy of pairs of outputs; the point is the chosen ε"
    return document("Accuracy against ε", subtitle, panels, MAX_IN_ROW)


def is_calibrated(estimate: Estimate) -> bool:
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
