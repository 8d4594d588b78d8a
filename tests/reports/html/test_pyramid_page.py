"""The page of pyramids in a real browser, without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chromium import Page

import metrics_framework as fw
from metrics_framework.reports.html.page import cell_text

pytestmark = pytest.mark.slow  # of a browser

HOSTILE = [
    "<script>alert(1)</script> & &amp; <b>bold</b>",
    "</script><img src=x onerror=alert(1)>",
    "שלום <i>עולם</i> {{data}}",
    "\ud800 alone \x00 \u202eturned\u202c",
]


@pytest.fixture
def example(browser: Page, datasets_path: Path) -> fw.Visualization:
    """Opens the page of the example data."""
    folder = datasets_path / "pyramids"
    page = fw.visualize_pyramid([folder / "pyramids.jsonl", folder / "annotations.jsonl"])
    browser.show(page.html)
    return page


def shown_scores(browser: Page) -> tuple[list[int], int]:
    """Returns the weights of the covered units in the tiers, and the number of all units."""
    tiers = browser.run(
        "[...document.querySelectorAll('.tier')].map((tier) => [tier.querySelector('h3').textContent, "
        "tier.querySelectorAll('.unit.covered').length, tier.querySelectorAll('.unit').length])"
    )
    weights = [(int(head.split()[1]), covered, number) for head, covered, number in tiers]
    assert [weight for weight, _, _ in weights] == sorted({weight for weight, _, _ in weights}, reverse=True)
    return [weight for weight, covered, _ in weights for _ in range(covered)], sum(number for *_, number in weights)


def test_every_score_follows_from_the_tiers_and_equals_the_metric(browser: Page, example: fw.Visualization) -> None:
    metric, count = fw.load("pyramid-score"), 0
    instances = fw.load_reader("pyramid-based").read(
        [str(Path(__file__).parents[3] / "datasets" / "pyramids" / name) for name in PYRAMID_FILES]
    )
    expected = {(one.instance_id, one.summarizer_id): metric.score(**one.fields) for one in instances}
    for at, pyramid in enumerate(example.data["pyramids"]):
        browser.choose(instance=at)
        for index, summary in enumerate(pyramid["summaries"]):
            browser.choose(summary=index)
            (score,) = expected.pop((pyramid["instance"], summary["name"])).values()
            covered, _ = shown_scores(browser)
            steps = browser.texts("#arithmetic dd")
            assert steps[0].endswith(f" = {sum(covered)}")
            assert steps[3] == f"{sum(covered)} ÷ {steps[2].split(' = ')[1]} = {cell_text(score, 4)}"
            assert sum(covered) / int(steps[2].split(" = ")[1]) == score
            assert browser.texts("tr.chosen .value") == [cell_text(score, 4)]
            count += 1
    assert (count, expected) == (14, {})


PYRAMID_FILES = ("pyramids.jsonl", "annotations.jsonl")


def test_the_summaries_are_shown_in_full(browser: Page, example: fw.Visualization) -> None:
    assert browser.texts(".summary .text") == [
        "".join(segment["text"] for segment in one["segments"])
        for one in (example.data["pyramids"][0]["summaries"][0], *example.data["pyramids"][0]["models"])
    ]


def test_pointing_at_a_unit_marks_its_contributors_by_their_positions(browser: Page, example: fw.Visualization) -> None:
    browser.point("#tiers .unit[data-unit='2']")
    browser.wait()
    assert browser.texts(".seg.run") == [
        "The town expects repairs to last until spring",
        "the bridge would open again in spring",
        "Until repairs end in spring",
    ]
    assert browser.texts("#match") == ["Repairs last until spring – weight 3: A, C, D; missed"]
    browser.point("h1")
    browser.wait()
    assert browser.texts(".seg.run") == []


def test_a_part_in_several_places_is_marked_in_all(browser: Page, example: fw.Visualization) -> None:
    browser.point("#tiers .unit[data-unit='4']")
    browser.wait()
    assert browser.texts(".seg.run") == ["closed", " on Monday", "was closed", " on Monday", "closed", "on Monday"]


def test_pointing_at_a_part_shows_its_units(browser: Page, example: fw.Visualization) -> None:
    browser.point(".summary.scored .seg[data-units='0 4']")
    browser.wait()
    assert browser.texts("#tiers .unit.at .label") == [
        "The Harbach bridge was closed",
        "The bridge was closed on Monday",
    ]


def test_the_units_are_reached_and_kept_with_the_keyboard(browser: Page, example: fw.Visualization) -> None:
    browser.run("document.getElementById('summary').focus()")
    while browser.run("!document.activeElement.matches('.unit')"):
        browser.press("Tab")
    for _ in range(2):
        browser.press("ArrowDown")
    assert browser.run("document.activeElement.dataset.unit") == "2"
    assert len(browser.texts(".seg.run")) == 3
    browser.press("ArrowUp")
    browser.press("Enter")
    assert browser.texts(".unit[aria-pressed=true] .label") == ["There are cracks in the piers"]
    browser.press("Tab")
    assert browser.texts(".seg.run")[0] == "engineers found", "kept when the focus leaves"
    browser.press("Escape")
    assert browser.texts(".seg.run, .unit[aria-pressed=true]") == []


def test_the_table_and_the_next_input_keep_the_system(browser: Page, example: fw.Visualization) -> None:
    browser.run(
        "[...document.querySelectorAll('#ranking button')].find((one) => one.textContent === 'abstract').click()"
    )
    assert browser.run("document.activeElement.textContent") == "abstract"
    assert browser.texts(".summary.scored .number") == ["abstract"]
    browser.run("document.getElementById('next').click()")
    assert browser.texts(".summary.scored .number") == ["abstract"]
    assert browser.texts("#choice bdi") == ["storks", "abstract"]
    assert browser.run("document.getElementById('next').disabled")


def test_hostile_texts_and_labels_stay_text(browser: Page, tmp_path: Path) -> None:
    names = [f"model {text}".replace("\ud800", "") for text in HOSTILE]
    scus = [
        {"scu_id": index, "label": text, "contributors": [{"summary_index": index, "label": text}]}
        for index, text in enumerate(HOSTILE)
    ]
    pyramid: dict[str, Any] = {"instance_id": HOSTILE[0], "summarizer_ids": names, "summaries": HOSTILE, "scus": scus}
    annotation = {"instance_id": HOSTILE[0], "summarizer_id": HOSTILE[1], "summary": HOSTILE[2], "scus": scus[:2]}
    for name, row in zip(PYRAMID_FILES, (pyramid, annotation), strict=True):
        (tmp_path / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    page = fw.visualize_pyramid([tmp_path / name for name in PYRAMID_FILES], title=HOSTILE[0])
    browser.show(page.html)
    assert browser.texts("h1") == [HOSTILE[0]]
    assert [text.replace("\ufffd", "\ud800") for text in browser.texts("#tiers .label")] == HOSTILE
    assert browser.texts("#choice bdi") == HOSTILE[:2]
    assert not browser.run("document.querySelector('img, main i, #tiers b')")
    browser.run("document.querySelector('#tiers .unit').focus()")
    assert browser.run("document.querySelectorAll('script').length") == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_page(browser: Page, example: fw.Visualization, scheme: str, width: int) -> None:
    with browser.like(width, scheme=scheme):
        browser.wait()
        assert browser.run("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_print_shows_the_choice_and_hides_the_controls(browser: Page, example: fw.Visualization) -> None:
    with browser.like(media="print"):
        shown = "(one) => getComputedStyle(document.querySelector(one)).display !== 'none'"
        assert browser.run(f"['.controls', '#choice', '#tiers', '#match'].map({shown})") == [False, True, True, False]
