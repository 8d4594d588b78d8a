"""Several metrics in one run: what their scores are called, and the refusal of two that share a name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

Names: TypeAlias = "set[tuple[str, ...]]"
"""The names of the scores of an output, of all kinds of outputs."""


class ScoreNames:
    """Names the scores of several metrics by their labels, and refuses a score that two of them give.

    Args:
        metrics: The metrics.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        self._metrics = metrics
        self._owners: dict[str, str] = {}
        self._known: list[Names] = [set() for _ in metrics]
        self._usual: list[frozenset[str] | None] = [None for _ in metrics]

    def labelled(self, columns: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """Gives the scores their names in this run.

        Args:
            columns: For each metric the scores of all outputs, or, where no name is changed, the JSON of them.

        Raises:
            UsageError: if two metrics give one of the names.
        """
        renamed, new = self.renamed(columns)
        self.claim(new)
        return renamed

    def renamed(self, columns: Sequence[Sequence[Any]]) -> tuple[list[Sequence[Any]], list[Names]]:
        """Gives the scores their names in this run; besides, those of each metric that it was not yet asked for."""
        found, new = [], []
        for metric, known, column in zip(self._metrics, self._known, columns, strict=True):
            renamed = [metric.renamed(scores) for scores in column] if metric.is_renamed else column
            names = _shapes(renamed) - known
            known |= names
            found.append(renamed)
            new.append(names)
        return found, new

    def claim(self, new: Sequence[Names]) -> None:
        """Takes names for each metric.

        Raises:
            UsageError: if two metrics give one of the names.
            InputError: if a metric gives some outputs other scores than others, jackknifing aside.
        """
        for metric, several in zip(self._metrics, new, strict=True):
            for names in several:
                self._claim(metric, names)
        for place, several in enumerate(new):
            for plain in sorted(sorted({str(name).removesuffix(JACKKNIFED) for name in names}) for names in several):
                self._check_usual(place, frozenset(plain))

    def _check_usual(self, place: int, names: frozenset[str]) -> None:
        """Refuses other names than the first output had: who averages the rows would not see what is missing."""
        usual = self._usual[place]
        if usual is None:
            self._usual[place] = names
        elif names != usual:
            raise InputError(
                f"the metric '{self._metrics[place].label}' must give the same scores for every output; only some "
                f"outputs have {', '.join(sorted(names ^ usual))}"
            )

    def _claim(self, metric: LabelledMetric, names: Sequence[str]) -> None:
        for name in names:
            owner = self._owners.setdefault(name, metric.label)
            if owner != metric.label:
                raise UsageError(
                    f"the metrics '{owner}' and '{metric.label}' both give a score called '{name}'; "
                    f"give one of them a label, as in {metric.metric.name}:label=other-name"
                )


def _shapes(column: Sequence[Any]) -> set[tuple[str, ...]]:
    """Returns the names that outputs have scores of, each combination once; a kernel gives all outputs the same."""
    if not column:
        return set()
    if isinstance(column[0], str):
        return {tuple(json.loads(f"{{{column[0]}}}"))}
    usual = column[0].keys()
    return {tuple(usual), *(tuple(scores) for scores in column if scores.keys() != usual)}
