"""All tables that ``fw correlate`` prints: correlations, comparisons of metrics, slices, and notes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import Answer, AnswerTest, RankedMetric, answers_of, as_shown
from metrics_framework.meta_evaluation.correlate.comparisons import Average, Comparison
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, Estimate
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest
from metrics_framework.meta_evaluation.correlate.study import Partial, Slice, SliceChange, Study
from metrics_framework.reports.correlation_notes import correlation_notes
from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.metric_comparison_table import (
    comparison_notes,
    comparison_tables,
    correction_of,
    p_values_named,
    ranks_note,
    tails_of,
)
from metrics_framework.reports.numbers import (
    UNDEFINED,
    all_digits,
    bounds,
    interval,
    number,
    p_equation,
    p_value,
    percent,
    significant,
)

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlate.raters import HumanCeiling


def study_table(study: Study, format: str = "table") -> str:
    """Writes the results of a study as text: the answers in words, tables, and notes.

    Tables for people have the levels that were asked for, else the one that the data support best.

    Args:
        study: The results.
        format: The name of an output format. Formats for programs have one row per coefficient, with all digits.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        return data_table(study.correlations, output) + "\n"
    shown = as_shown(study)
    parts = [*(output.paragraph(answer_text(one)) for one in answers_of(study)), *tables_of(shown, output)]
    return output.with_notes("\n\n".join(parts), notes_of(shown)) + "\n"


def tables_of(study: Study, output: OutputFormat) -> list[str]:
    """Writes the tables of a study for people: correlations first, then comparisons, calibrations and details."""
    return [
        correlation_table(study.correlations, study.ceilings, output),
        *comparison_tables(study.comparisons, output),
        *detail_tables(study, output),
    ]


def detail_tables(study: Study, output: OutputFormat) -> list[str]:
    """Writes the tables of what was asked for beside correlations and comparisons."""
    return [
        *power_tables(study.comparisons, output),
        *average_tables(study.averages, output),
        *calibration_tables(study.correlations, output),
        *partial_tables(study.partials, output),
        *rater_tables(study.raters, output),
        *slice_tables(study, output),
    ]


def notes_of(study: Study) -> list[str]:
    """Describes data, intervals and tests, one line each."""
    return [
        *correlation_notes(study.correlations),
        *comparison_notes(study.comparisons),
        *power_notes(study.comparisons),
        *average_notes(study.averages),
        *partial_notes(study.partials),
        *_ceilings(study),
        *_hidden(study),
        *_variance(study),
    ]


def _hidden(study: Study) -> list[str]:
    """Says which levels are not shown."""
    if not study.hidden_levels:
        return []
    return [
        f"level: {', '.join(study.request.levels)}, which these data support best; the JSON file also has "
        f"{' and '.join(study.hidden_levels)}, and --level selects levels to show"
    ]


def _variance(study: Study) -> list[str]:
    """Describes how much of the variance of human scores lies between inputs, systems and within."""
    return [
        f"variance of {name}: {percent(shares.inputs, 0)} between inputs, {percent(shares.systems, 0)} between "
        f"systems, {percent(shares.within, 0)} within; a metric that sees only the source reaches at most "
        f"r = {number(math.sqrt(shares.inputs), 2)} at the global level"
        for name, shares in study.variance.items()
        if not math.isnan(shares.inputs)
    ]


def _ceilings(study: Study) -> list[str]:
    return [
        f"ceiling of {one.human}: {counted(one.num_raters, 'rater')} of {counted(one.num_outputs, 'output')}; one "
        "rater against the mean of the others, and the reliability of the mean of all by split halves (Spearman-Brown)"
        for one in study.ceilings
    ]


