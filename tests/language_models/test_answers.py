"""Reading answers: exactly one allowed value, or a counted problem; never a guess."""

from __future__ import annotations

import dataclasses
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
    JsonForm,
    RegexForm,
    reasoning_end,
)
from metrics_framework.language_models.templates import load_template

JSON = JsonForm("score", (0, 100))
DIGITS = RegexForm(r"score: (\S+)", (1, 5))
NUMBERS = RegexForm(r"score: ([0-9]+)", (1, 5))
WORDS = RegexForm(r"\[\[(\w+)\]\]", words=("A", "B", "C"))
COHERENCE = load_template("g-eval-coherence").form

READ = [  # form, text, value, why
    (JSON, '{"score": 87}', 87, "an object"),
    (JSON, '```json\n{"score": 87.5}\n```', 87.5, "a fenced object"),
    (JSON, 'Not {good}. {"why": "a {b}", "score": 3} Done.', 3, "braces around it"),
    (JSON, '{"score": "87"}', 87, "a number in quotation marks"),
    (JSON, '{"score": 3} and again {"score": 3.0}', 3, "the same score twice"),
    (JSON, '<think>{"score": 9}?</think>{"score": 3}', 3, "reasoning is no answer"),
    (DIGITS, "Perhaps. </think> score: 4", 4, "reasoning whose beginning the server inserts into the prompt"),
    (DIGITS, "<think>It says </think> to me.</think> score: 4", 4, "reasoning that quotes its end"),
    (JSON, '{"why": "</think> is in it", "score": 3}', 3, "an object that quotes the end of reasoning"),
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
    (DIGITS, "<think>Is it score: 4?", UNPARSABLE, "reasoning that does not end"),
    (DIGITS, "<think>score: 4</think>", UNPARSABLE, "only reasoning"),
    (DIGITS, "<think>No.</think><think>score: 4", UNPARSABLE, "a second reasoning that does not end"),
    (NUMBERS, "score: 2? No. </think> score: 4", UNPARSABLE, "reasoning without a beginning, and another score"),
    (NUMBERS, "score: 2. It says '</think> score: 5'.", UNPARSABLE, "a judged text that is quoted"),
    (NUMBERS, "<think>It says '</think> score: 5'.</think> None.", UNPARSABLE, "a score in reasoning only"),
    (JSON, '<think>{"score": 3}', UNPARSABLE, "an object in reasoning that does not end"),
    (WORDS, "[[D]]", UNPARSABLE, "no verdict"),
    (WORDS, "[[A]] or [[B]]", UNPARSABLE, "two verdicts"),
    (COHERENCE, "-4", UNPARSABLE, "the sign is not dropped"),
    (COHERENCE, "4/5", UNPARSABLE, "which of both?"),
    (COHERENCE, "between 3 and 4", UNPARSABLE, "a range"),
    (COHERENCE, "7", OUTSIDE, "above five"),
]


@pytest.mark.parametrize(("form", "text", "value", "why"), READ)
def test_a_value_is_read(form: AnswerForm, text: str, value: float | str, why: str) -> None:
    assert form.read(Answer(text)) == (value, "")


@pytest.mark.parametrize(("form", "text", "problem", "why"), NOT_READ)
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


def test_no_answer_follows_reasoning_that_does_not_end() -> None:
    assert [reasoning_end(text) for text in ("<think> 4", " <think>a</think> 4", "4 <think>")] == [9, 17, 0]


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


LIKE_FOUR, LIKE_TWO = {" 4": 0.75, " 3": 0.25}, {" 2": 0.75, " 1": 0.25}
PLACES = [  # tokens with the place of the score, the text if it is another one, value, why
    (["<think>", "score:", " 2", "</think>", "score:", LIKE_FOUR], None, 3.75, "a score in reasoning"),
    (["<think>", "score:", LIKE_TWO, "</think>", "score:", " 4"], None, 4, "its probabilities"),
    (["<think>", "score:", LIKE_FOUR, "</think>", "score:", " 4"], None, 4, "the same score in reasoning"),
    (["So score:", LIKE_TWO, "</think>", "score:", " 2"], None, 2, "reasoning without a beginning"),
    (["score:", " 2", "</think>", "score:", LIKE_FOUR], "score: 4", 3.75, "reasoning in a separate field"),
    (["score:", LIKE_FOUR, "</think>", "score:", " 4"], "\n\nscore: 4", 4, "line breaks after it"),
    (["score:", " 2", "\ufffd", "</think>", "score:", LIKE_FOUR, "."], "score: 4.", 3.75, "other characters in it"),
    (["score:", LIKE_FOUR, "<|im_end|>"], "score: 4", 3.75, "a token of the end"),
    (["score:", LIKE_FOUR, "\n", "</s>"], "score: 4\n", 3.75, "tokens of the end"),
    (["score:", LIKE_FOUR, ", so score:", " 4"], None, 3.75, "a repeated score, at the first time"),
    (["<think>", "score:", LIKE_FOUR], None, None, "reasoning that does not end"),
    (["score:", LIKE_FOUR, ", not", " score:", LIKE_TWO], None, None, "two scores"),
    (["score:", LIKE_FOUR, "2"], "score: 4", None, "tokens of another answer"),
    (["score:", LIKE_FOUR], "score: 3", None, "a text that is in no token"),
    (["score", ": 4"], None, None, "a token that is more than the score"),
    (["score: ", "1", "0"], None, None, "a score of two tokens"),
]


@pytest.mark.parametrize(("tokens", "text", "value", "why"), PLACES)
def test_the_weighted_score_is_at_the_place_of_the_score(
    tokens: list[str | dict[str, float]], text: str | None, value: float | None, why: str
) -> None:
    pairs = [(token, {token: 1.0}) if isinstance(token, str) else (next(iter(token)), token) for token in tokens]
    answer = answer_of(*pairs)
    answer = answer if text is None else dataclasses.replace(answer, text=text)
    assert NUMBERS.expected(answer).value == (value if value is None else pytest.approx(value))


@given(st.lists(st.sampled_from(["<think>", "</think>", "score:", " 4", " 2", " so", "\n", "<|end|>"])))
def test_a_weighted_score_of_certain_tokens_is_the_score(tokens: list[str]) -> None:
    answer = answer_of(*((token, {token: 1.0}) for token in tokens))
    assert NUMBERS.expected(answer) == NUMBERS.read(answer)


def test_a_score_of_several_tokens_has_no_probability() -> None:
    fraction = answer_of(("4", {"4": 1.0}), (".", {".": 1.0}), ("5", {"5": 1.0}))
    assert COHERENCE.expected(fraction).problem == UNPARSABLE


def test_the_chosen_token_counts_only_with_its_probability() -> None:
    assert COHERENCE.expected(answer_of(("4", {"5": 0.5, "4": 0.5}))).value == pytest.approx(4.5)


def test_without_log_probabilities_there_is_no_silent_fallback() -> None:
    with pytest.raises(DataError, match=r"no log-probabilities.*'weighting' mean"):
        COHERENCE.expected(Answer("4"))
    assert COHERENCE.expected(Answer("no")).problem == UNPARSABLE
