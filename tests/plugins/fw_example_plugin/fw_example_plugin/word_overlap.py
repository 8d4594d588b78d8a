"""The metric ``word-overlap``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric, ReferencesJackknifer


class WordBasedMetric(ReferenceBasedMetric):
    """Splits texts into words.

    Args:
        lowercase: Whether case is ignored.
        ignored: Words that do not count.
    """

    def __init__(self, lowercase: bool = True, ignored: list[str] | None = None) -> None:
        super().__init__(jackknifer=ReferencesJackknifer())
        self.lowercase = lowercase
        self.ignored = ignored or []

    def words(self, text: str | Sequence[str]) -> list[str]:
        """Returns the words that count."""
        joined = text if isinstance(text, str) else " ".join(text)
        return [word for word in (joined.lower() if self.lowercase else joined).split() if word not in self.ignored]


@Metric.register("word-overlap")
class WordOverlap(WordBasedMetric):
    """Counts the words of the summary that a reference has.

    Args:
        scale: What a perfect summary scores.
        least: The least number of words that a summary counts as.
        suffix: Stands behind every word before it is compared.
        count: Whether repeated words count once (types) or every time (tokens).
        limit: How many words of the summary are looked at; all of them by default.
        kwargs: What `WordBasedMetric` takes.
    """

    citation = "@misc{word-overlap, title = {Word overlap}}"

    def __init__(
        self,
        scale: float = 100.0,
        least: int = 1,
        suffix: str = "",
        count: Literal["types", "tokens"] = "tokens",
        limit: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.least = least
        self.suffix = suffix
        self.count = count
        self.limit = limit

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Any]], references_list: Sequence[Sequence[Any]]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references."""
        return [
            [self._score(summary, references) for summary in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]

    def _score(self, summary: Any, references: Sequence[Any]) -> MetricsDict:
        known = {word + self.suffix for reference in references for word in self.words(reference)}
        words = [word + self.suffix for word in self.words(summary)[: self.limit]]
        if self.count == "types":
            words = sorted(set(words))
        share = sum(word in known for word in words) / max(len(words), self.least)
        return MetricsDict({"word-overlap": self.scale * share})
