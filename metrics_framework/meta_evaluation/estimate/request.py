"""`EstimateRequest`: what `estimate` is asked for, and the names of its choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metrics_framework.common.errors import InputError, advice
from metrics_framework.meta_evaluation.study import Request

TuningName = Literal["regression", "free", "clipped"]
TUNINGS: tuple[TuningName, ...] = get_args(TuningName)
Tuning: TypeAlias = TuningName | float
"""How λ is chosen, or λ itself."""
ErrorsOf = Literal["system", "all"]
"""Whose ratings the error rates of a pass/fail judge are estimated from."""


@dataclass(frozen=True)
class EstimateRequest(Request):
    """The options of `api.estimate.estimate`."""

    rating: str
    judges: Sequence[str]
    baseline: str | None
    tuning: Tuning
    pass_fail: bool
    errors_of: ErrorsOf
    cluster: str | None
    rater_column: str | None
    confidence: float

    def __post_init__(self) -> None:
        if not self.judges:
            raise InputError("'judges' must name at least one judge")
        if self.rating in self.judges:
            raise InputError(f"'{self.rating}' is both the rating and a judge")


def tuning_of(tuning: Tuning | str) -> Tuning:
    """Returns how λ is chosen.

    Raises:
        InputError: if it is neither a name nor a number.

    >>> tuning_of("free"), tuning_of("0.5")
    ('free', 0.5)
    """
    for name in TUNINGS:
        if tuning == name:
            return name
    try:
        return float(tuning)
    except (TypeError, ValueError):
        close = advice(str(tuning), TUNINGS)
        raise InputError(f"'tuning' must be {', '.join(TUNINGS)} or a number, got '{tuning}'{close}") from None
