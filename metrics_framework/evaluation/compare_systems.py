"""``compare``: intervals of the scores of systems, tests and effect sizes of their differences, and clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from metrics_framework.common.errors import UnknownNameError, counted
from metrics_framework.common.logs import Log, steps_of
from metrics_framework.data.metrics_dict import unequal_shares
from metrics_framework.evaluation.score_comparison import (
    ComparedPair,
    ComparedSystem,
    CompareSettings,
    ScoreComparison,
    ScoredSystems,
)
from metrics_framework.significance.compared_systems import ComparedSystems
from metrics_framework.significance.confidence import warn_of_sizes
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.multiple_testing import CORRECTIONS, is_significant, ranked
from metrics_framework.significance.paired_tests import Comparison, paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors


def compare_systems(
    scores: Sequence[ScoredSystems], settings: CompareSettings, clusters: Mapping[str, str] | None, log: Log
) -> list[ScoreComparison]:
    """Compares systems under each of several scores.

    Args:
        scores: The scores.
        settings: How to compare.
        clusters: Input to its cluster, if inputs are resampled in clusters.
        log: Receives warnings.

    Raises:
        UnknownNameError: if the baseline is not one of the systems.
    """
    systems = dict.fromkeys(system for score in scores for system in (*score.systems, *score.unscored))
    if settings.baseline is not None and settings.baseline not in systems:
        raise UnknownNameError("system", settings.baseline, list(systems))
    with steps_of(log):
        groups = [_Groups(score, settings.resampling, clusters) for score in scores]
        ordered = [_systems(one, settings.baseline) for one in groups]
        wanted = [_wanted_pairs([one.system for one in of_score], settings.baseline) for of_score in ordered]
        outputs = [pair for one, pairs in zip(groups, wanted, strict=True) for pair in one.outputs_of(pairs)]
        # all scores in one call, so that they share trials
        tests = iter(paired_p_values(outputs, settings.resampling.test, settings.resampling, clusters))
        parts = zip(groups, ordered, wanted, strict=True)
        comparisons = [_compared(one, systems, pairs, tests, settings) for one, systems, pairs in parts]
    _warn(comparisons, settings, log)
    return comparisons


def _compared(
    groups: _Groups,
    systems: list[ComparedSystem],
    wanted: Sequence[tuple[str, str]],
    tests: Iterator[Comparison],
    settings: CompareSettings,
) -> ScoreComparison:
    together = [pair for pair in wanted if groups.common_inputs(pair)]
    apart = [pair for pair in wanted if not groups.common_inputs(pair)]
    pairs = _pairs(groups, together, [*islice(tests, len(together))], settings)
    if settings.baseline is None and groups.score.higher_is_better is not None:
        systems = _with_ranks(systems, pairs, settings.ranking)
    return ScoreComparison(groups.score, systems, pairs, apart)


class _Groups:
    """Groups systems, and pairs of systems, by their common inputs, so that each group shares its computations.

    Args:
        score: The score.
        resampling: How to resample.
        clusters: Input to its cluster.
    """

    def __init__(self, score: ScoredSystems, resampling: Resampling, clusters: Mapping[str, str] | None) -> None:
        self.score = score
        self.by_inputs: dict[tuple[str, ...], list[str]] = {}
        self._inputs_of: dict[str, tuple[str, ...]] = {}
        self._common: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = {}
        self._compared: dict[tuple[str, ...], ComparedSystems] = {}
        self._resampling = resampling
        self._clusters = clusters
        for name, outputs in score.systems.items():
            inputs = tuple(outputs.inputs)
            members = self.by_inputs.setdefault(inputs, [])
            members.append(name)
            self._inputs_of[name] = self._inputs_of[members[0]] if len(members) > 1 else inputs

    def outputs_of(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[ScoreVectors, ScoreVectors]]:
        """Yields the outputs of the systems of those pairs that have common inputs."""
        for pair in filter(self.common_inputs, pairs):
            yield self.score.systems[pair[0]], self.score.systems[pair[1]]

    def common_inputs(self, pair: tuple[str, str]) -> tuple[str, ...]:
        """Returns the inputs for which both systems have the score."""
        first, second = self._inputs_of.get(pair[0], ()), self._inputs_of.get(pair[1], ())
        if first is second:
            return first
        if (first, second) not in self._common:
            self._common[first, second] = tuple(filter(set(second).__contains__, first))
        return self._common[first, second]

    def with_inputs(self, inputs: tuple[str, ...]) -> ComparedSystems:
        """Returns the systems with exactly these inputs, in the order of ``by_inputs``."""
        if inputs not in self._compared:
            self._compared[inputs] = self.restricted(self.by_inputs[inputs], inputs)
        return self._compared[inputs]

    def compared(self, names: Sequence[str], inputs: tuple[str, ...]) -> tuple[ComparedSystems, Mapping[str, int]]:
        """Returns systems on some of their inputs, and the index of each."""
        members = self.by_inputs.get(inputs, [])
        if set(names) <= set(members):
            return self.with_inputs(inputs), {name: index for index, name in enumerate(members)}
        return self.restricted(names, inputs), {name: index for index, name in enumerate(names)}

    def restricted(self, names: Sequence[str], inputs: Sequence[str]) -> ComparedSystems:
        """Returns systems on some of their inputs."""
        systems = (self.score.systems[name] for name in names)
        restricted = [one if len(one.inputs) == len(inputs) else one.only(inputs) for one in systems]
        return ComparedSystems(restricted, self.score.name, self._resampling, self._clusters)


def _wanted_pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Returns the pairs to compare: the better system first, or the baseline second."""
    if baseline is None:
        return [(first, second) for index, first in enumerate(systems) for second in systems[index + 1 :]]
    return [(system, baseline) for system in systems if system != baseline] if baseline in systems else []


