"""Confidence levels, which users write as a fraction (0.95) or in percent (95)."""

from __future__ import annotations

from metrics_framework.common.errors import InputError

EXPECTED_LEVEL = "a fraction (0.95) or in percent (95)"
_DECIMALS = 12  # 99.9 / 100 is 0.9990000000000001


def as_fraction(level: float) -> float:
    """Returns a confidence level as a fraction.

    Args:
        level: The level: a fraction below 1, or percent above 1.

    Raises:
        InputError: if it is neither.

    >>> as_fraction(0.95), as_fraction(95), as_fraction(99.9)
    (0.95, 0.95, 0.999)
    """
    if 0 < level < 1:
        return level
    if not 1 < level < 100:
        raise InputError(f"the confidence level must be {EXPECTED_LEVEL}, got {level:g}")
    return round(level / 100, _DECIMALS)


def as_percent(level: float) -> float:
    """Returns a confidence level, a fraction or in percent, in percent.

    Raises:
        InputError: if it is neither.

    >>> as_percent(0.95), as_percent(95), as_percent(0.999)
    (95.0, 95.0, 99.9)
    """
    return round(100 * as_fraction(level), _DECIMALS)


def parse_level(word: str | float) -> float:
    """Returns a confidence level of the command line as a fraction.

    Raises:
        ValueError: if it is no level.

    >>> parse_level("95%"), parse_level("0.9")
    (0.95, 0.9)
    """
    return as_fraction(float(str(word).removesuffix("%")))
