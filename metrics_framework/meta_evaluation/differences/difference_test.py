"""`DifferenceTest`, the base class of tests of the difference between two metrics, with what a test is given."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, advice, counted
from metrics_framework.common.registrable import Registrable
from metrics_framework.common.stability import deprecated
from metrics_framework.meta_evaluation.choices import (
    RANKINGS,
    CoefficientOptions,
    Level,
    Population,
    check_draws,
    checked_choice,
)
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, CoefficientValue
from metrics_framework.meta_evaluation.differences import REGISTRY, REMOVED
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, checked_scores, without_small_groups
from metrics_framework.meta_evaluation.groups.swaps import Permutations, standardized
from metrics_framework.significance.clusters import labels_of
from metrics_framework.significance.multiple_testing import CORRECTIONS, RANGES

Found = TypeVar("Found")

ROUNDING = 1e-12
"""A trial that is smaller than the observed difference by no more than this counts as equally large."""


RESAMPLING_METHODS = "deutsch-etal-2021-statistical"


class DifferenceTest(Registrable, registry=REGISTRY):
    """A test of the difference between two metrics in their agreement with human scores.

    A subclass is one file. Most derive from `PermutationTest`, and define which scores swap together.

    Attributes:
        keeps_clusters: Whether it can treat inputs of one cluster together.
        speaks: The population, with the names ``{systems}``, ``{inputs}`` and ``{number}`` (of inputs) in braces.
        citation: The papers to cite, as BibTeX.
        interval_over: Which units the interval of a difference leaves out, so that it speaks of the same population;
            empty if there is none.
    """

    keeps_clusters: ClassVar[bool] = True
    interval_over: ClassVar[Population | Literal[""]] = ""
    speaks: ClassVar[str]
    citation: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """The registered name."""
        return self.registered_name

    @property
    def combined(self) -> tuple[DifferenceTest, ...]:
        """The tests that this one combines, or itself."""
        return (self,)

    def population(self, shape: tuple[int, int], level: Level) -> str:
        """Names the population of which the test speaks: `speaks`, with what the test does not resample.

        Args:
            shape: The numbers of systems and inputs.
            level: The level.
        """
        systems, inputs, number = these(shape[0], "system"), these(shape[1], "input"), counted(shape[1], "input")
        return self.speaks.format(systems=systems, inputs=inputs, number=number)

    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        """Returns why the test is invalid for a coefficient at a level, and which to use; `None` if it is valid."""
        return None

    @abstractmethod
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        """Tests whether two metrics differ.

        Args:
            compared: The metrics and the settings.
            first: The name of the first metric; its coefficient is defined.
            second: The name of the second.
        """

    def check(self, coefficient: Coefficient, level: Level, *, clustered: bool = False) -> None:
        """Refuses an invalid combination.

        Args:
            coefficient: The coefficient.
            level: The level.
            clustered: Whether inputs belong to clusters.

        Raises:
            InputError: if the test is invalid for the coefficient at the level, or cannot keep clusters together.
        """
        refusal = self.refusal(coefficient, level)
        if refusal is not None:
            raise InputError(refusal)
        if clustered and not self.keeps_clusters:
            raise InputError(f"the test '{self.name}' cannot keep clusters of inputs together; use 'inputs' or 'both'")


@dataclass(frozen=True)
class ComparedMetrics:
    """Metrics whose coefficients are compared in pairs, and how.

    Args:
        scores: The scores, without empty systems and inputs.
        coefficient: The coefficient.
        level: The level.
        measured: Metric to its coefficient, with the options it was computed with.
        settings: The settings of the test.
    """

    scores: MetricSet
    coefficient: Coefficient
    level: Level
    measured: Mapping[str, CoefficientValue]
    settings: TestSettings
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, key: Hashable, compute: Callable[[], Found]) -> Found:
        """Computes what all pairs share when it is first asked for, and keeps it."""
        if key not in self._kept:
            self._kept[key] = compute()
        found: Found = self._kept[key]
        return found


@dataclass(frozen=True, kw_only=True)
class Draws:
    """What a test drew, and of which population it speaks.

    Args:
        test: The name of the test.
        population: The population of which it speaks.
        permutations: The number of permutations; 0 for other tests.
        resamples: The number of bootstrap resamples; 0 for other tests.
        is_exact: Whether the p-value is exact, and does not depend on the seed.
        least_p: The least two-sided p-value that the test can have on these data.
        undefined_draws: The number of permutations or resamples in which a coefficient is undefined. A permutation test
            counts them as large, the bootstrap excludes them.
        notes: What a reader must know about the p-value.
        parts: The tests that this one combines, if it does.
    """

    test: str = ""
    population: str = ""
    permutations: int = 0
    resamples: int = 0
    is_exact: bool = False
    least_p: float = math.nan
    undefined_draws: int = 0
    notes: tuple[str, ...] = ()
    parts: tuple[TestResult, ...] = ()

    @property
    def arrangements(self) -> int:
        """The former name of `permutations` and `resamples`, which is deprecated."""
        deprecated("'arrangements'", "'permutations' or 'resamples'", removed_in="1.2")
        return self.permutations or self.resamples

    def draws_as_json(self) -> dict[str, Any]:
        """Returns the numbers of permutations or resamples, and what follows from them."""
        kind = "resamples" if self.resamples else "permutations"
        numbers: dict[str, Any] = {kind: getattr(self, kind), "is_exact": self.is_exact, "least_p": self.least_p}
        parts = [{"test": one.test, "population": one.population, **one.draws_as_json()} for one in self.parts]
        return {**numbers, f"undefined_{kind}": self.undefined_draws, **({"parts": parts} if parts else {})}


def combined_draws(tested: Sequence[Draws]) -> dict[str, Any]:
    """Returns the draws of several tests by name: the smallest numbers of them, and the largest least p-value."""
    return {
        "permutations": min((one.permutations for one in tested), default=0),
        "resamples": min((one.resamples for one in tested), default=0),
        "is_exact": all(one.is_exact for one in tested),
        "least_p": max((one.least_p for one in tested), default=math.nan),
        "undefined_draws": max((one.undefined_draws for one in tested), default=0),
    }


@dataclass(frozen=True)
class TestResult(Draws):
    """The result of a test of two metrics. NaN is undefined.

    Args:
        p_value: The two-sided p-value.
        p_greater: The one-sided p-value of the alternative that the first metric has the larger coefficient.
        p_less: The one-sided p-value of the alternative that the second metric has the larger coefficient.
        power: What the test can detect, if requested.
        draws: The difference in each permutation or resample; `None` for tests without.
    """

    __test__ = False  # not a class of tests

    p_value: float
    p_greater: float
    p_less: float
    power: Power | None = None
    draws: Floats | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class TestSettings:
    """How differences between metrics are tested.

    Args:
        test: The name of the test; `None` for the one that is valid at each level.
        resamples: The number of random permutations or bootstrap resamples.
        seed: The random seed.
        correction: The correction of two-sided p-values for the number of pairs.
        alpha: The level of significance.
        power: Whether to estimate what the test can detect.
        ranking: How metrics are ranked: one of `RANKINGS`.

    Raises:
        InputError: if a setting is invalid.
    """

    __test__ = False  # not a class of tests

    test: str | None = None
    resamples: int = 1000
    seed: int = 0
    correction: str = "holm"
    alpha: float = 0.05
    power: bool = False
    ranking: str = RANGES

    def __post_init__(self) -> None:
        check_draws(self.resamples, self.seed)
        checked_choice(self.correction, tuple(CORRECTIONS), "correction")
        checked_choice(self.ranking, RANKINGS, "ranking")
        if not 0 < self.alpha < 1:
            raise InputError(f"'alpha' must be between 0 and 1, got {self.alpha}")


def difference_test_names() -> list[str]:
    """Returns the names of all tests of differences.

    >>> "inputs" in difference_test_names()
    True
    """
    return REGISTRY.names()


def load_test(name: str) -> DifferenceTest:
    """Returns a test of differences by name.

    Raises:
        InputError: if there is no such test.

    >>> load_test("inputs").population((12, 80), "input")
    'for other inputs, these 12 systems'
    """
    if name in REMOVED:
        raise InputError(REMOVED[name])
    if not REGISTRY.spelled(name):
        names = difference_test_names()
        raise InputError(f"'test' must be one of {', '.join(names)}, got {name!r}{advice(str(name), names)}")
    found: DifferenceTest = REGISTRY.get(name)()
    return found


def chosen_test(level: Level, name: str | None = None) -> DifferenceTest:
    """Returns a test by name; without one, the test that is valid for all coefficients of a level."""
    return load_test(name or ("systems" if level == "system" else "inputs"))


def these(number: int, noun: str) -> str:
    """Names what a test does not resample.

    >>> these(1, "system"), these(12, "input")
    ('this 1 system', 'these 12 inputs')
    """
    return f"{'this' if number == 1 else 'these'} {counted(number, noun)}"


@dataclass(frozen=True)
class MetricSet:
    """Human scores and several metrics, with NaN in the same cells.

    Args:
        human: The human scores, shape (systems, inputs).
        metrics: Metric to its scores, of the same shape.
        clusters: The cluster of each input; `None` if each is a separate cluster.
        dropped: The number of cells with a human score that were dropped because they lack a metric.
        incomplete: The number of cells that were dropped because they have some but not all scores.
    """

    human: Floats
    metrics: Mapping[str, Floats]
    clusters: Sequence[Hashable] | None = None
    dropped: int = 0
    incomplete: int = 0
    _standardized: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, human: Any, metrics: Mapping[str, Any], clusters: Sequence[Hashable] | None = None) -> MetricSet:
        """Keeps the cells that have the human score and all metrics, then the systems and inputs that have such cells.

        Args:
            human: The human scores, shape (systems, inputs); NaN where missing.
            metrics: Metric to its scores, of the same shape.
            clusters: The cluster of each input.

        Raises:
            InputError: if a matrix is invalid, or shapes differ.

        >>> scores = MetricSet.of([[1, 2, 3], [3, 1, np.nan]], {"a": [[1, np.nan, 2], [2, np.nan, 3]]})
        >>> scores.shape, scores.dropped
        ((2, 2), 2)
        """
        people = checked_scores(human, "human")
        scores = {name: checked_scores(values, name) for name, values in metrics.items()}
        for name, values in scores.items():
            if values.shape != people.shape:
                raise InputError(f"'{name}' must have the shape of the human scores {people.shape}, got {values.shape}")
        if clusters is not None and len(clusters) != people.shape[1]:
            raise InputError(
                f"'clusters' must have one label for each of the {people.shape[1]} inputs, got {len(clusters)}"
            )
        missing = np.isnan([people, *scores.values()])
        some, none = missing.any(axis=0), missing.all(axis=0)
        every = cls(
            np.where(some, np.nan, people),
            {name: np.where(some, np.nan, values) for name, values in scores.items()},
            clusters,
            int((some & ~missing[0]).sum()),
            int((some & ~none).sum()),
        )
        return every.trimmed()

    def unit(self, kind: str) -> str:
        """Names the units of a test in the plural: clusters instead of ``inputs`` if there are any."""
        return "clusters" if kind == "inputs" and self.clusters is not None else kind

    @property
    def present(self) -> Bools:
        """Which cells have all scores, shape (systems, inputs)."""
        return ~np.isnan(self.human)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and inputs."""
        return self.human.shape[0], self.human.shape[1]

    def standardized(self, metric: str) -> Floats:
        """Returns a metric standardized over all cells, computed once."""
        if metric not in self._standardized:
            self._standardized[metric] = standardized(self.metrics[metric])
        return self._standardized[metric]

    def trimmed(self) -> MetricSet:
        """Drops the systems and the inputs without cells."""
        present = self.present
        rows, columns = np.asarray(present.any(axis=1)), np.asarray(present.any(axis=0))
        if rows.all() and columns.all():
            return self
        return replace(
            self,
            human=self.human[rows][:, columns],
            metrics={name: values[rows][:, columns] for name, values in self.metrics.items()},
            clusters=labels_of(self.clusters, columns),
            _standardized={},
        )

    def masked(self, level: Level, min_group: int) -> MetricSet:
        """Leaves out the groups of a level that have too few outputs; the shape stays.

        Args:
            level: The level; groups are inputs at the level ``input``, systems at ``within-system``.
            min_group: The least number of outputs of a group.
        """
        human = without_small_groups(self.human, level, min_group)
        small = np.isnan(human) & self.present
        if not small.any():
            return self
        metrics = {name: np.where(small, np.nan, values) for name, values in self.metrics.items()}
        return replace(self, human=human, metrics=metrics, _standardized={})


