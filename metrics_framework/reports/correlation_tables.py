"""The tables of ``fw correlate``: correlations, comparisons of metrics, details, and a LaTeX table of all tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import (
    AnswerTest,
    RankedMetric,
    TaskColumn,
    answers_of,
    as_shown,
    ranked_by_average,
    task_columns,
)
from metrics_framework.meta_evaluation.correlate.comparisons import Average, Comparison
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, LevelResult
from metrics_framework.meta_evaluation.correlate.data import SENTINELS
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest
from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy, Partial, Slice, SliceChange
from metrics_framework.meta_evaluation.differences.compared_metrics import RankedMetrics
from metrics_framework.reports.correlation_notes import UNITS, answer_text, notes_of, test_text
from metrics_framework.reports.formats.latex import Latex, latex_row, latex_text
from metrics_framework.reports.formats.output_format import OutputFormat, without_repeats
from metrics_framework.reports.numbers import (
    NONE,
    UNDEFINED,
    interval,
    number,
    p_value,
    percent,
    rank_text,
    significant,
)

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlate.study import HumanCeiling


START = "% Metrics and human ratings: needs the package booktabs"
"""The first line of the file."""
_TIED = r"\rlap{$^{\dagger}$}"  # takes no width, so that the digits of a column are aligned
MANY_COLUMNS = 8
"""With more columns, the table is set in smaller type."""


def study_text(study: CorrelationStudy, output: OutputFormat) -> str:
    """Writes the results of a study for people: the answers in words, tables, and notes.

    Tables have the levels that were asked for, else the one that the data support best.
    """
    shown = as_shown(study)
    parts = [
        *(output.paragraph(answer_text(one)) for one in answers_of(study)),
        correlation_table(shown.correlations, shown.ceilings, output),
        *comparison_tables(shown.comparisons, output),
        *detail_tables(shown, output),
    ]
    return output.with_notes("\n\n".join(parts), notes_of(shown))


def correlation_table(results: Sequence[Correlation], ceilings: Sequence[HumanCeiling], output: OutputFormat) -> str:
    """Writes correlations as a table for people, one row per metric and level, with the ceilings below them.

    Args:
        results: The correlations, all computed with the same settings.
        ceilings: The ceilings of human scores.
        output: The format.
    """
    names = results[0].request.coefficients
    rows = [
        [result.data_set, result.metric1, result.metric2, level, *_level_cells(found, names)]
        for result in results
        for level, found in result.levels.items()
    ]
    rows = without_repeats(rows, 3)
    for one in ceilings:
        rows += without_repeats(_ceiling_rows(one, names), 3)
    header = ["metric", "against", "level", "n", *(load_coefficient(name).title for name in names)]
    return _rendered(output, header, rows)


def _level_cells(found: LevelResult, names: Sequence[str]) -> list[str]:
    """Returns what a level counts, and its coefficients with their intervals."""
    estimates = [found.estimates.get(name) for name in names]
    cells = ["" if one is None else interval(one.value, one.lower, one.upper) for one in estimates]
    return [counted(found.points, UNITS[found.level]), *cells]


def _ceiling_rows(found: HumanCeiling, names: Sequence[str]) -> list[list[str]]:
    """Returns the rows of a ceiling: one rater against the others, and the reliability of all."""
    rows = []
    for kind, label in (("one_vs_rest", "(one rater)"), ("reliability", "(mean of raters)")):
        for level in dict.fromkeys(level for level, _ in found.ceilings):
            ceilings = [found.ceilings.get((level, name)) for name in names]
            values = [math.nan if one is None else getattr(one, kind) for one in ceilings]
            if all(math.isnan(value) for value in values):
                continue
            used = max(one.raters for one in ceilings if one is not None)
            count = used if kind == "one_vs_rest" else found.num_raters
            cells = [number(value, undefined="") for value in values]
            rows.append([found.data_set, label, found.human, level, counted(count, "rater"), *cells])
    return rows


def _rendered(output: OutputFormat, header: Sequence[str], rows: Sequence[list[str]], left: int | None = None) -> str:
    """Writes a table whose first column is that of data sets, which is left out if none has a name.

    Args:
        output: The format.
        header: The headings of the other columns.
        rows: The rows.
        left: The number of left-aligned columns besides the first; by default all.
    """
    has_sets = any(row[0] for row in rows)
    left = len(header) if left is None else left
    written = rows if has_sets else [row[1:] for row in rows]
    return output.render([*["data set"] * has_sets, *header], written, left=left + has_sets)


def comparison_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes a table for each comparison: rank, value, and the p-value against each better metric."""
    tables = []
    for comparison in comparisons:
        found = comparison.found
        if not found.metrics:
            continue
        human = comparison.human * (len({one.human for one in comparisons}) > 1)
        level = ", ".join(filter(None, [f"{comparison.level} level", comparison.data_set, human]))
        labels = [comparison.label(name) for name in found.metrics]
        header = [level, load_coefficient(comparison.coefficient).title]
        tables.append(_ranks_table(found, labels, found.values, header, output))
    return tables


