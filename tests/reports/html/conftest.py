"""What the tests of the report share: small reports, and a browser to open them in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from chromium import Page, chromium_path
from json_files import write_rows

from metrics_framework.common.logs import Log
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.metrics.base.metric import labelled
from metrics_framework.reports.html.build import ReportOptions, report_data
from metrics_framework.reports.html.model import ReportData

METRICS = ("sari", "bleu", "quality-estimation")


@pytest.fixture(scope="session")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ReportData]:
    """Makes the data of a report of rows."""

    def build(rows: Sequence[dict[str, Any]], metrics: Sequence[Any] = METRICS, /, **wanted: Any) -> ReportData:
        path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
        write_rows(path, rows)
        log = Log(silent=True)
        return report_data(ReportOptions(load_reader("default"), [str(path)], labelled(metrics), **wanted), log)

    return build


@pytest.fixture(scope="session")
def example_rows(datasets_path: Path) -> list[dict[str, Any]]:
    """Gives the rows of the example data."""
    lines = (datasets_path / "simplification" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    """Gives a browser without a network; skips the test where there is none."""
    if chromium_path() is None:
        pytest.skip("needs Chromium, which is not installed (set FW_CHROMIUM if it is not on the path)")
    with Page() as page:
        yield page


@pytest.fixture(autouse=True)
def _nothing_is_said_or_asked_for(request: pytest.FixtureRequest) -> Iterator[None]:
    """Checks after a test in the browser that the page printed nothing on its console and requested nothing."""
    if "browser" not in request.fixturenames:
        yield
        return
    browser: Page = request.getfixturevalue("browser")
    browser.console.clear()
    browser.requests.clear()
    yield
    assert browser.console == []
    assert browser.requests == []
