"""The formulas of corpus scores on arrays: one score for each of many sums of statistics, as resampling needs them.

Each function computes what the metric's own function computes for one vector of statistics, which is the definition; up
to the rounding of logarithms and exponentials, the results are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Floats: TypeAlias = "npt.NDArray[np.float64]"

PAIRWISE = 8
"""From this many numbers on, NumPy adds the numbers of a row in pairs, and from left to right below."""


@runtime_checkable
class ArrayScores(Protocol):
    """A corpus metric that computes the scores of many summed statistics in one call, as resampling needs them."""

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes scores equal to those of ``score_statistics``, up to rounding.

        Args:
            sums: Shape (sums, statistics).

        Returns:
            Flat score names to arrays of shape (sums,), or (sums, numbers).
        """


@runtime_checkable
class SwapScores(ArrayScores, Protocol):
    """A corpus metric with a faster formula for swaps, whose scores are compared with a tolerance for rounding."""

    def score_swaps(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of ``score_sums`` with other rounding."""


def ratio(above: Floats, below: Floats, otherwise: float = 0.0) -> Floats:
    """Divides element by element; where the divisor is not positive, the result is another number."""
    import numpy as np

    result = np.full(np.broadcast(above, below).shape, otherwise)
    np.divide(above, below, out=result, where=below > 0)
    return result


def brevity_penalty(length: Floats, reference_length: Floats) -> Floats:
    """Computes the brevity penalty of BLEU."""
    import numpy as np

    if length.min(initial=1.0) > 0:  # the penalty of longer summaries is exp(0)
        exponent: Floats = np.minimum(0.0, 1 - reference_length / length)
        return np.exp(exponent, out=exponent)
    shorter = np.exp(np.minimum(0.0, 1 - ratio(reference_length, length)))
    penalty: Floats = np.where(length >= reference_length, 1.0, np.where(length > 0, shorter, 0.0))
    return penalty


def precisions(matches: Floats, totals: Floats, method: str, value: float) -> tuple[Floats, Floats]:
    """Computes the smoothed precisions of BLEU, shape (sums, orders).

    Returns:
        The precisions, 0 for orders without n-grams, and the number of orders with n-grams.
    """
    import numpy as np

    if method == "add-k":
        added = np.where(np.arange(matches.shape[1]) > 0, value, 0.0)
        matches, totals = matches + added, totals + added
    has_ngrams = np.logical_and.accumulate(totals != 0, axis=1)
    unmatched = has_ngrams & (matches == 0)
    if method == "exp":
        numerators = np.where(unmatched, 100.0 / 2.0 ** np.cumsum(unmatched, axis=1), 100.0 * matches)
    else:
        numerators = 100.0 * np.where(unmatched & (method == "floor"), value, matches)
    return ratio(np.where(has_ngrams, numerators, 0.0), np.where(has_ngrams, totals, 1.0)), has_ngrams.sum(axis=1)


def bleu(
    sums: Floats, order: int, method: str, value: float, effective: bool, log_of_zero: float, by_root: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Computes BLEU from lengths, reference lengths, matches and totals.

    Args:
        sums: Shape (sums, 2 + 2 · order).
        order: The maximum n-gram order.
        method: The smoothing method.
        value: Its value.
        effective: Whether to average only over the orders with n-grams.
        log_of_zero: The logarithm of a precision of 0.
        by_root: Whether BLEU of order 4 may be the root of the product of the precisions, which takes two thirds of the
            time of their logarithms and may differ from BLEU in the last digits.

    Returns:
        BLEU, shape (sums,), the precisions, shape (sums, order), and the brevity penalty.
    """
    import numpy as np

    matches, totals = sums[:, 2 : 2 + order], sums[:, 2 + order : 2 + 2 * order]
    penalty = brevity_penalty(sums[:, 0], sums[:, 1])
    if method != "add-k" and sums[:, 2:].min(initial=1.0) > 0:
        return _unsmoothed_bleu(matches, totals, penalty, by_root)
    smoothed, with_ngrams = precisions(matches, totals, method, value)
    orders = with_ngrams if effective else np.full(len(sums), order)
    logarithms = np.log(smoothed, out=np.full_like(smoothed, log_of_zero), where=smoothed > 0)
    logarithms = np.where(np.arange(order) < orders[:, None], logarithms, 0.0)
    has_matches = (matches != 0).any(axis=1)
    score = penalty * np.exp(logarithms.sum(axis=1) / np.maximum(orders, 1))
    return np.where(has_matches, score, 0.0), np.where(has_matches[:, None], smoothed, 0.0), penalty


def _unsmoothed_bleu(matches: Floats, totals: Floats, penalty: Floats, by_root: bool) -> tuple[Floats, Floats, Floats]:
    """Computes what `bleu` returns where every order has a match, in a few operations on whole columns."""
    import numpy as np

    precisions = 100.0 * matches.T
    precisions /= totals.T
    if by_root and len(precisions) == 4:
        return penalty * np.sqrt(np.sqrt(np.multiply.reduce(precisions))), precisions.T, penalty
    logarithms = np.log(precisions)
    order = len(logarithms)
    total = _added(logarithms.T) if order < PAIRWISE else np.ascontiguousarray(logarithms.T).sum(axis=1)
    return penalty * np.exp(total / order), precisions.T, penalty


def chrf(sums: Floats, squared_beta: float, epsilon: float | None) -> Floats:
    """Computes chrF from the n-grams of summaries and references and their matches, for each order.

    Args:
        sums: Shape (sums, 3 · orders).
        squared_beta: β².
        epsilon: The precision or recall of an order without n-grams, if F-scores are averaged over all orders; `None`
            for the F-score of the mean precision and recall over the orders with n-grams.
    """
    import numpy as np

    of_summary, of_reference, shared = sums[:, ::3], sums[:, 1::3], sums[:, 2::3]
    if epsilon is not None:
        precision, recall = ratio(shared, of_summary, epsilon), ratio(shared, of_reference, epsilon)
        scores = ratio((1 + squared_beta) * precision * recall, squared_beta * precision + recall, epsilon)
        mean: Floats = _added(scores) * 100 / scores.shape[1]
        return mean
    has_ngrams = (of_summary > 0) & (of_reference > 0)
    orders = np.maximum(has_ngrams.sum(axis=1), 1)
    means = (_added(np.where(has_ngrams, ratio(shared, one), 0.0)) / orders for one in (of_summary, of_reference))
    precision, recall = means
    return 100 * ratio((1 + squared_beta) * precision * recall, squared_beta * precision + recall)


def sari(sums: Floats, deletion: str, of_means: bool) -> tuple[Floats, Floats, Floats]:
    """Computes the parts of SARI, between 0 and 1, from its sums of n-grams.

    Args:
        sums: For each order three numbers for each of ADD, KEEP and DELETE, shape (sums, 36).
        deletion: ``precision`` for the precision of DELETE instead of its F1.
        of_means: Whether to compute F1 of mean precision and recall, instead of the mean F1 of the orders.

    Returns:
        ADD, KEEP and DELETE.
    """
    parts = []
    for operation in range(3):
        correct, of_summary, of_references = (sums[:, 3 * operation + index :: 9] for index in range(3))
        precision, recall = ratio(correct, of_summary), ratio(correct, of_references)
        if of_means:
            precision, recall = (_added(values)[:, None] / 4 for values in (precision, recall))
        is_precision = operation == 2 and deletion == "precision"
        scores = precision if is_precision else ratio(2 * precision * recall, precision + recall)
        parts.append(_added(scores) / scores.shape[1])
    return parts[0], parts[1], parts[2]


def grade_level(words: Floats, sentences: Floats, syllables: Floats) -> Floats:
    """Computes the Flesch-Kincaid grade level, at least 0; NaN without words."""
    import numpy as np

    grades = 0.39 * ratio(words, sentences) + 11.8 * ratio(syllables, words) - 15.59
    return np.where((words > 0) & (sentences > 0), np.maximum(grades, 0.0), np.nan)


def _added(values: Floats) -> Floats:
    """Adds the columns from left to right."""
    total: Floats = values[:, 0]
    for column in values.T[1:]:
        total = total + column
    return total


def of_each(function: Callable[[Sequence[float]], Sequence[float]], sums: Floats) -> Floats:
    """Applies a function to each vector of integers, and returns its results as rows, one for each number."""
    import numpy as np

    results: Floats = np.array([function(row) for row in sums.astype(np.int64).tolist()]).reshape(len(sums), -1).T
    return results
