"""Confidence intervals of a score: from its values in bootstrap resamples, and from its values without one input each.

Sources: Koehn (EMNLP 2004) for the percentile interval, whose ends follow sacreBLEU 2.6.0; Efron (JASA 1987) for BCa,
which follows SciPy's ``bootstrap``; Tukey (Annals of Mathematical Statistics 1958) for the jackknife; Davison and
Hinkley (Bootstrap Methods and their Application, 1997, sections 2.4 and 2.7) for the studentized interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from metrics_framework.common.arrays import Floats
from metrics_framework.common.logs import long_work
from metrics_framework.significance.multiple_testing import ROUNDING
from metrics_framework.significance.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    Value,
    bootstrap_weights,
    weighted_sums,
)
from metrics_framework.significance.score_vectors import ScoreVectors


class Interval(NamedTuple):
    """A confidence interval.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        undefined: The number of resamples in which the score is undefined; they are excluded.
        mean: The mean of the score over the resamples; NaN for the jackknife.
    """

    low: float
    high: float
    undefined: int = 0
    mean: float = math.nan

    @property
    def half_width(self) -> float:
        """Half the width of the interval: the number after ±."""
        return 0.5 * (self.high - self.low)


Intervals: TypeAlias = "dict[str, Interval | list[Interval]]"
"""Score name to interval; a list of intervals for a list-valued score."""


def percentile_interval(values: Floats, tail: float) -> Interval:
    """Removes ⌊resamples · tail⌋ of the lowest and of the highest values; the interval spans the rest.

    Args:
        values: The score in each resample, shape (resamples,); NaN where undefined.
        tail: The fraction of the resamples beyond each end.
    """
    import numpy as np

    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return Interval(math.nan, math.nan, len(values))
    outside = math.floor(len(defined) * tail + ROUNDING)
    low, high = float(defined[outside]), float(defined[-1 - outside])
    return Interval(low, high, len(values) - len(defined), float(defined.mean()))


def bca_interval(values: Floats, score: Floats, left_out: Floats, tail: float) -> Interval:
    """Computes the bias-corrected and accelerated bootstrap interval.

    Its ends are percentiles Φ(b + (b + z) / (1 − a(b + z))) of the values, with z = Φ⁻¹(tail) for the lower and −z for
    the upper end. b = Φ⁻¹(proportion of values below the score; equal ones count half) corrects bias, and
    a = Σu³ / (6 (Σu²)^1.5), u the mean of the scores without one input each minus each of them, corrects skewness.

    Args:
        values: The score in each resample, shape (resamples,); NaN where undefined.
        score: The score, shape (1,).
        left_out: The score without each input, shape (inputs,).
        tail: The fraction beyond each end.

    Returns:
        The interval; NaN if the score is undefined without an input, or all values are on one side of it.
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    equal = abs(defined - score) <= ROUNDING * abs(score)
    below = (int(((defined < score) & ~equal).sum()) + int(equal.sum()) / 2) / max(1, len(defined))
    if not 0 < below < 1 or np.isnan(left_out).any():
        return Interval(math.nan, math.nan, undefined)
    bias, acceleration = float(ndtri(below)), _acceleration(left_out)
    shifted = (bias + sign * float(ndtri(tail)) for sign in (1, -1))
    percentages = [100 * float(ndtr(bias + one / (1 - acceleration * one))) for one in shifted]
    low, high = np.percentile(defined, percentages).tolist()
    return Interval(low, high, undefined, float(defined.mean()))


def _acceleration(left_out: Floats) -> float:
    differences = left_out.mean() - left_out
    squares = float((differences**2).sum())
    return float((differences**3).sum()) / (6 * squares**1.5) if squares else 0.0


class Scale(NamedTuple):
    """Where an interval is symmetric: between two limits, on a line without ends.

    Attributes:
        least: The lower limit of a score.
        largest: The upper limit.
        to_line: Maps scores between the limits to the line, and limits to infinity.
        from_line: Maps a point of the line to a score.
    """

    least: float
    largest: float
    to_line: Callable[[Floats], Floats]
    from_line: Callable[[float], float]

    @classmethod
    def artanh(cls, least: float = -1, largest: float = 1) -> Scale:
        """Returns the scale artanh r of scores from −1 to 1, or that of scores mapped to −1 to 1."""
        import numpy as np

        middle, half = (least + largest) / 2, (largest - least) / 2

        def to_line(values: Floats) -> Floats:
            mapped = np.clip((values - middle) / half, -1, 1)
            at_end = np.abs(mapped) >= 1 - ROUNDING
            line: Floats = np.where(at_end, np.inf, np.arctanh(np.where(at_end, 0, mapped)))
            return line

        return cls(least, largest, to_line, lambda point: middle + half * math.tanh(point))

    @classmethod
    def log(cls) -> Scale:
        """Returns the scale log r of ratios."""
        import numpy as np

        return cls(
            0, math.inf, lambda values: np.log(values, out=np.full(len(values), -np.inf), where=values > 0), math.exp
        )

    @classmethod
    def linear(cls, least: float = -math.inf, largest: float = math.inf) -> Scale:
        """Returns the scale of the scores themselves; ends of intervals beyond a limit are cut."""
        return cls(least, largest, lambda values: values, lambda point: min(largest, max(least, point)))