def _systems(groups: _Groups, baseline: str | None) -> list[ComparedSystem]:
    """Returns the systems, the best first; a baseline is first of all."""
    systems, score = list[ComparedSystem](), groups.score
    for inputs, names in groups.by_inputs.items():
        compared = groups.with_inputs(inputs)
        intervals = compared.intervals([(index,) for index in range(len(names))])
        for index, (name, interval) in enumerate(zip(names, intervals, strict=True)):
            value, effect = float(compared.scores[index]) * score.scale, compared.design_effect(index)
            ends = interval.scaled(score.scale).within(*score.score_range)
            missing = len(score.unscored.get(name, ()))
            systems.append(
                ComparedSystem(name, len(inputs), value, ends, compared.num_units, effect, undefined=missing)
            )
    systems += [_without_score(name, len(score.unscored[name])) for name in score.unscored if name not in score.systems]

    def key(system: ComparedSystem) -> tuple[bool, bool, float, str]:
        is_undefined = math.isnan(system.score)
        value = {True: -system.score, False: system.score, None: 0.0}[score.higher_is_better]
        return system.system != baseline, is_undefined, 0.0 if is_undefined else value, system.system

    return sorted(systems, key=key)


def _without_score(name: str, outputs: int) -> ComparedSystem:
    """Returns a system whose outputs all have no score."""
    return ComparedSystem(name, 0, math.nan, Interval(math.nan), 0, math.nan, undefined=outputs)


