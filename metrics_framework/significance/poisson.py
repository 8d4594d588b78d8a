"""``--resampling poisson``: intervals and tests from sums that are computed as outputs are scored (decision 0018).

Weights are random, a function of an input's id, the number of the resample and the seed: they need no order of the
inputs and no list of them. Sums are exact, so the same for any order and any split of the outputs. In a Poisson
bootstrap, each input has an independent weight from a Poisson distribution with mean 1 in each resample; with many
inputs, its resamples are distributed as those of drawing with replacement.

Sources: Hanley and MacGibbon (Computer Methods and Programs in Biomedicine, 2006) and Chamandy, Muralidharan, Najmi and
Naidu (Google technical report, 2012) for the Poisson bootstrap; Steele, Lea and Flood (OOPSLA 2014) for SplitMix64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import quoted
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.confidence import (
    Collector,
    Confidence,
    PValues,
    Significance,
    adjusted,
    encoders_of,
    renamed,
    warn_of_single_inputs,
    warn_of_undefined,
)
from metrics_framework.significance.interval_methods import Intervals, per_number, percentile_interval
from metrics_framework.significance.paired_tests import (
    Observed,
    ScoredInputs,
    as_large,
    centred,
    comparison_of,
    larger,
    observed_of,
)
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import FORMULA_ROUNDING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Words = npt.NDArray[np.uint64]

NO_INPUTS = ScoredInputs(0, 0, exact=False)
FRACTION_BITS = 30
"""Fractions are rounded to multiples of 2⁻³⁰, so that their sums are exact."""
LARGEST = 1 << 38
"""Numbers of outputs must be smaller: 2,048 of them, with weights up to 8, then have exact sums in floats."""
_STEP = 0x9E3779B97F4A7C15
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_SHIFTS = (30, 27, 31)
_LANE_BITS = 16
_LANES = 64 // _LANE_BITS
_INPUTS_AT_ONCE = 64
"""The number of inputs whose words are computed together, so that they stay in the CPU's cache."""


class PoissonCollector(Collector):
    """Sums the statistics or scores of each system in each resample.

    Memory does not depend on the number of outputs: 48 bytes for each number of an output, resample and system, as many
    for trials.

    Args:
        metrics: The metrics.
        resampling: How to resample.

    Raises:
        UsageError: if a metric cannot be resampled.
    """

    def __init__(self, metrics: Sequence[LabelledMetric], resampling: Resampling) -> None:
        self._encoders = encoders_of(metrics, "leave out --confidence")
        self._labels = [metric.label for metric in metrics]
        self._resampling = resampling
        self._systems: dict[str, list[PoissonSums]] = {}

    @overrides
    def add(self, instance_ids: Sequence[str], summarizer_ids: Sequence[str], results: Sequence[BatchScores]) -> None:
        import numpy as np

        names = {name: index for index, name in enumerate(dict.fromkeys(instance_ids))}
        words = input_words(list(names), self._resampling.seed)
        weights, swapped = poisson_weights(words, self._draws), swaps(words, self._resampling.number_of_trials)
        rows = [self._numbers(index, result) for index, result in enumerate(results)]
        by_system: dict[str, list[int]] = {}
        for index, system in enumerate(summarizer_ids):
            by_system.setdefault(system, []).append(index)
        for system, members in by_system.items():
            inputs = [names[instance_ids[index]] for index in members]
            all_inputs = inputs == list(range(len(names)))
            factors = (weights, swapped) if all_inputs else (weights[inputs], swapped[inputs])
            of_inputs = words[inputs].tolist()
            sums = self._sums_of(system, [numbers.shape[1] for numbers in rows])
            for label, numbers, of_metric in zip(self._labels, rows, sums, strict=True):
                try:
                    of_metric.add(np.asarray(numbers[members]), *factors, of_inputs)
                except ValueError as error:
                    raise UsageError(f"cannot resample '{label}' with --resampling poisson: {error}") from None

    @property
    def _draws(self) -> int:
        return max(self._resampling.resamples, self._resampling.number_of_trials)

    def _numbers(self, index: int, result: BatchScores) -> Floats:
        import numpy as np

        return np.array(self._encoders[index].rows(result), dtype=np.float64)

    def _sums_of(self, system: str, widths: Sequence[int]) -> list[PoissonSums]:
        if system not in self._systems:
            trials = self._resampling.number_of_trials
            self._systems[system] = [PoissonSums(width, self._draws, trials) for width in widths]
        return self._systems[system]

    @overrides
    def merge(self, later: Any) -> None:
        for encoder, other in zip(self._encoders, later._encoders, strict=True):
            encoder.take_over(other)
        for system, others in later._systems.items():
            sums = self._sums_of(system, [len(one.infinite) for one in others])
            for own, other in zip(sums, others, strict=True):
                own.merge(other)

    @overrides
    def confidence(
        self, metrics: Sequence[LabelledMetric], resampling: Resampling, baseline: str | None, log: Log
    ) -> Confidence:
        functions = [encoder.scores_of_sums() for encoder in self._encoders]
        columns = [encoder.columns() for encoder in self._encoders]
        systems = {system: list(map(MetricSums, functions, sums, columns)) for system, sums in self._systems.items()}
        return poisson_confidence(systems, metrics, resampling, baseline, log)


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
    scores = [one.scores_of(one.sums.totals) for one in (first, second)]  # sums are exact
    rounding = [{name: FORMULA_ROUNDING * abs(values) for name, values in one.items()} for one in scores]
    observed = observed_of(*zip(scores, scores, rounding, strict=True))
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


