"""``jury``: the scores of several judges by hand, their agreement, and what is paid for."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_files import read_rows
from judge_server import Handler, JudgeServer, judging, says, status, texts_of
from messages import FIRST_WITHOUT_SCORE

from metrics_framework import load
from metrics_framework.common.errors import EndpointError, OutputError
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import KrippendorffAlpha
from metrics_framework.metrics.llm_judge import Juror, Jury, LlmJudge, aggregated, interval_alpha, jurors_of

SCORES = {"good": {"a": 80, "b": 60, "c": 60}, "bad": {"a": 10, "b": 40, "c": None}, "worst": {}}


@pytest.fixture
def server(server: JudgeServer) -> JudgeServer:
    """A server with three models."""
    server.reply = voting
    return server


def voting(handler: Handler, body: dict[str, Any]) -> None:
    score = SCORES[texts_of(body)["output"]].get(body["model"])
    says("I can't judge this." if score is None else json.dumps({"score": score}))(handler, body)


def jury(server: JudgeServer, **options: Any) -> Jury:
    return Jury(**{"judges": ["a+b+c"], "url": server.url, **options})


AGGREGATES = [("mean", 200 / 3, 25), ("median", 60, 25), ("majority", 60, 25)]


@pytest.mark.parametrize(("aggregate", "good", "bad"), AGGREGATES)
def test_the_scores_of_judges_become_one(aggregate: str, good: float, bad: float, server: JudgeServer) -> None:
    first, second = jury(server, aggregate=aggregate).evaluate(["good", "bad"], ["s", "s"])[1]
    assert first["jury"] == pytest.approx(good)
    assert [first[f"jury_{judge}"] for judge in "abc"] == [80, 60, 60]
    assert first["jury_sd"] == pytest.approx(math.sqrt(400 / 3))  # (40/3)² + 2 · (20/3)², divided by 2
    assert (first["jury_missing"], first["jury_input_tokens"]) == (0, 300)
    assert (second["jury"], second["jury_missing"]) == (bad, 1), "a judge that fails is left out"
    assert math.isnan(second["jury_c"])


def test_without_any_judge_the_score_is_undefined(server: JudgeServer) -> None:
    found = jury(server).score("worst", "s")
    assert math.isnan(found["jury"])
    assert math.isnan(found["jury_sd"])
    assert found["jury_missing"] == 3


def test_equally_frequent_scores_have_their_mean() -> None:
    assert aggregated([0, 1, 0.5], "majority") == 0.5
    assert aggregated([1, 1, 3, 3, 9], "majority") == 2
    assert aggregated([math.nan, 1, 4], "median") == 2.5


def test_each_judge_has_its_own_answers_in_the_cache(server: JudgeServer) -> None:
    LlmJudge(model="a", url=server.url).score("good", "s")
    jury(server).score("good", "s")
    assert [body["model"] for body in server.bodies] == ["a", "b", "c"], "the answer of the first is not paid again"
    jury(server, judges=["c", "a"], aggregate="median").score("good", "s")
    assert len(server.bodies) == 3


def test_a_jury_that_ends_in_the_middle_pays_nothing_twice(server: JudgeServer) -> None:
    server.reply = lambda handler, body: (status(401) if body["model"] == "b" else voting)(handler, body)
    with pytest.raises(EndpointError):
        jury(server).score("good", "s")
    server.reply = voting
    before = len(server.bodies)
    assert jury(server).score("good", "s")["jury"] == pytest.approx(200 / 3)
    assert [body["model"] for body in server.bodies[before:]] == ["b", "c"]


def test_agreement_is_reported(server: JudgeServer) -> None:
    metric = jury(server)
    metric.evaluate(["good", "bad"], ["s", "s"])
    notes = metric.notes()
    assert notes[0].startswith("jury: a: 2 answers: 0 from the cache, 2 requested")
    assert notes[2].endswith("1 refused")
    # pairs: (80, 60, 60) and (10, 40); n = 5, mean 50: squares 900 + 100 + 100 + 1600 + 100 = 2800, times 5
    # observed: 3/2 · (800/3) + 2 · 450 = 1300
    alpha = 1 - 4 * 1300 / 14000
    assert notes[3:] == [
        f'jury: c: {FIRST_WITHOUT_SCORE} refused: "I can\'t judge this."',
        f"jury: agreement of 3 judges on 2 outputs: Krippendorff's α (interval) {alpha:.3f}",
        "jury: a and b agree on 0 of 2 outputs (0.0 %); mean difference +5, in absolute value 25",
        "jury: a and c agree on 0 of 1 output (0.0 %); mean difference -20, in absolute value 20",
        "jury: b and c agree on 1 of 1 output (100.0 %); mean difference +0, in absolute value 0",
    ]
    assert jury(server).notes() == []
    assert pickle.loads(pickle.dumps(metric)).notes() == []


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 5) | st.just(math.nan), min_size=3, max_size=3), min_size=1, max_size=12))
def test_alpha_is_that_of_fw_agreement(units: list[list[float]]) -> None:
    expected = KrippendorffAlpha(np.array(units, dtype=np.float64).T, "interval").value()
    assert interval_alpha(units) == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_answers_of_all_judges_are_in_one_file(server: JudgeServer) -> None:
    metric = jury(server, answers="answers.jsonl")
    metric.score("good", "1", "x", "s")
    rows = read_rows("answers.jsonl")
    assert [(row["model"], row["score"]) for row in rows] == [("a", 80), ("b", 60), ("c", 60)]
    assert rows[0]["signature"] == metric.signature()


def test_an_error_names_the_judge(server: JudgeServer) -> None:
    with pytest.raises(OutputError, match=r"output 1: judge c: the answer is refused") as error:
        jury(server, invalid="error").evaluate(["good", "bad"], ["s", "s"])
    assert error.value.index == 1


def test_judges_may_have_their_own_endpoints(server: JudgeServer) -> None:
    with judging() as other:
        other.reply = says('{"score": 0}')
        found = jury(server, judges=["a", f"org/x y@{other.url}"]).score("good", "s")
    assert (found["jury_a"], found["jury_org-x-y"]) == (80, 0)
    assert jurors_of(["m@1+n@https://h/v1"]) == [Juror("m-1", "m@1", None), Juror("n", "n", "https://h/v1")]


def test_the_signature_states_judges_and_aggregate() -> None:
    metric = load("jury:judges=a+org/b,aggregate=majority")
    assert metric.signature().startswith("jury|judges:a+org/b|aggregate:majority|template:direct-assessment@")