def slice_tables(study: Study, output: OutputFormat) -> list[str]:
    """Writes a table for each column of slices: the coefficients of each slice, and their mean.

    Args:
        study: The results.
        output: The format.
    """
    tables = []
    shown, names = data_set_header(study.slices), study.request.coefficients
    for column in dict.fromkeys(one.column for one in study.slices):
        labels = len(shown) + 1
        of_column = [one for one in study.slices if one.column == column]
        rows = [row for one in of_column for row in _slice_rows(one, study.request, len(shown))]
        means = [change for change in study.changes if change.column == column]
        rows = [*without_repeats(rows, labels), *without_repeats(_mean_rows(means, names, len(shown)), labels)]
        header = [*shown, column, "metric", "against", "level", "n", *(load_coefficient(name).title for name in names)]
        tables.append(output.render(header, rows, left=len(header)))
    return tables


def _slice_rows(one: Slice, request: CorrelateRequest, data_sets: int) -> list[list[str]]:
    """Returns a row for each level of each pair, and one without values for a pair that has no output with both."""
    first = [*[one.data_set][:data_sets], one.value]
    by_pair = {(found.metric1, found.metric2): found for found in one.correlations}
    rows = []
    for pair in [*by_pair, *(pair for pair in request.pairs if pair not in by_pair)]:
        found = by_pair.get(pair)
        if found is None:
            rows.append([*first, *pair, "", counted(0, "output"), *[""] * len(request.coefficients)])
            continue
        for level, result in found.levels.items():
            rows.append([*first, *pair, level, counted(result.points, UNITS[level]), *_cells(found, level)])
    return rows


def _cells(found: Correlation, level: Level) -> list[str]:
    estimates = (found.levels[level].estimates.get(name) for name in found.request.coefficients)
    return ["" if estimate is None else _estimate(estimate) for estimate in estimates]


def _mean_rows(changes: Sequence[SliceChange], names: Sequence[str], data_sets: int) -> list[list[str]]:
    """Returns the means over slices, with their difference from the pooled coefficient."""
    by_row: dict[tuple[str, str, str, Level], dict[str, SliceChange]] = {}
    for change in changes:
        where = change.data_set, change.metric1, change.metric2, change.level
        by_row.setdefault(where, {})[change.coefficient] = change
    rows = []
    for where, of_row in by_row.items():
        most = max(change.slices for change in of_row.values())
        first = [*[where[0]][:data_sets], "mean of slices (change)"]
        rows.append([*first, *where[1:], counted(most, "slice"), *(_mean(of_row.get(name)) for name in names)])
    return rows


def _mean(change: SliceChange | None) -> str:
    if change is None:
        return ""
    if math.isnan(change.mean_of_slices):
        return UNDEFINED
    return f"{number(change.mean_of_slices)} ({number(change.change, signed=True)})"


def rater_tables(raters: Sequence[Correlation], output: OutputFormat) -> list[str]:
    """Writes the correlations of raters as metrics."""
    return [correlation_table(raters, [], output)] if raters else []


def partial_tables(partials: Sequence[Partial], output: OutputFormat) -> list[str]:
    """Writes partial correlations, each with the correlation without covariates."""
    if not partials:
        return []
    names = [*dict.fromkeys(partial.coefficient for partial in partials)]
    shown = data_set_header(partials)
    rows: dict[tuple[str, ...], dict[str, Partial]] = {}
    for partial in partials:
        where = (*(partial.data_set,)[: len(shown)], partial.metric1, partial.metric2, partial.level)
        rows.setdefault(where, {})[partial.coefficient] = partial
    header = [*shown, "partial", "against", "level", "n"]
    header += [f"{load_coefficient(name).title}{kind}" for name in names for kind in ("", " without")]
    cells = []
    for where, found in rows.items():
        outputs = next(iter(found.values())).found.outputs
        values = [value for name in names for value in (found[name].found.value, found[name].found.uncontrolled)]
        cells.append([*where, counted(outputs, "output"), *map(number, values)])
    return [output.render(header, cells, left=len(header))]


