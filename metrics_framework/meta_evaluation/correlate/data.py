"""The scores of a data set, with sentinels, negated scores, and labels of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.data.texts import as_string, is_text
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.ratings import ALL, DataSets, LongTables
from metrics_framework.inputs.roles import find_columns, role_named
from metrics_framework.inputs.score_matrices import ScoreColumns

NEGATED = "-"
"""Before the name of a score: the score with the opposite sign, for metrics of which lower values are better."""
LENGTH, COPY, CONSTANT = "sentinel-length", "sentinel-copy", "sentinel-constant"
SENTINELS: Mapping[str, str] = {
    LENGTH: "number of words of the output",
    COPY: "similarity of the output to the source, 100 minus TER",
    CONSTANT: "number of words of the source, the same for all outputs of an input",
}
"""Name of a sentinel to what it is."""
Unit: TypeAlias = "tuple[str, str]"
"""An output: its input and its system."""


@dataclass(frozen=True)
class Provenance:
    """What is known about scores besides their values.

    Args:
        signatures: Metric to its signature.
        directions: Metric to whether higher is better.
        missing: Metric to the counts of its missing values in tables, by their spelling.
        negated: Name of a negated score to the score.
    """

    signatures: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, bool] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    negated: Mapping[str, str] = field(default_factory=dict)


class DataSetScores:
    """The scores of a data set, with sentinels and negated scores.

    Args:
        data_sets: All data sets.
        name: The data set.
        summarizer_type: Which outputs: ``all``, ``reference`` or ``peer``.
    """

    def __init__(self, data_sets: DataSets, name: str, summarizer_type: str) -> None:
        self.name = "" if name == ALL else name
        self.files = data_sets.parts[name]
        self._names = {*self.files.scores.names}
        self._data_sets = data_sets
        self._summarizer_type = summarizer_type

    @property
    def tables(self) -> LongTables:
        """The rows of all files with all columns: raters, labels and texts."""
        return self._data_sets.tables_of_parts[self.name or ALL]

    def base_name(self, name: str) -> str:
        """Returns the name of a score without the sign that negates it, unless a score has the name with the sign."""
        return name if name in self._names else name.removeprefix(NEGATED)

    def columns(self, names: Sequence[str]) -> ScoreColumns:
        """Returns scores, sentinels and negated scores as matrices.

        Args:
            names: Their names.

        Raises:
            UnknownNameError: if a score appears in no row.
            UsageError: if a score is a list of different numbers, or is named like a sentinel, or sentinels have no
                texts.
        """
        plain = [*dict.fromkeys(self.base_name(name) for name in names)]
        for name in plain:
            if name in SENTINELS and name in self._names:
                raise UsageError(f"'{name}' is the name of a sentinel, and of a score in a file; rename the score")
        read = [name for name in plain if name not in SENTINELS]
        columns = self.files.columns(read, self._summarizer_type)
        if len(read) < len(plain):
            sentinels = self.sentinels
            for name in plain:
                if name in SENTINELS:
                    columns = columns.plus(name, sentinels.get(name, {}))
        negated = {name: -columns.scores[self.base_name(name)] for name in names if name not in plain}
        return replace(columns, scores={**columns.scores, **negated})

    @cached_property
    def sentinels(self) -> dict[str, dict[tuple[str, str], float]]:
        """Sentinel to the score of each output; only sentinels for which there are texts."""
        return sentinel_scores(self.tables.rows)

    def has_raters(self, name: str) -> bool:
        """Returns whether a score is a list of ratings in any row."""
        return self.files.scores.has_lists(self.base_name(name))

    def categories(self, name: str) -> Mapping[tuple[str, str], str] | None:
        """Returns the category of each output in a column, or its system; `None` if the name is that of a score.

        Raises:
            DataError: if rows of one output differ.
        """
        if self.base_name(name) in {*self.files.scores.known, *SENTINELS}:
            return None
        if name in self.tables.columns:
            return self.tables.texts(name)
        role = role_named(name, ("summarizer_id", "instance_id"))
        units = [row.unit for row in self.tables.rows]
        if role == "summarizer_id":
            return {unit: unit[1] for unit in units}
        return {unit: unit[0] for unit in units} if role == "instance_id" else None

    def provenance(self, names: Sequence[str]) -> Provenance:
        """Returns signatures, directions and missing values of scores."""
        from metrics_framework.inputs.logs import direction_in
        from metrics_framework.metrics.base.direction import facts_of

        directions = {}
        for name in names:
            base = self.base_name(name)
            higher_is_better = direction_in(self.files.logs, base, agreed=False)
            if higher_is_better is None:
                higher_is_better = facts_of(base, self.files.signatures, self._names).higher_is_better
            if higher_is_better is not None:
                directions[name] = higher_is_better != (name != base)
        negated = {name: self.base_name(name) for name in names if name != self.base_name(name)}
        return Provenance(self.files.signatures, directions, self.files.missing, negated)


def sentinel_scores(rows: Iterable[LongRow]) -> dict[str, dict[Unit, float]]:
    """Computes the sentinels for which rows have texts.

    A metric that agrees with people no better than the length of the output, its similarity to the source, or a
    property of the source alone has not been shown to measure quality (Perrella et al., ACL 2024, "Guardians of the
    Machine Translation Meta-Evaluation: Sentinel Metrics Fall In!").

    Args:
        rows: The rows of all files.

    Returns:
        Sentinel to the score of each output; without `COPY` and `CONSTANT` if there are no sources.

    Raises:
        UsageError: if no row has the text of an output.
        DataError: if an output has two texts, in two rows or two columns.
    """
    summaries: dict[Unit, str] = {}
    sources: dict[Unit, str] = {}
    for row in rows:
        for texts, kind in ((summaries, "summary"), (sources, "source")):
            text = _text(row, kind)
            if text is not None and texts.setdefault(row.unit, text) != text:
                raise DataError(f"'{kind}' of {row.output_name} differs from that in another row", row.path, row.line)
    if not summaries:
        raise UsageError(
            "sentinels need the texts of outputs and sources; name the scored outputs with --texts, or use a table "
            "with columns such as 'summary' and 'source', or simp_sent and orig_sent"
        )
    scores = {LENGTH: {unit: float(len(text.split())) for unit, text in summaries.items()}}
    if sources:
        scores[COPY] = _similarities(summaries, sources)
        scores[CONSTANT] = {unit: float(len(text.split())) for unit, text in sources.items()}
    return scores


def _text(row: LongRow, field: str) -> str | None:
    cells = ((name, cell.get("text") if isinstance(cell, Mapping) else cell) for name, cell in row.cells.items())
    texts = {name: as_string(cell) for name, cell in cells if cell is not None and is_text(cell)}
    try:
        columns = find_columns([*texts], [field]).get(field)
    except DataError as problem:
        raise DataError(problem.message, row.path, row.line) from None
    return texts[columns[0]] if columns else None


def _similarities(summaries: Mapping[Unit, str], sources: Mapping[Unit, str]) -> dict[Unit, float]:
    from metrics_framework.metrics.ter import Ter

    units: Sequence[Unit] = [unit for unit in summaries if unit in sources]
    scores = Ter().score_all([summaries[unit] for unit in units], [[sources[unit]] for unit in units])
    return {unit: 100 - float(score["ter"]) for unit, score in zip(units, scores, strict=True)}
