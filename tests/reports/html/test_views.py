"""Two systems compared, buckets, links and notes, in a real browser."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from json_files import read_rows

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.reports.html.model import ReportData
from metrics_framework.reports.html.page import page

pytestmark = pytest.mark.slow  # of a browser

Rows = list[dict[str, Any]]
Shown = tuple[ReportData, Path]


@pytest.fixture(scope="module")
def written(
    report_of: Callable[..., ReportData], example_rows: Rows, tmp_path_factory: pytest.TempPathFactory
) -> Shown:
    """Writes a report on rows with two more fields."""
    rows = [
        {
            **row,
            "domain": "<b>news</b>" if int(row["instance_id"]) % 3 else "law",
            "year": 2000 + int(row["instance_id"]),
        }
        for row in example_rows
    ]
    data = report_of(rows, ["sari", "quality-estimation:splitter=none,lexical_complexity=false"])
    path = tmp_path_factory.mktemp("views") / "report.html"
    path.write_text(page(data), encoding="utf-8")
    return data, path


@pytest.fixture
def shown(browser: Page, written: Shown) -> ReportData:
    """Opens the report as for the first time."""
    browser.open(written[1])
    browser.run("localStorage.clear()")
    browser.reload()
    return written[0]


def listed(browser: Page) -> list[str]:
    ids: list[str] = []
    while True:
        ids += browser.texts(".sentence .number")
        if browser.run("document.getElementById('next').disabled"):
            return ids
        browser.run("document.getElementById('next').click()")


def values(data: ReportData, system: int, name: str) -> list[float]:
    return [float(value or 0) for value in data.systems[system].values[name]]


def test_outputs_that_are_better_equal_and_worse_are_counted_with_an_interval(browser: Page, shown: ReportData) -> None:
    browser.choose(first="1")
    browser.choose(second="2")
    for name, sign in (("sari", 1), ("exact_copies", 0)):
        browser.choose(compared=name)
        differences = [b - a for a, b in zip(values(shown, 1, name), values(shown, 2, name), strict=True)]
        counts = [sum(one > 0 for one in differences), differences.count(0), sum(one < 0 for one in differences)]
        assert browser.texts("#wins td:nth-of-type(1)") == list(map(str, counts))
        words = ("better", "worse") if sign else ("higher", "lower")
        assert browser.texts("#wins th") == [f"B {words[0]}", "equal", f"B {words[1]}"]
        mean = sum(differences) / 48
        assert f": {mean:.2f} (95 %" in browser.texts("#difference-mean")[0]
        for count, interval in zip(counts, browser.texts("#wins td:nth-of-type(3)"), strict=True):
            low, high = (float(one) / 100 for one in interval.removesuffix(" %").split(" to "))
            for end in {low, high} - {0.0, 1.0}:  # the ends of Wilson's interval: z² p (1 − p) / n = (p̂ − p)²
                assert 1.96**2 * end * (1 - end) / 48 == pytest.approx((count / 48 - end) ** 2, abs=2e-3)


def test_a_mean_of_scores_of_outputs_has_another_name_than_a_score_of_all_outputs(
    browser: Page, shown: ReportData
) -> None:
    titles = {one.title for one in shown.scores if one.aggregate == "corpus"}
    for chosen in ("compared", "bucket-score"):
        assert titles.isdisjoint(browser.texts(f"#{chosen} option"))
    assert titles.isdisjoint(browser.texts("#plots figcaption"))
    browser.choose(first=0, second=1, compared="sari")
    first, second = (system.scores["sari"].value for system in shown.systems[:2])
    assert isinstance(first, float)
    assert isinstance(second, float)
    assert "under sari per output: " in browser.texts("#difference-mean")[0]
    assert f"the difference is {second - first:.2f}." in browser.texts("#difference-mean")[0]


def test_bins_and_buckets_of_length_are_the_same_sentences(browser: Page, shown: ReportData) -> None:
    browser.choose(divide="length")
    counts = browser.texts("#buckets-body td:nth-of-type(1)")
    assert counts == [str(one.sentences) for one in shown.lengths]


def test_a_bar_lists_the_sentences_of_its_differences_and_a_second_click_all(browser: Page, shown: ReportData) -> None:
    counts = browser.texts(".histogram-bar")
    assert sum(int(one.split(": ")[1].split()[0]) for one in counts) == 48
    differences = [b - a for a, b in zip(values(shown, 0, "sari"), values(shown, 1, "sari"), strict=True)]
    found: list[str] = []
    for place in range(len(counts)):
        if browser.run(f"document.querySelectorAll('.histogram-bar')[{place}].disabled"):
            continue
        browser.run(f"document.querySelectorAll('.histogram-bar')[{place}].click()")
        low, high = map(float, counts[place].split(":")[0].split(" to "))
        of_bar = listed(browser)
        assert all(low <= differences[int(one) - 1] <= high for one in of_bar)
        found += of_bar
        browser.run(f"document.querySelectorAll('.histogram-bar')[{place}].click()")
    assert sorted(map(int, found)) == list(range(1, 49))
    assert len(listed(browser)) == 48


def test_regressions_come_first_for_scores_of_either_direction(browser: Page, shown: ReportData) -> None:
    browser.run("document.getElementById('regressions').click()")
    differences = [b - a for a, b in zip(values(shown, 0, "sari"), values(shown, 1, "sari"), strict=True)]
    expected = sorted(range(48), key=lambda place: (differences[place], place))
    assert listed(browser) == [str(place + 1) for place in expected]
    browser.run("document.getElementById('swap').click()")
    backwards = sorted(range(48), key=lambda place: (-differences[place], place))
    assert listed(browser) == [str(place + 1) for place in backwards]


def test_words_that_only_one_system_shares_with_a_reference(browser: Page, shown: ReportData) -> None:
    browser.run("document.getElementById('words').open = true")
    browser.run("new Promise((resolve) => setTimeout(resolve, 500))")
    word, own, other = browser.texts("#words-lists .scroll:first-child tbody tr:first-child > *")
    found = [0, 0]
    for place, sentence in enumerate(shown.sentences):
        known = set(" ".join(sentence.references).lower().replace(".", " ").replace(",", " ").split())
        a, b = (
            set(str(shown.systems[one].texts[place]).lower().replace(".", " ").replace(",", " ").split())
            for one in (0, 1)
        )
        found[0] += word in known and word in a and word not in b
        found[1] += word in known and word in b and word not in a
    assert [int(own), int(other)] == found
    browser.run("document.querySelector('#words-lists button').click()")
    assert browser.run("document.getElementById('query').value") == word


def test_buckets_have_counts_means_and_intervals_and_a_click_lists_one(browser: Page, shown: ReportData) -> None:
    options = browser.run("[...document.getElementById('divide').options].map((one) => one.value)")
    assert options[:4] == ["length", "difference", "field-0", "field-1"]
    assert browser.run("document.getElementById('divide').value") == "field-0"
    assert browser.texts("#buckets-body th") == ["<b>news</b>", "law"]
    of_law = [value for place, value in enumerate(values(shown, 0, "sari")) if (place + 1) % 3 == 0]
    mean = sum(of_law) / len(of_law)
    half = 1.959964 * math.sqrt(sum((one - mean) ** 2 for one in of_law) / (len(of_law) - 1) / len(of_law))
    row = browser.texts("#buckets-body tr:nth-child(2) > *")
    assert row[:3] == ["law", "16", f"{mean:.2f}{mean - half:.2f} – {mean + half:.2f}"]
    browser.run("document.querySelectorAll('#buckets-body button')[1].click()")
    assert listed(browser) == [str(number) for number in range(3, 49, 3)]
    for choice in ("length", "field-1", "difference", "score-sari"):
        browser.choose(divide=choice)
        assert sum(map(int, browser.texts("#buckets-body td:nth-of-type(1)"))) == 48
        assert len(listed(browser)) == 48, "another division drops the bucket"


def test_a_link_restores_the_view(browser: Page, written: Shown, shown: ReportData) -> None:
    browser.choose(query="the & <b>=")
    browser.choose(query="the")
    browser.choose(order="regressions")
    browser.choose(second="2")
    browser.run("document.querySelectorAll('#buckets-body button')[0].click()")
    browser.run("document.querySelectorAll('#systems input')[1].click()")
    before = listed(browser)
    assert before
    link = browser.run("document.getElementById('link').getAttribute('href')")
    assert browser.run("location.hash") == link
    view = "[document.getElementById('where').textContent, document.getElementById('second').value]"
    seen = browser.run(view)
    browser.run("location.hash = ''")
    browser.call("Page.navigate", url="about:blank")
    browser.open(Path(str(written[1])))
    browser.run(f"location.hash = {json.dumps(link)}")
    browser.reload()
    assert browser.run(view) == seen
    assert browser.run("document.getElementById('query').value") == "the"
    assert browser.texts(".sentence:first-child .who") == ["careful", "clumsy"]
    browser.run("document.getElementById('previous').click()")
    while not browser.run("document.getElementById('previous').disabled"):
        browser.run("document.getElementById('previous').click()")
    assert listed(browser) == before


@pytest.mark.parametrize(
    "hash_",
    [
        "#order=none&first=99&page=x&only-bucket=77&only-x=1&__proto__=1",
        "#only-constructor=1&only-__proto__=1",  # names that every object of JavaScript has
        "#only-difference=0.5",
        "#%",
        "#=",
        "#sentences",
    ],
)
def test_a_link_with_unknown_choices_shows_the_page(browser: Page, shown: ReportData, hash_: str) -> None:
    browser.run(f"location.hash = {json.dumps(hash_)}")
    browser.reload()
    assert len(listed(browser)) == 48


def test_notes_are_kept_and_saved_as_rows_that_correlate_reads(
    browser: Page, shown: ReportData, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    browser.run("document.getElementById('notes-on').click()")
    generator = random.Random(0)
    given = [[generator.randint(1, 5) for _ in range(3)] for _ in range(15)]
    browser.run(
        f"{json.dumps(given)}.forEach((ratings, place) => ratings.forEach((rating, system) => {{"
        "const one = document.querySelectorAll('.sentence')[place].querySelectorAll('.note-fields select')[system];"
        "one.value = rating; one.dispatchEvent(new Event('input')); }))"
    )
    browser.run(
        "(() => { const one = document.querySelector('.note-fields input'); one.value = 'not fluent, <b>odd</b>,';"
        "one.dispatchEvent(new Event('input')); })()"
    )
    browser.reload()
    assert browser.run("document.getElementById('notes-on').checked")
    assert browser.run("document.getElementById('notes-count').textContent") == "45 notes"
    assert browser.run("document.querySelector('.note-fields input').value") == "not fluent, <b>odd</b>,"
    browser.choose(filter="noted")
    assert len(listed(browser)) == 15
    browser.run("URL.createObjectURL = (blob) => { globalThis.saved = blob; return '#'; }; 0")
    browser.run("document.getElementById('notes-save').click()")
    ratings = tmp_path / "ratings.jsonl"
    ratings.write_text(browser.run("saved.text()"), encoding="utf-8")
    rows = read_rows(ratings)
    assert [row["metrics"]["rating"] for row in rows] == [one for of_sentence in given for one in of_sentence]
    assert rows[0]["metrics"] == {"rating": given[0][0], "tag_not_fluent": 1, "tag_<b>odd</b>": 1}
    scores = tmp_path / "scores.jsonl"
    scores.write_text(
        "".join(
            json.dumps(
                {
                    "instance_id": one.id,
                    "summarizer_id": system.name,
                    "summarizer_type": "peer",
                    "metrics": {"sari": system.values["sari"][place]},
                }
            )
            + "\n"
            for system in shown.systems[:3]
            for place, one in enumerate(shown.sentences)
        ),
        encoding="utf-8",
    )
    result = tmp_path / "correlation.json"
    assert (
        main(["correlate", str(scores), str(ratings), "--metrics", "sari", "rating", "--output-file", str(result)]) == 0
    )
    assert "rating" in result.read_text(encoding="utf-8")
    capsys.readouterr()


@pytest.mark.parametrize(
    "stored",
    [
        '[["0 0", null], ["0 1", {"rating": 3, "tags": ""}]]',  # no note
        '[["99 0", {"rating": 3, "tags": "a"}], ["0 1", {"rating": 3, "tags": ""}]]',  # no system
        '[["0 99999", {"rating": 3, "tags": "a"}], ["0 1", {"rating": 3, "tags": ""}]]',  # no sentence
        '[["x", {"rating": 1, "tags": ""}], 5, ["0 1", {"rating": 3, "tags": ""}]]',  # no output
        '[["0 0", {"rating": {}, "tags": "a"}], ["0 2", {"rating": 1, "tags": 5}], ["0 1", {"rating": 3, "tags": ""}]]',
    ],
)
def test_what_is_stored_as_notes_and_is_none_is_left_out(browser: Page, shown: ReportData, stored: str) -> None:
    key = browser.run("JSON.parse(document.getElementById('data').textContent).embedded.key")
    browser.run(f"localStorage.setItem('fw-report-notes-{key}', {json.dumps(stored)})")
    browser.reload()
    assert browser.texts("#notes-count") == ["1 note"]
    browser.run("URL.createObjectURL = (blob) => { globalThis.saved = blob; return '#'; }; 0")
    browser.run("document.getElementById('notes-save').click()")
    (row,) = map(json.loads, browser.run("saved.text()").splitlines())
    assert (row["instance_id"], row["metrics"]) == ("2", {"rating": 3})


def test_the_new_views_have_names_and_no_position_wider_than_the_window(browser: Page, shown: ReportData) -> None:
    for width in (360, 1280):
        with browser.like(width=width):
            browser.run("document.getElementById('notes-on').checked || document.getElementById('notes-on').click()")
            assert browser.run("document.documentElement.scrollWidth") <= width
    assert not {"button", "combobox", "textbox", "table", "region", "form"} & set(browser.roles(named=False))
    browser.run("document.querySelector('.histogram-bar:enabled').focus()")
    browser.press("ArrowRight")
    assert browser.run("document.activeElement === document.querySelectorAll('.histogram-bar:enabled')[1]")


@pytest.mark.slow
def test_a_large_test_set_lists_the_worst_and_a_sample_and_says_so(
    browser: Page, example_rows: Rows, tmp_path: Path
) -> None:
    metrics = ["sari", "quality-estimation:splitter=none,lexical_complexity=false"]
    whole = fw.report(example_rows, metrics=metrics, confidence=False)
    part = fw.report(example_rows, metrics=metrics, confidence=False, worst=5, sample=7)
    assert [one.scores for one in part.data.systems] == [one.scores for one in whole.data.systems]
    assert part.data.listed is not None
    means = [sum(values(part.data, system, "sari")[place] for system in range(3)) for place in range(48)]
    assert set(sorted(range(48), key=means.__getitem__)[:5]) <= set(part.data.listed)
    assert 7 <= len(part.data.listed) <= 12
    browser.show(part.html)
    assert listed(browser) == [part.data.sentences[place].id for place in part.data.listed]
    assert (
        f"This page lists {len(part.data.listed)} of 48 sentences: the 5 sentences with the worst"
        in browser.texts("#facts .notes")[0]
    )
    assert "random sample of 7 sentences (seed 0)" in browser.texts("#sentences > .about")[0]
