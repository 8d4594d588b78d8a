"""Selects scores of outputs as matrices of systems × inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import InputError, UnknownNameError
from metrics_framework.data.fields import SummarizerFilter
from metrics_framework.meta_evaluation.scores.components import Components, as_number, missing_ratings
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns
from metrics_framework.meta_evaluation.scores.score_selection import ScoreSelection


def select_columns(
    scores: ScoreSelection,
    names: Sequence[str],
    summarizer_type: str = "peer",
    hints: Mapping[str, str] | None = None,
    signatures: Iterable[str] = (),
) -> ScoreColumns:
    """Returns scores as matrices.

    Args:
        scores: The scores of outputs.
        names: The flat names of the scores.
        summarizer_type: Which outputs to include: ``all``, ``reference`` or ``peer``.
        hints: Name to why it is not a metric, for the error message.
        signatures: The labels of the metrics that have signatures.

    Raises:
        UnknownNameError: if a score appears in no row.
        UsageError: if a score is a list of different numbers, such as ``bleu_precisions``.
        InputError: if the type is unknown.
    """
    types = get_args(SummarizerFilter)
    if summarizer_type not in types:
        raise InputError(f"'summarizer_type' must be one of {', '.join(types)}, got '{summarizer_type}'")
    names = [*dict.fromkeys(names)]
    selection = _ColumnSelection(scores, Components(signatures), summarizer_type)
    selection.check_lists(names)
    known = selection.known()
    for name in names:
        if name not in known:
            raise UnknownNameError("metric", name, known, (hints or {}).get(name, ""))
    return selection.columns(names)


class _ColumnSelection:
    """The outputs of one type, and their scores.

    Args:
        scores: The scores of outputs.
        components: Finds the numbers of lists.
        summarizer_type: Which outputs to include.
    """

    def __init__(self, scores: ScoreSelection, components: Components, summarizer_type: str) -> None:
        self._scores = scores
        self._components = components
        self._summarizer_type = summarizer_type
        self._chosen: Bools = np.array([summarizer_type in ("all", kind) for kind in scores.types()], dtype=np.bool_)

    def check_lists(self, names: Sequence[str]) -> None:
        """Raises an error if a score is a list that a metric returned, for the first output that has one."""
        lists = [
            (index, position, score)
            for position, name in enumerate(names)
            for index, score in self._scores.others(name)
            if self._chosen[index] and self._components.names(name, score)
        ]
        if lists:
            _, position, score = min(lists, key=lambda one: one[:2])
            self._components.value({names[position]: score}, names[position])

    def known(self) -> set[str]:
        """Returns the names of all numbers; whether a score is a list is seen from the first output that has it."""
        known: set[str] = set()
        for name in self._scores.names:
            others = dict(self._scores.others(name))
            first = others.get(self._scores.first(name)) if others else None
            known.update(self._components.names(name, first) or [name])
        return known

    def columns(self, names: Sequence[str]) -> ScoreColumns:
        """Returns the matrices of scores."""
        (systems, rows), (inputs, columns) = self._scores.sorted_ids(self._chosen)
        shape, cells = (len(systems), len(inputs)), rows * len(inputs) + columns
        present: Bools = np.zeros(shape, dtype=np.bool_)
        present.flat[cells] = True
        scores, jackknifed, missing = {}, {}, {}
        for name in names:
            values = self._values(name)
            scores[name] = np.full(shape, np.nan)
            scores[name].flat[cells] = values[self._chosen]
            other, counts = self._jackknifed(name, values), self._missing(name, values)
            if other is not None:
                jackknifed[name] = other
            if counts.any():
                missing[name] = np.zeros(shape)
                missing[name].flat[cells] = counts[self._chosen]
        other_types = len(self._chosen) - len(cells)
        return ScoreColumns(systems, inputs, present, scores, self._summarizer_type, other_types, jackknifed, missing)

    def _values(self, name: str) -> Floats:
        """Returns a score of each output, which may be a number of a list; NaN if it is missing."""
        values = self._scores.numbers(name, self._chosen)
        owner = name.rpartition("_")[0]
        lists = [one for one in self._scores.others(owner) if name in self._components.names(owner, one[1])]
        if lists:
            having = self._scores.having(name)
            for index, score in lists:
                if self._chosen[index] and not having[index]:
                    values[index] = as_number(self._components.value({owner: score}, name))
        return values

    def _jackknifed(self, name: str, values: Floats) -> str | None:
        """Returns the ``_jk`` score that outputs have instead of a missing score."""
        missing = self._chosen & np.isnan(values)
        if not missing.any():
            return None
        others = (other for other in self._scores.names if "_jk" in other and other.replace("_jk", "", 1) == name)
        having = [other for other in others if not np.isnan(self._scores.numbers(other, missing)[missing]).all()]
        return min(having, default=None)

    def _missing(self, name: str, values: Floats) -> Indices:
        """Returns the number of missing ratings of each output that has a score."""
        counts: Indices = np.zeros(len(values), dtype=np.intp)
        for index, score in self._scores.others(name):
            if not np.isnan(values[index]):
                counts[index] = missing_ratings(score)
        return counts
