"""The flags of ``evaluate`` that ask for intervals."""

from __future__ import annotations

import argparse

from metrics_framework.commands.arguments import Parser
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.evaluation.resampling import LEVEL, RESAMPLES, SEED, Resampling

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


def chosen_resampling(arguments: argparse.Namespace, by_default: bool) -> Resampling | None:
    """Returns how to resample, `None` for no intervals.

    Args:
        arguments: The flags that were given; one that says how to resample asks for intervals too.
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
    if not (arguments.confidence or asking or by_default):
        return None
    try:
        return Resampling(**given)
    except InputError as error:
        raise UsageError(f"{error} (--confidence-level, --resamples, --seed)") from None
