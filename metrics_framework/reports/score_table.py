"""The tables of scores that ``evaluate`` prints: of one set of outputs, and of several sets, a block for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import PluginError, UnknownNameError, UsageError
from metrics_framework.common.options import names_of
from metrics_framework.data.fields import folded
from metrics_framework.data.metrics_dict import MetricsDict, ScoredCount
from metrics_framework.evaluation.system_scores import Evaluation, ScoreKind, score_named
from metrics_framework.io.jsonl import to_json
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import (
    JSON,
    SIGNIFICANT,
    Note,
    OutputFormat,
    ScoreCell,
    ScoreRows,
    caution_notes,
)
from metrics_framework.reports.formats.text_table import WIDTH, display_width
from metrics_framework.reports.numbers import NONE, UNDEFINED, bounds, number, percent

if TYPE_CHECKING:
    from metrics_framework.evaluation.profiles.profile import Profile
    from metrics_framework.evaluation.score_comparison import ScoredSystems
    from metrics_framework.evaluation.sets import SetEvaluations
    from metrics_framework.significance.confidence import Confidence, PValues
    from metrics_framework.significance.interval_methods import Interval, Intervals

BASELINE = " (baseline)"
"""Follows the name of the baseline in tables for people."""
ALL_SYSTEMS = "(all)"
SCORED = "scored"
"""Follows the name of a score in the heading of the column with the number of outputs that have it."""
MEAN = "mean"
NO_TEXT = "(empty)"
"""Shown for the set of the rows whose column is empty."""
Columns: TypeAlias = "list[tuple[str, Mapping[str, str | ScoreCell]]]"
SYSTEM = "system"
"""The name that sorts by system instead of a score."""


class TableLayout(NamedTuple):
    """What a table of scores shows.

    Attributes:
        scores: The flat names of the scores or their headings in the profile, in order; by default the columns of the
            profile, else the main scores.
        components: Whether to show all scores of each metric, not only the main scores.
        pooled: Whether to add a row for the outputs of all systems together.
        sort: The name or heading of the score to sort the systems by, the best first; ``system`` sorts by name. By
            default the baseline is first, if systems are compared, and the other systems are in the order given.
        width: The number of columns of the terminal.
        counts: Whether a table for people has a column with the number of outputs.
        caption: The caption of a floating LaTeX table.
        label: Its label.
    """

    scores: Sequence[str] = ()
    components: bool = False
    pooled: bool = False
    sort: str = ""
    width: int = WIDTH
    counts: bool = True
    caption: str = ""
    label: str = ""


def score_table(
    evaluation: Evaluation | SetEvaluations,
    format: str = "table",
    digits: int = 2,
    profile: Profile | type[Profile] | None = None,
    *,
    layout: TableLayout | None = None,
) -> str:
    """Writes a row of scores for each system; for several sets, a block of columns for each, and one for their means.

    Formats for programs have a row for each system and set instead.

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
        UsageError: if a row or block for all has the name of a system or set.
    """
    if format == JSON:
        return to_json(evaluation.as_json(), indent=True)
    layout = layout or TableLayout()
    table = _ScoreTable(evaluation, FORMATS.get(format)(), digits, profile, layout)
    if not table.output.for_people:
        return table.output.render_records(table.records())
    if not (layout.caption or layout.label):
        return table.text()
    from metrics_framework.reports.formats.latex import Latex  # for the few tables that float

    return Latex().floating(table.text(), layout.caption, layout.label)


class _ScoreTable:
    """The rows and blocks of columns of a table.

    Args:
        evaluation: The scores.
        output: The output format.
        digits: The number of decimal places; ratios have two more.
        profile: The scores to show, and their headings.
        layout: Which scores and systems the table has.
    """

    def __init__(
        self,
        evaluation: Evaluation | SetEvaluations,
        output: OutputFormat,
        digits: int,
        profile: Profile | type[Profile] | None,
        layout: TableLayout,
    ) -> None:
        self.output, self.digits, self.layout = output, digits, layout
        if layout.pooled and ALL_SYSTEMS in evaluation.systems:
            raise UsageError(f"a system is called '{ALL_SYSTEMS}', as is the row of --pooled; use only one of them")
        self.sets = None if isinstance(evaluation, Evaluation) else evaluation
        if isinstance(evaluation, Evaluation):
            self.overall, self.blocks = evaluation, {"": evaluation}
        elif MEAN in evaluation.sets:
            raise UsageError(f"a set is called '{MEAN}', as is the block of the means over the sets; rename it")
        else:
            sets = {name or NO_TEXT: one for name, one in evaluation.sets.items()}
            self.overall, self.blocks = evaluation.mean, {**sets, MEAN: evaluation.mean}
        self.headings = headings_of(self.overall, profile, layout, all_scores=not output.for_people)
        tested = [one.confidence.significance for one in self.blocks.values() if one.confidence is not None]
        self.baselines = list(dict.fromkeys(one.baseline for one in tested if one is not None))
        first = _sorted_systems(self.overall, layout.sort, profile) if layout.sort else self.baselines
        self.systems = [*first, *[system for system in evaluation.systems if system not in first]]

    def records(self) -> list[dict[str, Any]]:
        """Returns the rows of a table for programs; with a column of sets, one for each set and system."""
        column = [] if self.sets is None else [self.sets.column]
        return [
            {"system": record["system"], "outputs": record["outputs"], **dict.fromkeys(column, block), **record}
            for block, one in self.blocks.items()
            for record in score_records(one, self.systems, list(self.headings), self.layout.pooled)
        ]

    def text(self) -> str:
        """Writes the table for people, with notes."""
        output, layout = self.output, self.layout
        columns = {name: self.shown_columns(one) for name, one in self.blocks.items()}
        cells = [cell for block in columns.values() for _, column in block for cell in column.values()]
        ranks = {cell.rank for cell in cells if isinstance(cell, ScoreCell)}
        second = "; the second is underlined" if 2 in ranks else ""
        notes = [Note("bold", f"the best score of a column{second}")] if 1 in ranks else []
        notes += self.score_notes(self.overall) if self.sets is None else self.notes_of_sets(self.sets)
        every = sum(self.overall.num_outputs.values())
        rows: list[list[str | ScoreCell]] = []
        for system in [*self.systems, *[ALL_SYSTEMS] * layout.pooled]:
            count = [str(self.overall.num_outputs.get(system, every))] * layout.counts
            scores = [of_score.get(system, NONE) for block in columns.values() for _, of_score in block]
            rows.append([system + BASELINE * (system in self.baselines), *count, *scores])
        start = ["system", *["outputs"] * layout.counts]
        titles = {name: [title for title, _ in block] for name, block in columns.items()}
        if self.sets is None or output.for_terminal:  # the name of a set precedes that of each of its scores
            header = [*start, *[f"{name} {title}".lstrip() for name, block in titles.items() for title in block]]
            return output.with_notes(_fitted(output, header, rows, layout.width), notes)
        return output.with_notes(output.render(start, rows, blocks=titles), notes)

    def shown_columns(self, evaluation: Evaluation) -> Columns:
        """Returns the title of each column of a block for people, and its cells, with intervals and marks."""
        scores, counts = _rows_of(evaluation, self.systems, self.headings, self.layout.pooled)
        shown: Columns = []
        for name, title in self.headings.items():
            kind, found = evaluation.kinds.get(name, ScoreKind()), evaluation.confidence
            decimals = places(kind, self.digits)
            cells = {
                system: ScoreCell(number(flat[name], decimals))
                if found is None
                else _with_interval(flat[name], found, system, name, decimals)
                for system, flat in scores.items()
            }
            shown.append((title, _with_ranks(cells, evaluation, name) if self.output.emphasizes else cells))
            if name in counts:
                written = {system: str(count) for system, count in counts[name].items()}
                shown.append((f"{title} {SCORED}", written))
        return shown

    def score_notes(self, evaluation: Evaluation) -> list[Note]:
        """Returns the notes on intervals, undefined scores and signatures."""
        notes = []
        if evaluation.confidence is not None:
            drawn, tested = evaluation.confidence.resampling, evaluation.confidence.significance
            interval = f"{percent(drawn.level)} confidence interval ({drawn.described_intervals})"
            notes.append(Note("±", f"half-width of the {interval}") if drawn.has_half_widths else Note("[ ]", interval))
            if tested is not None:
                holm = f", Holm correction for {len(tested.inputs)} systems" if len(tested.inputs) > 1 else ""
                how = f"{drawn.described_test(tested.numbers_of_inputs)}{holm}"
                text = f"differs significantly from '{tested.baseline}' (p < {drawn.alpha:g}, {how})"
                notes.append(Note(SIGNIFICANT, text))
            notes += caution_notes(evaluation.cautions())
        if any(name in evaluation.num_scored for name in self.headings):
            notes += _scored_notes(evaluation, self.headings)
        return [*notes, *signature_notes(evaluation, self.headings)]

    def notes_of_sets(self, result: SetEvaluations) -> list[Note]:
        """Returns the notes; those that differ between sets have the name of their set."""
        by_set = {name: self.score_notes(one) for name, one in result.sets.items()}
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


def places(score: ScoreKind | ScoredSystems, digits: int = 2) -> int:
    """Returns the number of decimal places of a score: ratios have two more, so that they are as precise."""
    return min(digits + 2 * score.is_ratio, 15)


def _rows_of(
    evaluation: Evaluation, systems: Iterable[str], names: Iterable[str], pooled: bool
) -> tuple[dict[str, MetricsDict], dict[str, dict[str, ScoredCount]]]:
    """Returns the flat scores of each row; and for scores that some outputs do not have, how many of each row do."""
    scores = {system: evaluation.systems[system].flatten() for system in systems if system in evaluation.systems}
    counts = {name: evaluation.scored_counts(name) for name in names if name in evaluation.num_scored}
    if pooled:
        scores[ALL_SYSTEMS] = evaluation.metrics.flatten()
        for of_score in counts.values():
            of_score[ALL_SYSTEMS] = ScoredCount(*map(sum, zip(*of_score.values(), strict=True)))
    return scores, counts


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


def _with_interval(value: object, confidence: Confidence, system: str, name: str, digits: int) -> ScoreCell:
    """Writes a score with its interval, unless it is an integer, and marks it if it differs from the baseline's."""
    from metrics_framework.significance.interval_methods import Interval
    from metrics_framework.significance.multiple_testing import is_significant

    intervals, p_values = _intervals_and_p_values(confidence, system)
    interval, p = intervals.get(name), p_values.get(name)
    if not isinstance(value, float) or not isinstance(interval, Interval):
        return ScoreCell(number(value, digits))
    if confidence.resampling.has_half_widths:
        half_width = number(interval.half_width, digits, undefined="")
        printed = half_width and f"± {half_width}"
    else:
        printed = bounds(interval.lower, interval.upper, digits) if interval.is_defined else ""
    differs = isinstance(p, float) and is_significant(p, confidence.resampling.alpha)
    return ScoreCell(number(value, digits), printed, differs)


