"""Counts texts without line breaks and with separators, for metrics that compare sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from metrics_framework.data.texts import Text

SAMPLE = 1000
"""The number of texts, of outputs and of references, in which sentences are searched for."""
_ENDS_BEFORE_THE_END = re.compile(r"[.!?][\"'”’)\]]*\s+[^\s<]").search
_SEPARATOR = "<q>"


def count_lines(counts: dict[str, int], side: str, texts: Iterable[Text]) -> None:
    """Counts texts of several lines and, among the first texts, those with several sentences or a separator.

    Args:
        counts: The counts, to which those of the texts are added.
        side: What the texts are: ``outputs`` or ``references``.
        texts: The texts.
    """
    several_lines, total = f"{side} of several lines", f"searched {side}"
    several_sentences, separated = f"{side} of several sentences", f"{side} with <q>"
    for text in texts:
        line = text if isinstance(text, str) else "\n".join(text)
        if "\n" in line and "\n" in line.strip():
            counts[several_lines] = counts.get(several_lines, 0) + 1
        if counts.get(total, 0) < SAMPLE:
            counts[total] = counts.get(total, 0) + 1
            if _SEPARATOR in line:
                counts[separated] = counts.get(separated, 0) + 1
            if _ENDS_BEFORE_THE_END(line):
                counts[several_sentences] = counts.get(several_sentences, 0) + 1


def line_notes(counts: dict[str, int], line_metrics: Sequence[str], separator_metrics: Sequence[str]) -> list[str]:
    """Returns what a run reports: at most one note.

    Args:
        counts: Counts of all outputs and references.
        line_metrics: The metrics whose sentences are lines.
        separator_metrics: The metrics that score a separator as a word.
    """
    sides = ("outputs", "references")
    separated = [side for side in sides if counts.get(f"{side} with <q>")]
    if separated and separator_metrics:
        return [
            f"some {' and '.join(separated)} contain '<q>', which separates sentences in PreSumm's files, but is the "
            f"word 'q' for {_names(separator_metrics)}; to split texts at it, use --sentences '<q>' "
            f"(or {separator_metrics[0]}:sentences=<q>)"
        ]
    whole = [side for side in sides if _are_whole(counts, side)]
    if not whole or not line_metrics:
        return []
    return [
        f"{_names(line_metrics)} compared the {' and '.join(whole)} as one sentence each: none has a line break, but "
        "most have several sentences. Scores of texts with one sentence per line differ; to split texts, use "
        f"--sentences auto (or {line_metrics[0]}:sentences=auto)"
    ]


def _are_whole(counts: dict[str, int], side: str) -> bool:
    """Returns whether no text has several lines, but most of the first texts have several sentences."""
    searched, several = counts.get(f"searched {side}", 0), counts.get(f"{side} of several sentences", 0)
    return not counts.get(f"{side} of several lines") and 2 * several > searched


def _names(metrics: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in metrics)
