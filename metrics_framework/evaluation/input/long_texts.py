"""Finds texts that are so long that some metrics need seconds or minutes to compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.data.texts import Text
from metrics_framework.evaluation.input.column_batch import ColumnBatch

Lengths = Sequence[int]
"""The numbers of characters of a summary and of a text that it is compared with."""

_LARGEST_RATIO = 20
"""How much longer a text that a summary is compared with may be; pairs with a larger ratio are not looked for."""


def find_long_texts(longest: dict[str, Lengths], slow_metrics: Mapping[str, Sequence[Any]], batch: ColumnBatch) -> None:
    """Finds the pair of texts of a batch whose comparison takes longest.

    Args:
        longest: Maps each metric to the lengths of the slowest pair so far, if any is long.
        slow_metrics: Maps each metric to its `slow_above` and `slow_with`.
        batch: The outputs.
    """
    lengths = list(map(_length, batch.column("summary")))
    for label, (limit, field) in slow_metrics.items():
        if max(lengths, default=0) * _LARGEST_RATIO <= limit:
            continue
        for length, others in zip(lengths, batch.column(field), strict=True):
            other = max(map(_length, others), default=0) if field == "references" else _length(others)
            if length * other > limit**2:
                keep_longer(longest, label, (length, other))


def keep_longer(longest: dict[str, Lengths], label: str, lengths: Lengths) -> None:
    """Replaces the lengths of a metric if comparing texts of the given lengths takes longer."""
    before = longest.get(label, (0, 0))
    if lengths[0] * lengths[1] > before[0] * before[1]:
        longest[label] = tuple(lengths)


def long_text_notes(longest: Mapping[str, Lengths], slow_metrics: Mapping[str, Sequence[Any]]) -> list[str]:
    """Returns what a run reports: a note for each metric with long texts."""
    return [
        f"'{label}' compares a text of {first:,} characters with one of {second:,}, which can take minutes: "
        f"its time grows with the product of both lengths, and may exceed a second above {slow_metrics[label][0]:,} "
        "characters each. To score faster, split texts into segments, such as paragraphs"
        for label, (first, second) in longest.items()
    ]


def _length(text: Text | None) -> int:
    if text is None or isinstance(text, str):
        return len(text or "")
    return sum(map(len, text))