def score_records(
    evaluation: Evaluation, systems: Iterable[str], names: Sequence[str], pooled: bool = False
) -> list[dict[str, Any]]:
    """Returns the rows of a table for programs, with intervals and p-values in separate columns.

    There is a column of p-values without and one with Holm's correction. If systems are compared, the column
    ``baseline`` has the system that a system is compared with. A score that some outputs do not have is followed by the
    number of outputs that have it, and by the number of inputs on which the system was compared.

    Args:
        evaluation: The scores.
        systems: The systems.
        names: The scores to show.
        pooled: Whether to add a row for the outputs of all systems together.
    """
    scores, counts = _rows_of(evaluation, systems, names, pooled)
    every = sum(evaluation.num_outputs.values())
    found = evaluation.confidence
    tested = None if found is None else found.significance
    records = []
    for system, flat in scores.items():
        intervals, adjusted = ({}, {}) if found is None else _intervals_and_p_values(found, system)
        record: dict[str, Any] = {"system": system, "outputs": evaluation.num_outputs.get(system, every)}
        if tested is not None:
            record["baseline"] = tested.baseline if system in tested.inputs else None
        for name in names:
            record[name] = flat[name]
            if found is not None:
                record[f"{name}_low"], record[f"{name}_high"] = _ends(intervals.get(name))
            if tested is not None:
                record[f"{name}_p"] = tested.p_values.get(system, {}).get(name)
                record[f"{name}_p_holm"] = adjusted.get(name)
            if name in counts:
                record[f"{name}_scored"] = counts[name][system].scored
                record |= {} if tested is None else {f"{name}_inputs": tested.inputs_of(name).get(system)}
        records.append(record)
    return records