LINEAR = Scale.linear()
FEWEST_AT_LIMIT = 20
"""With as many units, the interval on the linear scale covers where a value without a unit is at a limit."""


class Ends(NamedTuple):
    """The ends of an interval.

    Attributes:
        lower: The lower end; NaN if there is no interval.
        upper: The upper end.
        reason: Why there is no interval; empty if there is one.
    """

    lower: float
    upper: float
    reason: str = ""

    @classmethod
    def none(cls, reason: str) -> Ends:
        """Returns no interval."""
        return cls(math.nan, math.nan, reason)


def jackknife_ends(value: float, left_out: Floats, tail: float, scale: Scale = LINEAR) -> Ends:
    """Computes Student's interval of the pseudo-values nθ − (n − 1)θ₍ᵢ₎, θ on a scale, with n − 1 degrees of freedom.

    For a mean on the linear scale, this is the usual interval: mean ± t · standard deviation / √n. If a score is at a
    limit of its scale, the interval is linear with 20 units or more, and undefined with fewer.

    Args:
        value: The score.
        left_out: The score without each of the n units, shape (n,).
        tail: The fraction of the distribution beyond each end.
        scale: The scale.

    Returns:
        The ends; NaN with the reason for a single unit, if the score is undefined without one, all are equal on a scale
        with limits, or the interval does not contain the score.

    Sources: Tukey (Annals of Mathematical Statistics, 1958); Miller (Biometrika, 1974), "The Jackknife".
    """
    import numpy as np
    from scipy.special import stdtrit

    n, undefined = len(left_out), int(np.isnan(left_out).sum())
    if n < 2 or undefined:
        return Ends.none("a single unit" if n < 2 else f"undefined for {undefined} of {n} left-out units")
    points = scale.to_line(np.append(left_out, value))
    if not np.isfinite(points).all():
        if n < FEWEST_AT_LIMIT:
            return Ends.none(f"at the limit of its range without one of only {n} units")
        points, scale = np.append(left_out, value), Scale.linear(scale.least, scale.largest)
    pseudo_values = n * points[-1] - (n - 1) * points[:-1]
    half_width = float(stdtrit(n - 1, 1 - tail)) * float(pseudo_values.std(ddof=1)) / math.sqrt(n)
    centre = float(pseudo_values.mean())
    lower, upper = scale.from_line(centre - half_width), scale.from_line(centre + half_width)
    if scale is LINEAR:
        return Ends(lower, upper)
    return checked_ends(value, lower, upper, "without each unit")


def checked_ends(value: float, lower: float, upper: float, where: str = "in all resamples") -> Ends:
    """Returns ends, or none with the reason if they do not contain the value or have no width.

    Args:
        value: The value.
        lower: The lower end.
        upper: The upper end.
        where: In which cases the value is computed.
    """
    if math.isnan(lower + upper):
        return Ends.none("the method is undefined for these values")
    if upper - lower < NO_WIDTH:
        return Ends.none(f"the value is the same {where}")
    if not lower - ROUNDING <= value <= upper + ROUNDING:
        return Ends.none(f"the interval [{lower:.3g}, {upper:.3g}] does not contain the value")
    return Ends(lower, upper)


NO_WIDTH = 1e-9
"""An interval of a coefficient that is narrower has no width but rounding."""


def jackknife_interval(score: Floats, left_out: Floats, tail: float) -> Interval:
    """Returns the interval of `jackknife_ends` of a score, shape (1,); it may exceed the range of the score."""
    return Interval(*jackknife_ends(float(score[0]), left_out, tail)[:2])


def standard_error_of(left_out: Floats) -> float:
    """Computes the standard error √(Σ(p − p̄)²) / n of a score from its n values p without one input each, times n − 1.

    For a mean, this is the standard deviation (n) divided by √n.

    Args:
        left_out: The score without each of the n inputs, shape (n,).
    """
    n = len(left_out)
    return (n - 1) * float(left_out.std()) / math.sqrt(n)


NO_ERROR = 1e-6
"""A standard error in a resample that is smaller than this share of the one of all inputs is a rounding error."""


