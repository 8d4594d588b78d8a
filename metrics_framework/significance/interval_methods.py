"""Confidence intervals: the result, and one function for each method.

Sources: Koehn (EMNLP 2004) for the percentile interval, whose ends follow sacreBLEU 2.6.0; Efron (JASA 1987) for BCa,
which follows SciPy's ``bootstrap``; Tukey (Annals of Mathematical Statistics 1958) and Miller (Biometrika 1974) for the
jackknife; Davison and Hinkley (Bootstrap Methods and their Application, 1997, sections 2.4 and 2.7) for the studentized
interval; Wilson (Journal of the American Statistical Association, 1927) for the score interval; Fisher (Metron, 1921).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import listed_names
from metrics_framework.significance.multiple_testing import ROUNDING


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, and its p-value and draws if functions on arrays return it.

    Args:
        value: The estimate; NaN if undefined.
        lower: The lower end; NaN if undefined.
        upper: The upper end; NaN if undefined.
        undefined_resamples: The number of resamples in which the estimate is undefined; they are excluded. `None` for
            methods without resamples.
        reason: Why a value has no interval; empty if it has one.
        p_value: The two-sided p-value of no correlation; `None` if there is none.
        draws: The value in each resample, or without each unit, if requested.
        method: How it was computed, such as ``jackknife``.
        mean: The mean of the estimate over the resamples; NaN without.
        is_cut: Whether an end was cut to the range of the score.
    """

    value: float
    lower: float = math.nan
    upper: float = math.nan
    undefined_resamples: int | None = None
    reason: str = ""
    p_value: float | None = None
    draws: Floats | None = field(default=None, repr=False, compare=False)
    method: str = field(default="", compare=False)
    mean: float = field(default=math.nan, compare=False)
    is_cut: bool = field(default=False, compare=False)

    @property
    def is_defined(self) -> bool:
        """Whether both ends are defined."""
        return not math.isnan(self.lower + self.upper)

    @property
    def numbers(self) -> tuple[float, float, float]:
        """The estimate and both ends."""
        return self.value, self.lower, self.upper

    @property
    def half_width(self) -> float:
        """Half the width of the interval: the number after ±."""
        return 0.5 * (self.upper - self.lower)

    @property
    def is_lopsided(self) -> bool:
        """Whether a studentized interval is much longer on one side of the estimate, but not cut."""
        sides = self.value - self.lower, self.upper - self.value
        return self.method == "studentized" and not self.is_cut and max(sides) > LOPSIDED * min(sides)

    def as_json(self) -> dict[str, Any]:
        """Returns the value, both ends, and what is known about missing ones."""
        named = {"undefined_resamples": self.undefined_resamples, "reason": self.reason, "p_value": self.p_value}
        known = {name: value for name, value in named.items() if value not in (None, "")}
        return {"value": self.value, "lower": self.lower, "upper": self.upper, **known}

    def scaled(self, factor: float) -> Interval:
        """Returns the interval of the estimate times a factor."""
        if factor == 1:
            return self
        return replace(self, value=self.value * factor, lower=self.lower * factor, upper=self.upper * factor)

    def within(self, least: float | None, largest: float | None) -> Interval:
        """Returns the interval with ends cut to the range of the score, without bound at `None`."""
        lower = self.lower if least is None else max(self.lower, float(least))
        upper = self.upper if largest is None else min(self.upper, float(largest))
        if math.isinf(lower) or math.isinf(upper):
            return self.without_ends("an end exceeds the largest number")
        is_cut = (lower, upper) != (self.lower, self.upper) and self.is_defined
        return replace(self, lower=lower, upper=upper, is_cut=True) if is_cut else self

    def without_ends(self, reason: str) -> Interval:
        """Returns the estimate without an interval."""
        return replace(self, lower=math.nan, upper=math.nan, reason=reason)

    def checked(self, where: str = "in all resamples") -> Interval:
        """Returns the interval, or none with the reason if it does not contain the value or has no width.

        Args:
            where: In which cases the value is computed.
        """
        if math.isnan(self.value) or self.reason:
            return self
        if not self.is_defined:
            return self.without_ends("the method is undefined for these values")
        if self.upper - self.lower < NO_WIDTH:
            return self.without_ends(f"the value is the same {where}")
        if not self.lower - ROUNDING <= self.value <= self.upper + ROUNDING:
            ends = f"[{self.lower:.3g}, {self.upper:.3g}]"
            return self.without_ends(f"the interval {ends} does not contain the value")
        return self


