"""What the flags of ``fw correlate`` ask for, as arguments of `metrics_framework.correlate`."""

from __future__ import annotations

import argparse
import json
from typing import Any

from metrics_framework.commands.confidence_arguments import chosen_level
from metrics_framework.common.errors import UsageError
from metrics_framework.io.locations import exists
from metrics_framework.io.streams import STANDARD
from metrics_framework.meta_evaluation.correlation.settings import DEFAULT_LEVELS, NONE, IntervalSettings


def check(arguments: argparse.Namespace) -> None:
    """Checks flags against each other, before files are opened.

    Raises:
        UsageError: if flags contradict each other.
    """
    _refuse_scores_without_flag(arguments)
    pairs_of(arguments)
    options_of(arguments)
    if arguments.power and arguments.test in (None, NONE):
        raise UsageError("--power needs comparisons of metrics; add --test")


def _refuse_scores_without_flag(arguments: argparse.Namespace) -> None:
    """Rejects a name after the first value of ``--metric`` or ``--human``, which would be read as a file.

    Raises:
        UsageError: if there is such a name.
    """
    for word in arguments.files:
        has_names = arguments.metric or arguments.human
        if has_names and "." not in word and word != STANDARD and not exists(word):
            raise UsageError(
                f"'{word}' is not a file; to correlate several scores, repeat --metric and --human for each"
            )


def pairs_of(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Returns the pairs of scores to correlate.

    Raises:
        UsageError: if there are no pairs, or flags contradict each other.
    """
    if arguments.metrics is not None:
        if arguments.metric or arguments.human:
            raise UsageError("use either --metrics A B, or --metric A with --human H")
        pairs = list(dict.fromkeys(zip(arguments.metrics[::2], arguments.metrics[1::2], strict=True)))
        for metric1, metric2 in pairs:
            if metric1 == metric2:
                raise UsageError(f"--metrics needs two different metrics, got '{metric1}' twice")
        return pairs
    if not arguments.metric or not arguments.human:
        raise UsageError("nothing to correlate; use --metrics A B, or --metric A [--metric B …] with --human H")
    humans, metrics = dict.fromkeys(arguments.human), dict.fromkeys(arguments.metric)
    return [(metric, human) for human in humans for metric in metrics]


_PASSED: tuple[str, ...] = (
    *("summarizer_type", "duplicates", "ci", "resamples", "seed", "min_group", "test", "correct", "alpha"),
    *("epsilon", "epsilon_from", "threshold", "stream", "sentinels", "slices", "cluster", "rater_column", "aggregate"),
    *("partial", "humans_as_metrics", "texts", "power", "data_sets", "preset"),
)
"""Flags that are arguments of `metrics_framework.correlate` of the same name."""


def options_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns the options of `metrics_framework.correlate`.

    Raises:
        UsageError: if flags contradict each other.
    """
    options: dict[str, Any] = {name: getattr(arguments, name) for name in _PASSED}
    if arguments.coefficient:
        options["coefficients"] = [name for names in arguments.coefficient for name in names]
    options["levels"] = _levels(arguments)
    options["resamples"] = _resamples(arguments)
    options["confidence"] = _confidence(arguments)
    options["two_tailed"] = _two_tailed(arguments)
    return options


def _levels(arguments: argparse.Namespace) -> list[str]:
    chosen = [name for names in arguments.level or [DEFAULT_LEVELS] for name in names]
    levels = [level for level in chosen if not getattr(arguments, f"skip_{level}", False)]
    if not levels:
        raise UsageError("all levels are skipped; leave out one of the --skip flags")
    return levels


def _confidence(arguments: argparse.Namespace) -> float:
    """Returns the confidence level of the intervals.

    Raises:
        UsageError: if a level is given without intervals.
    """
    if arguments.ci == NONE and (arguments.confidence or arguments.confidence_level):
        raise UsageError("--confidence needs intervals, but --ci none turns them off; use only one of them")
    return chosen_level(arguments) or IntervalSettings.confidence


def _resamples(arguments: argparse.Namespace) -> int:
    """Returns the number of resamples, which ``--confidence-interval-kwargs`` may set.

    Raises:
        UsageError: if the flag sets something else.
    """
    if arguments.confidence_interval_kwargs is None:
        return int(arguments.resamples)
    try:
        options = json.loads(arguments.confidence_interval_kwargs)
    except ValueError:
        options = None
    number = options.get("num_samples") if isinstance(options, dict) and options.keys() <= {"num_samples"} else None
    if options == {}:
        return int(arguments.resamples)
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise UsageError(
            "--confidence-interval-kwargs must be '{\"num_samples\": N}' with an integer N, 1 or more, "
            f"got '{arguments.confidence_interval_kwargs}'"
        )
    return number


def _two_tailed(arguments: argparse.Namespace) -> bool:
    if arguments.one_tailed and arguments.num_tails == 2:
        raise UsageError("--one-tailed and --num-tails 2 contradict each other; use only one of them")
    return not (arguments.one_tailed or arguments.num_tails == 1)