def _ends(interval: Interval | list[Interval] | None) -> tuple[Any, Any]:
    if isinstance(interval, list):
        return [part.lower for part in interval], [part.upper for part in interval]
    return (None, None) if interval is None else (interval.lower, interval.upper)


def _fitted(output: OutputFormat, header: Sequence[str], rows: ScoreRows, width: int) -> str:
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
    if not output.for_terminal or _width(table) <= width:
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
    count = len(rest)
    while count > 1 and _width(_written(output, [first, *rest[:count]])) > width:
        count -= 1
    part = _written(output, [first, *rest[:count]])
    return [part, *(_parts(output, [first, *rest[count:]], width) if rest[count:] else [])]


def _written(output: OutputFormat, columns: Sequence[Sequence[str | ScoreCell]]) -> str:
    header, *rows = zip(*columns, strict=True)
    return output.render([*map(_name, header)], rows)


def _name(cell: str | ScoreCell) -> str:
    return cell if isinstance(cell, str) else cell.value


def _width(table: str) -> int:
    return max(map(display_width, table.splitlines()))


def headings_of(
    evaluation: Evaluation, profile: Profile | type[Profile] | None, layout: TableLayout, all_scores: bool = False
) -> dict[str, str]:
    """Returns the scores of a table and their headings.

    Args:
        evaluation: The scores.
        profile: The profile, if there is one.
        layout: The layout.
        all_scores: Whether to include components by default.

    Raises:
        UnknownNameError: if a chosen score does not exist.
        PluginError: if the metrics of the profile do not return a score that has a column in it.
    """
    names = list(evaluation.metrics.flatten())
    if layout.scores:
        titles: Mapping[str, str] = {} if profile is None else profile.columns
        return {name: titles.get(name, name) for name in _chosen(layout.scores, evaluation, titles)}
    headings = {} if profile is None else dict(_checked_columns(evaluation, profile, names))
    metrics = list(evaluation.names)[0 if profile is None else len(profile.metrics) :]
    for name in names:
        kind = evaluation.kinds.get(name, ScoreKind())
        if layout.components or (
            (profile is None or kind.metric in metrics) and ((all_scores and kind.is_shown) or kind.is_main)
        ):
            headings.setdefault(name, name)
    return headings


