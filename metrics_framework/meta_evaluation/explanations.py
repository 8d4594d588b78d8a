"""What else could explain how scores agree: correlations at equal values of covariates, and where variance lies."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import checked_choice
from metrics_framework.meta_evaluation.coefficients.pearson import pearson_p
from metrics_framework.meta_evaluation.groups.moments import is_constant, pearson_of_rows, row_ranks, scaled_down
from metrics_framework.meta_evaluation.groups.score_pair import checked_pair, checked_scores
from metrics_framework.meta_evaluation.study import Finding

PartialCoefficient = Literal["pearson", "spearman"]
PartialLevel = Literal["global", "input"]

VANISHED = 1e-10
"""Residuals below this fraction of the largest centred value are rounding errors: covariates explain the score."""
DECIMALS = 10
"""Residuals with the same decimals have the same rank."""


@dataclass(frozen=True)
class PartialCorrelation:
    """A correlation at equal values of covariates.

    Args:
        value: The partial correlation; NaN if undefined, for example because covariates explain a score completely.
        uncontrolled: The correlation of the same outputs without covariates.
        p_value: Its two-sided p-value at the level ``global``, n − 2 − k degrees of freedom, with k the rank of the
            covariates: c categories have c − 1; NaN if undefined, and at the level ``input``.
        outputs: The number of outputs used.
        left_out: The number of outputs left out because a covariate is missing.
        of_residuals: The coefficient of the residuals of the scores as they are, which FRANK publishes: unlike
            ``value``, ``spearman`` ranks after the regressions.
    """

    value: float
    uncontrolled: float
    p_value: float
    outputs: int
    left_out: int
    of_residuals: float


def partial_correlation(
    human: Any,
    metric: Any,
    covariates: Mapping[str, Any],
    name: PartialCoefficient = "pearson",
    *,
    level: PartialLevel = "global",
) -> PartialCorrelation:
    """Correlates the residuals of a metric and of human scores after linear regressions on covariates.

    ``spearman`` replaces scores and numbers by their ranks first. Categories become indicators. At the level ``input``,
    everything is ranked and centred for each input, all inputs share the slopes of the regressions, and the
    correlations of the residuals are averaged over inputs; without covariates this is the usual coefficient of that
    level.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        covariates: Name to values, of the same shape: numbers, or categories as strings, such as the system.
        name: ``pearson`` or ``spearman``.
        level: ``global`` or ``input``.

    Raises:
        InputError: if an argument is invalid, or a category identifies each input or output.

    Source: Pagnoni, Balachandran and Tsvetkov (NAACL 2021), "FRANK", for categories.

    >>> human, metric, length = [[1, 2, 4, 3, 5]], [[2, 1, 5, 4, 3]], [[3, 1, 4, 2, 5]]
    >>> found = partial_correlation(human, metric, {"length": length})
    >>> round(found.uncontrolled, 6), round(found.value, 6)
    (0.6, 0.404226)
    """
    chosen = checked_choice(name, get_args(PartialCoefficient), "name")
    at = checked_choice(level, get_args(PartialLevel), "level")
    x, z = checked_pair(human, metric)
    cells = _CompleteCells.of(x, z, covariates)
    columns = [cells.x, cells.z, *cells.values, *cells.indicators]
    shape = (x.shape[1], x.shape[0]) if at == "input" else (1, len(cells.x))
    places = (cells.inputs, cells.systems) if at == "input" else (np.zeros(len(cells.x), int), np.arange(len(cells.x)))
    groups = [_arranged(column, shape, places) for column in columns]
    ranked = [row_ranks(group) for group in groups[: 2 + len(cells.values)]] if chosen == "spearman" else groups
    before = _correlated(ranked[0], ranked[1])
    residuals, rank = _residuals([*ranked, *groups[len(ranked) :]], places)
    found = [_correlated(*(_arranged(residual, shape, places) for residual in residuals))]
    if chosen == "spearman":
        rest = [np.round(residual, DECIMALS) for residual in _residuals(groups, places)[0]]
        found.append(_correlated(*(row_ranks(_arranged(residual, shape, places)) for residual in rest)))
    for values in found:
        values[np.isnan(before)] = np.nan  # a score that is constant has no residuals, only those of rounding
    value = _mean(found[0])
    p_value = pearson_p(value, len(cells.x) - rank) if at == "global" else math.nan
    return PartialCorrelation(value, _mean(before), p_value, len(cells.x), cells.left_out, _mean(found[-1]))


@dataclass(frozen=True)
class _CompleteCells:
    """The outputs that have both scores and every covariate.

    Args:
        x: The first score, shape (outputs,).
        z: The second.
        values: The covariates that are numbers, each of the shape (outputs,).
        indicators: Those that are categories: 1 for the outputs of a category, else 0.
        systems: The system of each output, shape (outputs,).
        inputs: The input of each output.
        left_out: The number of outputs left out that have both scores, but not every covariate.
    """

    x: Floats
    z: Floats
    values: Sequence[Floats]
    indicators: Sequence[Floats]
    systems: Indices
    inputs: Indices
    left_out: int

    @classmethod
    def of(cls, x: Floats, z: Floats, covariates: Mapping[str, Any]) -> _CompleteCells:
        """Selects the outputs.

        Args:
            x: The first score, shape (systems, inputs); NaN where missing.
            z: The second, of the same shape.
            covariates: Name to values, of the same shape.

        Raises:
            InputError: if a covariate is no matrix of numbers or categories of that shape, or identifies outputs.
        """
        if not isinstance(covariates, Mapping):
            raise InputError(f"'covariates' must be a mapping of names to matrices, got {type(covariates).__name__}")
        labels: dict[str, Sequence[str]] = {}
        matrices = {name: _matrix(values, name, labels) for name, values in covariates.items()}
        for name, matrix in matrices.items():
            if matrix.shape != x.shape:
                raise InputError(
                    f"'covariates[{name!r}]' must have the shape of the scores, {x.shape}, got {matrix.shape}"
                )
        scored = ~np.isnan(x) & ~np.isnan(z)
        complete = scored & ~np.isnan(np.array([*matrices.values()]).reshape(-1, *x.shape)).any(axis=0)
        systems, inputs = np.nonzero(complete)
        chosen = {name: matrix[complete] for name, matrix in matrices.items()}
        indicators = []
        for name in labels:
            _refuse_identifiers(name, chosen[name], inputs)
            indicators += [(chosen[name] == code).astype(np.float64) for code in np.unique(chosen[name])]
        values = [column for name, column in chosen.items() if name not in labels]
        left_out = int(scored.sum() - complete.sum())
        return cls(x[complete], z[complete], values, indicators, systems, inputs, left_out)


def _matrix(values: Any, name: str, labels: dict[str, Sequence[str]]) -> Floats:
    """Converts a covariate to numbers; categories are numbered from 0, and added to labels."""
    given = np.asarray(values)
    kinds = {
        str if isinstance(one, str) else float if isinstance(one, numbers.Real) else type(one) for one in given.flat
    }
    if str not in kinds or not kinds <= {str, float, type(None)}:
        return checked_scores(values, f"covariates[{name!r}]")
    words = [None if one is None or one != one else str(one) for one in given.flat]
    labels[name] = sorted({word for word in words if word is not None})
    code = {word: float(number) for number, word in enumerate(labels[name])}
    return np.array([math.nan if word is None else code[word] for word in words]).reshape(given.shape)


def _refuse_identifiers(name: str, codes: Floats, inputs: Indices) -> None:
    """Refuses categories of single outputs or inputs.

    Args:
        name: The covariate.
        codes: The category of each output.
        inputs: The input of each output.
    """
    categories = len(np.unique(codes))
    sizes = {"output": len(codes), "input": len(np.unique(inputs))}
    if len(np.unique(np.stack([codes, inputs]), axis=1).T) > sizes["input"]:
        del sizes["input"]
    for what, size in sizes.items():
        if categories == size > 1:
            raise InputError(
                f"the covariate '{name}' has a different value for each of {size} {what}s; leave it out, and use the "
                "level 'input' to compare the outputs of one input"
            )


def _correlated(x: Floats, z: Floats) -> Floats:
    """Correlates each row, shape (groups,)."""
    present = (~np.isnan(x)).astype(np.float64)
    return pearson_of_rows(x, z, present)


def _mean(values: Floats) -> float:
    """Averages the values that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _arranged(values: Floats, shape: tuple[int, int], places: Any) -> Floats:
    """Puts the values of outputs in a matrix (groups, outputs), NaN elsewhere."""
    matrix = np.full(shape, np.nan)
    matrix[places] = values
    return matrix


