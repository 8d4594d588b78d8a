"""The names and defaults of options of a study of metrics, their other spellings, and those of SacreROUGE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.meta_evaluation.differences import REMOVED
from metrics_framework.meta_evaluation.intervals.methods import INTERVAL_METHODS
from metrics_framework.meta_evaluation.levels import Level

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
JOINT, PUBLISHED = "joint", "published"
AVERAGE_TESTS = (JOINT, PUBLISHED)
"""How averages over data sets are tested: with one permutation of a data set for all its coefficients and levels, or
with separate permutations for each, as the shared tasks did."""
CONFIDENCE = 95.0
CORRECTION = "holm"
ALPHA = 0.05
MIN_GROUP = 2

_SINGULAR = {"inputs": "input", "systems": "system"}


def coefficient_name(name: str) -> str:
    """Returns the name of a coefficient, given this or another of its names.

    Raises:
        UnknownChoiceError: if there is no such coefficient.

    >>> coefficient_name("kendall"), coefficient_name("acc-eq")
    ('kendall-b', 'acc-eq')
    """
    if name not in COEFFICIENTS.names(aliases=True):
        raise UnknownChoiceError("coefficient", name, COEFFICIENTS.names())
    return COEFFICIENTS.entries[name].alias_of or name


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


def checked_preset(name: str) -> str:
    """Returns the name of a shared task, or an empty string.

    Raises:
        UnknownChoiceError: if there is no preset of that name.
    """
    if name and name not in PRESET_NAMES:
        raise UnknownChoiceError("preset", name, PRESET_NAMES)
    return name


def chosen_levels(words: str | Iterable[str]) -> tuple[list[str], bool]:
    """Returns the levels that are computed, and whether they were asked for.

    >>> chosen_levels("default")
    (['input', 'system', 'global'], False)
    """
    names = names_in(words)
    return ([*DEFAULT_LEVELS], False) if names == [DEFAULT] else (names, True)


def names_in(words: str | Iterable[str]) -> list[str]:
    """Returns names that are given one by one, or separated by commas.

    >>> names_in(["input,system", "global"])
    ['input', 'system', 'global']
    """
    listed = [words] if isinstance(words, str) else words
    return [name.strip() for word in listed for name in word.split(",") if name.strip()]
