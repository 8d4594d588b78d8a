"""The settings of `correlate`: coefficients, levels, intervals, tests and outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.meta_evaluation.intervals.defaults import default_method
from metrics_framework.meta_evaluation.names import (
    COEFFICIENTS,
    INTERVAL_METHODS,
    LEVELS,
    SINGLE_LEVEL,
    STREAMS,
    TESTS,
    Coefficient,
    Level,
)
from metrics_framework.significance.confidence_level import as_percent
from metrics_framework.significance.multiple_testing import CORRECTIONS
from metrics_framework.significance.resampling import RESAMPLES

DEFAULT_COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall-b")
DEFAULT_LEVELS: tuple[Level, ...] = ("input", "system", "global")
COEFFICIENT_ALIASES: Mapping[str, Coefficient] = {"kendall": "kendall-b"}
MEAN, ZSCORE_MEAN = "mean", "zscore-mean"
AGGREGATES = (MEAN, ZSCORE_MEAN)
"""How the ratings of an output become its human score."""
PRESET_NAMES = ("wmt23", "wmt24", "wmt25")
"""Shared tasks whose averages can be computed."""
NONE = "none"
DEFAULT = "default"
"""Selects the interval method or the test that is valid at each level."""

_SINGULAR = {"inputs": "input", "systems": "system"}


def coefficient_name(name: str) -> Coefficient:
    """Returns the name of a coefficient, given this or another of its names.

    Raises:
        UnknownChoiceError: if there is no such coefficient.

    >>> coefficient_name("kendall"), coefficient_name("acc-eq")
    ('kendall-b', 'acc-eq')
    """
    found = COEFFICIENT_ALIASES.get(name, name)
    if found not in COEFFICIENTS:
        raise UnknownChoiceError("coefficient", name, (*COEFFICIENTS, "kendall"))
    return found


_BARE = {"bootstrap": "bootstrap-both", "bca": "bca-systems", "jackknife": "jackknife-systems"}
"""Kind of interval to its method where nothing is said of what is resampled."""


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
    return _resampling_name("test", name, (NONE, DEFAULT, *TESTS))


def _resampling_name(option: str, name: str, known: Sequence[str]) -> str:
    found = name.replace(":", "-")
    kind, _, resampled = found.partition("-")
    if resampled in _SINGULAR.values():
        found = f"{kind}-{resampled}s"
    if found not in known:
        raise UnknownChoiceError(option, name, known)
    return found


def ancestor_interval_name(method: str) -> str:
    """Returns the name that SacreROUGE has for an interval method.

    >>> ancestor_interval_name("bootstrap-inputs"), ancestor_interval_name("bootstrap-both")
    ('bootstrap-input', 'bootstrap-both')
    """
    kind, _, resampled = method.partition("-")
    return f"{kind}-{_SINGULAR[resampled]}" if kind == "bootstrap" and resampled in _SINGULAR else method


@dataclass(frozen=True)
class IntervalSettings:
    """How confidence intervals of correlations are computed.

    Args:
        method: One of `INTERVAL_METHODS`, ``none``, or ``default`` for the recommended method of each level.
        confidence: The confidence level, in percent or as a fraction.
        two_tailed: Whether alpha is split between both ends; otherwise each end gets all of it.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.

    Raises:
        InputError: if a value is out of range.
    """

    method: str = DEFAULT
    confidence: float = 95.0
    two_tailed: bool = True
    resamples: int = RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", interval_name(self.method))
        object.__setattr__(self, "confidence", as_percent(self.confidence))
        if self.resamples < 1 or self.seed < 0:
            raise InputError(
                f"'resamples' must be at least 1 and 'seed' at least 0, got {self.resamples} and {self.seed}"
            )
        if not self.two_tailed and self.confidence <= 50:
            raise InputError(f"one-tailed intervals need a confidence level above 50 %, got {self.confidence:g} %")

    @property
    def alpha(self) -> float:
        """The significance level, a fraction of 1."""
        return round((100 - self.confidence) / 100, 12)

    @property
    def tail(self) -> float:
        """The fraction of the distribution beyond each end."""
        return self.alpha / 2 if self.two_tailed else self.alpha

    def method_at(self, level: str, name: str) -> str:
        """Returns the method for a coefficient at a level."""
        return default_method(level, name) if self.method == DEFAULT else self.method


@dataclass(frozen=True)
class ComparisonSettings:
    """How metrics are compared.

    Args:
        test: One of `TESTS`, ``none``, or ``default`` for the test that is valid at each level.
        correction: The correction of p-values for several pairs: a key of `CORRECTIONS`.
        alpha: The level of significance for clusters of metrics.
        power: Whether to estimate which differences the tests can detect.

    Raises:
        InputError: if a value is invalid.
    """

    test: str = NONE
    correction: str = "holm"
    alpha: float = 0.05
    power: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "test", comparison_test_name(self.test))
        if self.correction not in CORRECTIONS:
            raise UnknownChoiceError("correct", self.correction, CORRECTIONS)
        if not 0 < self.alpha < 1:
            raise InputError(f"'alpha' must be between 0 and 1, got {self.alpha}")


@dataclass(frozen=True)
class TieSettings:
    """What counts as a tie.

    Args:
        epsilons: Level to ε: metric scores that differ by at most ε are tied. At other levels, ε is calibrated on the
            data for ``acc-eq``, and 0 for ``acc-23`` and ``tau-23``.
        source: Where the given ε come from.
        folds: The number of folds of inputs if each fold gets the ε of the others; 0 for none.
        threshold: The least difference of human scores that ``kendall-like`` counts.
    """

    epsilons: Mapping[str, float] = field(default_factory=dict)
    source: str = "given"
    folds: int = 0
    threshold: float = 0.0


def ties_of(epsilon: float | str | None, threshold: float) -> TieSettings:
    """Returns what counts as a tie.

    Args:
        epsilon: The largest difference of tied metric scores, ``cross-fit:K``, or `None` to calibrate it.
        threshold: The least difference of human scores that ``kendall-like`` counts.

    Raises:
        InputError: if a value is invalid.

    >>> ties_of("cross-fit:5", 0.0).folds, ties_of(0.5, 0.0).epsilons["input"]
    (5, 0.5)
    """
    if not 0 <= threshold < math.inf:
        raise InputError(f"'threshold' must be 0 or more, got {threshold}")
    if epsilon is None:
        return TieSettings(threshold=threshold)
    kind, colon, folds = str(epsilon).partition(":")
    if colon and kind == "cross-fit" and folds.isdecimal() and int(folds) >= 2:
        return TieSettings(folds=int(folds), threshold=threshold)
    try:
        number = float(epsilon)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise InputError(f"'epsilon' must be a number, 0 or more, or cross-fit:K with K at least 2, got '{epsilon}'")
    return TieSettings(epsilons=dict.fromkeys(LEVELS, number), threshold=threshold)


@dataclass(frozen=True)
class StudySettings:
    """All settings of a study.

    Args:
        coefficients: The coefficients.
        levels: The levels.
        interval: How confidence intervals are computed.
        comparison: How metrics are compared.
        ties: What counts as a tie.
        min_group: The least number of outputs of an input, or of a system at the level ``within-system``, for it to be
            used.
        stream: How the sign flips of ``spa`` are drawn: ``default`` or ``mt-metrics-eval``.

    Raises:
        InputError: if a value is invalid.
    """

    coefficients: Sequence[str] = DEFAULT_COEFFICIENTS
    levels: Sequence[str] = DEFAULT_LEVELS
    interval: IntervalSettings = field(default_factory=IntervalSettings)
    comparison: ComparisonSettings = field(default_factory=ComparisonSettings)
    ties: TieSettings = field(default_factory=TieSettings)
    min_group: int = 2
    stream: str = "default"

    def __post_init__(self) -> None:
        names = tuple(dict.fromkeys(map(coefficient_name, self.coefficients)))
        levels = tuple(level for level in LEVELS if level in self.levels)
        unknown = [level for level in self.levels if level not in LEVELS]
        if unknown or not levels:
            raise InputError(f"'levels' must be a subset of {', '.join(LEVELS)}, got {list(self.levels)!r}")
        if not names:
            raise InputError("'coefficients' must name at least one coefficient")
        if self.stream not in STREAMS:
            raise UnknownChoiceError("stream", self.stream, STREAMS)
        if self.min_group < 2:
            raise InputError(f"'min_group' must be at least 2, got {self.min_group}")
        object.__setattr__(self, "coefficients", names)
        object.__setattr__(self, "levels", levels)
        for name in names:
            if SINGLE_LEVEL.get(name, levels[0]) not in levels:
                raise InputError(f"'{name}' is defined at the {SINGLE_LEVEL[name]} level only, which is not requested")

    def coefficients_at(self, level: str) -> list[str]:
        """Returns the coefficients that are defined at a level."""
        return [name for name in self.coefficients if SINGLE_LEVEL.get(cast("Coefficient", name), level) == level]


def checked_preset(name: str) -> str:
    """Returns the name of a shared task, or an empty string.

    Raises:
        UnknownChoiceError: if there is no preset of that name.
    """
    if name and name not in PRESET_NAMES:
        raise UnknownChoiceError("preset", name, PRESET_NAMES)
    return name


def names_in(words: str | Iterable[str]) -> list[str]:
    """Returns names that are given one by one, or separated by commas.

    >>> names_in(["input,system", "global"])
    ['input', 'system', 'global']
    """
    listed = [words] if isinstance(words, str) else words
    return [name.strip() for word in listed for name in word.split(",") if name.strip()]
