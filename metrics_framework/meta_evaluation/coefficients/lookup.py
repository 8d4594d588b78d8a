"""Coefficients by name. Command-line help reads them, so this module does not import NumPy."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from metrics_framework.common.errors import PLUGIN_FAILURES, InputError, PluginError, advice, message_of
from metrics_framework.common.options import called_here, short
from metrics_framework.meta_evaluation.choices import LEVELS, SIGN_FLIPS, CoefficientOptions, Level, checked_choice
from metrics_framework.meta_evaluation.coefficients import REGISTRY

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient


def checked_coefficient(
    name: str, level: str, epsilon: float | None = None, *, sign_flips: int = SIGN_FLIPS, seed: int = 0
) -> tuple[Coefficient, Level, CoefficientOptions]:
    """Checks the arguments of functions on arrays.

    Args:
        name: The name of the coefficient.
        level: The level; a coefficient that is defined at one level only ignores the default, ``global``.
        epsilon: The largest difference of tied scores; for a coefficient with a threshold, that threshold.
        sign_flips: The number of sign flips.
        seed: Their seed.

    Returns:
        The coefficient, the level, and its options.

    Raises:
        InputError: if the name or the level is unknown, the coefficient is undefined at the level, or ε is negative or
            given for a coefficient without one.

    >>> found, level, _ = checked_coefficient("spa", "global")
    >>> found.name, level
    ('spa', 'system')
    """
    found = load_coefficient(name)
    at = checked_choice(level, LEVELS, "level")
    if at not in found.levels:
        if at != "global":
            defined = " and ".join(found.levels)
            raise InputError(f"'{found.name}' is defined at the {defined} level only, got level={level!r}")
        at = found.levels[0]
    options = CoefficientOptions(epsilon=epsilon or None, sign_flips=sign_flips, seed=seed)
    return found, at, found.with_given_epsilon(options) if options.epsilon else options


def load_coefficient(name: str) -> Coefficient:
    """Returns a coefficient, given its name, an alias, or what other programs call it.

    Raises:
        InputError: if there is no such coefficient.
        PluginError: if a plug-in has it, and is broken.

    >>> load_coefficient("kendall").name, load_coefficient("kendalltau").name
    ('kendall-b', 'kendall-b')
    """
    base, _, argument = str(name).partition(":")
    if not REGISTRY.spelled(name) and argument and REGISTRY.spelled(base):
        return _with_argument(base, argument)
    if not REGISTRY.spelled(name):
        names = coefficient_names()
        if (known := called_here(str(name), names)) is None or not isinstance(name, str):
            raise InputError(f"'name' must be one of {', '.join(names)}, got {short(name)}{advice(str(name), names)}")
        return load_coefficient(known)
    registered: type[Coefficient] = REGISTRY.get(name)
    return _only_object(registered)


@cache
def _with_argument(name: str, argument: str) -> Coefficient:
    """Returns a coefficient with what is written after its name, the same object each time."""
    return load_coefficient(name).with_argument(argument)


@cache
def _only_object(registered: type[Coefficient]) -> Coefficient:
    """Returns the only object of a class, as coefficients have no constructor options.

    Raises:
        PluginError: if the class is not a complete coefficient.
    """
    origin = f"the coefficient '{registered.registered_name}' of {registered.__module__}"
    try:
        found = registered()
    except PLUGIN_FAILURES as error:
        raise PluginError(f"cannot make {origin}: {message_of(error)}") from error
    if not getattr(found, "title", "") or not found.levels or not {*found.levels} <= {*LEVELS}:
        raise PluginError(f"{origin} must have a 'title', and 'levels' that are some of {', '.join(LEVELS)}")
    return found


def coefficient_names() -> list[str]:
    """Returns the names of all coefficients, without their aliases.

    >>> "pearson" in coefficient_names(), "kendall" in coefficient_names()
    (True, False)
    """
    return REGISTRY.names()
