"""Warnings of ``compare``: what may make a comparison of systems misleading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_framework.common.logs import Log
from metrics_framework.common.plurals import counted
from metrics_framework.evaluation.comparisons import ComparedPair, CompareSettings, ScoreComparison


def warn_of(comparisons: Sequence[ScoreComparison], settings: CompareSettings, log: Log) -> None:
    """Warns of what may make comparisons misleading, each once."""
    for comparison in comparisons:
        name = comparison.score.name
        for system, count in comparison.score.undefined.items():
            log.warn(f"'{name}' is undefined for {counted(count, 'output')} of '{system}', which are left out")
        for first, second in comparison.apart:
            log.warn(f"'{first}' and '{second}' are not compared: they share no input")
        partial = [pair for pair in comparison.pairs if pair.inputs < _most_inputs(comparison, pair)]
        if partial:
            log.warn(
                f"{name}: {counted(len(partial), 'pair')} of systems with outputs for different inputs, compared on "
                f"the inputs that both have ({min(pair.inputs for pair in partial)} or more); their scores and ranks "
                "are not over the same inputs"
            )
    sizes = {system.system: system.clusters for comparison in comparisons for system in comparison.systems}
    if len(sizes) == 1:
        log.warn(f"'{next(iter(sizes))}' is the only system; there is nothing to compare it with")
    units = "cluster" if settings.cluster else "input"
    single = [system for system, count in sizes.items() if count == 1]
    if single:
        log.warn(f"'{single[0]}' has outputs for one {units} only; its intervals are meaningless")
    _warn_of_size(comparisons, settings, sizes, log)


def _most_inputs(comparison: ScoreComparison, pair: ComparedPair) -> int:
    inputs = {system.system: system.inputs for system in comparison.systems}
    return max(inputs[pair.first], inputs[pair.second])


def _warn_of_size(
    comparisons: Sequence[ScoreComparison], settings: CompareSettings, sizes: Mapping[str, int], log: Log
) -> None:
    """Warns of intervals that are too short, and of tests that cannot be significant."""
    resampling = settings.resampling
    unit = "cluster" if settings.cluster else "input"
    too_short = resampling.too_short_for(sizes, unit)
    if too_short is not None:
        log.warn(too_short)
    for comparison in comparisons:
        if comparison.pairs:
            most = max(pair.clusters for pair in comparison.pairs)
            number = 1 if settings.correction == "none" else len(comparison.pairs)
            too_few = resampling.too_few_for(number, most, "--trials", unit)
            if too_few is not None:
                log.warn(too_few)
