"""One-sided tests of a mean difference between two runs on the same inputs: better, worse, and no worse by a margin.

Differences are new minus old; a positive one is an improvement. `benchmarks/gate.py` simulates how often the tests err.

Sources: Tango (Statistics in Medicine, 1998) for the score test of binary outcomes; Hall (Journal of the Royal
Statistical Society B, 1992) for the t-test that allows for skewness; Waudby-Smith and Ramdas (Journal of the Royal
Statistical Society B, 2024) for betting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.resampling import Resampling, all_swaps, swap_weights

FEW_UNITS, FEW_CHANGES, FEW_SHARE = 20, 30, 0.75
"""With fewer inputs, or fewer differences other than the commonest that are also a smaller share, bets decide."""
DECIMALS = 9
"""Differences that are equal to this many decimal places are equal."""
FLIPS = 10_000
ENUMERATED = 14
"""Up to this many differences, all sign flips are enumerated."""
UNKNOWN_RANGE = "range unknown"
CITATIONS: Mapping[str, str] = {
    "mcnemar": "mcnemar-1947-note",
    "tango": "tango-1998-equivalence",
    "hall": "hall-1992-removal",
    "betting": "waudby-smith-ramdas-2024-estimating",
}
"""What the names of methods contain, and the papers to cite, by their keys in ``citations.bib``."""
_HALVINGS = 80


class Question(NamedTuple):
    """What is asked about differences.

    Attributes:
        margin: The loss D > 0 that is tolerated; NaN for none.
        alpha: The level of each one-sided test.
        power: The power that needed numbers of examples promise.
        seed: The seed of sign flips and of the order of bets.
    """

    margin: float = math.nan
    alpha: float = 0.05
    power: float = 0.8
    seed: int = 0


class Answer(NamedTuple):
    """The tests of a mean difference δ; a number that does not exist is NaN.

    Attributes:
        lower: The lower end of the two-sided 1 − 2α interval of δ.
        upper: The upper end.
        p_better: The p-value of δ ≤ 0.
        p_worse: The p-value of δ ≥ 0.
        p_no_worse: The p-value of δ ≤ −D.
        unlike: The number of differences, or of means of clusters, other than the commonest.
        needed: The number of examples that show that δ > −D with the power, if nothing changed.
        detectable: The least margin for which the present number of examples is enough.
        method: How the p-values were computed.
        reason: Why numbers do not exist; empty if all do.
    """

    lower: float = math.nan
    upper: float = math.nan
    p_better: float = math.nan
    p_worse: float = math.nan
    p_no_worse: float = math.nan
    unlike: int = 0
    needed: float = math.nan
    detectable: float = math.nan
    method: str = ""
    reason: str = ""


def answer(
    differences: Floats,
    question: Question,
    width: float = math.nan,
    *,
    is_binary: bool = False,
    clusters: Clusters | None = None,
) -> Answer:
    """Tests whether a mean difference is above 0, below 0, and above a margin.

    Args:
        differences: New minus old, shape (inputs,), without NaN.
        question: The margin, level and power.
        width: The width of the range of scores; NaN if it is unknown.
        is_binary: Whether each score is a single outcome, 0 or 1.
        clusters: The clusters of inputs; `None` for independent inputs.

    >>> found = answer(np.repeat([1.0, -1.0, 0.0], [30, 45, 425]), Question(margin=0.05), is_binary=True)
    >>> [round(number, 4) for number in (found.lower, found.upper, found.p_worse, found.detectable)], found.needed
    ([-0.059, -0.0015, 0.0527, 0.0438], 389)
    """
    has_margin = not math.isnan(question.margin)
    question = question if has_margin else question._replace(margin=0.5)  # what depends on it is left out below
    inputs = len(differences)
    if is_binary and clusters is None:
        found = _of_outcomes(differences, question)
    elif clusters is None:
        unlike = count_unlike(differences)
        found = _of_inputs(differences, question)._replace(unlike=unlike) if unlike else Answer()
        if inputs < FEW_UNITS or unlike < min(FEW_CHANGES, FEW_SHARE * inputs):
            found = _of_few(differences, question, width, found, inputs)
    else:
        sums, sizes = clusters.sums(differences), np.bincount(clusters.codes).astype(np.float64)
        unlike = count_unlike(sums / sizes)
        if unlike < min(FEW_CHANGES, FEW_SHARE * clusters.count):
            scale = clusters.count / inputs
            width *= float(sizes.max()) * scale
            found = _of_few(sums * scale, question, width, Answer(unlike=unlike), inputs)
        else:
            found = _of_clusters(sums, sizes, question)._replace(unlike=unlike)
    return found if has_margin else found._replace(p_no_worse=math.nan, needed=math.nan)


def count_unlike(values: Floats) -> int:
    """Counts the values other than the commonest.

    >>> count_unlike(np.array([0, 0.1 + 0.2, 0.3, 0.3]))
    1
    """
    counts = np.unique(np.round(values, DECIMALS) + 0.0, return_counts=True)[1]
    return int(len(values) - counts.max(initial=0))


def skewness(differences: Floats) -> float:
    """Computes the third standardized moment; NaN if all values are equal."""
    if not count_unlike(differences):
        return math.nan
    centred = differences - differences.mean()
    return float((centred**3).mean() / (centred**2).mean() ** 1.5)


def are_too_few(units: int, skewness: float) -> bool:
    """Returns whether Student's intervals of skewed values are too short: fewer units than 25 times its square.

    Source: Cochran, "Sampling Techniques", 1977.
    """
    return units < 25 * skewness**2


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Returns where a falling function crosses 0, between two numbers at which it is not computed."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if falling(middle) >= 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


# ---- outcomes of 0 and 1 ---------------------------------------------------------------------------------------------


def tango_z(inputs: float, gained: float, lost: float, difference: float) -> float:
    """Computes Tango's score statistic of a difference of proportions of paired outcomes.

    Args:
        inputs: The number of inputs.
        gained: The number of inputs with the outcomes 0 and then 1.
        lost: The number of inputs with the outcomes 1 and then 0.
        difference: The difference under the null hypothesis.

    >>> round(tango_z(500, 30, 45, -0.05), 4)
    1.1433
    """
    variance = inputs * _score_variance(inputs, gained, lost, difference)
    return (gained - lost - inputs * difference) / math.sqrt(variance) if variance > 0 else 0.0


def _score_variance(inputs: float, gained: float, lost: float, difference: float) -> float:
    """Returns the variance of the difference of one input, with the likeliest proportions under the hypothesis."""
    a = 2 * inputs
    b = -gained - lost + (a - gained + lost) * difference
    c = -lost * difference * (1 - difference)
    q = (math.sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    return max(0.0, 2 * q + difference * (1 - difference))


def _of_outcomes(differences: Floats, question: Question) -> Answer:
    from scipy.special import bdtr, ndtr, ndtri

    inputs, gained, lost = len(differences), int((differences > 0).sum()), int((differences < 0).sum())
    changed = gained + lost
    z_alpha, z_beta = float(ndtri(1 - question.alpha)), float(ndtri(question.power))

    def needed(tried: float) -> float:
        """Returns the number of inputs if as many are gained as lost, and as many change as did."""
        half = changed / inputs / 2
        variance = _score_variance(1, half, half, -tried)
        return ((z_alpha * math.sqrt(variance) + z_beta * math.sqrt(2 * half)) / tried) ** 2

    return Answer(
        lower=_root(lambda difference: tango_z(inputs, gained, lost, difference) - z_alpha, -1, 1),
        upper=_root(lambda difference: tango_z(inputs, gained, lost, difference) + z_alpha, -1, 1),
        p_better=float(bdtr(lost, changed, 0.5)) if changed else 1.0,
        p_worse=float(bdtr(gained, changed, 0.5)) if changed else 1.0,
        p_no_worse=float(ndtr(-tango_z(inputs, gained, lost, -question.margin))),
        unlike=count_unlike(differences),
        needed=math.ceil(needed(question.margin)),
        detectable=_root(lambda tried: needed(tried) - inputs, 0, 1),
        method="McNemar's test and Tango's score test",
    )


# ---- means of scores -------------------------------------------------------------------------------------------------


def _of_inputs(differences: Floats, question: Question) -> Answer:
    """Tests independent differences that are not all equal."""
    inputs, mean = len(differences), float(differences.mean())
    error, skew = float(differences.std(ddof=1)) / math.sqrt(inputs), hall_skewness(differences) / math.sqrt(inputs)
    found = _by_t(mean, error, skew, lambda number: max(number - 1, 1), inputs, question)
    return found._replace(method="Student's t-test and Hall's correction of it for skewness")


def _of_clusters(sums: Floats, sizes: Floats, question: Question) -> Answer:
    """Tests differences of clusters, whose means are not all equal, by leaving out one cluster at a time."""
    count, inputs = len(sums), int(sizes.sum())
    without = (sums.sum() - sums) / (inputs - sizes)
    error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
    freedom = count / (1 + float(sizes.var()) / float(sizes.mean()) ** 2) - 1
    found = _by_t(float(sums.sum()) / inputs, error, 0.0, lambda _: freedom, inputs, question)
    return found._replace(method="Student's t-test, leaving out one cluster at a time")


def _by_t(
    mean: float, error: float, skew: float, freedom: Callable[[float], float], inputs: int, question: Question
) -> Answer:
    """Tests a mean by t, and by Hall's transformation of it unless the skewness over √n is 0.

    Args:
        mean: The mean.
        error: Its standard error.
        skew: The skewness over √n.
        freedom: Returns the degrees of freedom of a number of inputs.
        inputs: The number of inputs.
        question: The margin, level and power.
    """
    from scipy.special import stdtr, stdtrit

    t, square = float(stdtrit(freedom(inputs), 1 - question.alpha)), question.margin**2

    def p_values(null: float) -> tuple[float, float]:
        """Returns the p-values of a larger and a smaller mean."""
        statistic = (mean - null) / error
        pair = statistic, statistic + skew * statistic**2 / 3 + skew**2 * statistic**3 / 27 + skew / 6
        return float(stdtr(freedom(inputs), -min(pair))), float(stdtr(freedom(inputs), max(pair)))

    def inverse(quantile: float) -> float:
        return quantile if abs(skew) < 1e-8 else 3 / skew * (float(np.cbrt(1 + skew * (quantile - skew / 6))) - 1)

    def needed(number: float) -> float:
        """Returns the number of inputs that tests with the degrees of freedom of a number need, times D²."""
        quantiles = stdtrit(freedom(number), 1 - question.alpha) + stdtrit(freedom(number), question.power)
        return inputs * (error * float(quantiles)) ** 2

    return Answer(
        lower=mean - max(t, inverse(t)) * error,
        upper=mean - min(-t, inverse(-t)) * error,
        p_better=p_values(0)[0],
        p_worse=p_values(0)[1],
        p_no_worse=p_values(-question.margin)[0],
        needed=math.ceil(_root(lambda number: needed(number) / square - number, 0, max(4, needed(2) / square))),
        detectable=math.sqrt(needed(inputs) / inputs),
    )


def hall_skewness(differences: Floats) -> float:
    """Computes skewness for Hall's test, with factors for small samples; 0 for fewer than 3 differences."""
    n = len(differences)
    return skewness(differences) * math.sqrt(n * (n - 1)) / (n - 2) * (1 + 12 / n) if n > 2 else 0.0