def cautions_of_intervals(named: Iterable[tuple[str, Interval]]) -> Iterator[str]:
    """Yields which values have no interval and why, which ends are cut or far; numbers of a list have one name.

    >>> list(cautions_of_intervals([("a", Interval(2, reason="a single unit")), ("b", Interval(2, 1, 5).within(0, 4))]))
    ['no interval of a: a single unit', 'ends outside the range of the score are cut to it: b']
    """
    intervals = [*named]
    for reason in dict.fromkeys(one.reason for _, one in intervals if one.reason):
        missing = [*dict.fromkeys(name for name, one in intervals if one.reason == reason)]
        yield f"no interval of {listed_names(missing)}: {reason}"
    if cut := [*dict.fromkeys(name for name, one in intervals if one.is_cut)]:
        yield f"ends outside the range of the score are cut to it: {listed_names(cut)}"
    if lopsided := [*dict.fromkeys(name for name, one in intervals if one.is_lopsided)]:
        yield (
            f"one end of the interval is more than {LOPSIDED} times as far from the value as the other, because a few "
            f"inputs decide the value; such intervals are too wide: {listed_names(lopsided)}"
        )


LOPSIDED = 3
"""Sides of an interval that differ by a larger factor are few: 2 % of BLEU for 24 usual outputs, most if few match."""
NO_WIDTH = 1e-9
"""An interval of a coefficient that is narrower has no width but rounding."""
Intervals: TypeAlias = "dict[str, Interval | list[Interval]]"
"""Score name to interval; a list of intervals for a list-valued score."""


def percentile_interval(value: float, drawn: Floats, tail: float, *, interpolated: bool = False) -> Interval:
    """Computes the percentile bootstrap interval.

    Args:
        value: The estimate.
        drawn: The estimate in each resample, shape (resamples,); NaN where undefined.
        tail: The fraction of the resamples beyond each end.
        interpolated: Whether to interpolate between resamples; by default, ⌊resamples · tail⌋ of the lowest and of the
            highest are removed, as in sacreBLEU, and the interval spans the rest.
    """
    import numpy as np

    defined = np.sort(drawn[~np.isnan(drawn)])
    found = Interval(value, undefined_resamples=len(drawn) - len(defined), method="percentile")
    if not len(defined):
        return found
    lower, upper = _outer(defined, tail)
    if interpolated:
        lower, upper = np.percentile(defined, [100 * tail, 100 * (1 - tail)]).tolist()
    return replace(found, lower=lower, upper=upper, mean=float(defined.mean()))


def _outer(values: Floats, tail: float) -> tuple[float, float]:
    """Returns the least and the largest of sorted values without a fraction of them at each end."""
    outside = math.floor(len(values) * tail + ROUNDING)
    return float(values[outside]), float(values[-1 - outside])


