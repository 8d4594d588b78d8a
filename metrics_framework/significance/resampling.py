"""Intervals of scores and tests of their differences, from resampled inputs.

What is resampled is the input, not the output: of all systems the outputs for the drawn inputs count. Inputs are put in
order first (numbers by their value, then all others as strings), so that what comes out does not depend on the order of
the rows. The draws are those that sacreBLEU 2.6.0 makes of as many lines with the same seed.

Memory: besides the vectors, 8 bytes for each number of each resampled sum, and at most 64 MB for a block of draws and
weights (for more than four million inputs, 16 bytes an input; for swaps of more than 131,072, another 32).

Source: Koehn (EMNLP 2004) for the bootstrap; Riezler and Maxwell (ACL 2005 workshop on evaluation measures) for both
tests; Clark, Dyer, Lavie and Smith (ACL 2011) for their use with several scores; Holm (1979) for several comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from metrics_framework.common.errors import InputError
from metrics_framework.significance.score_vectors import ScoreVectors, check_meaning

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

T = TypeVar("T")
RESAMPLES = 1000
SEED = 12345
LEVEL = 0.95
BLOCK_NUMBERS = 1 << 22
"""So many weights are in memory at once; those of one resample at least."""
WORD = 32
"""A generator cuts so many bits from each word it draws, and throws away what is left of the last."""
SAME = 1e-9
"""Differences that are no further apart than this share of them are taken for the same."""
Test = Literal["randomization", "bootstrap"]


@dataclass(frozen=True)
class Resampling:
    """How inputs are resampled.

    Args:
        resamples: How many resamples are drawn.
        seed: The seed of NumPy's default generator.
        level: The share of the resamples that an interval holds.

    Raises:
        InputError: if the level is not between 0 and 1, the seed is negative, or there are too few resamples for one of
            them to lie at either side of an interval.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    level: float = LEVEL

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise InputError(f"the level of an interval must be between 0 and 1, as in 0.95, got {self.level}")
        if self.seed < 0:
            raise InputError(f"the seed must be a whole number, 0 or more, got {self.seed}")
        least = math.ceil(1 / self.tail - SAME)
        if self.resamples < least:
            raise InputError(f"an interval of {100 * self.level:g} % needs {least} resamples, got {self.resamples}")

    @property
    def tail(self) -> float:
        """The share of the resamples that lies below an interval, and above it."""
        return (1 - self.level) / 2

    @property
    def error(self) -> float:
        """The p-value below which a difference is significant: what an interval leaves out."""
        return round(1 - self.level, 12)

    def too_few_for(self, comparisons: int) -> str | None:
        """Says that Holm's correction leaves nothing to be significant, `None` where something can be.

        Args:
            comparisons: How many systems are compared with one. The least p-value that there can be is so many times
                1 / (resamples + 1).

        >>> Resampling(resamples=200).too_few_for(19)
        '19 comparisons with 200 trials cannot be significant at 0.05: give --resamples 380 or more'
        >>> Resampling(resamples=380).too_few_for(19)
        """
        if is_significant(comparisons / (self.resamples + 1), self.error):
            return None
        enough = max(self.resamples + 1, math.floor(comparisons / self.error) - 1)
        while not is_significant(comparisons / (enough + 1), self.error):
            enough += 1
        return (
            f"{comparisons} comparisons with {self.resamples} trials cannot be significant at {self.error:g}: "
            f"give --resamples {enough} or more"
        )


def is_significant(p: float, error: float) -> bool:
    """Tells whether a p-value is below the error allowed; one that rounding alone makes less is not.

    >>> 19 * (1 / 380) < 0.05, is_significant(19 * (1 / 380), 0.05), is_significant(19 / 381, 0.05)
    (True, False, True)
    """
    return p < error * (1 - SAME)


class Interval(NamedTuple):
    """A percentile interval.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        undefined: The number of resamples that have no score, and are left out.
    """

    low: float
    high: float
    undefined: int = 0

    @property
    def reach(self) -> float:
        """Half its width: what stands behind ±."""
        return 0.5 * (self.high - self.low)


class Compared(NamedTuple):
    """The test of one system against another.

    Attributes:
        p_values: Score name to the p-value, NaN where a score is not defined; a list of them for a list of numbers.
        inputs: The number of inputs that both systems have outputs for, which are the ones compared.
        differences: Score name to the score of the second system less that of the first, on those inputs.
    """

    p_values: dict[str, float | list[float]]
    inputs: int
    differences: dict[str, float | list[float]]


