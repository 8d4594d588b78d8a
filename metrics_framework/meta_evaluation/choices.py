"""What options of meta-evaluation may be: levels, interval methods and other names, and `CoefficientOptions`.

Command-line help reads them, so this module does not import NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, TypeAlias, TypeVar, get_args

from metrics_framework.common.errors import InputError, advice

Name = TypeVar("Name", bound=str)

Level = Literal["input", "system", "global", "within-system"]

LEVELS: tuple[Level, ...] = get_args(Level)

GROUP_AXIS: Mapping[Level, int] = {"input": 0, "within-system": 1}
"""Level whose coefficients are averages over groups, to the axis of (systems, inputs) along which a group lies."""

AVERAGED: frozenset[str] = frozenset(GROUP_AXIS)
"""Levels whose coefficients are averages over groups of outputs."""

Stream = Literal["default", "mt-metrics-eval"]

STREAMS: tuple[Stream, ...] = get_args(Stream)
"""How the sign flips of SPA are drawn; ``mt-metrics-eval`` repeats the draws and the sums of that program."""

SIGN_FLIPS = 1000

FOLDS = 5

Population: TypeAlias = Literal["inputs", "systems", "both"]
"""What is drawn with replacement."""

IntervalMethod = Literal[
    "fisher",
    "fisher-shrunken",
    "bootstrap-inputs",
    "bootstrap-systems",
    "bootstrap-both",
    "bca-inputs",
    "bca-systems",
    "jackknife-inputs",
    "jackknife-systems",
]

INTERVAL_METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)

FORMULAS = ("fisher", "fisher-shrunken")
"""Methods that need no resamples."""

Ranking = Literal["ranges", "clusters", "wmt"]

RANKINGS: tuple[Ranking, ...] = get_args(Ranking)
"""How metrics are ranked: the ranks that tests leave open, clusters, or the clusters of the shared tasks of WMT, which
follow one-sided p-values without correction."""

WMT: Ranking = "wmt"

JOINT, PUBLISHED = "joint", "published"

AVERAGE_TESTS = (JOINT, PUBLISHED)
"""How permutations for averages over data sets are drawn: once for each data set, or separately for each task, as the
shared tasks did."""

Definition = Literal["corrected", "sacrerouge"]
"""How p-values of the bootstrap and of Williams' test are defined."""

SACREROUGE_PERMUTATIONS: Mapping[str, str] = {
    "permutation-both": "cells",
    "permutation-system": "systems",
    "permutation-input": "inputs",
}
"""SacreROUGE's names of permutation tests, and ours; its ``permutation-both`` swaps single cells."""

SACREROUGE_BOOTSTRAPS: Mapping[str, Population] = {
    "bootstrap-both": "both",
    "bootstrap-system": "systems",
    "bootstrap-input": "inputs",
}
"""SacreROUGE's names of bootstrap tests, and what they resample."""

SACREROUGE_WILLIAMS = "williams"

SACREROUGE_TESTS = (*SACREROUGE_PERMUTATIONS, *SACREROUGE_BOOTSTRAPS, SACREROUGE_WILLIAMS)
"""SacreROUGE's names of the tests."""

SACREROUGE_LEVELS: Mapping[str, Level] = {"summary_level": "input", "system_level": "system", "global": "global"}

SACREROUGE_COEFFICIENTS: Mapping[str, str] = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall-b"}


def check_draws(resamples: int, seed: int) -> None:
    """Checks the number of resamples and their seed.

    Raises:
        InputError: if one of them is too small.
    """
    if resamples < 1 or seed < 0:
        raise InputError(f"'resamples' must be at least 1 and 'seed' at least 0, got {resamples} and {seed}")


def checked_choice(value: str, choices: Sequence[Name], argument: str) -> Name:
    """Returns a value if it is one of the choices.

    Raises:
        InputError: if it is not; the message lists the choices.
    """
    if value not in choices:
        listed = ", ".join(choices)
        raise InputError(f"'{argument}' must be one of {listed}, got {value!r}{advice(str(value), [*choices])}")
    return value  # type: ignore[return-value]


@dataclass(frozen=True)
class CoefficientOptions:
    """The options of coefficients; each uses those that its `uses` names.

    Args:
        epsilon: Metric scores that differ by at most ε are tied; `None` if none is given, so that a coefficient that
            calibrates it does so.
        epsilon_source: Where ε comes from.
        threshold: The least difference of human scores that counts, for ``kendall-like``; the score from which on a
            metric calls outputs good, for ``f1`` and ``mcc``; `None` if none is given.
        good_above: The human score above which outputs are good.
        folds: The number of folds of cross-fitting.
        sign_flips: The number of sign flips.
        seed: The seed of the sign flips.
        stream: How they are drawn.

    Raises:
        InputError: if a value is out of range.
    """

    epsilon: float | None = None
    epsilon_source: str = "given"
    threshold: float | None = None
    good_above: float = 0.0
    folds: int = FOLDS
    sign_flips: int = SIGN_FLIPS
    seed: int = 0
    stream: Stream = "default"

    def __post_init__(self) -> None:
        numbers = {"epsilon": self.epsilon or 0.0, "threshold": self.threshold or 0.0, "good_above": self.good_above}
        for name, value in numbers.items():
            if not (isinstance(value, Real) and math.isfinite(value) and (value >= 0 or name != "epsilon")):
                raise InputError(f"'{name}' must be a number{' of at least 0' * (name == 'epsilon')}, got {value!r}")
        checked_choice(self.stream, STREAMS, "stream")
        counts = {"sign_flips": (self.sign_flips, 1), "folds": (self.folds, 2), "seed": (self.seed, 0)}
        for name, (count, least) in counts.items():
            if not (isinstance(count, Integral) and count >= least):
                raise InputError(f"'{name}' must be an integer of at least {least}, got {count!r}")


PreferenceTable = Literal["systems", "pairs", "ranking", "agreement"]
"""What a study of votes has records of."""