def _chosen(scores: Sequence[str], evaluation: Evaluation, titles: Mapping[str, str]) -> list[str]:
    """Returns the chosen scores; a word may be several names separated by commas."""
    names = list(evaluation.metrics.flatten())
    known = {*names, *titles.values()}
    words = [part for word in scores for part in ([word] if word in known else names_of(word))]
    chosen = [score_named(word, names, titles) for word in words]
    for name in chosen:
        if name not in names:
            raise UnknownNameError("score", name, names, answer=_how_to_add(name, evaluation.names))
    return list(dict.fromkeys(chosen))


def _how_to_add(name: str, metrics: Mapping[str, Sequence[str]]) -> str:
    """Returns the option with which one of the metrics of a run also has a score; empty if none has it.

    Args:
        name: The name that is asked for, in any spelling.
        metrics: Maps each metric to the flat names of its scores.
    """
    word = folded(name).replace("-", "")
    for metric, names in metrics.items():
        known = METRICS.get(metric).optional_scores if metric in METRICS.names() else {}
        for score, option in known.items():
            if word.startswith(score.replace("-", "")) and not any(one.startswith(score) for one in names):
                return f"it needs an option, as in {metric}:{option}"
    return ""


def _checked_columns(
    evaluation: Evaluation, profile: Profile | type[Profile], names: Sequence[str]
) -> Mapping[str, str]:
    for name in profile.columns:
        if name not in names:
            raise PluginError(
                f"the profile '{profile.registered_name}' has a column for '{name}', which its metrics "
                f"{', '.join(profile.metrics)} do not return; they return {', '.join(names)}"
            )
    return profile.columns


