"""Tie calibration: the ε up to which differences of a metric count as ties, chosen to make it agree best with people.

The accuracy at ε is that of concordant pairs that differ by more than ε, plus that of pairs tied in the human scores
that differ by at most ε. It changes only at the differences of such pairs. Few pairs are sorted by their differences;
for many, a histogram of the differences first shows where the maximum can be.

Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
Calibration", with all pairs (a sample rate of 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import LEVELS, Level, checked_choice
from metrics_framework.meta_evaluation.groups.moments import means_and_rounding, system_means, without_rounding
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, checked_pair
from metrics_framework.meta_evaluation.groups.weighted_groups import Ties

BLOCK_PAIRS = 1 << 21
"""The number of pairs compared in one block."""

ROUNDING = 1e-12
"""Accuracies that differ by no more than this are equal."""

MAX_SORTED = 1 << 22
"""Up to this many pairs are sorted in memory (250 MB); for more, a histogram is computed first."""

MAX_PAIRS = 1 << 31
"""The largest number of pairs: those of 65,536 outputs, a minute of CPU time."""

BIN_BITS = 44
"""The last bits of a difference that its bin of the histogram ignores: bins are 1/256 of their values wide."""


def pair_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yields blocks of groups, shape (groups, outputs), that are small enough to compare all pairs of outputs."""
    groups, outputs = shape
    step = max(1, BLOCK_PAIRS // max(1, outputs * (outputs - 1) // 2))
    for start in range(0, groups, step):
        yield slice(start, min(start + step, groups))


def pair_differences(values: Floats) -> Floats:
    """Subtracts the scores of each pair of outputs, shape (groups, pairs); NaN where one is missing.

    Args:
        values: Shape (groups, outputs).
    """
    first, second = np.triu_indices(values.shape[1], 1)
    with np.errstate(over="ignore"):  # an infinite difference is no tie, and has the right sign
        differences: Floats = values[:, first] - values[:, second]
    return differences


@dataclass(frozen=True)
class AccuracyCurve:
    """The mean accuracy over groups as ε grows.

    Args:
        epsilon: 0 and the differences of the metric at which the accuracy changes, ascending, shape (points,). For more
            than 4 million pairs, a selection with steps of less than 0.4 %.
        accuracy: The accuracy at each ε.
    """

    epsilon: Floats
    accuracy: Floats

    def first_maximum(self) -> tuple[float, float]:
        """Returns the smallest ε with the largest accuracy, up to rounding, and this accuracy."""
        best = int(np.argmax(self.accuracy >= self.accuracy.max() - ROUNDING))
        return float(self.epsilon[best]), float(self.accuracy[best])


class PairChanges:
    """The pairs of outputs within groups that change the mean accuracy when ε ties them.

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
        rounding: How much rounding may change the scores of the metric, if they are means: then differences that differ
            only by rounding are equal.

    Raises:
        InputError: if there are too many pairs.
    """

    def __init__(self, human: Floats, metric: Floats, rounding: Floats | None = None) -> None:
        sizes = (~np.isnan(human)).sum(axis=1)
        self._human, self._metric, self._rounding = human[sizes > 1], metric[sizes > 1], rounding
        totals = (sizes * (sizes - 1) // 2)[sizes > 1]
        self.groups, self.pairs = len(totals), int(totals.sum())
        if self.pairs > MAX_PAIRS:
            raise InputError(
                f"calibration compares all pairs of outputs, at most {MAX_PAIRS:.2g}, got {self.pairs:.2g}; "
                "calibrate at the level 'input', or use a given epsilon with 'acc-23'"
            )
        self.equal = self.groups > 0 and bool((totals == totals[0]).all())
        # Equal weights are added as integers, others in extended precision, so that equal accuracies are found equal.
        self._weights: Any = np.ones(self.groups, np.int64) if self.equal else 1 / totals.astype(np.longdouble)
        self.scale = self.groups * (int(totals[0]) if self.equal else 1)

    def blocks(self) -> Iterator[tuple[Floats, Any, Floats, Any]]:
        """Yields differences and weights of pairs tied in the human scores, then those of concordant pairs."""
        for rows, h, m in self._differences():
            tied = h == 0
            concordant = ((h > 0) & (m > 0)) | ((h < 0) & (m < 0))
            weights = self._weights[rows]
            yield (
                np.abs(m[tied]),
                np.repeat(weights, np.count_nonzero(tied, axis=1)),
                np.abs(m[concordant]),
                np.repeat(weights, np.count_nonzero(concordant, axis=1)),
            )

    def _differences(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yields the groups of a block, and the differences of their pairs, shapes (groups, pairs)."""
        outputs = self._human.shape[1]
        if outputs * (outputs - 1) // 2 <= BLOCK_PAIRS:
            for block in pair_blocks(self._human.shape):
                yield block, pair_differences(self._human[block]), self._metric_differences(block)
            return
        for group, (human, metric) in enumerate(zip(self._human, self._metric, strict=True)):
            present = ~np.isnan(human)
            for h, m in zip(_row_blocks(human[present]), _row_blocks(metric[present]), strict=True):
                yield slice(group, group + 1), h, m

    def _metric_differences(self, block: slice) -> Floats:
        differences = pair_differences(self._metric[block])
        if self._rounding is None:
            return differences
        first, second = np.triu_indices(self._metric.shape[1], 1)
        errors = self._rounding[:, first] + self._rounding[:, second]
        return np.asarray(np.sign(differences) * without_rounding(np.abs(differences), errors))


def _row_blocks(values: Floats) -> Iterator[Floats]:
    """Yields the differences of some values and all later ones, shape (1, pairs); NaN in place of repeated pairs."""
    start = 0
    while start < len(values) - 1:
        end = min(len(values), start + max(1, BLOCK_PAIRS // (len(values) - start)))
        with np.errstate(over="ignore"):
            differences = values[start:end, None] - values[None, start:]
        differences[:, : end - start][np.tril_indices(end - start)] = np.nan
        yield differences.reshape(1, -1)
        start = end


def accuracy_curve_of(
    changes: PairChanges, *, has_maximum_only: bool = False, max_sorted: int = MAX_SORTED
) -> AccuracyCurve:
    """Computes the curve of all changes, or of the bins of a histogram if there are more pairs than can be sorted.

    Args:
        changes: The pairs.
        has_maximum_only: Whether a part of the curve is enough that contains ε = 0 and the first maximum.
        max_sorted: The largest number of pairs that are sorted.
    """
    if not changes.groups:
        return AccuracyCurve(np.empty(0), np.empty(0))
    if changes.pairs <= max_sorted:
        return _sorted_curve(changes)
    histogram = _Histogram(changes)
    if has_maximum_only:
        return histogram.refined(histogram.promising())
    return histogram.curve(histogram.changed)


def _sorted_curve(changes: PairChanges) -> AccuracyCurve:
    blocks = list(changes.blocks())
    every = np.concatenate([np.zeros(1), *(part for tied, _, concordant, _ in blocks for part in (tied, concordant))])
    weights = np.concatenate([np.zeros(1, int), *(part for _, rise, _, fall in blocks for part in (rise, -fall))])
    order = np.argsort(every)
    ordered = every[order]
    accuracy = sum(fall.sum() for *_, fall in blocks) + np.cumsum(weights[order])
    last = np.append(ordered[1:] != ordered[:-1], True)
    return AccuracyCurve(ordered[last], (accuracy[last] / changes.scale).astype(np.float64))


class _Histogram:
    """The changes of the accuracy in bins of differences, which are ranges of their binary representation.

    Args:
        changes: The pairs.
    """

    def __init__(self, changes: PairChanges) -> None:
        self._changes = changes
        bins = 1 << (63 - BIN_BITS)
        dtype = np.int64 if changes.equal else np.float64
        self._rises, self._falls = np.zeros(bins, dtype), np.zeros(bins, dtype)
        self._largest = np.zeros(bins)  # the largest difference of each bin
        for tied, rise, concordant, fall in changes.blocks():
            for differences, weights, sums in ((tied, rise, self._rises), (concordant, fall, self._falls)):
                binned = _bins(differences)
                sums += np.bincount(binned, None if changes.equal else weights.astype(float), bins).astype(dtype)
                np.maximum.at(self._largest, binned, differences)
        self._after = self._falls.sum() + np.cumsum(self._rises - self._falls)
        self._before = self._after - (self._rises - self._falls)

    @property
    def changed(self) -> Bools:
        """Whether a bin has pairs."""
        return np.asarray((self._rises > 0) | (self._falls > 0))

    def promising(self) -> Bools:
        """Whether the accuracy within a bin may reach its maximum, which is at least the best at the end of a bin."""
        slack = 0 if self._changes.equal else 1e-9 * self._changes.scale
        return np.asarray((self._before + self._rises >= self._after.max() - slack) & (self._rises > 0))

    def curve(self, bins: Bools) -> AccuracyCurve:
        """Returns the accuracy at the end of some bins, and at 0."""
        epsilon = np.concatenate([np.zeros(1), self._largest[bins]])
        accuracy = np.concatenate([self._after[:1], self._after[bins]]) / self._changes.scale
        is_new = np.append(True, epsilon[1:] != epsilon[:-1])
        return AccuracyCurve(epsilon[is_new], accuracy[is_new])

    def refined(self, bins: Bools) -> AccuracyCurve:
        """Returns the accuracy at every change within some bins, and at 0."""
        bins = bins.copy()
        bins[0] = False  # the bin of 0; its other differences are below 1e-310
        parts = [part for block in self._changes.blocks() for part in self._selected(bins, *block)]
        every = np.concatenate([np.empty(0), *(differences for differences, _ in parts)])
        order = np.argsort(every, kind="stable")
        ordered = every[order]
        sums = np.cumsum(np.concatenate([np.empty(0), *(changes for _, changes in parts)])[order])
        binned = _bins(ordered)
        starts = np.searchsorted(binned, binned)  # the first change of the same bin
        within = sums - np.concatenate([np.zeros(1), sums])[starts]
        last = np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]
        accuracy = np.concatenate([self._after[:1], (self._before[binned] + within)[last]])
        return AccuracyCurve(np.concatenate([np.zeros(1), ordered[last]]), accuracy / self._changes.scale)

    def _selected(
        self, bins: Bools, tied: Floats, rise: Any, concordant: Floats, fall: Any
    ) -> Iterator[tuple[Floats, Floats]]:
        """Yields the differences in some bins, each once, and the changes of the accuracy there."""
        for differences, weights, sign in ((tied, rise, 1), (concordant, fall, -1)):
            chosen = bins[_bins(differences)]
            distinct, inverse = np.unique(differences[chosen], return_inverse=True)
            sums = np.bincount(inverse.reshape(-1), weights[chosen].astype(float), len(distinct))
            yield distinct, np.asarray(sign * sums, dtype=np.float64)


def _bins(differences: Floats) -> Indices:
    """Returns the bin of each difference; the binary representations of floats are in the order of their values."""
    return np.asarray(np.ascontiguousarray(differences).view(np.int64) >> BIN_BITS)


@dataclass(frozen=True)
class Calibration:
    """The ε that maximizes the mean accuracy of a metric over groups of outputs; all numbers are NaN if undefined.

    Args:
        epsilon: The largest difference of the metric that is a tie.
        accuracy: The accuracy at that ε, acc-eq.
        accuracy_at_zero: The accuracy if only equal scores are ties.
        accuracy_all_tied: The accuracy if all outputs are tied: the share of pairs tied in the human scores.
        tied: The share of all pairs of outputs that ε ties.
    """

    epsilon: float
    accuracy: float
    accuracy_at_zero: float
    accuracy_all_tied: float
    tied: float


def calibrate(human: Any, metric: Any, *, level: Level = "input") -> Calibration:
    """Chooses the ε of acc-eq: the first maximum of the mean of (C + T_hm) / T over groups of two or more outputs.

    Candidates are 0 and the differences of the metric of all pairs of outputs within groups. C counts concordant pairs,
    T_hm pairs tied in the human scores and in the metric, T all pairs. Constant groups count.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        level: What a group is: the outputs for an ``input``, of a system (``within-system``), all (``global``), or the
            means of the systems (``system``).

    Raises:
        InputError: if an argument is invalid.

    >>> human = [[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]]
    >>> metric = [[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]]
    >>> found = calibrate(human, metric)
    >>> round(found.epsilon, 9), round(found.accuracy, 9), found.accuracy_at_zero
    (0.05, 0.833333333, 0.75)
    """
    return calibrated(ScorePair(human, metric), checked_choice(level, LEVELS, "level"))


def accuracy_curve(human: Any, metric: Any, *, level: Level = "input") -> AccuracyCurve:
    """Computes the mean accuracy over groups against ε; its first maximum is the one of `calibrate`.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        level: The level, as in `calibrate`.

    Raises:
        InputError: if an argument is invalid.

    >>> curve = accuracy_curve([[1, 2, 2, 3, 4]], [[2, 1, 1.5, 5, 3]], level="global")
    >>> curve.epsilon.tolist(), curve.accuracy.round(9).tolist()
    ([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0], [0.6, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    """
    x, z = checked_pair(human, metric)
    return accuracy_curve_of(PairChanges(*groups_of(x, z, checked_choice(level, LEVELS, "level"))))


def calibrated(scores: ScorePair, level: Level) -> Calibration:
    """Chooses ε on the groups of a level, as `calibrate` does."""
    curve = accuracy_curve_of(PairChanges(*groups_of(scores.human, scores.metric, level)), has_maximum_only=True)
    if not len(curve.epsilon):
        return Calibration(*[math.nan] * 5)
    epsilon, accuracy = curve.first_maximum()
    tied_human, tied_metric, totals = _tied_pairs(scores, level, epsilon)
    compared = totals > 0
    return Calibration(
        epsilon=epsilon,
        accuracy=accuracy,
        accuracy_at_zero=float(curve.accuracy[0]),
        accuracy_all_tied=float((tied_human[compared] / totals[compared]).mean()),
        tied=float(tied_metric.sum() / totals.sum()),
    )


def _tied_pairs(scores: ScorePair, level: Level, epsilon: float) -> tuple[Floats, Floats, Floats]:
    """Counts the pairs tied in the human scores, those tied in the metric, and all pairs of each group."""
    blocks = [groups.pair_sums(Ties(epsilon)) for _, groups in scores.groups(level, None, None)]
    totals, human, metric = (
        np.concatenate([np.empty(0), *(getattr(sums, name)[0] for sums in blocks)])
        for name in ("total", "untied_human", "untied_metric")
    )
    return totals - human, totals - metric, totals


_ARRANGED: Mapping[Level, Callable[[Floats], Floats]] = {
    "input": np.transpose,
    "within-system": np.asarray,
    "system": lambda scores: system_means(scores)[None],
    "global": lambda scores: scores.reshape(1, -1),
}


def groups_of(human: Floats, metric: Floats, level: Level) -> tuple[Floats, Floats, Floats | None]:
    """Arranges two matrices of scores in groups.

    - ``input``: the outputs of all systems for one input; shape (inputs, systems);
    - ``within-system``: the outputs of one system; shape (systems, inputs);
    - ``system``: the means of all systems; shape (1, systems);
    - ``global``: all outputs; shape (1, systems · inputs).

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
        level: The level.

    Returns:
        The scores, and how much rounding may change those of the metric, if they are means.
    """
    arranged = _ARRANGED[level]
    rounding = means_and_rounding(metric)[1][None] if level == "system" else None
    return arranged(human), arranged(metric), rounding