def _centred(group: Floats) -> Floats:
    """Subtracts the mean of each row from values scaled so that their sum cannot overflow."""
    present = ~np.isnan(group)
    filled = np.where(present, scaled_down(group), 0)
    counts = np.maximum(present.sum(axis=1, keepdims=True), 1)
    return np.where(present, filled - filled.sum(axis=1, keepdims=True) / counts, np.nan)


def _residuals(groups: Sequence[Floats], places: Any) -> tuple[list[Floats], int]:
    """Regresses the first two variables on the others, all centred; residuals that are only rounding errors are 0.

    Returns:
        The residuals, and the rank of the other variables.
    """
    columns = [_scaled(_centred(group)[places]) for group in groups]
    design = np.column_stack(columns[2:]) if len(columns) > 2 else np.empty((len(columns[0]), 0))
    if not design.size:
        return columns[:2], 0
    scores = np.column_stack(columns[:2])
    slopes, _, rank, _ = np.linalg.lstsq(design, scores, rcond=None)
    rest = scores - design @ slopes
    return list(np.where(np.abs(rest) > VANISHED, rest, 0).T), int(rank)


def _scaled(values: Floats) -> Floats:
    largest = np.abs(values).max(initial=0)
    return values / largest if largest else values


@dataclass(frozen=True)
class VarianceShares(Finding):
    """The shares of the variance of scores over all outputs; they add up to 1, and are NaN if the scores are constant.

    Args:
        inputs: Between inputs. Its root is the largest Pearson correlation, at the global level, of a metric that sees
            only the input.
        systems: Between systems, after the means of inputs are subtracted.
        within: The rest.
    """

    inputs: float
    systems: float
    within: float


