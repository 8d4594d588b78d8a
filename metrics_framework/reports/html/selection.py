"""The sentences that a page lists: all, or of a large test set the worst and a random sample."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from metrics_framework.common.errors import UsageError, counted
from metrics_framework.reports.html.model import ScoreColumn, System

MAX_OUTPUTS = 200_000
"""The most outputs that a page lists."""
SEED = 12345


@dataclass(frozen=True)
class Selection:
    """Which sentences a page lists; all by default.

    Args:
        worst: The number of sentences with the worst scores to list.
        sample: The number of random sentences to list.
        seed: The seed of the random choice.
        most: The most outputs that a page lists.

    Raises:
        UsageError: if a number is not positive.
    """

    worst: int | None = None
    sample: int | None = None
    seed: int = SEED
    most: int = MAX_OUTPUTS

    def __post_init__(self) -> None:
        for name, number in (("worst", self.worst), ("sample", self.sample)):
            if number is not None and number < 1:
                raise UsageError(f"'{name}' must be at least 1, got {number}")


def listed_sentences(
    selection: Selection, systems: Sequence[System], columns: Sequence[ScoreColumn], unit: str
) -> tuple[list[int] | None, str]:
    """Chooses the sentences that a page lists.

    Args:
        selection: What to list.
        systems: The systems and baselines, filled in.
        columns: The scores.
        unit: What a sentence is called.

    Returns:
        The indices of the sentences, and a description of the choice for the page; `None` if all are listed.

    Raises:
        UsageError: if there are too many outputs to list, or no score has a direction.
    """
    peers = [system for system in systems if system.kind == "system"]
    size, outputs = len(peers[0].texts), sum(system.outputs for system in peers)
    how: list[str] = []
    chosen: set[int] = set()
    if selection.worst is not None:
        column = _judging(columns)
        chosen.update(_worst(column, peers, size)[: selection.worst])
        how.append(f"the {counted(len(chosen), unit)} with the worst mean {column.title} of all systems")
    if selection.sample is not None:
        drawn = random.Random(selection.seed).sample(range(size), min(size, selection.sample))
        chosen.update(drawn)
        how.append(f"a random sample of {counted(len(drawn), unit)} (seed {selection.seed})")
    listed = len(chosen) / size * outputs if how else outputs
    if listed > selection.most:
        fewer = max(1, selection.most // len(peers))
        raise UsageError(
            f"a page lists at most {selection.most:,} outputs, got {outputs:,} of {counted(size, unit)}; list some of "
            f"them, such as --worst {fewer} or --sample {fewer}; tables cover all outputs in any case"
        )
    if not how or len(chosen) == size:
        return None, ""
    return sorted(chosen), f"This page lists {len(chosen):,} of {size:,} {unit}s: {' and '.join(how)}."


def _judging(columns: Sequence[ScoreColumn]) -> ScoreColumn:
    """Returns the first main score with a direction."""
    found = next((column for column in columns if column.main and column.better is not None), None)
    if found is None:
        raise UsageError("the worst outputs are unknown, because no score of this report has a direction; use --sample")
    return found


def _worst(column: ScoreColumn, peers: Sequence[System], size: int) -> list[int]:
    """Returns the indices of sentences, those with the worst mean score first, those without a score last."""
    sums, counts = [0.0] * size, [0] * size
    for system in peers:
        for index, value in enumerate(system.values.get(column.name, ())):
            if value is not None:
                sums[index] += value
                counts[index] += 1
    sign = 1 if column.better == "higher" else -1
    means = [sign * total / count if count else float("inf") for total, count in zip(sums, counts, strict=True)]
    return sorted(range(size), key=lambda index: (means[index], index))
