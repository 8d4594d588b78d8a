"""Error spans: how well predicted spans match those of annotators."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.error_spans import SIDES, ErrorSpan, parse_spans
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric

Matching = Literal["one-to-one", "many-to-many"]
Measure = Literal["EM", "MP", "MPP", "characters"]
Spans = Sequence[ErrorSpan]
AnySpans = Sequence[Any]
"""Spans as `parse_spans` accepts them."""


class _Credits(NamedTuple):
    """What each span is credited with, from 0 to its size."""

    predicted: list[float]
    human: list[float]


@Metric.register("error-spans")
@dataclass(eq=False, repr=False)
class ErrorSpans(CorpusMetric, ChosenFieldsMetric):
    """Error spans: precision, recall and F1 of predicted error spans against those of annotators.

    A span is credited if it matches a span of the other side in the same text:

    - ``EM`` (exact match): 1 if both ends are equal.
    - ``MP`` (match with partial overlap): 1 if they overlap.
    - ``MPP`` (partial overlap and partial credit): the share of its characters that overlap.
    - ``characters``: the number of its characters that overlap; a span counts as many times as it has characters.

    Precision is the credit of predicted spans divided by their number (or their characters), recall that of human
    spans. F1 is their harmonic mean, 0 if both are 0. All are computed from sums over outputs. Without predicted spans,
    precision is 1; without human spans, recall is 1.

    Range: 0 to 1, higher is better.

    Source: Perrella et al. (2026); characters: shared task on automated translation evaluation of WMT25 (Lavie et al.,
    2025).

    Args:
        measure: What a matching span is credited with.
        matching: Whether a span matches at most one other span, chosen so that the total credit is highest, or any
            number. In the second case, each character of a span still matches one character: of a span of the same
            severity if there is one, else in proportion.
        severity_credit: The factor of the credit if severities differ; 1 ignores severities.

    Raises:
        InputError: if the factor is not between 0 and 1, or a value is not a list of spans.

    >>> predicted = [{"start": 0, "end": 5}, {"start": 10, "end": 14}, {"start": 12, "end": 20}]
    >>> human = [{"start": 2, "end": 7}, {"start": 11, "end": 18}]
    >>> ErrorSpans(measure="MP").score(predicted, human)
    {'error-spans': 0.8, 'error-spans_precision': 0.6666666666666666, 'error-spans_recall': 1.0}
    """

    required_summary_fields = ("predicted_spans",)
    required_context_fields = ("spans",)
    score_range = (0.0, 1.0)
    ratios = ("error-spans", "error-spans_precision", "error-spans_recall")
    citation = "lavie-etal-2025-findings"

    measure: Measure = "MPP"
    matching: Matching = "one-to-one"
    severity_credit: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.severity_credit <= 1:
            raise InputError(f"'severity_credit' must be between 0 and 1, got {self.severity_credit:g}")

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {"measure": self.measure, "match": self.matching, "severity": f"{self.severity_credit:g}"}

    def statistics_multi_all(
        self, predicted_spans_list: Sequence[Sequence[AnySpans]], spans_list: Sequence[AnySpans]
    ) -> list[list[Statistics]]:
        """Returns the credit and the number of predicted and of human spans, or of their characters."""
        return [
            [self._statistics(parse_spans(predicted, "predicted_spans"), human) for predicted in group]
            for group, human in zip(
                predicted_spans_list, (parse_spans(spans, "spans") for spans in spans_list), strict=True
            )
        ]

    def _statistics(self, predicted: Spans, human: Spans) -> Statistics:
        credited = self._credits(predicted, human)
        return [
            math.fsum(credited.predicted),
            math.fsum(map(self._size, predicted)),
            math.fsum(credited.human),
            math.fsum(map(self._size, human)),
        ]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        predicted_credit, predicted, human_credit, human = statistics
        precision = predicted_credit / predicted if predicted else 1.0
        recall = human_credit / human if human else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return MetricsDict({"error-spans": f1, "error-spans_precision": precision, "error-spans_recall": recall})

    def _size(self, span: ErrorSpan) -> int:
        return span.end - span.start if self.measure == "characters" else 1

    def _credits(self, predicted: Spans, human: Spans) -> _Credits:
        if self.matching == "one-to-one":
            return self._of_assignment(predicted, human)
        if self.measure in ("EM", "MP"):
            pairs = [[self._pair(one, other)[0] for other in human] for one in predicted]
            best_of_human = [max(column) for column in zip(*pairs, strict=True)] if pairs else [0.0] * len(human)
            return _Credits([max(row, default=0.0) for row in pairs], best_of_human)
        return self._of_characters(predicted, human)

    def _pair(self, one: ErrorSpan, other: ErrorSpan) -> tuple[float, float]:
        """Returns the credits of a predicted and a human span for each other."""
        overlap = min(one.end, other.end) - max(one.start, other.start)
        if one.side != other.side or overlap <= 0:
            return 0.0, 0.0
        factor = 1.0 if one.severity == other.severity else self.severity_credit
        if self.measure == "EM":
            factor *= (one.start, one.end) == (other.start, other.end)
        if self.measure == "MPP":
            return factor * overlap / (one.end - one.start), factor * overlap / (other.end - other.start)
        size = factor * (overlap if self.measure == "characters" else 1)
        return size, size

    def _of_assignment(self, predicted: Spans, human: Spans) -> _Credits:
        """Assigns each predicted span to at most one human span, with the highest total credit of both sides."""
        credited = _Credits([0.0] * len(predicted), [0.0] * len(human))
        if not predicted or not human:
            return credited
        pairs = [[self._pair(one, other) for other in human] for one in predicted]
        for i, j in _assigned([[one + other for one, other in row] for row in pairs]):
            credited.predicted[i], credited.human[j] = pairs[i][j]
        return credited

    def _of_characters(self, predicted: Spans, human: Spans) -> _Credits:
        """Credits each span with its characters that match."""
        credited = _Credits([0.0] * len(predicted), [0.0] * len(human))
        for side in SIDES:
            for width, ours, theirs in _intervals(predicted, human, side):
                shares = self._shares([predicted[i].severity for i in ours], [human[j].severity for j in theirs])
                for i in ours:
                    credited.predicted[i] += width * shares[0][predicted[i].severity]
                for j in theirs:
                    credited.human[j] += width * shares[1][human[j].severity]
        if self.measure == "characters":
            return credited
        return _Credits(
            *(
                [credit / (span.end - span.start) for credit, span in zip(column, spans, strict=True)]
                for column, spans in zip(credited, (predicted, human), strict=True)
            )
        )

    def _shares(self, ours: Sequence[str], theirs: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
        """Returns the credit of one character of a predicted and of a human span, by severity.

        Spans of the same severity match first; the remaining ones match in proportion to their number.
        """
        counts = Counter(ours), Counter(theirs)
        exact = counts[0] & counts[1]
        rests = counts[0] - exact, counts[1] - exact
        others = min(rests[0].total(), rests[1].total())
        first, second = (
            {
                severity: (exact[severity] + self.severity_credit * rest[severity] * others / max(1, rest.total())) / n
                for severity, n in count.items()
            }
            for count, rest in zip(counts, rests, strict=True)
        )
        return first, second


def _assigned(weights: Sequence[Sequence[float]]) -> Iterator[tuple[int, int]]:
    """Yields the pairs of the assignment with the highest total weight."""
    if len(weights) == 1 or len(weights[0]) == 1:
        _, i, j = max((weight, -i, -j) for i, row in enumerate(weights) for j, weight in enumerate(row))
        yield -i, -j
        return
    from scipy.optimize import linear_sum_assignment

    for i, j in zip(*linear_sum_assignment(weights, maximize=True), strict=True):
        yield int(i), int(j)


def _intervals(predicted: Spans, human: Spans, side: str) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yields the intervals of a text in which both sides have spans: their lengths, and the indices of these spans."""
    ends = sorted({end for span in (*predicted, *human) if span.side == side for end in (span.start, span.end)})
    for start, end in pairwise(ends):
        ours, theirs = (
            [i for i, span in enumerate(spans) if span.side == side and span.start <= start and end <= span.end]
            for spans in (predicted, human)
        )
        if ours and theirs:
            yield end - start, ours, theirs
