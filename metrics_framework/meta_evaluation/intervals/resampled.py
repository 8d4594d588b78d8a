"""Coefficients of many resamples: each resample is a vector of weights of systems, of inputs, or of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.system_means import weighted_system_means
from metrics_framework.meta_evaluation.coefficients.weighted_cells import Cells, cellwise
from metrics_framework.meta_evaluation.coefficients.weighted_coefficients import columnwise, rowwise
from metrics_framework.meta_evaluation.coefficients.weighted_differences import weighted_normal_spa, weighted_pdp
from metrics_framework.meta_evaluation.names import COEFFICIENTS, LEVELS, SINGLE_LEVEL
from metrics_framework.significance.arrays import Floats

Weights: TypeAlias = "Floats | None"


def resampled(
    human: Floats,
    metric: Floats,
    name: str,
    *,
    level: str,
    rows: Weights,
    columns: Weights,
    epsilon: float = 0.0,
) -> Floats:
    """Computes a coefficient in every resample.

    A system of weight 2 is in the resample twice, with the same scores; one of weight 0 is not in it.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        name: A name of `COEFFICIENTS`.
        level: A name of `LEVELS`.
        rows: The weights of systems, integers of shape (resamples, systems); `None` if all systems are kept.
        columns: The weights of inputs, integers of shape (resamples, inputs); `None` if all inputs are kept.
        epsilon: The largest difference of tied scores; for ``kendall-like`` the least human difference that counts.

    Returns:
        Shape (resamples,); NaN where undefined.

    Raises:
        InputError: if a name is unknown, shapes differ, or both weights are `None`.
    """
    scores = ResampledScores(human, metric, {name: epsilon})
    return scores.values(level_of(name, level), [name], rows, columns)[name]


def level_of(name: str, level: str) -> str:
    """Returns the level at which a coefficient is computed: for coefficients with one level, that one.

    Raises:
        InputError: if a name is unknown, or the coefficient has no such level.
    """
    if name not in COEFFICIENTS:
        raise InputError(f"'name' must be one of {', '.join(COEFFICIENTS)}, got '{name}'")
    if level not in LEVELS:
        raise InputError(f"'level' must be one of {', '.join(LEVELS)}, got '{level}'")
    only = SINGLE_LEVEL.get(name)  # type: ignore[call-overload]
    if only is None:
        return level
    if level not in (only, "global"):
        raise InputError(f"'{name}' is defined at level '{only}' only, got '{level}'")
    return str(only)


class ResampledScores:
    """Human scores and those of a metric, with all that resamples share: the cells and their order.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        epsilons: Coefficient to the largest difference of tied scores; 0 for others.

    Raises:
        InputError: if the shapes differ or are not those of matrices.
    """

    def __init__(self, human: Floats, metric: Floats, epsilons: Mapping[str, float] | None = None) -> None:
        self.human, self.metric = paired(human, metric)
        self._epsilons = dict(epsilons or {})

    @cached_property
    def _cells(self) -> Cells:
        return Cells.of(self.human, self.metric)

    def points(self, level: str) -> int:
        """Returns the number of points that are correlated: systems, inputs (``within-system``) or cells."""
        present = ~np.isnan(self.human)
        if level == "global":
            return int(present.sum())
        return int(present.any(axis=0 if level == "within-system" else 1).sum())

    def values(self, level: str, names: Sequence[str], rows: Weights, columns: Weights) -> dict[str, Floats]:
        """Computes coefficients at one level in every resample; see `resampled`.

        Args:
            level: The level.
            names: The coefficients.
            rows: The weights of systems.
            columns: The weights of inputs.

        Returns:
            Coefficient to values of shape (resamples,).
        """
        if rows is None and columns is None:
            raise InputError("'rows' or 'columns' must be an array of weights, got None for both")
        values = {}
        for epsilon in dict.fromkeys(self._epsilons.get(name, 0.0) for name in names):
            alike = [name for name in names if self._epsilons.get(name, 0.0) == epsilon]
            values.update(self._of_epsilon(level, alike, rows, columns, epsilon))
        return {name: values[name] for name in names}

    def _of_epsilon(
        self, level: str, names: Sequence[str], rows: Weights, columns: Weights, epsilon: float
    ) -> dict[str, Floats]:
        special = {name: self._special(name, rows, columns) for name in names if name in ("pdp", "spa", "spa:normal")}
        others = [name for name in names if name not in special]
        if level == "input":
            values = _grouped(self.human, self.metric, others, rows, columns, epsilon)
        elif level == "within-system":
            values = _grouped(self.human.T, self.metric.T, others, columns, rows, epsilon)
        elif level == "system":
            values = self._system_level(others, rows, columns, epsilon)
        else:
            values = cellwise(self._cells, *filled(rows, columns, self.human.shape), others, epsilon)
        return {**special, **values}

    def _special(self, name: str, rows: Weights, columns: Weights) -> Floats:
        weights = filled(rows, columns, self.human.shape)
        if name == "pdp":
            return weighted_pdp(self.human, self.metric, *weights)
        if name == "spa:normal":
            return weighted_normal_spa(self.human, self.metric, *weights)
        raise InputError(f"'{name}' cannot be resampled")

    def _system_level(self, names: Sequence[str], rows: Weights, columns: Weights, epsilon: float) -> dict[str, Floats]:
        """Correlates the means of the systems; a system without outputs for the drawn inputs is left out."""
        row_weights, column_weights = filled(rows, columns, self.human.shape)
        if columns is None:
            column_weights = column_weights[:1]
        means = [weighted_system_means(scores, column_weights) for scores in (self.human, self.metric)]
        shape = row_weights.shape
        return rowwise(np.broadcast_to(means[0], shape), np.broadcast_to(means[1], shape), row_weights, names, epsilon)


def paired(human: Floats, metric: Floats) -> tuple[Floats, Floats]:
    """Returns two matrices of floats that are NaN in the same cells.

    Raises:
        InputError: if they are not matrices of one shape.
    """
    human, metric = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if human.ndim != 2 or human.shape != metric.shape:
        raise InputError(
            "human and metric scores must be matrices (systems, inputs) of one shape, "
            f"got shapes {human.shape} and {metric.shape}"
        )
    missing = np.isnan(human) | np.isnan(metric)
    return (np.where(missing, np.nan, human), np.where(missing, np.nan, metric)) if missing.any() else (human, metric)


def filled(rows: Weights, columns: Weights, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Returns the weights of rows and columns, 1 where all are kept."""
    count = next(len(weights) for weights in (rows, columns) if weights is not None)
    return (
        np.ones((count, shape[0])) if rows is None else rows,
        np.ones((count, shape[1])) if columns is None else columns,
    )


def _grouped(
    human: Floats, metric: Floats, names: Sequence[str], rows: Weights, columns: Weights, epsilon: float
) -> dict[str, Floats]:
    """Averages correlations over the drawn columns; if all rows are kept, each column is correlated once."""
    groups = columnwise(human, metric, np.ones((1, len(human))) if rows is None else rows, names, epsilon)
    means = {}
    for name, values in groups.items():
        defined = ~np.isnan(values)
        kept = np.where(defined, values, 0)
        if columns is None:
            sums, counts = kept.sum(axis=1), defined.sum(axis=1)
        elif rows is None:
            sums, counts = columns @ kept[0], columns @ defined[0]
        else:
            sums, counts = (columns * kept).sum(axis=1), (columns * defined).sum(axis=1)
        means[name] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means