# ---- few changes -----------------------------------------------------------------------------------------------------


def _of_few(units: Floats, question: Question, width: float, found: Answer, inputs: int) -> Answer:
    """Tests differences of which few differ from the commonest, by sign flips and betting.

    Args:
        units: The differences of inputs, or of clusters, weighted by their sizes.
        question: The margin, level and seed.
        width: The width of the range of the scores of ``units``.
        found: The answer of the t-test, if there is one.
        inputs: The number of inputs.
    """
    if not count_unlike(units):
        return _of_equal(float(units.mean()), len(units), question, width, inputs)
    worse, better = flip_p_values(units, question.seed)
    p_worse = worse if math.isnan(found.p_worse) else max(worse, found.p_worse)
    needed = max(math.ceil(FEW_CHANGES * inputs / max(found.unlike, 1)), int(np.nan_to_num(found.needed)))
    common = Answer(p_worse=p_worse, unlike=found.unlike, needed=needed, method="sign flips and betting")
    if math.isnan(width):
        return common._replace(reason=UNKNOWN_RANGE)
    bets = Bets(np.random.default_rng(question.seed).permutation(units), width, question.alpha)
    losing = Bets(-bets.differences, width, question.alpha)
    return common._replace(
        lower=bets.lower(),
        upper=-losing.lower(),
        p_better=max(better, bets.p_value(0)),
        p_no_worse=bets.p_value(question.margin),
    )


