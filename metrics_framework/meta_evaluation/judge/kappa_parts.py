"""What κ of two raters consists of: their agreement, the prevalence of a label, and their bias towards it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.judge.pair_agreement import MIN_SHARED
from metrics_framework.meta_evaluation.judge.result import KappaParts


def parts_of_judge(judge: Floats, ratings: Floats, labels: Sequence[str], *, as_labels: bool) -> KappaParts | None:
    """Returns the parts of κ of a judge with raters, as means over raters; `None` for ratings on a scale.

    Args:
        judge: Shape (units,), without NaN.
        ratings: Shape (raters, units), NaN without a rating.
        labels: The labels, if ratings are text.
        as_labels: Whether numbers are labels; otherwise only two different ones are.
    """
    known = ratings[~np.isnan(ratings)]
    classes = np.unique(np.concatenate([judge, known]))
    if len(classes) < 2 or not (as_labels or len(classes) == 2):
        return None
    pairs = [(judge[rated], row[rated]) for row, rated in zip(ratings, ~np.isnan(ratings), strict=True) if rated.any()]
    return _means(pairs, known, classes, labels)


def parts_of_raters(ratings: Floats, labels: Sequence[str], *, as_labels: bool) -> KappaParts | None:
    """Returns the same of raters with each other, over the pairs who share ten units; bias is a mean absolute one."""
    known = ratings[~np.isnan(ratings)]
    classes = np.unique(known)
    if len(classes) < 2 or not (as_labels or len(classes) == 2):
        return None
    rated = ~np.isnan(ratings)
    pairs = [
        (ratings[a, both], ratings[b, both])
        for a in range(len(ratings))
        for b in range(a + 1, len(ratings))
        if (both := rated[a] & rated[b]).sum() >= MIN_SHARED
    ]
    return _means(pairs, known, classes, labels, absolute=True) if pairs else None


def _means(
    pairs: Sequence[tuple[Floats, Floats]],
    known: Floats,
    classes: Floats,
    labels: Sequence[str],
    absolute: bool = False,
) -> KappaParts:
    values, counts = np.unique(known, return_counts=True)
    commonest = float(values[counts.argmax()])
    first, second = (np.array([(side[number] == commonest).mean() for side in pairs]) for number in (0, 1))
    agreement = math.fsum((x == y).mean() for x, y in pairs) / len(pairs)
    bias = first - second
    return KappaParts(
        label=labels[int(commonest)] if labels else commonest,
        agreement=agreement,
        prevalence=float((first + second).mean()) / 2,
        bias=float((np.abs(bias) if absolute else bias).mean()),
        adjusted=(len(classes) * agreement - 1) / (len(classes) - 1),
    )
