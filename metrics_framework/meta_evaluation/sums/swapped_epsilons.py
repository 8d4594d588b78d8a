"""The ε of scores of two metrics that are mixed by swaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.meta_evaluation.sums.swaps import Swaps

BORDER = 1e-12
"""Scaled differences that exceed 1 by no more than this are ties: an ε is often itself a difference of two scores."""


def mixed_epsilons(swaps: Swaps, first: str, second: str) -> Floats:
    """Returns the ε of both metrics on the common scale, weighted by the share of cells that each metric has.

    Returns:
        Shape (2, permutations).
    """
    return _mixed(swaps, (first, second), [swaps.epsilon(name) for name in (first, second)])


def _mixed(swaps: Swaps, names: tuple[str, str], epsilons: Sequence[float]) -> Floats:
    first, second = (swaps.on_common_scale(name).of(size) for name, size in zip(names, epsilons, strict=True))
    if not first and not second:
        return np.zeros((2, swaps.permutations.count))
    size = max(1, swaps.human.size)
    kept = swaps.once_per_draw("kept", lambda: (1 + swaps.permutations.total(np.full(swaps.shape, 1 / size))) / 2)
    mixed = np.stack([first * share + second * (1 - share) for share in (kept, 1 - kept)])
    return np.where(mixed <= 1e-9 * max(first, second), 0, mixed)


def with_one_epsilon(metric: Floats, epsilons: Floats) -> Iterator[tuple[Floats, float | None, Bools]]:
    """Divides rows of scores by their ε, so that one ε is that of all of them.

    Args:
        metric: The scores, shape (rows, outputs).
        epsilons: The ε of each row, shape (rows,).

    Yields:
        Rows divided by their ε and the ε that they have now, or rows without one; and which rows they are.
    """
    tied = epsilons > 0
    if tied.any():
        yield metric[tied] / epsilons[tied, None], 1 + BORDER, tied
    if not tied.all():
        yield metric[~tied], None, ~tied
