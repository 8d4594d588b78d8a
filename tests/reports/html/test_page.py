"""The page as text: what stands in it, that it loads nothing, and that no text of the data becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.io.jsonl import to_json
from metrics_framework.kernels.python.ter import Rows
from metrics_framework.reports.html.document import html
from metrics_framework.reports.html.model import (
    Cell,
    Facts,
    LengthBin,
    ReportData,
    ResamplingFacts,
    RowField,
    ScoreColumn,
    Sentence,
    System,
)
from metrics_framework.reports.html.page import cell_text, error_of, packed, page
from metrics_framework.significance.resampling import Resampling

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "&amp; &lt;b&gt; &#60;",
    "{{data}} {{script}} \\1 \\g<0>",
    "\u202eright to left\u202c שלום עולם",
    "👩‍👩‍👧‍👦 é \u2028\u2029",
    '\'"` onmouseover="alert(1)"',
    "\x00\x01\x7f",
    "\ud800 alone",
    "]]> --> <style>*{display:none}</style>",
]


class Reader(HTMLParser):
    """Takes a page apart: its elements, the text below each, and what stands in scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag in ("script", "style"):
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        else:
            self.texts.append(data)

    @property
    def data(self) -> Any:
        """Puts the blocks of the data together, as the script of the page does."""
        blocks = {one["id"]: json.loads(text) for one, text in self.scripts if one.get("type") == "application/json"}
        data = blocks["data"]
        about = data.pop("embedded")
        texts = [blocks[f"t-{number}"] for number in range(-(-about["sentences_listed"] // about["block"]))]
        data["sentences"] = [
            dict(zip(("id", "source", "references", "documents"), one, strict=True))
            for block in texts
            for one in block["sentences"]
        ]
        data["fields"] = [
            dict(blocks[f"f-{number}"], codes=list(map(numbers, blocks[f"f-{number}"]["codes"])))
            for number in range(about["fields"])
        ]
        peers = [place for place, system in enumerate(data["systems"]) if system["kind"] == "system"]
        for place, system in enumerate(data["systems"]):
            if place in peers:
                system["texts"] = [text for block in texts for text in block["texts"][peers.index(place)]]
            for index, column in enumerate(data["scores"]):
                if f"n-{place}-{index}" in blocks:
                    system["values"][column["name"]] = numbers(blocks[f"n-{place}-{index}"])
        return data


def numbers(packed: list[str]) -> list[float | None]:
    """Reads an array of the page."""
    kind, text = packed
    found = np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")
    missing = np.isnan(found) if kind.startswith("f") else found == np.iinfo(kind).min
    return [None if is_missing else number for number, is_missing in zip(found.tolist(), missing, strict=True)]


def small(text: str) -> ReportData:
    """Makes a report in which a text stands wherever a text of the input can stand."""
    column = ScoreColumn(text, text, text, main=True, better="higher")
    cell = Cell(1.0, 0.5, 1.5, 0.001, 0.002, 0.5, 1)
    system = System(text, "system", "", 1, {text: Cell(0.5)}, {text: [0.5]}, [text], {text: [0.5]})
    other = System(text + "2", "system", text, 1, {text: cell}, {text: [1.0]}, [None], {text: [None]})
    facts = Facts(1, "1", 1.0, None, [text], text)
    resampling = ResamplingFacts("m", 95.0, 100, 1, text)
    sentence = Sentence(text, text, [text])
    return ReportData(
        text,
        "0",
        facts,
        {text: text},
        [column],
        [system, other],
        [LengthBin(1, 1, 1)],
        [sentence],
        resampling,
        [text],
        [RowField(text, [text, 1], [[0]])],
        selection=text,
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    harmless = Reader(page(small("harmless")))
    hostile = Reader(page(small(text)))
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in harmless.elements]
    assert [set(attributes) for _, attributes in hostile.elements] == [
        set(attributes) for _, attributes in harmless.elements
    ]
    shown = Reader(f"<p>{html(text)}</p>").texts
    assert "".join(shown) in "".join(hostile.texts)


@given(st.text(st.characters(categories=None)))
@settings(max_examples=25)
def test_the_embedded_data_are_those_of_the_report_whatever_the_texts(text: str) -> None:
    data = small(text)
    embedded = Reader(page(data)).data
    assert embedded == json.loads(json.dumps(data.as_json()))


def test_the_embedded_data_have_no_sign_that_could_end_them() -> None:
    for text in HOSTILE:
        written = page(small(text))
        blocks = re.findall(r'<script type="application/json" id="([^"]*)">(.*?)</script>', written, re.DOTALL)
        assert [name for name, _ in blocks] == ["data", "n-0-0", "n-1-0", "f-0", "t-0"]
        assert not [content for _, content in blocks if "<" in content]


NUMBERS = [
    ([1, None, -127], "i1"),
    ([128, -3], "i2"),
    ([-40_000, None], "i4"),
    ([0.5, None, 2.0], "f4"),
    ([0.1, 1e300], "f8"),
    ([2**40], "f4"),
    ([-0.0, 1.0], "f4"),
    ([None], "i1"),
    ([], "i1"),
]


@pytest.mark.parametrize(("values", "kind"), NUMBERS)
def test_numbers_are_packed_into_the_shortest_array_with_all_their_digits(
    values: list[float | None], kind: str
) -> None:
    written = packed(values)
    assert written[0] == kind
    assert list(map(repr, numbers(written))) == [
        repr(one) if kind[0] == "i" or one is None else repr(float(one)) for one in values
    ]


@given(st.lists(st.none() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)))
def test_packed_numbers_are_read_back(values: list[float | None]) -> None:
    assert numbers(packed(values)) == values
    places = list(range(0, len(values), 2))
    assert numbers(packed(values, places)) == values[::2]


def test_the_page_can_be_written_whatever_the_texts() -> None:
    for text in HOSTILE:
        page(small(text)).encode("utf-8")


def test_the_policy_lets_nothing_run_but_the_page_itself() -> None:
    reader = Reader(page(small("harmless")))
    policy = next(one["content"] or "" for _, one in reader.elements if "http-equiv" in one)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for attributes, text in reader.scripts:
        if attributes.get("type") == "application/json":
            continue
        known = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{known}'" in policy


def test_the_page_names_nothing_to_load() -> None:
    reader = Reader(page(small("harmless")))
    loading = [(tag, one) for tag, one in reader.elements if {"src", "srcset", "data", "poster"} & set(one)]
    links = [one["href"] for _, one in reader.elements if "href" in one]
    assert loading == []
    assert all(link and link.startswith("#") for link in links)
    assert not [one for _, one in reader.elements if "style" in one or any(name.startswith("on") for name in one)]
    styles = "".join(text for _, text in reader.scripts[:1])
    assert "url(" not in styles
    assert "@import" not in styles


def test_every_cell_of_the_tables_is_the_number_of_the_data_rounded(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    data = report_of(example_rows, resampling=Resampling(resamples=100))
    written = json.loads(to_json(data.as_json()))
    tables = re.findall(r"<table.*?</table>", page(data), re.DOTALL)
    assert len(tables) == 1 + len(data.main_scores) + 2  # the script fills in the last two
    checked = 0
    for table in tables[:-2]:
        found = re.search(r"<caption>(.*) by length of the source in words", table)
        for number, cells in re.findall(r'<tr data-system="(\d+)">(.*?)</tr>', table, re.DOTALL):
            system = written["systems"][int(number)]
            shown = re.findall(r'<span class="value">(.*?)</span>', cells)
            if found:
                column = next(one for one in written["scores"] if one["title"] == found[1])
                expected = [cell_text(value, column["digits"]) for value in system["by_length"][column["name"]]]
            else:
                expected = [
                    cell_text(system["scores"][one["name"]]["value"], one["digits"]) for one in written["scores"]
                ]
            assert shown == expected
            checked += len(shown)
    assert checked == 6 * (len(data.scores) + 5 * len(data.main_scores))


CELLS = [  # value, digits, text, why
    (None, 2, "–", "not defined"),
    (0.125, 2, "0.12", "halves go to even: the number is exactly between"),
    (0.375, 2, "0.38", "halves go to even"),
    (2.675, 2, "2.67", "the binary number is below 2.675"),
    (7, 0, "7", "a whole number"),
    (-0.001, 2, "0.00", "0 has no sign"),
    (1e21, 1, "1.00000e+21", "too large for exact decimal places"),
]


@pytest.mark.parametrize(("value", "digits", "text", "why"), CELLS)
def test_numbers_are_written_in_one_way(value: float | None, digits: int, text: str, why: str) -> None:
    assert cell_text(value, digits) == text, why


@pytest.mark.parametrize(("confidence", "error"), [(95.0, 0.05), (99.0, 0.01)])
def test_differences_are_marked_below_what_the_interval_leaves_out(confidence: float, error: float) -> None:
    assert error_of(ResamplingFacts("m", confidence, 1000, 1, None)) == error


def test_a_significant_difference_is_marked_in_words_and_with_its_direction() -> None:
    written = page(small("name"))
    assert 'title="significantly higher than name (p = 0.0020)"' in written
    assert "▲" in written


def test_a_difference_that_is_not_significant_is_not_marked() -> None:
    data = small("name")
    data.systems[1].scores["name"] = Cell(1.0, 0.5, 1.5, 0.04, 0.08, 0.5, 1)
    assert "significantly higher than name (p" not in page(data)