def partial_notes(partials: Sequence[Partial]) -> list[str]:
    """Describes what partial correlations control for."""
    left_out = {partial.found.left_out for partial in partials if partial.found.left_out}
    return [
        f"partial: at equal values of {', '.join(covariates)}; without: the same outputs, not controlled"
        + (f"; left out: {counted(max(left_out), 'output')} without a covariate" if left_out else "")
        for covariates in dict.fromkeys(tuple(partial.covariates) for partial in partials)
    ]


def calibration_tables(results: Sequence[Correlation], output: OutputFormat) -> list[str]:
    """Writes the ε of calibrated accuracies at each level, the pairs it ties, and the accuracies at both ends of ε."""
    rows: dict[str, list[list[str]]] = {}
    shown = data_set_header(results)
    for result in results:
        for level, found in result.levels.items():
            for name, estimate in found.estimates.items():
                if load_coefficient(name).calibrates_epsilon:
                    details = estimate.details
                    tied = details.get("tied", math.nan)
                    cells = [significant(details["epsilon"]), "" if math.isnan(tied) else percent(tied, 1)]
                    accuracies = (estimate.value, details.get("accuracy_at_zero"), details.get("accuracy_all_tied"))
                    cells += ["" if value is None else number(value) for value in accuracies]
                    where = [result.metric1, result.metric2, level]
                    rows.setdefault(name, []).append([result.data_set][: len(shown)] + where + cells)
    header = ["against", "level", "ε", "pairs tied", "accuracy", "at ε = 0", "all tied"]
    return [
        output.render([*shown, name, *header], without_repeats(of_name, len(shown) + 2), left=len(shown) + 3)
        for name, of_name in rows.items()
    ]


class HasDataSet(Protocol):
    """A part of a result, of one data set."""

    @property
    def data_set(self) -> str:
        """The name of the data set; empty if there is only one."""


UNITS = {"input": "input", "system": "system", "global": "output", "within-system": "system"}
"""Level to what its coefficients count."""
DATA_COLUMNS = ["metric1", "metric2", "summarizer_type", "level", "n", "coefficient"]
DATA_COLUMNS += ["value", "lower", "upper", "p_value"]


def correlation_table(results: Sequence[Correlation], ceilings: Sequence[HumanCeiling], output: OutputFormat) -> str:
    """Writes correlations as a table for people, one row per metric and level, with the ceilings below them.

    Args:
        results: The correlations, all computed with the same settings.
        ceilings: The ceilings of human scores.
        output: The format.
    """
    names = results[0].request.coefficients
    shown = data_set_header(results)
    header = [*shown, "metric", "against", "level", "n", *(load_coefficient(name).title for name in names)]
    rows = without_repeats([row for result in results for row in _rows(result, len(shown))], len(shown) + 2)
    for one in ceilings:
        rows += without_repeats(_ceiling_rows(one, names, len(shown)), len(shown) + 2)
    return output.render(header, rows, left=len(header))


def data_set_header(results: Sequence[HasDataSet]) -> list[str]:
    """Returns the heading of the column of data sets; no column for a single data set without a name."""
    return ["data set"] if any(result.data_set for result in results) else []


def without_repeats(rows: Sequence[list[str]], labels: int) -> list[list[str]]:
    """Leaves out the labels of rows that repeat those above.

    Args:
        rows: The rows.
        labels: The number of columns of labels.

    >>> without_repeats([["ter", "quality", "1"], ["ter", "quality", "2"]], 2)
    [['ter', 'quality', '1'], ['', '', '2']]
    """
    return [
        [""] * labels + row[labels:] if index and row[:labels] == rows[index - 1][:labels] else row
        for index, row in enumerate(rows)
    ]


def data_table(results: Sequence[Correlation], output: OutputFormat) -> str:
    """Writes correlations as a table for programs, one row per coefficient, with all digits."""
    header = [name.replace(" ", "_") for name in data_set_header(results)]
    return output.render([*header, *DATA_COLUMNS], _data_rows(results))


