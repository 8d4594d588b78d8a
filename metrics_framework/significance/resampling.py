"""Resamples inputs (decision 0018): settings, random draws, and the sums of score vectors of each resample.

The input is resampled, not the output: a drawn input contributes the outputs of every system. Inputs are sorted first
(numbers by value, then other ids as strings), so results do not depend on the order of the rows. The draws equal those
of sacreBLEU 2.6.0 for the same number of lines and the same seed.

Memory: besides the score vectors, 8 bytes for each number of each resampled sum, and at most 64 MB for a block of draws
and weights (for more than four million inputs, 16 bytes per input; for swaps of more than 131,072 inputs, another 32).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeVar, get_args

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError, counted
from metrics_framework.common.logs import long_work
from metrics_framework.significance.confidence_level import as_fraction

Value = TypeVar("Value")
Test = Literal["randomization", "bootstrap", "bootstrap-t", "paired-ar", "paired-bs"]
"""The paired significance tests; the last two are sacreBLEU's."""
TEST_NAMES = {
    "randomization": "paired randomization test",
    "bootstrap": "paired bootstrap test",
    "bootstrap-t": "symmetric bootstrap-t test",
    "paired-ar": "sacreBLEU's paired approximate randomization",
    "paired-bs": "sacreBLEU's paired bootstrap",
}
CITATIONS: Mapping[str, str] = {
    "randomization": "riezler-maxwell-2005-pitfalls",
    "bootstrap": "koehn-2004-statistical",
    "bootstrap-t": "koehn-2004-statistical",
    "paired-ar": "riezler-maxwell-2005-pitfalls",
    "paired-bs": "koehn-2004-statistical",
}
"""The papers to cite for the tests, by their keys in ``citations.bib``."""
ComparedBy = Literal["percentile", "bca", "studentized", "jackknife", "none"]
"""The methods of `fw compare`, which can leave intervals out."""
IntervalMethod = Literal[ComparedBy, "delta"]
METHOD_NAMES: Mapping[IntervalMethod, str] = {
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "studentized": "studentized bootstrap",
    "jackknife": "jackknife",
    "none": "no intervals",
    "delta": "delta method",
}
DELTA: IntervalMethod = "delta"
"""The method of very many outputs, which nobody chooses: the jackknife over groups of inputs."""
WITHOUT_DRAWS: tuple[IntervalMethod, ...] = ("jackknife", "none", DELTA)
INTERVAL_METHODS = tuple(name for name in METHOD_NAMES if name not in ("none", DELTA))
METHOD: ComparedBy = "studentized"
"""The default method, which covers from 8 inputs on."""
PERCENTILE: IntervalMethod = "percentile"
"""The method of sacreBLEU, which signatures and results files do not name."""
RESAMPLES = 1000
PAIRED_TRIALS: Mapping[str, int] = {"paired-ar": 10_000, "paired-bs": RESAMPLES}
"""The numbers of trials of sacreBLEU's tests."""
SEED = 0
SACREBLEU_SEED = 12345
SACREBLEU: Mapping[str, Any] = {"method": PERCENTILE, "seed": SACREBLEU_SEED}
"""The arguments of `Resampling` with which intervals and tests are those of sacreBLEU."""
LEVEL = 0.95
CONFIDENCE_OPTIONS = ("level", "method", "resamples", "seed")
"""The parameters of `Resampling` that options of intervals set."""
BLOCK_WEIGHTS = 1 << 22
"""The largest number of weights in memory, unless a single resample has more."""
MIN_INPUTS = 20
"""With fewer inputs, bootstrap intervals are clearly too short (`benchmarks/coverage.py`)."""
ENUMERATED_TRIALS = 1 << 13
"""Up to this many trials of the randomization test are enumerated even if fewer are requested: 14 inputs."""
MANY_INPUTS = sys.maxsize
RANDOM_WORD = 32
"""The generator uses random words of this many bits; after each call it discards the rest of the last word."""