def intervals(
    systems: Sequence[ScoreVectors], resampling: Resampling = Resampling()
) -> list[dict[str, Interval | list[Interval]]]:
    """Computes percentile bootstrap intervals of the scores of systems.

    A resample draws as many inputs as there are, with replacement. The interval holds what is left of the sorted scores
    of the resamples when the least and the greatest ⌊resamples · (1 − level) / 2⌋ are taken away, as that of
    sacreBLEU does. Systems with the same number of inputs get the same draws.

    Args:
        systems: The outputs of each system; those of one system under several metrics are several.
        resampling: How to resample.

    Returns:
        For each system score name to interval; a list of intervals where the score is a list of numbers. An interval is
        NaN where no resample has a score.
    """
    results: list[dict[str, Interval | list[Interval]]] = [{} for _ in systems]
    for places in _of_one_size([len(one.inputs) for one in systems]):
        vectors = [systems[place].vectors for place in places]
        draws = _draws(len(vectors[0]), resampling)
        for place, sums in zip(places, _weighted_sums(draws, vectors, resampling.resamples), strict=True):
            for name, values in systems[place].scores_of(sums).items():
                results[place][name] = _of_each(lambda column: _interval(column, resampling), values)
    return results


def paired_p_values(
    pairs: Sequence[tuple[ScoreVectors, ScoreVectors]],
    test: Test = "randomization",
    resampling: Resampling = Resampling(),
) -> list[Compared]:
    """Tests whether systems differ, two-sided, on the inputs that both have outputs for.

    Let d be the difference of the two scores. ``randomization`` swaps the outputs of the two systems for each input
    with probability ½ and counts the trials whose difference e is as large: abs(e) ≥ abs(d). ``bootstrap`` draws inputs
    with replacement and counts the resamples whose difference e lies as far from the mean m of all e:
    abs(e − m) ≥ abs(d). p = (count + 1) / (resamples + 1): at least 1 / (resamples + 1), and 1 for equal systems. A
    trial without a score counts as one that is as large.

    Args:
        pairs: Two systems each, under one metric.
        test: Which test.
        resampling: How to resample; the level does not matter.

    Returns:
        For each pair the p-values, how many inputs were compared, and the differences on them.

    Raises:
        InputError: if there is no such test, or two systems have no input in common or are under different metrics.
    """
    import numpy as np

    if test not in get_args(Test):
        raise InputError(f"'test' must be one of {', '.join(get_args(Test))}, got '{test}'")
    common = [_on_common_inputs(*pair) for pair in pairs]
    results = [Compared({}, len(one.inputs), {}) for one, _ in common]
    resampled = _randomized if test == "randomization" else _bootstrapped
    for places in _of_one_size([compared.inputs for compared in results]):
        of_places = resampled([common[place] for place in places], resampling)
        for place, distances in zip(places, of_places, strict=True):
            observed = _differences(common[place], *(one.vectors.sum(axis=0, keepdims=True) for one in common[place]))
            for name, values in distances.items():
                both = np.concatenate([observed[name], values])
                results[place].p_values[name] = _of_each(_p_value, both)
                results[place].differences[name] = _of_each(lambda column: 0.0 - float(column[0]), observed[name])
    return results


def _of_one_size(sizes: Sequence[int]) -> list[list[int]]:
    """Returns the places of equal sizes, size by size: they share their draws."""
    groups: dict[int, list[int]] = {}
    for place, size in enumerate(sizes):
        groups.setdefault(size, []).append(place)
    return list(groups.values())


