"""The table of scores on several sets: a block of columns for each set, and one for the means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.evaluation.sets import SetEvaluations
from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.formats.output_format import JSON, Note, OutputFormat, ScoreCell
from metrics_framework.reports.numbers import NONE
from metrics_framework.reports.score_table import (
    ALL_SYSTEMS,
    BASELINE,
    TableLayout,
    data_table,
    emphasis,
    fitted,
    headings_of,
    ordered_systems,
    ranks_of,
    score_notes,
    scored_counts,
    shown_columns,
)

MEAN = "mean"
NO_TEXT = "(empty)"
"""Shown for the set of the rows whose column is empty."""
_Columns = list[tuple[str, Mapping[str, str | ScoreCell]]]


def set_table(
    result: SetEvaluations,
    format: str = "table",
    digits: int = 2,
    profile: Profile | type[Profile] | None = None,
    *,
    layout: TableLayout | None = None,
) -> str:
    """Writes a row for each system, with a block of columns for each set and one for the means over the sets.

    Formats for programs have a row for each system and set instead, with all digits.

    Args:
        result: The scores.
        format: The name of an output format, or ``json`` for the content of the macro file.
        digits: The number of decimal places; ratios have two more.
        profile: The scores to show, and their headings; as for `score_table`.
        layout: Which scores and systems the table has.

    Raises:
        PluginError: if the metrics of the profile do not return a score that has a column in it.
        UnknownNameError: if the layout names a score that does not exist.
        UsageError: if a row or block for all has the name of a system or set.
    """
    if format == JSON:
        return to_json(result.as_json(), indent=2)
    layout = layout or TableLayout()
    if layout.pooled and ALL_SYSTEMS in result.systems:
        raise UsageError(f"a system is called '{ALL_SYSTEMS}', as is the row of --pooled; use only one of them")
    if MEAN in result.sets:
        raise UsageError(f"a set is called '{MEAN}', as is the block of the means over the sets; rename it")
    output: OutputFormat = OutputFormat.by_name(format)()
    headings = headings_of(result.mean, profile, layout, all_scores=not output.for_people)
    systems = _ordered(result, layout, profile)
    blocks = {**{name or NO_TEXT: one for name, one in result.sets.items()}, MEAN: result.mean}
    if not output.for_people:
        return output.render(*_data(result.column, blocks, systems, list(headings), layout))
    columns = {name: _columns(one, systems, headings, digits, layout, output) for name, one in blocks.items()}
    shown = systems + [ALL_SYSTEMS] * layout.pooled
    baselines = _baselines(result)
    rows: list[list[str | ScoreCell]] = [
        [
            system + BASELINE * (system in baselines),
            *[str(_num_outputs(result.mean, system))] * layout.counts,
            *(cells.get(system, NONE) for block in columns.values() for _, cells in block),
        ]
        for system in shown
    ]
    first = ["system", *["outputs"] * layout.counts]
    table = _written(
        output, first, {name: [title for title, _ in block] for name, block in columns.items()}, rows, layout
    )
    notes = emphasis(set().union(*map(ranks_of, columns.values()))) if output.emphasizes else []
    return output.with_notes(table, [*notes, *_notes(result, headings)])


def _ordered(result: SetEvaluations, layout: TableLayout, profile: Profile | type[Profile] | None) -> list[str]:
    """Returns the systems in the order of the table; those without a mean are last if a score sorts them."""
    if layout.sort:
        first = ordered_systems(result.mean, layout, profile)
    else:
        baselines = _baselines(result)
        first = [system for system in result.systems if system in baselines]
    return [*first, *(system for system in result.systems if system not in first)]


def _baselines(result: SetEvaluations) -> list[str]:
    """Returns the system that the others are compared with: the same in all sets, unless a set does not have it."""
    tested = [one.confidence.significance for one in result.sets.values() if one.confidence is not None]
    return list(dict.fromkeys(one.baseline for one in tested if one is not None))


def _num_outputs(mean: Evaluation, system: str) -> int:
    return sum(mean.num_outputs.values()) if system == ALL_SYSTEMS else mean.num_outputs[system]


def _scores(evaluation: Evaluation, systems: Sequence[str], layout: TableLayout) -> dict[str, MetricsDict]:
    scores = {system: evaluation.systems[system].flatten() for system in systems if system in evaluation.systems}
    return {**scores, ALL_SYSTEMS: evaluation.metrics.flatten()} if layout.pooled else scores


def _columns(
    evaluation: Evaluation,
    systems: Sequence[str],
    headings: Mapping[str, str],
    digits: int,
    layout: TableLayout,
    output: OutputFormat,
) -> _Columns:
    """Returns the columns of a block."""
    counts = {name: scored_counts(evaluation, name, layout) for name in headings if name in evaluation.num_scored}
    scores = _scores(evaluation, systems, layout)
    return shown_columns(evaluation, scores, headings, counts, digits, ranked=output.emphasizes)


def _written(
    output: OutputFormat,
    first: Sequence[str],
    titles: Mapping[str, Sequence[str]],
    rows: Sequence[Sequence[str | ScoreCell]],
    layout: TableLayout,
) -> str:
    """Writes the table; on a terminal, the name of the set precedes that of each of its scores."""
    if output.for_terminal:
        header = [*first, *(f"{name} {title}" for name, block in titles.items() for title in block)]
        return fitted(output, header, rows, layout.width)
    return output.render(first, rows, blocks=titles)


def _data(
    column: str, blocks: Mapping[str, Evaluation], systems: Sequence[str], names: Sequence[str], layout: TableLayout
) -> tuple[list[str], list[list[str]]]:
    """Returns the header and the rows of a table of all digits, with a row for each set and system."""
    records: list[dict[str, str]] = []
    header: dict[str, None] = dict.fromkeys(["system", "outputs", column])
    for block, evaluation in blocks.items():
        scores = _scores(evaluation, systems, layout)
        outputs = {system: _num_outputs(evaluation, system) for system in scores}
        counts = {name: scored_counts(evaluation, name, layout) for name in names if name in evaluation.num_scored}
        names_of_columns, rows = data_table(scores, outputs, names, evaluation.confidence, counts)
        header.update(dict.fromkeys(names_of_columns))
        records += [{**dict(zip(names_of_columns, row, strict=True)), column: block} for row in rows]
    return list(header), [[record.get(name, "") for name in header] for record in records]


def _notes(result: SetEvaluations, headings: Mapping[str, str]) -> list[Note]:
    """Returns the notes; those that differ between sets have the name of their set."""
    by_set = {
        name: score_notes(one, headings, has_counts=any(score in one.num_scored for score in headings))
        for name, one in result.sets.items()
    }
    mean = Note(
        MEAN, f"mean over the {len(result.sets)} sets of '{result.column}', of systems with outputs in all sets"
    )
    first, *others = by_set.values()
    if all(notes == first for notes in others):
        return [mean, *first]
    joined = [mean]
    for name, notes in by_set.items():
        for note in notes:
            if all(note in of_set for of_set in by_set.values()):
                joined += [] if note in joined else [note]
            else:
                joined.append(note._replace(label=f"{note.label} {name}".strip()))
    return joined
