"""`PreferenceRequest`: how votes are analysed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics_framework.meta_evaluation.prefer.position import Inconsistent
from metrics_framework.meta_evaluation.prefer.strengths import Scale, check_scale
from metrics_framework.significance.confidence_level import as_fraction, as_percent
from metrics_framework.significance.resampling import Resampling

INPUT, RATER, NO_CLUSTERS = "input", "rater", "none"


@dataclass(frozen=True)
class PreferenceRequest:
    """How votes are analysed.

    Args:
        scale: The scale of the strengths.
        covariates: The covariates whose effect is controlled.
        cluster: What makes votes dependent: ``input``, ``rater``, a column, or ``none``. By default ``input`` if an
            input has several votes.
        ridge: The weight of the penalty on strengths.
        correction: The correction of the tests that ranks are based on.
        confidence: The confidence level in percent.
        inconsistent: What two different verdicts on one pair of outputs, shown in both orders, become.
        subset: The column that divides the agreement with people into subsets.
        resamples: The number of resamples for the agreement of rankings.
        seed: The seed of resamples and of random splits.
    """

    scale: Scale = "natural"
    covariates: Sequence[str] = ()
    cluster: str | None = None
    ridge: float = 0.0
    correction: str = "holm"
    confidence: float = 95
    inconsistent: Inconsistent = "tie"
    subset: str | None = None
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the scale and the confidence level."""
        check_scale(self.scale)
        object.__setattr__(self, "confidence", as_percent(self.confidence))

    @property
    def resampling(self) -> Resampling:
        """How votes are resampled.

        Raises:
            InputError: if there are too few resamples for an interval.
        """
        return Resampling(self.resamples, self.seed, as_fraction(self.confidence))

    @property
    def judge_labels(self) -> Sequence[str]:
        """The columns that the votes need besides covariates; subsets may be in the votes of people instead."""
        return [] if self.cluster in (None, INPUT, RATER, NO_CLUSTERS) else [str(self.cluster)]

    @property
    def people_labels(self) -> Sequence[str]:
        """The columns that the votes of people need."""
        return [] if self.subset is None else [self.subset]