@dataclass(frozen=True)
class MetricTable:
    """Human scores and several metrics, which may have scores for different cells.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metrics: Metric to its scores, of the same shape.
        clusters: The cluster of each input.
        level: The level of groups that are left out; `None` for none.
        min_group: The least number of outputs of a group.
    """

    human: Any
    metrics: Mapping[str, Any]
    clusters: Sequence[Hashable] | None = None
    level: Level | None = None
    min_group: int = 0

    def of(self, names: Iterable[str]) -> MetricSet:
        """Keeps the cells that have the human score and all of some metrics."""
        scores = MetricSet.of(self.human, {name: self.metrics[name] for name in names}, self.clusters)
        return scores if self.level is None else scores.masked(self.level, self.min_group)

    def kinds(self) -> dict[str, int]:
        """Returns a number for each metric, equal for metrics that have scores for the same cells."""
        rated = ~np.isnan(checked_scores(self.human, "human"))
        numbers: dict[bytes, int] = {}
        return {
            name: numbers.setdefault((rated & ~np.isnan(checked_scores(one, name))).tobytes(), len(numbers))
            for name, one in self.metrics.items()
        }


def measured_metrics(
    scores: MetricSet, coefficient: Coefficient, level: Level, options: Mapping[str, CoefficientOptions]
) -> tuple[MetricSet, dict[str, CoefficientValue]]:
    """Computes the coefficient of each metric; ε is calibrated here, once, unless it is given.

    Returns the scores that are measured, which tests resample and swap, and the values.

    Args:
        scores: The scores.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient.
    """
    pairs = {name: ScorePair(scores.human, values) for name, values in scores.metrics.items()}
    found = {name: coefficient.prepared(pair, options[name], scores.clusters) for name, pair in pairs.items()}
    if any(found[name][0] is not pair for name, pair in pairs.items()):
        scores = replace(scores, metrics={name: pair.metric for name, (pair, *_) in found.items()}, _standardized={})
    return scores, {name: coefficient.measure(pair, level, fixed) for name, (pair, fixed, _) in found.items()}