class PoissonSums:
    """Sums of the numbers of a system's outputs in each resample and after each trial's swaps.

    A number is the sum of an integer and a fraction of 30 bits; both are summed as integers. A missing number (NaN)
    counts as 0, and its weights are summed, so that means can leave it out.

    Args:
        width: The number of numbers of an output.
        resamples: The number of resamples.
        trials: The number of trials.

    Attributes:
        outputs: The number of outputs.
        checksum: The sum of the random words of their inputs; it shows whether two systems have the same inputs.
        infinite: Which numbers were infinite for at least one output.
        missing: For each number, the sum of the random words of the inputs without it.
    """

    def __init__(self, width: int, resamples: int, trials: int) -> None:
        import numpy as np

        self.outputs = 0
        self.checksum = 0
        self.infinite = np.zeros(width, dtype=bool)
        self.missing = [0] * width
        self._drawn = np.zeros((3 * width + 1, resamples), dtype=np.int64)
        self._moved = np.zeros((3 * width + 1, trials), dtype=np.int64)
        self._totals = np.zeros((3 * width + 1, 1), dtype=np.int64)

    def add(self, numbers: Floats, weights: Floats, swapped: Floats, words: Sequence[int]) -> None:
        """Adds outputs.

        Args:
            numbers: The numbers of each output, shape (outputs, width).
            weights: The weights of their inputs in each resample, shape (outputs, resamples).
            swapped: Whether each trial swaps their inputs, shape (outputs, trials).
            words: The random words of their inputs.
        """
        import numpy as np

        self.outputs += len(numbers)
        self.checksum = (self.checksum + sum(words)) % (1 << 64)
        self.infinite |= np.isinf(numbers).any(axis=0)
        for row, column in np.argwhere(np.isnan(numbers)).tolist():
            self.missing[column] = (self.missing[column] + words[row]) % (1 << 64)
        parts = _integer_parts(numbers)
        used = np.flatnonzero(parts.any(axis=1))
        for sums, factors in ((self._drawn, weights), (self._moved, swapped)):
            sums[used] += np.rint(parts[used] @ factors).astype(np.int64)
        self._totals[used] += parts[used].sum(axis=1, keepdims=True).astype(np.int64)

    def merge(self, later: PoissonSums) -> None:
        """Adds the sums of other outputs."""
        self.outputs += later.outputs
        self.checksum = (self.checksum + later.checksum) % (1 << 64)
        self.infinite |= later.infinite
        self.missing = [(own + other) % (1 << 64) for own, other in zip(self.missing, later.missing, strict=True)]
        self._drawn += later._drawn
        self._moved += later._moved
        self._totals += later._totals

    @property
    def drawn(self) -> Floats:
        """The sums in each resample, shape (resamples, 2 · width): of numbers, then the weights of defined numbers."""
        return _as_floats(self._drawn, self.infinite)

    @property
    def moved(self) -> Floats:
        """The sums of the outputs that each trial swaps, shape (trials, 2 · width)."""
        return _as_floats(self._moved, self.infinite)

    @property
    def totals(self) -> Floats:
        """The sums of all outputs, shape (1, 2 · width)."""
        return _as_floats(self._totals, self.infinite)


