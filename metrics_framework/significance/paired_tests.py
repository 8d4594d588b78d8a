"""Paired significance tests of the difference between two systems: randomization and the bootstrap.

Source: Riezler and Maxwell (ACL 2005 workshop on evaluation measures) for both tests; Clark, Dyer, Lavie and Smith (ACL
2011) for their use with several scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias, get_args

from metrics_framework.common.errors import InputError
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.multiple_testing import ROUNDING
from metrics_framework.significance.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    Test,
    all_swaps,
    bootstrap_weights,
    grouped_by_size,
    per_number,
    swap_weights,
    weighted_sums,
)
from metrics_framework.significance.score_vectors import ScoreVectors, check_meaning

SystemPair: TypeAlias = "tuple[ScoreVectors, ScoreVectors]"


class Comparison(NamedTuple):
    """The paired test of two systems.

    Attributes:
        p_values: Score name to the p-value, NaN if the score is undefined; a list of them for a list-valued score.
        inputs: The number of inputs for which both systems have outputs; the test is on these.
        differences: Score name to the score of the second system minus that of the first, on these inputs.
        trials: The number of trials or resamples.
        exact: Whether the trials represent all possible swaps, so that the p-value is exact and needs no seed.
    """

    p_values: dict[str, float | list[float]]
    inputs: int
    differences: dict[str, float | list[float]]
    trials: int
    exact: bool = False


def paired_p_values(
    pairs: Sequence[SystemPair], test: Test = "randomization", resampling: Resampling = DEFAULT_RESAMPLING
) -> list[Comparison]:
    """Tests whether two systems differ, two-sided, on the inputs for which both have outputs.

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

    Returns:
        For each pair the p-values, the number of common inputs, and the differences on them.

    Raises:
        InputError: if the test is unknown, or if two systems share no input or were scored by different metrics.
    """
    if test not in get_args(Test):
        raise InputError(f"'test' must be one of {', '.join(get_args(Test))}, got '{test}'")
    common = [_on_common_inputs(*pair) for pair in pairs]
    resampling = replace(resampling, test=test)
    resampled, p_value_of_trials = _TESTS[test]
    results = [_without_scores(len(first.inputs), resampling) for first, _ in common]
    for indices in grouped_by_size([result.inputs for result in results]):
        trials_of_pairs = resampled([common[index] for index in indices], resampling)
        for index, trials in zip(indices, trials_of_pairs, strict=True):
            first, second = (system.vectors.sum(axis=0, keepdims=True) for system in common[index])
            for name, observed in _differences(common[index], first, second).items():
                p_value = _exact_p_value if results[index].exact else p_value_of_trials
                results[index].p_values[name] = per_number(p_value, observed, trials[name])
                results[index].differences[name] = per_number(lambda value: 0.0 - float(value[0]), observed)
    return results


def _without_scores(inputs: int, resampling: Resampling) -> Comparison:
    return Comparison({}, inputs, {}, resampling.trials_of(inputs), resampling.enumerates(inputs))


def _on_common_inputs(first: ScoreVectors, second: ScoreVectors) -> SystemPair:
    check_meaning([first, second])
    if first.inputs == second.inputs:
        return first, second
    known = set(second.inputs)
    common = [name for name in first.inputs if name in known]
    if not common:
        raise InputError("cannot compare two systems that share no input: a paired test needs outputs of both")
    return first.only(common), second.only(common)


def _randomized(pairs: Sequence[SystemPair], resampling: Resampling) -> list[dict[str, Floats]]:
    """Returns, for each pair, the differences after swapping outputs."""
    changes = [second.vectors - first.vectors for first, second in pairs]
    inputs = len(changes[0])
    weights = all_swaps(inputs) if resampling.enumerates(inputs) else swap_weights(inputs, resampling)
    results = []
    for pair, change in zip(pairs, weighted_sums(weights, changes, resampling.trials_of(inputs)), strict=True):
        first, second = pair[0].vectors.sum(axis=0) + change, pair[1].vectors.sum(axis=0) - change
        results.append(_differences(pair, first, second))
    return results


def _bootstrapped(pairs: Sequence[SystemPair], resampling: Resampling) -> list[dict[str, Floats]]:
    """Returns, for each pair, the differences in bootstrap resamples, minus their mean."""
    return [_centred(differences) for differences in _bootstrapped_differences(pairs, resampling)]


def _bootstrapped_distances(pairs: Sequence[SystemPair], resampling: Resampling) -> list[dict[str, Floats]]:
    """Returns, for each pair, the absolute differences in bootstrap resamples, minus their mean."""
    return [
        _centred({name: abs(values) for name, values in differences.items()})
        for differences in _bootstrapped_differences(pairs, resampling)
    ]


def _bootstrapped_differences(pairs: Sequence[SystemPair], resampling: Resampling) -> list[dict[str, Floats]]:
    matrices = [system.vectors for pair in pairs for system in pair]
    weights = bootstrap_weights(len(matrices[0]), resampling, resampling.number_of_trials)
    sums = iter(weighted_sums(weights, matrices, resampling.number_of_trials))
    return [_differences(pair, next(sums), next(sums)) for pair in pairs]


def _centred(differences: dict[str, Floats]) -> dict[str, Floats]:
    return {name: values - _mean_of_defined(values) for name, values in differences.items()}


def _mean_of_defined(values: Floats) -> Floats:
    """Returns the mean over the resamples in which the score is defined, 0 if it never is."""
    import numpy as np

    defined = ~np.isnan(values)
    mean: Floats = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    return mean


def _differences(pair: SystemPair, first: Floats, second: Floats) -> dict[str, Floats]:
    """Returns the differences, first minus second, of the scores that two systems' sums of vectors yield."""
    scores, others = pair[0].scores_of(first), pair[1].scores_of(second)
    return {name: values - others[name] for name, values in scores.items()}


def _p_value(observed: Floats, trials: Floats) -> float:
    """Returns the p-value of random trials, which counts the observed difference as one more trial."""
    return (_as_large(observed, trials) + 1) / (len(trials) + 1)


def _exact_p_value(observed: Floats, trials: Floats) -> float:
    """Returns the p-value of all possible trials, one of which is the observed difference."""
    return _as_large(observed, trials) / len(trials)


def _as_large(observed: Floats, trials: Floats) -> float:
    """Counts the trials at least as large as the observed difference, or undefined; NaN if that is undefined."""
    distance = abs(float(observed[0]))
    if math.isnan(distance):
        return math.nan
    smaller = int((abs(trials) < distance * (1 - ROUNDING)).sum())
    return len(trials) - smaller


def _p_value_of_randomization(observed: Floats, trials: Floats) -> float:
    """Returns the p-value of ``paired-ar``."""
    return _p_value_of_bootstrap(observed, abs(trials))


def _p_value_of_bootstrap(observed: Floats, trials: Floats) -> float:
    """Returns the p-value of ``paired-bs``; a trial that exceeds the observed difference by rounding does not count."""
    distance = abs(float(observed[0]))
    if not distance > 0:
        return 1.0 if distance == 0 else math.nan
    return (int((trials > distance * (1 + ROUNDING)).sum()) + 1) / (len(trials) + 1)


_TESTS = {
    "randomization": (_randomized, _p_value),
    "bootstrap": (_bootstrapped, _p_value),
    "paired-ar": (_randomized, _p_value_of_randomization),
    "paired-bs": (_bootstrapped_distances, _p_value_of_bootstrap),
}
"""For each test, the differences in its trials and the p-value they yield."""