def _of_equal(value: float, count: int, question: Question, width: float, inputs: int) -> Answer:
    """Tests differences that are all equal, which need no bets."""
    method = "betting on equal differences"
    if math.isnan(width):
        return Answer(method=method, reason=UNKNOWN_RANGE)
    share = question.alpha ** (1 / count)
    lower = (width + value) * share - width
    needed, p_no_worse = math.nan, 1.0
    if value > -question.margin:
        bet = max(0.0, width - question.margin) / (width + value)
        p_no_worse = bet**count
        needed = math.ceil(math.log(question.alpha) / math.log(bet) * inputs / count) if bet else 1
    return Answer(
        lower=lower,
        upper=width - (width - value) * share,
        p_better=(width / (width + value)) ** count if value > 0 else 1.0,
        p_worse=(width / (width - value)) ** count if value < 0 else 1.0,
        p_no_worse=p_no_worse,
        needed=needed,
        detectable=max(0.0, -lower),
        method=method,
    )


def flip_p_values(differences: Floats, seed: int) -> tuple[float, float]:
    """Computes the p-values of a lower and of a higher sum than with random signs; equal outputs have no sign.

    >>> flip_p_values(np.array([-0.5, -0.25, 0.0, -1.0]), 0)
    (0.125, 1.0)
    """
    changed = differences[differences != 0]
    count = len(changed)
    if not count:
        return 1.0, 1.0
    total, rounding = changed.sum(), 1e-12 * np.abs(changed).sum()
    is_exact = count <= ENUMERATED
    lower = higher = 0 if is_exact else 1
    blocks = all_swaps(count) if is_exact else swap_weights(count, Resampling(seed=seed, trials=FLIPS))
    for block in blocks:
        sums = total - 2 * (block * changed).sum(axis=1)
        for flipped in (sums, -sums) if is_exact else (sums,):
            lower += int((flipped <= total + rounding).sum())
            higher += int((flipped >= total - rounding).sum())
    trials = 2**count if is_exact else FLIPS + 1
    return lower / trials, higher / trials


class Bets:
    """Bets that a mean difference is higher than assumed; wealth above 1/α is evidence, whatever their distribution.

    Args:
        differences: The differences, in the order of the bets, shape (n,).
        width: The width R of the range of scores: a difference is between −R and R.
        alpha: The level for which the stakes are chosen.

    >>> round(Bets(np.array([0, -0.5, 0, 1]), 1.0, 0.05).p_value(0.2), 4)
    0.428
    """

    def __init__(self, differences: Floats, width: float, alpha: float) -> None:
        self.differences, self._width, self._alpha = differences, width, alpha
        self._x = (differences + width) / (2 * width)
        counts = np.arange(1, len(self._x) + 1)
        means = (0.5 + np.cumsum(self._x)) / (counts + 1)
        # Each squared distance is from the mean up to its step.
        variances = (0.25 + np.cumsum((self._x - means) ** 2)) / (counts + 1)
        before = np.concatenate([[0.25], variances[:-1]])
        self._stakes: Floats = np.sqrt(2 * math.log(1 / alpha) / (len(self._x) * before))

    def p_value(self, margin: float) -> float:
        """Returns the p-value of δ ≤ −margin."""
        if margin >= self._width:
            return 0.0
        least = (self._width - margin) / (2 * self._width)
        wealth = np.cumsum(np.log1p(np.minimum(self._stakes, 0.9 / least) * (self._x - least)))
        return min(1.0, math.exp(-float(wealth.max())))

    def lower(self) -> float:
        """Returns the largest δ that is ruled out, with every smaller one: the lower bound."""
        return _root(lambda tried: self._alpha - self.p_value(-tried), -self._width, self._width)
