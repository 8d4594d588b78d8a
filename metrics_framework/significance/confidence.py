"""Confidence intervals of the scores of a run, and significance tests of its systems (decision 0018)."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, cycle
from math import inf, nan
from typing import Any, TypeAlias, TypeVar
from zlib import crc32

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import MAX_NAMES_LISTED, UnknownNameError, UsageError, listed_names
from metrics_framework.common.logs import Log, steps_of
from metrics_framework.data.metrics_dict import MetricsDict, quoted
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric, Metric
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.interval_methods import NO_VARIATION, SINGLE_UNIT, Intervals, cautions_of_intervals
from metrics_framework.significance.multiple_testing import TestedDifference, cautions_of_tests, holm
from metrics_framework.significance.paired_tests import ScoredInputs, paired_p_values
from metrics_framework.significance.resampling import DELTA, LEVEL, METHOD_NAMES, PERCENTILE, Resampling, Value
from metrics_framework.significance.score_vectors import InputOrder, ScoreVectors, can_be_resampled

PValues: TypeAlias = "dict[str, float | list[float]]"
Result = TypeVar("Result")
MANY_OUTPUTS = 2_000_000
"""Of more outputs, `fw evaluate` keeps sums over groups of inputs only."""
GROUPS = 4096
"""The number of groups: it estimates standard errors with an error of 1 %."""
OUTPUTS_AT_ONCE = 50_000
"""How many outputs are kept before they are added to their groups."""
FRACTION_BITS = 30
"""Numbers of outputs in groups are multiples of 2⁻³⁰, so that their sums are the same in any order."""


@dataclass
class Significance:
    """The significance tests of systems against a baseline.

    Args:
        baseline: The system that the other systems are compared with.
        inputs: System to the number of inputs on which it was compared.
        p_values: System to flat score name to the p-value of the randomization test.
        adjusted: The same after Holm's correction over the systems.
        scored: System to flat score name to the inputs of its test, for scores that were compared on fewer inputs: on
            those for which both systems have the score.
    """

    baseline: str
    inputs: dict[str, int] = field(default_factory=dict)
    p_values: dict[str, PValues] = field(default_factory=dict)
    adjusted: dict[str, PValues] = field(default_factory=dict)
    scored: dict[str, dict[str, ScoredInputs]] = field(default_factory=dict)

    def inputs_of(self, name: str) -> dict[str, int]:
        """Returns, for each system, the number of inputs on which a score was compared.

        Args:
            name: The flat name of the score.
        """
        return {
            system: self.scored[system][name].inputs if name in self.scored.get(system, {}) else count
            for system, count in self.inputs.items()
        }

    @property
    def names_of_scored(self) -> list[str]:
        """The scores that were compared on fewer inputs in at least one comparison."""
        return list(dict.fromkeys(chain.from_iterable(self.scored.values())))

    @property
    def numbers_of_inputs(self) -> set[int]:
        """The numbers of inputs of all comparisons of scores."""
        names = dict.fromkeys(chain.from_iterable(self.p_values.values()))
        counts = (count for name in names for count in self.inputs_of(name).values() if count)
        return set(counts) or set(self.inputs.values())

    def cautions(self, resampling: Resampling, names: Collection[str]) -> Iterator[str]:
        """Yields which p-values of some scores are the least possible."""
        found = []
        for system, p_values in self.p_values.items():
            for name in filter(p_values.__contains__, names):
                least = resampling.least_p(self.inputs_of(name)[system])
                pairs = zip(_as_list(self.adjusted[system][name]), _as_list(p_values[name]), strict=True)
                found += [TestedDifference(f"{name} of {system}", *pair, least=least) for pair in pairs]
        return cautions_of_tests(found, resampling.alpha)

    def too_few(self, resampling: Resampling) -> list[str]:
        """Returns a warning for each score whose differences cannot be significant; one if that holds for all scores.

        Args:
            resampling: How to resample.
        """
        if not self.inputs:
            return []
        counts = Counter(
            (name, index)
            for p_values in self.p_values.values()
            for name, value in p_values.items()
            for index, p in enumerate(_as_list(value))
            if p == p
        )
        comparisons: Counter[str] = Counter()  # of each score, which Holm's correction adjusts for
        for (name, _), count in counts.items():
            comparisons[name] = max(comparisons[name], count)
        everything = resampling.too_few_for(max(comparisons.values(), default=0), max(self.inputs.values()))
        if everything is not None:
            return [everything]
        warnings: dict[str, list[str]] = {}
        for name in self.names_of_scored:
            most = max(self.inputs_of(name).values())
            too_few = resampling.too_few_for(comparisons[name], most) if most else None
            if too_few is not None:
                warnings.setdefault(too_few, []).append(name)
        return [f"{quoted(names)}: {warning}" for warning, names in warnings.items()]


@dataclass
class Confidence:
    """The confidence intervals and tests of a run.

    Args:
        resampling: How inputs were resampled.
        metrics: Flat score name to the interval of the score over all outputs.
        systems: System to flat score name to the interval of its score.
        significance: The tests; `None` if there is only one system.
    """

    resampling: Resampling
    metrics: Intervals
    systems: dict[str, Intervals]
    significance: Significance | None = None

    def cautions(self, names: Collection[str]) -> Iterator[str]:
        """Yields which p-values of some scores are the least possible, which do not vary, and whose ends are cut."""
        if self.significance is not None:
            yield from self.significance.cautions(self.resampling, names)
        parts = (
            (f"{name} of {system}", part)
            for system, intervals in self.systems.items()
            for name in filter(intervals.__contains__, names)
            for part in _as_list(intervals[name])
        )
        yield from cautions_of_intervals(parts)

    def as_json(self) -> dict[str, Any]:
        """Returns the intervals and tests as they appear in the macro file."""
        resamples, seed = self.resampling.resamples, self.resampling.seed
        written: dict[str, Any] = {
            "intervals": {
                "level": self.resampling.level,
                **({} if self.resampling.method == PERCENTILE else {"method": self.resampling.method}),
                "resamples": resamples,
                "seed": seed,
                "metrics": _ends(self.metrics),
                "systems": {name: _ends(intervals) for name, intervals in self.systems.items()},
            }
        }
        if self.significance is not None:
            tests = self.significance
            written["significance"] = {
                "baseline": tests.baseline,
                "test": self.resampling.test,
                "trials": self.resampling.number_of_trials,
                "seed": seed,
                "systems": {name: self._test_as_json(tests, name) for name in tests.inputs},
            }
        return written

    def _test_as_json(self, tests: Significance, system: str) -> dict[str, Any]:
        """Returns the tests of a system, with the inputs of scores that were compared on fewer, if there are any."""
        inputs, scored = tests.inputs[system], tests.scored.get(system, {})
        every = ScoredInputs(inputs, self.resampling.trials_of(inputs), self.resampling.enumerates(inputs))
        found = {**_tested(every), "p_values": tests.p_values[system], "p_values_holm": tests.adjusted[system]}
        return {**found, **({"scores": {name: _tested(one) for name, one in scored.items()}} if scored else {})}


def _tested(on: ScoredInputs) -> dict[str, Any]:
    return {"num_instances": on.inputs, "trials": on.trials, "exact": on.exact}


def _ends(intervals: Intervals) -> dict[str, Any]:
    return {
        name: [[one.lower, one.upper] for one in value] if isinstance(value, list) else [value.lower, value.upper]
        for name, value in intervals.items()
    }


def encoders_of(metrics: Sequence[LabelledMetric], hint: str) -> list[StatisticsEncoder | ScoresEncoder]:
    """Returns what encodes the outputs of each metric as numbers.

    Args:
        metrics: The metrics.
        hint: What to do about a metric that cannot be resampled.

    Raises:
        UsageError: if a metric's system score is neither a mean nor computed from summed statistics.
    """
    for metric in metrics:
        if not can_be_resampled(metric.metric):
            raise UsageError(
                f"cannot resample '{metric.label}': its system score is neither a mean nor computed from summed "
                f"statistics; {hint}"
            )
    return [
        StatisticsEncoder(labelled.metric) if isinstance(labelled.metric, CorpusMetric) else ScoresEncoder()
        for labelled in metrics
    ]


@dataclass(frozen=True)
class StatisticsEncoder:
    """Encodes an output as its additive statistics.

    Args:
        metric: The metric.
    """

    metric: CorpusMetric

    def rows(self, results: BatchScores) -> Sequence[Sequence[float]]:
        """Returns the numbers of each output."""
        return results.statistics or []

    def take_over(self, other: Any) -> None:
        """Does nothing: statistics have no names."""

    def score_vectors(self, ids: InputOrder, numbers: Floats) -> ScoreVectors:
        """Decodes the numbers of outputs, shape (outputs, statistics)."""
        return ScoreVectors.of_statistics(self.metric, ids, numbers)


class ScoresEncoder:
    """Encodes an output as its scores, in the order of the first output; NaN where a score is undefined."""

    def __init__(self) -> None:
        self._lengths: dict[str, int | None] | None = None  # the length of each list-valued score, None for a number

    def rows(self, results: BatchScores) -> Sequence[Sequence[float]]:
        """Returns the numbers of each output."""
        return [self._numbers(MetricsDict(scores).flatten()) for scores in results.scores]  # workers send plain dicts

    def take_over(self, other: Any) -> None:
        """Takes over the names of the scores of later outputs, if there were no outputs so far."""
        self._lengths = self._lengths or other._lengths

    def _numbers(self, scores: Mapping[str, Any]) -> list[float]:
        if self._lengths is None:
            self._lengths = {
                name: len(value) if isinstance(value, (list, tuple)) else None for name, value in scores.items()
            }
        values = ((scores[name],) if length is None else scores[name] for name, length in self._lengths.items())
        return [nan if value is None else value for value in chain.from_iterable(values)]

    def score_vectors(self, ids: InputOrder, numbers: Floats) -> ScoreVectors:
        """Decodes the numbers of outputs, shape (outputs, numbers)."""
        columns, start = dict[str, Floats](), 0
        for name, length in (self._lengths or {}).items():
            columns[name] = numbers[:, start] if length is None else numbers[:, start : start + length]
            start += 1 if length is None else length
        return ScoreVectors.of_columns(ids, columns)


class ScoreCollector:
    """Collects the results of every output, by system and metric.

    Memory: for each output, 8 bytes per additive statistic (36 for SARI, 10 for BLEU) or per score, and 8 bytes for the
    number of its input; for each input, some 150 bytes. Resampling several systems needs up to four times as much. Of
    more than ``most`` outputs, only sums are kept: one for each group of inputs, whose ids have the same hash.

    Args:
        metrics: The metrics.
        hint: What to do about a metric that cannot be resampled.
        most: The largest number of outputs that are kept.

    Raises:
        UsageError: if a metric's system score is neither a mean nor computed from summed statistics.
    """

    def __init__(
        self, metrics: Sequence[LabelledMetric], hint: str = "leave out --confidence", most: float = inf
    ) -> None:
        self._encoders = encoders_of(metrics, hint)
        self._most = most
        self._grouped: dict[str, list[ScoreVectors]] = {}
        self._sizes: dict[str, Counter[str]] = {}  # of each system, how many outputs each group has
        self._forget()

    def _forget(self) -> None:
        self._input_numbers: dict[str, int] = {}
        self._inputs: dict[str, array[int]] = {}
        self._columns: dict[str, list[array[float]]] = {}
        self._count = 0

    def add(self, instance_ids: Sequence[str], summarizer_ids: Sequence[str], results: Sequence[BatchScores]) -> None:
        """Adds scored outputs.

        Args:
            instance_ids: The input of each output.
            summarizer_ids: The system of each output.
            results: For each metric, the scores and additive statistics of all outputs.
        """
        rows_of_metrics = [encoder.rows(result) for encoder, result in zip(self._encoders, results, strict=True)]
        by_system: dict[str, list[int]] = {}
        for index, system in enumerate(summarizer_ids):
            by_system.setdefault(system, []).append(index)
        for system, indices in by_system.items():
            values = [chain.from_iterable(map(rows.__getitem__, indices)) for rows in rows_of_metrics]
            self._extend(system, [instance_ids[index] for index in indices], values)

    def merge(self, later: ScoreCollector) -> None:
        """Adds what another collector collected from later outputs, all of which it kept."""
        for encoder, other in zip(self._encoders, later._encoders, strict=True):
            encoder.take_over(other)
        names = list(later._input_numbers)
        for system, inputs in later._inputs.items():
            self._extend(system, [names[number] for number in inputs], later._columns[system])

    def _extend(self, system: str, ids: Sequence[str], values: Sequence[Iterable[float]]) -> None:
        if system not in self._columns:
            self._inputs[system] = array("q")
            self._columns[system] = [array("d") for _ in self._encoders]
        numbers = self._input_numbers
        self._inputs[system].extend(numbers.setdefault(name, len(numbers)) for name in ids)
        for column, of_metric in zip(self._columns[system], values, strict=True):
            column.extend(of_metric)
        self._count += len(ids)
        if self._count > (OUTPUTS_AT_ONCE if self._grouped else self._most):
            self._group()

    def _group(self) -> None:
        """Adds the outputs that are kept to the sums of their groups, and forgets them."""
        groups = {name: str(crc32(name.encode("utf-8", "surrogatepass")) % GROUPS) for name in self._input_numbers}
        codes = list(groups.values())
        for system, vectors in self._kept_vectors().items():
            found = [one.rounded(FRACTION_BITS).clustered(groups) for one in vectors]
            known = self._grouped.get(system)
            both = found if known is None else [ScoreVectors.joined(pair) for pair in zip(known, found, strict=True)]
            self._grouped[system] = both
            self._sizes.setdefault(system, Counter()).update(codes[number] for number in self._inputs[system])
        self._forget()

    def confidence(
        self, metrics: Sequence[LabelledMetric], resampling: Resampling, baseline: str | None, log: Log
    ) -> Confidence:
        """Computes intervals and tests.

        Args:
            metrics: The metrics of the run.
            resampling: How to resample. The intervals are those of the delta method if outputs are not kept.
            baseline: The system to compare the other systems with; `None` for the first system.
            log: Receives warnings.

        Raises:
            UnknownNameError: if the baseline is not one of the systems.
        """
        systems = self.score_vectors()
        if self._grouped:
            resampling = replace(resampling, method=DELTA)
        if baseline is not None and baseline not in systems:
            raise UnknownNameError("system", baseline, list(systems))
        inputs = {system: len(vectors[0].inputs) for system, vectors in systems.items()}
        warn_of_sizes(inputs, resampling, log, is_compared=baseline is not None)
        runs = list(systems.values())
        if len(systems) > 1:
            per_metric = zip(*(systems[system] for system in sorted(systems)), strict=True)
            runs.append([ScoreVectors.joined(vectors) for vectors in per_metric])
        with steps_of(log):
            # all systems in one call, so that systems with the same number of inputs share draws
            found = bootstrap_intervals(list(chain.from_iterable(runs)), resampling)
            results = (within_range(metric.metric, one) for metric, one in zip(cycle(metrics), found, strict=False))
            intervals = [renamed(metrics, results) for _ in runs]
            warn_of_undefined(intervals, resampling, log)
            significance = None
            if len(systems) > 1:
                first = baseline or next(iter(systems))
                common = (self._all_outputs if self._grouped else _common_inputs)(systems, first, log)
                significance = _significance(systems, metrics, resampling, first, common, log)
        return Confidence(resampling, intervals[-1], dict(zip(systems, intervals, strict=False)), significance)

    def score_vectors(self) -> dict[str, list[ScoreVectors]]:
        """Returns the vectors of each system for each metric; systems are in the order of their first outputs.

        There is one vector per input, or per group of inputs if outputs are not kept.
        """
        if not self._grouped:
            return self._kept_vectors()
        self._group()
        return self._grouped

    def _kept_vectors(self) -> dict[str, list[ScoreVectors]]:
        import numpy as np

        names = list(self._input_numbers)
        vectors = {}
        orders: dict[bytes, InputOrder] = {}  # most systems have the same inputs in the same order
        for system, columns in self._columns.items():
            numbers_of_inputs = self._inputs[system]
            key = numbers_of_inputs.tobytes()
            if key not in orders:
                orders[key] = InputOrder([names[number] for number in numbers_of_inputs])
            order = orders[key]
            matrices = (np.asarray(column).reshape(len(order), -1) for column in columns)
            vectors[system] = [
                encoder.score_vectors(order, numbers) for encoder, numbers in zip(self._encoders, matrices, strict=True)
            ]
        return vectors

    def _all_outputs(self, systems: Mapping[str, Sequence[ScoreVectors]], baseline: str, log: Log) -> dict[str, int]:
        """Returns on how many outputs each system is compared with the baseline; which inputs both have is unknown."""
        sizes, first = self._sizes, systems[baseline]
        for system, vectors in systems.items():
            pairs = [(one.counts, other.counts) for one, other in zip(first, vectors, strict=True)]
            if sizes[system] != sizes[baseline] or any((one != other).any() for one, other in pairs):
                log.warn(
                    f"'{system}' and '{baseline}' are not scored for the same inputs; with more than {self._most:,} "
                    "outputs, they are compared on all of their scored outputs"
                )
        total = {system: sum(of_groups.values()) for system, of_groups in sizes.items()}
        return {system: min(total[system], total[baseline]) for system in systems if system != baseline}


def _common_inputs(systems: Mapping[str, Sequence[ScoreVectors]], baseline: str, log: Log) -> dict[str, int]:
    """Returns how many inputs each system shares with the baseline, if there are any."""
    common, baseline_inputs = dict[str, int](), set(systems[baseline][0].inputs)
    for system, (vectors, *_) in systems.items():
        if system == baseline:
            continue
        count = len(baseline_inputs.intersection(vectors.inputs))
        if count < max(len(vectors.inputs), len(baseline_inputs)):
            how = f"compared on the {count} inputs that both have" if count else "not compared: they share no input"
            log.warn(f"'{system}' and '{baseline}' have outputs for different inputs, and are {how}")
        if count:
            common[system] = count
    return common


def _significance(
    systems: Mapping[str, Sequence[ScoreVectors]],
    metrics: Sequence[LabelledMetric],
    resampling: Resampling,
    baseline: str,
    inputs: dict[str, int],
    log: Log,
) -> Significance:
    """Compares systems with the baseline.

    Args:
        systems: The outputs of each system.
        metrics: The metrics of the run.
        resampling: How to test.
        baseline: The baseline.
        inputs: System to the number of inputs on which it is compared.
        log: Receives warnings.
    """
    significance = Significance(baseline, inputs)
    pairs = [pair for system in significance.inputs for pair in zip(systems[baseline], systems[system], strict=True)]
    tests = paired_p_values(pairs, resampling.test, resampling)
    p_values = (test.p_values for test in tests)
    significance.p_values = {system: renamed(metrics, p_values) for system in significance.inputs}
    significance.adjusted = adjusted(significance.p_values)
    scored_of_tests = (test.scored for test in tests)
    scored = {system: renamed(metrics, scored_of_tests) for system in significance.inputs}
    significance.scored = {system: of_system for system, of_system in scored.items() if of_system}
    groups: dict[str, list[str]] = {}
    for name in significance.names_of_scored:
        groups.setdefault(described_inputs(significance, name), []).append(name)
    for described, names in groups.items():
        log.warn(f"{quoted(names)}: compared on the inputs for which both systems have a score: {described}")
    for too_few in significance.too_few(resampling):
        log.warn(too_few)
    return significance


def adjusted(p_values: Mapping[str, PValues]) -> dict[str, PValues]:
    """Applies Holm's correction over the systems, score by score."""
    adjusted: dict[str, PValues] = {system: {} for system in p_values}
    for name in dict.fromkeys(chain.from_iterable(p_values.values())):
        with_score = [system for system in p_values if name in p_values[system]]
        columns = [
            holm(column) for column in zip(*(_as_list(p_values[system][name]) for system in with_score), strict=True)
        ]
        for index, system in enumerate(with_score):
            row = [column[index] for column in columns]
            adjusted[system][name] = row if isinstance(p_values[system][name], list) else row[0]
    return adjusted