def _rows(result: Correlation, data_sets: int) -> list[list[str]]:
    rows = []
    for level, found in result.levels.items():
        estimates = (found.estimates.get(name) for name in result.request.coefficients)
        cells = ["" if estimate is None else _estimate(estimate) for estimate in estimates]
        where = [*[result.data_set][:data_sets], result.metric1, result.metric2, level]
        rows.append([*where, counted(found.points, UNITS[level]), *cells])
    return rows


def _ceiling_rows(found: HumanCeiling, names: Sequence[str], data_sets: int) -> list[list[str]]:
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
            where = [*[found.data_set][:data_sets], label, found.human, level]
            rows.append([*where, counted(count, "rater"), *cells])
    return rows


def _estimate(estimate: Estimate) -> str:
    """Returns a coefficient with its interval."""
    return interval(estimate.value, estimate.lower, estimate.upper)


def _data_rows(results: Sequence[Correlation]) -> list[list[str]]:
    rows = []
    data_sets = len(data_set_header(results))
    for result in results:
        for level, level_result in result.levels.items():
            for name, estimate in level_result.estimates.items():
                numbers = [estimate.value, estimate.lower, estimate.upper, estimate.p_value]
                whose = [result.metric1, result.metric2, result.summarizer_type, level, level_result.points, name]
                cells = [*[result.data_set][:data_sets], *whose, *numbers]
                rows.append([*map(all_digits, cells)])
    return rows


def average_tables(averages: Sequence[Average], output: OutputFormat) -> list[str]:
    """Writes metrics by rank with their averages, and the values of each task."""
    return [table for average in averages for table in (_ranks(average, output), _tasks(average, output))]


def _ranks(average: Average, output: OutputFormat) -> str:
    found = average.found
    numbers = range(max(0, len(found.metrics) - 1))
    header = ["rank", "", average.preset or "average", "average", *(f"p vs. {number + 1}" for number in numbers)]
    rows = [
        [str(found.ranks[name]), str(index + 1), _label(average, name), number(found.averages[name])]
        + [p_value(found.ranking_p_values[index, other]) if other < index else "" for other in numbers]
        for index, name in enumerate(found.metrics)
    ]
    return output.render(header, rows, left=3)


def _tasks(average: Average, output: OutputFormat) -> str:
    found = average.found
    header = ["task", "weight", "test", *(_label(average, name) for name in found.metrics)]
    rows = [
        [task, f"{found.weights[task]:g}", found.tests[task], *(number(values[name]) for name in found.metrics)]
        for task, values in found.task_values.items()
    ]
    return output.render(header, rows, left=1)


def _label(average: Average, name: str) -> str:
    return f"-{name}" if name in average.negated else name


def average_notes(averages: Sequence[Average]) -> list[str]:
    """Describes how averages were computed and tested."""
    lines = []
    for average in averages:
        found = average.found
        what = f"the coefficients of {average.preset}" if average.preset else "all coefficients, with equal weights"
        drawn = f"{'all ' if found.is_exact else ''}{found.permutations} permutations"
        lines.append(
            f"average of {what}; correlations r count as (r + 1) / 2; {tails_of(found)} p-values {found.population}; "
            f"{drawn}, {PROCEDURES[found.procedure]}; {correction_of(found)}"
        )
        if len(found.metrics) > 1:
            lines.append(ranks_note(found))
        if average.found.left_out:
            lines.append(f"left out of the average, undefined in a task: {', '.join(average.found.left_out)}")
    return [*dict.fromkeys(lines)]


PROCEDURES = {
    "joint": "one of a data set for all its tasks",
    "published": "drawn separately for each task, as the shared tasks did, although tasks of one data set depend on "
    "each other: the p-values are too small",
}


