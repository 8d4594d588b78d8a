"""The page of an analysis: text from files stays text, and nothing is loaded, run or blocked."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from chromium import Page

from metrics_framework.reports.charts import Group, Row, forest
from metrics_framework.reports.html.document import PageTables, Section, analysis_page, figure

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> & "x" \x1b[2J'


def written(name: str = HOSTILE) -> str:
    chart = forest(name, name, [Group(name, [Row(name, 0.3, 0.1, 0.5)])], name)
    table = PageTables().render(["metric", name], [[name, "0.3"], ["b", name]])
    section = Section("scores", name, name, [table, figure(chart), figure(chart)], [name])
    return analysis_page(name, name, {"Systems": name}, [section], [name])


class Elements(HTMLParser):
    """Collects the names of elements."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)


def test_hostile_text_makes_no_elements() -> None:
    elements = Elements()
    elements.feed(written())
    assert {"script", "img"}.isdisjoint(elements.names)
    plain = Elements()
    plain.feed(written("plain"))
    assert elements.names == plain.names


@pytest.mark.slow
def test_the_browser_blocks_and_requests_nothing(browser: Page) -> None:
    browser.console.clear()
    browser.show(written("sari"))
    assert browser.console == []
    assert browser.requests == []
    assert browser.run("getComputedStyle(document.querySelector('figure .point')).fill") == "rgb(9, 105, 218)"
    assert browser.run("document.querySelectorAll('figure').length") == 2
    assert browser.run("document.documentElement.scrollWidth <= window.innerWidth")