def _as_list(value: Value | list[Value]) -> list[Value]:
    return value if isinstance(value, list) else [value]


def renamed(metrics: Sequence[LabelledMetric], results: Iterator[Mapping[str, Result]]) -> dict[str, Result]:
    """Joins the next results, one per metric, and renames their scores by the labels of the metrics."""
    return {
        metric.renamed_score(name): value
        for metric, scores in zip(metrics, results, strict=False)
        for name, value in scores.items()
    }


def within_range(metric: Metric, intervals: Intervals) -> Intervals:
    """Returns the intervals of the scores of a metric, ends cut to the ranges that it declares."""
    own = [metric.name] if metric.name in intervals else [*intervals]
    ranges = {**dict.fromkeys(own, metric.score_range), **metric.component_ranges}
    cut: Intervals = {}
    for name, found in intervals.items():
        ends = ranges.get(name, (None, None))
        cut[name] = [one.within(*ends) for one in found] if isinstance(found, list) else found.within(*ends)
    return cut


def warn_of_sizes(
    sizes: Mapping[str, int], resampling: Resampling, log: Log, *, unit: str = "input", is_compared: bool
) -> None:
    """Warns of systems with too few inputs for intervals, and of a single system that is compared.

    Args:
        sizes: System to its number of inputs or clusters.
        resampling: How to resample.
        log: Receives warnings.
        unit: What is resampled: ``input`` or ``cluster``.
        is_compared: Whether systems are compared with each other, or with a baseline that was chosen.
    """
    if is_compared and len(sizes) == 1:
        log.warn(f"'{next(iter(sizes))}' is the only system; there is nothing to compare it with")
    single = [system for system, count in sizes.items() if count == 1]
    if single and resampling.method != "none":
        what = "have zero width and are meaningless" if resampling.method == PERCENTILE else "are undefined"
        for system in single[:MAX_NAMES_LISTED]:
            log.warn(f"'{system}' has outputs for one {unit} only; its intervals {what}")
    if (too_short := resampling.too_short_for(sizes, unit)) is not None:
        log.warn(too_short)


