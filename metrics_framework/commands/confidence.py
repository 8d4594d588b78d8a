"""The flags of ``evaluate`` that ask for intervals."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from metrics_framework.commands.arguments import Parser
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.significance.resampling import LEVEL, RESAMPLES, SEED, Resampling

CONFIGURATION = ("confidence", "baseline")
"""The keys of a configuration that say the same as the flags."""
FLAGS = {"confidence_level": "level", "resamples": "resamples", "seed": "seed"}


def add_confidence(parser: Parser) -> None:
    """Adds the flags."""
    group = parser.add_argument_group("intervals")
    group.add_argument(
        "--confidence",
        action="store_true",
        default=None,
        help="bootstrap intervals of all scores, and tests of the differences between systems; a profile has them "
        "unless --no-confidence is given",
    )
    group.add_argument("--no-confidence", action="store_false", dest="confidence", help=argparse.SUPPRESS)
    group.add_argument(
        "--confidence-level", type=float, metavar="SHARE", help=f"the level of the intervals (default: {LEVEL})"
    )
    group.add_argument("--resamples", type=int, metavar="N", help=f"how many resamples to draw (default: {RESAMPLES})")
    group.add_argument("--seed", type=int, metavar="N", help=f"the seed of the resamples (default: {SEED})")
    group.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="what the other systems are compared with (default: the first of the input)",
    )


def chosen_baseline(arguments: argparse.Namespace, config: Mapping[str, Any]) -> str | None:
    """Returns the name of the system that the others are compared with, `None` for the first of the input."""
    name: str | None = arguments.baseline or config.get("baseline")
    return name


def chosen_resampling(arguments: argparse.Namespace, config: Mapping[str, Any], by_default: bool) -> Resampling | None:
    """Returns how to resample, `None` for no intervals.

    Args:
        arguments: The flags that were given; one that says how to resample asks for intervals too.
        config: The configuration, where what is not said by flags may stand.
        by_default: Whether there are intervals unless they are refused.

    Raises:
        UsageError: if a flag has a value that makes no sense, or asks for intervals that are refused.
    """
    given = {option: getattr(arguments, flag) for flag, option in FLAGS.items() if getattr(arguments, flag) is not None}
    asking = [f"--{flag.replace('_', '-')}" for flag in (*FLAGS, "baseline") if getattr(arguments, flag) is not None]
    if arguments.confidence is False:
        if asking:
            raise UsageError(f"{asking[0]} is about intervals, which --no-confidence refuses; leave one of them out")
        return None
    configured = _configured(config)
    if not (arguments.confidence or asking or (by_default if configured is None else configured)):
        return None
    options = configured if isinstance(configured, dict) else {}
    try:
        return Resampling(**{**options, **given})
    except InputError as error:
        flags = "--confidence-level, --resamples, --seed"
        raise UsageError(f"{error} ({flags if given else 'the configuration, confidence'})") from None


def _configured(config: Mapping[str, Any]) -> bool | dict[str, Any] | None:
    """Returns what a configuration says of intervals: whether there are any, or how they are made; `None` for nothing.

    Raises:
        UsageError: if it refuses intervals and names a system to compare with.
    """
    said: bool | dict[str, Any] | None = config.get("confidence")
    if "baseline" not in config:
        return said if said != {} else True
    if said is False:
        raise UsageError(
            "'baseline' is about intervals, which 'confidence' of the configuration refuses; leave one out"
        )
    return said or True
