"""The page of ROUGE in a real browser, without a network."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from chromium import Page

import metrics_framework as fw
from metrics_framework.common.logs import Log
from metrics_framework.kernels.python import rouge as twin
from metrics_framework.reports.html.document import file
from metrics_framework.reports.html.rouge_page import rouge_page
from metrics_framework.text.rouge_words import RougeWords, lines_of

pytestmark = pytest.mark.slow  # of a browser

MEASURES = ("1", "2", "3", "4", "l")
HOSTILE = [
    "<script>alert(1)</script> the cats &amp; <b>bold</b>",
    "</script><img src=x onerror=alert(1)> the cats sat",
    "שלום the <i>cats</i> {{data}}",
    "\ud800 the cats \x00 \u202eturned\u202c",
    "",
]
ROWS = [
    {
        "instance_id": "a",
        "summarizer_id": "one",
        "summary": ["Dan walked to the bakery.", "The bakery sold the better scones, the, the."],
        "references": [
            "Dan went to buy scones earlier this morning.\nHe walked to bakeries.",
            ["The scones of the bakery were sold.", "Dan's children walked.", ""],
            "the",
        ],
    },
    {"instance_id": "a", "summarizer_id": "two", "summary": "", "references": ["the cat", "a b a b a"]},
    {"instance_id": "b", "summarizer_id": "two", "summary": "a b a b b c", "references": ["b a b a a c", "of the"]},
    {
        "instance_id": "c",
        "summarizer_id": "one",
        "summary": "Running elements, mice",
        "references": ["mouse ran element"],
    },
]


def shown(rows: list[dict[str, Any]], **options: Any) -> fw.Visualization:
    return fw.visualize_rouge(rows, log=Log(silent=True), **options)


def matches(summary: Any, references: list[Any], measure: str, words: RougeWords) -> list[twin.Match]:
    """Returns the statistics for each reference, by the twin of the kernel."""
    found = []
    split = [[words.words(line) for line in lines_of(text)] for text in (summary, *references)]
    flat = [list(itertools.chain(*text)) for text in split]
    for reference, reference_words in zip(split[1:], flat[1:], strict=True):
        if measure == "l":
            found.append(twin.lcs_match(split[0], reference, flat[0], reference_words))
        else:
            grams = [twin.ngrams(text, int(measure)) for text in (flat[0], reference_words)]
            found.append(twin.ngram_match(*grams))
    return found


def cells(match: Any) -> list[str]:
    """Returns a row of the table of scores."""
    hits, reference, summary = match[:3]
    scores = twin.recall_precision_f((hits, reference, summary), 0.5)
    return [*(str(int(one)) for one in (hits, reference, summary)), *(f"{score:.3f}" for score in scores)]


def test_every_switch_shows_the_numbers_of_the_definition(browser: Page) -> None:
    browser.show(shown(ROWS).html)
    rows = (
        "[...document.querySelectorAll('#references tbody tr')]"
        ".map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))"
    )
    for stemmed, without, measure, way in itertools.product((True, False), (True, False), MEASURES, ("average", "max")):
        browser.choose(stemmed=stemmed, without=without, measure=measure, way=way)
        words = RougeWords(stemmed, without)
        for instance, output, row in ((0, 0, ROWS[0]), (0, 1, ROWS[1]), (1, 0, ROWS[2]), (2, 0, ROWS[3])):
            browser.choose(instance=instance)
            browser.choose(output=output)
            found = matches(row["summary"], row["references"], measure, words)
            expected = [*map(cells, found), cells(twin.combined(found, way == "max"))]
            assert browser.run(rows) == expected, (stemmed, without, measure, way, row)
            if measure != "l":
                counted = [int(text) for text in browser.texts("#counts td:last-child")]
                assert sum(counted) == found[0].hits


@pytest.mark.parametrize("way", ["average", "max"])
def test_the_scores_of_all_summaries_are_those_of_the_metric(browser: Page, datasets_path: Path, way: str) -> None:
    path = datasets_path / "translation" / "outputs.jsonl"
    browser.show(fw.visualize_rouge(files=path).html)
    rows = (
        "[...document.querySelectorAll('#ranking tbody tr')].map((row) => [row.querySelector('button').textContent, "
        "...[...row.querySelectorAll('.value')].map((cell) => cell.textContent)])"
    )
    browser.choose(way=way)
    for stemmed, without in itertools.product((True, False), (True, False)):
        options = {"use_porter_stemmer": stemmed, "remove_stopwords": without, "scoring_function": way}
        metric = fw.load("rouge", max_ngram=4, compute_rouge_l=True, **options)
        scored = fw.evaluate(files=path, metrics=[metric], confidence=False).outputs
        browser.choose(stemmed=stemmed, without=without)
        for measure in MEASURES:
            browser.choose(measure=measure)
            for instance in ("1", "5", "12"):
                browser.choose(instance=int(instance) - 1)
                found = {name: values for name, *values in browser.run(rows)}
                assert len(found) == 2
                for row in scored:
                    if row.instance_id == instance:
                        scores = row.metrics[f"rouge-{measure}"]
                        values = [f"{scores[part]:.3f}" for part in ("recall", "precision", "f1")]
                        assert found[row.summarizer_id] == values, (instance, options, measure)


def test_random_texts_have_the_counts_of_the_twin(browser: Page) -> None:
    random_numbers = random.Random(0)

    def text() -> list[str]:
        return [
            " ".join(random_numbers.choices("abcd", k=random_numbers.randrange(9)))
            for _ in range(random_numbers.randrange(1, 4))
        ]

    pairs = [(text(), text()) for _ in range(300)]
    scripts = "\n".join(map(file, ("elements.js", "rouge_counts.js")))
    found = browser.run(
        f"(() => {{ {scripts}; const words = new Words({{ stems: {{}}, stops: [] }}, {{}});"
        f"return {json.dumps(pairs)}.map(([summary, reference]) => {json.dumps(MEASURES)}.map((measure) => {{"
        "const match = matchOf(words.of(summary), words.of(reference), measure); const scores = scoresOf(match);"
        "const marked = [...match.marks.reference.values()].filter(({ counts }) => counts).length;"
        "return [match.hits, match.reference, match.summary, ...Object.values(scores), marked]; })); })()"
    )
    plain = RougeWords(False, False)
    for (summary, reference), rows in zip(pairs, found, strict=True):
        for measure, (*counts, marked) in zip(MEASURES, rows, strict=True):
            (match,) = matches(summary, [reference], measure, plain)
            assert counts == [*match[:3], *twin.recall_precision_f(match[:3], 0.5)]
            if measure in "1l":
                assert marked == match.hits


def test_shares_with_ties_are_rounded_as_in_python(browser: Page) -> None:
    """1/64 and 3/64 lie between two numbers of five decimal places."""
    scripts = "\n".join(map(file, ("elements.js", "rouge_counts.js")))
    vectors = [(hits, size, 64) for hits in range(1, 64) for size in (64, 96, 128, 320)]
    found = browser.run(
        f"(() => {{ {scripts}; return {json.dumps(vectors)}.map(([hits, reference, summary]) => "
        "Object.values(scoresOf({ hits, reference, summary }))); })()"
    )
    assert found == [list(twin.recall_precision_f(vector, 0.5)) for vector in vectors]


def test_the_words_are_marked_by_their_clipped_counts(browser: Page) -> None:
    browser.show(shown([{**ROWS[0], "references": ["the scones, the bakeries"]}]).html)
    assert browser.texts("[data-side=summary] .hit") == ["the", "bakery", "The", "scones"]
    assert browser.texts("[data-side=summary] .spare") == ["bakery", "the", "the", "the"]
    assert browser.texts("[data-side=reference] .hit") == ["the", "scones", "the", "bakeries"]
    browser.choose(measure="2")
    assert browser.texts("[data-side=summary] .hit") == ["the", "bakery", "scones", "the"]
    assert browser.texts("[data-side=summary] .spare") == ["The", "bakery"]
    browser.choose(stemmed=False)
    assert browser.texts(".side .hit") == ["scones", "the", "scones", "the"]


def test_the_texts_are_shown_in_full(browser: Page) -> None:
    browser.show(shown(ROWS).html)
    assert browser.texts(".side .text") == ["\n".join(ROWS[0]["summary"]), ROWS[0]["references"][0]]


def test_words_are_reached_with_the_keyboard_and_pointed_at(browser: Page) -> None:
    browser.show(shown(ROWS).html)
    browser.run("document.querySelector('[data-side=summary] .text').focus()")
    for _ in range(2):
        browser.press("ArrowRight")
    assert browser.texts(".w.at") == ["walked"]
    assert browser.texts(".w.run") == ["walked", "walked"]
    assert browser.texts("#match") == ["walk – summary 1, reference 1, counted 1"]
    browser.press("Escape")
    assert browser.texts(".w.at, .w.run") == []
    browser.point("[data-side=reference] [data-index='1']")
    browser.wait()
    assert browser.texts("#match") == ["went – not matched"] or browser.texts("#match") == ["go – not matched"]


def test_inputs_are_sorted_and_found(browser: Page) -> None:
    browser.show(shown(ROWS).html)
    browser.choose(whose="1", order="high")
    assert browser.texts("#instance option") == ["b", "a", "c"], "c has no summary of the system"
    browser.choose(order="low")
    assert browser.texts("#instance option") == ["a", "b", "c"]
    browser.choose(order="input")
    browser.run("document.getElementById('query').value = 'MOUSE'; document.getElementById('query').focus()")
    browser.press("Enter")
    assert browser.texts("#choice bdi")[:2] == ["c", "one"]


def test_a_reference_and_a_summary_are_chosen_in_the_tables(browser: Page) -> None:
    browser.show(shown(ROWS).html)
    browser.run("document.querySelectorAll('#references button')[2].click()")
    assert browser.texts("[data-side=reference] .text") == ["the"]
    assert browser.run("document.activeElement.textContent") == "reference 3"
    browser.run("[...document.querySelectorAll('#ranking button')].find((one) => one.textContent === 'two').click()")
    assert browser.texts("[data-side=summary] .number") == ["two"]


def test_hostile_texts_and_names_stay_text(browser: Page) -> None:
    rows = [
        {
            "instance_id": HOSTILE[0],
            "summarizer_id": f"s {text}".replace("\ud800", ""),
            "summary": text,
            "references": HOSTILE[:4],
        }
        for text in HOSTILE
    ]
    browser.show(shown(rows, title=HOSTILE[1]).html)
    assert browser.texts("h1") == [HOSTILE[1]]
    for index, text in enumerate(HOSTILE):
        browser.choose(output=index)
        assert browser.texts("[data-side=summary] .text") == [text]
    assert not browser.run("document.querySelector('img, .side i, .side b')")
    assert browser.run("document.querySelectorAll('script').length") == 2


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_page(browser: Page, width: int) -> None:
    browser.show(shown([{**row, "summary": "x" * 300} for row in ROWS]).html)
    with browser.like(width):
        browser.wait()
        assert browser.run("document.documentElement.scrollWidth") <= width


def test_too_long_texts_are_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{rouge_page.__module__}.MAX_CHARACTERS", 100)
    with pytest.raises(fw.UsageError, match=r"at most 100 characters, got \d+; choose fewer inputs or systems"):
        shown(ROWS)


@pytest.mark.slow
def test_the_page_opens_with_the_chosen_settings(browser: Page) -> None:
    page = shown(
        ROWS, measure="l", use_porter_stemmer=False, remove_stopwords=True, scoring_function="max", systems=["two"]
    )
    browser.show(page.html)
    assert browser.texts("#choice bdi") == ["a", "two", "ROUGE-L", "no", "removed", "best reference"]
    assert browser.run("document.getElementById('way').value") == "max"
    assert page.data["systems"] == ["two"]
