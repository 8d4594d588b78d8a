"""Names of scores: applies the labels of metrics, and rejects names that two metrics share (decision 0009)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from metrics_framework.common.definitions import defined_at, is_built_in
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

Names: TypeAlias = "set[tuple[str, ...]]"
"""Every combination of score names that an output has."""


@dataclass
class ScoreNames:
    """Renames scores by the labels of their metrics, and rejects score names that two metrics share.

    Args:
        metrics: The metrics.
    """

    metrics: Sequence[LabelledMetric]
    _known: dict[str, Names] = field(default_factory=dict)  # of each label
    _owners: dict[str, LabelledMetric] = field(default_factory=dict)
    _expected: dict[str, frozenset[str]] = field(default_factory=dict)  # of each label

    def renamed(self, columns: Sequence[Sequence[Any]]) -> tuple[list[Sequence[Any]], list[Names]]:
        """Renames scores by the labels of their metrics.

        Args:
            columns: For each metric the scores of all outputs, or their JSON if a kernel wrote it, which needs no
                renaming.

        Returns:
            The columns, and for each metric the combinations of names that are new.
        """
        renamed, new = [], []
        for metric, column in zip(self.metrics, columns, strict=True):
            scores = [metric.renamed(scores_of_output) for scores_of_output in column] if metric.is_renamed else column
            names = set()
            if scores and isinstance(scores[0], str):  # a kernel returns the same names for all outputs
                import json

                names = {tuple(json.loads(f"{{{scores[0]}}}"))}
            elif scores:
                first = scores[0].keys()
                names = {tuple(first), *(tuple(other) for other in scores if other.keys() != first)}
            names -= self._known.setdefault(metric.label, set())
            self._known[metric.label] |= names
            renamed.append(scores)
            new.append(names)
        return renamed, new

    def claim(self, new: Sequence[Names]) -> None:
        """Reserves new score names for their metrics.

        Raises:
            UsageError: if two metrics have a score of the same name.
            InputError: if a metric returns different scores for different outputs, apart from jackknifed scores.
        """
        for metric, combinations in zip(self.metrics, new, strict=True):
            for name in (name for names in combinations for name in names):
                owner = self._owners.setdefault(name, metric)
                if owner is not metric:
                    first, second = sorted((owner, metric), key=self.metrics.index)
                    raise UsageError(
                        f"the metrics '{first.label}' and '{second.label}' both have a score called '{name}'; "
                        f"label one of them, as in {second.metric.name}:label=other-name"
                    )
        for metric, combinations in zip(self.metrics, new, strict=True):
            for names in sorted(sorted({name.removesuffix(JACKKNIFED) for name in names}) for names in combinations):
                expected = self._expected[metric.label] = self._expected.get(metric.label) or frozenset(names)
                if expected.symmetric_difference(names):  # a mean over these rows would hide that scores are missing
                    raise InputError(
                        f"the metric '{metric.label}' must return the same scores for every output; only "
                        f"some outputs have {', '.join(sorted(expected.symmetric_difference(names)))}"
                    )


def unknown_directions(metrics: Sequence[LabelledMetric], new: Sequence[Names]) -> Iterator[str]:
    """Yields a warning for each metric of a plug-in whose scores do not have its name.

    Args:
        metrics: The metrics.
        new: For each metric, the new combinations of score names.
    """
    for metric, combinations in zip(metrics, new, strict=True):
        cls, label = type(metric.metric), metric.label
        if is_built_in(cls) or cls.higher_is_better is None:
            continue
        for names in combinations:
            if names and not any(name == label or name.startswith(f"{label}_") for name in names):
                yield (
                    f"no score of '{label}' has its name (it returns {', '.join(map(repr, names))}), so fw correlate "
                    f"does not know whether higher is better; in {defined_at(cls)}, name the score "
                    f"'{metric.metric.name}'"
                )
                break
