"""The table of scores that ``evaluate`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from metrics_framework.common.errors import UsageError
from metrics_framework.data.scored_counts import ScoredCount
from metrics_framework.evaluation.system_scores import Evaluation, ScoreKind
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, Note, OutputFormat, ScoreCell, ScoreRows
from metrics_framework.reports.printable import display_width
from metrics_framework.reports.score_notes import SCORED, emphasis, legend, scored_notes, signature_notes
from metrics_framework.reports.score_numbers import ALL_SYSTEMS, UNDEFINED, Scores, intervals_and_p_values, number
from metrics_framework.reports.table_layout import TableLayout, headings_of, ordered_systems

if TYPE_CHECKING:
    from metrics_framework.evaluation.profiles.profile import Profile
    from metrics_framework.significance.bootstrap import Interval
    from metrics_framework.significance.systems import Confidence

BASELINE = " (baseline)"
"""Follows the name of the baseline in tables for people."""
RATIO_DIGITS = 2
"""The additional decimal places of ratios, so that they are as precise as percentages."""


def score_table(
    evaluation: Evaluation,
    format: str = "table",
    digits: int = 2,
    profile: Profile | type[Profile] | None = None,
    *,
    layout: TableLayout | None = None,
) -> str:
    """Writes a row of scores for each system.

    Args:
        evaluation: The scores. A score with an interval is written as ``45.12 ± 0.88``: half the width of the interval.
        format: The name of an output format, or ``json`` for the content of the macro file.
        digits: The number of decimal places; ratios have two more. Formats for programs have all of them, and intervals
            and p-values in separate columns.
        profile: The scores to show, and their headings; by default the main scores, under their names. Formats for
            programs have all scores by default.
        layout: Which scores and systems the table has; by default those of `TableLayout`.

    Raises:
        PluginError: if the metrics of the profile do not return a score that has a column in it.
        UnknownNameError: if the layout names a score that does not exist.
        UsageError: if the row for all systems has the name of a system.
    """
    if format == JSON:
        from metrics_framework.io.jsonl import to_json

        return to_json(evaluation.as_json(), indent=2)
    layout = layout or TableLayout()
    output: OutputFormat = FORMATS.get(format)()
    headings = headings_of(evaluation, profile, layout, all_scores=not output.for_people)
    is_ordered = layout.sort or evaluation.confidence is not None
    systems = ordered_systems(evaluation, layout, profile) if is_ordered else evaluation.systems
    scores = {system: evaluation.systems[system].flatten() for system in systems}
    num_outputs = dict(evaluation.num_outputs)
    if layout.pooled:
        if ALL_SYSTEMS in scores:
            raise UsageError(f"a system is called '{ALL_SYSTEMS}', as is the row of --pooled; use only one of them")
        scores[ALL_SYSTEMS], num_outputs[ALL_SYSTEMS] = evaluation.metrics.flatten(), sum(num_outputs.values())
    counts = {name: scored_counts(evaluation, name, layout) for name in headings if name in evaluation.num_scored}
    if not output.for_people:
        return output.render(*data_table(scores, num_outputs, list(headings), evaluation.confidence, counts))
    columns = shown_columns(evaluation, scores, headings, counts, digits, ranked=output.emphasizes)
    tested = None if evaluation.confidence is None else evaluation.confidence.significance
    rows: list[list[str | ScoreCell]] = []
    for system in scores:
        start = system + BASELINE * (tested is not None and system == tested.baseline)
        rows.append([start, *[str(num_outputs[system])] * layout.counts, *(cells[system] for _, cells in columns)])
    titles = (title for title, _ in columns)
    table = fitted(output, ["system", *["outputs"] * layout.counts, *titles], rows, layout.width)
    notes = emphasis(ranks_of(columns)) if output.emphasizes else []
    return output.with_notes(table, [*notes, *score_notes(evaluation, headings, has_counts=bool(counts))])


def shown_columns(
    evaluation: Evaluation,
    scores: Scores,
    headings: Mapping[str, str],
    counts: Mapping[str, Mapping[str, ScoredCount]],
    digits: int,
    *,
    ranked: bool,
) -> list[tuple[str, Mapping[str, str | ScoreCell]]]:
    """Returns the title of each column of a table for people, and its cells by system, with intervals and marks.

    Args:
        evaluation: The scores.
        scores: The rows: for each system its flat scores.
        headings: The scores to show, and their headings.
        counts: For scores that some outputs do not have, how many outputs of each row have them.
        digits: The number of decimal places; ratios have two more.
        ranked: Whether the best scores are marked.
    """
    shown: list[tuple[str, Mapping[str, str | ScoreCell]]] = []
    for name, title in headings.items():
        kind = evaluation.kinds.get(name, ScoreKind())
        decimals = min(digits + RATIO_DIGITS * kind.is_ratio, 15)
        cells = {system: ScoreCell(number(flat[name], decimals)) for system, flat in scores.items()}
        if evaluation.confidence is not None:
            cells = {
                system: _with_interval(cell, scores[system][name], evaluation.confidence, system, name, decimals)
                for system, cell in cells.items()
            }
        shown.append((title, _with_ranks(cells, evaluation, name) if ranked else cells))
        if name in counts:
            shown.append((f"{title} {SCORED}", dict(zip(counts[name], map(str, counts[name].values()), strict=True))))
    return shown


def ranks_of(columns: Iterable[tuple[str, Mapping[str, str | ScoreCell]]]) -> set[int]:
    """Returns the ranks that cells of a table have."""
    return {cell.rank for _, cells in columns for cell in cells.values() if isinstance(cell, ScoreCell)}


def score_notes(evaluation: Evaluation, headings: Mapping[str, str], *, has_counts: bool) -> list[Note]:
    """Returns the notes on intervals, undefined scores and signatures.

    Args:
        evaluation: The scores.
        headings: The scores that are shown, and their headings.
        has_counts: Whether some outputs do not have one of these scores.
    """
    notes = [] if evaluation.confidence is None else list(legend(evaluation.confidence))
    counted_notes = scored_notes(evaluation, headings) if has_counts else ()
    return [*notes, *counted_notes, *signature_notes(evaluation, headings)]


def scored_counts(evaluation: Evaluation, name: str, layout: TableLayout) -> dict[str, ScoredCount]:
    """Returns how many outputs of each row have a score that some outputs do not have."""
    counts = evaluation.scored_counts(name)
    if layout.pooled:
        counts[ALL_SYSTEMS] = ScoredCount(*map(sum, zip(*counts.values(), strict=True)))
    return counts


def _with_ranks(cells: Mapping[str, ScoreCell], evaluation: Evaluation, name: str) -> dict[str, ScoreCell]:
    """Ranks the systems with the best printed score as 1, and those with the second of three or more as 2."""
    higher_is_better = evaluation.kinds.get(name, ScoreKind()).higher_is_better
    values = {system: cells[system].value for system in evaluation.systems}
    numbers = {system: float(value) for system, value in values.items() if value != UNDEFINED and "/" not in value}
    different = sorted(set(numbers.values()), reverse=higher_is_better is True)
    if higher_is_better is None or len(different) < 2:
        return dict(cells)
    emphasized = different[: 2 if len(different) > 2 else 1]
    ranks = {system: emphasized.index(value) + 1 for system, value in numbers.items() if value in emphasized}
    return {system: cell._replace(rank=ranks.get(system, 0)) for system, cell in cells.items()}


def _with_interval(
    cell: ScoreCell, value: object, confidence: Confidence, system: str, name: str, digits: int
) -> ScoreCell:
    """Adds the interval to a score that is not an integer, and marks it if it differs from that of the baseline."""
    from metrics_framework.significance.bootstrap import Interval
    from metrics_framework.significance.multiple_testing import is_significant

    intervals, p_values = intervals_and_p_values(confidence, system)
    interval, p = intervals.get(name), p_values.get(name)
    if not isinstance(value, float) or not isinstance(interval, Interval):
        return cell
    is_defined = interval.half_width == interval.half_width  # not NaN
    return cell._replace(
        half_width=f"{interval.half_width:.{digits}f}" if is_defined else "",
        is_significant=isinstance(p, float) and is_significant(p, confidence.resampling.alpha),
    )


def data_table(
    scores: Scores,
    num_outputs: Mapping[str, int],
    names: Sequence[str],
    confidence: Confidence | None,
    counts: Mapping[str, Mapping[str, ScoredCount]],
) -> tuple[list[str], list[list[str]]]:
    """Returns the header and the rows of a table of all digits, with intervals and p-values in separate columns.

    There is a column of p-values without and one with Holm's correction. If systems are compared, the column
    ``baseline`` has the system that a system is compared with. A score that some outputs do not have is followed by the
    number of outputs that have it, and by the number of inputs on which the system was compared.
    """
    tested = None if confidence is None else confidence.significance
    endings = [""]
    if confidence is not None:
        endings += ["_low", "_high"] if tested is None else ["_low", "_high", "_p", "_p_holm"]
    more = ["_scored"] if tested is None else ["_scored", "_inputs"]
    columns = {name: [*endings, *(more if counts.get(name) else [])] for name in names}
    rows = []
    for system, flat in scores.items():
        intervals, adjusted = ({}, {}) if confidence is None else intervals_and_p_values(confidence, system)
        p_values = {} if tested is None else tested.p_values.get(system, {})
        row = [system, str(num_outputs[system])]
        if tested is not None:
            row.append(tested.baseline if system in tested.inputs else "")
        for name in names:
            cells = [_datum(flat[name]), *_ends(intervals.get(name))]
            row += [*cells, _datum(p_values.get(name)), _datum(adjusted.get(name))][: len(endings)]
            if counts.get(name):
                inputs = {} if tested is None else tested.inputs_of(name)
                row += [str(counts[name][system].scored), str(inputs.get(system, ""))][: len(more)]
        rows.append(row)
    first = ["system", "outputs", *([] if tested is None else ["baseline"])]
    return [*first, *(name + ending for name in names for ending in columns[name])], rows


def _ends(interval: Interval | list[Interval] | None) -> list[str]:
    if isinstance(interval, list):
        return [_datum([part.low for part in interval]), _datum([part.high for part in interval])]
    return ["", ""] if interval is None else [_datum(interval.low), _datum(interval.high)]


def _datum(value: object) -> str:
    return "" if number(value) == UNDEFINED else str(value)


def fitted(output: OutputFormat, header: Sequence[str], rows: ScoreRows, width: int) -> str:
    """Writes a table of scores; for a terminal, its lines are not longer than a width, unless a column is.

    A table that is too wide has a column for each system instead of a row, or, if that is too wide as well, is split
    into parts of whole columns.

    Args:
        output: The output format.
        header: The names of the columns; the first is that of the systems.
        rows: The rows, one for each system.
        width: The largest number of terminal columns.
    """
    table = output.render(header, rows)
    if not output.for_terminal or max(map(display_width, table.splitlines())) <= width:
        return table
    columns = list(zip(header, *rows, strict=True))
    systems, *others = columns
    transposed = output.render(["score", *map(_name, systems[1:])], others)
    if _width(transposed) <= width:
        return transposed
    return "\n\n".join(_parts(output, columns, width))


def _parts(output: OutputFormat, columns: Sequence[Sequence[str | ScoreCell]], width: int) -> list[str]:
    """Returns tables that each have the systems and as many of the other columns as fit."""
    first, *rest = columns
    parts: list[str] = []
    part = [first]
    table = ""
    for column in rest:
        longer = _written(output, [*part, column])
        if len(part) > 1 and _width(longer) > width:
            parts.append(table)
            part, longer = [first], _written(output, [first, column])
        part, table = [*part, column], longer
    return [*parts, table]


def _written(output: OutputFormat, columns: Sequence[Sequence[str | ScoreCell]]) -> str:
    header, *rows = zip(*columns, strict=True)
    return output.render([*map(_name, header)], rows)


def _name(cell: str | ScoreCell) -> str:
    return cell if isinstance(cell, str) else cell.value


def _width(table: str) -> int:
    return max(map(display_width, table.splitlines()))
