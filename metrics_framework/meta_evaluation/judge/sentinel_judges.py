"""Sentinels: judges that know nothing of quality, which a judge must beat."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.judge.request import CONSTANT, LENGTH, MEDIAN, SHUFFLED
from metrics_framework.meta_evaluation.sums.means import power_of_two

_GROUPS = 5


def sentinels(
    judges: Mapping[str, Floats], ratings: Floats, lengths: Floats | None, *, as_labels: bool, seed: int = 0
) -> dict[str, Floats]:
    """Returns the judgements of the sentinels by name.

    - ``constant`` answers the mean of all ratings, or their commonest label, everywhere.
    - ``median`` answers their median, the lower one of two, everywhere. Unlike the mean it is a rating, and ties with
      raters who give it; left out for labels and if it is the mean.
    - ``length`` predicts the rating from the length of the output: by least squares, or for labels the commonest label
      among the fifth of the outputs of similar length. It is fitted on the ratings, as the constant is.
    - ``shuffled`` has the values of a judge in random order; one for each judge.

    Args:
        judges: The judgements of each judge, shape (units,).
        ratings: Shape (raters, units), NaN without a rating.
        lengths: The length of each output, shape (units,), if outputs are given.
        as_labels: Whether numbers are labels.
        seed: The seed of the order.
    """
    known = ratings[~np.isnan(ratings)]
    answer = _commonest(known) if as_labels else _mean(known)
    found = {CONSTANT: np.full(ratings.shape[1], answer)}
    middle = float(np.sort(known)[(len(known) - 1) // 2])
    if not as_labels and middle != answer:
        found[MEDIAN] = np.full(ratings.shape[1], middle)
    if lengths is not None:
        found[LENGTH] = _labels_by_length(ratings, lengths) if as_labels else _line(ratings, lengths)
    stream = np.random.default_rng(np.random.SeedSequence((seed, 1)))
    for name, values in judges.items():
        found[SHUFFLED if len(judges) == 1 else f"{SHUFFLED} {name}"] = stream.permutation(values)
    return found


def _mean(values: Floats) -> float:
    scale = power_of_two(values)
    return float((values / scale).mean()) * scale


def _commonest(values: Floats) -> float:
    labels, counts = np.unique(values, return_counts=True)
    return float(labels[counts.argmax()])


def _line(ratings: Floats, lengths: Floats) -> Floats:
    """Predicts ratings from lengths by least squares over all single ratings."""
    raters, units = np.nonzero(~np.isnan(ratings))
    y = ratings[raters, units]
    mean = _mean(y)
    scale = power_of_two(y)
    sizes = lengths / power_of_two(lengths)
    centred = sizes - sizes[units].mean()
    spread = float((centred[units] ** 2).sum())
    slope = float((centred[units] * (y / scale - mean / scale)).sum()) / spread if spread else 0.0
    largest = sys.float_info.max / max(scale, 1.0)  # a line through the largest ratings could leave the range of floats
    line: Floats = np.clip(mean / scale + slope * centred, -largest, largest) * scale
    return line


def _labels_by_length(ratings: Floats, lengths: Floats) -> Floats:
    """Predicts the commonest label among the outputs of similar length."""
    edges = np.quantile(lengths, np.arange(1, _GROUPS) / _GROUPS)
    group = np.searchsorted(edges, lengths)
    predicted = np.empty(len(lengths))
    for number in np.unique(group):
        of_group = ratings[:, group == number]
        predicted[group == number] = _commonest(of_group[~np.isnan(of_group)])
    return predicted