def _draws(inputs: int, resampling: Resampling) -> Iterator[Floats]:
    """Gives how often each resample draws each input, in blocks of shape (resamples, inputs)."""
    import numpy as np

    generator = np.random.default_rng(resampling.seed)
    for size in _parts(resampling.resamples, max(1, BLOCK_NUMBERS // inputs)):
        weights = np.empty((size, inputs))
        for row, draw in zip(weights, generator.integers(inputs, size=(size, inputs)), strict=True):
            row[:] = np.bincount(draw, minlength=inputs)
        yield weights


def _swaps(inputs: int, resampling: Resampling) -> Iterator[Floats]:
    """Gives for each trial 1 where the outputs of two systems change places, in blocks of shape (trials, inputs)."""
    import numpy as np

    generator = np.random.default_rng(resampling.seed)
    rows = max(1, BLOCK_NUMBERS // inputs)
    for size in _parts(resampling.resamples, max(WORD, rows // WORD * WORD)):
        stays = generator.integers(2, size=(size, inputs), dtype=bool)
        for start in range(0, size, rows):
            yield (~stays[start : start + rows]).astype(np.float64)


def _parts(whole: int, most: int) -> list[int]:
    """Divides a number into parts, all but the last as large as may be."""
    return [min(most, whole - start) for start in range(0, whole, most)]


def _weighted_sums(blocks: Iterator[Floats], matrices: Sequence[Floats], resamples: int) -> list[Floats]:
    """Adds up the vectors of each matrix by the weights of each resample; shapes (resamples, width).

    Whole numbers have one sum in any order, so that BLAS may add them; that of fractions would depend on how many
    threads it has.
    """
    import numpy as np

    whole = [all(_is_whole(column) for column in one.T) for one in matrices]
    columns = [one if exact else np.ascontiguousarray(one.T) for one, exact in zip(matrices, whole, strict=True)]
    sums = [np.empty((resamples, one.shape[1])) for one in matrices]
    start = 0
    for block in blocks:
        end = start + len(block)
        for found, matrix, exact in zip(sums, columns, whole, strict=True):
            found[start:end] = block @ matrix if exact else np.einsum("ri,ki->rk", block, matrix)
        start = end
    return sums


def _is_whole(column: Floats) -> bool:
    """Tells whether any sum of so many of these numbers is exact."""
    import numpy as np

    return bool((column == np.rint(column)).all() and np.abs(column).max(initial=0) * len(column) < 2**53)


def _on_common_inputs(one: ScoreVectors, other: ScoreVectors) -> tuple[ScoreVectors, ScoreVectors]:
    check_meaning([one, other])
    if one.inputs == other.inputs:
        return one, other
    theirs = set(other.inputs)
    common = [name for name in one.inputs if name in theirs]
    if not common:
        raise InputError("two systems can be compared only on inputs that both have outputs for; they share none")
    return one.only(common), other.only(common)


def _randomized(pairs: Sequence[tuple[ScoreVectors, ScoreVectors]], resampling: Resampling) -> list[dict[str, Floats]]:
    """Returns the differences of pairs whose outputs were swapped."""
    swapped = [other.vectors - one.vectors for one, other in pairs]
    swaps = _swaps(len(swapped[0]), resampling)
    moved = _weighted_sums(swaps, swapped, resampling.resamples)
    sums = [(one.vectors.sum(axis=0), other.vectors.sum(axis=0)) for one, other in pairs]
    return [
        _differences(pair, first + change, second - change)
        for pair, (first, second), change in zip(pairs, sums, moved, strict=True)
    ]


def _bootstrapped(
    pairs: Sequence[tuple[ScoreVectors, ScoreVectors]], resampling: Resampling
) -> list[dict[str, Floats]]:
    """Returns the differences of pairs in resamples, less their mean."""
    matrices = [one.vectors for pair in pairs for one in pair]
    sums = iter(_weighted_sums(_draws(len(matrices[0]), resampling), matrices, resampling.resamples))
    found = []
    for pair in pairs:
        differences = _differences(pair, next(sums), next(sums))
        found.append({name: values - _mean_of_defined(values) for name, values in differences.items()})
    return found


def _mean_of_defined(values: Floats) -> Floats:
    """Returns the mean of the resamples that have a score, 0 where none has."""
    import numpy as np

    defined = ~np.isnan(values)
    mean: Floats = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    return mean


def _differences(pair: tuple[ScoreVectors, ScoreVectors], first: Floats, second: Floats) -> dict[str, Floats]:
    """Returns the differences of the scores that two systems' sums of vectors give, name by name."""
    mine, theirs = pair[0].scores_of(first), pair[1].scores_of(second)
    return {name: values - theirs[name] for name, values in mine.items()}


def _of_each(function: Callable[[Floats], T], values: Floats) -> T | list[T]:
    """Applies a function to the numbers of a score, or to those of each place of a list."""
    return function(values) if values.ndim == 1 else [function(column) for column in values.T]


def _interval(values: Floats, resampling: Resampling) -> Interval:
    import numpy as np

    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return Interval(math.nan, math.nan, len(values))
    outside = math.floor(len(defined) * resampling.tail + SAME)
    return Interval(float(defined[outside]), float(defined[-1 - outside]), len(values) - len(defined))


def _p_value(distances: Floats) -> float:
    """Takes the distance that was observed and those of the trials behind it."""
    observed, trials = abs(float(distances[0])), abs(distances[1:])
    if observed != observed:
        return math.nan
    less = int((trials < observed * (1 - SAME)).sum())
    return (len(trials) - less + 1) / (len(trials) + 1)
