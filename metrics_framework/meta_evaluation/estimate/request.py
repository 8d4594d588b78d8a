"""`EstimateRequest`: what `estimate` is asked for, and the names of its choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metrics_framework.common.errors import InputError, advice
from metrics_framework.significance.confidence_level import as_percent

TuningName = Literal["free", "clipped"]
TUNINGS: tuple[TuningName, ...] = get_args(TuningName)
Tuning: TypeAlias = TuningName | float
"""How λ is chosen, or λ itself."""
ErrorsOf = Literal["system", "all"]
"""Whose ratings the error rates of a pass/fail judge are estimated from."""
ERRORS_OF: tuple[ErrorsOf, ...] = get_args(ErrorsOf)


@dataclass(frozen=True)
class EstimateRequest:
    """What is estimated, and how.

    Args:
        rating: The column of the ratings.
        judges: The columns of the judges' scores.
        baseline: The system that others are compared with; `None` for all pairs.
        tuning: How λ is chosen.
        pass_fail: Whether ratings and judgements are verdicts.
        errors_of: Whose ratings the errors of a pass/fail judge are estimated from.
        cluster: The column of clusters of inputs.
        confidence: The level of the intervals, in percent.
    """

    rating: str
    judges: Sequence[str]
    baseline: str | None = None
    tuning: Tuning = "free"
    pass_fail: bool = False
    errors_of: ErrorsOf = "system"
    cluster: str | None = None
    confidence: float = 95

    def __post_init__(self) -> None:
        """Checks the choices."""
        if not self.judges:
            raise InputError("'judges' must name at least one judge")
        if self.rating in self.judges:
            raise InputError(f"'{self.rating}' is both the rating and a judge")
        if self.errors_of not in ERRORS_OF:
            raise InputError(f"'errors_of' must be one of {', '.join(ERRORS_OF)}, got {self.errors_of!r}")
        object.__setattr__(self, "confidence", as_percent(self.confidence))


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
