"""llm-judge: scores worked by hand from the answers of a local server, options, and what the signature states."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer, Reply, says, says_tokens, status, texts_of, where
from messages import FIRST_WITHOUT_SCORE

from metrics_framework import load
from metrics_framework.common.errors import DataError, EndpointError, OutputError, UsageError
from metrics_framework.language_models.judge import PairSample, Sample
from metrics_framework.metrics.llm_judge import LlmJudge, credits_of


def judge(server: JudgeServer, **options: Any) -> LlmJudge:
    return LlmJudge(**{"url": server.url, "model": "m", "retries": 1, **options})


def scores(*numbers: float) -> Reply:
    """Answers with a score that depends on the seed of the sample."""
    return lambda handler, body: says(json.dumps({"score": numbers[body["seed"]]}))(handler, body)


# ---- scores ----------------------------------------------------------------------------------------------------------


def test_the_score_is_the_number_in_the_answer(server: JudgeServer) -> None:
    server.reply = says('{"score": 70}')
    found = judge(server).score("A cat.", "The cat sat.")
    assert found == {
        "llm-judge": 70.0,
        "llm-judge_invalid": 0,
        "llm-judge_input_tokens": 100,
        "llm-judge_output_tokens": 10,
    }
    assert texts_of(server.bodies[0]) == {"source": "The cat sat.", "output": "A cat."}


def test_samples_have_their_own_seeds_and_their_mean_and_spread_are_reported(server: JudgeServer) -> None:
    server.reply = scores(0, 60, 70, 80)
    found = judge(server, samples=3, sampling_seed=1, temperature=0.7).score("a", "b")
    assert (found["llm-judge"], found["llm-judge_sd"]) == (70, 10)  # √((10² + 0 + 10²) / 2)
    assert sorted(body["seed"] for body in server.bodies) == [1, 2, 3]
    assert {body["temperature"] for body in server.bodies} == {0.7}
    assert found["llm-judge_input_tokens"] == 300


def test_invalid_answers_are_counted_and_left_out_of_the_mean(server: JudgeServer) -> None:
    server.script = [says('{"score": 60}'), says("no idea"), says('{"score": 101}'), says('{"score": 80}')]
    found = judge(server, samples=4, concurrency=1).score("a", "b")
    assert (found["llm-judge"], found["llm-judge_invalid"]) == (70, 2)
    assert found["llm-judge_input_tokens"] == 400, "they are paid for, too"


@pytest.mark.parametrize(
    "reply",
    [says("I'm sorry, I can't."), says(None, refusal="no"), says("", "content_filter"), says('{"score": 5}', "length")],
)
def test_without_a_valid_answer_the_score_is_undefined(reply: Reply, server: JudgeServer) -> None:
    server.reply = where("BAD", reply)
    macro, (good, bad) = judge(server).evaluate(["good", "BAD"], ["s", "s"])
    assert math.isnan(bad["llm-judge"])
    assert bad["llm-judge_invalid"] == 1
    assert macro["llm-judge"] == good["llm-judge"]
    with pytest.raises(OutputError, match=r"output 1: the answer is .*; 1 answer of 2 cannot be used; 'invalid' u"):
        judge(server, invalid="error").evaluate(["good", "BAD"], ["s", "s"])


def test_one_valid_sample_has_no_spread(server: JudgeServer) -> None:
    server.script = [says('{"score": 60}'), says("no idea")]
    found = judge(server, samples=2, concurrency=1).score("a", "b")
    assert found["llm-judge"] == 60
    assert math.isnan(found["llm-judge_sd"])


def test_the_cost_is_computed_from_given_prices_only(server: JudgeServer) -> None:
    server.reply = says('{"score": 60}')
    found = judge(server, input_price=2, output_price=30).score("a", "b")
    assert found["llm-judge_cost"] == pytest.approx((100 * 2 + 10 * 30) / 1e6)
    server.reply = says('{"score": 60}', usage=False)
    assert math.isnan(judge(server, input_price=2, output_price=30).score("c", "b")["llm-judge_cost"])
    with pytest.raises(UsageError, match="both prices"):
        judge(server, input_price=2)


def test_scores_may_be_weighted_by_probabilities(server: JudgeServer) -> None:
    server.reply = says_tokens({"4": 0.75, "2": 0.25})
    metric = judge(server, template="g-eval-coherence", weighting="logprobs")
    assert metric.score("a", ["d"])["llm-judge"] == pytest.approx(3.5)
    assert [(body["logprobs"], body["top_logprobs"]) for body in server.bodies] == [(True, 20)], "one sample"
    server.reply = says("4")
    with pytest.raises(EndpointError, match=r"returns no log-probabilities"):
        metric.score("b", ["d"])
    with pytest.raises(UsageError, match="single digits"):
        judge(server, weighting="logprobs")


REASONING = ["<think>", "\n2", "</think>"]
TOKENS = [  # tokens, text, further members of the message
    ([*REASONING, {"4": 0.75, "2": 0.25}], None, {}),
    ([*REASONING, {"\n4": 0.75, " 2": 0.25}, "<|im_end|>"], "\n4", {"reasoning_content": "\n2"}),
    (["\n2", "</think>", {"4": 0.75, "2": 0.25}], "4", {"reasoning": "\n2"}),
]


@pytest.mark.parametrize(("tokens", "text", "message"), TOKENS, ids=["in the text", "in a field", "in another field"])
def test_both_weightings_read_the_score_after_the_reasoning(
    tokens: list[str | dict[str, float]], text: str | None, message: dict[str, str], server: JudgeServer
) -> None:
    server.reply = says_tokens(*tokens, text=text, **message)
    found = {
        weighting: judge(server, template="g-eval-coherence", samples=1, weighting=weighting).score("a", ["d"])
        for weighting in ("mean", "logprobs")
    }
    assert found["mean"]["llm-judge"] == 4
    assert found["logprobs"]["llm-judge"] == pytest.approx(0.75 * 4 + 0.25 * 2)


# ---- pairs -----------------------------------------------------------------------------------------------------------


def by_preference(*better: str) -> Reply:
    """Prefers the text that comes first in a list, in any order."""

    def reply(handler: Any, body: dict[str, Any]) -> None:
        shown = texts_of(body)
        says(f"[[{min('AB', key=lambda name: better.index(shown[f'text-{name}']))}]]")(handler, body)

    return reply


def test_a_pairwise_judge_compares_an_output_with_each_reference_in_both_orders(server: JudgeServer) -> None:
    server.reply = by_preference("great", "good", "poor")
    metric = judge(server, template="pairwise")
    assert metric.fields == ("summary", "references", "source")
    found = metric.score("good", ["great", "poor"], "a source")
    assert (found["llm-judge"], found["llm-judge_inconsistent"]) == (0.5, 0)  # one loss, one win
    assert len(server.bodies) == 4
    assert metric.score("great", ["good"], "a source")["llm-judge"] == 1
    assert metric.score("poor", ["good"], "a source")["llm-judge"] == 0


def test_a_judge_that_prefers_a_position_is_inconsistent_and_the_pair_a_tie(server: JudgeServer) -> None:
    server.reply = says("[[A]]")
    found = judge(server, template="pairwise").score("good", ["great", "poor"], "a source")
    assert (found["llm-judge"], found["llm-judge_inconsistent"]) == (0.5, 1)


def test_a_pair_with_one_invalid_answer_has_no_verdict(server: JudgeServer) -> None:
    server.script = [says("[[A]]"), says("Both.")]
    found = judge(server, template="pairwise", concurrency=1).score("good", ["great"], "a source")
    assert math.isnan(found["llm-judge"])
    assert math.isnan(found["llm-judge_inconsistent"])
    assert found["llm-judge_invalid"] == 1


def test_credits_are_means_over_references_for_each_sample() -> None:
    one = Sample("A", "", None)

    def pair(first: str | None, second: str | None) -> PairSample:
        return PairSample((first, second), (one, one))

    judged = [
        [pair("first", "first"), pair("first", "second"), pair(None, "tie")],
        [pair("second", "second"), pair("first", "tie"), pair("tie", None)],
    ]
    assert credits_of(judged) == [0.5, 0.5]  # (1 + 0) / 2; (½ + ½) / 2; the third sample has no verdict
    assert judged[0][1].is_inconsistent


# ---- failures --------------------------------------------------------------------------------------------------------


def test_outputs_without_an_answer_are_named_and_the_others_are_kept(server: JudgeServer) -> None:
    server.reply = where("BAD", status(500, "overloaded"))
    texts = ["one", "BAD", "three"]
    with pytest.raises(OutputError) as error:
        judge(server).evaluate(texts, ["s"] * 3)
    said = f"output 1: {server.url} answers with status 500: overloaded (2 attempts); 1 request of 3 had no answer"
    assert str(error.value).startswith(f"{said}; the other answers are in the cache")
    with pytest.raises(OutputError, match=r"2 requests of 3.*\n  also output 'BAD2': http"):
        judge(server).evaluate(["BAD1", "BAD2", "three"], ["s"] * 3)
    with pytest.raises(OutputError, match=r"^output 1: .*; 2 requests of 6"):
        judge(server, template="pairwise").evaluate(["x", "BAD"], [["r", "q"], ["r"]], ["s"] * 2)
    before = len(server.bodies)
    micro = judge(server, failed="undefined").evaluate(texts, ["s"] * 3)[1]
    assert [math.isnan(found["llm-judge"]) for found in micro] == [False, True, False]
    assert micro[1]["llm-judge_invalid"] == 1
    assert len(server.bodies) == before + 2, "only the missing output is requested, twice"


def test_notes_count_requests_tokens_cost_and_problems(server: JudgeServer) -> None:
    metric = judge(server, input_price=1, output_price=1)
    assert metric.notes() == ()
    server.script = [status(503), says('{"score": 1}'), says("what?"), says("I can't judge this.")]
    metric.evaluate(["a", "b", "c"], ["s"] * 3)
    note, unusable = metric.notes()
    shown = ["unparsable: 'what?'", 'refused: "I can\'t judge this."']  # answers have no order
    assert unusable in [f"llm-judge: {FIRST_WITHOUT_SCORE} {what}" for what in shown]
    assert note == (
        "llm-judge: 3 answers: 0 from the cache, 3 requested (1 repeated); this run used 300 input and 30 output "
        "tokens, which cost 0.00033; 1 refused, 1 unparsable"
    )


# ---- options ---------------------------------------------------------------------------------------------------------


def test_the_signature_states_what_decides_the_scores() -> None:
    metric = LlmJudge(model="gpt", samples=4, temperature=0.5, sampling_seed=7, extra_body='{"reasoning": 1}')
    parts = dict(part.split(":", 1) for part in metric.signature().split("|")[1:])
    digest = metric.template.digest
    assert parts["model"] == "gpt"
    assert parts["template"] == f"direct-assessment@{digest}"
    assert (parts["temperature"], parts["sampling_seed"], parts["samples"], parts["top_p"]) == ("0.5", "7", "4", "1")
    assert parts["parser"].startswith("json@")
    assert "|sampling_seed:7|" in metric.signature(seed=12345), "the seed of resampling is another one"
    assert 'extra:{"reasoning":1}' in metric.signature()


OF_REQUESTS = "temperature:0|top_p:1|max_tokens:200|sampling_seed:0"


@pytest.mark.parametrize(
    ("extra_body", "stated"),
    [
        ("{}", OF_REQUESTS),
        (
            '{"temperature": null, "max_tokens": null, "max_completion_tokens": 9}',
            "temperature:default|top_p:1|max_tokens:default",
        ),
        ('{"max_tokens": null, "max_completion_tokens": 9}', 'extra:{"max_completion_tokens":9}'),
        (
            '{"temperature": 0.7, "seed": null}',
            "temperature:0.7|top_p:1|max_tokens:200|sampling_seed:default|samples:1",
        ),
        ('{"stop": ["|;"], "effort": "low"}', 'extra:{"effort":"low","stop":["\\u007c\\u003b"]}'),
    ],
)
def test_the_signature_is_of_the_request_as_sent(extra_body: str, stated: str) -> None:
    signature = LlmJudge(model="gpt", max_tokens=200, extra_body=extra_body).signature()
    assert f"|{stated}|" in signature
    assert ("extra" in signature) == ("max_c" in extra_body or "stop" in extra_body)


def test_changing_the_template_changes_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    signatures = set()
    for text in ("Rate {summary}.", "Rate {summary}!"):
        path.write_text(f"---\nanswer: json score\nscale: 1 to 5\nsamples: 3\n---\n{text}", encoding="utf-8")
        metric = load("llm-judge", template=str(path))
        signatures.add(metric.signature())
    assert len(signatures) == 2
    assert (metric.fields, metric.files_read()) == (("summary",), [str(path)])
    assert "samples:3|" in signatures.pop(), "the template has defaults"


def test_further_members_are_sent_and_null_removes_one(server: JudgeServer) -> None:
    judge(server, extra_body='{"top_p": null, "max_tokens": null, "max_completion_tokens": 9}').score("a", "b")
    assert "top_p" not in server.bodies[0]
    assert "max_tokens" not in server.bodies[0]
    assert server.bodies[0]["max_completion_tokens"] == 9


def test_model_and_url_are_needed_for_scoring_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="needs 'model'"):
        LlmJudge().score("a", "b")
    with pytest.raises(UsageError, match="no endpoint"):
        LlmJudge(model="m").score("a", "b")
    with pytest.raises(DataError, match=r"^absent\.md: cannot read"):
        LlmJudge(template="absent.md")