def bca_interval(value: float, drawn: Floats, left_out: Floats, tail: float) -> Interval:
    """Computes the bias-corrected and accelerated bootstrap interval.

    Its ends are percentiles Φ(b + (b + z) / (1 − a(b + z))) of the values, with z = Φ⁻¹(tail) for the lower and −z for
    the upper end. b = Φ⁻¹(proportion of values below the estimate; equal ones count half) corrects bias, and
    a = Σu³ / (6 (Σu²)^1.5), u the mean of the estimates without one unit each minus each of them, corrects skewness.

    Args:
        value: The estimate.
        drawn: The estimate in each resample, shape (resamples,); NaN where undefined.
        left_out: The estimate without each unit, shape (units,).
        tail: The fraction beyond each end.

    Returns:
        The interval; NaN if the estimate is undefined without a unit, or all values are on one side of it.
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    defined = drawn[~np.isnan(drawn)]
    found = Interval(value, undefined_resamples=len(drawn) - len(defined), method="bca")
    equal = abs(defined - value) <= ROUNDING * abs(value)
    below = (int(((defined < value) & ~equal).sum()) + int(equal.sum()) / 2) / max(1, len(defined))
    if not 0 < below < 1 or np.isnan(left_out).any():
        return found
    bias, acceleration = float(ndtri(below)), _acceleration(left_out)
    shifted = (bias + sign * float(ndtri(tail)) for sign in (1, -1))
    percentages = [100 * float(ndtr(bias + one / (1 - acceleration * one))) for one in shifted]
    lower, upper = np.percentile(defined, percentages).tolist()
    return replace(found, lower=lower, upper=upper, mean=float(defined.mean()))


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
        return cls(least, largest, lambda values: values, lambda point: float(min(largest, max(least, point))))


LINEAR = Scale.linear()
SINGLE_UNIT = "a single unit"
FEWEST_AT_LIMIT = 20
"""With as many units, the interval on the linear scale covers where a value without a unit is at a limit."""


def student_quantile(probability: float, freedom: float = math.inf) -> float:
    """Returns a quantile of Student's distribution; without degrees of freedom, of the normal one, and NaN below one.

    >>> round(student_quantile(0.975, 9), 6), round(student_quantile(0.975), 6), student_quantile(0.975, 0)
    (2.262157, 1.959964, nan)
    """
    from scipy.special import ndtri, stdtrit

    if not freedom >= 1:
        return math.nan
    return float(ndtri(probability) if freedom == math.inf else stdtrit(freedom, probability))


def student_interval(
    value: float,
    error: float,
    probability: float,
    freedom: float = math.inf,
    centre: float | None = None,
    scale: Scale = LINEAR,
) -> Interval:
    """Computes the interval c ± t·s on a line, mapped back to the scale of the estimate.

    Args:
        value: The estimate.
        error: The standard error s of a point of the line.
        probability: The probability below the upper end.
        freedom: The degrees of freedom of the quantile t of Student's distribution; by default it is the normal one.
        centre: The centre c, a point of the line; by default the estimate.
        scale: The scale.
    """
    point, half_width = value if centre is None else centre, student_quantile(probability, freedom) * error
    found = Interval(value, method="student")
    if math.isnan(half_width):
        return found
    return replace(found, lower=scale.from_line(point - half_width), upper=scale.from_line(point + half_width))


def f_ends(square: float, freedom: float, other: float, tail: float) -> tuple[float, float]:
    """Returns the ends of the interval of a mean square that is compared with another one by the F distribution.

    Args:
        square: The mean square.
        freedom: Its degrees of freedom.
        other: Those of the other mean square.
        tail: The fraction of the distribution beyond each end.
    """
    from scipy.special import fdtri

    return square / float(fdtri(freedom, other, 1 - tail)), square * float(fdtri(other, freedom, 1 - tail))


def jackknife_interval(value: float, left_out: Floats, tail: float, scale: Scale = LINEAR) -> Interval:
    """Computes Student's interval of the pseudo-values nθ − (n − 1)θ₍ᵢ₎, θ on a scale, with n − 1 degrees of freedom.

    For a mean on the linear scale, this is the usual interval: mean ± t · standard deviation / √n. If an estimate is at
    a limit of its scale, the interval is linear with 20 units or more, and undefined with fewer.

    Args:
        value: The estimate.
        left_out: The estimate without each of the n units, shape (n,).
        tail: The fraction of the distribution beyond each end.
        scale: The scale.

    Returns:
        The interval; NaN with the reason for a single unit, if the estimate is undefined without one, all are equal on
        a scale with limits, or the interval does not contain the estimate.
    """
    import numpy as np

    n, undefined, found = len(left_out), int(np.isnan(left_out).sum()), Interval(value, method="jackknife")
    if math.isnan(value):
        return found
    if n < 2 or undefined:
        reason = SINGLE_UNIT if n < 2 else f"undefined for {undefined} of {n} left-out units"
        return found.without_ends(reason)
    points = scale.to_line(np.append(left_out, value))
    if not np.isfinite(points).all():
        if n < FEWEST_AT_LIMIT:
            return found.without_ends(f"at the limit of its range without one of only {n} units")
        points, scale = np.append(left_out, value), Scale.linear(scale.least, scale.largest)
    pseudo_values = n * points[-1] - (n - 1) * points[:-1]
    error, centre = float(pseudo_values.std(ddof=1)) / math.sqrt(n), float(pseudo_values.mean())
    found = replace(student_interval(value, error, 1 - tail, n - 1, centre, scale), method="jackknife")
    return found if scale is LINEAR else found.checked("without each unit")


NO_VARIATION = "the score is the same without each unit"
NO_ERROR = 1e-6
"""A standard error in a resample that is smaller than this share of the one of all units is a rounding error."""


def studentized_intervals(
    values: Floats, drawn: Floats, left_out: Floats, errors: Floats, tail: float
) -> list[Interval]:
    """Computes the bootstrap-t intervals [θ − t₊·s, θ − t₋·s] of several estimates.

    s is the standard error √(Σ(p − p̄)²) / n of the estimate θ, p its n values without one unit each, times n − 1; for a
    mean, that is the standard deviation (n) divided by √n. t₋ and t₊ are the percentiles of (θ* − θ) / s*, where θ* is
    the estimate in a resample and s* its standard error there. Unlike percentiles, it is wide enough for few units; it
    may exceed the range of a score, to which `Interval.within` cuts it.

    Args:
        values: The estimates, shape (estimates,).
        drawn: The estimates in each resample, shape (estimates, resamples); NaN where undefined.
        left_out: The estimates without each of the n units, shape (estimates, n).
        errors: The standard errors in each resample, shape (estimates, resamples).
        tail: The fraction of the resamples beyond each end; ⌊resamples · tail⌋ values of t are removed at each.

    Returns:
        The intervals; NaN for a single unit, or if an estimate is undefined without a unit or does not vary. Resamples
        without a standard error, which repeat one value, are left out; if they are more than would be beyond an end,
        the interval is that of the jackknife.
    """
    import numpy as np

    (rows, resamples), n = drawn.shape, left_out.shape[1]
    defined = ~np.isnan(drawn)
    counts = np.count_nonzero(defined, axis=1)
    standard_errors = standard_errors_of(left_out) if n > 1 else np.zeros(rows)
    has_error = (errors > NO_ERROR * standard_errors[:, None]) & defined
    usable = np.count_nonzero(has_error, axis=1)
    t = np.sort((drawn - values[:, None]) / np.where(has_error, errors, np.nan), axis=1)  # NaN is last
    means = np.where(defined, drawn, 0.0).sum(axis=1) / np.maximum(counts, 1)
    found = []
    for row, (value, error) in enumerate(zip(values.tolist(), standard_errors.tolist(), strict=True)):
        count, size = int(counts[row]), int(usable[row])
        one = Interval(value, undefined_resamples=resamples - count, method="studentized")
        if n < 2 or math.isnan(error) or error <= ROUNDING * abs(value):
            one = one.without_ends(SINGLE_UNIT if n < 2 else "" if math.isnan(error) else NO_VARIATION)
        elif count - size > tail * resamples:
            one = replace(jackknife_interval(value, left_out[row], tail), undefined_resamples=one.undefined_resamples)
        else:
            least, largest = _outer(t[row, :size], tail)
            # an interval contains its estimate, even if nearly all resamples are on one side of it
            ends = value - max(largest, 0.0) * error, value - min(least, 0.0) * error
            one = Interval(value, *ends, one.undefined_resamples, method="studentized", mean=float(means[row]))
        found.append(one)
    return found


def standard_errors_of(left_out: Floats) -> Floats:
    """Returns the standard errors of estimates, given their values without one of the n units each, shape (…, n)."""
    n = left_out.shape[-1]
    errors: Floats = (n - 1) * left_out.std(axis=-1) / math.sqrt(n)
    return errors


def score_interval(proportion: float, effective: float, quantile: float) -> Interval:
    """Computes the score interval of a proportion.

    Its ends are (p + t²/2n* ± t√(p(1−p)/n* + t²/4n*²)) / (1 + t²/n*). Unlike p ± t·standard error, they are correct for
    few trials and for proportions near 0 and 1.

    Args:
        proportion: The proportion p.
        effective: The number n* of independent trials that say as much about it.
        quantile: The quantile t of the normal distribution or, for clusters of trials, of Student's.
    """
    found = Interval(proportion, method="score")
    if not effective or math.isnan(effective + quantile):
        return found
    lower, upper = score_ends(proportion, quantile * quantile / effective)
    return replace(found, lower=float(lower), upper=float(upper))


def score_ends(proportions: Any, q: Any) -> tuple[Any, Any]:
    """Returns the ends of `score_interval` for numbers or arrays of p and of q = t²/n*."""
    import numpy as np

    q = np.minimum(q, WHOLE_RANGE)
    half_widths = np.sqrt(q * (proportions * (1 - proportions) + q / 4))
    lower, upper = ((proportions + q / 2 + side) / (1 + q) for side in (-half_widths, half_widths))
    # at 0 and 1 the ends differ by rounding
    return np.clip(lower, 0.0, proportions), np.clip(upper, proportions, 1.0)


WHOLE_RANGE = 1e16
"""With this or more for t²/n*, a score interval is [0, 1] except for rounding."""


def fisher_interval(value: float, centre: float, standard_error: float, tail: float, scale: Scale) -> Interval:
    """Computes Fisher's interval of a coefficient, artanh r ± z_{1−tail}·s mapped back.

    If r is a shrunken coefficient, the interval is extended to the coefficient itself where it would not contain it.

    Args:
        value: The coefficient.
        centre: The number r between −1 and 1 at the centre: the coefficient mapped to this range, perhaps shrunken.
        standard_error: The standard error s of artanh r; NaN if undefined.
        tail: The share of the distribution beyond each end.
        scale: The scale, artanh of the range of the coefficient.

    Returns:
        The interval; NaN with the reason if r is undefined or ±1, or there is no standard error.

    >>> found = fisher_interval(0.5, 0.5, 1 / math.sqrt(28 - 3), 0.025, Scale.artanh())
    >>> round(found.lower, 6), round(found.upper, 6)
    (0.156028, 0.735818)
    """
    if not abs(centre) < 1 or math.isnan(standard_error):
        reason = "there are too few points" if math.isnan(standard_error) else "the coefficient is +1 or -1"
        return Interval(value, reason=reason, method="fisher")
    found = student_interval(value, standard_error, 1 - tail, centre=math.atanh(centre), scale=scale)
    return replace(found, method="fisher", lower=min(found.lower, value), upper=max(found.upper, value))
