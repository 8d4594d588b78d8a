"""Numbers as text: the one form of scores, coefficients, intervals, p-values and shares in tables, notes and pictures.

Every number of a table, a picture or a page is written by a function of this module, except settings such as α, which
are repeated as they were given (``f"{alpha:g}"``). Formats for programs have all digits (`all_digits`).
"""

from __future__ import annotations

import math
from typing import Any

from metrics_framework.significance.multiple_testing import RANGES, SEPARATED, Rank

UNDEFINED = "undefined"
"""A number that cannot be computed from the data, such as the correlation of constant scores."""
NONE = "–"
"""Where there is no number or interval, as for a system without outputs; on pages of texts also an undefined score."""
DIGITS = 3
"""The decimal places of coefficients, shares, and means of ratings; scores have their own."""
LARGEST = 1e15
"""A larger number has no exact decimal places, and is written with an exponent."""


def number(value: Any, digits: int = DIGITS, *, signed: bool = False, undefined: str = UNDEFINED) -> str:
    """Writes a number with fixed decimal places, and an integer in full.

    Args:
        value: The number; a list of numbers is joined with slashes, and other values are written as they are.
        digits: The number of decimal places.
        signed: Whether it is a difference, which has its sign also if it is positive.
        undefined: What to write instead of `None` and NaN.

    >>> number(0.12345), number(-0.0004), number(0.25, 2, signed=True), number(float("nan")), number(7)
    ('0.123', '0.000', '+0.25', 'undefined', '7')
    >>> number([62.5, 37.125], 2), number(2.5e20)
    ('62.50/37.12', '2.50000e+20')
    """
    if isinstance(value, list):
        return "/".join(number(item, digits, signed=signed, undefined=undefined) for item in value)
    if value is None or value != value:  # NaN
        return undefined
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    sign = "+" if signed else ""
    if isinstance(value, int):
        return format(value, sign)
    if LARGEST <= abs(value) < math.inf:
        return format(value, f"{sign}.5e")
    written = format(value, f"{sign}.{digits}f")
    return written if float(written) else format(0.0, f"{sign}.{digits}f")  # 0 instead of -0


def significant(value: float, digits: int = 4) -> str:
    """Writes a number of unknown size, such as ε or a variance, with significant digits.

    >>> significant(0.000123456), significant(12.0), significant(float("nan"))
    ('0.0001235', '12', 'undefined')
    """
    return UNDEFINED if value != value else f"{value:.{digits}g}"


def interval(value: Any, lower: Any, upper: Any, digits: int = DIGITS, *, signed: bool = False) -> str:
    """Writes an estimate with its interval; the estimate alone if the interval is undefined.

    >>> interval(0.5, 0.25, 0.75), interval(0.5, float("nan"), float("nan")), interval(0.5, None, None)
    ('0.500 [0.250, 0.750]', '0.500', '0.500')
    >>> interval(0.02, -0.004, 0.044, 2, signed=True)
    '+0.02 [+0.00, +0.04]'
    """
    estimate = number(value, digits, signed=signed)
    ends = bounds(lower, upper, digits, signed=signed)
    return estimate if ends == NONE or estimate == UNDEFINED else f"{estimate} {ends}"


def bounds(lower: Any, upper: Any, digits: int = DIGITS, *, signed: bool = False) -> str:
    """Writes an interval without its estimate; a dash if there is none.

    >>> bounds(0.25, 0.75), bounds(float("nan"), float("nan"))
    ('[0.250, 0.750]', '–')
    """
    ends = [number(end, digits, signed=signed) for end in (lower, upper)]
    return NONE if UNDEFINED in ends else f"[{', '.join(ends)}]"


def p_value(p: float | None, digits: int = 4) -> str:
    """Writes a p-value as a cell of a table; one that would be written as 0 is written as less than the last digit.

    >>> p_value(0.0123), p_value(0.00007), p_value(0.0004, 3), p_value(float("nan"))
    ('0.0123', '<.0001', '<.001', 'undefined')
    """
    if p is None or p != p:
        return UNDEFINED
    return f"<.{'1':0>{digits}}" if p < 10**-digits else f"{p:.{digits}f}"


def p_equation(p: float | None, digits: int = 4) -> str:
    """Writes a p-value for a sentence.

    >>> p_equation(0.0123), p_equation(0.00007), p_equation(None)
    ('p = 0.0123', 'p < .0001', 'p undefined')
    """
    written = p_value(p, digits)
    if written == UNDEFINED:
        return f"p {written}"
    return f"p < {written[1:]}" if written.startswith("<") else f"p = {written}"


def percent(share: float, digits: int | None = None, *, signed: bool = False) -> str:
    """Writes a share, or a confidence level, as a percentage.

    Args:
        share: The share, from 0 to 1.
        digits: The number of decimal places; by default as many as a level has.
        signed: Whether it is a relative difference.

    >>> percent(0.95), percent(0.999), percent(0.3125, 0), percent(0.3125, 0, signed=True), percent(float("nan"))
    ('95 %', '99.9 %', '31 %', '+31 %', 'undefined')
    """
    if share != share:
        return UNDEFINED
    return f"{100 * share:g} %" if digits is None else f"{number(100.0 * share, digits, signed=signed)} %"


def span(least: Any, most: Any) -> str:
    """Writes the range of ranks, counts or other written numbers; a single one if both ends are equal.

    >>> span(1, 3), span(2, 2), span("0.97", "1.31")
    ('1–3', '2', '0.97–1.31')
    """
    return f"{least}" if least == most else f"{least}–{most}"


def rank_text(rank: Rank | None, ranking: str) -> str:
    """Writes the ranks that tests leave open, or the number of the cluster.

    >>> [rank_text(Rank(1, 1, 3), ranking) for ranking in (RANGES, SEPARATED, "clusters")]
    ['1–3', '1–3', '1']
    """
    if rank is None:
        return NONE
    return span(rank.best, rank.worst) if ranking in (RANGES, SEPARATED) else str(rank.cluster)


def described_ranks(ranking: str, what: str) -> str:
    """Says what ranks of systems or metrics are.

    >>> described_ranks("clusters", "metric")
    'the number of a cluster: a new one starts where a metric of the current one is significantly better'
    """
    if ranking not in (RANGES, SEPARATED):
        return f"the number of a cluster: a new one starts where a {what} of the current one is significantly better"
    return f"1 + the number of significantly better {what}s, to the number of {what}s that are not significantly worse"


def all_digits(value: Any) -> str:
    """Writes a number, or another value, for programs: with all digits, and nothing if it is undefined.

    >>> all_digits(0.1 + 0.2), all_digits(float("nan")), all_digits(None), all_digits([0.5, 1])
    ('0.30000000000000004', '', '', '[0.5, 1]')
    """
    return "" if value is None or value != value else str(value)
