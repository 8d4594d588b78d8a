"""Paired significance tests of the difference between two systems: randomization and the bootstrap.

Source: Riezler and Maxwell (ACL 2005 workshop on evaluation measures) for both tests; Clark, Dyer, Lavie and Smith (ACL
2011) for their use with several scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import LongWork, long_work
from metrics_framework.significance.multiple_testing import ROUNDING
from metrics_framework.significance.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    Test,
    WeightedSums,
    all_swaps,
    bootstrap_weights,
    swap_weights,
    weighted_sums,
)
from metrics_framework.significance.score_vectors import check_meaning
from metrics_framework.significance.scored_inputs import (
    PairGroup,
    ScoredInputs,
    ScoredPart,
    SystemPair,
    common_inputs,
    grouped_pairs,
    scored_parts,
)

SCORE_ROUNDING = 1e-12
"""Differences are equal if they differ by at most this share of the scores: it can only come from rounding."""


class Comparison(NamedTuple):
    """The paired test of two systems.

    Attributes:
        p_values: Score name to the p-value, NaN if the score is undefined; a list of them for a list-valued score.
        inputs: The number of inputs for which both systems have outputs. A score is tested on these of them for which
            both systems have the score, and, if it is a list, all of its numbers.
        differences: Score name to the score of the second system minus that of the first, on the inputs of its test.
        trials: The number of trials or resamples of a test on all of ``inputs``.
        exact: Whether the trials represent all possible swaps, so that the p-value is exact and needs no seed.
        scored: Score name to the inputs of its test, for the scores that are tested on fewer than ``inputs``.
    """

    p_values: dict[str, float | list[float]]
    inputs: int
    differences: dict[str, float | list[float]]
    trials: int
    exact: bool = False
    scored: Mapping[str, ScoredInputs] = MappingProxyType({})


def paired_p_values(
    pairs: Sequence[SystemPair],
    test: Test = "randomization",
    resampling: Resampling = DEFAULT_RESAMPLING,
    clusters: Mapping[str, str] | None = None,
) -> list[Comparison]:
    """Tests whether two systems differ, two-sided, on the inputs for which both have outputs with a score.

    Each score is tested on its own inputs: those for which neither system has an undefined score.

    Let d be the difference of the two scores. ``randomization`` swaps the outputs of the two systems for each input
    with probability ½ and counts the trials whose difference e is at least as large: abs(e) ≥ abs(d). For up to 11
    inputs, or if there are no more different trials than ``resampling`` requests, it enumerates all 2ⁿ swaps of n
    inputs, and p is the proportion of them that count: at least 2 / 2ⁿ. Otherwise p = (count + 1) / (trials + 1). A
    trial in which the score is undefined counts, which makes the test conservative.

    ``bootstrap`` draws inputs with replacement and counts the resamples whose difference e is at least as far from the
    mean m of all e: abs(e − m) ≥ abs(d); p = (count + 1) / (trials + 1). This test is *anti-conservative* for few
    inputs: of two equal systems, it finds a difference at the 5 % level in 30 % of cases for 3 inputs and in 10 % for
    10, and needs some 100 inputs for 5 % (`benchmarks/coverage.py`). Use it only to compare with published results.

    ``paired-ar`` and ``paired-bs`` are the tests of sacreBLEU 2.6.0. ``paired-ar`` counts trials of the randomization
    with abs(e) > abs(d). ``paired-bs`` counts resamples with abs(e) − a > abs(d), where a is the mean of all abs(e).
    Unlike in sacreBLEU, where equal systems have the smallest p-value, p = 1 if d = 0.

    Args:
        pairs: Pairs of systems, each pair scored by one metric.
        test: The test.
        resampling: How to resample; the level is unused.
        clusters: Input to its cluster, if the inputs of a cluster are swapped or drawn together.

    Returns:
        For each pair the p-values, the numbers of common inputs, and the differences on them. Without a common input
        that both have a score for, they are NaN.

    Raises:
        InputError: if the test is unknown, or if two systems share no input or were scored by different metrics.
    """
    if test not in get_args(Test):
        raise InputError(f"'test' must be one of {', '.join(get_args(Test))}, got '{test}'")
    resampling = replace(resampling, test=test)
    for pair in pairs:
        check_meaning(pair)
    parts_of_pairs = [scored_parts(pair) for pair in pairs]
    tests = iter(_tested([part.pair for parts in parts_of_pairs for part in parts if part.pair], resampling, clusters))
    return [
        _joined(pair, [(part, next(tests) if part.pair else None) for part in parts], resampling, clusters)
        for pair, parts in zip(pairs, parts_of_pairs, strict=True)
    ]


def _tested(
    pairs: Sequence[SystemPair], resampling: Resampling, clusters: Mapping[str, str] | None
) -> list[Comparison]:
    """Tests pairs of systems on the inputs for which both have outputs."""
    counted = _bootstrapped if resampling.test in ("bootstrap", "paired-bs") else _randomized
    results: dict[int, Comparison] = {}
    what, trials = f"testing {len(pairs):,} differences of systems", resampling.number_of_trials
    with long_work(what, trials * len(pairs), "fewer trials take less", "drawn", "trials of differences") as work:
        for group in grouped_pairs(pairs, clusters):
            of_systems = [system.score() for system in group.systems]
            observed = [observed_of(of_systems[first], of_systems[second]) for first, second in group.pairs]
            counts = counted(group, observed, resampling, work)
            for index, inputs, scores, count in zip(group.indices, group.inputs, observed, counts, strict=True):
                results[index] = comparison_of(inputs, group.num_units, scores, count, resampling)
    return [results[index] for index in range(len(pairs))]


def _joined(
    pair: SystemPair,
    parts: Sequence[tuple[ScoredPart, Comparison | None]],
    resampling: Resampling,
    clusters: Mapping[str, str] | None,
) -> Comparison:
    """Joins the tests of the scores of a pair."""
    if len(parts) == 1 and parts[0][1] is not None and parts[0][0].is_whole:
        return parts[0][1]
    p_values: dict[str, float | list[float]] = {}
    differences: dict[str, float | list[float]] = {}
    scored: dict[str, ScoredInputs] = {}
    for part, test in parts:
        undefined = {name: math.nan if size is None else [math.nan] * size for name, size in part.shapes.items()}
        p_values |= undefined if test is None else test.p_values
        differences |= undefined if test is None else test.differences
        if not part.is_whole:
            tested = (
                ScoredInputs(0, 0, exact=False) if test is None else ScoredInputs(test.inputs, test.trials, test.exact)
            )
            scored |= dict.fromkeys(part.shapes, tested)
    inputs = common_inputs(pair)
    units = len(inputs) if clusters is None else len({clusters[name] for name in inputs})
    return Comparison(
        {name: p_values[name] for name in pair[0].shapes},
        len(inputs),
        {name: differences[name] for name in pair[0].shapes},
        resampling.trials_of(units),
        resampling.enumerates(units),
        scored,
    )


class Observed(NamedTuple):
    """The difference of a score, first minus second; shape () or (numbers,).

    Attributes:
        difference: The difference.
        rounding: How much rounding may change it.
    """

    difference: Floats
    rounding: Floats

    @property
    def distance(self) -> Floats:
        """The absolute difference, 0 if it can come from rounding."""
        import numpy as np

        distance = abs(self.difference)
        return np.where(distance <= self.rounding, 0.0, distance)


def observed_of(first: Mapping[str, Floats], second: Mapping[str, Floats]) -> dict[str, Observed]:
    """Returns the differences of the scores of two systems, shape (1,) or (1, numbers)."""
    return {
        name: Observed(values[0] - second[name][0], SCORE_ROUNDING * abs(values[0]).clip(abs(second[name][0])))
        for name, values in first.items()
    }


def comparison_of(
    inputs: int, units: int, observed: Mapping[str, Observed], counts: Mapping[str, Floats], resampling: Resampling
) -> Comparison:
    """Returns the comparison of two systems, given how many trials are as extreme as the observed differences."""
    trials, exact = resampling.trials_of(units), resampling.enumerates(units)
    p_values: dict[str, float | list[float]] = {}
    differences: dict[str, float | list[float]] = {}
    for name, score in observed.items():
        # The observed difference is one of all possible trials; random trials count it as one more.
        p = counts[name] / trials if exact else (counts[name] + 1) / (trials + 1)
        if resampling.test in ("paired-ar", "paired-bs"):
            p = p + (score.distance == 0) * (1.0 - p)
        p_values[name] = (p + 0 * score.distance).tolist()  # NaN if the difference is undefined
        differences[name] = (0.0 - score.difference).tolist()
    return Comparison(p_values, inputs, differences, trials, exact)


def _randomized(
    group: PairGroup, observed: Sequence[Mapping[str, Observed]], resampling: Resampling, work: LongWork
) -> list[dict[str, Floats]]:
    """Counts, for each pair, the trials whose difference is at least as large; larger for ``paired-ar``."""
    units = group.num_units
    sums = WeightedSums([system.vectors for system in group.systems])
    totals = [system.vectors.sum(axis=0) for system in group.systems]
    as_extreme = larger if resampling.test == "paired-ar" else as_large
    exact = resampling.enumerates(units)
    blocks = all_swaps(units, sums.width) if exact else swap_weights(units, resampling, sums.width)
    counts: list[dict[str, Any]] = [dict.fromkeys(scores, 0) for scores in observed]
    for weights in blocks:
        moved = sums.of(weights)
        kept = [total - swapped for total, swapped in zip(totals, moved, strict=True)]
        for (first, second), scores, count in zip(group.pairs, observed, counts, strict=True):
            one = group.systems[first].scores_of_swaps(kept[first] + moved[second])
            other = group.systems[second].scores_of_swaps(kept[second] + moved[first])
            for name, values in one.items():
                count[name] = count[name] + as_extreme(scores[name], abs(values - other[name]))
            work.advance(0 if exact else len(weights))
    work.advance(resampling.number_of_trials * len(group.pairs) if exact else 0)
    return counts


def _bootstrapped(
    group: PairGroup, observed: Sequence[Mapping[str, Observed]], resampling: Resampling, work: LongWork
) -> list[dict[str, Floats]]:
    """Counts, for each pair, the resamples whose difference is as far from the mean as the observed one from 0.

    For ``paired-bs``, it counts those whose absolute difference exceeds the mean of all by more than the observed one.
    """
    trials = resampling.number_of_trials
    weights = bootstrap_weights(group.num_units, resampling, trials)
    sums = weighted_sums(weights, [system.vectors for system in group.systems], trials)
    drawn = [system.scores_of(one) for system, one in zip(group.systems, sums, strict=True)]
    counts = []
    for (first, second), scores in zip(group.pairs, observed, strict=True):
        count = {}
        for name, values in drawn[first].items():
            differences = values - drawn[second][name]
            if resampling.test == "paired-bs":
                count[name] = larger(scores[name], centred(abs(differences)))
            else:
                count[name] = as_large(scores[name], abs(centred(differences)))
        counts.append(count)
        work.advance(trials)
    return counts


def centred(values: Floats) -> Floats:
    """Subtracts the mean over the resamples in which the score is defined."""
    import numpy as np

    defined = ~np.isnan(values)
    mean: Floats = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    return values - mean


def as_large(observed: Observed, distances: Floats) -> Floats:
    """Counts the trials at least as far from 0 as the observed difference, or undefined."""
    least = observed.distance * (1 - ROUNDING) - observed.rounding
    count: Floats = (~(distances < least)).sum(axis=0)
    return count


def larger(observed: Observed, distances: Floats) -> Floats:
    """Counts the trials that are larger than the observed difference by more than rounding."""
    count: Floats = (distances > observed.distance * (1 + ROUNDING) + observed.rounding).sum(axis=0)
    return count
