"""Coefficients of ranks whose difference between two metrics is linear in the spins.

Such a coefficient is a sum over pairs of outputs (a, b) of a score v(a, b), divided by a number that no swap
changes. With spins s, the score of a pair is a polynomial in s_a and s_b, and in the difference between the two metrics
all terms but the linear ones cancel: f(s) − f(−s) = 2 Σ_a s_a L_a, L_a = ¼ Σ_b [v₁₁ + v₁₂ − v₂₁ − v₂₂](a, b), where
v_kl compares the score of a by metric k with that of b by metric l. One product of matrices yields all arrangements.

Accuracies, τ_23 and ``kendall-like`` have fixed denominators; those of τ-a, τ-b, τ-c and ρ are fixed in groups in which
no two outputs can be tied in the metric.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.row_correlations import row_ranks
from metrics_framework.meta_evaluation.differences.dominance import Bounds, bounds, prefix_counts
from metrics_framework.significance.arrays import Bools, Floats, Indices

FIXED = frozenset({"acc-23", "tau-23", "kendall-like", "pairwise-accuracy"})
"""Coefficients whose denominators no swap changes, even with ties."""


@dataclass(frozen=True)
class Vectors:
    """The outputs of one group, without missing scores, shapes (n,).

    Args:
        human: The human scores.
        metrics: The scores of both metrics, as they are.
        standardized: The same on one scale, on which scores of different metrics are compared.
        epsilon: The largest tie of each metric, and that of scores of different metrics on the common scale. For
            ``kendall-like``, the least difference of human scores that counts.
    """

    human: Floats
    metrics: tuple[Floats, Floats]
    standardized: tuple[Floats, Floats]
    epsilons: tuple[float, float, float] = (0.0, 0.0, 0.0)


def linear_part(group: Vectors, name: str, threshold: float = 0.0) -> tuple[Floats, float]:
    """Computes the linear part of the difference of a coefficient in one group.

    Args:
        group: The group.
        name: The coefficient.
        threshold: For ``kendall-like``, the least difference of human scores that counts.

    Returns:
        2L / denominator, shape (n,); and the denominator, 0 if the coefficient is undefined.
    """
    denominator = _denominator(group, name, threshold)
    if not denominator:
        return np.zeros(len(group.human)), 0.0
    parts = [[_scores(group, name, one, other, threshold) for other in (0, 1)] for one in (0, 1)]
    linear = (parts[0][0] + parts[0][1] - parts[1][0] - parts[1][1]) / 4
    return 2 * linear / denominator, denominator


def _denominator(group: Vectors, name: str, threshold: float) -> float:
    human = group.human
    n = len(human)
    pairs = n * (n - 1) / 2
    if name in ("acc-23", "tau-23", "pairwise-accuracy") or not pairs:
        return pairs
    if name == "spearman":
        ranks = row_ranks(human[None])[0] - (n + 1) / 2
        return float(np.sqrt((ranks**2).sum() * (n**3 - n) / 12))
    ordered = np.sort(human)
    human_bounds = _human_bounds(human, ordered, threshold)
    untied = float((n - (human_bounds.up_to - human_bounds.below)).sum() / 2)
    if name == "kendall-b":
        return float(np.sqrt(untied * pairs))
    if name == "kendall-c":
        distinct = len(np.unique(human))
        return n**2 * (distinct - 1) / distinct / 2
    return (pairs if untied else 0.0) if name == "kendall-a" else untied


def _human_bounds(human: Floats, ordered: Floats, threshold: float) -> Bounds:
    """Finds the outputs that people rank lower, or not higher; closer than the threshold is a tie."""
    return bounds(human, ordered, float(np.nextafter(threshold, 0)) if threshold else 0.0)


def _scores(group: Vectors, name: str, one: int, other: int, threshold: float) -> Floats:
    """Sums the scores of each output's pairs, its metric `one` against metric `other` of all outputs; shape (n,)."""
    scale = group.metrics if one == other else group.standardized
    epsilon = group.epsilons[one] if one == other else group.epsilons[2]
    values, others = scale[one], scale[other]
    order = np.argsort(others, kind="stable")
    limits = bounds(values, others[order], epsilon)
    n = len(values)
    if name == "spearman":
        ranks = row_ranks(group.human[None])[0] - (n + 1) / 2
        sums = np.concatenate([[0], np.cumsum(ranks[order])])
        above = n - limits.up_to
        signed = sums[limits.below] - (sums[-1] - sums[limits.up_to])
        return np.asarray((ranks * (limits.below - above) - signed) / 2)
    counts = _Counts.of(group.human, order, limits, threshold)
    if name == "kendall-like":
        return np.asarray(2 * counts.concordant)
    if name.startswith("kendall"):
        return np.asarray(counts.concordant - counts.discordant)
    # An output is tied with itself in the human scores, and is no pair: take it out where its two metrics are tied.
    own = (values - others <= epsilon) & (others - values <= epsilon)
    correct = counts.concordant + counts.tied_both - own
    return np.asarray(correct if name != "tau-23" else 2 * correct)


@dataclass(frozen=True)
class _Counts:
    """For each output, the number of outputs by how people and metric rank them, shapes (n,)."""

    concordant: Indices
    discordant: Indices
    tied_both: Indices

    @classmethod
    def of(cls, human: Floats, order: Indices, limits: Bounds, threshold: float) -> _Counts:
        """Counts.

        Args:
            human: The human scores.
            order: The order of the outputs by the metric.
            limits: The positions of the outputs in it.
            threshold: The least difference of human scores that counts.
        """
        n = len(human)
        by_human = np.argsort(human, kind="stable")
        ranks = np.empty(n, dtype=np.intp)
        ranks[order] = np.arange(n)
        people = _human_bounds(human, human[by_human], threshold)
        ends = np.concatenate([people.below, people.below, people.up_to, people.up_to])
        questions = np.concatenate([limits.below, limits.up_to, limits.below, limits.up_to])
        low_below, low_up_to, up_below, up_up_to = prefix_counts(ranks[by_human], ends, questions).reshape(4, n)
        both_above = n - people.up_to - (limits.up_to - up_up_to)
        return cls(
            low_below + both_above,
            people.below - low_up_to + limits.below - up_below,
            (up_up_to - low_up_to) - (up_below - low_below),
        )


def can_tie(first: Floats, second: Floats) -> Bools:
    """Returns in which columns two rows can be tied after swaps.

    Args:
        first: Standardized scores of the first metric, shape (n, columns); NaN where missing.
        second: Standardized scores of the second metric.
    """
    pooled = np.concatenate([first, second])
    members = np.tile(np.arange(len(first)), 2)
    order = np.argsort(pooled, axis=0, kind="stable")
    ordered = np.take_along_axis(pooled, order, axis=0)
    owners = members[order]
    tied: Bools = ((ordered[1:] == ordered[:-1]) & (owners[1:] != owners[:-1])).any(axis=0)
    return tied
