"""Flags and configuration keys for confidence intervals and significance tests."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from metrics_framework.commands.arguments import Parser
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.significance.resampling import LEVEL, RESAMPLES, SEED, Resampling

CONFIDENCE_KEYS = ("confidence", "baseline")
"""The corresponding keys of a configuration."""
_RESAMPLING_FLAGS = {"confidence_level": "level", "resamples": "resamples", "seed": "seed"}


def add_confidence_arguments(parser: Parser, default: str) -> None:
    """Adds the flags.

    Args:
        parser: The parser.
        default: The default for the help text.
    """
    group = parser.add_argument_group("confidence intervals and significance tests")
    group.add_argument(
        "--confidence",
        action="store_true",
        default=None,
        help="add bootstrap confidence intervals to all scores, and significance tests against the baseline "
        f"(default: {default})",
    )
    group.add_argument(
        "--no-confidence", action="store_false", dest="confidence", help="compute neither intervals nor tests"
    )
    group.add_argument(
        "--confidence-level",
        type=float,
        metavar="LEVEL",
        help=f"confidence level of the intervals, between 0 and 1 (default: {LEVEL})",
    )
    group.add_argument("--resamples", type=int, metavar="N", help=f"number of resamples (default: {RESAMPLES})")
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
        UsageError: if a flag has an invalid value, or contradicts ``--no-confidence``.
    """
    given = {flag: getattr(arguments, flag) for flag in (*_RESAMPLING_FLAGS, "baseline")}
    given = {flag: value for flag, value in given.items() if value is not None}
    if arguments.confidence is False:
        for flag in given:
            flag = f"--{flag.replace('_', '-')}"
            raise UsageError(f"{flag} needs intervals, but --no-confidence turns them off; use only one of them")
        return None
    configured = _configured(config) if config else None
    if not (arguments.confidence or given or (by_default if configured is None else configured)):
        return None
    given.pop("baseline", None)
    options = configured if isinstance(configured, dict) else {}
    try:
        return Resampling(**{**options, **{_RESAMPLING_FLAGS[flag]: value for flag, value in given.items()}})
    except InputError as error:
        origin = "--confidence-level, --resamples, --seed" if given else "'confidence' of the configuration"
        raise UsageError(f"{error} ({origin})") from None


def _configured(config: Mapping[str, Any]) -> bool | dict[str, Any] | None:
    """Returns whether a configuration turns intervals on, or their options; `None` if it does not decide.

    Raises:
        UsageError: if it turns intervals off and names a baseline.
    """
    confidence: bool | dict[str, Any] | None = config.get("confidence")
    if "baseline" not in config:
        return True if confidence == {} else confidence
    if confidence is False:
        raise UsageError("'baseline' needs intervals, but 'confidence' of the configuration is false; use only one")
    return confidence or True
