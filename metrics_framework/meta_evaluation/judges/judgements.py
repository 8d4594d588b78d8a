"""Judgements and ratings as arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.data.texts import shown
from metrics_framework.significance.arrays import Floats


def matrices_of(
    judge: Mapping[Hashable, Any], humans: Mapping[str, Mapping[Hashable, Any]], *, as_labels: bool
) -> tuple[Floats, Floats, list[str]]:
    """Turns mappings into arrays, with one column for each unit that a rater rated.

    Args:
        judge: Unit to judgement.
        humans: Rater to the rating of each unit.
        as_labels: Whether values are labels, which are numbered.

    Returns:
        The judgements, shape (units,); the ratings, shape (raters, units); the names of the raters.

    Raises:
        InputError: if there are no raters, or a value is neither a finite number nor, if ``as_labels``, hashable.
    """
    if not isinstance(judge, Mapping) or not isinstance(humans, Mapping):
        raise InputError("'judge' must map units to judgements, and 'humans' raters to mappings from units to ratings")
    if not humans:
        raise InputError("'humans' must have at least one rater, got none")
    units = list(dict.fromkeys(unit for rated in humans.values() for unit in rated))
    codes: dict[Any, float] | None = {} if as_labels else None
    ratings = [_row(rated, units, f"humans[{rater!r}]", codes) for rater, rated in humans.items()]
    matrix = np.array(ratings, dtype=np.float64).reshape(len(humans), len(units))
    return np.array(_row(judge, units, "judge", codes), dtype=np.float64), matrix, list(map(str, humans))


def _row(
    values: Mapping[Hashable, Any], units: list[Hashable], name: str, codes: dict[Any, float] | None
) -> list[float]:
    row = []
    for unit in units:
        value = values.get(unit)
        if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
            row.append(math.nan)
        elif codes is None:
            row.append(_number(value, f"{name}[{unit!r}]"))
        else:
            row.append(codes.setdefault(value, float(len(codes))))
    return row


def _number(value: Any, name: str) -> float:
    try:
        number = float(value) if not isinstance(value, str) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{name}' must be a finite number, got {shown(value)}; labels need the scoring 'accuracy'")
    return number