def _integer_parts(numbers: Floats) -> Floats:
    """Returns integers, fractions as multiples of 2⁻³⁰, 1 where a number is missing, and 1 for each output.

    Args:
        numbers: Shape (outputs, width).

    Returns:
        Shape (3 · width + 1, outputs).

    Raises:
        ValueError: if a number is too large.
    """
    import numpy as np

    missing = ~np.isfinite(numbers)
    columns = np.where(missing, 0.0, numbers).T
    if np.abs(columns).max(initial=0) >= LARGEST:
        raise ValueError(f"resampled numbers must be smaller than 2³⁸, got {np.abs(columns).max():g}")
    integers = np.floor(columns)
    fractions = np.rint((columns - integers) * (1 << FRACTION_BITS))
    return np.concatenate([integers, fractions, missing.T, np.ones((1, len(numbers)))])


def _as_floats(sums: Integers, infinite: npt.NDArray[np.bool_]) -> Floats:
    import numpy as np

    width = len(infinite)
    integers, fractions, missing = sums[:width], sums[width : 2 * width], sums[2 * width : 3 * width]
    values = integers + fractions / float(1 << FRACTION_BITS)
    values[infinite] = np.nan
    joined: Floats = np.concatenate([values, sums[-1:] - missing]).T.astype(np.float64)
    return joined


def input_words(ids: Sequence[str], seed: int) -> Words:
    """Returns a random word for each input, from its id and the seed; equal on every machine."""
    import numpy as np

    key = seed.to_bytes(8, "little", signed=False) if seed < 1 << 64 else str(seed).encode()[:64]
    digests = (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for name in ids)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def poisson_weights(words: Words, count: int) -> Floats:
    """Returns how often each resample counts each input, shape (inputs, count).

    A weight is the quantile of 16 random bits in a Poisson distribution with mean 1; its mean is 1, and its variance is
    too small by 3e-5.

    Args:
        words: The random word of each input.
        count: The number of resamples.
    """
    import numpy as np

    weights = np.empty((len(words), count))
    quantiles = _quantiles()
    for start in range(0, len(words), _INPUTS_AT_ONCE):
        block = _random_words(words[start : start + _INPUTS_AT_ONCE], 0, -(-count // _LANES))
        weights[start : start + _INPUTS_AT_ONCE] = quantiles.take(block.view("<u2")[:, :count])
    return weights


def swaps(words: Words, count: int) -> Floats:
    """Returns 1 where a trial swaps the outputs for an input, else 0, shape (inputs, count)."""
    import numpy as np

    swapped = np.empty((len(words), count))
    for start in range(0, len(words), _INPUTS_AT_ONCE):
        block = _random_words(words[start : start + _INPUTS_AT_ONCE], 1 << 32, -(-count // 64))
        bits = np.unpackbits(block.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        swapped[start : start + _INPUTS_AT_ONCE] = bits[:, :count]
    return swapped


def _random_words(words: Words, first: int, count: int) -> Words:
    """Returns outputs of SplitMix64, shape (inputs, count): each input's word is the state of its generator.

    Args:
        words: The states.
        first: The number of outputs to skip.
        count: The number of outputs.
    """
    import numpy as np

    steps = np.arange(first + 1, first + 1 + count, dtype=np.uint64) * np.uint64(_STEP)
    mixed = words[:, None] + steps
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    words_of_inputs: Words = mixed ^ (mixed >> np.uint64(_SHIFTS[-1]))
    return words_of_inputs


@cache
def _quantiles() -> npt.NDArray[np.uint8]:
    """Returns the weight for each value of a lane."""
    import numpy as np

    values = 1 << _LANE_BITS
    ends, below = [], 0.0
    for weight in range(12):
        below += math.exp(-1) / math.factorial(weight)
        ends.append(round(below * values))
    return np.searchsorted(np.array(ends), np.arange(values), side="right").astype(np.uint8)