def warn_of_undefined(runs: Sequence[Intervals], resampling: Resampling, log: Log) -> None:
    """Warns of scores that are undefined in some resamples."""
    most: dict[str, int] = {}
    for intervals in runs:
        for name, interval in intervals.items():
            most[name] = max(most.get(name, 0), *(part.undefined_resamples or 0 for part in _as_list(interval)), 0)
    for name, count in most.items():
        if count:
            log.warn(
                f"'{name}' is undefined in up to {count} of {resampling.resamples} resamples of a system; they are "
                "excluded from its interval"
            )
    if resampling.method != PERCENTILE:
        _warn_of_intervals_without_ends(runs, resampling, log)


def _warn_of_intervals_without_ends(runs: Sequence[Intervals], resampling: Resampling, log: Log) -> None:
    """Warns of scores that a method has no interval for, although some resamples have a score."""
    names = {
        name: None
        for intervals in runs
        for name, interval in intervals.items()
        if any(
            not part.is_defined
            and part.reason not in (NO_VARIATION, SINGLE_UNIT)
            and (part.undefined_resamples or 0) < resampling.resamples
            for part in _as_list(interval)
        )
    }
    if names:
        method = METHOD_NAMES[resampling.method]
        log.warn(
            f"the {method} interval of {', '.join(names)} is undefined for at least one system: without one of its "
            "inputs, the score is undefined, or all resamples are on one side of the score; use the "
            "method 'percentile' (--ci percentile)"
        )


