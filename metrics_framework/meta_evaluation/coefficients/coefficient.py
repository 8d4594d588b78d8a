"""`Coefficient`, the base class of coefficients of agreement between a metric and human scores."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import InputError, PluginError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.texts import shown
from metrics_framework.meta_evaluation.choices import AVERAGED, LEVELS, CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients import REGISTRY
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, Weights, mean_over_groups
from metrics_framework.meta_evaluation.groups.swaps import Swaps
from metrics_framework.meta_evaluation.groups.weighted_groups import PairSums, Ties, WeightedGroups

Centre: TypeAlias = tuple[float, float]
"""The ends of an interval."""

UNDEFINED: Centre = (math.nan, math.nan)

CEILING_SPLITS = 200
"""The number of random splits of the raters, for ceilings."""


@dataclass(frozen=True)
class CoefficientValue:
    """A coefficient of two scores at one level.

    Args:
        value: The coefficient; NaN if undefined.
        groups: Its value in each group of outputs; empty if it is not an average over groups.
        options: The options it was computed with; ε is fixed.
        details: What to report beside the value, such as ε.
    """

    value: float
    groups: Floats
    options: CoefficientOptions
    details: Mapping[str, Any] = field(default_factory=dict)


class Coefficient(Registrable, registry=REGISTRY):
    """A coefficient of agreement between a metric and human scores.

    A subclass is one file: it declares the attributes below and computes the coefficient, usually by deriving from
    `WeightedCoefficient` and defining one function. Points, intervals, tests, power, slices, averages and ceilings
    follow from it. All other methods are faster or more precise ways to the same, and optional.

    Attributes:
        title: The name in tables, such as ``τ-b``.
        citation: The papers to cite, as BibTeX; in this package also keys of ``citations.bib``.
        levels: The levels at which it is defined.
        range: Its least and largest value.
        min_group: The least number of outputs for which it is defined.
        uses: The options of `CoefficientOptions` that it uses.
        calibrates_epsilon: Whether it fits ε to the data unless one is given.
        fits: The option that `fit` fits to other data; empty if there is none.
        depends_on_scale: Whether it changes if the metric is multiplied by a number, or a number is added. Tests swap
            the scores of such metrics as they are, not standardized.
        ceiling_splits: The number of splits of raters for its ceiling; 0 if single raters have no such coefficient.
        interval_over_systems: The name of the interval that covers best at the level ``system`` (decision 0033).
        by_ranks: The coefficient of ranks, whose tests suit errors with heavy tails better; empty if there is none.
        has_reliability: Whether the formula of Spearman and Brown turns that of two halves into that of the whole.
        sacrerouge_name: Its name in the JSON files of SacreROUGE, and that of its value; empty if it has none.
    """

    title: str
    citation: ClassVar[str] = ""
    levels: ClassVar[tuple[Level, ...]] = LEVELS
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    min_group: ClassVar[int] = 2
    uses: ClassVar[frozenset[str]] = frozenset()
    calibrates_epsilon: ClassVar[bool] = False
    fits: ClassVar[str] = ""
    depends_on_scale: ClassVar[bool] = False
    ceiling_splits: ClassVar[int] = CEILING_SPLITS
    interval_over_systems: ClassVar[str] = "jackknife-systems"
    by_ranks: ClassVar[str] = ""
    has_reliability: ClassVar[bool] = False
    sacrerouge_name: ClassVar[tuple[str, str] | None] = None
    argument: str = ""
    """What is written after the name: a colon and a number, or nothing."""

    @property
    def name(self) -> str:
        """The registered name, with what the user wrote after it, as in ``precision-at-recall:0.8``."""
        return self.registered_name + self.argument

    def with_argument(self, argument: str) -> Coefficient:
        """Returns the coefficient with the number that is written after its name, as in ``precision-at-recall:0.8``.

        Raises:
            InputError: if it has none.
        """
        raise InputError(f"'{self.name}' has no number after a colon, got '{self.name}:{argument}'")

    def with_given_epsilon(self, options: CoefficientOptions) -> CoefficientOptions:
        """Returns the options of a function on arrays that was called with an ε, which may mean a threshold.

        Raises:
            InputError: if the coefficient has neither.
        """
        if "epsilon" in self.uses:
            return options
        if "threshold" in self.uses:
            return replace(options, epsilon=None, threshold=options.epsilon or 0.0)
        raise InputError(f"'epsilon' must be 0 for '{self.name}', got {options.epsilon}")

    @abstractmethod
    def resampled(
        self, scores: ScorePair, level: Level, rows: Weights, columns: Weights, options: CoefficientOptions
    ) -> Floats:
        """Computes the coefficient in every resample.

        A system of weight 2 is in the resample twice, with the same scores; one of weight 0 is not in it.

        Args:
            scores: The scores.
            level: A level of `levels`.
            rows: The weights of systems; `None` if all are kept.
            columns: The weights of inputs; `None` if all are kept. If both are `None`, there is one resample: the data.
            options: The options, as `fitted` returns them.

        Returns:
            Shape (resamples,); NaN where undefined.
        """

    def group_values(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Floats:
        """Returns the coefficient in each group of outputs, or its value alone if it is no average over groups."""
        return self.resampled(scores, level, None, None, options)

    def group_weights(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Floats:
        """Returns the weight of each group in the mean, of the shape of `group_values`."""
        return np.ones(1)

    def fit(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Mapping[str, Any]:
        """Returns the options that fit other data: those of a development set; empty if it cannot tell them."""
        return {}

    def prepared(
        self, scores: ScorePair, options: CoefficientOptions, clusters: Sequence[Hashable] | None = None
    ) -> tuple[ScorePair, CoefficientOptions, Mapping[str, Any]]:
        """Returns what is measured, resampled and swapped instead of scores, such as which outputs are called good.

        Args:
            scores: The scores.
            options: The options.
            clusters: The cluster of each input.

        Returns:
            The scores, the options for them, and what to report; most coefficients measure the scores themselves.
        """
        return scores, options, {}

    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        """Returns the options with what is calibrated on the data, and what to report of it."""
        return options, {}

    def measure(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> CoefficientValue:
        """Computes the coefficient, with what it reports beside its value."""
        fixed, details = self.fitted(scores, level, options)
        value = float(self.resampled(scores, level, None, None, fixed)[0])
        return CoefficientValue(value, np.empty(0), fixed, details)

    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        """Computes differences between two metrics after swaps faster than the general way does.

        Args:
            swaps: The metrics, the level and the permutations.
            first: The name of the first metric.
            second: The name of the second.

        Returns:
            The coefficient of the first metric minus that of the second, after the swaps of each permutation, shape
            (permutations,), NaN where one is undefined; `None` if there is no faster way.
        """
        return None

    def pooling_weight(self, systems: int) -> float | None:
        """Returns the weight of a data set in the value of several; `None` if values are not pooled.

        Args:
            systems: The number of systems of the data set.
        """
        return None

    def p_value(self, human: Floats, metric: Floats) -> float | None:
        """Returns the two-sided p-value of no correlation of two vectors without NaN; `None` if there is none."""
        return None

    def p_value_at(self, scores: ScorePair, level: Level, *, clustered: bool = False) -> float | None:
        """Returns the p-value of no correlation; `None` of points that are not independent, as in clusters."""
        if level in AVERAGED or (level == "global" and clustered):
            return None
        p_value = self.p_value(*scores.vectors(level))
        return math.nan if p_value is not None and math.isnan(p_value) else p_value  # the one NaN that equals itself

    def fisher(self, value: float, points: int) -> Centre | None:
        """Returns the centre of Fisher's interval and the standard error of its artanh; `None` if there is none.

        Args:
            value: The coefficient.
            points: The number of points.
        """
        return None

    def shrunken(self, scores: ScorePair, value: float) -> Centre | None:
        """Returns the same for the interval ``fisher-shrunken`` over systems."""
        return None

    def default_interval(self, level: Level) -> str:
        """Returns the name of the interval that covers best at a level (decision 0033)."""
        return self.interval_over_systems if level == "system" else "jackknife-systems"

    def on_unit_scale(self, value: Any) -> Any:
        """Maps values from the range of the coefficient to that from 0 to 1.

        Raises:
            UsageError: if the range is not finite.
        """
        least, largest = self.range
        if not math.isfinite(largest - least):
            raise UsageError(
                f"'{self.name}' cannot be averaged over data sets: its range, {least:g} to {largest:g}, is not finite; "
                "correlate one data set at a time"
            )
        return (value - least) / (largest - least)


class GroupCoefficient(Coefficient):
    """A coefficient of groups of outputs, which is averaged over the groups of a level."""

    @abstractmethod
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        """Computes the coefficient of each group in each resample, shape (resamples, groups)."""

    def importance(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats | None:
        """Returns the weight of each group in the mean over groups, of the shape of `of_groups`; `None` if equal."""
        return None

    @overrides
    def resampled(
        self, scores: ScorePair, level: Level, rows: Weights, columns: Weights, options: CoefficientOptions
    ) -> Floats:
        return resampled_values(scores, level, {self.name: (self, options)}, rows, columns)[self.name]

    def values_and_weights(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> tuple[Floats, Floats]:
        """Returns the coefficient in each group of outputs, and the weight of each in the mean, shapes (groups,)."""
        values, importance = _values_of_groups(scores, level, [(self, options)], None, None)[0]
        return values[0], np.ones(values.shape[1]) if importance is None else importance[0]

    @overrides
    def group_values(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Floats:
        return self.values_and_weights(scores, level, options)[0]

    @overrides
    def group_weights(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Floats:
        return self.values_and_weights(scores, level, options)[1]

    @overrides
    def measure(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> CoefficientValue:
        fixed, details = self.fitted(scores, level, options)
        values, weights = self.values_and_weights(scores, level, fixed)
        mean = mean_over_groups(values[None], weights[None], level, None, None)
        return CoefficientValue(float(mean[0]), values, fixed, details)


class WeightedCoefficient(GroupCoefficient):
    """A coefficient that is defined by one function of weighted outputs: the simplest to write."""

    @abstractmethod
    def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        """Computes the coefficient of each group, in which an output of weight w counts as w equal outputs.

        Args:
            human: The human scores, shape (groups, outputs).
            metric: The scores of the metric, of the same shape.
            weights: Integers of the same shape; 0 for missing outputs.
            options: The options.

        Returns:
            Shape (groups,); NaN or infinite where undefined, and any value for fewer than `min_group` outputs. A group
            in which a number becomes too large is undefined.
        """

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        def defined(human: Floats, metric: Floats, weights: Floats) -> Floats:
            with np.errstate(invalid="ignore", divide="ignore", over="raise"):
                try:
                    values = self._checked(self.weighted(human, metric, weights, options), len(human))
                except FloatingPointError:
                    rows = [slice(row, row + 1) for row in range(len(human))]
                    values = np.array([self._alone(human[r], metric[r], weights[r], options) for r in rows])
            return np.where((weights.sum(axis=1) >= self.min_group) & np.isfinite(values), values, np.nan)

        return groups.map(defined)

    def _checked(self, values: Any, groups: int) -> Floats:
        """Returns the values of groups; a single number would be taken for the value of each group."""
        found = np.asarray(values)
        if found.shape == (groups,) and found.dtype.kind in "fiub":
            return found
        got = f"the shape {found.shape}" if found.shape else shown(values)
        raise PluginError(
            f"{defined_at(type(self).weighted)}: weighted of the coefficient '{self.name}' must return an array of "
            f"numbers, one for each group, here of the shape ({groups},), got {got}"
        )

    def _alone(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> float:
        """Returns the coefficient of one group; NaN if a number of an output in the group becomes too large."""
        human, metric = (np.where(weights > 0, scores, 0.0) for scores in (human, metric))
        try:
            return float(self.weighted(human, metric, weights, options)[0])
        except FloatingPointError:
            return math.nan


class PairCoefficient(GroupCoefficient):
    """A coefficient of Kendall's family: a function of the numbers of pairs of outputs, by how both scores order them.

    Functions on arrays accept an ε for all of them.

    Attributes:
        is_linear: Whether it is linear in the sums over pairs, given the human scores. Tests of differences are faster
            then.
    """

    is_linear: ClassVar[bool] = False

    @overrides
    def with_given_epsilon(self, options: CoefficientOptions) -> CoefficientOptions:
        return super().with_given_epsilon(options) if "threshold" in self.uses else options

    @abstractmethod
    def of_pairs(self, sums: PairSums) -> Floats:
        """Computes the coefficient from sums over pairs, of their shape; NaN where undefined."""

    def ties(self, options: CoefficientOptions) -> Ties:
        """Returns which scores are tied."""
        return Ties(epsilon=options.epsilon or 0.0)

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        return self.of_pairs(groups.pair_sums(self.ties(options)))


def resampled_values(
    scores: ScorePair,
    level: Level,
    wanted: Mapping[str, tuple[Coefficient, CoefficientOptions]],
    rows: Weights,
    columns: Weights,
) -> dict[str, Floats]:
    """Computes several coefficients at one level in every resample; they share sums.

    Args:
        scores: The scores.
        level: The level.
        wanted: Any names to the coefficients and their options.
        rows: The weights of systems.
        columns: The weights of inputs.

    Returns:
        Name to values of shape (resamples,); NaN where undefined.
    """
    grouped = {name: (one, options) for name, (one, options) in wanted.items() if isinstance(one, GroupCoefficient)}
    values = _values_of_groups(scores, level, [*grouped.values()], rows, columns) if grouped else []
    of_groups = dict(zip(grouped, values, strict=True))
    return {
        name: mean_over_groups(*of_groups[name], level, rows, columns)
        if name in of_groups
        else one.resampled(scores, level, rows, columns, options)
        for name, (one, options) in wanted.items()
    }


def _values_of_groups(
    scores: ScorePair,
    level: Level,
    wanted: Sequence[tuple[GroupCoefficient, CoefficientOptions]],
    rows: Weights,
    columns: Weights,
) -> list[tuple[Floats, Floats | None]]:
    """Computes coefficients of each group in each resample, and the weights of groups; (resamples or 1, groups)."""
    blocks = []
    for (resamples, _), groups in scores.groups(level, rows, columns):
        blocks.append((resamples, [(one.of_groups(groups, o), one.importance(groups, o)) for one, o in wanted]))
    axis = 0 if blocks and blocks[0][0] != slice(None) else 1
    found = []
    for parts in zip(*(of_block for _, of_block in blocks), strict=True):
        weights = [weight for _, weight in parts if weight is not None]
        values = np.concatenate([value for value, _ in parts], axis=axis)
        found.append((values, np.concatenate(weights, axis=axis) if weights else None))
    return found
