"""How sure the scores of a run are: intervals of every score, and tests against one of the systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from metrics_framework.common.errors import UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.significance.collector import ScoreCollector
from metrics_framework.significance.multiple_testing import holm
from metrics_framework.significance.resampling import LEVEL, Compared, Interval, Resampling, intervals, paired_p_values
from metrics_framework.significance.score_vectors import ScoreVectors

T = TypeVar("T")
Intervals: TypeAlias = "dict[str, Interval | list[Interval]]"
PValues: TypeAlias = "dict[str, float | list[float]]"


@dataclass
class Significance:
    """The tests of systems against one of them.

    Args:
        baseline: The system that the others are compared with.
        inputs: System to the number of inputs on which it was compared.
        p_values: System to flat score name to the p-value of the randomization test.
        adjusted: The same, adjusted by Holm's method for as many systems as there are.
    """

    baseline: str
    inputs: dict[str, int] = field(default_factory=dict)
    p_values: dict[str, PValues] = field(default_factory=dict)
    adjusted: dict[str, PValues] = field(default_factory=dict)

    @property
    def comparisons(self) -> int:
        """The most comparisons that there are of a score, which Holm's method adjusts for."""
        found = Counter(
            (name, place)
            for p_values in self.p_values.values()
            for name, several in p_values.items()
            for place, p in enumerate(_listed(several))
            if p == p
        )
        return max(found.values(), default=0)


@dataclass
class Confidence:
    """How sure scores are.

    Args:
        resampling: How inputs were resampled.
        metrics: Flat score name to the interval of the score over all outputs.
        systems: System to flat score name to the interval of its score.
        significance: The tests; `None` where there is one system only.
    """

    resampling: Resampling
    metrics: Intervals
    systems: dict[str, Intervals]
    significance: Significance | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns what the macro file holds."""
        count, seed = self.resampling.resamples, self.resampling.seed
        written: dict[str, Any] = {
            "intervals": {
                "level": self.resampling.level,
                "resamples": count,
                "seed": seed,
                "metrics": _ends(self.metrics),
                "systems": {name: _ends(self.systems[name]) for name in sorted(self.systems)},
            }
        }
        if self.significance is not None:
            tested = self.significance
            written["significance"] = {
                "baseline": tested.baseline,
                "test": "randomization",
                "trials": count,
                "seed": seed,
                "systems": {
                    name: {
                        "num_instances": tested.inputs[name],
                        "p_values": tested.p_values[name],
                        "p_values_holm": tested.adjusted[name],
                    }
                    for name in sorted(tested.inputs)
                },
            }
        return written


def _ends(found: Intervals) -> dict[str, Any]:
    return {
        name: [[each.low, each.high] for each in one] if isinstance(one, list) else [one.low, one.high]
        for name, one in found.items()
    }


def confidence_of(
    kept: ScoreCollector, metrics: Sequence[LabelledMetric], resampling: Resampling, baseline: str | None, log: Log
) -> Confidence:
    """Computes the intervals of all scores, and compares the systems with one of them.

    Args:
        kept: The outputs of the run.
        metrics: The metrics of the run.
        resampling: How to resample.
        baseline: The system to compare the others with; `None` for the one that came first.
        log: Takes warnings.

    Raises:
        UnknownNameError: if the baseline is none of the systems.
    """
    systems = kept.systems
    if baseline is not None and baseline not in systems:
        raise UnknownNameError("baseline", baseline, systems)
    if baseline is not None and len(systems) == 1:
        log.warn(f"'{baseline}' is the only system; there is nothing to compare it with")
    outputs = {system: kept.outputs(system) for system in systems}
    for system in systems:
        if len(outputs[system][0].inputs) == 1:
            log.warn(
                f"'{system}' has outputs for one input; its intervals have no width, which says nothing of its scores"
            )
    of_metrics = zip(*(outputs[system] for system in sorted(systems)), strict=True)
    everything = [list(map(ScoreVectors.joined, of_metrics))] if len(systems) > 1 else []
    found = intervals([one for several in (*outputs.values(), *everything) for one in several], resampling)
    joined = [_joined(metrics, found[start : start + len(metrics)]) for start in range(0, len(found), len(metrics))]
    of_systems = dict(zip(systems, joined, strict=False))
    _warn_of_undefined(joined, resampling, log)
    tested = _significance(outputs, metrics, resampling, baseline or systems[0], log) if len(systems) > 1 else None
    return Confidence(resampling, joined[-1], of_systems, tested)


def observed(resampling: Resampling, systems: int) -> dict[str, Any]:
    """Returns what the signature of a score with an interval has more, as sacreBLEU writes it."""
    found: dict[str, Any] = {"bs": resampling.resamples}
    if systems > 1:
        found["ar"] = resampling.resamples
    found["seed"] = resampling.seed
    if resampling.level != LEVEL:
        found["level"] = resampling.level
    return found


def _significance(
    outputs: Mapping[str, list[ScoreVectors]],
    metrics: Sequence[LabelledMetric],
    resampling: Resampling,
    baseline: str,
    log: Log,
) -> Significance:
    significance = Significance(baseline)
    theirs = outputs[baseline]
    for system, mine in outputs.items():
        if system == baseline:
            continue
        common = len(set(mine[0].inputs) & set(theirs[0].inputs))
        if common < max(len(mine[0].inputs), len(theirs[0].inputs)):
            told = f"compared on the {common} inputs that both have" if common else "not compared: they share no input"
            log.warn(f"'{system}' and '{baseline}' have outputs for different inputs, and are {told}")
        if common:
            significance.inputs[system] = common
    pairs = [pair for system in significance.inputs for pair in zip(theirs, outputs[system], strict=True)]
    compared = iter(paired_p_values(pairs, resampling=resampling))
    for system in significance.inputs:
        tests: list[Compared] = [next(compared) for _ in metrics]
        significance.p_values[system] = _joined(metrics, [test.p_values for test in tests])
    significance.adjusted = _adjusted(significance.p_values)
    too_few = resampling.too_few_for(significance.comparisons)
    if too_few is not None:
        log.warn(too_few)
    return significance


def _adjusted(p_values: Mapping[str, PValues]) -> dict[str, PValues]:
    """Adjusts the p-values of each score for the number of systems."""
    found: dict[str, PValues] = {system: {} for system in p_values}
    for name in dict.fromkeys(chain.from_iterable(p_values.values())):
        having = [system for system in p_values if name in p_values[system]]
        rows = [_listed(p_values[system][name]) for system in having]
        columns = [holm(column) for column in zip(*rows, strict=True)]
        for place, system in enumerate(having):
            row = [column[place] for column in columns]
            found[system][name] = row if isinstance(p_values[system][name], list) else row[0]
    return found


def _listed(value: T | list[T]) -> list[T]:
    return value if isinstance(value, list) else [value]


def _joined(metrics: Sequence[LabelledMetric], found: Sequence[Mapping[str, T]]) -> dict[str, T]:
    """Joins what the metrics have, under the names that scores go by in this run."""
    return {
        metric.renamed_score(name): one
        for metric, several in zip(metrics, found, strict=True)
        for name, one in several.items()
    }


def _warn_of_undefined(found: Sequence[Intervals], resampling: Resampling, log: Log) -> None:
    most: dict[str, int] = {}
    for several in found:
        for name, one in several.items():
            most[name] = max([most.get(name, 0), *(each.undefined for each in _listed(one))])
    for name, count in most.items():
        if count:
            log.warn(
                f"'{name}' is not defined in up to {count} of {resampling.resamples} resamples of a system; "
                f"its interval is over the others"
            )
