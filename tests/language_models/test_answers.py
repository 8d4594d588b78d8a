"""Reading answers: exactly one allowed value, or a counted problem; never a guess."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import DataError
from metrics_framework.language_models.answers import (
    CUT_OFF,
    OUTSIDE,
    REFUSED,
    UNPARSABLE,
    Answer,
    AnswerForm,
    without_reasoning,
)
from metrics_framework.language_models.templates import load_template

JSON = AnswerForm("json", "score", (0, 100))
DIGITS = AnswerForm("regex", r"score: (\S+)", (1, 5))
WORDS = AnswerForm("regex", r"\[\[(\w+)\]\]", words=("A", "B", "C"))
COHERENCE = load_template("g-eval-coherence").form

READ = [  # form, text, value, why
    (JSON, '{"score": 87}', 87, "an object"),
    (JSON, '```json\n{"score": 87.5}\n```', 87.5, "a fenced object"),
    (JSON, 'Not {good}. {"why": "a {b}", "score": 3} Done.', 3, "braces around it"),
    (JSON, '{"score": "87"}', 87, "a number in quotation marks"),
    (JSON, '{"score": 3} and again {"score": 3.0}', 3, "the same score twice"),
    (JSON, '<think>{"score": 9}?</think>{"score": 3}', 3, "reasoning is no answer"),
    (JSON, '{"score": 0}', 0, "the lower end"),
    (JSON, '{"score": 100}', 100, "the upper end"),
    (DIGITS, "score: 4", 4, "a group"),
    (WORDS, "Both fail. [[C]]", "C", "a word"),
    (WORDS, "[[a]]", "A", "case is ignored"),
    (COHERENCE, "4", 4, "a bare number"),
    (COHERENCE, " **Coherence: 4**\n", 4, "the label repeated, bold"),
    (COHERENCE, "4.5.", 4.5, "a fraction and a full stop"),
]
NOT_READ = [  # form, text, problem, why
    (JSON, "", UNPARSABLE, "nothing"),
    (JSON, "87", UNPARSABLE, "no object"),
    (JSON, '{"score": "4/5"}', UNPARSABLE, "a fraction is no number"),
    (JSON, '{"score": null}', UNPARSABLE, "null"),
    (JSON, '{"score": true}', UNPARSABLE, "a truth value"),
    (JSON, '{"score": [87]}', UNPARSABLE, "a list"),
    (JSON, '{"score": NaN}', UNPARSABLE, "no number"),
    (JSON, '{"score": 1e999}', UNPARSABLE, "infinity"),
    (JSON, f'{{"score": {"9" * 400}}}', UNPARSABLE, "beyond floats"),
    (JSON, '{"Score": 87}', UNPARSABLE, "another key"),
    (JSON, '{"result": {"score": 87}}', UNPARSABLE, "only outermost objects"),
    (JSON, '{"score": 87', UNPARSABLE, "unfinished"),
    (JSON, '{"score": 3} or {"score": 4}', UNPARSABLE, "two scores"),
    (JSON, '{"score": 870}', OUTSIDE, "above the scale"),
    (JSON, '{"score": -1}', OUTSIDE, "below the scale"),
    (JSON, "I'm sorry, but I can't assist with that.", REFUSED, "a refusal in words"),
    (JSON, "I cannot rate this text.", REFUSED, "another refusal"),
    (JSON, '{"a":' * 30_000, UNPARSABLE, "nested too deeply"),
    (JSON, "{" * 100_000, UNPARSABLE, "only braces"),
    (DIGITS, "score: four", UNPARSABLE, "a word for a number"),
    (DIGITS, "score: 2, or rather score: 3", UNPARSABLE, "two scores"),
    (DIGITS, "score: ٤", UNPARSABLE, "other digits"),
    (WORDS, "[[D]]", UNPARSABLE, "no verdict"),
    (WORDS, "[[A]] or [[B]]", UNPARSABLE, "two verdicts"),
    (COHERENCE, "-4", UNPARSABLE, "the sign is not dropped"),
    (COHERENCE, "4/5", UNPARSABLE, "which of both?"),
    (COHERENCE, "between 3 and 4", UNPARSABLE, "a range"),
    (COHERENCE, "7", OUTSIDE, "above five"),
]


@pytest.mark.parametrize(("form", "text", "value", "why"), READ, ids=[case[3] for case in READ])
def test_a_value_is_read(form: AnswerForm, text: str, value: float | str, why: str) -> None:
    assert form.read(Answer(text)) == (value, "")


@pytest.mark.parametrize(("form", "text", "problem", "why"), NOT_READ, ids=[case[3] for case in NOT_READ])
def test_an_answer_without_one_allowed_value_has_a_problem(form: AnswerForm, text: str, problem: str, why: str) -> None:
    assert form.read(Answer(text)) == (None, problem)


def test_the_endpoint_reports_refusals_and_answers_that_end_early() -> None:
    assert JSON.read(Answer('{"score": 3}', refusal="No.")).problem == REFUSED
    assert JSON.read(Answer("", "content_filter")).problem == REFUSED
    assert DIGITS.read(Answer("score: 1", "length")).problem == CUT_OFF


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    for form in (JSON, DIGITS, WORDS, COHERENCE):
        value, problem = form.read(Answer(text))
        assert (value is None) == bool(problem)


@given(st.integers(0, 100), st.text(alphabet="ab \n:,."), st.text(alphabet="ab \n:,."))
def test_an_object_is_found_in_any_text(score: int, before: str, after: str) -> None:
    assert JSON.read(Answer(before + json.dumps({"score": score}) + after)).value == score


@given(st.text())
def test_an_answer_survives_the_cache(text: str) -> None:
    answer = Answer(text, tokens=[("a", [("a", -0.1)])])
    kept = Answer.from_json(json.loads(json.dumps(answer.as_json())))
    assert (kept.text, kept.finish_reason) == (text, "stop")
    assert [(token, [tuple(pair) for pair in pairs]) for token, pairs in kept.tokens or ()] == [("a", [("a", -0.1)])]


def test_reasoning_that_does_not_end_is_kept() -> None:
    assert without_reasoning("<think> 4") == "<think> 4"


# ---- probabilities of tokens -----------------------------------------------------------------------------------------


def answer_of(*tokens: tuple[str, dict[str, float]]) -> Answer:
    pairs = [(token, [(other, math.log(p)) for other, p in others.items()]) for token, others in tokens]
    return Answer("".join(token for token, _ in pairs), tokens=pairs)


def test_a_score_is_weighted_by_the_probabilities_of_its_tokens() -> None:
    # .5 · 4 + .25 · 5 + (.05 + .05) · 3 of .85; the rest are no scores of the scale
    probabilities = {"4": 0.5, "5": 0.25, "3": 0.05, " 3": 0.05, "7": 0.1, "four": 0.05}
    reading = COHERENCE.expected(answer_of(("4", probabilities)))
    assert reading.value == pytest.approx((0.5 * 4 + 0.25 * 5 + 0.1 * 3) / 0.85)


def test_the_token_of_the_score_is_found_in_a_longer_answer() -> None:
    reading = COHERENCE.expected(
        answer_of(("Coherence", {"x": 1.0}), (":", {"x": 1.0}), (" 2", {" 2": 0.5, " 4": 0.5}))
    )
    assert reading.value == pytest.approx(3)


def test_a_score_of_several_tokens_has_no_probability() -> None:
    fraction = answer_of(("4", {"4": 1.0}), (".", {".": 1.0}), ("5", {"5": 1.0}))
    assert COHERENCE.expected(fraction).problem == UNPARSABLE


def test_the_chosen_token_counts_only_with_its_probability() -> None:
    assert COHERENCE.expected(answer_of(("4", {"5": 0.5, "4": 0.5}))).value == pytest.approx(4.5)


def test_without_log_probabilities_there_is_no_silent_fallback() -> None:
    with pytest.raises(DataError, match=r"no log-probabilities.*--weighting mean"):
        COHERENCE.expected(Answer("4"))
    assert COHERENCE.expected(Answer("no")).problem == UNPARSABLE
