"""Intervals and tests from the sums of a Poisson bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.data.scored_counts import quoted
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.bootstrap import Intervals
from metrics_framework.significance.interval_methods import percentile_interval
from metrics_framework.significance.paired_tests import Observed, as_large, centred, comparison_of, larger, observed_of
from metrics_framework.significance.poisson_sums import PoissonSums
from metrics_framework.significance.resampling import Resampling, per_number
from metrics_framework.significance.scored_inputs import ScoredInputs
from metrics_framework.significance.systems import (
    Confidence,
    PValues,
    Significance,
    adjusted,
    renamed,
    warn_of_single_inputs,
    warn_of_undefined,
)

NO_INPUTS = ScoredInputs(0, 0, exact=False)


class MetricSums(NamedTuple):
    """The sums of a system's outputs under one metric.

    Attributes:
        scores_of: Computes scores from sums of numbers and of the weights of defined numbers, shape (sums, 2 · width).
        sums: The sums.
        columns: The numbers of each score that is a mean.
    """

    scores_of: Callable[[Floats], dict[str, Floats]]
    sums: PoissonSums
    columns: Mapping[str, Sequence[int]]

    def scores_of_other_inputs(self, other: MetricSums) -> list[str]:
        """Returns the scores that are missing for other inputs than those of another system."""
        return [
            name
            for name, columns in self.columns.items()
            if any(self.sums.missing[column] != other.sums.missing[column] for column in columns)
        ]


def poisson_confidence(
    systems: Mapping[str, Sequence[MetricSums]],
    metrics: Sequence[LabelledMetric],
    resampling: Resampling,
    baseline: str | None,
    log: Log,
) -> Confidence:
    """Computes percentile intervals of all scores, and compares the systems with the baseline.

    Args:
        systems: The sums of each system, for each metric.
        metrics: The metrics of the run.
        resampling: How to resample.
        baseline: The system to compare the other systems with; `None` for the first system.
        log: Receives warnings.

    Raises:
        UnknownNameError: if the baseline is not one of the systems.
    """
    if baseline is not None and baseline not in systems:
        raise UnknownNameError("system", baseline, list(systems))
    outputs = {system: of_metrics[0].sums.outputs for system, of_metrics in systems.items()}
    warn_of_single_inputs(outputs, baseline, resampling, log)
    intervals = {
        system: renamed(metrics, (_intervals(one.scores_of, one.sums.drawn, resampling) for one in of_metrics))
        for system, of_metrics in systems.items()
    }
    everything = renamed(metrics, _joined_intervals(list(systems.values()), resampling))
    warn_of_undefined([*intervals.values(), everything], resampling, log)
    significance = None
    if len(systems) > 1:
        significance = _significance(systems, metrics, resampling, baseline or next(iter(systems)), log)
    return Confidence(resampling, everything, intervals, significance)


def _intervals(scores_of: Callable[[Floats], dict[str, Floats]], sums: Floats, resampling: Resampling) -> Intervals:
    interval = partial(percentile_interval, tail=resampling.tail)
    return {name: per_number(interval, values) for name, values in scores_of(sums[: resampling.resamples]).items()}


def _joined_intervals(systems: Sequence[Sequence[MetricSums]], resampling: Resampling) -> Iterator[Intervals]:
    """Yields the intervals of the scores over all outputs, metric by metric."""
    for of_metric in zip(*systems, strict=True):
        sums = of_metric[0].sums.drawn
        for one in of_metric[1:]:
            sums = sums + one.sums.drawn
        yield _intervals(of_metric[0].scores_of, sums, resampling)


def _significance(
    systems: Mapping[str, Sequence[MetricSums]],
    metrics: Sequence[LabelledMetric],
    resampling: Resampling,
    baseline: str,
    log: Log,
) -> Significance:
    significance = Significance(baseline)
    first = systems[baseline]
    for system, of_metrics in systems.items():
        if system == baseline:
            continue
        if (of_metrics[0].sums.checksum, of_metrics[0].sums.outputs) != (first[0].sums.checksum, first[0].sums.outputs):
            log.warn(
                f"'{system}' and '{baseline}' have outputs for different inputs; with --resampling poisson, they are "
                "compared on all of their outputs"
            )
        significance.inputs[system] = min(first[0].sums.outputs, of_metrics[0].sums.outputs)
        p_values = (_p_values(one, other, resampling) for one, other in zip(first, of_metrics, strict=True))
        significance.p_values[system] = renamed(metrics, p_values)
        scored = (
            dict.fromkeys(one.scores_of_other_inputs(other), NO_INPUTS)
            for one, other in zip(first, of_metrics, strict=True)
        )
        significance.scored[system] = renamed(metrics, scored)
    significance.adjusted = adjusted(significance.p_values)
    _warn_of_other_inputs(significance, log)
    for too_few in significance.too_few(resampling):
        log.warn(too_few)
    return significance


def _warn_of_other_inputs(significance: Significance, log: Log) -> None:
    """Warns of scores that are not compared, because the inputs for which both systems have them are unknown."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in significance.names_of_scored:
        systems = tuple(system for system, scored in significance.scored.items() if name in scored)
        groups.setdefault(systems, []).append(name)
    for systems, names in groups.items():
        log.warn(
            f"{quoted(names)}: not compared with '{significance.baseline}' for {quoted(systems)}: scores are missing "
            "for different inputs, and --resampling poisson does not find the inputs for which both systems have one; "
            "use --resampling draws"
        )


def _p_values(first: MetricSums, second: MetricSums, resampling: Resampling) -> PValues:
    """Tests the difference of two systems; `paired_p_values` defines the tests.

    Scores that the systems have for different inputs have no p-value.
    """
    observed = observed_of(first.scores_of(first.sums.totals), second.scores_of(second.sums.totals))
    counts = _bootstrapped if resampling.test in ("bootstrap", "paired-bs") else _randomized
    inputs = min(first.sums.outputs, second.sums.outputs)
    test = comparison_of(inputs, inputs, observed, counts(first, second, observed, resampling), resampling)
    p_values = dict(test.p_values)
    for name in first.scores_of_other_inputs(second):
        value = p_values[name]
        p_values[name] = [math.nan] * len(value) if isinstance(value, list) else math.nan
    return p_values


def _randomized(
    first: MetricSums, second: MetricSums, observed: Mapping[str, Observed], resampling: Resampling
) -> dict[str, Floats]:
    change = second.sums.moved - first.sums.moved
    one = first.scores_of(first.sums.totals + change)
    other = second.scores_of(second.sums.totals - change)
    as_extreme = larger if resampling.test == "paired-ar" else as_large
    return {name: as_extreme(score, abs(one[name] - other[name])) for name, score in observed.items()}


def _bootstrapped(
    first: MetricSums, second: MetricSums, observed: Mapping[str, Observed], resampling: Resampling
) -> dict[str, Floats]:
    trials = resampling.number_of_trials
    one, other = first.scores_of(first.sums.drawn[:trials]), second.scores_of(second.sums.drawn[:trials])
    differences = {name: one[name] - other[name] for name in observed}
    if resampling.test == "paired-bs":
        return {name: larger(score, centred(abs(differences[name]))) for name, score in observed.items()}
    return {name: as_large(score, abs(centred(differences[name]))) for name, score in observed.items()}
