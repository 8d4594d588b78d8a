"""Systems on common inputs: intervals of their scores and differences, and effect sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.logs import long_work
from metrics_framework.significance.clusters import Clusters, bootstrap_weights, design_effect
from metrics_framework.significance.interval_methods import (
    Interval,
    Intervals,
    bca_interval,
    jackknife_interval,
    percentile_interval,
    standard_errors_of,
    studentized_intervals,
)
from metrics_framework.significance.non_inferiority import skewness
from metrics_framework.significance.proportions import EffectiveTrials
from metrics_framework.significance.resampling import BLOCK_WEIGHTS, DEFAULT_RESAMPLING, Resampling, weighted_sums
from metrics_framework.significance.score_vectors import ScoreVectors

Pair = tuple[int, int]
"""The indices of two systems."""
Target: TypeAlias = "tuple[int] | Pair"
"""The index of a system, or of two, whose difference is estimated."""
CELLS_AT_ONCE = 64
"""How many intervals are computed together: their resamples fit in the cache of a CPU."""


def bootstrap_intervals(
    systems: Sequence[ScoreVectors], resampling: Resampling = DEFAULT_RESAMPLING
) -> list[Intervals]:
    """Computes confidence intervals of the scores of systems; those with equally many inputs share their draws.

    Args:
        systems: The outputs of each system; a system scored by several metrics appears once per metric.
        resampling: How to resample, with the method.

    Returns:
        For each system, score name to interval. An interval is NaN if the score is undefined in every resample, or the
        method is undefined for it.
    """
    results: list[Intervals] = [{} for _ in systems]
    groups: dict[int, list[int]] = {}
    for index, system in enumerate(systems):
        groups.setdefault(len(system.inputs), []).append(index)
    what = f"computing the intervals of {len(systems):,} rows of scores"
    cheaper = f"{'fewer resamples' if resampling.method == 'percentile' else 'percentile intervals'} take less"
    with long_work(what, len(systems), cheaper, "computed", "rows of intervals") as work:
        for indices in groups.values():
            work.size = len(indices)
            group = ResampledSystems([systems[index] for index in indices], resampling)
            found = group.intervals_of([(number,) for number in range(len(indices))])
            for index, intervals in zip(indices, found, strict=True):
                results[index] = intervals
            work.advance(len(indices))
    return results


class ResampledSystems:
    """Computes intervals of systems and of their differences; all of them share the draws of a bootstrap.

    Args:
        systems: The outputs of each system, for equally many inputs.
        resampling: How to resample, with the method.
        clusters: Input to its cluster, if the inputs of a cluster are drawn and left out together.
    """

    def __init__(
        self, systems: Sequence[ScoreVectors], resampling: Resampling, clusters: Mapping[str, str] | None = None
    ) -> None:
        self._systems, self._resampling, self._clusters = systems, resampling, clusters
        self._units = [system.clustered(clusters) for system in systems]

    @property
    def num_units(self) -> int:
        """The number of inputs or clusters that are resampled."""
        return len(self._units[0].inputs)

    def intervals_of(self, targets: Sequence[Target]) -> list[Intervals]:
        """Returns the intervals of the scores of systems, or of the differences of two, first minus second.

        A bootstrap resample draws as many units as there are, with replacement. Few scores of 0 and 1 have the same
        mean in many resamples, which have no standard error: in place of studentized intervals, shares then have score
        intervals, and their differences those of the jackknife.
        """
        cells = self._cells(targets)
        blocks = self._draw([cell for cell in cells if cell.method == "studentized"])
        studentized = (one for block in blocks for one in studentized_intervals(*block, self._resampling.tail))
        found: list[dict[str, Any]] = [{} for _ in targets]
        for cell in cells:
            cell.add(found, next(studentized) if cell.method == "studentized" else self._interval(cell))
        return found

    def _cells(self, targets: Sequence[Target]) -> list[_Cell]:
        return [
            _Cell(row, target, name, number, self._method(target, name))
            for row, target in enumerate(targets)
            for name, score in self._scores[target[0]].items()
            for number in ([None] if score.ndim == 1 else range(score.shape[1]))
        ]

    def studentized_distances(self, pairs: Sequence[Pair]) -> list[dict[str, Floats]]:
        """Returns |d* − d| · s / s* of the differences d of pairs, whose standard errors are s, in each resample."""
        import numpy as np

        cells = self._cells(pairs)
        found: list[dict[str, Any]] = [{} for _ in pairs]
        of_cells = iter(cells)
        for values, drawn, left_out, errors in self._draw(cells):
            ratios = standard_errors_of(left_out)[:, None] / np.where(errors > 0, errors, np.nan)  # without error
            for distances, cell in zip(abs(drawn - values[:, None]) * ratios, of_cells, strict=False):
                cell.add(found, distances)
        return [{name: np.transpose(value) for name, value in of_pair.items()} for of_pair in found]

    def _method(self, target: Target, name: str) -> str:
        method = self._resampling.method
        if method != "studentized" or not all(name in self._verdicts[index] for index in target):
            return method
        return "score" if len(target) == 1 else "jackknife"

    @cached_property
    def _verdicts(self) -> list[Sequence[str]]:
        """For each system the names of the scores whose values for single inputs are 0 or 1.

        One of the systems has both: a number of sentences may also happen to be 1 for all outputs.
        """
        values = [{name: _verdicts_of(system, name) for name in system.shapes} for system in self._systems]
        shares = {name for of_system in values for name, found in of_system.items() if len(found) == 2}
        return [[name for name, found in of_system.items() if found and name in shares] for of_system in values]

    def _interval(self, cell: _Cell) -> Interval:
        value, tail = float(cell.of(self._scores)[0]), self._resampling.tail
        if cell.method == "none":
            return Interval(value)
        if cell.method == "score":
            return self._share(cell.target[0], cell.name)
        if cell.method == "percentile":
            return percentile_interval(value, cell.of(self._resampled[0]), tail)
        left_out = cell.of(self._left_out)
        if cell.method == "bca":
            return bca_interval(value, cell.of(self._resampled[0]), left_out, tail)
        return jackknife_interval(value, left_out, tail)

    def _share(self, index: int, name: str) -> Interval:
        """Returns the score interval of the share of scores that are 1."""
        system = self._systems[index]
        values = {
            one: value for one, value in zip(system.inputs, system.of_each_input(name), strict=True) if value == value
        }
        labels = None if self._clusters is None else [self._clusters[one] for one in values]
        return EffectiveTrials.of([*values.values()], labels).interval(self._resampling.level)

    @cached_property
    def _scores(self) -> list[dict[str, Floats]]:
        return [system.score() for system in self._systems]

    @cached_property
    def _left_out(self) -> list[dict[str, Floats]]:
        return [unit.without_each_input() for unit in self._units]

    @cached_property
    def _resampled(self) -> tuple[list[dict[str, Floats]], Floats]:
        """The scores of each system in each resample, and the sums there of the terms of each single score."""
        import numpy as np

        resamples, terms = self._resampling.resamples, self._terms
        matrices = [terms.reshape(-1, self.num_units).T, *(one.vectors for one in self._units)]
        of_terms, *sums = weighted_sums(bootstrap_weights(self.num_units, self._resampling), matrices, resamples)
        scores = [one.scores_of(of_system) for one, of_system in zip(self._units, sums, strict=True)]
        return scores, np.reshape(of_terms.T, (len(terms), -1, resamples))

    @cached_property
    def _singles(self) -> dict[_Cell, int]:
        """The scores of each system, numbered, if intervals are studentized."""
        is_studentized = self._resampling.method == "studentized"
        cells = self._cells([(index,) for index in range(len(self._systems) * is_studentized)])
        return {cell.singles[0]: number for number, cell in enumerate(cells)}

    @cached_property
    def _terms(self) -> Floats:
        """The terms e and e² of each unit for each single score, and for clusters e·m, m and m²; see `_draw`.

        Their shape is (scores + 1, terms, units). The last score is 0: that of a system which no other is compared to.
        """
        import numpy as np

        has_sizes = any((unit.sizes != 1).any() for unit in self._units)
        terms = np.zeros((len(self._singles) + 1, 5 if has_sizes else 2, self.num_units))
        for single, number in self._singles.items():
            left_out, sizes = single.of(self._left_out), self._units[single.target[0]].sizes
            changes = (left_out - single.of(self._scores)) * (sizes.sum() - sizes)
            changes = changes - sizes * (changes.sum() / sizes.sum())
            of_single = [changes, changes**2, changes * sizes, sizes, sizes**2]
            terms[number] = of_single[: terms.shape[1]]
        return terms

    def _draw(self, cells: Sequence[_Cell]) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Draws resamples, and yields the estimates of cells, in and without each unit, and their standard errors.

        The standard errors are √(Σ w (e − δ*·m)²) / Σ w m for weights w. m is the number of inputs of a unit, and e how
        much the unit changes the estimate, times the number of inputs; δ* = Σ w e / Σ w m is the change in the
        resample. For a mean, these are the standard errors of a ratio in the resample, also of clusters of unequal
        size; for other scores, they are linear approximations.

        Yields:
            For blocks of cells the estimates, shape (cells,), those in each resample, shape (cells, resamples), those
            without each unit, shape (cells, units), and the standard errors in each resample.
        """
        import numpy as np

        n, resamples, terms = self.num_units, self._resampling.resamples, self._terms
        changes, of_singles, *others = self._resampled[1].swapaxes(0, 1)
        drawn, left_out, scores = (
            np.stack([*(one.of(values) for one in self._singles), np.zeros(count)])
            for values, count in ((self._resampled[0], resamples), (self._left_out, n), (self._scores, 1))
        )
        nothing = len(self._singles)
        pairs = [[*map(self._singles.__getitem__, cell.singles), nothing][:2] for cell in cells]
        size = CELLS_AT_ONCE if n * resamples <= BLOCK_WEIGHTS else max(1, BLOCK_WEIGHTS // n)  # weights drawn once
        for part in _parts(pairs, size):
            if (part[:, 1] == nothing).all():
                squares = of_singles[part[:, 0]]
            else:
                matrix = (_differences(terms[:, 0], part) ** 2).T
                squares = weighted_sums(bootstrap_weights(n, self._resampling), [matrix], resamples)[0].T
            change = _differences(changes, part)
            product, sizes, squared_sizes = change, n, n
            if others:
                product, sizes, squared_sizes = _differences(others[0], part), *(one[part[:, 0]] for one in others[1:])
            change = change / sizes
            product = 2 * product - change * squared_sizes
            errors = np.sqrt(np.maximum(squares - change * product, 0.0)) / sizes
            yield _differences(scores, part)[:, 0], _differences(drawn, part), _differences(left_out, part), errors


def _parts(pairs: Sequence[Sequence[int]], size: int = CELLS_AT_ONCE) -> Iterator[Indices]:
    """Yields pairs in turn, shape (pairs, 2), few enough that their values fit in the cache of a CPU."""
    import numpy as np

    return (np.array(pairs[start : start + size]) for start in range(0, len(pairs), size))


def _differences(values: Floats, pairs: Indices) -> Floats:
    """Returns the differences of pairs of rows."""
    return values[pairs[:, 0]] - values[pairs[:, 1]]


class _Cell(NamedTuple):
    """A score of a target, or a number of a list-valued score, and the method of its interval."""

    row: int
    target: Target
    name: str
    number: int | None
    method: str

    @property
    def singles(self) -> list[_Cell]:
        """The same score of each of its systems."""
        return [_Cell(0, (system,), self.name, self.number, "") for system in self.target]

    def add(self, rows: Sequence[dict[str, Any]], value: Any) -> None:
        """Adds what belongs to it to its row: to a list for a list-valued score."""
        if self.number is None:
            rows[self.row][self.name] = value
        else:
            rows[self.row].setdefault(self.name, []).append(value)

    def of(self, values: Sequence[Mapping[str, Floats]]) -> Floats:
        """Returns its values, shape (rows,), from those of the scores of each system."""
        found, *other = (values[system][self.name] for system in self.target)
        found = found - other[0] if other else found
        return found if self.number is None else found[:, self.number]


def _verdicts_of(system: ScoreVectors, name: str) -> set[float]:
    """Returns the defined scores of inputs if all are 0 or 1 and the score of the system is their mean, else none."""
    import numpy as np

    if not system.is_mean or system.shapes[name]:
        return set()
    values = system.of_each_input(name)
    values = values[~np.isnan(values)]
    if not len(values) or not ((values == 0) | (values == 1)).all():
        return set()
    return {*values.tolist()} if abs(float(values.mean() - system.score()[name][0])) <= 1e-12 else set()


class Outcomes(NamedTuple):
    """How often the first of two systems is better.

    Attributes:
        wins: The number of inputs for which it has the better score.
        ties: The number of inputs for which both scores are equal, up to rounding.
        losses: The number of inputs for which it has the worse score.
    """

    wins: int
    ties: int
    losses: int


class ComparedSystems(ResampledSystems):
    """Computes what can be said about one score of several systems on the same inputs.

    Args:
        systems: The outputs of each system for the same inputs.
        name: The flat name of the score.
        resampling: How to resample, with the method of the intervals.
        clusters: Input to its cluster, if inputs are resampled in clusters.
    """

    def __init__(
        self,
        systems: Sequence[ScoreVectors],
        name: str,
        resampling: Resampling,
        clusters: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(systems, resampling, clusters)
        self._name = name

    @cached_property
    def scores(self) -> Floats:
        """The score of each system, shape (systems,)."""
        import numpy as np

        return np.array([float(score[self._name][0]) for score in self._scores])

    def intervals(self, targets: Sequence[Target]) -> list[Any]:
        """Returns the interval of the score of each system, or of the difference of each pair."""
        return [found[self._name] for found in self.intervals_of(targets)]

    def standardized_differences(self, pairs: Sequence[Pair]) -> list[float]:
        """Returns the differences of two systems over the standard deviation of their pseudo-values (n − 1).

        The pseudo-value of an input is n·θ − (n − 1)·θ₍ᵢ₎, where θ₍ᵢ₎ is the difference without input i. For a mean,
        this is the difference of the scores for the input, and the result is Cohen's d of paired observations. NaN for
        a single input, or without variation unless the difference is 0.
        """
        import numpy as np

        n, found = len(self._systems[0].inputs), list[float]()
        if n < 2:
            return [math.nan] * len(pairs)
        systems = ScoreVectors.relative(self._systems)
        scored = [(system.score(), system.rounding(), system.without_each_input()) for system in systems]
        scores, roundings, left_out = (
            np.stack([one[self._name] for one in each]) for each in zip(*scored, strict=True)
        )
        for part in _parts(pairs):
            differences, without = _differences(scores, part)[:, 0], _differences(left_out, part)
            rounding = roundings[part, 0].sum(axis=1)
            largest = abs(without).max(axis=1, keepdims=True)
            largest[largest == 0] = 1.0  # the squares of very large numbers would overflow
            deviations = largest[:, 0] * ((n - 1) * (without / largest)).std(axis=1, ddof=1)
            constant = np.where(abs(differences) <= rounding, 0.0, np.nan)
            is_constant = deviations <= n * rounding
            found += np.where(is_constant, constant, differences / np.where(is_constant, 1.0, deviations)).tolist()
        return found

    def skewness(self, pair: Pair) -> float:
        """Returns the skewness of the differences for single inputs; NaN if all are equal, or scores are no means."""
        first, second = (self._of_each_input[index] for index in pair)
        return skewness(first - second) if self._systems[0].is_mean else math.nan

    def outcomes(self, pairs: Sequence[Pair], higher_is_better: bool = True) -> list[Outcomes]:
        """Counts the inputs for which the first of two systems is better, equal and worse; undefined ones are equal."""
        import numpy as np

        roundings = np.stack([system.rounding(each_input=True)[self._name] for system in self._systems])
        scores, found = np.stack(self._of_each_input), list[Outcomes]()
        for part in _parts(pairs):
            differences = _differences(scores, part if higher_is_better else part[:, ::-1])
            rounding = roundings[part].sum(axis=1)
            wins = np.count_nonzero(differences > rounding, axis=1).tolist()
            losses = np.count_nonzero(differences < -rounding, axis=1).tolist()
            found += (Outcomes(won, scores.shape[1] - won - lost, lost) for won, lost in zip(wins, losses, strict=True))
        return found

    def design_effect(self, system: int) -> float:
        """Returns how many times larger the variance of a score is with clusters than for independent inputs."""
        n = len(self._systems[0].inputs)
        if self._clusters is None or n < 2:
            return math.nan
        labels = [self._clusters[name] for name in self._systems[0].inputs]
        pseudo_values = n * self.scores[system] - (n - 1) * self._systems[system].without_each_input()[self._name]
        return design_effect(pseudo_values, Clusters.of(labels, n))

    @cached_property
    def _of_each_input(self) -> list[Floats]:
        return [system.of_each_input(self._name) for system in self._systems]
