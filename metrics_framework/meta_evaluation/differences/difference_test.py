"""`DifferenceTest`, the base class of tests of the difference between two metrics, with what a test is given."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, advice, counted
from metrics_framework.common.registrable import Registrable
from metrics_framework.common.stability import deprecated
from metrics_framework.meta_evaluation.choices import RANKINGS, CoefficientOptions, Level, Population, checked_choice
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, CoefficientValue
from metrics_framework.meta_evaluation.differences import REGISTRY, REMOVED
from metrics_framework.meta_evaluation.differences.power import Power
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, checked_scores, without_small_groups
from metrics_framework.meta_evaluation.groups.swaps import standardized
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
        if self.resamples < 1 or self.seed < 0:
            raise InputError(
                f"'resamples' must be at least 1 and 'seed' at least 0, got {self.resamples} and {self.seed}"
            )
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
        clusters = self.clusters
        if clusters is not None:
            clusters = [label for label, kept in zip(clusters, columns.tolist(), strict=True) if kept]
        return replace(
            self,
            human=self.human[rows][:, columns],
            metrics={name: values[rows][:, columns] for name, values in self.metrics.items()},
            clusters=clusters,
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
) -> dict[str, CoefficientValue]:
    """Computes the coefficient of each metric; ε is calibrated here, once, unless it is given.

    Args:
        scores: The scores.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient.
    """
    return {
        name: coefficient.measure(ScorePair(scores.human, values), level, options[name])
        for name, values in scores.metrics.items()
    }


def ranked_metrics(values: Mapping[str, float]) -> list[str]:
    """Returns the metrics with a value, the best first; equal values by name.

    >>> ranked_metrics({"b": 0.5, "a": 0.5, "c": float("nan"), "d": 0.7})
    ['d', 'a', 'b']
    """
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: (-values[name], name))