@dataclass(frozen=True)
class Resampling:
    """How inputs are resampled.

    Args:
        resamples: The number of resamples.
        seed: The seed of NumPy's default generator.
        level: The confidence level of the intervals.
        method: How intervals are computed: ``percentile``, ``bca``, ``studentized`` or ``jackknife``.
        test: The paired significance test of two systems.
        trials: The number of trials of the test; `None` for as many as resamples.

    Raises:
        InputError: if the level is not between 0 and 1, the seed is negative, the method or test is unknown, there are
            no trials, or there are too few resamples for one of them to be outside either end of an interval.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    level: float = LEVEL
    method: IntervalMethod = METHOD
    test: Test = "randomization"
    trials: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHOD_NAMES:
            raise InputError(f"'method' must be one of {', '.join(INTERVAL_METHODS)}, got {self.method!r}")
        if not 0 < self.level < 1:
            raise InputError(f"the confidence level must be between 0 and 1 (0.95, for example), got {self.level}")
        if self.seed < 0:
            raise InputError(f"the seed must be a non-negative integer, got {self.seed}")
        if self.test not in get_args(Test):
            raise InputError(f"'test' must be one of {', '.join(get_args(Test))}, got '{self.test}'")
        if self.trials is not None and self.trials < 1:
            raise InputError(f"the number of trials must be a positive integer, got {self.trials}")
        fewest = math.ceil(round(1 / self.tail, 9))
        if self.resamples < fewest:
            raise InputError(
                f"a {100 * self.level:g} % interval needs at least {fewest} resamples, got {self.resamples}"
            )

    @property
    def draws_intervals(self) -> bool:
        """Whether intervals need resamples."""
        return self.method not in WITHOUT_DRAWS

    @property
    def tail(self) -> float:
        """The fraction of the resamples beyond each end of an interval."""
        return (1 - self.level) / 2

    @property
    def alpha(self) -> float:
        """The significance level: 1 minus the confidence level."""
        return round(1 - self.level, 12)

    @property
    def number_of_trials(self) -> int:
        """The number of trials of a significance test that does not enumerate them."""
        return self.resamples if self.trials is None else self.trials

    @property
    def has_half_widths(self) -> bool:
        """Whether tables print ± half the width, as sacreBLEU does; other intervals need not be symmetric."""
        return self.method == PERCENTILE

    @property
    def described_intervals(self) -> str:
        """The method of the intervals, for legends.

        >>> Resampling().described_intervals, Resampling(method="bca").described_intervals
        ('studentized, 1000 bootstrap resamples', 'BCa, 1000 bootstrap resamples')
        """
        if not self.draws_intervals:
            return METHOD_NAMES[self.method]
        named = {"bca": "BCa, ", "studentized": "studentized, "}.get(self.method, "")
        return f"{named}{self.resamples} bootstrap resamples"

    def too_short_for(self, systems: Mapping[str, int], unit: str = "input") -> str | None:
        """Returns a warning if intervals of systems with few inputs are too short, otherwise `None`.

        Args:
            systems: System to its number of inputs; those with a single input are ignored.
            unit: What is resampled: ``input`` or ``cluster``.

        >>> Resampling(method="bca").too_short_for({"A": 7, "B": 5, "C": 20}).split(", and ")[0]
        '2 of 3 systems have outputs for fewer than 20 inputs (5 or more)'
        """
        few = [count for count in systems.values() if 1 < count < MIN_INPUTS]
        if not few or self.method in ("studentized", *WITHOUT_DRAWS):
            return None
        return (
            f"{len(few)} of {counted(len(systems), 'system')} {'has' if len(few) == 1 else 'have'} outputs for fewer "
            f"than {MIN_INPUTS} {unit}s ({min(few)} or more), and bootstrap intervals that are too short (95 % "
            "intervals contain the true mean in 80 % of cases for 5, 89 % for 10 and 93 % for 20); "
            "the methods 'studentized' and 'jackknife' (--ci) make them longer, 'bca' only corrects them for skewness"
        )

    def enumerates(self, inputs: int) -> bool:
        """Returns whether the randomization test of this many inputs enumerates all swaps: then it is exact.

        Swapping the outputs of all inputs negates the difference, so that 2ⁿ⁻¹ trials represent all 2ⁿ swaps.
        """
        return self.test == "randomization" and inputs <= max(ENUMERATED_TRIALS, self.number_of_trials).bit_length()

    def trials_of(self, inputs: int) -> int:
        """Returns the number of trials of the significance test of this many inputs.

        >>> Resampling().trials_of(5), Resampling().trials_of(14), Resampling().trials_of(15)
        (16, 8192, 1000)
        """
        return 2 ** (inputs - 1) if self.enumerates(inputs) else self.number_of_trials

    def described_test(self, inputs: Collection[int]) -> str:
        """Describes the significance tests of some comparisons.

        Args:
            inputs: The number of inputs of each comparison.

        >>> Resampling().described_test([48]), Resampling().described_test([5, 5])
        ('paired randomization test, 1000 trials', 'exact paired randomization test')
        >>> Resampling().described_test([5, 48])
        'paired randomization test, 1000 trials; exact for 5 inputs'
        """
        exact = sorted({count for count in inputs if self.enumerates(count)})
        if inputs and exact == sorted(set(inputs)):
            return "exact paired randomization test"
        listing = ", ".join(map(str, exact))
        described = f"{TEST_NAMES[self.test]}, {self.number_of_trials} trials"
        return f"{described}; exact for {listing} inputs" if exact else described

    def least_p(self, inputs: int) -> float:
        """Returns the least p-value that a test on this many inputs can have."""
        return 1 / (self.trials_of(inputs) + (0 if self.enumerates(inputs) else 1))

    def too_few_for(
        self, comparisons: int, inputs: int = MANY_INPUTS, flag: str | None = None, unit: str = "input"
    ) -> str | None:
        """Returns a warning if no p-value can be significant after Holm's correction, otherwise `None`.

        Args:
            comparisons: The number of systems compared with the baseline. The smallest adjusted p-value possible is
                this number times the smallest p-value.
            inputs: The largest number of inputs on which a system is compared; by default too many to enumerate.
            flag: The flag for the number of trials; by default that of ``fw evaluate``.
            unit: What is swapped: ``input`` or ``cluster``.

        >>> Resampling(resamples=200).too_few_for(19)
        '19 comparisons with 200 trials cannot be significant at 0.05; use --resamples 380 or more'
        >>> Resampling(resamples=380).too_few_for(19)
        >>> Resampling().too_few_for(1, inputs=5)
        '1 comparison on 5 inputs cannot be significant at 0.05: its smallest p-value is 0.0625; use 6 inputs or more'
        """
        from metrics_framework.significance.multiple_testing import is_significant

        smallest = self.least_p(inputs)
        if not comparisons or is_significant(comparisons * smallest, self.alpha):
            return None
        if self.enumerates(inputs):
            needed = next(n for n in count(inputs + 1) if is_significant(comparisons / 2 ** (n - 1), self.alpha))
            whose = "its" if comparisons == 1 else "their"
            return (
                f"{counted(comparisons, 'comparison')} on {counted(inputs, unit)} cannot be significant at "
                f"{self.alpha:g}: {whose} smallest p-value is {smallest:g}; use {needed} {unit}s or more"
            )
        trials = self.number_of_trials
        least = max(trials + 1, math.floor(comparisons / self.alpha) - 1)
        enough = next(n for n in count(least) if is_significant(comparisons / (n + 1), self.alpha))
        flag = flag or ("--resamples" if self.trials is None else f"--{self.test}-n")
        return (
            f"{comparisons} comparisons with {trials} trials cannot be significant at {self.alpha:g}; "
            f"use {flag} {enough} or more"
        )


DEFAULT_RESAMPLING = Resampling()


def resampling_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of `Resampling` that options of intervals set; a level may be in percent.

    Raises:
        InputError: if the level is not a confidence level.

    >>> resampling_arguments({"level": 90, "method": "bca"})
    {'level': 0.9, 'method': 'bca'}
    """
    return {**options, "level": as_fraction(options["level"])} if "level" in options else dict(options)


