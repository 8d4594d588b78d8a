"""What may make confidence intervals misleading, as messages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.intervals.defaults import default_method
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.clusters import Clusters

ENOUGH_SYSTEMS = 40
"""With fewer systems, percentiles of resampled systems are clearly too short (`benchmarks/correlation_coverage.py`)."""

ROUGH_SYSTEMS = 10
"""With fewer systems, percentiles of resampled systems take few distinct values."""

ENOUGH_INPUTS = 20
"""With fewer inputs, percentiles of resampled inputs are clearly too short (`benchmarks/coverage.py`)."""


@dataclass(frozen=True)
class InputOverlap:
    """How many inputs pairs of systems share, as fractions of the inputs that at least one of the two has.

    Args:
        mean: The mean over pairs of systems.
        least: The least of all pairs.
    """

    mean: float
    least: float


def input_overlap(scores: Floats) -> InputOverlap | None:
    """Measures how many inputs systems share; `None` with fewer than two systems.

    Args:
        scores: Shape (systems, inputs); NaN where missing. Systems without scores are left out.

    >>> input_overlap(np.array([[1.0, 2.0, np.nan], [np.nan, 2.0, 3.0]]))
    InputOverlap(mean=0.3333333333333333, least=0.3333333333333333)
    """
    present = (~np.isnan(scores)).astype(np.float64)
    present = present[present.any(axis=1)]
    if len(present) < 2:
        return None
    shared, sizes = present @ present.T, present.sum(axis=1)
    overlap = shared / (sizes[:, None] + sizes - shared)
    pairs = len(present) * (len(present) - 1)
    np.fill_diagonal(overlap, 0)
    mean = float(overlap.sum() / pairs)
    np.fill_diagonal(overlap, np.inf)
    return InputOverlap(mean, float(overlap.min()))


def interval_warnings(
    scores: Floats, level: str, methods: Mapping[str, str], clusters: Sequence[Hashable] | None = None
) -> list[str]:
    """Returns what may make the intervals of one level misleading; each message once.

    Args:
        scores: Shape (systems, inputs); NaN where missing.
        level: A name of `LEVELS`.
        methods: Coefficient to the method used for it at this level, a name of `INTERVAL_METHODS`.
        clusters: The cluster of each input.

    >>> interval_warnings(np.ones((12, 50)), "input", {"pearson": "fisher"})
    ['at the input level, Fisher intervals ignore the number of inputs and are far too long; use jackknife-systems']
    """
    present = ~np.isnan(scores)
    systems = int(present.any(axis=1).sum())
    kept: list[int] = np.flatnonzero(present.any(axis=0)).tolist()
    labels = None if clusters is None else [clusters[index] for index in kept]
    units = Clusters.of(labels, len(kept)).count
    used = {*methods.values()}
    messages = [*_fisher(level, used), *_few_systems(level, methods, systems)]
    if {"bootstrap-inputs", "bootstrap-both", "bca-inputs"} & used and units < ENOUGH_INPUTS:
        unit = "input" if clusters is None else "cluster"
        messages.append(
            f"the bootstrap resamples only {counted(units, unit)}; with fewer than {ENOUGH_INPUTS}, "
            "its intervals are too short: use jackknife-inputs"
        )
    return messages


def _fisher(level: str, methods: Set[str]) -> list[str]:
    if "fisher" not in methods or level == "system":
        return []
    if level == "global":
        return [
            "at the global level, Fisher intervals assume independent outputs and are far too short if outputs of a "
            "system or for an input are alike; use jackknife-systems"
        ]
    ignored = "inputs" if level == "input" else "systems"
    return [
        f"at the {level} level, Fisher intervals ignore the number of {ignored} and are far too long; "
        "use jackknife-systems"
    ]


def _few_systems(level: str, methods: Mapping[str, str], systems: int) -> list[str]:
    """Warns of percentiles of few systems where they cover too little.

    Measured, they cover at the system level for coefficients of ranks and pairs, and over both at all levels but
    ``input``.
    """
    warned = {"bootstrap-systems", "bca-systems", *(["bootstrap-both"] if level == "input" else [])}
    drawn = [name for name, method in methods.items() if method in warned]
    short = [name for name in drawn if not _covers(level, name)]
    if drawn and not short and systems < ROUGH_SYSTEMS:
        return [
            f"the bootstrap resamples only {counted(systems, 'system')}; with fewer than {ROUGH_SYSTEMS}, "
            f"intervals at the {level} level are rough"
        ]
    if not short or systems >= ENOUGH_SYSTEMS:
        return []
    better = "fisher" if level == "system" and short == ["pearson"] else "jackknife-systems"
    return [
        f"the bootstrap resamples only {counted(systems, 'system')}; with fewer than {ENOUGH_SYSTEMS}, its intervals "
        f"are too short at the {level} level: use {better}"
    ]


def _covers(level: str, name: str) -> bool:
    """Returns whether percentiles over few systems cover: where they are the default."""
    return default_method(level, name) == "bootstrap-systems"


def overlap_warning(scores: Floats) -> list[str]:
    """Warns if the means of systems are over different inputs, with how many inputs two systems share.

    >>> overlap_warning(np.array([[1.0, 2.0, np.nan], [np.nan, 2.0, 3.0]]))
    ['system means are over different inputs: two systems share 33 % of their inputs on average, at least 33 %']
    """
    overlap = input_overlap(scores)
    if overlap is None or overlap.least == 1:
        return []
    return [
        f"system means are over different inputs: two systems share {100 * overlap.mean:.0f} % of their inputs on "
        f"average, at least {100 * overlap.least:.0f} %"
    ]
