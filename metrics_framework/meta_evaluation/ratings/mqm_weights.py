"""Weights of errors in multidimensional quality metrics (MQM)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from metrics_framework.common.errors import DataError
from metrics_framework.io.tables import read_table


class ErrorWeight(NamedTuple):
    """The weight of some errors.

    Args:
        category: The start of the category, in lower case; empty for every category.
        severity: The severity, in lower case; empty for every severity.
        weight: The weight.
    """

    category: str
    severity: str
    weight: float

    def applies(self, category: str, severity: str) -> bool:
        """Returns whether an error, in lower case, has this weight."""
        return category.startswith(self.category) and self.severity in ("", severity)


FREITAG_2021 = (
    ErrorWeight("non-translation", "", 25),
    ErrorWeight("fluency/punctuation", "minor", 0.1),
    ErrorWeight("", "critical", 5),
    ErrorWeight("", "major", 5),
    ErrorWeight("", "minor", 1),
    ErrorWeight("", "neutral", 0),
    ErrorWeight("", "no-error", 0),
)
"""The weights of Freitag et al. (2021), "Experts, Errors, and Context"; the first that applies is used."""


def read_weights(path: str) -> list[ErrorWeight]:
    """Reads a table with the columns ``category``, ``severity`` and ``weight``; the first row that applies is used.

    Args:
        path: A ``.csv`` or ``.tsv`` file. An empty category or severity matches all; a category matches all that start
            with it; case does not matter.

    Raises:
        DataError: if a column is missing, a weight is not a number, or the table has no rows.
    """
    weights = []
    for line, cells in read_table(path):
        for column in ErrorWeight._fields:
            if column not in cells:
                raise DataError(f"has no column '{column}'; its columns are {', '.join(cells)}", path, 1)
        category, severity = (cells[name].strip().casefold() for name in ("category", "severity"))
        try:
            weight = float(cells["weight"])
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight):
            raise DataError(f"'weight' must be a number, got '{cells['weight']}'", path, line)
        weights.append(ErrorWeight(category, severity, weight))
    if not weights:
        raise DataError("contains no weights", path)
    return weights


def weight_of(weights: Sequence[ErrorWeight], category: str, severity: str) -> float:
    """Returns the weight of an error.

    Raises:
        DataError: if no weight applies.

    >>> weight_of(FREITAG_2021, "Fluency/Punctuation", "Minor"), weight_of(FREITAG_2021, "Non-translation!", "Major")
    (0.1, 25)
    """
    for one in weights:
        if one.applies(category.strip().casefold(), severity.strip().casefold()):
            return one.weight
    known = dict.fromkeys(one.severity for one in weights if one.severity)
    raise DataError(
        f"no weight for severity '{severity}' of category '{category}'; known severities: {', '.join(known)}"
    )