def swap_weights(inputs: int, resampling: Resampling, width: int = 0) -> Iterator[Floats]:
    """Yields 1 where a random trial swaps the outputs of two systems, else 0, in blocks of shape (trials, inputs).

    Args:
        inputs: The number of inputs.
        resampling: How to resample.
        width: The number of sums that the caller computes for each trial; the more, the smaller the blocks.
    """
    import numpy as np

    generator = np.random.default_rng(resampling.seed)
    trials, yielded = resampling.number_of_trials, max(1, BLOCK_WEIGHTS // (inputs + width))
    # One call draws whole random words, so that splitting the draws into calls does not change them.
    rows = max(1, BLOCK_WEIGHTS // inputs // RANDOM_WORD) * RANDOM_WORD
    for first in range(0, trials, rows):
        kept = generator.integers(2, size=(min(rows, trials - first), inputs), dtype=bool)
        for start in range(0, len(kept), yielded):
            yield (~kept[start : start + yielded]).astype(np.float64)


def all_swaps(inputs: int, width: int = 0) -> Iterator[Floats]:
    """Yields the weights of all swaps that keep the last input: any other swap negates the difference of one of them.

    Args:
        inputs: The number of inputs.
        width: As for `swap_weights`.

    Returns:
        Blocks of shape (trials, inputs), like `swap_weights`; 2ⁿ⁻¹ trials for n inputs.
    """
    import numpy as np

    trials, rows = 2 ** (inputs - 1), max(1, BLOCK_WEIGHTS // (inputs + width))
    for start in range(0, trials, rows):
        numbers = np.arange(start, min(start + rows, trials))
        yield ((numbers[:, None] >> np.arange(inputs)) & 1).astype(np.float64)


def exact_part(matrix: Floats) -> Floats:
    """Rounds the numbers of each column so that all sums of as many of them, also with repetitions, are exact."""
    import numpy as np

    bits = 52 - len(matrix).bit_length()
    _, exponents = np.frexp(np.fmax.reduce(abs(matrix), axis=0, initial=0.0))
    rounded: Floats = np.ldexp(np.rint(np.ldexp(matrix, bits - exponents)), exponents - bits)
    return rounded


def sums_of_blocks(blocks: Iterator[Floats], matrices: Sequence[Floats]) -> Iterator[list[Floats]]:
    """Sums the vectors of several matrices with the weights of resamples.

    Args:
        blocks: The weights, in blocks of shape (resamples, inputs).
        matrices: One vector per input, shape (inputs, width).

    Yields:
        For each block the sums of each matrix, shape (resamples, width).
    """
    import numpy as np

    # Exact sums are the same in any order, so BLAS may compute them: of the first digits of numbers, and of the rest.
    columns, with_rest = list[Floats](), list[Any]()
    for matrix in matrices:
        numbers = np.where(np.isinf(matrix), np.nan, matrix)
        first = exact_part(numbers)
        rest = exact_part(numbers - first)
        has_rest = rest.any(axis=0)
        with_rest.append(slice(None) if has_rest.all() else has_rest)  # a slice takes less than all indices
        columns += [first, rest[:, with_rest[-1]]]
    ends = np.cumsum([part.shape[1] for part in columns])[:-1]
    joined = np.concatenate(columns, axis=1)
    for block in blocks:
        # Column by column in memory: the sums of a matrix are then a block, and so is each of its columns.
        parts = np.split((joined.T @ block.T).T, ends, axis=1)
        for sums, rests, which in zip(parts[::2], parts[1::2], with_rest, strict=True):
            sums[:, which] += rests
        yield parts[::2]


def weighted_sums(blocks: Iterator[Floats], matrices: Sequence[Floats], resamples: int) -> list[Floats]:
    """Sums the vectors of each matrix with the weights of each resample.

    Args:
        blocks: The weights, in blocks of shape (resamples, inputs).
        matrices: One vector per input, shape (inputs, width).
        resamples: The number of resamples in all blocks.

    Returns:
        For each matrix the sums, shape (resamples, width).
    """
    import numpy as np

    sums = [np.empty((matrix.shape[1], resamples)).T for matrix in matrices]
    start, what = 0, f"computing {resamples:,} resamples"
    with long_work(what, resamples, "fewer resamples take less", "computed", "resamples") as work:
        for parts in sums_of_blocks(blocks, matrices):
            end = start + len(parts[0])
            for result, part in zip(sums, parts, strict=True):
                result[start:end] = part
            work.advance(end - start)
            start = end
    return sums
