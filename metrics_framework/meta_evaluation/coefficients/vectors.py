"""Pearson's r, Spearman's ρ and Kendall's τ-b of two vectors, with p-values.

All three are NaN if undefined: for fewer than two points, or if one variable is constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.exact_spearman import LARGEST_EXACT as LARGEST_EXACT_SPEARMAN
from metrics_framework.meta_evaluation.coefficients.exact_spearman import exact_spearman_p
from metrics_framework.meta_evaluation.coefficients.large_values import scaled_down
from metrics_framework.significance.arrays import Floats, Indices

LARGEST_EXACT = 33
"""For up to this many points without ties, the p-value of Kendall's τ-b is exact."""


@dataclass(frozen=True)
class PairCounts:
    """The numbers of pairs of points, by their order.

    Args:
        total: The number of pairs.
        tied_x: Pairs tied in the first variable.
        tied_z: Pairs tied in the second.
        tied_both: Pairs tied in both (also counted in the other two).
        discordant: Pairs that the two variables order differently.
    """

    total: int
    tied_x: int
    tied_z: int
    tied_both: int
    discordant: int

    @property
    def surplus(self) -> int:
        """Concordant minus discordant pairs."""
        return self.total - self.tied_x - self.tied_z + self.tied_both - 2 * self.discordant


def is_constant(values: Floats) -> bool:
    """Returns whether all values are equal, or there are none."""
    return values.size == 0 or bool((values == values[0]).all())


def pearson(x: Floats, z: Floats) -> float:
    """Computes Pearson's r = Σ(x−x̄)(z−z̄) / √(Σ(x−x̄)² Σ(z−z̄)²) of two vectors of the same length.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 6)
    0.5
    """
    if is_constant(x) or is_constant(z):
        return math.nan
    a, b = _centred(x), _centred(z)
    # Sums, not products of BLAS, whose last digits depend on its number of threads.
    norm = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return clip(float((a * b).sum()) / norm) if norm else math.nan


def _centred(values: Floats) -> Floats:
    """Subtracts the mean and scales to at most 1, so that no sum and no square overflows."""
    values = scaled_down(values)
    centred: Floats = values - values.mean()
    largest = np.abs(centred).max()
    return centred / largest if largest else centred


def clip(value: float) -> float:
    """Clips a value to [−1, 1], which rounding may have exceeded; NaN stays NaN.

    >>> clip(1.0000000000000002), clip(math.nan)
    (1.0, nan)
    """
    return value if math.isnan(value) else max(-1.0, min(1.0, value))