def studentized_interval(values: Floats, score: Floats, left_out: Floats, errors: Floats, tail: float) -> Interval:
    """Computes the bootstrap-t interval [θ − t₊·s, θ − t₋·s].

    s is the standard error of the score θ, and t₋ and t₊ are the percentiles of (θ* − θ) / s*, where θ* is the score in
    a resample and s* its standard error there. Unlike percentiles, it is wide enough for few inputs; it may exceed the
    range of a score.

    Args:
        values: The score in each resample, shape (resamples,); NaN where undefined.
        score: The score, shape (1,).
        left_out: The score without each of the n inputs, shape (n,).
        errors: The standard error in each resample, shape (resamples,); see `standard_errors`.
        tail: The fraction of the resamples beyond each end; ⌊resamples · tail⌋ values of t are removed at each.

    Returns:
        The interval; NaN for a single input, or if the score is undefined without an input. A resample without a
        standard error, which repeats one value, counts as undefined.
    """
    import numpy as np

    if len(left_out) < 2 or np.isnan(left_out).any():
        return Interval(math.nan, math.nan)
    error = standard_error_of(left_out)
    has_error = (errors > NO_ERROR * error) & ~np.isnan(values)
    t = (values[has_error] - score) / errors[has_error]
    of_t = percentile_interval(t, tail)
    theta = float(score[0])
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else math.nan
    return Interval(theta - of_t.high * error, theta - of_t.low * error, len(values) - len(t), mean)


def standard_errors(left_out: Sequence[Floats], resampling: Resampling) -> list[Floats]:
    """Computes the standard errors of scores in each resample, √(Σ w (p − p̄*)²) / n for weights w with the mean p̄*.

    p are the pseudo-values n·θ − (n − 1)·θ₍ᵢ₎ of the inputs. For a mean, they are its terms, and the standard errors
    are those of the resampled terms; for other scores, they are linear approximations.

    Args:
        left_out: For each score, its values without each of the n inputs, shape (n,).
        resampling: How to resample; the draws are those of `bootstrap_intervals`.

    Returns:
        For each score its standard errors, shape (resamples,).
    """
    import numpy as np

    if not left_out:
        return []
    n = len(left_out[0])
    terms = (n - 1) * np.stack([values - values.mean() for values in left_out], axis=1)
    moments = np.concatenate([terms, terms**2], axis=1)
    (sums,) = weighted_sums(bootstrap_weights(n, resampling), [moments], resampling.resamples)
    means, squares = np.split(sums / n, 2, axis=1)
    return list(np.sqrt(np.maximum(squares - means**2, 0.0) / n).T)


def per_number(function: Callable[..., Value], *scores: Floats) -> Value | list[Value]:
    """Applies a function to the values of a score, or to the values of each number of a list-valued score.

    Args:
        function: The function; it accepts arrays of shape (resamples,).
        scores: Its arguments, shape (resamples,) or (resamples, numbers).
    """
    if scores[0].ndim == 1:
        return function(*scores)
    return [function(*columns) for columns in zip(*(values.T for values in scores), strict=True)]


def bootstrap_intervals(
    systems: Sequence[ScoreVectors], resampling: Resampling = DEFAULT_RESAMPLING
) -> list[Intervals]:
    """Computes confidence intervals of the scores of systems.

    A bootstrap resample draws as many inputs as the system has, with replacement. For a ``percentile`` interval, the
    ⌊resamples · (1 − level) / 2⌋ lowest and as many of the highest scores of the resamples are removed, as in
    sacreBLEU. ``bca`` corrects the percentiles for bias and skewness, and ``jackknife`` draws nothing, but leaves out
    one input at a time; ``studentized`` takes percentiles of the scores of the resamples divided by their standard
    errors. Systems with the same number of inputs share the same draws.

    Args:
        systems: The outputs of each system; a system scored by several metrics appears once per metric.
        resampling: How to resample, with the method.

    Returns:
        For each system, score name to interval. An interval is NaN if the score is undefined in every resample, or the
        method is undefined for it.
    """
    tail = resampling.tail

    def studentized(values: Floats, score: Floats, left_out: Floats) -> Interval:
        (errors,) = standard_errors([left_out], resampling)
        return studentized_interval(values, score, left_out, errors, tail)

    results: list[Intervals] = [{} for _ in systems]
    if not resampling.draws_intervals:
        for result, system in zip(results, systems, strict=True):
            left_out = system.without_each_input()
            for name, score in system.score().items():
                result[name] = per_number(partial(jackknife_interval, tail=tail), score, left_out[name])
        return results
    intervals: dict[str, Callable[..., Interval]] = {
        "percentile": partial(percentile_interval, tail=tail),
        "bca": partial(bca_interval, tail=tail),
        "studentized": studentized,
    }
    groups: dict[int, list[int]] = {}
    for index, system in enumerate(systems):
        groups.setdefault(len(system.inputs), []).append(index)
    for size, indices in groups.items():
        weights = bootstrap_weights(size, resampling)
        sums_of_systems = weighted_sums(weights, [systems[index].vectors for index in indices], resampling.resamples)
        what = f"computing the intervals of {len(indices):,} rows of scores"
        with long_work(what, len(indices), "percentile intervals take less", "computed", "rows of intervals") as work:
            for index, sums in zip(indices, sums_of_systems, strict=True):
                system, drawn = systems[index], systems[index].scores_of(sums)
                others = [] if resampling.method == "percentile" else [system.score(), system.without_each_input()]
                for name, values in drawn.items():
                    arguments = [values, *(scores[name] for scores in others)]
                    results[index][name] = per_number(intervals[resampling.method], *arguments)
                work.advance()
    return results
