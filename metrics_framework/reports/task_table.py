"""The LaTeX table of metrics and tasks, as shared tasks print it: one row per metric, one column per coefficient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import (
    AnswerTest,
    RankedMetric,
    TaskColumn,
    as_shown,
    ranked_by_average,
    task_columns,
)
from metrics_framework.meta_evaluation.correlate.data import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.reports.correlation_notes import test_text
from metrics_framework.reports.formats.latex import Latex, latex_row, latex_text
from metrics_framework.reports.numbers import NONE, number

START = "% Metrics and human ratings: needs the package booktabs"
"""The first line of the file."""
_TIED = r"\rlap{$^{\dagger}$}"  # takes no width, so that the digits of a column are aligned
MANY_COLUMNS = 8
"""With more columns, the table is set in smaller type."""


def task_table(study: Study) -> str:
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
    names = _row_names(columns, averages)
    cells = [*(column.by_name for column in columns), *averages]
    rows = [[_label(name, cells), *(_cell(name, of_column) for of_column in cells)] for name in names]
    metrics = [row for name, row in zip(names, rows, strict=True) if name not in SENTINELS]
    sentinels = [row for name, row in zip(names, rows, strict=True) if name in SENTINELS]
    tabular = [rf"\begin{{tabular}}{{l{'r' * len(cells)}}}", r"\toprule", *headers, r"\midrule"]
    tabular += map(latex_row, metrics)
    tabular += [r"\midrule", *map(latex_row, sentinels)] if sentinels else []
    tabular += [r"\bottomrule", r"\end{tabular}"]
    size = [r"\small", r"\setlength{\tabcolsep}{4pt}"] if len(cells) > MANY_COLUMNS else []
    table = Latex().floating("\n".join([*size, *tabular]), _caption(shown, columns), "tab:metrics")
    return f"{START}\n{table}\n"


def _row_names(columns: Sequence[TaskColumn], averages: Sequence[Mapping[str, RankedMetric]]) -> list[str]:
    """Returns all metrics in the order of the average, else of the first column; undefined ones are last."""
    listed = [name for of_average in averages[:1] for name in of_average]
    listed += [one.metric for column in columns for one in column.ranked]
    return list(dict.fromkeys([*listed, *(name for column in columns for name in column.estimates)]))


def _label(name: str, cells: Sequence[Mapping[str, RankedMetric]]) -> str:
    label = next((of_column[name].label for of_column in cells if name in of_column), name)
    return latex_text(label)


def _cell(name: str, of_column: Mapping[str, RankedMetric]) -> str:
    """Returns a value: bold if it is the best, with a dagger if it is not distinguishable from the best."""
    one = of_column.get(name)
    if one is None:
        return latex_text(NONE)
    value = number(one.value).replace("-", "$-$", 1)
    best = next((metric for metric in of_column if metric not in SENTINELS), None)
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


def _caption(study: Study, columns: Sequence[TaskColumn]) -> str:
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


def _tests(study: Study, columns: Sequence[TaskColumn]) -> list[str]:
    """Returns how metrics were compared, once for all columns with the same test."""
    compared = [column.comparison.found for column in columns if column.comparison is not None]
    tests = [AnswerTest.of(found) for found in compared]
    texts = [test_text(replace(test, pairs=0)) for test in tests]
    averages = [test_text(replace(AnswerTest.of(average.found), pairs=0)) for average in study.averages]
    return list(dict.fromkeys([*texts, *(f"Average: {text}" for text in averages)]))
