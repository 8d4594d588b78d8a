"""The page of `correlate` with several ratings and data sets: what its head counts, and where its texts are."""

from __future__ import annotations

import re
from typing import Any

import pytest
from chromium import Page

import metrics_framework as fw
from metrics_framework.common.logs import Log

HUMANS = ["simplicity", "fluency", "meaning_preservation", "overall_quality"]
DATA_SETS = ["english-german", "english-russian-news", "hebrew-english-conversation"]
METRICS = ["metric_of_a_long_name", "other_metric_of_a_long_name"]

FAULTS = """(() => {
  const faults = [];
  const isBeside = (a, b) => a.left >= b.right - 1 || b.left >= a.right - 1 ||
    a.top >= b.bottom - 2 || b.top >= a.bottom - 2;
  const isIn = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.bottom <= b.bottom + 1;
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  for (const svg of document.querySelectorAll("svg")) {
    const texts = [...svg.querySelectorAll("text:not([transform])")];
    const boxes = texts.map((one) => one.getBoundingClientRect());
    texts.forEach(({ textContent }, index) => {
      if (!isIn(boxes[index], svg.getBoundingClientRect())) faults.push(`clipped: ${textContent}`);
      for (let other = 0; other < index; other++) {
        if (!isBeside(boxes[index], boxes[other])) faults.push(`${textContent} over ${texts[other].textContent}`);
      }
    });
  }
  return faults;
})()"""


def rows() -> list[dict[str, Any]]:
    """Returns the scores of 4 to 6 systems; one output lacks a rating."""
    return [
        {
            "instance_id": i,
            "summarizer_id": f"system-of-a-long-name-{s}",
            "task": data_set,
            **{name: (i * (s + 2 + at) + s * s) % 11 + at for at, name in enumerate(METRICS)},
            **{
                name: None if (number, s, i, at) == (0, 0, 0, 1) else (i * (s + 3) + at * s) % 7
                for at, name in enumerate(HUMANS)
            },
        }
        for number, data_set in enumerate(DATA_SETS)
        for s in range(4 + number)
        for i in range(6)
    ]


@pytest.fixture(scope="module")
def page() -> str:
    result = fw.correlate(
        rows(),
        metrics=METRICS,
        human=HUMANS,
        data_sets="task",
        coefficients=["pearson", "acc-eq"],
        test="default",
        resamples=50,
        log=Log(silent=True),
    )
    return result.page()


def test_the_head_counts_over_all_data_sets_and_ratings(page: str) -> None:
    facts = dict(re.findall(r"<dt>([^<]*)</dt>\s*<dd[^>]*>([^<]*)</dd>", page))
    assert facts["Systems"] == "6"
    assert facts["Inputs"] == "18", "inputs of two data sets are two"
    assert (facts["Outputs"], facts["Left out"]) == (str(6 * (4 + 5 + 6)), "0–1")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_texts_of_pictures_neither_overlap_nor_are_clipped(page: str, browser: Page, width: int) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.show(page)
    assert browser.run(FAULTS) == []
    assert browser.run("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.slow
def test_every_picture_of_results_names_its_rating(page: str, browser: Page) -> None:
    browser.show(page)
    pictures = browser.run("[...document.querySelectorAll('figure > svg, svg > svg')].map((one) => one.textContent)")
    unnamed = [text[:60] for text in pictures if not any(human in text for human in HUMANS)]
    assert pictures
    assert not unnamed