def power_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes what the tests of each comparison can detect."""
    shown = data_set_header(comparisons)
    rows = [
        [
            *[comparison.data_set][: len(shown)],
            comparison.level,
            load_coefficient(comparison.coefficient).title,
            f"{comparison.label(first)} vs. {comparison.label(second)}",
            power.test,
            number(power.difference),
            number(power.standard_error),
            f"none: {power.reason}" if power.reason else number(power.least_detectable),
            "" if power.needed is None else f"{power.needed} {power.unit}",
        ]
        for comparison in comparisons
        for (first, second), each in comparison.found.power.items()
        for power in each
    ]
    header = [*shown, "level", "coefficient", "metrics", "test", "difference", "std. error", "detectable", "needed"]
    return [output.render(header, rows, left=len(shown) + 4)] if rows else []


def power_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Describes what power means."""
    found = [power for comparison in comparisons for each in comparison.found.power.values() for power in each]
    if not found:
        return []
    return [
        f"power: detectable is the least difference that the test of the comparison finds with probability "
        f"{found[0].power:g} at α = {found[0].alpha:g}; needed is the number of units to find the observed difference"
    ]


MAX_NAMED = 5
"""The largest number of metrics of a kind that are named."""


def answer_text(answer: Answer) -> str:
    """Returns an answer as one paragraph."""
    sentences = [_best(answer), *_others(answer)]
    if answer.best is not None and answer.undefined:
        sentences.append(f"Undefined, so not compared: {', '.join(answer.undefined)}.")
    if answer.cautions:
        sentences.append(f"Mind: {'; '.join(one.text for one in answer.cautions)}.")
    return " ".join(sentences)


def _best(answer: Answer) -> str:
    where = f"{answer.human} on {answer.data_set}" if answer.data_set else answer.human
    if answer.best is None:
        return f"No metric can be named for {where}: {_measure(answer)} is undefined for all of them."
    value = f"{_measure(answer)} {_value_of_metric(answer.best, answer.confidence)}, {_where(answer)}"
    if not answer.others and not answer.undefined:
        return f"Only metric for {where}: {answer.best.label} ({value})."
    return f"Best metric for {where}: {answer.best.label} ({value})."


def _measure(answer: Answer) -> str:
    return "average" if answer.coefficient is None else load_coefficient(answer.coefficient).title


def _where(answer: Answer) -> str:
    if answer.level is None:
        return f"over {counted(answer.points, 'task')}"
    return f"{answer.level} level, {counted(answer.points, UNITS[answer.level])}"


def _value_of_metric(one: RankedMetric, confidence: float) -> str:
    value = number(one.value)
    if one.lower is None or one.upper is None:
        return value
    return f"{value}, {percent(confidence / 100)} interval {bounds(one.lower, one.upper)}"


def _others(answer: Answer) -> list[str]:
    if not answer.others or answer.best is None:
        return []
    if answer.test is None:
        next_best = answer.others[0]
        return [
            f"Next is {next_best.label} ({number(next_best.value)}). No test was made of whether the metrics differ; "
            '--test makes it (test="default" in Python).'
        ]
    tied = (
        f"Not distinguishable from it: {_named(answer.tied)}."
        if answer.tied
        else "It is significantly better than all other metrics."
    )
    worse = [f"Significantly worse: {_named(answer.worse)}."] if answer.tied and answer.worse else []
    worse = worse or ([f"Next is {_named(answer.worse[:1])}."] if answer.worse else [])
    return [tied, *worse, test_text(answer.test)]


def _named(ranked: Sequence[RankedMetric]) -> str:
    shown = [f"{one.label} ({number(one.value)}, {p_equation(one.p_value)})" for one in ranked[:MAX_NAMED]]
    more = len(ranked) - MAX_NAMED
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def test_text(test: AnswerTest) -> str:
    """Returns how metrics were compared, as a sentence."""
    names = p_values_named(test.sides, test.correction, test.pairs)
    return f"Test '{test.test}', {test.population}; {names}; α = {test.alpha:g}."
