"""Reports on summaries and translations: what they compare, their baselines, and matched n-grams in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from chromium import Page

import metrics_framework as fw
from metrics_framework.common.logs import Log
from metrics_framework.reports.html import build
from metrics_framework.reports.html.page import cell_text
from metrics_framework.reports.html.test_set import lead

HOSTILE = "</script><img src=x onerror=alert(1)> <b>bold</b> שלום"
WORDS = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
"""The words of the test texts, as the page splits them."""


def translation(*, sources: bool = False, references: int = 2) -> list[dict[str, Any]]:
    texts = {
        "1": ("Die Katze saß auf der Matte.", ["The cat sat on the mat.", "A cat was sitting on a mat."]),
        "2": ("Es regnet.", ["It is raining.", "It rains."]),
        "3": ("Der Hund bellt laut.", ["The dog barks loudly.", "Loudly, the dog barks."]),
    }
    outputs = {
        "one": ["The cat sat on a mat.", "Rain, it is.", "The dog barks."],
        "two": ["A dog sat there, on the mat.", "It is raining it is.", "Es bellt."],
    }
    return [
        {
            "instance_id": name,
            "summarizer_id": system,
            "summary": summary,
            "references": texts[name][1][:references],
            **({"source": texts[name][0]} if sources else {}),
        }
        for system, summaries in outputs.items()
        for name, summary in zip(texts, summaries, strict=True)
    ]


def summarization(documents: list[Any] | None = None) -> list[dict[str, Any]]:
    documents = documents or [["First, a cat.", "Then a dog."], ["Third, a bird.", "A fourth."]]
    return [{**row, "documents": documents} for row in translation()]


def report(rows: list[dict[str, Any]], **options: Any) -> fw.Report:
    return fw.report(rows, log=Log(silent=True), confidence=False, **options)


def names_of(made: fw.Report, kind: str) -> list[str]:
    return [system.name for system in made.data.systems if system.kind == kind]


def test_a_translation_needs_no_source() -> None:
    made = report(translation(), profile="translation")
    facts = made.data.facts
    assert (made.data.title, facts.marks, facts.length_of, facts.words_per_source) == (
        "Translation report",
        "matches",
        "first reference",
        None,
    )
    assert {sentence.source for sentence in made.data.sentences} == {None}
    assert [(column.name, column.title, column.better) for column in made.data.main_scores] == [
        ("bleu", "BLEU", "higher"),
        ("chrf", "chrF", "higher"),
        ("chrf++", "chrF++", "higher"),
        ("ter", "TER", "lower"),
    ]
    assert names_of(made, "baseline") == ["one reference"]
    assert "Words per source" not in made.html


def test_a_source_is_the_baseline_that_translates_nothing() -> None:
    made = report(translation(sources=True), profile="translation")
    assert names_of(made, "baseline") == ["source copied", "one reference"]
    assert made.data.facts.length_of == "source"


def test_one_reference_cannot_be_scored_against_the_others() -> None:
    made = report(translation(references=1), profile="translation")
    assert names_of(made, "baseline") == []
    assert made.data.notes == ["No baseline of one reference: at least one sentence has fewer than two references."]


def test_summaries_have_their_documents_and_the_first_sentences_as_a_baseline() -> None:
    made = report(summarization(), profile="summarization")
    assert made.data.title == "Summarization report"
    assert made.data.sentences[0].documents == ["First, a cat. Then a dog.", "Third, a bird. A fourth."]
    assert (made.data.facts.length_of, made.data.facts.words_per_source, made.data.facts.unit) == (
        "documents",
        11.0,
        "input",
    )
    assert names_of(made, "baseline") == ["first 3 sentences", "one reference"]
    titles = [column.title for column in made.data.main_scores]
    assert titles == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-1 recall", "ROUGE-1 precision"]
    assert {column.better for column in made.data.main_scores} == {"higher"}


@pytest.mark.parametrize(("profile", "digits"), [("summarization", 2), ("summarization:rouge=google", 4)])
def test_shares_have_more_decimal_places_than_percentages(profile: str, digits: int) -> None:
    made = report(summarization(), profile=profile)
    assert {column.digits for column in made.data.main_scores} == {digits}
    assert {column.digits for column in report(summarization(), profile=profile, digits=3).data.main_scores} == {3}


def test_the_source_of_a_summary_is_its_document() -> None:
    made = report([{**row, "source": "A cat. A dog."} for row in translation()], profile="summarization")
    assert made.data.sentences[0].documents == ["A cat. A dog."]


def test_summaries_without_documents_say_which_baseline_is_missing() -> None:
    made = report(translation(), profile="summarization")
    assert names_of(made, "baseline") == ["one reference"]
    assert made.data.notes == ["No baseline of the first 3 sentences: at least one input has no documents."]


def test_documents_that_differ_between_systems_are_refused() -> None:
    rows = summarization()
    rows[-1]["documents"] = ["Another."]
    with pytest.raises(fw.DataError, match="has two lists of documents: "):
        report(rows, profile="summarization")


def test_documents_that_are_too_long_for_a_page_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MAX_CHARACTERS", 20)
    made = report(summarization(), profile="summarization")
    assert made.data.sentences[0].documents == []
    assert made.data.notes[-1] == "Documents are not on the page: they have 147 characters, more than 20."
    assert made.data.facts.words_per_source == 11.0


def test_the_first_sentences_stop_at_the_number() -> None:
    assert lead([["One.", "Two."], ["Three.", "Four."], "never split"]) == ["One.", "Two.", "Three."]
    assert lead([["One."]]) == ["One."]


def test_the_profile_simplification_is_the_default(example_rows: list[dict[str, Any]]) -> None:
    rows = example_rows[:12]
    assert report(rows, profile="simplification").html == report(rows).html


# ---- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture
def opened(browser: Page) -> Callable[..., fw.Report]:
    """Opens a report, with the pointer outside it."""

    def open_report(rows: list[dict[str, Any]], profile: str, **options: Any) -> fw.Report:
        made = report(rows, profile=profile, **options)
        browser.show(made.html)
        return made

    return open_report


def ngrams(text: str, order: int) -> list[tuple[str, ...]]:
    words = [word.lower() for word in WORDS.findall(text)]
    return list(zip(*(words[start:] for start in range(order)), strict=False))


def matched_words(summary: str, references: list[str], order: int) -> list[str]:
    """Returns the words of a summary that are in an n-gram of a reference."""
    known = {key for reference in references for key in ngrams(reference, order)}
    matched = {
        index
        for start, key in enumerate(ngrams(summary, order))
        if key in known
        for index in range(start, start + order)
    }
    return [word for index, word in enumerate(WORDS.findall(summary)) if index in matched]


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_matched_ngrams_are_those_of_the_references(
    browser: Page, opened: Callable[..., fw.Report], order: int
) -> None:
    opened(rows := summarization(), "summarization")
    browser.choose(ngram=order)
    shown = browser.run(
        "[...document.querySelectorAll('.output .text')].map((text) => [text.textContent, "
        "[...text.querySelectorAll('.hit .w')].map((word) => word.textContent)])"
    )
    by_text = {row["summary"]: row["references"] for row in rows}
    assert len(shown) == 6
    for text, words in shown:
        # in a run of matched words, the page also marks the punctuation marks between them
        assert [word for word in words if WORDS.fullmatch(word)] == matched_words(text, by_text[text], order)


@pytest.mark.slow
def test_punctuation_counts_in_translations_only(browser: Page, opened: Callable[..., fw.Report]) -> None:
    opened(translation(), "translation")
    assert browser.texts(".sentence:nth-child(2) .output .hit") == ["it is", "It is raining", "it is"]
    assert "mat." in " ".join(browser.texts(".sentence:first-child .output .hit"))


@pytest.mark.slow
def test_the_scores_shown_are_those_of_the_data(browser: Page, opened: Callable[..., fw.Report]) -> None:
    made = opened(summarization(), "summarization")
    shown = browser.run(
        "[...document.querySelectorAll('.sentence')].flatMap((one) => "
        "[...one.querySelectorAll('.output')].map((output) => [Number(one.dataset.position), "
        "Number(output.querySelector('.text').dataset.system), "
        "[...output.querySelectorAll('.value')].map((cell) => cell.textContent)]))"
    )
    assert len(shown) == 6
    for position, system, cells in shown:
        values = [made.data.systems[system].values[column.name][position] for column in made.data.main_scores]
        assert cells == [cell_text(value, 2) for value in values]


@pytest.mark.slow
def test_documents_are_folded_and_opened_with_the_keyboard(browser: Page, opened: Callable[..., fw.Report]) -> None:
    opened(summarization([HOSTILE, ["One sentence.", "Another."]]), "summarization")
    assert browser.texts(".documents summary")[0] == "2 documents"
    assert browser.texts(".documents li") == []
    browser.run("document.querySelector('.documents summary').focus()")
    browser.press("Enter")
    assert browser.texts(".documents li") == [HOSTILE, "One sentence. Another."]
    assert not browser.run("document.querySelector('img, main li b')")
    browser.press("Enter")
    assert not browser.run("document.querySelector('.documents').open")


@pytest.mark.slow
def test_the_search_finds_words_of_documents(browser: Page, opened: Callable[..., fw.Report]) -> None:
    rows = summarization()
    for row in rows:
        row["documents"] = [f"document of {row['instance_id']}"]
    opened(rows, "summarization")
    browser.choose(query="document of 2")
    assert browser.texts(".sentence .number") == ["2"]
    assert browser.texts("#status") == ["1 of 3 inputs"]


@pytest.mark.slow
def test_pointing_at_a_word_shows_the_run_in_the_references(browser: Page, opened: Callable[..., fw.Report]) -> None:
    opened(translation(), "translation")
    browser.point(".sentence .output .hit .w")
    browser.wait()
    assert browser.texts("#match") == ["The cat sat on – in reference 1"]


@pytest.mark.slow
def test_controls_fit_the_texts(browser: Page, opened: Callable[..., fw.Report]) -> None:
    opened(translation(), "translation")
    assert browser.texts("#filter option") == ["all sentences", "best", "worst", "most different", "with notes"]
    assert browser.texts("#order option")[-1] == "longest first reference first"
    assert browser.texts("#lengths-title") == ["By length of the first reference"]
    opened(translation(sources=True), "translation")
    assert "exact copies" in browser.texts("#filter option")
    assert browser.run("document.getElementById('deleted')") is None


@pytest.mark.slow
def test_outputs_with_equal_scores_only_have_neither_lengths_nor_distributions(
    browser: Page, opened: Callable[..., fw.Report]
) -> None:
    rows = [{key: value for key, value in row.items() if key != "references"} for row in translation()]
    scores = [{**{key: row[key] for key in ("instance_id", "summarizer_id")}, "metrics": {"grade": 3}} for row in rows]
    opened(rows, "translation", scores=scores)
    shown = "(one) => getComputedStyle(document.querySelector(one)).display !== 'none'"
    assert browser.run(f"['#lengths', 'a[href=\"#lengths\"]', '#plots'].map({shown})") == [False, False, False]
    assert not [text for text in browser.texts("#order option") if text.startswith("longest")]


@pytest.mark.slow
def test_one_input_has_no_distributions(browser: Page, opened: Callable[..., fw.Report]) -> None:
    opened(translation()[:1], "translation")
    shown = "(one) => getComputedStyle(document.querySelector(one)).display !== 'none'"
    assert browser.run(f"['#plots', 'a[href=\"#plots\"]'].map({shown})") == [False, False]
