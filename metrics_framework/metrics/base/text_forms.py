"""Which forms of texts mislead or slow down a metric, so that a run reports them."""

from __future__ import annotations

from typing import ClassVar


class TextForms:
    """The forms of texts that a run reports for a metric; by default none. `Metric` documents the first two.

    Attributes:
        compares_lines: Whether scores depend on sentences, which are the lines of a text.
        scores_separator: Whether PreSumm's separator ``<q>`` is a word, although the metric can split texts at it.
        slow_above: The number of characters of two texts above which comparing them takes about a second or more,
            because the time grows with the product of their lengths; `None` if it does not.
        slow_with: The field that the summary is compared with in this time.
    """

    expects_detokenized: bool = False
    reads_only_ascii: ClassVar[bool] = False
    compares_lines: bool = False
    scores_separator: bool = False
    slow_above: int | None = None
    slow_with: ClassVar[str] = "references"
