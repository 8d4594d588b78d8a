"""``llm-judge --answers``: every answer with its reasoning, score and cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from json_files import read_rows
from judge_server import JudgeServer, says, where

from metrics_framework import evaluate
from metrics_framework.common.errors import OutputError, UsageError
from metrics_framework.metrics.llm_judge import LlmJudge


def judge(server: JudgeServer, **options: Any) -> LlmJudge:
    return LlmJudge(**{"url": server.url, "model": "m", "answers": "answers.jsonl", **options})


def answers() -> list[dict[str, Any]]:
    return read_rows("answers.jsonl")


def rows(*summaries: str) -> str:
    lines = [
        json.dumps(
            {"instance_id": str(number), "summarizer_id": "x", "summary": text, "source": "s", "references": ["r"]}
        )
        for number, text in enumerate(summaries)
    ]
    Path("rows.jsonl").write_text("\n".join(lines))
    return "rows.jsonl"


def test_every_answer_is_kept_with_its_reasoning_score_and_cost(server: JudgeServer) -> None:
    server.reply = where("BAD", says("no idea"), says('{"reasoning": "Kind.", "score": 70}'))
    metric = judge(server, samples=2, temperature=1, input_price=2, output_price=30)
    with pytest.warns(UserWarning, match="undefined for 1 output"):
        evaluate([metric], files=rows("good", "BAD"))
    first, *others = answers()
    assert first.pop("signature") == metric.signature()
    assert len(first.pop("prompt")) == 12
    assert first == {
        "instance_id": "0",
        "summarizer_id": "x",
        "model": "m",
        "template": "direct-assessment",
        "sample": 0,
        "answer": '{"reasoning": "Kind.", "score": 70}',
        "reasoning": "Kind.",
        "input_tokens": 100,
        "output_tokens": 10,
        "score": 70,
        "cost": 0.0005,  # (100 · 2 + 10 · 30) / 1e6
    }
    assert [(row["instance_id"], row["sample"], row["score"], row.get("problem")) for row in others] == [
        ("0", 1, 70, None),
        ("1", 0, None, "unparsable"),
        ("1", 1, None, "unparsable"),
    ]
    assert others[0]["prompt"] == answers()[0]["prompt"] != others[1]["prompt"]


@pytest.mark.parametrize(
    ("text", "message"),
    [("<think>\nShort. </think>\n4", {}), ("4", {"reasoning_content": "Short."}), ("4", {"reasoning": "Short."})],
)
def test_reasoning_before_or_beside_an_answer_is_kept(text: str, message: dict[str, str], server: JudgeServer) -> None:
    server.reply = says(text, **message)
    for _ in range(2):  # then from the cache
        judge(server, template="g-eval-fluency", samples=1).score("a", "1", "x")
        assert [row["reasoning"] for row in answers()] == ["Short."]
    assert len(server.bodies) == 1


def test_both_orders_of_a_pair_and_probes_are_marked(server: JudgeServer) -> None:
    server.reply = says("[[A]]")
    judge(server, template="pairwise", probe_injection=True).score("a", "1", "x", ["r"], "s")
    found = [(row["shown_as"], row.get("probe_injection", False), row["verdict"]) for row in answers()]
    assert found == [(order, probed, "first") for probed in (False, True) for order in ("first", "second")]


def test_answers_of_several_batches_follow_each_other_and_a_new_run_replaces_them(server: JudgeServer) -> None:
    metric = judge(server)
    metric.score("a", "1", "x", "s")
    metric.score("b", "2", "x", "s")
    assert [row["instance_id"] for row in answers()] == ["1", "2"]
    assert [("signature" in row) for row in answers()] == [True, False]
    judge(server).score("c", "3", "x", "s")
    assert [row["instance_id"] for row in answers()] == ["3"]


def test_answers_are_kept_when_one_of_them_is_an_error(server: JudgeServer) -> None:
    server.reply = where("BAD", says("no idea"))
    with pytest.raises(OutputError):
        evaluate([judge(server, invalid="error")], files=rows("good", "BAD"))
    assert [row.get("problem") for row in answers()] == [None, "unparsable"]


def test_a_file_of_something_else_is_not_replaced(server: JudgeServer) -> None:
    path = rows("a")
    before = Path(path).read_text()
    for name, message in ((path, "is no file of answers"), ("answers.json", r"ends in \.jsonl")):
        with pytest.raises(UsageError, match=message):
            judge(server, answers=name)
    assert Path(path).read_text() == before
    assert not server.bodies


def test_the_file_of_answers_changes_no_score_and_no_signature(server: JudgeServer) -> None:
    with_file = judge(server)
    without = judge(server, answers=None)
    assert with_file.signature() == without.signature()
    assert with_file.score("a", "1", "x", "s") == without.score("a", "s")
