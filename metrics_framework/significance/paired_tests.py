"""Paired significance tests of the difference between two systems: randomization and the bootstrap.

A metric may have no score for an output, such as a language model that refuses to judge it, and the scores of a metric
may be undefined for different outputs. So each score is tested on the inputs for which both systems have it (decision
0070).

Source: Riezler and Maxwell (ACL 2005 workshop on evaluation measures) for both tests; Clark, Dyer, Lavie and Smith (ACL
2011) for their use with several scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import LongWork, long_work
from metrics_framework.significance.clusters import bootstrap_weights
from metrics_framework.significance.compared_systems import ResampledSystems
from metrics_framework.significance.resampling import (
    DEFAULT_RESAMPLING,
    METHOD,
    Resampling,
    Test,
    all_swaps,
    sums_of_blocks,
    swap_weights,
    weighted_sums,
)
from metrics_framework.significance.score_vectors import ScoreVectors, check_meaning

SystemPair: TypeAlias = "tuple[ScoreVectors, ScoreVectors]"
NUMBERS_AT_ONCE = 1 << 15
"""How many sums of trials are computed together: they fit in the cache of a CPU."""


class ScoredInputs(NamedTuple):
    """The inputs of a test.

    Attributes:
        inputs: The number of inputs for which both systems have the score.
        trials: The number of trials or resamples; 0 without inputs.
        exact: Whether the trials represent all possible swaps, so that the p-value is exact and needs no seed.
    """

    inputs: int
    trials: int
    exact: bool


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
    with probability ½ and counts the trials whose difference e is at least as large: abs(e) ≥ abs(d). For up to 14
    inputs, or if there are no more different trials than ``resampling`` requests, it enumerates all 2ⁿ swaps of n
    inputs, and p is the proportion of them that count: at least 2 / 2ⁿ. Otherwise p = (count + 1) / (trials + 1). A
    trial in which the score is undefined counts, which makes the test conservative.

    ``bootstrap`` draws inputs with replacement and counts the resamples whose difference e is at least as far from the
    mean m of all e: abs(e − m) ≥ abs(d); p = (count + 1) / (trials + 1). This test is *anti-conservative* for few
    inputs: of two equal systems, it finds a difference at the 5 % level in 30 % of cases for 3 inputs and in 10 % for
    10, and needs some 100 inputs for 5 % (`benchmarks/coverage.py`). Use it only to compare with published results.

    ``bootstrap-t`` divides both by their standard errors s: abs(e − d) / s* ≥ abs(d) / s, so that it needs few inputs
    only, and does not assume that the outputs of two systems are exchangeable. A resample without a standard error
    counts.

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
    divided = [part.pair for parts in parts_of_pairs for part in parts if part.pair]
    counted = _bootstrapped if test in ("bootstrap", "bootstrap-t", "paired-bs") else _randomized
    results: dict[int, Comparison] = {}
    what, trials = f"testing {len(divided):,} differences of systems", resampling.number_of_trials
    with long_work(what, trials * len(divided), "fewer trials take less", "drawn", "trials of differences") as work:
        for group in grouped_pairs(divided, clusters):
            of_systems = [
                (scores, system.score(), system.rounding())
                for scores, system in zip(group.scores, group.systems, strict=True)
            ]
            observed = [observed_of(of_systems[first], of_systems[second]) for first, second in group.pairs]
            counts = counted(group, observed, resampling, work)
            for index, inputs, scores, count in zip(group.indices, group.inputs, observed, counts, strict=True):
                results[index] = comparison_of(inputs, group.num_units, scores, count, resampling)
    tests = (results[index] for index in range(len(divided)))
    return [
        next(tests)
        if len(parts) == 1 and parts[0].pair and parts[0].is_whole
        else _joined(pair, [(part, next(tests) if part.pair else None) for part in parts], resampling, clusters)
        for pair, parts in zip(pairs, parts_of_pairs, strict=True)
    ]


def _joined(
    pair: SystemPair,
    parts: Sequence[tuple[ScoredPart, Comparison | None]],
    resampling: Resampling,
    clusters: Mapping[str, str] | None,
) -> Comparison:
    """Joins the tests of the scores of a pair that are tested on different inputs."""
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


class ScoredPart(NamedTuple):
    """Some scores of a pair of systems, on the inputs for which both systems have all of them.

    Attributes:
        pair: The systems; `None` without any such input.
        shapes: The flat name of each score to the number of its numbers, `None` if it is not a list.
        is_whole: Whether these are all inputs for which both systems have outputs.
    """

    pair: SystemPair | None
    shapes: Mapping[str, int | None]
    is_whole: bool


def scored_parts(pair: SystemPair) -> list[ScoredPart]:
    """Divides a pair into groups of scores that both systems have for the same inputs.

    Scores that are computed from summed statistics, and scores that are defined for all outputs, are not divided.

    Args:
        pair: The systems, scored by the same metric.

    Returns:
        The parts. A pair without undefined scores is one part, and the objects of the pair.
    """
    masks = [{name: system.has_score(name) for name in system.shapes} for system in pair]
    are_scored = all(mask.all() for masks_of_system in masks for mask in masks_of_system.values())
    if are_scored or not (inputs := common_inputs(pair)):
        return [ScoredPart(pair, {}, is_whole=True)]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in pair[0].shapes:
        scored = (compress(system.inputs, masks_of[name]) for system, masks_of in zip(pair, masks, strict=True))
        both = set.intersection(*map(set, scored))
        groups.setdefault(tuple(one for one in inputs if one in both), []).append(name)
    return [_part(pair, names, kept, len(kept) == len(inputs)) for kept, names in groups.items()]


def common_inputs(pair: SystemPair) -> list[str]:
    """Returns the inputs for which both systems have outputs, in the order of the first."""
    known = set(pair[1].inputs)
    return [name for name in pair[0].inputs if name in known]


def _part(pair: SystemPair, names: Sequence[str], inputs: Sequence[str], is_whole: bool) -> ScoredPart:
    shapes = {name: math.prod(shape) if shape else None for name, shape in pair[0].shapes.items() if name in names}
    first, second = pair
    restricted = (first.only_means(names, inputs), second.only_means(names, inputs)) if inputs else None
    return ScoredPart(restricted, shapes, is_whole)


@dataclass
class PairGroup:
    """Pairs of systems that are compared on equally many inputs or clusters.

    Attributes:
        num_units: The number of inputs or clusters of inputs that are drawn or swapped.
        systems: The outputs of each system for the common inputs of a pair, with one vector per unit; see
            `ScoreVectors.relative`.
        scores: The scores of each system for these inputs, which are not relative.
        pairs: The indices of the two systems of each pair in ``systems``.
        inputs: The number of common inputs of each pair.
        indices: The index of each pair in the list that was grouped.
    """

    num_units: int
    systems: list[ScoreVectors] = field(default_factory=list)
    scores: list[Mapping[str, Floats]] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)


def grouped_pairs(pairs: Sequence[SystemPair], clusters: Mapping[str, str] | None = None) -> list[PairGroup]:
    """Groups pairs of systems by the number of their common inputs, or of the clusters of these.

    Args:
        pairs: The pairs; both systems of a pair are scored by the same metric.
        clusters: Input to its cluster; `None` for no clusters.

    Raises:
        InputError: if two systems share no input.
    """
    lists: dict[tuple[str, ...], tuple[str, ...]] = {}  # equal lists of inputs are one object, so that its id is a key
    inputs_of: dict[int, tuple[str, ...]] = {}
    common: dict[tuple[int, int], tuple[str, ...]] = {}
    together: dict[tuple[int, tuple[str, ...]], dict[int, ScoreVectors]] = {}
    keys = []
    for pair in pairs:
        for system in pair:
            if id(system) not in inputs_of:
                names = tuple(system.inputs)
                inputs_of[id(system)] = lists.setdefault(names, names)
        one, other = (inputs_of[id(system)] for system in pair)
        if (id(one), id(other)) not in common:
            names = one if one is other else tuple(common_inputs(pair))
            if not names:
                raise InputError("cannot compare two systems that share no input: a paired test needs outputs of both")
            common[id(one), id(other)] = lists.setdefault(names, names)
        inputs = common[id(one), id(other)]
        keys.append((id(inputs), tuple(pair[0].meaning)))
        members = together.setdefault(keys[-1], {})
        for system in pair:
            if id(system) not in members:
                members[id(system)] = system if len(system.inputs) == len(inputs) else system.only(inputs)
    groups: dict[int, PairGroup] = {}
    placed: dict[tuple[int, tuple[str, ...]], tuple[PairGroup, int, dict[int, int]]] = {}
    for key, systems in together.items():
        units = [one.clustered(clusters) for one in ScoreVectors.relative([*systems.values()])]
        group = groups.setdefault(len(units[0].inputs), PairGroup(len(units[0].inputs)))
        indices = range(len(group.systems), len(group.systems) + len(units))
        placed[key] = group, len(next(iter(systems.values())).inputs), dict(zip(systems, indices, strict=True))
        group.systems += units
        group.scores += [one.score() for one in systems.values()]
    for index, (key, (first, second)) in enumerate(zip(keys, pairs, strict=True)):
        group, num_inputs, index_of = placed[key]
        group.pairs.append((index_of[id(first)], index_of[id(second)]))
        group.inputs.append(num_inputs)
        group.indices.append(index)
    return list(groups.values())


class Observed(NamedTuple):
    """The difference of a score, first minus second; shape () or (numbers,).

    Attributes:
        difference: The difference.
        rounding: How much rounding may change it.
        distance: The absolute difference, 0 if it can come from rounding.
    """

    difference: Floats
    rounding: Floats
    distance: Floats


def observed_of(
    *systems: tuple[Mapping[str, Floats], Mapping[str, Floats], Mapping[str, Floats]],
) -> dict[str, Observed]:
    """Returns the differences of the scores of two systems, shape (1,) or (1, numbers).

    Args:
        systems: For each its scores, these or relative ones, and how much rounding may change the latter.
    """
    import numpy as np

    (first, one, of_one), (second, other, of_other) = systems
    observed = {}
    for name, (score,) in first.items():
        distance, rounding = abs(one[name][0] - other[name][0]), of_one[name][0] + of_other[name][0]
        distance = np.where(distance <= rounding, 0.0, distance)
        observed[name] = Observed(score - second[name][0], rounding, distance)
    return observed


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
    import numpy as np

    units, vectors = group.num_units, [system.vectors for system in group.systems]
    width = sum(one.shape[1] for one in vectors)
    as_extreme = larger if resampling.test == "paired-ar" else as_large
    exact = resampling.enumerates(units)
    blocks = all_swaps(units, width) if exact else swap_weights(units, resampling, width)
    counts: list[dict[str, Any]] = [dict.fromkeys(scores, 0) for scores in observed]
    kinds: dict[tuple[str, ...], list[int]] = {}  # pairs with the same scores are computed together
    for number, (first, _) in enumerate(group.pairs):
        kinds.setdefault((*group.systems[first].meaning, *observed[number]), []).append(number)
    totals = [one.sum(axis=0) for one in vectors]
    for moved in sums_of_blocks(blocks, vectors):
        kept, trials = [total - swapped for total, swapped in zip(totals, moved, strict=True)], len(moved[0])
        for numbers in kinds.values():
            system = group.pairs[numbers[0]][0]
            scores_of, columns = group.systems[system].scores_of_swaps, vectors[system].shape[1]
            size = max(1, NUMBERS_AT_ONCE // (trials * columns))
            for some in (numbers[start : start + size] for start in range(0, len(numbers), size)):
                pairs = [group.pairs[number] for number in some]
                sums = np.stack([kept[first].T + moved[second].T for first, second in pairs], axis=1)
                both = np.stack([totals[first] + totals[second] for first, second in pairs], axis=1)
                others = both[:, :, None] - sums  # column by column in memory
                one, other = (scores_of(each.reshape(columns, -1).T) for each in (sums, others))
                for name in observed[some[0]]:
                    distances = abs(one[name] - other[name]).reshape(len(some), trials, *one[name].shape[1:])
                    for number, of_pair in zip(some, distances, strict=True):
                        counts[number][name] = counts[number][name] + as_extreme(observed[number][name], of_pair)
                work.advance(0 if exact else trials * len(some))
    work.advance(resampling.number_of_trials * len(group.pairs) if exact else 0)
    return counts


def _bootstrapped(
    group: PairGroup, observed: Sequence[Mapping[str, Observed]], resampling: Resampling, work: LongWork
) -> list[dict[str, Floats]]:
    """Counts, for each pair, the resamples whose difference is as far from the mean as the observed one from 0.

    For ``paired-bs``, it counts those whose absolute difference exceeds the mean of all by more than the observed one.
    """
    trials = resampling.number_of_trials
    if resampling.test == "bootstrap-t":
        drawn_t = ResampledSystems(
            group.systems, replace(resampling, resamples=max(trials, 4), level=0.5, method=METHOD)
        )
        found = drawn_t.studentized_distances(group.pairs)
        work.advance(trials * len(group.pairs))
        return [
            {name: as_large(score, found[index][name][:trials]) for name, score in scores.items()}
            for index, scores in enumerate(observed)
        ]
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
    import numpy as np

    less = distances < observed.distance - 2 * observed.rounding
    count: Floats = len(distances) - np.count_nonzero(less, axis=0 if less.ndim > 1 else None)  # an axis takes longer
    return count


def larger(observed: Observed, distances: Floats) -> Floats:
    """Counts the trials that are larger than the observed difference by more than rounding."""
    count: Floats = (distances > observed.distance + 2 * observed.rounding).sum(axis=0)
    return count