def mid_ranks(values: Floats) -> Floats:
    """Ranks values from 1; ties get the mean of their ranks.

    >>> mid_ranks(np.array([10.0, 30, 20, 20])).tolist()
    [1.0, 4.0, 2.5, 2.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2)[inverse.reshape(-1)]
    return ranks


def kendall(counts: PairCounts) -> float:
    """Computes Kendall's τ-b = (C−D) / √((T−T_x)(T−T_z)).

    C and D count concordant and discordant pairs, T all pairs, and T_x and T_z the pairs tied in x and in z.

    >>> round(kendall(pair_counts(np.array([1.0, 2, 2, 3, 4]), np.array([2.0, 1, 1.5, 5, 3]))), 9)
    0.316227766
    """
    untied_x, untied_z = counts.total - counts.tied_x, counts.total - counts.tied_z
    if not untied_x or not untied_z:
        return math.nan
    return clip(counts.surplus / math.sqrt(untied_x * untied_z))


def pair_counts(x: Floats, z: Floats) -> PairCounts:
    """Counts the pairs of points (x, z) in O(n log² n).

    Once the points are sorted by x, then by z, the discordant pairs are the inversions of z.
    """
    n = len(x)
    if n < 2:
        return PairCounts(0, 0, 0, 0, 0)
    order = np.lexsort((z, x))
    x_ranks = np.unique(x, return_inverse=True)[1].reshape(-1)
    z_ranks = np.unique(z, return_inverse=True)[1].reshape(-1)
    joint = x_ranks.astype(np.int64) * n + z_ranks
    return PairCounts(
        total=n * (n - 1) // 2,
        tied_x=_tied_pairs(x_ranks),
        tied_z=_tied_pairs(z_ranks),
        tied_both=_tied_pairs(np.unique(joint, return_inverse=True)[1].reshape(-1)),
        discordant=_inversions(z_ranks[order]),
    )


def _tied_pairs(ranks: Indices) -> int:
    counts = np.bincount(ranks).astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _inversions(values: Indices) -> int:
    """Counts the pairs whose first value is greater, by a merge sort that merges all blocks of one width together."""
    n = len(values)
    positions = np.arange(n)
    span = int(values.max()) + 1
    width, total = 1, 0
    while width < n:
        block = positions // (2 * width)
        from_left = (positions // width) % 2 == 0
        # A stable sort keeps equal values of the left half first: equal values are not an inversion.
        order = np.argsort(block * span + values, kind="stable")
        from_left = from_left[order]
        left_so_far = np.cumsum(from_left)
        left_through_block = np.cumsum(np.bincount(block, weights=from_left)).astype(np.int64)
        total += int((left_through_block[block] - left_so_far)[~from_left].sum())
        values = values[order]
        width *= 2
    return total


def pearson_p(r: float, n: int) -> float:
    """Computes the two-sided p-value of r from its distribution for normal data, a beta distribution."""
    from scipy.special import betainc

    if math.isnan(r):
        return math.nan
    if n == 2:
        return 1.0
    half = n / 2 - 1
    return min(1.0, 2 * float(betainc(half, half, (1 - abs(r)) / 2)))


def spearman_p(x: Floats, z: Floats, rho: float) -> float:
    """Computes the two-sided p-value of ρ: exact for few points, otherwise from Student's t.

    For up to 10 points, p is the proportion of all n! pairings of the ranks with a ρ at least as far from 0. For more,
    `spearman_t_p` approximates it, but p is never below that of a perfect order.

    Args:
        x: The mid-ranks of the first variable, shape (n,).
        z: Those of the second, of the same shape.
        rho: Their correlation.
    """
    n = len(x)
    if math.isnan(rho):
        return math.nan
    if n <= LARGEST_EXACT_SPEARMAN:
        return exact_spearman_p(x, z)
    if abs(rho) == 1:
        return _perfect_order_p(x, z)
    return max(spearman_t_p(rho, n), 2 * math.exp(-math.lgamma(n + 1)))


def spearman_t_p(rho: float, n: int) -> float:
    """Computes the p-value of ρ from t = ρ√((n−2)/(1−ρ²)), n−2 degrees of freedom, as SciPy and SacreROUGE do.

    It is 0 for ρ = ±1, and NaN for two points.
    """
    from scipy.special import stdtr

    if math.isnan(rho) or n < 3:
        return math.nan
    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * math.sqrt((n - 2) / ((1 + rho) * (1 - rho)))
    return min(1.0, 2 * float(stdtr(n - 2, -t)))


def _perfect_order_p(x: Floats, z: Floats) -> float:
    """Returns the proportion of pairings in the same or the reverse order, of two rankings that have ρ = ±1."""
    sizes = np.unique(x, return_counts=True)[1].tolist()
    both_orders = 2 if sizes == sizes[::-1] else 1
    return both_orders * math.exp(sum(math.lgamma(size + 1) for size in sizes) - math.lgamma(len(x) + 1))


def kendall_p(x: Floats, z: Floats, counts: PairCounts) -> float:
    """Computes the two-sided p-value of τ-b: exact for few points without ties, otherwise asymptotic.

    The choice between the two and the variance with ties follow SciPy's ``kendalltau`` (Kendall 1970).

    Args:
        x: The first variable, shape (n,).
        z: The second, of the same shape.
        counts: Their pairs.
    """
    n = len(x)
    if math.isnan(kendall(counts)):
        return math.nan
    fewest = min(counts.discordant, counts.total - counts.discordant)
    if not counts.tied_x and not counts.tied_z and (n <= LARGEST_EXACT or fewest <= 1):
        return _exact_kendall_p(n, fewest)
    variance = _kendall_variance(n, _tie_sums(x), _tie_sums(z))
    return math.erfc(abs(counts.surplus) / math.sqrt(variance) / math.sqrt(2))


def _exact_kendall_p(n: int, inversions: int) -> float:
    """Returns twice the fraction of the permutations of n that have at most this number of inversions."""
    if n > 170:  # n! exceeds the range of floats; such a p-value is 0
        return 0.0
    counts = [1] + [0] * inversions
    for size in range(2, n + 1):
        running, sums = 0, []
        for index, count in enumerate(counts):
            running += count - (counts[index - size] if index >= size else 0)
            sums.append(running)
        counts = sums
    return min(1.0, 2 * sum(counts) / math.factorial(n))


def _tie_sums(values: Floats) -> tuple[int, int, int]:
    counts = [int(count) for count in np.unique(values, return_counts=True)[1]]
    return (
        sum(c * (c - 1) // 2 for c in counts),
        sum(c * (c - 1) * (c - 2) for c in counts),
        sum(c * (c - 1) * (2 * c + 5) for c in counts),
    )


def _kendall_variance(n: int, x: tuple[int, int, int], z: tuple[int, int, int]) -> float:
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - x[2] - z[2]) / 18 + 2 * x[0] * z[0] / m
    return variance + (x[1] * z[1] / (9 * m * (n - 2)) if n > 2 else 0)


def coefficient(name: str, x: Floats, z: Floats) -> tuple[float, float]:
    """Computes a coefficient and its two-sided p-value.

    Args:
        name: ``pearson``, ``spearman`` or ``kendall``.
        x: The first variable, shape (n,), without NaN.
        z: The second, of the same shape.
    """
    if name == "pearson":
        r = pearson(x, z)
        return r, pearson_p(r, len(x))
    if name == "spearman":
        ranks_x, ranks_z = mid_ranks(x), mid_ranks(z)
        rho = pearson(ranks_x, ranks_z)
        return rho, spearman_p(ranks_x, ranks_z, rho)
    counts = pair_counts(x, z)
    return kendall(counts), kendall_p(x, z, counts)
