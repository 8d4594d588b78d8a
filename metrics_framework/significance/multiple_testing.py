"""Corrections of p-values for several comparisons."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts the p-values of several comparisons so that an error among all of them is as rare as among one.

    The least of m is multiplied by m, the next by m − 1 and so on; none is made less than one before it, nor greater
    than 1. NaN is no comparison and stays.

    >>> [round(p, 6) for p in holm([0.04, 0.01, 0.03])]
    [0.06, 0.03, 0.06]
    """
    adjusted = list(p_values)
    places = sorted((place for place, p in enumerate(p_values) if p == p), key=lambda place: p_values[place])
    least = 0.0
    for rank, place in enumerate(places):
        least = max(least, min(1.0, (len(places) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted
