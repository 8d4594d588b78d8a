"""The page in a real browser, opened from the disk, without a network."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Page

from metrics_framework.reports.html.model import ReportData
from metrics_framework.reports.html.page import cell_text, page, set_pieces
from metrics_framework.significance.resampling import Resampling

pytestmark = pytest.mark.slow  # of a browser
Rows = list[dict[str, Any]]
HTML = Path(__file__).parents[3] / "metrics_framework" / "reports" / "html"
HOSTILE = [
    "<script>alert(1)</script> & &amp; <b>bold</b>",
    "</script><img src=x onerror=alert(1)>",
    "שלום עולם, this is right to left العربية",
    "Family 👩‍👩‍👧‍👦 flag 🇩🇪 and é",
    "tab\there  two blanks   three ",
    " ".join(["word", "another", "third,"] * 300)[:5000],
    "x" * 5000,
    "\u202eturned\u202c",
    "",
]


@pytest.fixture(scope="module")
def example(
    report_of: Callable[..., ReportData], example_rows: Rows, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ReportData, Path]:
    """Writes the report of the example data, for `fresh` to open."""
    data = report_of(example_rows, resampling=Resampling(resamples=100))
    path = tmp_path_factory.mktemp("example") / "report.html"
    path.write_text(page(data), encoding="utf-8")
    return data, path


@pytest.fixture
def fresh(browser: Page, example: tuple[ReportData, Path]) -> ReportData:
    """Opens the report as for the first time, whatever the tests before it opened, chose or pointed at."""
    data, path = example
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
    browser.open(path)
    browser.run("localStorage.clear()")
    browser.reload()
    return data


def listed(browser: Page) -> list[str]:
    """Gives the ids of all sentences of the list, page by page."""
    ids: list[str] = []
    while True:
        ids += browser.texts(".sentence .number")
        if browser.run("document.getElementById('next').disabled"):
            return ids
        browser.run("document.getElementById('next').click()")


def values(data: ReportData, name: str) -> list[list[float]]:
    """Gives the scores of the systems, system by system."""
    return [list(map(float, one.values[name])) for one in data.systems if one.kind == "system"]


def means(data: ReportData, name: str) -> list[float]:
    return [sum(column) / 3 for column in zip(*values(data, name), strict=True)]


def ordered(data: ReportData, keys: list[float], sign: int) -> list[str]:
    places = sorted(range(len(keys)), key=lambda place: (sign * keys[place], place))
    return [data.sentences[place].id for place in places]


@pytest.mark.slow
def test_every_cell_of_the_tables_shows_the_number_of_the_embedded_data(browser: Page, fresh: ReportData) -> None:
    embedded = json.loads(json.dumps(fresh.as_json()))
    rows = browser.run(
        "[...document.querySelectorAll('#scores tbody tr')].map((row) => [Number(row.dataset.system), "
        "[...row.querySelectorAll('.value')].map((cell) => cell.textContent)])"
    )
    assert len(rows) == 6
    for place, cells in rows:
        of_system = embedded["systems"][place]["scores"]
        assert cells == [cell_text(of_system[one["name"]]["value"], one["digits"]) for one in embedded["scores"]]


def test_the_scores_of_the_outputs_shown_are_those_of_the_embedded_data(browser: Page, fresh: ReportData) -> None:
    shown = browser.run(
        "[...document.querySelectorAll('.sentence')].flatMap((sentence) => [...sentence.querySelectorAll('.output')]"
        ".flatMap((output) => [...output.querySelectorAll('.value')].map((cell) => [Number(sentence.dataset.position), "
        "Number(output.querySelector('.text').dataset.system), cell.dataset.score, cell.textContent])))"
    )
    digits = {column.name: column.output_digits for column in fresh.scores}
    assert len(shown) == 15 * 3 * 5  # a page of fifteen sentences, three systems, five scores
    for place, system, name, text in shown:
        assert text == cell_text(fresh.systems[system].values[name][place], digits[name])


def test_a_click_on_a_head_sorts_the_rows_best_first_and_a_second_one_the_other_way(
    browser: Page, fresh: ReportData
) -> None:
    def clicked(key: str) -> tuple[list[str], str]:
        browser.run(f"document.querySelector('#scores th[data-key={key}] button').click()")
        names = browser.texts("#scores .systems th")
        return names, browser.run(f"document.querySelector('#scores th[data-key={key}]').ariaSort")

    scores = {one.name: one.scores["sari"].value for one in fresh.systems if one.kind == "system"}
    best_first = sorted(scores, key=lambda name: -float(scores[name] or 0))
    assert clicked("sari") == (best_first, "descending")
    assert clicked("sari") == (best_first[::-1], "ascending")
    assert clicked("name") == (sorted(scores), "ascending")
    baselines = browser.texts("#scores .baselines th")
    assert sorted(baselines) == ["first 80 % of the words", "one reference", "source copied"]


def test_sentences_are_sorted_by_the_score_of_one_system_by_means_and_by_differences(
    browser: Page, fresh: ReportData
) -> None:
    browser.choose(score="sari", whose="2", order="high")
    assert listed(browser) == ordered(fresh, values(fresh, "sari")[2], -1)
    browser.choose(score="compression_ratio", whose="mean", order="low")
    by_mean = listed(browser)
    expected = means(fresh, "compression_ratio")
    assert [expected[int(one) - 1] for one in by_mean] == pytest.approx(sorted(expected))
    browser.choose(score="bleu", whose="difference", order="high")
    columns = zip(*values(fresh, "bleu"), strict=True)
    assert listed(browser) == ordered(fresh, [max(column) - min(column) for column in columns], -1)
    browser.choose(order="input")
    assert listed(browser) == [sentence.id for sentence in fresh.sentences]


def test_filters_choose_the_sentences_they_say(browser: Page, fresh: ReportData) -> None:
    def filtered(name: str) -> list[str]:
        browser.choose(filter=name)
        return listed(browser)

    def having(name: str, least: float) -> list[str]:
        found = zip(fresh.sentences, zip(*values(fresh, name), strict=True), strict=True)
        return [sentence.id for sentence, column in found if max(column) > least]

    assert filtered("splits") == having("sentence_splits", 1)
    assert filtered("copies") == having("exact_copies", 0)
    tenth = 5  # of 48 sentences, rounded up
    for name, score, sign in (("compressed", "compression_ratio", 1), ("best", "sari", -1), ("worst", "sari", 1)):
        assert sorted(filtered(name)) == sorted(ordered(fresh, means(fresh, score), sign)[:tenth]), name
    spread = [max(column) - min(column) for column in zip(*values(fresh, "sari"), strict=True)]
    assert sorted(filtered("different")) == sorted(ordered(fresh, spread, -1)[:tenth])


def test_best_and_worst_are_those_of_the_chosen_system_or_of_the_mean(browser: Page, fresh: ReportData) -> None:
    tenth = 5  # of 48 sentences, rounded up
    for system, of_system in enumerate(values(fresh, "sari")):
        for name, sign in (("worst", 1), ("best", -1)):
            browser.choose(filter=name, score="sari", whose=str(system), order="low" if sign > 0 else "high")
            assert listed(browser) == ordered(fresh, of_system, sign)[:tenth], (name, system)
    browser.choose(filter="compressed", whose="1", order="input")
    ratios = ordered(fresh, values(fresh, "compression_ratio")[1], 1)[:tenth]
    assert sorted(listed(browser)) == sorted(ratios), "the score of this filter, of the chosen system"
    browser.choose(filter="worst", whose="difference")
    assert sorted(listed(browser)) == sorted(ordered(fresh, means(fresh, "sari"), 1)[:tenth]), "a range is no score"


def test_escape_empties_the_search_and_shows_all_sentences_again(browser: Page, fresh: ReportData) -> None:
    browser.press("/")
    for key in "lighthouse":
        browser.press(key)
    found = listed(browser)
    assert 0 < len(found) < 48
    browser.press("Escape")
    assert browser.run("[document.getElementById('query').value, document.activeElement.id]") == ["", "query"]
    assert browser.run("document.getElementById('status').textContent") == "48 of 48 sentences"
    assert browser.run("CSS.highlights.get('found')?.size ?? 0") == 0
    browser.press("Escape")
    assert browser.run("document.activeElement.className") == "sentence"
    browser.press("/")
    for key in "lighthouse":
        browser.press(key)
    browser.press("Enter")
    assert browser.run("document.activeElement.querySelector('.number').textContent") == found[0]


def test_a_search_finds_what_sources_outputs_and_references_have_whatever_the_case(
    browser: Page, fresh: ReportData
) -> None:
    browser.choose(query="LIGHTHOUSE")
    texts = [
        [sentence.source, *sentence.references, *(str(one.texts[place]) for one in fresh.systems[:3])]
        for place, sentence in enumerate(fresh.sentences)
    ]
    expected = [str(place + 1) for place, several in enumerate(texts) if "lighthouse" in " ".join(several).lower()]
    assert expected
    assert listed(browser) == expected
    assert browser.run("CSS.highlights.get('found').size") > len(expected)
    browser.choose(query="no sentence has this")
    assert listed(browser) == []
    assert browser.run("document.getElementById('status').textContent") == "0 of 48 sentences"


def test_keys_go_to_the_search_from_sentence_to_sentence_and_over_the_page(browser: Page, fresh: ReportData) -> None:
    def focused() -> Any:
        return browser.run(
            "document.activeElement.querySelector?.('.number')?.textContent ?? document.activeElement.id"
        )

    browser.press("/")
    assert focused() == "query"
    browser.press("j")
    assert browser.run("document.getElementById('query').value") == "j"
    browser.choose(query="")
    browser.press("Escape")
    assert focused() == "1"
    for key, expected in (("j", "2"), ("ArrowDown", "3"), ("ArrowUp", "2"), ("k", "1"), ("n", "16"), ("k", "15")):
        browser.press(key)
        assert focused() == expected, key
    browser.press("r")
    assert browser.run("document.activeElement.querySelectorAll('.references[open] li').length") == 3
    browser.press("r")
    assert browser.run("document.activeElement.querySelectorAll('.references[open]').length") == 0


def test_keys_that_type_a_sign_can_be_switched_off_and_do_nothing_in_fields_or_with_ctrl(
    browser: Page, fresh: ReportData
) -> None:
    def moved_by(key: str, modifiers: int = 0) -> bool:
        browser.run("document.activeElement.blur()")
        browser.press(key, modifiers)
        return bool(browser.run("document.activeElement !== document.body"))

    assert [moved_by(key) for key in "jnk/"] == [True] * 4
    for modifiers in (1, 2, 4):  # Alt, Ctrl, Meta
        assert not any(moved_by(key, modifiers) for key in "jnk/")
    browser.run("document.getElementById('score').focus()")
    browser.press("j")
    assert browser.run("document.activeElement.id") == "score"
    browser.run("document.getElementById('keys').click()")
    assert not any(moved_by(key) for key in "jnkpr/")
    assert not browser.run("document.getElementById('query').hasAttribute('aria-keyshortcuts')")
    browser.run("document.querySelector('.sentence').focus()")
    browser.press("ArrowDown")
    assert browser.run("document.activeElement.querySelector('.number').textContent") == "17"  # n has turned the page
    browser.reload()
    assert not browser.run("document.getElementById('keys').checked")
    browser.run("document.getElementById('keys').click()")
    assert moved_by("j")
    assert browser.run("document.getElementById('query').getAttribute('aria-keyshortcuts')") == "/"


def test_in_print_no_sign_is_cut_off_and_signatures_are_shown(browser: Page, fresh: ReportData) -> None:
    with browser.like(width=688, media="print"):  # A4 less its margins
        edges = browser.run(
            "[...document.querySelectorAll('#scores .sign, #scores .interval')].filter((one) => one.checkVisibility())"
            ".map((one) => one.getBoundingClientRect().right)"
        )
        assert edges
        assert max(edges) <= 688
        shown = "[...document.querySelectorAll('#facts code')].map((one) => one.checkVisibility())"
        assert browser.run(shown) == [True] * len(fresh.signatures)
    with browser.like():
        assert browser.run(shown) == [False] * len(fresh.signatures)


def test_in_print_it_is_told_which_sentences_are_there(browser: Page, fresh: ReportData) -> None:
    shown = "document.getElementById('sentences').innerText"
    with browser.like(width=688, media="print"):
        lines = browser.run(shown).split("\n")
        assert "1–15 of 48" in lines
        assert (
            "Sentences: 1–15 of 48 · Show: all sentences · Score: sari of all shown: mean · Sort: input order · "
            "Search: nothing"
        ) in lines
        assert not {"Previous", "Next"} & set(lines)
        browser.choose(filter="worst", score="bleu", whose="1", order="low", query="THE")
        browser.run(
            "document.querySelectorAll('#systems input')[1].click(); document.getElementById('deleted').click()"
        )
        (told,) = [line for line in browser.run(shown).split("\n") if line.startswith("Sentences: ")]
        where = browser.run("document.getElementById('where').textContent")
        assert told == (
            f"Sentences: {where} · Show: worst · Score: bleu of timid · Sort: lowest first · Search: THE · "
            "Systems: careful, clumsy · Deleted words: hidden"
        )
        browser.choose(query="no sentence has this")
        assert "Sentences: none · Show: worst" in browser.run(shown)
    with browser.like():
        assert "Show: worst" not in browser.run(shown)
        assert "Next" in browser.run(shown)


def test_arrows_go_from_word_to_word_and_say_which_references_have_the_words_around(
    browser: Page, fresh: ReportData
) -> None:
    browser.run("document.querySelector('.output .text').focus()")
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    shown = "document.getElementById('match').textContent"
    # The first output starts "The lighthouse at Skarvnes was designed", and all references with the first four words.
    assert browser.run(shown) == "The lighthouse at Skarvnes – in all references"
    assert browser.run("document.querySelectorAll('.output .run').length") == 4
    browser.press("Escape")
    assert browser.run(shown) == ""
    browser.run("document.querySelector('.references').open = true")
    browser.point(".output .text .w:nth-of-type(2)")
    assert browser.run(shown) == "The lighthouse at Skarvnes – in all references"
    assert browser.run("document.querySelectorAll('.references .run').length") >= 12


def test_systems_can_be_left_out(browser: Page, fresh: ReportData) -> None:
    browser.run("document.querySelectorAll('#systems input')[1].click()")
    names = browser.texts(".sentence:first-child .who")
    assert names == ["careful", "clumsy"]


def test_what_is_downloaded_is_what_is_embedded(browser: Page, fresh: ReportData) -> None:
    browser.run("URL.createObjectURL = (blob) => { globalThis.downloaded = blob; return '#'; }; 0")
    browser.run("document.getElementById('download').click()")
    assert json.loads(browser.run("downloaded.text()")) == json.loads(json.dumps(fresh.as_json()))


def test_the_page_is_light_or_dark_as_the_reader_prefers_or_chooses(browser: Page, fresh: ReportData) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    with browser.like(scheme="dark"):
        dark = browser.run(paper)
    with browser.like(scheme="light"):
        assert browser.run(paper) != dark
        browser.run("document.getElementById('theme').click()")
        assert browser.run(paper) == dark
        browser.run("document.getElementById('theme').click()")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_is_not_wider_than_its_window(browser: Page, fresh: ReportData, width: int) -> None:
    with browser.like(width=width):
        assert browser.run("document.documentElement.scrollWidth") <= width


def test_controls_and_tables_have_names_that_can_be_read_out(browser: Page, fresh: ReportData) -> None:
    named = {"button", "checkbox", "combobox", "searchbox", "table", "region", "navigation", "image"}
    assert not named & set(browser.roles(named=False))
    roles = {*browser.roles(), *browser.roles(named=False)}
    assert {"main", "navigation", "search", "table", "columnheader", "rowheader", "status"} <= roles


def test_hostile_texts_are_shown_as_they_are(browser: Page, report_of: Callable[..., ReportData]) -> None:
    rows = [
        {
            "instance_id": f"{number} {text[:40]}",
            "summarizer_id": system,
            "source": {"text": text},
            "summary": {"text": other},
            "references": [{"text": text}, {"text": HOSTILE[0]}],
        }
        for system, shift in (("<b>one</b>", 1), ("&amp; two", 2))
        for number, text in enumerate(HOSTILE)
        for other in [HOSTILE[(number + shift) % len(HOSTILE)]]
    ]
    data = report_of(rows, ["sari", "quality-estimation"], title="<i>title</i>")
    browser.show(page(data))
    assert browser.run("document.querySelector('h1').textContent") == "<i>title</i>"
    names = browser.texts("#scores .systems th")
    assert names == ["<b>one</b>", "&amp; two"]
    shown = browser.run(
        "[...document.querySelectorAll('.sentence')].map((one) => [one.querySelector('.source').lastChild.data ?? '', "
        "[...one.querySelectorAll('.output .text')].map((output) => { const copy = output.cloneNode(true);"
        "copy.querySelectorAll('.gone').forEach((gone) => gone.remove()); return copy.textContent; })])"
    )
    assert len(shown) == len(HOSTILE)
    directions = browser.run(
        "[...document.querySelectorAll('.sentence')].map((one) => [...one.querySelectorAll('.source, .output .text')]"
        ".map((text) => getComputedStyle(text).direction))"
    )
    hebrew = 2
    for number, found in enumerate(directions):
        places = [number, *((number + shift) % len(HOSTILE) for shift in (1, 2))]
        assert found == ["rtl" if place == hebrew else "ltr" for place in places]
    for number, (source, outputs) in enumerate(shown):
        assert source == HOSTILE[number]
        assert outputs == [HOSTILE[(number + shift) % len(HOSTILE)] for shift in (1, 2)]


def test_one_system_without_references_has_no_choices_that_make_no_sense(
    browser: Page, report_of: Callable[..., ReportData]
) -> None:
    rows = [
        {"instance_id": str(number), "summarizer_id": "only", "source": text, "summary": text.upper()}
        for number, text in enumerate(["One cat sat.", "Two dogs ran home."])
    ]
    data = report_of(rows, ["quality-estimation"])
    browser.show(page(data))
    hidden = "[...document.querySelectorAll('#systems-box, #components-label')].map((one) => one.checkVisibility())"
    assert browser.run(hidden) == [False, False]
    assert browser.run("[...document.getElementById('whose').options].map((one) => one.text)") == ["only"]
    assert "most different" not in browser.run("document.getElementById('filter').textContent")
    assert browser.run("document.querySelectorAll('.references').length") == 0
    # Capitals do not count: both outputs are copies, and nothing in them is marked.
    assert browser.run("document.querySelectorAll('.tag').length") == 2
    assert browser.run("document.querySelectorAll('#list ins, #list del, #list mark').length") == 0
    browser.point(".output .w")
    assert browser.run("document.getElementById('match').textContent") == ""
    assert browser.run("document.querySelector('.lead').textContent") == "The system only on 2 sentences."
    assert browser.run("document.querySelector('.notes').textContent").startswith("No baseline")


def scripts(*names: str) -> str:
    return "\n".join((HTML / name).read_text(encoding="utf-8") for name in names)


def longest_common(a: list[str], b: list[str]) -> int:
    """The length of a longest common subsequence, by its definition in a table."""
    row = [0] * (len(b) + 1)
    for one in a:
        above, row = row, [0]
        for place, other in enumerate(b):
            row.append(above[place] + 1 if one == other else max(above[place + 1], row[place]))
    return row[-1]


def test_marks_make_up_both_texts_and_keep_as_many_words_as_can_be(browser: Page, fresh: ReportData) -> None:
    generator = random.Random(0)
    pairs = [
        [" ".join(generator.choices("abcdeABC,.", k=generator.randint(0, 12))) for _ in range(2)] for _ in range(300)
    ]
    found = browser.run(
        f"(() => {{ {scripts('marks.js')}; return {json.dumps(pairs)}.map(([a, b]) => marksOf(a, b).runs"
        ".map(({ kind, pieces }) => [kind, pieces.map(({ text }) => text)])); })()"
    )
    for (source, output), runs in zip(pairs, found, strict=True):
        words = [(kind, word) for kind, several in runs for word in several]
        assert [word for kind, word in words if kind != "del"] == output.split()
        kept = [word.lower() for kind, word in words if kind == "keep"]
        assert len(kept) == longest_common(source.lower().split(), output.lower().split())
        of_source = sorted(word.lower() for kind, word in words if kind in ("keep", "del", "moved"))
        assert of_source == sorted(source.lower().split())


def test_texts_too_long_for_one_table_are_cut_at_words_that_both_have_once(browser: Page, fresh: ReportData) -> None:
    words = [f"w{number}" for number in range(6000)]
    changed = [word if number % 10 else f"other{number}" for number, word in enumerate(words)]
    texts = json.dumps([" ".join(words), " ".join(changed)])
    counts = browser.run(
        f"(() => {{ {scripts('marks.js')}; const found = {{}};"
        f"for (const {{ kind, pieces }} of marksOf(...{texts}).runs) found[kind] = (found[kind] ?? 0) + pieces.length;"
        "return found; })()"
    )
    assert counts == {"keep": 5400, "ins": 600, "del": 600}


def test_five_thousand_characters_are_marked_in_little_time(browser: Page, fresh: ReportData) -> None:
    generator = random.Random(1)
    for alphabet in ("ab", "abcdefghijklmnopqrstuvwxyz"):
        texts = json.dumps([" ".join(generator.choices(alphabet, k=2500)) for _ in range(2)])
        took = browser.run(
            f"(() => {{ {scripts('marks.js')}; const start = performance.now(); marksOf(...{texts});"
            "return performance.now() - start; })()"
        )
        assert took < 2000  # some ten milliseconds on a machine that is not busy


def test_numbers_are_written_as_the_tables_write_them(browser: Page, fresh: ReportData) -> None:
    generator = random.Random(2)
    numbers = [generator.uniform(-100, 100) for _ in range(500)]
    numbers += [generator.randint(-4000, 4000) / 16 for _ in range(500)]  # many lie exactly between two
    numbers += [-0.0, -0.001, 1e21, -1.5e25, 5e-324, 999.995]
    for digits in (0, 1, 2, 3):
        written = browser.run(
            f"(() => {{ {scripts('elements.js')}; return {numbers}.map((one) => format(one, {digits})); }})()"
        )
        assert written == [cell_text(number, digits) for number in numbers]


@pytest.mark.slow
def test_a_report_of_twenty_systems_opens_and_sorts_without_lag(
    browser: Page, report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    """The bounds are generous, for machines that are busy; ``benchmarks/report.py`` measures."""
    rows = [
        dict(row, instance_id=f"{copy}-{row['instance_id']}", summarizer_id=f"{row['summarizer_id']} {mixture}")
        for mixture in range(7)
        for copy in range(8)
        for row in example_rows
        if (row["summarizer_id"], mixture) != ("clumsy", 6)
    ][: 20 * 384]
    data = report_of(rows, ["sari"])
    assert (len(data.sentences), sum(one.kind == "system" for one in data.systems)) == (384, 20)
    browser.show(page(data))
    assert browser.run("performance.now()") < 20_000
    assert browser.run("document.querySelectorAll('#systems :checked').length") == 4
    browser.run("document.getElementById('every').click()")
    assert browser.run("document.querySelectorAll('.sentence:first-child .output').length") == 20
    took = browser.run(
        "(() => { const start = performance.now(); const one = document.getElementById('order'); one.value = 'high';"
        "one.dispatchEvent(new Event('input')); document.body.offsetHeight; return performance.now() - start; })()"
    )
    assert took < 2_000


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_of_several_data_sets_shows_the_report_of_the_chosen_one(
    width: int, browser: Page, report_of: Callable[..., ReportData], example_rows: list[dict[str, Any]]
) -> None:
    reports = {name: report_of(example_rows, ["sari"], title=name) for name in ("first", "second")}
    frame = "document.querySelectorAll('iframe')[1]"
    with browser.like(width):
        browser.show("".join(set_pieces("Both", reports)))
        assert browser.run(f"getComputedStyle({frame}).visibility") == "hidden"
        browser.run("document.querySelector('label[for=set-1]').click()")
        browser.wait()
        assert browser.run(f"getComputedStyle({frame}).visibility") == "visible"
        assert browser.run("document.documentElement.scrollWidth") == width
        browser.run(f"{frame}.contentDocument.querySelector('nav a[href=\"#sentences\"]').click()")
        browser.wait()
        assert browser.run(f"{frame}.contentWindow.scrollY") > 0  # not the page around it, in the frame
        assert browser.run(f"{frame}.contentDocument.querySelectorAll('#list .sentence').length") > 0
        assert browser.run(f"{frame}.contentDocument.getElementById('link').hidden")
