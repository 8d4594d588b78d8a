"""``llm-judge:template=error-annotation``: scores and spans by hand, and who reads the file of answers."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from json_files import read_rows, write_rows
from judge_server import JudgeServer, prompt_of, says

from metrics_framework import evaluate, load
from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, Problems
from metrics_framework.language_models.answers import AnnotatedError, Answer, errors_of, located
from metrics_framework.language_models.templates import load_template
from metrics_framework.meta_evaluation.ratings.error_annotation import ErrorAnnotation
from metrics_framework.metrics.llm_judge import LlmJudge


def error(text: str, severity: str = "minor", category: str = "fluency/grammar", **more: Any) -> dict[str, Any]:
    return {"text": text, "category": category, "severity": severity, **more}


def answer(*errors: dict[str, Any]) -> str:
    return json.dumps({"errors": errors})


SCORED = [  # severities, score, why
    ([], 0, "no errors"),
    (["minor"], -1, "1 · minor"),
    (["minor", "major"], -6, "5 + 1"),
    (["minor"] * 9, -5, "the five worst"),
    (["minor"] * 4 + ["major"] * 3, -17, "3 · 5 + 2 · 1: the five worst in any order"),
    (["major"] * 6, -25, "5 · 5"),
    (["critical"], -25, "25"),
    (["critical", "critical", "major"], -25, "at least −25"),
    (["Major"], -5, "case does not matter"),
]


@pytest.mark.parametrize(("severities", "score", "why"), SCORED)
def test_the_score_is_minus_the_weights_of_the_five_worst_errors(severities: list[str], score: float, why: str) -> None:
    form = load_template("error-annotation").form
    assert form.read(Answer(answer(*(error("a", severity) for severity in severities)))).value == score, why


def test_a_non_translation_is_critical_and_the_whole_output() -> None:
    form = load_template("error-annotation").form
    text = answer(error("x", "minor", "Non-translation!"))
    assert form.read(Answer(text)).value == -25
    assert located(form.items(Answer(text)), "a cat")[0] == [
        {"start": 0, "end": 5, "severity": "critical", "side": "target", "category": "Non-translation!"}
    ]


UNPARSABLE = [
    '{"errors": "none"}',
    '{"errors": [{"text": "a", "category": "x", "severity": "severe"}]}',
    '{"errors": [{"text": "a", "severity": "major"}]}',
    '{"errors": [{"category": "x", "severity": "major"}]}',
    '{"errors": [{"text": "a", "category": "x", "severity": "major", "side": "left"}]}',
    '{"errors": ["a"]}',
    '{"mistakes": []}',
    "No errors.",
    '{"errors": []} or {"errors": [{"text": "a", "category": "x", "severity": "major"}]}',
]


@pytest.mark.parametrize("text", UNPARSABLE)
def test_an_answer_that_is_no_list_of_errors_has_no_score(text: str) -> None:
    assert load_template("error-annotation").form.read(Answer(text)) == (None, "unparsable")


def test_two_lists_with_equal_scores_are_not_one_answer() -> None:
    text = f"{answer(error('a'))} {answer(error('b'))}"
    assert load_template("error-annotation").form.read(Answer(text)).problem == "unparsable"


def test_words_are_found_exactly_where_they_are() -> None:
    errors = errors_of(
        [
            error("cat"),
            error(" cat "),
            error("cat"),
            error("Hund", side="source"),
            error("Hund"),
            error("dog"),
            error(""),
        ]
    )
    assert errors is not None
    spans, unlocated = located(errors, "A cat, a cat.", "Ein Hund, ein Hund.")
    assert [(span["start"], span["end"], span["side"]) for span in spans] == [
        (2, 5, "target"),
        (9, 12, "target"),
        (4, 8, "source"),
        (14, 18, "source"),
    ]
    assert [one.text for one in unlocated] == ["cat", "dog", ""], "a third cat does not occur"
    assert located([AnnotatedError("Hund", "x", "minor", "target")], "Hu", "Hund")[0] == []


def test_counts_by_severity_are_scores_and_spans_are_in_the_file_of_answers(server: JudgeServer) -> None:
    server.reply = says(answer(error("cat", "major"), error("dog"), error("Katze", "minor", side="source")))
    metric = LlmJudge(template="error-annotation", url=server.url, model="m", answers="answers.jsonl")
    found = metric.score("The cat.", "1", "x", "Die Katze.")
    assert {name: found[f"llm-judge{name}"] for name in ("", "_critical", "_major", "_minor", "_unlocated")} == {
        "": -7,
        "_critical": 0,
        "_major": 1,
        "_minor": 2,
        "_unlocated": 1,
    }
    row = json.loads(Path("answers.jsonl").read_text())
    assert [(span["start"], span["end"], span["severity"], span["side"]) for span in row["spans"]] == [
        (4, 7, "major", "target"),
        (4, 9, "minor", "source"),
    ]
    assert row["unlocated"] == [{"text": "dog", "category": "fluency/grammar", "severity": "minor", "side": ""}]
    roles = [message["role"] for message in server.bodies[0]["messages"]]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert "Die Katze." in prompt_of(server.bodies[0])


def test_the_worked_examples_are_valid_answers_whose_words_occur() -> None:
    template = load_template("error-annotation")
    messages = template.filled({"summary": "a", "source": "b"})
    for question, given in zip(messages[1:-1:2], messages[2:-1:2], strict=True):
        source, translation = re.findall(r">\n(.*)\n</", question["content"])
        errors = template.form.items(Answer(given["content"]))
        assert errors
        _, unlocated = located(errors, translation, source)
        assert not unlocated


def test_means_over_samples_and_an_invalid_answer(server: JudgeServer) -> None:
    server.script = [says(answer(error("cat", "major"))), says(answer()), says("none")]
    metric = LlmJudge(template="error-annotation", url=server.url, model="m", samples=2, concurrency=1)
    assert metric.score("The cat.", "Die Katze.")["llm-judge_major"] == 0.5
    server.reply = says("none")
    found = metric.score("The dog.", "Die Katze.")
    assert math.isnan(found["llm-judge"])
    assert math.isnan(found["llm-judge_unlocated"])


def test_the_reader_of_error_spans_and_fw_ratings_read_the_answers(server: JudgeServer) -> None:
    server.reply = says(answer(error("cat", "major")))
    rows = [{"instance_id": "1", "summarizer_id": name, "summary": "The cat.", "source": "s"} for name in "xy"]
    write_rows("rows.jsonl", rows)
    spec = f"llm-judge:template=error-annotation,model=m,url={server.url},answers=answers.jsonl"
    evaluate([spec], files="rows.jsonl")
    human = [{"instance_id": "1", "summarizer_id": name, "spans": [{"start": 4, "end": 7}]} for name in "xy"]
    write_rows("human.jsonl", human)
    reader = {"type": "error-spans", "predictions": ["answers.jsonl"]}
    assert evaluate(["error-spans"], files="human.jsonl", reader=reader).metrics["error-spans"] == 1
    problems = Problems()
    ratings = list(ErrorAnnotation().rows("answers.jsonl", problems))
    problems.raise_any()
    assert [row["metrics"] for row in ratings] == [{"error-annotation": [-5]}] * 2
    assert ratings[0]["raters"] == ["m"]
    assert ratings[0]["spans"][0]["rater"] == "m"


def test_fw_ratings_names_samples_and_leaves_out_what_has_no_score(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    row = {"instance_id": "1", "summarizer_id": "x", "model": "m", "spans": [], "score": 0}
    lines = [{**row, "sample": 0}, {**row, "sample": 1, "score": -1}, {**row, "sample": 2, "score": None}]
    lines.append({**row, "sample": 0, "probe_injection": True})
    write_rows(path, lines)
    ratings, problems = ErrorAnnotation(), Problems()
    (found,) = ratings.rows(str(path), problems)
    assert (found["raters"], found["metrics"]["error-annotation"]) == (["m#1", "m#2"], [0, -1])
    assert ratings.notes() == ["left out: no score (1), probe (1)"]
    write_rows(path, [lines[0], lines[0], {"instance_id": "1", "summarizer_id": "x"}])
    list(ratings.rows(str(path), problems))
    with pytest.raises(DataError, match=r"jsonl:2: has a second answer of m#1(?s:.*)jsonl:3: is no answer"):
        problems.raise_any()


def test_log_probabilities_do_not_weight_errors() -> None:
    with pytest.raises(Exception, match="single digits"):
        load("llm-judge", template="error-annotation", weighting="logprobs")


def test_rows_have_the_errors_of_the_first_valid_sample(server: JudgeServer) -> None:
    def reply(handler: Any, body: dict[str, Any]) -> None:
        said = answer(error("cat"), error("Hund", "major", side="source"), error("cow"))
        second = answer(error("a")) if body["seed"] else "No errors."
        says(said if "a cat" in prompt_of(body) else second)(handler, body)

    server.reply = reply
    rows = [
        {"instance_id": "0", "summarizer_id": "x", "summary": "none", "source": "Hund"},
        {"instance_id": "1", "summarizer_id": "x", "summary": "a cat", "source": "ein Hund"},
    ]
    write_rows("rows.jsonl", rows)
    words = ["--input-files", "rows.jsonl", "--model", "m", "--template", "error-annotation", "--url", server.url]
    for more in ([], ["--probe-injection"], ["--samples", "2", "--temperature", "1"]):
        assert main(["llm-judge", "evaluate", "macro.json", "micro.jsonl", "--force", *words, *more]) == 0
        first, second = read_rows("micro.jsonl")
        if "--samples" in more:  # of which the first is invalid, and the words of the second do not occur
            assert first["predicted_spans"] == []
        else:
            assert "predicted_spans" not in first
        assert [
            [span[name] for name in ("start", "end", "severity", "side")] for span in second["predicted_spans"]
        ] == [[2, 5, "minor", "target"], [4, 8, "major", "source"]]