def _pairs(
    groups: _Groups, pairs: Sequence[tuple[str, str]], tests: Sequence[Comparison], settings: CompareSettings
) -> list[ComparedPair]:
    score, alpha = groups.score, settings.resampling.alpha
    least, largest = score.score_range
    width = None if least is None or largest is None else largest - least
    p_values = [_number(test.p_values[score.name]) for test in tests]
    adjusted = CORRECTIONS[settings.correction](p_values)
    by_inputs: dict[tuple[str, ...], list[int]] = {}
    for number, pair in enumerate(pairs):
        by_inputs.setdefault(groups.common_inputs(pair), []).append(number)
    found: dict[int, ComparedPair] = {}
    for inputs, numbers in by_inputs.items():
        names = list(dict.fromkeys(name for number in numbers for name in pairs[number]))
        compared, index = groups.compared(names, inputs)
        indices = [(index[first], index[second]) for first, second in (pairs[number] for number in numbers)]
        outcomes = compared.outcomes(indices, score.higher_is_better is not False)
        of_pairs = compared.intervals(indices), compared.standardized_differences(indices), outcomes
        for number, both, interval, standardized, counts in zip(numbers, indices, *of_pairs, strict=True):
            first, second = pairs[number]
            difference = float(compared.scores[both[0]] - compared.scores[both[1]]) * score.scale
            winner, common = None, score.common_outputs(first, second)
            differs = is_significant(adjusted[number], alpha) and difference != 0
            if differs and score.higher_is_better is not None:
                winner = first if (difference > 0) is score.higher_is_better else second
            found[number] = ComparedPair(
                first,
                second,
                inputs=tests[number].inputs,
                clusters=compared.num_units,
                difference=difference,
                interval=interval.scaled(score.scale).within(width and -width, width),
                standardized=standardized,
                skewness=compared.skewness(both),
                outcomes=counts,
                p_value=p_values[number],
                adjusted=adjusted[number],
                trials=tests[number].trials,
                exact=tests[number].exact,
                differs=differs,
                winner=winner,
                undefined=0 if common is None else common - tests[number].inputs,
            )
    return [found[number] for number in range(len(pairs))]


def _with_ranks(systems: Sequence[ComparedSystem], pairs: Sequence[ComparedPair], ranking: str) -> list[ComparedSystem]:
    """Adds ranks and clusters to systems, the best first; a system without a score has none."""
    scored = [system for system in systems if not math.isnan(system.score)]
    index = {system.system: number for number, system in enumerate(scored)}
    beats = [[False] * len(scored) for _ in scored]
    for pair in pairs:
        if pair.winner is not None:
            loser = pair.second if pair.winner == pair.first else pair.first
            beats[index[pair.winner]][index[loser]] = True
    ranks = dict(zip(index, ranked(beats, ranking), strict=True))
    return [replace(system, rank=ranks.get(system.system)) for system in systems]


def _number(value: float | list[float]) -> float:
    assert not isinstance(value, list), "the scores that are compared are numbers"
    return value


def _warn(comparisons: Sequence[ScoreComparison], settings: CompareSettings, log: Log) -> None:
    """Warns of what may make comparisons misleading, each once."""
    for comparison in comparisons:
        name = comparison.score.name
        for system, inputs in comparison.score.unscored.items():
            log.warn(f"'{name}' is undefined for {counted(len(inputs), 'output')} of '{system}', which are left out")
        if (unequal := unequal_shares(name, comparison.score.counts())) is not None:
            log.warn(unequal)
        for pair in comparison.apart:
            why = "they share no input"
            if not comparison.score.unscored.keys().isdisjoint(pair):
                why = f"there is no input for which both have '{name}'"
            log.warn(f"'{pair[0]}' and '{pair[1]}' are not compared: {why}")
        own = {system.system: system.inputs for system in comparison.systems}
        partial = [pair for pair in comparison.pairs if pair.inputs < max(own[pair.first], own[pair.second])]
        if partial:
            what = "scores" if comparison.score.unscored else "outputs"
            log.warn(
                f"{name}: {counted(len(partial), 'pair')} of systems with {what} for different inputs, compared on "
                f"the inputs that both have ({min(pair.inputs for pair in partial)} or more); their scores and ranks "
                "are not over the same inputs"
            )
    sizes = {
        system.system: system.clusters for comparison in comparisons for system in comparison.systems if system.inputs
    }
    resampling, unit = settings.resampling, "cluster" if settings.cluster else "input"
    warn_of_sizes(sizes, resampling, log, unit=unit, is_compared=True)
    for comparison in comparisons:
        if comparison.pairs:
            most = max(pair.clusters for pair in comparison.pairs)
            number = 1 if settings.correction == "none" else len(comparison.pairs)
            too_few = resampling.too_few_for(number, most, "--trials", unit)
            if too_few is not None:
                log.warn(too_few)
