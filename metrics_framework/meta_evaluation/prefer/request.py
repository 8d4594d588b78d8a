"""`PreferenceRequest`: how votes are analysed, and the names of its choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metrics_framework.common.errors import UnknownChoiceError, UsageError
from metrics_framework.meta_evaluation.choices import PreferenceTable
from metrics_framework.meta_evaluation.study import Request
from metrics_framework.significance.confidence_level import as_fraction

if TYPE_CHECKING:
    from metrics_framework.significance.resampling import Resampling

Scale = Literal["natural", "arena"]
SCALES: dict[Scale, tuple[float, float]] = {"natural": (0.0, 1.0), "arena": (1000.0, 400 / math.log(10))}
"""The scales by name: the mean of the strengths, and the length of the unit of the natural scale."""
Inconsistent = Literal["tie", "drop", "keep"]
"""What two different verdicts on one pair of outputs, shown in both orders, become."""
INPUT, RATER, NO_CLUSTERS = "input", "rater", "none"


def check_scale(scale: str) -> None:
    """Checks the name of a scale.

    Raises:
        UnknownChoiceError: if there is no such scale.
        UsageError: for Elo ratings, with the reason why they are not offered.
    """
    if scale.lower() == "elo":
        raise UsageError(
            "Elo ratings are updated vote by vote, so they depend on the order of the votes; use the scale 'arena', "
            "which has the same units (400 points are odds of 10 to 1) and does not"
        )
    if scale not in SCALES:
        raise UnknownChoiceError("strength_scale", scale, SCALES)


@dataclass(frozen=True)
class PreferenceRequest(Request):
    """The options of `api.prefer.prefer`."""

    strength_scale: Scale
    covariates: Sequence[str]
    cluster: str | None
    ridge: float
    correct: str
    confidence: float
    inconsistent: Inconsistent
    subset: str | None
    resamples: int
    seed: int
    show: PreferenceTable | None = None

    @property
    def resampling(self) -> Resampling:
        """How votes are resampled.

        Raises:
            InputError: if there are too few resamples for an interval.
        """
        from metrics_framework.significance.resampling import Resampling  # which imports NumPy

        return Resampling(self.resamples, self.seed, as_fraction(self.confidence))

    @property
    def judge_labels(self) -> Sequence[str]:
        """The columns that the votes need besides covariates; subsets may be in the votes of people instead."""
        return [] if self.cluster in (None, INPUT, RATER, NO_CLUSTERS) else [str(self.cluster)]