def _ranks_table(
    found: RankedMetrics,
    labels: Sequence[str],
    values: Mapping[str, float],
    header: Sequence[str],
    output: OutputFormat,
) -> str:
    """Writes the ranks and values of metrics, and the p-value against each better one."""
    better = range(max(0, len(found.metrics) - 1))
    rows = [
        [rank_text(found.ranks[name], found.ranking), str(index + 1), labels[index], number(values[name])]
        + [p_value(found.ranking_p_values[index, other]) if other < index else "" for other in better]
        for index, name in enumerate(found.metrics)
    ]
    return output.render(["rank", "", *header, *(f"p vs. {index + 1}" for index in better)], rows, left=3)


def detail_tables(study: CorrelationStudy, output: OutputFormat) -> list[str]:
    """Writes the tables of what was asked for beside correlations and comparisons."""
    tables = []
    if any(comparison.found.power for comparison in study.comparisons):
        tables.append(_power_table(study.comparisons, output))
    for average in study.averages:
        tables += _average_tables(average, output)
    tables += _calibration_tables(study.correlations, output)
    if study.partials:
        tables.append(_partial_table(study.partials, output))
    if study.raters:
        tables.append(correlation_table(study.raters, [], output))
    for column in dict.fromkeys(one.column for one in study.slices):
        tables.append(_slice_table(study, column, output))
    return tables


def _power_table(comparisons: Sequence[Comparison], output: OutputFormat) -> str:
    """Writes what the tests of each comparison can detect."""
    rows = []
    for comparison in comparisons:
        where = [comparison.data_set, comparison.level, load_coefficient(comparison.coefficient).title]
        for pair, of_pair in comparison.found.power.items():
            for one in of_pair:
                least = f"none: {one.reason}" if one.reason else number(one.least_detectable)
                needed = "" if one.needed is None else f"{one.needed} {one.unit}"
                numbers = [number(one.difference), number(one.standard_error), least, needed]
                rows.append([*where, " vs. ".join(map(comparison.label, pair)), one.test, *numbers])
    header = ["level", "coefficient", "metrics", "test", "difference", "std. error", "detectable", "needed"]
    return _rendered(output, header, rows, left=4)


def _average_tables(average: Average, output: OutputFormat) -> list[str]:
    """Writes metrics by rank with their averages, and the values of each task."""
    found = average.found
    labels = [f"-{name}" if name in average.negated else name for name in found.metrics]
    tasks = [
        [task, f"{found.weights[task]:g}", found.tests[task], *(number(values[name]) for name in found.metrics)]
        for task, values in found.task_values.items()
    ]
    return [
        _ranks_table(found, labels, found.averages, [average.preset or "average", "average"], output),
        output.render(["task", "weight", "test", *labels], tasks, left=1),
    ]


def _calibration_tables(results: Sequence[Correlation], output: OutputFormat) -> list[str]:
    """Writes the ε of calibrated accuracies at each level, the pairs it ties, and the accuracies at both ends of ε."""
    rows: dict[str, list[list[str]]] = {}
    for result in results:
        for level, found in result.levels.items():
            for name, estimate in found.estimates.items():
                if load_coefficient(name).calibrates_epsilon:
                    details = estimate.details
                    tied = details.get("tied", math.nan)
                    cells = [significant(details["epsilon"]), "" if math.isnan(tied) else percent(tied, 1)]
                    accuracies = (estimate.value, details.get("accuracy_at_zero"), details.get("accuracy_all_tied"))
                    cells += ["" if value is None else number(value) for value in accuracies]
                    where = [result.data_set, result.metric1, result.metric2, level]
                    rows.setdefault(name, []).append(where + cells)
    header = ["against", "level", "ε", "pairs tied", "accuracy", "at ε = 0", "all tied"]
    return [_rendered(output, [name, *header], without_repeats(of_name, 3), left=3) for name, of_name in rows.items()]


