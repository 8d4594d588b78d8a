"""Errors that a metric predicts, on the page of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chromium import Page

from metrics_framework import Metric, ReferenceBasedMetric
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, AnnotatedScores, MetricsDict
from metrics_framework.metrics import REGISTRY
from metrics_framework.reports.html.model import ReportData
from metrics_framework.reports.html.page import page

SPANS = [
    {"start": 2, "end": 7, "severity": "major"},
    {"start": 9, "end": 11, "severity": "minor"},
    {"start": 0, "end": 5, "severity": "minor", "side": "source"},  # is not in the output
]
ROWS = [
    {
        "instance_id": "1",
        "summarizer_id": name,
        "summary": text,
        "references": ["a cat sat"],
        "source": "a cat sat down",
    }
    for name, text in (("a", "𝒜 cat 🐈 sat."), ("b", "it rained"))
]


class Marking(ReferenceBasedMetric):
    """Predicts the same errors in outputs of system a, and none in others."""

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
        return [
            [AnnotatedScores({self.name: 1.0}, {PREDICTED_SPANS: SPANS if len(text) > 9 else []}) for text in group]
            for group in summaries_list
        ]


@pytest.fixture(scope="module")
def data(report_of: Callable[..., ReportData]) -> Iterator[ReportData]:
    with pytest.MonkeyPatch.context() as patch:
        REGISTRY.search()
        patch.setattr(REGISTRY, "entries", {**REGISTRY.entries})
        Metric.register("marking")(Marking)
        yield report_of(ROWS, ["marking"])


def test_the_data_of_the_page_have_the_spans(data: ReportData) -> None:
    first, second = (system for system in data.systems if system.kind == "system")
    assert first.spans == [[(2, 7, "major"), (9, 11, "minor")]]
    assert second.spans == [[]]
    described = data.as_json()["systems"]
    assert described[0]["spans"] == first.spans
    assert "mark.error" in page(data)
    assert "errors that marking predicts" in page(data), "several metrics may predict errors: the first one is shown"


def test_pages_without_predicted_errors_have_no_part_of_them(report_of: Callable[..., ReportData]) -> None:
    plain = report_of(ROWS, ["sari"])
    assert "spans" not in plain.as_json()["systems"][0]
    assert "error" not in page(plain).partition("<script")[0]


@pytest.mark.slow
def test_errors_are_marked_by_severity_at_their_characters(data: ReportData, browser: Page) -> None:
    browser.show(page(data))
    marks = browser.run(
        "[...document.querySelectorAll('p[data-system] mark.error')].map((m) => [m.title, m.textContent])"
    )
    assert "".join(text for title, text in marks if title == "major error") == "cat 🐈"
    assert "".join(text for title, text in marks if title == "minor error") == "at"
    texts = browser.run("[...document.querySelectorAll('p[data-system]')].map((p) => p.textContent)")
    assert texts == ["𝒜 cat 🐈 sat.", "it rained"]
