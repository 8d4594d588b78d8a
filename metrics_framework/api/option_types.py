"""The types of options that several public functions have; the flags of their commands follow from them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

from metrics_framework.common.options import AtLeast, Between, Form, NamesFrom
from metrics_framework.significance.confidence_level import EXPECTED_LEVEL, parse_level
from metrics_framework.significance.multiple_testing import CORRECTIONS

Scores: TypeAlias = str | os.PathLike[str] | Iterable[Any] | Any
"""A file, the result of `evaluate`, rows or a table of ids and scores; or a list of these, which are joined by id."""
Column: TypeAlias = Annotated[str, Form("COLUMN")]
"""The name of a column of the data."""
ScoreName: TypeAlias = Annotated[str, Form("SCORE")]
"""The name of a score."""
System: TypeAlias = Annotated[str, Form("SYSTEM")]
"""The name of a system."""
ConfidenceLevel: TypeAlias = Annotated[float, Form("LEVEL", parse_level, EXPECTED_LEVEL)]
"""A confidence level: a fraction or in percent."""
Count: TypeAlias = Annotated[int, AtLeast(1)]
Seed: TypeAlias = Annotated[int, AtLeast(0)]
Jobs: TypeAlias = Annotated[int, AtLeast(0)]
"""A number of processes or threads; 0 for all available CPUs."""
Share: TypeAlias = Annotated[float, Between(0, 1)]
CorrectionName: TypeAlias = Annotated[str, NamesFrom(lambda: tuple(CORRECTIONS))]
"""A correction of p-values for several tests."""


def _unchanged(value: str | float) -> str | float:
    return value


NAME_OR_NUMBER = Form("NAME|NUMBER", _unchanged)
"""The form of an option with several names or a number, which its request tells apart."""
