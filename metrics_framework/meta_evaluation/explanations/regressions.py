"""Which covariates predict the error of a judge: linear regression with robust standard errors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.checks import checked_pair
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.explanations.cells import CompleteCells
from metrics_framework.meta_evaluation.sums.moments import is_constant
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction

INTERCEPT = "intercept"
COLLINEAR = 1e-10
"""A column whose part that no earlier column explains is below this fraction of its size is collinear."""


@dataclass(frozen=True)
class Effect:
    """The effect of one covariate on the error of a judge.

    Args:
        slope: The change of the error per unit of the covariate, with its confidence interval.
        standard_error: Its robust standard error.
        p_value: The two-sided p-value of no effect, from the normal distribution.
    """

    slope: Interval
    standard_error: float
    p_value: float


@dataclass(frozen=True)
class ErrorRegression:
    """The regression of the error of a judge on covariates.

    Args:
        effects: Name to effect; ``intercept`` is the mean error where all covariates are 0.
        errors: How standard errors were computed: ``HC3`` or ``clusters``.
        r_squared: The share of the variance of the errors that the covariates explain; NaN if the errors are constant.
        outputs: The number of outputs used.
        clusters: The number of clusters; `None` without.
        left_out: The number of outputs left out because a covariate is missing.
    """

    effects: Mapping[str, Effect]
    errors: str
    r_squared: float
    outputs: int
    clusters: int | None
    left_out: int


def error_regression(
    human: Any,
    judge: Any,
    covariates: Mapping[str, Any],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 95,
) -> ErrorRegression:
    """Regresses the error of a judge, its score minus the human one, on covariates by least squares.

    Standard errors are HC3 (MacKinnon and White 1985) or, with clusters, those of Liang and Zeger (1986) with the
    correction G/(G − 1) · (n − 1)/(n − k).

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        judge: The scores of the judge, of the same shape and on the same scale.
        covariates: Name to values, of the same shape.
        clusters: The cluster of each input; by default outputs are independent.
        confidence: The confidence level of the intervals, in percent or as a fraction.

    Raises:
        InputError: if an argument is invalid, a covariate is constant or collinear with others, or there are too few
            outputs or clusters.

    >>> human, judge, length = [[1, 2, 3, 4, 5]], [[1, 3, 3, 6, 7]], [[1, 2, 3, 4, 6]]
    >>> slope = error_regression(human, judge, {"length": length}).effects["length"].slope
    >>> round(slope.value, 6)
    0.405405
    """
    x, z = checked_pair(human, judge)
    cells = CompleteCells.of(x, z, covariates)
    if INTERCEPT in covariates:
        raise InputError(f"a covariate must not be named '{INTERCEPT}', which is the name of the constant term")
    names = [INTERCEPT, *covariates]
    design = np.column_stack([np.ones(len(cells.x)), cells.covariates])
    _check_design(design, names)
    groups = None if clusters is None else _clusters_of_outputs(Clusters.of(clusters, x.shape[1]), cells)
    size = max(float(np.abs(cells.x).max()), float(np.abs(cells.z).max())) or 1.0  # so that no square overflows
    outcome = cells.z / size - cells.x / size
    slopes, standard_errors, residuals = _fit(design, outcome, groups)
    centred = outcome - outcome.mean()
    total = 0.0 if is_constant(outcome) else float(centred @ centred)
    return ErrorRegression(
        effects=_effects(names, size * slopes, size * standard_errors, as_fraction(confidence)),
        errors="HC3" if groups is None else "clusters",
        r_squared=1 - float(residuals @ residuals) / total if total else float("nan"),
        outputs=len(outcome),
        clusters=None if groups is None else groups.count,
        left_out=cells.left_out,
    )


def _clusters_of_outputs(inputs: Clusters, cells: CompleteCells) -> Clusters:
    clusters = Clusters.of(inputs.codes[cells.inputs].tolist(), len(cells.inputs))
    if clusters.count < 2:
        raise InputError(f"errors by clusters need at least 2 clusters, got {clusters.count}")
    return clusters


def _check_design(design: Floats, names: Sequence[str]) -> None:
    rows, columns = design.shape
    if rows <= columns:
        raise InputError(f"a regression on {columns - 1} covariates needs more than {columns} outputs, got {rows}")
    unexplained = np.abs(np.diag(np.linalg.qr(design / np.abs(design).max(axis=0, initial=1e-300))[1]))
    for name, left in zip(names, unexplained, strict=True):
        if left < COLLINEAR * np.sqrt(rows):
            raise InputError(f"the covariate '{name}' is constant, or the earlier ones determine it; leave it out")


def _fit(design: Floats, outcome: Floats, clusters: Clusters | None) -> tuple[Floats, Floats, Floats]:
    """Returns slopes, their robust standard errors and residuals of least squares."""
    scales = np.abs(design).max(axis=0)
    scaled = design / scales
    inverse = np.linalg.inv(scaled.T @ scaled)
    slopes = np.linalg.lstsq(scaled, outcome, rcond=None)[0]
    residuals = outcome - scaled @ slopes
    if clusters is None:
        leverages = np.einsum("ij,jk,ik->i", scaled, inverse, scaled)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = scaled * (residuals / (1 - leverages))[:, None]
        factor = 1.0
    else:
        n, k = design.shape
        scores = np.stack([clusters.sums(column) for column in (scaled * residuals[:, None]).T], axis=1)
        factor = clusters.count / (clusters.count - 1) * (n - 1) / (n - k)
    variances = factor * np.diag(inverse @ (scores.T @ scores) @ inverse)
    return slopes / scales, np.sqrt(variances) / scales, residuals


def _effects(names: Sequence[str], slopes: Floats, errors: Floats, level: float) -> dict[str, Effect]:
    from scipy.special import ndtr, ndtri

    width = float(ndtri(0.5 + level / 2))
    effects = {}
    for name, slope, error in zip(names, (slopes + 0.0).tolist(), errors.tolist(), strict=True):
        p_value = 2 * float(ndtr(-abs(slope) / error)) if error else float("nan")
        effects[name] = Effect(Interval(slope, slope - width * error, slope + width * error), error, p_value)
    return effects