def _partial_table(partials: Sequence[Partial], output: OutputFormat) -> str:
    """Writes partial correlations, each with the correlation without covariates."""
    names = [*dict.fromkeys(partial.coefficient for partial in partials)]
    rows: dict[tuple[str, str, str, str], dict[str, Partial]] = {}
    for partial in partials:
        where = partial.data_set, partial.metric1, partial.metric2, partial.level
        rows.setdefault(where, {})[partial.coefficient] = partial
    kinds = [(name, kind) for name in names for kind in ("value", "uncontrolled")]
    if "spearman" in names and any(partial.categories for partial in partials):
        kinds.append(("spearman", "of_residuals"))
    titles = {"value": "", "uncontrolled": " without", "of_residuals": " of residuals"}
    coefficients = [f"{load_coefficient(name).title}{titles[kind]}" for name, kind in kinds]
    cells = []
    for where, found in rows.items():
        outputs = next(iter(found.values())).found.outputs
        values = [getattr(found[name].found, kind) for name, kind in kinds]
        cells.append([*where, counted(outputs, "output"), *map(number, values)])
    return _rendered(output, ["partial", "against", "level", "n", *coefficients], cells)


def _slice_table(study: CorrelationStudy, column: str, output: OutputFormat) -> str:
    """Writes the coefficients of each slice of a column, and their mean over slices."""
    names = study.request.coefficients
    rows = [row for one in study.slices if one.column == column for row in _slice_rows(one, study.request)]
    means = _mean_rows([change for change in study.changes if change.column == column], names)
    header = [column, "metric", "against", "level", "n", *(load_coefficient(name).title for name in names)]
    return _rendered(output, header, [*without_repeats(rows, 2), *without_repeats(means, 2)])


def _slice_rows(one: Slice, request: CorrelateRequest) -> list[list[str]]:
    """Returns a row for each level of each pair, and one without values for a pair that has no output with both."""
    first = [one.data_set, one.value]
    by_pair = {(found.metric1, found.metric2): found for found in one.correlations}
    rows = []
    for pair in [*by_pair, *(pair for pair in request.pairs if pair not in by_pair)]:
        found = by_pair.get(pair)
        if found is None:
            rows.append([*first, *pair, "", counted(0, "output"), *[""] * len(request.coefficients)])
            continue
        for level, result in found.levels.items():
            rows.append([*first, *pair, level, *_level_cells(result, request.coefficients)])
    return rows


def _mean_rows(changes: Sequence[SliceChange], names: Sequence[str]) -> list[list[str]]:
    """Returns the means over slices, with their difference from the pooled coefficient."""
    by_row: dict[tuple[str, str, str, Level], dict[str, SliceChange]] = {}
    for change in changes:
        where = change.data_set, change.metric1, change.metric2, change.level
        by_row.setdefault(where, {})[change.coefficient] = change
    rows = []
    for where, of_row in by_row.items():
        most = max(change.slices for change in of_row.values())
        first = [where[0], "mean of slices (change)", *where[1:]]
        rows.append([*first, counted(most, "slice"), *(_mean(of_row.get(name)) for name in names)])
    return rows


def _mean(change: SliceChange | None) -> str:
    if change is None:
        return ""
    if math.isnan(change.mean_of_slices):
        return UNDEFINED
    return f"{number(change.mean_of_slices)} ({number(change.change, signed=True)})"