def described_inputs(significance: Significance, name: str) -> str:
    """Describes the inputs on which systems were compared with the baseline under a score.

    Args:
        significance: The tests.
        name: The flat name of the score.
    """
    counts = {
        system: (count, significance.inputs[system])
        for system, count in significance.inputs_of(name).items()
        if count < significance.inputs[system]
    }
    parts = [f"{count or 'none'} of {inputs} for '{system}'" for system, (count, inputs) in counts.items()]
    return listed_names(parts)


def signature_fields(resampling: Resampling, systems: int, most: int) -> dict[str, Any]:
    """Returns the signature fields of resampling, under sacreBLEU's names.

    Args:
        resampling: How to resample.
        systems: The number of systems; a single one is not tested.
        most: The largest number of inputs or clusters of a system. If all their swaps are enumerated, the number of
            trials is ``exact``.
    """
    fields: dict[str, Any] = {"bs": resampling.resamples} if resampling.draws_intervals else {}
    if systems > 1:
        name = {"randomization": "ar", "paired-ar": "par", "paired-bs": "pbs"}.get(resampling.test, resampling.test)
        fields[name] = "exact" if resampling.enumerates(most) else resampling.number_of_trials
    if fields:
        fields["seed"] = resampling.seed
    if resampling.level != LEVEL:
        fields["level"] = resampling.level
    if resampling.method != PERCENTILE:
        fields["ci"] = resampling.method
    return fields
