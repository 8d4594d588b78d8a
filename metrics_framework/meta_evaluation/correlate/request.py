"""`CorrelateRequest`: what a study of metrics computes, resolved once, and other spellings of its options."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import INTERVAL_METHODS, LEVELS, WMT, CoefficientOptions, Level, Stream
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.meta_evaluation.differences import REMOVED
from metrics_framework.meta_evaluation.study import Request
from metrics_framework.significance.multiple_testing import draws_for
from metrics_framework.significance.resampling import RESAMPLES

if TYPE_CHECKING:
    from typing_extensions import Self

    from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
    from metrics_framework.meta_evaluation.differences.difference_test import TestSettings

PRESET_NAMES = ("wmt23", "wmt24", "wmt25")
"""Shared tasks whose averages can be computed."""
NONE = "none"
DEFAULT = "default"
"""Selects the interval method or the test that is valid at each level."""
DEFAULT_COEFFICIENTS = ("pearson", "spearman", "kendall-b")
DEFAULT_LEVELS: tuple[Level, ...] = ("input", "system", "global")
MEAN, ZSCORE_MEAN = "mean", "zscore-mean"
AGGREGATES = (MEAN, ZSCORE_MEAN)
"""How the ratings of an output become its human score."""
CONFIDENCE = 95.0
CORRECTION = "holm"
ALPHA = 0.05
MIN_GROUP = 2

_SINGULAR = {"inputs": "input", "systems": "system"}
_BARE = {"bootstrap": "bootstrap-both", "bca": "bca-systems", "jackknife": "jackknife-systems"}
"""Kind of interval to its method where nothing is said of what is resampled."""
Pair = tuple[str, str]
"""A metric and a human score."""
_UNSET = CoefficientOptions()
_GIVEN = ("epsilon", "threshold", "good_above", "folds", "sign_flips", "stream")
"""The options of coefficients that a user gives."""


@dataclass(frozen=True)
class CorrelateRequest(Request):
    """What `correlate` is asked for; each section of a study takes this request and scores, and has no other options.

    A slice or a data set is the same request on fewer outputs.

    Args:
        pairs: The pairs of scores to correlate: metric and human score.
        levels: The levels; those of `DEFAULT_LEVELS` for ``default``, or those of a preset.
        levels_asked: Whether a user or a preset chose the levels; otherwise, tables show only the one that the data
            support best.
        has_sacrerouge_form: Whether the JSON has the names of SacreROUGE, as for pairs of scores.
        only: Levels with the coefficients that are computed there; empty for all.
        clusters: Input to its cluster; `None` without clusters. Known once the data are read.
        fitted: Metric, human score, level and coefficient to the options that fit another data set. Known once the data
            are read.
    """

    pairs: Sequence[Pair]
    summarizer_type: str
    levels: Sequence[Level]
    coefficients: Sequence[str]
    ci: str
    confidence: float
    two_tailed: bool
    resamples: int | None
    seed: int
    test: str
    correct: str
    alpha: float
    ranking: str
    detectable: bool
    data_sets: str | None
    preset: str
    average_test: str
    epsilon: float | None
    threshold: float | None
    good_above: float
    folds: int
    sign_flips: int
    stream: Stream
    min_group: int
    sentinels: bool
    slices: Sequence[str]
    partial: Sequence[str]
    cluster: str | None
    aggregate: str
    humans_as_metrics: bool
    levels_asked: bool
    has_sacrerouge_form: bool = False
    only: frozenset[tuple[str, str]] = frozenset()
    clusters: Mapping[str, str] | None = None
    fitted: Mapping[tuple[str, str, str, str], Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    @overrides
    def of(cls, given: Mapping[str, Any], **resolved: Any) -> Self:
        levels, names = tuple(given["levels"]), tuple(dict.fromkeys(given["coefficients"]))
        is_asked = levels != (DEFAULT,)
        levels = tuple(level for level in LEVELS if level in levels) if is_asked else DEFAULT_LEVELS
        if not levels or (is_asked and DEFAULT in given["levels"]):
            raise InputError(f"'levels' must be a subset of {', '.join(LEVELS)}, got {list(given['levels'])!r}")
        if not names:
            raise InputError("'coefficients' must name at least one coefficient")
        if given["preset"] and (names, levels) == (DEFAULT_COEFFICIENTS, DEFAULT_LEVELS):
            from metrics_framework.meta_evaluation.differences.averages import PRESETS

            tasks = [(task.level, task.coefficient) for task in PRESETS[given["preset"]]({"any": "any"})]
            names, is_asked = tuple(dict.fromkeys(name for _, name in tasks)), True
            levels = tuple(level for level in LEVELS if level in {level for level, _ in tasks})
            resolved["only"] = frozenset(tasks)
        if given["test"] == "williams":  # it has one level and one coefficient
            levels, is_asked = (levels, True) if is_asked else (("system",), True)
            names = ("pearson",) if names == DEFAULT_COEFFICIENTS else names
        for option in ("slices", "partial"):
            listed = [name.strip() for word in given[option] for name in word.split(",")]
            resolved[option] = [name for name in listed if name]
        return super().of(given, levels=levels, levels_asked=is_asked, coefficients=names, **resolved)

    def __post_init__(self) -> None:
        for name in self.coefficients:
            defined = _coefficient(name).levels
            if not set(defined) & set(self.levels):
                raise InputError(
                    f"'{name}' is defined at the {' and '.join(defined)} level only, which is not requested"
                )
        used = frozenset[str]().union(*(_coefficient(name).uses for name in self.coefficients))
        for name in _GIVEN:
            if getattr(self, name) != getattr(_UNSET, name) and name not in used:
                users = [one for one in COEFFICIENTS.names() if name in _coefficient(one).uses]
                raise InputError(
                    f"'{name}' is an option of {', '.join(users)}, but the coefficients are "
                    f"{', '.join(self.coefficients)}"
                )
        if not self.two_tailed and self.confidence <= 50:
            raise InputError(f"one-tailed intervals need a confidence level above 50 %, got {self.confidence:g} %")
        if self.cluster is not None and self.ci == "fisher" and set(self.levels) != {"system"}:
            raise InputError(
                "'fisher' intervals assume that outputs are independent, which those of one cluster are not; choose "
                "another interval, such as jackknife-inputs, or the level system alone"
            )

    @property
    def error(self) -> float:
        """The error probability of intervals, a fraction of 1."""
        return round((100 - self.confidence) / 100, 12)

    @property
    def tail(self) -> float:
        """The fraction of the distribution beyond each end of an interval."""
        return self.error / 2 if self.two_tailed else self.error

    @property
    def humans(self) -> list[str]:
        """The human scores."""
        return list(dict.fromkeys(human for _, human in self.pairs))

    def metrics_of(self, human: str) -> list[str]:
        """Returns the metrics that are correlated with a human score."""
        return [metric for metric, other in self.pairs if other == human]

    def coefficients_at(self, level: Level) -> list[Coefficient]:
        """Returns the coefficients that are defined at a level."""
        defined = (one for one in map(_coefficient, self.coefficients) if level in one.levels)
        return [one for one in defined if not self.only or (level, one.name) in self.only]

    @property
    def drawn(self) -> int:
        """The number of bootstrap resamples of intervals."""
        return RESAMPLES if self.resamples is None else self.resamples

    def test_settings(self, metrics: int = 0) -> TestSettings:
        """Returns how the differences between metrics are tested.

        Unless their number is given, as many draws are made as `draws_for` says, at least 1,000.

        Args:
            metrics: The number of metrics whose pairs are compared.
        """
        from metrics_framework.meta_evaluation.differences.difference_test import TestSettings

        test = None if self.test in (DEFAULT, NONE) else self.test
        pairs = 1 if self.correct == NONE or self.ranking == WMT else math.comb(metrics, 2)
        draws = draws_for(pairs, self.alpha, RESAMPLES) if self.resamples is None else self.resamples
        shared = self.options("seed", "alpha", "ranking")
        return TestSettings(test, draws, correction=self.correct, power=self.detectable, **shared)

    def options_for(self, coefficient: Coefficient, metric: str, human: str, level: Level) -> CoefficientOptions:
        """Returns the options of a coefficient for a pair of scores at a level, without those that it does not use."""
        given = {name: getattr(self, name) for name in _GIVEN if name in coefficient.uses}
        fitted = self.fitted.get((metric, human, level, coefficient.name), {})
        return CoefficientOptions(seed=self.seed, **{**given, **fitted})

    def cluster_labels(self, inputs: Sequence[str]) -> Sequence[Hashable] | None:
        """Returns the cluster of each input; an input without one is a separate cluster.

        `None` without clusters of several inputs.
        """
        if self.clusters is None:
            return None
        from metrics_framework.significance.clusters import shared_labels  # which imports NumPy

        return shared_labels([(self.clusters[name],) if name in self.clusters else ("", name) for name in inputs])


def _coefficient(name: str) -> Coefficient:
    from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient  # which imports NumPy

    return load_coefficient(name)


def coefficient_name(name: str) -> str:
    """Returns the name of a coefficient, given this or another of its names.

    Raises:
        UnknownChoiceError: if there is no such coefficient.

    >>> coefficient_name("kendall"), coefficient_name("acc-eq")
    ('kendall-b', 'acc-eq')
    """
    if name not in COEFFICIENTS.names(aliases=True):
        base, _, argument = name.partition(":")
        if argument and base in COEFFICIENTS.names():
            return name  # such as precision-at-recall:0.8, which is checked when it is loaded
        raise UnknownChoiceError("coefficient", name, COEFFICIENTS.names())
    return COEFFICIENTS.entries[name].alias_of or name


def interval_name(name: str) -> str:
    """Returns the name of an interval method, given this, its spelling with a colon, or that of SacreROUGE.

    Raises:
        UnknownChoiceError: if there is no such method.

    >>> interval_name("bootstrap:both"), interval_name("bootstrap-input"), interval_name("bca")
    ('bootstrap-both', 'bootstrap-inputs', 'bca-systems')
    """
    return _resampling_name("ci", _BARE.get(name, name), (NONE, DEFAULT, *INTERVAL_METHODS))


def comparison_test_name(name: str) -> str:
    """Returns the name of a test, given this or its spelling with a colon.

    Raises:
        UnknownChoiceError: if there is no such test.

    >>> comparison_test_name("bootstrap:inputs")
    'bootstrap-inputs'
    """
    if name.replace(":", "-") in REMOVED:
        raise InputError(REMOVED[name.replace(":", "-")])
    return _resampling_name("test", name, (NONE, DEFAULT, *TESTS.names()))


def _resampling_name(option: str, name: str, known: Sequence[str]) -> str:
    found = name.replace(":", "-")
    kind, _, resampled = found.partition("-")
    if resampled in _SINGULAR.values():
        found = f"{kind}-{resampled}s"
    if found not in known:
        raise UnknownChoiceError(option, name, known)
    return found


def sacrerouge_interval_name(method: str) -> str:
    """Returns the name that SacreROUGE has for an interval method.

    >>> sacrerouge_interval_name("bootstrap-inputs"), sacrerouge_interval_name("bootstrap-both")
    ('bootstrap-input', 'bootstrap-both')
    """
    kind, _, resampled = method.partition("-")
    return f"{kind}-{_SINGULAR[resampled]}" if kind == "bootstrap" and resampled in _SINGULAR else method
