"""What may make confidence intervals misleading, as messages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.significance.clusters import Clusters

ENOUGH_SYSTEMS = 40
"""With fewer systems, percentiles of resampled systems are clearly too short (`benchmarks/correlation_coverage.py`)."""

ENOUGH_RANKED_SYSTEMS = 10
"""With fewer systems, resamples of a coefficient of ranks of systems take few distinct values."""

ENOUGH_INPUTS = 20
"""With fewer inputs, percentiles of resampled inputs are clearly too short (`benchmarks/coverage.py`)."""

RANKED = "fisher-shrunken"
"""The default interval of coefficients of ranks and pairs of systems."""


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
    scores: Floats, level: Level, methods: Mapping[str, str], clusters: Sequence[Hashable] | None = None
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
    unit, chosen, messages = "input" if clusters is None else "cluster", {*methods.values()}, []
    if "fisher" in chosen and level == "global":
        messages.append(
            "at the global level, Fisher intervals assume independent outputs and are far too short if outputs of a "
            "system or for an input are alike; use jackknife-systems"
        )
    elif "fisher" in chosen and level != "system":
        ignored = "inputs" if level == "input" else "systems"
        messages.append(
            f"at the {level} level, Fisher intervals ignore the number of {ignored} and are far too long; "
            "use jackknife-systems"
        )
    messages += [*_few_systems(level, methods, systems), *_jackknife_of_ranks(level, methods, systems)]
    # Percentiles of few inputs cover at the system level only.
    if level != "system" and chosen & {"bootstrap-inputs", "bootstrap-both", "bca-inputs"} and units < ENOUGH_INPUTS:
        messages.append(
            f"the bootstrap resamples only {counted(units, unit)}; with fewer than {ENOUGH_INPUTS}, its intervals are "
            "too short: use jackknife-inputs"
        )
    return messages


def _few_systems(level: Level, methods: Mapping[str, str], systems: int) -> list[str]:
    """Warns of bootstraps of few systems where they cover too little, and names the default, which covers.

    Measured, bootstraps over both systems and inputs cover at all levels but ``input``.
    """
    drawn = {"bootstrap-systems", "bca-systems", *(["bootstrap-both"] if level == "input" else [])}
    names: dict[tuple[int, str], list[str]] = {}
    for name, method in methods.items():
        better = load_coefficient(name).default_interval(level)
        enough = ENOUGH_RANKED_SYSTEMS if better == RANKED else ENOUGH_SYSTEMS
        if method in drawn and method != better and systems < enough:
            names.setdefault((enough, better), []).append(name)
    return [
        f"the bootstrap resamples only {counted(systems, 'system')}; with fewer than {enough}, its intervals"
        f"{' of ' + ', '.join(of) if len(names) > 1 else ''} are too short at the {level} level: use {better}"
        for (enough, better), of in names.items()
    ]


def _jackknife_of_ranks(level: Level, methods: Mapping[str, str], systems: int) -> list[str]:
    """Warns of jackknives that seldom change the order of systems: those over inputs, and over few systems."""
    ranked = {method for name, method in methods.items() if load_coefficient(name).default_interval(level) == RANKED}
    messages = []
    if "jackknife-systems" in ranked and systems < ENOUGH_RANKED_SYSTEMS:
        messages.append(
            f"the jackknife leaves out one of only {counted(systems, 'system')}; with fewer than "
            f"{ENOUGH_RANKED_SYSTEMS}, its intervals of coefficients of ranks are too short: use {RANKED}"
        )
    if "jackknife-inputs" in ranked:
        messages.append(
            "at the system level, jackknife intervals over inputs are far too short for coefficients of ranks, because "
            "a single input seldom changes the order of systems; use bootstrap-inputs"
        )
    return messages


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
