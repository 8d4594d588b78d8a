"""Flags and configuration keys for confidence intervals and significance tests.

``--confidence`` takes an optional level; a file after it is an argument (decision 0014).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.arguments import Parser, is_level
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.significance.resampling import (
    INTERVAL_METHODS,
    LEVEL,
    RESAMPLES,
    SCHEME,
    SCHEMES,
    SEED,
    resampling_arguments,
)

if TYPE_CHECKING:
    from metrics_framework.significance.resampling import Resampling

CONFIDENCE_KEYS = ("confidence", "baseline")
"""The corresponding keys of a configuration."""
_RESAMPLING_FLAGS = {
    "confidence_level": "level",
    "ci": "method",
    "resamples": "resamples",
    "seed": "seed",
    "resampling": "scheme",
}


def _level(word: str) -> float | bool:
    """Returns the level of ``--confidence``, a fraction; true for the flag without a level."""
    from metrics_framework.significance.confidence_level import EXPECTED_LEVEL, parse_level

    try:
        return word == "true" or parse_level(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {EXPECTED_LEVEL}, got '{word}'") from None


def add_confidence_arguments(parser: Parser, default: str) -> None:
    """Adds the flags.

    Args:
        parser: The parser.
        default: The default for the help text.
    """
    group = parser.add_argument_group("confidence intervals and significance tests")
    level: Mapping[str, Any] = {"type": _level, "metavar": "LEVEL"}
    group.add_argument(
        "-ci",
        "--confidence",
        nargs="?",
        **level,
        help="add bootstrap confidence intervals to all scores, and significance tests against the baseline "
        f"(default: {default}); LEVEL is a fraction or in percent (default: {LEVEL})",
    )
    group.add_argument("--confidence-level", **level, help="the same as --confidence LEVEL")
    parser.optional_values["--confidence"] = parser.optional_values["-ci"] = is_level
    group.add_argument("--no-confidence", action="store_true", help="compute neither intervals nor tests")
    group.add_argument(
        "--ci",
        choices=INTERVAL_METHODS,
        help="interval method: percentiles of a bootstrap (as in sacreBLEU), bca (corrects them for skewness), "
        "studentized or jackknife (both wide enough for few inputs) (default: percentile)",
    )
    group.add_argument(
        "-cin",
        "--resamples",
        "--confidence-n",
        type=int,
        metavar="N",
        help=f"number of resamples (default: {RESAMPLES})",
    )
    described = "; ".join(f"{name} {text}" for name, text in SCHEMES.items())
    group.add_argument("--resampling", choices=tuple(SCHEMES), help=f"how to resample: {described} (default: {SCHEME})")
    group.add_argument("--seed", type=int, metavar="N", help=f"random seed of the resamples (default: {SEED})")
    group.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="system that all other systems are compared with (default: the first system of the input)",
    )


def chosen_resampling(arguments: argparse.Namespace, config: Mapping[str, Any], by_default: bool) -> Resampling | None:
    """Returns how to resample, or `None` for no confidence intervals.

    Args:
        arguments: The parsed flags; any of them turns intervals on.
        config: The configuration; flags override it.
        by_default: Whether to compute intervals if neither flags nor configuration decide.

    Raises:
        UsageError: if a flag has an invalid value, or contradicts ``--no-confidence`` or another flag.
    """
    given = {flag: getattr(arguments, flag) for flag in (*_RESAMPLING_FLAGS, "baseline")}
    if arguments.confidence or arguments.confidence_level:
        levels = [level for level in (arguments.confidence, arguments.confidence_level) if isinstance(level, float)]
        if len(set(levels)) > 1:
            raise UsageError(
                f"--confidence {levels[0]:g} and --confidence-level {levels[1]:g} are different levels; use only one"
            )
        given["confidence_level"] = levels[0] if levels else None
    given = {flag: value for flag, value in given.items() if value is not None}
    if arguments.no_confidence:
        for flag in ("confidence", *given) if arguments.confidence else given:
            flag = f"--{flag.replace('_', '-')}"
            raise UsageError(f"{flag} needs intervals, but --no-confidence turns them off; use only one of them")
        return None
    configured = _configured(config) if config else None
    if not (arguments.confidence or given or (by_default if configured is None else configured)):
        return None
    from metrics_framework.significance.resampling import Resampling

    given.pop("baseline", None)
    options = configured if isinstance(configured, dict) else {}
    try:
        return Resampling(**{**options, **{_RESAMPLING_FLAGS[flag]: value for flag, value in given.items()}})
    except InputError as error:
        origin = "--confidence, --resamples, --seed" if given else "'confidence' of the configuration"
        raise UsageError(f"{error} ({origin})") from None


def _configured(config: Mapping[str, Any]) -> bool | dict[str, Any] | None:
    """Returns whether a configuration turns intervals on, or their options; `None` if it does not decide.

    Raises:
        UsageError: if it turns intervals off and names a baseline, or the level is not a confidence level.
    """
    confidence = _with_fraction(config.get("confidence"))
    if "baseline" not in config:
        return True if confidence == {} else confidence
    if confidence is False:
        raise UsageError("'baseline' needs intervals, but 'confidence' of the configuration is false; use only one")
    return confidence or True


def _with_fraction(confidence: bool | float | dict[str, Any] | None) -> bool | dict[str, Any] | None:
    """Returns the value of ``confidence`` in a configuration; a level or options as arguments of `Resampling`."""
    if confidence is None or isinstance(confidence, bool):
        return confidence
    try:
        return resampling_arguments(confidence if isinstance(confidence, dict) else {"level": confidence})
    except InputError as error:
        raise UsageError(f"{error} ('confidence' of the configuration)") from None
