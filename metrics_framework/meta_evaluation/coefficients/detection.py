"""Detection of good outputs, such as those without errors: AUROC, F1, MCC, and precision at a recall."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import (
    Coefficient,
    CoefficientValue,
    WeightedCoefficient,
)
from metrics_framework.meta_evaluation.groups.moments import tie_ends
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.significance.clusters import Clusters

ALL_GOOD = "every output is good; the option 'good_above' sets the human score above which outputs are"


class DetectionCoefficient(WeightedCoefficient):
    """How well a metric tells good outputs, of which the human score is above a bound, 0 by default, from bad ones.

    Human scores are 1 and 0, such as those of ``fw convert-ratings --error-free``.
    """

    citation = "fawcett-2006-introduction"
    levels: ClassVar[tuple[Level, ...]] = ("global",)
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    uses: ClassVar[frozenset[str]] = frozenset({"good_above"})
    ceiling_splits = 0

    @overrides
    def default_interval(self, level: Level) -> str:
        return "bootstrap-inputs" if level == "global" else super().default_interval(level)

    @overrides
    def measure(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> CoefficientValue:
        found = super().measure(scores, level, options)
        if level != "global":
            return found
        threshold = options.threshold or 0.0
        always = ScorePair(scores.human, np.full(scores.shape, threshold))
        details: dict[str, Any] = {"always_good": float(self.resampled(always, level, None, None, options)[0])}
        if math.isnan(found.value):
            good, called = scores.vectors(level)
            details |= {"undefined": _reason(good > options.good_above, called >= threshold)}
        return replace(found, details={**found.details, **details})


def _reason(good: Any, called: Any) -> str:
    """Returns why a coefficient is undefined, given which outputs are good, and which a metric calls good."""
    if len(good) and (good.all() or not good.any()):
        return ALL_GOOD if good.all() else ALL_GOOD.replace("every", "no")
    if len(good) < DetectionCoefficient.min_group:
        return "too few outputs, or no threshold fits the other folds"
    return f"{'every' if called.all() else 'no'} output is called good"


@Coefficient.register("auroc")
class Auroc(DetectionCoefficient):
    """P(x > y) + P(x = y)/2 for the scores x of good outputs and y of bad ones; undefined without both.

    Source: Fawcett (2006).
    """

    title = "AUROC"
    levels: ClassVar[tuple[Level, ...]] = ("input", "global")
    ceiling_splits = Coefficient.ceiling_splits

    @overrides
    def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        good = weights * (human > options.good_above)
        order = np.argsort(metric, axis=1, kind="stable")
        metric, good, all_weights = (np.take_along_axis(array, order, axis=1) for array in (metric, good, weights))
        bad = all_weights - good
        below = np.cumsum(bad, axis=1)
        first, last = tie_ends(metric)
        up_to = np.take_along_axis(below, last, axis=1)
        lower = np.take_along_axis(below - bad, first, axis=1)
        wins = (good * (up_to + lower)).sum(axis=1) / 2
        return np.asarray(wins / (good.sum(axis=1) * bad.sum(axis=1)))


@Coefficient.register("precision-at-recall")
class PrecisionAtRecall(DetectionCoefficient):
    """The largest precision of the thresholds, one for each distinct score, that find a share R of the good outputs.

    R is 0.9, or the number after a colon, as in ``precision-at-recall:0.8``. Undefined without good outputs.
    """

    title = "P@R.9"
    recall = 0.9

    @overrides
    def with_argument(self, argument: str) -> Coefficient:
        found = type(self)()
        try:
            found.recall = float(argument)
        except ValueError:
            found.recall = math.nan
        if not 0 < found.recall <= 1:
            raise InputError(f"the recall of '{self.name}' must be above 0 and at most 1, got '{argument}'")
        found.title, found.argument = f"P@R{found.recall:g}".replace("R0.", "R."), f":{argument}"
        return found

    @overrides
    def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        order = np.argsort(-metric, axis=1, kind="stable")
        metric, human, weights = (np.take_along_axis(array, order, axis=1) for array in (metric, human, weights))
        called = np.cumsum(weights, axis=1)
        found = np.cumsum(weights * (human > options.good_above), axis=1)
        total = found[:, -1:] if found.size else np.zeros((len(found), 1))
        is_last = tie_ends(metric)[1] == np.arange(metric.shape[1])
        reached = is_last & (found >= self.recall * total * (1 - 1e-12))
        precision: Floats = np.where(reached, found / np.maximum(called, 1), 0).max(axis=1, initial=0)
        return np.where(total[:, 0] > 0, precision, np.nan)


class ThresholdCoefficient(DetectionCoefficient):
    """A coefficient of outputs that a metric calls good: those whose score reaches a threshold.

    The threshold is given, fits other data, or is cross-fitted: inputs, or clusters of them, are divided into folds at
    random, and the threshold of a fold, the lowest of the best, fits all other folds.
    """

    uses: ClassVar[frozenset[str]] = frozenset({"good_above", "threshold", "folds"})
    depends_on_scale = True
    fits = "threshold"

    @abstractmethod
    def of_counts(self, found: Any, called: Any, good: Any, total: Any) -> Any:
        """Computes the coefficient from numbers of outputs: good and called good, called good, good, and all."""

    @overrides
    def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        good, called = human > options.good_above, metric >= (options.threshold or 0.0)
        counts = [(weights * kind).sum(axis=1) for kind in (good & called, called, good, 1)]
        return np.asarray(self.of_counts(*counts), dtype=np.float64)

    @overrides
    def fit(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Mapping[str, Any]:
        threshold = self._best_threshold(scores.human, scores.metric, options)
        return {} if math.isnan(threshold) else {"threshold": threshold}

    def _best_threshold(self, human: Floats, metric: Floats, options: CoefficientOptions) -> float:
        scores = np.sort(metric[~np.isnan(metric)])
        good = np.sort(metric[~np.isnan(metric) & (human > options.good_above)])
        thresholds = np.unique(scores)
        found, called = (len(one) - np.searchsorted(one, thresholds) for one in (good, scores))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.of_counts(found, called, len(good), len(scores))
        return math.nan if np.isnan(values).all() else float(thresholds[np.nanargmax(values)])

    @overrides
    def prepared(
        self, scores: ScorePair, options: CoefficientOptions, clusters: Sequence[Hashable] | None = None
    ) -> tuple[ScorePair, CoefficientOptions, Mapping[str, Any]]:
        human, metric = scores.human, scores.metric
        details: dict[str, Any] = {"score_threshold": options.threshold}
        thresholds: Any = options.threshold
        if thresholds is None:
            units = Clusters.of(clusters, scores.shape[1])
            folds = np.random.default_rng(options.seed).permutation(units.count) % options.folds
            of_input, kinds = folds[units.codes], range(min(options.folds, units.count))
            others = [of_input != fold for fold in kinds]
            fitted = np.array([self._best_threshold(human[:, one], metric[:, one], options) for one in others])
            details = {"score_thresholds": fitted.tolist()}
            thresholds = np.where(np.isnan(fitted).any(), np.nan, fitted)[of_input]
        called = np.where(np.isnan(metric - 0 * thresholds), np.nan, metric >= thresholds)
        return ScorePair(human, called), replace(options, threshold=0.5), details


@Coefficient.register("f1")
class F1(ThresholdCoefficient):
    """The harmonic mean of precision and recall of the outputs called good; undefined if none is good or called so."""

    title = "F1"

    @overrides
    def of_counts(self, found: Any, called: Any, good: Any, total: Any) -> Any:
        return 2 * found / (called + good)


@Coefficient.register("mcc")
class Mcc(ThresholdCoefficient):
    """Matthews' correlation of good outputs and those called good; undefined if all or none are good, or called so.

    Source: Matthews (1975).
    """

    title = "MCC"
    citation = "matthews-1975-comparison"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    @overrides
    def of_counts(self, found: Any, called: Any, good: Any, total: Any) -> Any:
        return (found * total - called * good) / np.sqrt(1.0 * called * good * (total - called) * (total - good))