def task_table(study: CorrelationStudy) -> str:
    """Writes metrics and tasks as one LaTeX table with a caption.

    The best metric of a column is bold, and a dagger marks those that the test does not distinguish from it. Scores of
    which lower is better are negated, as the minus sign before their names says.

    Args:
        study: The results.
    """
    shown = as_shown(study)
    columns = task_columns(shown)
    averages = [{one.metric: one for one in ranked_by_average(average)} for average in shown.averages]
    headers = [*_headers(columns, [average.human for average in shown.averages])]
    ranked = [name for of_average in averages[:1] for name in of_average]  # else in the order of the first column
    ranked += [one.metric for column in columns for one in column.ranked]
    names = list(dict.fromkeys([*ranked, *(name for column in columns for name in column.estimates)]))
    cells = [*(column.by_name for column in columns), *averages]
    labels = {name: one.label for of_column in reversed(cells) for name, one in of_column.items()}
    rows = [[latex_text(labels.get(name, name)), *(_cell(name, of_column) for of_column in cells)] for name in names]
    metrics = [row for name, row in zip(names, rows, strict=True) if name not in SENTINELS]
    sentinels = [row for name, row in zip(names, rows, strict=True) if name in SENTINELS]
    tabular = [rf"\begin{{tabular}}{{l{'r' * len(cells)}}}", r"\toprule", *headers, r"\midrule"]
    tabular += map(latex_row, metrics)
    tabular += [r"\midrule", *map(latex_row, sentinels)] if sentinels else []
    tabular += [r"\bottomrule", r"\end{tabular}"]
    size = [r"\small", r"\setlength{\tabcolsep}{4pt}"] if len(cells) > MANY_COLUMNS else []
    table = Latex().floating("\n".join([*size, *tabular]), _caption(shown, columns), "tab:metrics")
    return f"{START}\n{table}\n"


def _cell(name: str, of_column: Mapping[str, RankedMetric]) -> str:
    """Returns a value: bold if it is the best, with a dagger if it is not distinguishable from the best."""
    one = of_column.get(name)
    if one is None:
        return latex_text(NONE)
    value = number(one.value).replace("-", "$-$", 1)
    best = next((metric for metric, found in of_column.items() if found.is_ranked), None)
    if name == best:
        return rf"\textbf{{{value}}}"
    return value + (_TIED if one.is_worse is False else "")


def _headers(columns: Sequence[TaskColumn], averages: Sequence[str]) -> list[str]:
    """Returns the rows above the values: data sets, ratings and levels, if there are several, and coefficients."""
    several = [
        [column.data_set for column in columns],
        [column.human for column in columns],
        [f"{column.level} level" for column in columns],
    ]
    kept = [values for values in several if len(set(values)) > 1]
    lines = []
    for depth, values in enumerate(kept):
        spans, rules, start = [], [], 2
        for _, group in groupby(range(len(values)), key=lambda index: tuple(of[index] for of in kept[: depth + 1])):
            size = len(members := list(group))
            spans.append(rf"\multicolumn{{{size}}}{{c}}{{{latex_text(values[members[0]])}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + size - 1}}}")
            start += size
        lines += [latex_row(["", *spans, *[""] * len(averages)]), " ".join(rules)]
    names = [latex_text(load_coefficient(column.coefficient).title) for column in columns]
    shown = ["average" if len(averages) == 1 else f"average, {human}" for human in averages]
    return [*lines, latex_row(["metric", *names, *map(latex_text, shown)])]


def _caption(study: CorrelationStudy, columns: Sequence[TaskColumn]) -> str:
    """Returns what the values are, what marks mean, and by which tests."""
    humans = ", ".join(dict.fromkeys(column.human for column in columns))
    levels = dict.fromkeys(column.level for column in columns)
    where = f", {next(iter(levels))} level" if len(levels) == 1 else ""
    sentences = [f"Agreement of metrics with {humans}{where}.", "Bold: best."]
    tests = _tests(study, columns)
    if not tests:
        sentences.append("No test was made.")
    text = latex_text(" ".join(sentences))
    if tests:
        text += rf" $\dagger$: not distinguishable from the best. {latex_text(' '.join(tests))}"
    if any(one.is_negated for column in columns for one in column.ranked):
        text += latex_text(" A minus sign before a name: negated, because lower is better.")
    return text


def _tests(study: CorrelationStudy, columns: Sequence[TaskColumn]) -> list[str]:
    """Returns how metrics were compared, once for all columns with the same test."""
    compared = [column.comparison.found for column in columns if column.comparison is not None]
    texts = [test_text(replace(AnswerTest.of(found), pairs=0)) for found in compared]
    averages = [test_text(replace(AnswerTest.of(average.found), pairs=0)) for average in study.averages]
    return list(dict.fromkeys([*texts, *(f"Average: {text}" for text in averages)]))
