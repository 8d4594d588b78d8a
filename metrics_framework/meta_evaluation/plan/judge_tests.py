"""Power of the alternative annotator test, in simulated studies: by a model of ratings, or from those of a pilot."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.ratings import LongTables
from metrics_framework.meta_evaluation.judge.alternative_annotator import PASSING, RULES, t_test_p
from metrics_framework.meta_evaluation.judge.panels import Panel, panel_of
from metrics_framework.meta_evaluation.judge.request import MIN_UNITS, AltTestSettings
from metrics_framework.meta_evaluation.plan.precision import smallest
from metrics_framework.meta_evaluation.plan.request import DEFAULT_ASSURANCE, PlanRequest
from metrics_framework.significance.multiple_testing import ROUNDING

MAX_OUTPUTS = 4000
MIN_COMPLETE = 20
"""A pilot needs this many outputs that all raters rated."""
COARSENESS = 0.02
"""The search ends at numbers of outputs that differ by this fraction: power is simulated, not computed."""
_LOWEST, _MIN_POINTS = 0.05, 3
"""The powers that are smoothed, and the smallest number of them."""
_MAX_VALUES = 1 << 16
"""The ratings that are drawn and compared in one pass: few enough for the cache of a CPU."""
_RANGE = 4.0
"""The standard deviations that the points of a rating scale cover."""
_NODES = 4000
_DRAWS = 50
"""The draws from the posterior of a pilot."""
_LEAST_WEIGHT = 0.1


class SimulatedRatings(ABC):
    """Draws judgements and ratings of outputs."""

    @abstractmethod
    def draw(self, stream: np.random.Generator, raters: int, outputs: int, studies: int) -> tuple[Floats, Floats]:
        """Returns the judgements, shape (studies, outputs), and the ratings, shape (raters, studies, outputs)."""


@dataclass(frozen=True)
class NormalRatings(SimulatedRatings):
    """Ratings on a scale of k points, by normal numbers that are rounded to it.

    The points have equal width over ±2 standard deviations; the outer ones have what is beyond. Correlations are those
    of the rounded numbers: of two raters, and of the judge with a rater.

    Args:
        agreement: The correlation of two raters.
        judge_agreement: The correlation of the judge with a rater.
        points: The number of points.

    Raises:
        InputError: if the judge cannot agree with raters so closely.
    """

    agreement: float
    judge_agreement: float
    points: int

    def __post_init__(self) -> None:
        agreed, judged = self._latent
        if judged**2 > agreed:
            most = correlation_on_scale(math.sqrt(agreed), self.points)
            raise InputError(
                f"'judge_agreement' must be {most:.2f} or less: raters who agree with each other by "
                f"{self.agreement:g} have no more in common that a judge could know, got {self.judge_agreement:g}"
            )

    @cached_property
    def _latent(self) -> tuple[float, float]:
        agreed = latent_correlation(self.agreement, self.points)
        sign = math.copysign(1.0, self.judge_agreement)
        return agreed, sign * latent_correlation(abs(self.judge_agreement), self.points)

    @overrides
    def draw(self, stream: np.random.Generator, raters: int, outputs: int, studies: int) -> tuple[Floats, Floats]:
        agreed, judged = self._latent
        quality = stream.standard_normal((studies, outputs))
        loading = judged / math.sqrt(agreed)
        judge = loading * quality + math.sqrt(1 - loading**2) * stream.standard_normal((studies, outputs))
        noise = stream.standard_normal((raters, studies, outputs))
        ratings = math.sqrt(agreed) * quality + math.sqrt(1 - agreed) * noise
        edges = edges_of(self.points)
        return tuple(np.searchsorted(edges, values).astype(np.float64) for values in (judge, ratings))  # type: ignore[return-value]


@dataclass(frozen=True)
class PilotRatings(SimulatedRatings):
    """Outputs drawn from a pilot, and raters without replacement, in each study.

    In each draw of studies, the outputs have other random weights, those of the Bayesian bootstrap: what the pilot
    leaves open.

    Args:
        judge: The judgements of the pilot, shape (units,).
        ratings: Its ratings, shape (raters, units), without NaN.
    """

    judge: Floats
    ratings: Floats

    @classmethod
    def of(cls, panel: Panel) -> PilotRatings:
        """Returns those of a panel with one judge."""
        (judge,) = panel.judges.values()
        return cls(judge, panel.ratings)

    @overrides
    def draw(self, stream: np.random.Generator, raters: int, outputs: int, studies: int) -> tuple[Floats, Floats]:
        weights = stream.dirichlet(np.ones(len(self.judge)))
        units = stream.choice(len(self.judge), size=(studies, outputs), p=weights)
        chosen = np.argsort(stream.random((studies, len(self.ratings))), axis=1)[:, :raters].T
        return self.judge[units], self.ratings[chosen[:, :, None], units[None]]


def edges_of(points: int) -> Floats:
    """Returns the edges between the points of a scale, for a standard normal number.

    >>> edges_of(4).tolist()
    [-1.0, 0.0, 1.0]
    """
    return np.asarray(_RANGE * (np.arange(1, points) / points - 0.5))


def correlation_on_scale(correlation: float, points: int) -> float:
    """Returns the correlation of two normal numbers after both are rounded to a scale.

    >>> round(correlation_on_scale(0.5, 2), 4)  # 2/π arcsin .5
    0.3333
    """
    from scipy.special import ndtr, ndtri

    nodes = ndtri((np.arange(_NODES) + 0.5) / _NODES)
    edges = edges_of(points)
    first = np.searchsorted(edges, nodes).astype(np.float64)
    rest = math.sqrt(max(1e-12, 1 - correlation**2))
    second = ndtr((correlation * nodes - edges[:, None]) / rest).sum(axis=0)
    return float(((first - first.mean()) * second).mean() / first.var())


def latent_correlation(correlation: float, points: int) -> float:
    """Returns the correlation of normal numbers whose rounded ones have a correlation; see `correlation_on_scale`."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if correlation_on_scale(middle, points) < correlation else (low, middle)
    return high