def _sorted_systems(evaluation: Evaluation, sort: str, profile: Profile | type[Profile] | None) -> list[str]:
    """Returns the systems by a score or by name.

    Raises:
        UnknownNameError: if the score to sort by does not exist.
        UsageError: if it is a list of numbers.
    """
    if sort == SYSTEM:
        return sorted(evaluation.systems)
    names = evaluation.metrics.flatten()
    score = score_named(sort, names, {} if profile is None else profile.columns)
    if score not in names:
        raise UnknownNameError("score", score, [*names, SYSTEM])
    values = {system: scores.flatten()[score] for system, scores in evaluation.systems.items()}
    if any(isinstance(value, (list, str)) for value in values.values()):
        raise UsageError(f"--sort: '{score}' must be a number to sort by, not a list")
    sign = 1 if evaluation.kinds.get(score, ScoreKind()).higher_is_better is False else -1
    undefined = {system: value for system, value in values.items() if value is None or value != value}
    defined = [system for system in values if system not in undefined]
    return [*sorted(defined, key=lambda system: sign * values[system]), *undefined]


def _intervals_and_p_values(confidence: Confidence, system: str) -> tuple[Intervals, PValues]:
    """Returns the intervals of a system, or of all systems, and the p-values of its comparison with the baseline."""
    if system not in confidence.systems:
        return confidence.metrics, {}
    tested = confidence.significance
    return confidence.systems[system], {} if tested is None else tested.adjusted.get(system, {})


def signature_notes(evaluation: Evaluation, scores: Iterable[str] | None = None) -> list[Note]:
    """Returns the signatures of the metrics, then those of other programs.

    Each has the label of its metric if there are several metrics, or if the label is not the name of the metric.

    Args:
        evaluation: The scores.
        scores: The flat names of the scores that are shown, if other metrics are to be left out.
    """
    signatures = evaluation.signature
    shown: Collection[str] = signatures
    if scores is not None and len(signatures) > 1 and evaluation.kinds:
        shown = {evaluation.kinds[name].metric for name in scores}
    is_labelled = len(signatures) > 1 or any(text.split("|")[0] != label for label, text in signatures.items())
    notes = [Note("signature", text, label, is_signature=True) for label, text in signatures.items() if label in shown]
    notes += [
        Note(program, text, label, is_signature=True)
        for label, programs in evaluation.other_signatures.items()
        for program, text in programs.items()
        if label in shown
    ]
    return notes if is_labelled else [note._replace(label="") for note in notes]


def _scored_notes(evaluation: Evaluation, headings: Mapping[str, str]) -> Iterator[Note]:
    """Yields what scores that some outputs do not have are means of, and on which inputs they were compared.

    Args:
        evaluation: The scores.
        headings: The scores that are shown, and their headings.
    """
    from metrics_framework.significance.confidence import described_inputs

    yield Note(SCORED, "the number of outputs with the score, of all; the mean is over these outputs")
    tested = None if evaluation.confidence is None else evaluation.confidence.significance
    if tested is None:
        return
    groups: dict[str, list[str]] = {}
    for name in (name for name in headings if name in tested.names_of_scored):
        groups.setdefault(described_inputs(tested, name), []).append(headings[name])
    for described, names in groups.items():
        yield Note(
            "inputs",
            f"compared with '{tested.baseline}' on the inputs for which both have a score, while means are over all "
            f"scored outputs: {described}",
            ", ".join(names),
        )
