"""Scores as matrices of systems × inputs: all requested scores in one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import DataError
from metrics_framework.data.metrics_dict import ScoredCount
from metrics_framework.meta_evaluation.groups.moments import system_means

CAUSES = ("summarizer_type", "metric1_missing", "metric2_missing", "both_missing")
"""Why an output has no cell in the matrix of two scores."""


@dataclass(frozen=True)
class ScoreColumns:
    """The outputs of one type with several scores; rows and columns are sorted by their ids.

    Args:
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        present: Whether there is an output, shape (systems, inputs).
        scores: Name to scores, shape (systems, inputs); NaN where missing.
        summarizer_type: Which outputs are included: ``all``, ``reference`` or ``peer``.
        other_types: The number of outputs of other types.
        jackknifed_names: Name to the ``_jk`` score that outputs without the score have instead.
        missing_judgements: Name to the number of judgements missing from lists, shape (systems, inputs); only of scores
            that have such lists.
    """

    systems: Sequence[str]
    inputs: Sequence[str]
    present: Bools
    scores: Mapping[str, Floats]
    summarizer_type: str
    other_types: int
    jackknifed_names: Mapping[str, str]
    missing_judgements: Mapping[str, Floats]

    def cells(self, names: Iterable[str]) -> Bools:
        """Returns which outputs have all of the scores, shape (systems, inputs)."""
        cells: Bools = self.present.copy()
        for name in names:
            cells &= ~np.isnan(self.scores[name])
        return cells

    def plus(self, name: str, scores: Mapping[tuple[str, str], float]) -> ScoreColumns:
        """Returns these columns and another score.

        Args:
            name: Its name; it replaces a score of that name.
            scores: Instance and summarizer to score; outputs that are not present are ignored.
        """
        added = np.full(self.present.shape, np.nan)
        for row, system in enumerate(self.systems):
            for column, instance in enumerate(self.inputs):
                if self.present[row, column]:
                    added[row, column] = scores.get((instance, system), np.nan)
        missing = {other: counts for other, counts in self.missing_judgements.items() if other != name}
        return replace(self, scores={**self.scores, name: added}, missing_judgements=missing)

    def restricted(self, cells: Bools) -> ScoreColumns:
        """Returns only some of the outputs, without systems and inputs that have none.

        Args:
            cells: The outputs to keep, shape (systems, inputs).
        """
        present = self.present & cells
        rows, columns = np.flatnonzero(present.any(axis=1)), np.flatnonzero(present.any(axis=0))
        kept = np.ix_(rows, columns)
        return replace(
            self,
            systems=[self.systems[row] for row in rows.tolist()],
            inputs=[self.inputs[column] for column in columns.tolist()],
            present=present[kept],
            scores={name: np.where(present, scores, np.nan)[kept] for name, scores in self.scores.items()},
            missing_judgements={name: (counts * present)[kept] for name, counts in self.missing_judgements.items()},
        )

    def matrix(self, metric1: str, metric2: str) -> ScoreMatrix:
        """Returns the outputs that have two scores, and counts the outputs left out.

        Raises:
            DataError: if there are none.
        """
        x, z = self.scores[metric1], self.scores[metric2]
        left_out = self._left_out(x, z)
        dropped = {
            "summarizer_type": self.other_types,
            **{cause: int(cells.sum()) for cause, cells in left_out.items()},
        }
        examples = {cause: self._first(cells) for cause, cells in left_out.items() if cells.any()}
        jackknifed = {name: self.jackknifed_names[name] for name in (metric1, metric2) if name in self.jackknifed_names}
        cells = self.cells((metric1, metric2))
        if not cells.any():
            raise DataError(self._why_empty((metric1, metric2), dropped, jackknifed, examples))
        rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        kept = np.ix_(rows, columns)
        return ScoreMatrix(
            x=np.where(cells, x, np.nan)[kept],
            z=np.where(cells, z, np.nan)[kept],
            systems=[self.systems[row] for row in rows.tolist()],
            inputs=[self.inputs[column] for column in columns.tolist()],
            dropped=dropped,
            jackknifed_names=jackknifed,
            examples=examples,
            missing_judgements=sum(
                int(self.missing_judgements[name][cells].sum())
                for name in (metric1, metric2)
                if name in self.missing_judgements
            ),
            scored=self._scored(cells, ~np.isnan(z)),
        )

    def _scored(self, cells: Bools, with_z: Bools) -> dict[str, ScoredCount]:
        """Returns, for each system, how many of its outputs with the second score also have the first."""
        counts = zip(cells.sum(axis=1).tolist(), (self.present & with_z).sum(axis=1).tolist(), strict=True)
        return {system: ScoredCount(*count) for system, count in zip(self.systems, counts, strict=True) if count[1]}

    def _left_out(self, x: Floats, z: Floats) -> dict[str, Bools]:
        without_x, without_z = self.present & np.isnan(x), self.present & np.isnan(z)
        return {
            "metric1_missing": without_x & ~without_z,
            "metric2_missing": without_z & ~without_x,
            "both_missing": without_x & without_z,
        }

    def _first(self, cells: Bools) -> tuple[str, str]:
        """Returns the ids of the first output among cells: the first input, then the first system."""
        column = int(cells.any(axis=0).argmax())
        return self.inputs[column], self.systems[int(cells[:, column].argmax())]

    def _why_empty(
        self,
        names: tuple[str, str],
        dropped: Mapping[str, int],
        jackknifed: Mapping[str, str],
        examples: Mapping[str, tuple[str, str]],
    ) -> str:
        whose = "" if self.summarizer_type == "all" else f" of type '{self.summarizer_type}'"
        first, second = names
        why = ("of another type", f"without '{first}'", f"without '{second}'", "without both")
        counts = ", ".join(f"{dropped[cause]} {reason}" for cause, reason in zip(CAUSES, why, strict=True))
        advice = "".join(f"; they have '{other}' instead of '{name}'" for name, other in jackknifed.items())
        alone = _examples_without_the_other(names, examples) if not advice else ""
        return f"no output{whose} has both '{first}' and '{second}'; left out: {counts}{advice}{alone}"


def _examples_without_the_other(names: tuple[str, str], examples: Mapping[str, tuple[str, str]]) -> str:
    """Returns an output with each of the two scores if different outputs have them: their names differ."""
    has = [examples.get(cause) for cause in ("metric2_missing", "metric1_missing")]
    if None in has:
        return ""
    (input1, system1), (input2, system2) = (example for example in has if example)
    return (
        f"; for example, '{system1}' on '{input1}' has only '{names[0]}', and '{system2}' on '{input2}' only "
        f"'{names[1]}'; ids and names of systems must be the same in all files"
    )


@dataclass(frozen=True)
class ScoreMatrix:
    """The outputs that have both scores.

    Args:
        x: The first metric, shape (systems, inputs); NaN if there is no output with both scores.
        z: The second, of the same shape, NaN in the same cells.
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        dropped: Cause to the number of outputs left out.
        jackknifed_names: Metric to the ``_jk`` score that outputs without the metric have instead.
        examples: Cause to the instance and summarizer of one output left out, the first by id.
        missing_judgements: The number of judgements missing from lists of judgements; means are over those present.
        scored: System to how many of its outputs with the second score have the first.
    """

    x: Floats
    z: Floats
    systems: Sequence[str]
    inputs: Sequence[str]
    dropped: Mapping[str, int]
    jackknifed_names: Mapping[str, str]
    examples: Mapping[str, tuple[str, str]]
    missing_judgements: int
    scored: Mapping[str, ScoredCount]

    @property
    def num_cells(self) -> int:
        """The number of outputs that have both scores."""
        return int((~np.isnan(self.x)).sum())

    def has_outputs_of(self, other: ScoreMatrix) -> bool:
        """Returns whether two matrices have scores of the same outputs."""
        same_ids = (self.systems, self.inputs) == (other.systems, other.inputs)
        return same_ids and bool((np.isnan(self.x) == np.isnan(other.x)).all())

    def system_means(self) -> tuple[Floats, Floats]:
        """Averages both scores of each system over its inputs; shapes (systems,)."""
        return system_means(self.x), system_means(self.z)