def variance_shares(scores: Any) -> VarianceShares:
    """Splits the sum of squares of scores by least squares: means of inputs first, then effects of systems.

    If every system has an output for every input, the order does not matter.

    Args:
        scores: Shape (systems, inputs); NaN where missing.

    Raises:
        InputError: if the scores are no matrix of finite numbers.

    >>> shares = variance_shares([[1, 3, 5], [2, 4, 9]])
    >>> round(shares.inputs, 6), round(shares.systems, 6), round(shares.within, 6)
    (0.775, 0.15, 0.075)
    """
    matrix = checked_scores(scores, "scores")
    present = ~np.isnan(matrix)
    if is_constant(matrix[present]):
        return VarianceShares(math.nan, math.nan, math.nan)
    values = scaled_down(matrix)
    values = np.where(present, values - values[present].mean(), 0)
    values = values / np.abs(values).max()
    counts = np.maximum(present.sum(axis=0), 1)
    input_means = values.sum(axis=0) / counts
    total = float((values**2).sum())
    between_inputs = float((counts * input_means**2).sum())
    between_systems = _system_squares(np.where(present, values - input_means, 0), present.astype(np.float64))
    within = max(0.0, total - between_inputs - between_systems)
    return VarianceShares(between_inputs / total, between_systems / total, within / total)


def _system_squares(deviations: Floats, present: Floats) -> float:
    """Returns the sum of squares that effects of systems explain of the deviations from the means of inputs.

    The normal equations of the indicators of systems, each centred for every input.
    """
    shares = present / np.maximum(present.sum(axis=0), 1)
    equations = np.diag(present.sum(axis=1)) - shares @ present.T
    sums = deviations.sum(axis=1)
    effects = np.linalg.lstsq(equations, sums, rcond=1e-10)[0]
    return max(0.0, float(effects @ sums))