@dataclass(frozen=True)
class JudgeTest:
    """The power of the alternative annotator test: how often a judge passes.

    Args:
        ratings: Draws judgements and ratings.
        settings: The options of the test.
        simulations: The number of studies.
        seed: Their seed.
        most_inputs: The largest number of outputs that is tried.
        pilot_outputs: The number of outputs of the pilot; 0 without one.
        assurance: With a pilot, the chance that the power is reached.
    """

    ratings: SimulatedRatings
    settings: AltTestSettings
    simulations: int
    seed: int
    most_inputs: int = MAX_OUTPUTS
    pilot_outputs: int = 0
    assurance: float = DEFAULT_ASSURANCE
    least_inputs: ClassVar[int] = MIN_UNITS
    cluster_size: ClassVar[int] = 1
    curve_points: ClassVar[int] = 6
    assumptions: ClassVar[None] = None

    def achieved(self, raters: int, inputs: int) -> float:
        """Returns the share of studies in which the judge passes; with a pilot, the one that is reached by chance."""
        return self._power(raters, inputs, 0)

    def simulated(self, raters: int, inputs: int) -> float:
        """Returns the same in other studies than those of the search."""
        return self._power(raters, inputs, 1)

    def _power(self, raters: int, outputs: int, part: int) -> float:
        stream = np.random.default_rng((self.seed, part, raters, outputs))
        rows = max(1, _MAX_VALUES // (raters * outputs))
        if self.pilot_outputs:  # a draw of ratings is one from the posterior of the pilot
            rows = min(rows, max(2, self.simulations // _DRAWS))
        found = []
        for start in range(0, self.simulations, rows):
            judge, ratings = self.ratings.draw(stream, raters, outputs, min(rows, self.simulations - start))
            found.append(passes(judge, ratings, self.settings))
        if self.pilot_outputs:
            return _exceeded([float(passed.mean()) for passed in found], rows, self.assurance)
        return float(np.concatenate(found).mean())

    def inputs_for(self, raters: int, target: float) -> int | None:
        """Returns the smallest number of outputs that has a power; `None` if 4,000 have not.

        All powers that the search simulates are smoothed by one curve, so that its result is not a number of outputs
        whose simulated studies happened to pass; where the curve is too low, the number grows until they pass.
        """
        known: dict[int, float] = {}

        def is_enough(outputs: int) -> bool:
            known[outputs] = self.achieved(raters, outputs)
            return known[outputs] >= target

        found = smallest(is_enough, MIN_UNITS, MAX_OUTPUTS, COARSENESS)
        outputs = None if found is None else _smoothed(known, target, found)
        while outputs is not None and not is_enough(outputs):
            outputs = outputs + math.ceil(COARSENESS * outputs) if outputs < MAX_OUTPUTS else None
        return outputs


def _exceeded(shares: Sequence[float], size: int, chance: float) -> float:
    """Returns what shares exceed with a chance, as quantiles of a beta distribution.

    Args:
        shares: The shares of studies that pass, which vary more than those of as many studies with one power.
        size: The number of studies of each.
        chance: The chance.
    """
    from scipy.special import betaincinv

    values = np.array(shares)
    mean, noise = float(values.mean()), float((values * (1 - values)).mean()) / max(1, size - 1)
    variance = float(values.var(ddof=1)) - noise if len(values) > 1 else 0.0
    if variance <= 0 or not 0 < mean < 1:
        return mean
    weight = max(_LEAST_WEIGHT, mean * (1 - mean) / variance - 1)
    return float(betaincinv(mean * weight, (1 - mean) * weight, 1 - chance))


def _smoothed(known: Mapping[int, float], target: float, found: int) -> int:
    """Returns the number of outputs at which a power is the target: its probit is linear in the root of their number.

    Args:
        known: Numbers of outputs and their simulated power.
        target: The power.
        found: What to return if the powers are too few for a line, or do not grow.
    """
    from scipy.special import ndtri

    points = [(math.sqrt(outputs), power) for outputs, power in known.items() if _LOWEST < power < 1 - _LOWEST]
    if len({root for root, _ in points}) < _MIN_POINTS:
        return found
    roots, powers = np.array(points).T
    slope, start = np.polyfit(roots, ndtri(powers), 1)
    if slope <= 0:
        return found
    return int(min(MAX_OUTPUTS, max(MIN_UNITS, math.ceil(((ndtri(target) - start) / slope) ** 2))))


def passes(judge: Floats, ratings: Floats, settings: AltTestSettings) -> Bools:
    """Returns in which studies a judge passes the test, as `alt_test` decides it for 30 units or more.

    Args:
        judge: Shape (studies, units).
        ratings: Shape (raters, studies, units), without NaN.
        settings: The options of the test.
    """
    wins = RULES[settings.scoring].wins(judge, ratings)
    differences = wins.rater - wins.judge
    means, spread = differences.mean(axis=2), differences.std(axis=2, ddof=1)
    n = judge.shape[1]
    constant = (differences == differences[:, :, :1]).all(axis=2)
    errors = np.where(constant, 0.0, spread) / math.sqrt(n)
    least = settings.least_variance(settings.epsilon) / n
    p_values = t_test_p(means - settings.epsilon, errors, n - 1, least)
    raters = len(ratings)
    ranked = np.sort(p_values, axis=0)
    factor = raters * math.fsum(1 / number for number in range(1, raters + 1))
    allowed = np.arange(1, raters + 1)[:, None] * settings.q / factor * (1 + ROUNDING)
    rejected = np.where(ranked <= allowed, np.arange(1, raters + 1)[:, None], 0).max(axis=0)
    return np.asarray(rejected / raters >= PASSING)


def complete_panel(tables: LongTables, request: PlanRequest) -> Panel:
    """Returns the outputs of a pilot that have a judgement and a rating by every rater.

    Raises:
        InputError: if there are fewer than 20, or fewer raters than are planned for.
    """
    panel = panel_of(tables, str(request.rating), [str(request.judge)], as_labels=False)
    complete = ~np.isnan(panel.ratings).any(axis=0) & ~np.isnan(panel.judges[str(request.judge)])
    if complete.sum() < MIN_COMPLETE:
        raise InputError(
            f"the pilot needs {MIN_COMPLETE} outputs with a judgement that all {len(panel.raters)} raters rated, got "
            f"{int(complete.sum())}; leave out raters of few outputs"
        )
    if max(request.planned_raters) > len(panel.raters):
        raise InputError(
            f"the pilot has {counted(len(panel.raters), 'rater')}, so it cannot show a test with "
            f"{max(request.planned_raters)}; use 'raters', or state 'agreement' and 'judge_agreement' instead"
        )
    return panel.of_units(complete)
