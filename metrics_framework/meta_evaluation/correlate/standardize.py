"""Standardizes the ratings of each rater, which removes how lenient raters are and how much of the scale they use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_framework.meta_evaluation.rater_agreement.rated_units import scaled
from metrics_framework.meta_evaluation.scores.long_tables import Ratings


def standardized(ratings: Ratings) -> tuple[Ratings, list[str]]:
    """Replaces each rating by its z-score among those of the same rater, (x − mean) / population standard deviation.

    Args:
        ratings: The ratings.

    Returns:
        The z-scores, and the raters whose ratings are all equal; their z-scores are missing.
    """
    present = np.isfinite(ratings.values)
    counts = np.maximum(present.sum(axis=1, keepdims=True), 1)
    values = scaled(ratings.values, axis=1)
    deviations = values - np.nansum(values, axis=1, keepdims=True) / counts
    spread = np.sqrt(np.nansum(deviations**2, axis=1, keepdims=True) / counts)
    lowest = np.where(present, ratings.values, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(present, ratings.values, -np.inf).max(axis=1, initial=-np.inf)
    varies = (highest > lowest)[:, None]
    scores = np.divide(deviations, spread, out=np.full(deviations.shape, np.nan), where=varies & present)
    constant = [rater for rater, is_varied in zip(ratings.raters, varies[:, 0], strict=True) if not is_varied]
    return replace(ratings, values=scores), constant
