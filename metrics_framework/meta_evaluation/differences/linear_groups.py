"""The linear parts of a coefficient in all groups: small groups together, large groups one by one."""

from __future__ import annotations

import numpy as np

from metrics_framework.meta_evaluation.coefficients.row_correlations import row_ranks
from metrics_framework.meta_evaluation.differences.linear_parts import FIXED, Vectors, can_tie, linear_part
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.significance.arrays import Bools, Floats

LARGEST_DENSE = 64
"""Up to this many outputs per group, all pairs are compared."""
BLOCK_PAIRS = 1 << 20


def linear_groups(scores: PairedScores, name: str) -> tuple[Floats, Floats, Bools]:
    """Computes the linear part of the difference in each group.

    Args:
        scores: The scores; columns are groups.
        name: The coefficient.

    Returns:
        2L / denominator, shape (outputs, groups), 0 where missing; the denominators, shape (groups,), 0 where the
        coefficient is undefined in all arrangements; and whether the difference is linear in the spins.
    """
    threshold = scores.epsilons[0] if name == "kendall-like" else 0.0
    ties = (0.0, 0.0, 0.0) if threshold else (*scores.epsilons, sum(scores.common_epsilons) / 2)
    metrics, common = (scores.first, scores.second), (scores.first_z, scores.second_z)
    is_linear = np.ones(scores.shape[1], bool) if name in FIXED else ~can_tie(*common)
    linear, denominators = np.zeros(scores.shape), np.zeros(scores.shape[1])
    if scores.shape[0] > LARGEST_DENSE:
        for column in np.flatnonzero(is_linear):
            used = scores.present[:, column]
            group = Vectors(
                scores.human[used, column],
                (metrics[0][used, column], metrics[1][used, column]),
                (common[0][used, column], common[1][used, column]),
                ties,
            )
            linear[used, column], denominators[column] = linear_part(group, name, threshold)
        return linear, denominators, is_linear
    step = max(1, BLOCK_PAIRS // max(1, scores.shape[0] ** 2))
    for start in range(0, scores.shape[1], step):
        block = slice(start, start + step)
        linear[:, block], denominators[block] = _dense(
            scores.human[:, block],
            [values[:, block] for values in metrics],
            [values[:, block] for values in common],
            ties,
            name,
            threshold,
        )
    return linear, denominators, is_linear


def _dense(
    human: Floats,
    metrics: list[Floats],
    common: list[Floats],
    epsilons: tuple[float, float, float],
    name: str,
    threshold: float,
) -> tuple[Floats, Floats]:
    """Compares all pairs of outputs of each group, shapes (outputs, groups)."""
    with np.errstate(over="ignore"):  # of differences only the sign, and whether they are large, are used
        return _dense_pairs(human, metrics, common, epsilons, name, threshold)


def _dense_pairs(
    human: Floats,
    metrics: list[Floats],
    common: list[Floats],
    epsilons: tuple[float, float, float],
    name: str,
    threshold: float,
) -> tuple[Floats, Floats]:
    gaps = human[:, None] - human[None]
    people = np.subtract(gaps > 0, gaps < 0, dtype=np.float64)
    compared = ~np.isnan(gaps)
    compared[np.arange(len(human)), np.arange(len(human))] = False
    if name == "kendall-like":
        compared &= (np.abs(gaps) >= threshold) & (people != 0)
    weights = _centred_rank_gaps(human) if name == "spearman" else people
    linear = np.zeros(human.shape)
    for one in (0, 1):
        for other in (0, 1):
            scale = metrics if one == other else common
            ties = epsilons[one] if one == other else epsilons[2]
            difference = scale[one][:, None] - scale[other][None]
            signs = np.subtract(difference > ties, difference < -ties, dtype=np.float64)
            if name.startswith("kendall-") and name != "kendall-like":
                pairs = people * signs
            elif name == "spearman":
                pairs = weights * signs
            else:
                pairs = (compared & (people == signs)) * (1.0 if name in ("acc-23", "pairwise-accuracy") else 2.0)
            linear += (1 if one == 0 else -1) / 4 * pairs.sum(axis=1)
    denominators = _denominators(human, people, compared, name)
    return np.asarray(2 * linear / np.where(denominators > 0, denominators, np.inf)), denominators


def _centred_rank_gaps(human: Floats) -> Floats:
    ranks = row_ranks(human.T).T
    gaps: Floats = np.nan_to_num(ranks[:, None] - ranks[None]) / 2
    return gaps


def _denominators(human: Floats, people: Floats, compared: Bools, name: str) -> Floats:
    """Returns the denominator of each group; 0 where undefined."""
    sizes = (~np.isnan(human)).sum(axis=0)
    pairs = sizes * (sizes - 1) / 2
    untied = np.abs(people).sum(axis=(0, 1)) / 2
    if name in ("acc-23", "tau-23", "pairwise-accuracy"):
        return np.asarray(pairs)
    if name == "kendall-like":
        return np.asarray(compared.sum(axis=(0, 1)) / 2)
    if name == "kendall-a":
        return np.where(untied > 0, pairs, 0)
    if name == "kendall-b":
        return np.asarray(np.sqrt(untied * pairs))
    if name == "kendall-c":
        ordered = np.sort(human, axis=0)
        distinct = (ordered[1:] > ordered[:-1]).sum(axis=0) + 1.0
        return np.where(untied > 0, sizes**2 * (distinct - 1) / distinct / 2, 0)
    ranks = row_ranks(human.T).T
    squares = np.nansum((ranks - (sizes + 1) / 2) ** 2, axis=0)
    return np.asarray(np.sqrt(squares * (sizes**3 - sizes) / 12))