def ranked_metrics(values: Mapping[str, float]) -> list[str]:
    """Returns the metrics with a value, the best first; equal values by name.

    >>> ranked_metrics({"b": 0.5, "a": 0.5, "c": float("nan"), "d": 0.7})
    ['d', 'a', 'b']
    """
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: (-values[name], name))


POWER = 0.8
"""The probability of detecting the least detectable difference."""

MIN_POINTS = 10
"""With fewer systems, the coefficients of their means vary too much (`benchmarks/detectable_power.py`)."""

MAX_FREEDOM = 10**6
"""With more degrees of freedom, Student's t is normal."""


@dataclass(frozen=True)
class Power:
    """What a test can detect with these data. NaN is undefined.

    Args:
        difference: The observed difference between the two coefficients.
        standard_error: The standard error of the difference.
        least_detectable: The least difference that the test detects with the given power; NaN if there is none.
        needed: How many units the test needs to detect the target with that power; `None` if the target is 0 or
            undefined.
        target: The difference to detect: the observed one.
        units: The number of units in these data.
        unit: What a unit is: ``inputs``, ``clusters`` of them, ``systems``, or ``cells``.
        power: The probability of detecting the difference.
        alpha: The two-sided level of significance.
        test: The test.
        population: The population of which the test speaks.
        reason: Why no difference can be detected; empty if one can.
    """

    difference: float
    standard_error: float
    least_detectable: float
    needed: int | None
    target: float
    units: int
    unit: str
    power: float
    alpha: float
    test: str = ""
    population: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; NaN is written as ``null``."""
        return asdict(self)


@dataclass(frozen=True)
class PowerEstimator:
    """Estimates what a test can detect: the least difference, and how many inputs or systems a difference needs.

    With the standard error s of the difference for n units, the least detectable difference is k·s, where k is the
    expected t of a difference that a t-test with n − 1 degrees of freedom detects with the given probability; for many
    units, k is z₁₋ₐ/₂ + z_power. A difference d needs n·(k·s/d)² units, if further units are like the present ones.
    Both are computed on the scale of Fisher's transformation, as a metric that agrees less also has a larger error. For
    coefficients of the means of systems, s is multiplied by √((n − 1)/(n − 3)), and with fewer than 10 systems no
    difference is named. How often tests find the difference was simulated (`benchmarks/detectable_power.py`).

    Args:
        coefficient: The coefficient.
        level: The level.
        test: The name of the test.
        population: The population of which it speaks.
        unit: What its units are.
        alpha: The two-sided level of significance.
    """

    coefficient: Coefficient
    level: Level
    test: str
    population: str
    unit: str
    alpha: float

    def of_permutations(self, values: tuple[float, float], trials: Floats, drawn: Permutations) -> Power:
        """Estimates what a permutation test can detect, from the same permutations as its p-value.

        The standard error s is that of the differences e after swaps, without the part that the observed difference d
        adds to it: s² = (mean e² − d²/n)·n/(n − 1) for n units.

        Args:
            values: The coefficients of the two metrics.
            trials: The differences in the permutations, shape (permutations,).
            drawn: The permutations.
        """
        defined, units, observed = trials[~np.isnan(trials)], drawn.units, values[0] - values[1]
        changed = np.abs(np.abs(defined) - abs(observed)) > ROUNDING
        if math.isnan(observed) or not changed.any() or units < 2:
            return self._power(observed, math.nan, units, reason="no permutation changes the difference")
        variance = (float((defined**2).mean()) - observed**2 / units) * units / (units - 1)
        if variance <= ROUNDING:
            return self._power(observed, math.nan, units, reason="its standard error cannot be estimated")
        alpha = self.alpha
        if drawn.is_exact:  # p is a multiple of 2/count
            alpha = math.floor(self.alpha * drawn.count / 2 + ROUNDING) * 2 / drawn.count
        return self._estimated(values, math.sqrt(variance), units, alpha, drawn.least_p)

    def of_resamples(self, values: tuple[float, float], trials: Floats, units: int) -> Power:
        """Estimates what a bootstrap test can detect, from the same resamples as its p-value.

        Args:
            values: The coefficients of the two metrics.
            trials: The differences in the resamples, shape (resamples,).
            units: The number of units that are drawn.
        """
        defined, observed = trials[~np.isnan(trials)], values[0] - values[1]
        if math.isnan(observed) or len(defined) < 2 or np.ptp(defined) <= ROUNDING or units < 2:
            return self._power(observed, math.nan, units, reason="no resample changes the difference")
        error = float(defined.std()) * math.sqrt(units / (units - 1))
        return self._estimated(values, error, units, self.alpha, 2 / (len(defined) + 1))

    def _estimated(self, values: tuple[float, float], error: float, units: int, alpha: float, least_p: float) -> Power:
        observed = values[0] - values[1]
        scale = _Scale.of(values, self.coefficient.range)
        needed = self._needed(scale, observed, error, units)
        detectable, reason = math.nan, ""
        least, largest = self.coefficient.range
        if least_p > self.alpha:
            reason = f"the least possible p-value is {least_p:.3g}, above {self.alpha:g}"
        elif self._has_units_as_points and units < MIN_POINTS:
            reason = f"it can be estimated from {MIN_POINTS} systems on"
        elif (factor := self._factor(units, alpha)) * error > largest - least:
            reason = f"two coefficients cannot differ by more than {largest - least:g}"
        else:
            detectable = scale.difference(factor * error)
        return self._power(observed, error, units, detectable, needed, reason)

    @property
    def _has_units_as_points(self) -> bool:
        """Whether the coefficient is one of points that are the units: of the means of systems."""
        return self.level == "system" and self.unit == "systems"

    def _factor(self, units: int, alpha: float) -> float:
        """Returns how many standard errors are detected.

        The variance of Fisher's transformation of n points is 1/(n − 3), not 1/(n − 1).
        """
        factor = noncentrality(units - 1, alpha, POWER)
        return factor * math.sqrt((units - 1) / (units - 3)) if self._has_units_as_points else factor

    def _needed(self, scale: _Scale, target: float, error: float, units: int) -> int | None:
        """Returns how many units are needed if further ones are like the present ones."""
        distance = scale.distance(abs(target))
        if not distance or math.isnan(distance) or math.isnan(error):
            return None
        deviation = error * math.sqrt(units) / distance
        fewest = math.ceil(math.log2(2 / self.alpha))  # fewer units have no p-value as small as alpha
        fewest = max(fewest, MIN_POINTS) if self._has_units_as_points else fewest
        needed = max(fewest, math.ceil((noncentrality(MAX_FREEDOM, self.alpha, POWER) * deviation) ** 2))
        while needed < (self._factor(needed, self.alpha) * deviation) ** 2:
            needed += 1
        return needed

    def _power(
        self, observed: float, error: float, units: int, least: float = math.nan, needed: Any = None, reason: str = ""
    ) -> Power:
        shared = self.unit, POWER, self.alpha, self.test, self.population
        return Power(observed, error, least, needed, observed, units, *shared, reason)


@dataclass(frozen=True)
class _Scale:
    """The scale of Fisher's transformation, on which the standard error hardly depends on the coefficient.

    Args:
        best: The coefficient of the better metric, from −1 to 1.
        slope: The derivative of artanh between both metrics.
        half: Half of the range of the coefficient.
    """

    best: float
    slope: float
    half: float

    @classmethod
    def of(cls, values: tuple[float, float], ends: tuple[float, float]) -> _Scale:
        """Finds the scale of two coefficients with values between two ends."""
        half = (ends[1] - ends[0]) / 2
        first, second = ((value - ends[0]) / half - 1 for value in values)
        return cls(max(first, second), 1 / max(1 - ((first + second) / 2) ** 2, ROUNDING), half)

    def difference(self, distance: float) -> float:
        """Returns how far a worse metric is below the better one, given a distance in multiples of `distance`."""
        if self.best >= 1:
            return distance
        worse = math.tanh(math.atanh(self.best) - distance / self.half * self.slope)
        return (self.best - worse) * self.half

    def distance(self, difference: float) -> float:
        """Inverts `difference`; NaN if no coefficient is that far below the better one."""
        worse = self.best - difference / self.half
        if worse <= -1:
            return math.nan
        if self.best >= 1:
            return difference
        return (math.atanh(self.best) - math.atanh(worse)) / self.slope * self.half


def noncentrality(freedom: int, alpha: float, power: float) -> float:
    """Returns the expected t of a difference that a two-sided t-test detects with a given probability.

    Args:
        freedom: The degrees of freedom.
        alpha: The two-sided level of significance.
        power: The probability.

    >>> round(noncentrality(10**6, 0.05, 0.8), 3)
    2.802
    """
    from scipy.special import nctdtrinc, stdtrit

    freedom = min(freedom, MAX_FREEDOM)
    return float(nctdtrinc(freedom, 1 - power, stdtrit(freedom, 1 - alpha / 2)))
