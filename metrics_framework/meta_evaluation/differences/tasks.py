"""`Task`: a coefficient of one or more data sets, and the tasks of shared tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level

DataSet: TypeAlias = "str | tuple[Any, Mapping[str, Any]]"
"""The name of a data set, or human scores, shape (systems, inputs), and metric to its scores of the same shape."""


@dataclass(frozen=True)
class Task:
    """A coefficient of some data sets.

    Args:
        name: The name of the task.
        coefficient: The name of the coefficient.
        level: The level.
        data_sets: The data sets; several only for a coefficient that pools them, such as ``pairwise-accuracy``.
        weight: The weight in the average.
        options: Returns the options of the coefficient for a data set and a metric, given their names; by default those
            of a coefficient that calibrates its ε.
        min_group: The least number of outputs of a group.

    Raises:
        InputError: if an argument is invalid.
    """

    name: str
    coefficient: str
    level: str
    data_sets: Sequence[DataSet]
    weight: float = 1.0
    options: Callable[[str, str], CoefficientOptions] | None = None
    min_group: int = 2

    def __post_init__(self) -> None:
        found = self.resolved[0]
        if self.weight <= 0:
            raise InputError(f"the weight of task '{self.name}' must be positive, got {self.weight}")
        if len(self.data_sets) != 1 and found.pooling_weight(2) is None:
            raise InputError(f"task '{self.name}' must have one data set, got {len(self.data_sets)}")

    @property
    def resolved(self) -> tuple[Coefficient, Level]:
        """The coefficient, and the level at which it is defined."""
        found, level, _ = checked_coefficient(self.coefficient, self.level)
        return found, level


def wmt23(languages: Mapping[str, DataSet]) -> list[Task]:
    """Returns the tasks of the metrics task of WMT 2023.

    Pairwise accuracy over the pairs of systems of all language pairs, with a weight of one per language pair; and for
    each language pair Pearson's r of systems and of all segments, and acc-eq of segments.

    Args:
        languages: Language pair to its data set.
    """
    tasks = [Task("pairwise-accuracy", "pairwise-accuracy", "system", _present(languages), len(languages))]
    for language, data in languages.items():
        tasks.append(Task(f"{language} system pearson", "pearson", "system", [data]))
        tasks.append(Task(f"{language} global pearson", "pearson", "global", [data]))
        tasks.append(Task(f"{language} acc-eq", "acc-eq", "input", [data]))
    return tasks


def wmt24(languages: Mapping[str, DataSet]) -> list[Task]:
    """Returns the tasks of the metrics tasks of WMT 2024 and 2025: SPA and acc-eq of each language pair.

    Args:
        languages: Language pair to its data set.
    """
    _present(languages)
    return [
        task
        for language, data in languages.items()
        for task in (
            Task(f"{language} spa", "spa", "system", [data]),
            Task(f"{language} acc-eq", "acc-eq", "input", [data]),
        )
    ]


def _present(languages: Mapping[str, DataSet]) -> list[DataSet]:
    if not languages:
        raise InputError("'languages' must have one data set or more")
    return list(languages.values())


PRESETS: Mapping[str, Callable[[Mapping[str, DataSet]], list[Task]]] = {"wmt23": wmt23, "wmt24": wmt24, "wmt25": wmt24}
"""The tasks of shared tasks by name."""
