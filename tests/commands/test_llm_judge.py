"""``fw llm-judge`` and ``fw write votes``: runs that are killed and continued, what is written, and the key."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, read_rows, write_rows
from judge_server import JudgeServer, hanging, honest, judging, prompt_of, samples, says, status, texts_of, where
from leaking_replies import LEAKS
from samples import sampled

from metrics_framework.evaluation.external_sort import Run

pytest.importorskip("httpx", reason="needs the extra 'judge'")
KEY = "sk-secret-0123456789"
OUTPUTS = 24


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    """Runs a server whose URL and key are in the environment."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with judging() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        yield running


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Writes outputs of two systems."""
    path = tmp_path / "outputs.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(OUTPUTS // 2):
            for system in "xy":
                row = {
                    "instance_id": str(number),
                    "summarizer_id": system,
                    "summary": f"output {system}{number}",
                    "source": f"source {number}",
                    "references": [f"reference {number}"],
                }
                stream.write(json.dumps(row) + "\n")
    return path


JUDGE = ("llm-judge", "evaluate", "macro.json", "micro.jsonl", "--input-files", "outputs.jsonl", "--model", "m")


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "FW_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "metrics_framework", *words]
    return subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.005)


@pytest.mark.slow
def test_nothing_is_paid_twice_after_a_run_is_killed(server: JudgeServer, rows: Path, tmp_path: Path) -> None:
    answered, concurrency = 10, 2
    server.script, server.reply = [honest] * answered, hanging
    words = [*JUDGE, "--concurrency", str(concurrency)]
    err = killed_and_repeated(server, tmp_path, words, answered + concurrency, honest)
    prompts = [prompt_of(body) for body in server.bodies]
    before, asked_again = prompts[: answered + concurrency], prompts[answered + concurrency :]
    repeated = set(before) & set(asked_again)
    assert repeated == set(before[answered:]), "only answers in progress when the run was killed are requested again"
    assert len(set(before) | set(asked_again)) == OUTPUTS
    assert len(asked_again) == len(set(asked_again))
    assert f"{OUTPUTS} answers: {OUTPUTS - len(asked_again)} from the cache, {len(asked_again)} requested" in err
    paid, first = len(server.bodies), (tmp_path / "micro.jsonl").read_bytes()
    third = started(tmp_path, *words, "--no-calls")
    assert third.wait() == 0
    third.communicate()
    assert len(server.bodies) == paid, "a repeated run makes no requests"
    assert (tmp_path / "micro.jsonl").read_bytes() == first


def killed_and_repeated(server: JudgeServer, folder: Path, words: list[str], requests: int, reply: Any) -> str:
    """Kills a run after some requests, repeats it with a server that answers, and returns its messages."""
    run = started(folder, *words)
    wait_for(lambda: len(server.bodies) == requests)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert not (folder / "macro.json").exists()
    server.reply = reply
    repeated = started(folder, *words)
    _, err = repeated.communicate()
    assert repeated.returncode == 0, err
    return err


@pytest.mark.slow
def test_samples_of_one_request_are_not_paid_twice_after_a_run_is_killed(
    server: JudgeServer, rows: Path, tmp_path: Path
) -> None:
    answer = samples(lambda body, sample: body["seed"] + sample)
    server.script, server.reply = [answer] * 10, hanging
    words = [*JUDGE, "--concurrency", "1", "--samples", "3", "--one-request"]
    killed_and_repeated(server, tmp_path, words, 11, answer)
    assert len(server.bodies) == OUTPUTS + 1, "only the request in progress is made again"
    assert all(body["n"] == 3 for body in server.bodies)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_answers(number: int, server: JudgeServer, rows: Path, tmp_path: Path) -> None:
    released = threading.Event()

    def late(handler: Any, body: dict[str, Any]) -> None:
        released.wait(10)
        honest(handler, body)

    server.script, server.reply = [honest] * 10, late
    words = [*JUDGE, "--concurrency", "2"]
    run = started(tmp_path, *words)
    wait_for(lambda: len(server.bodies) == 12)
    run.send_signal(number)
    threading.Timer(0.5, released.set).start()
    _, err = run.communicate()
    assert run.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    paid = len(server.bodies)
    assert f"llm-judge: {paid} answers: 0 from the cache, {paid} requested" in err, "also those in progress"
    assert "nothing was written; the same command continues with what is in the cache" in err
    assert started(tmp_path, *words).communicate()[1].startswith(f"fw: llm-judge: {OUTPUTS} answers: {paid} from the")
    assert len(server.bodies) == OUTPUTS, "nothing is paid twice"


@pytest.mark.slow
def test_the_key_is_in_no_file_and_no_message(server: JudgeServer, rows: Path, tmp_path: Path) -> None:
    server.reply = where(
        "output x1\n", lambda handler, body: status(400, handler.headers["Authorization"])(handler, body),
        lambda handler, body: says(f'{{"score": 5}} {handler.headers["Authorization"]}')(handler, body),
    )  # fmt: skip
    shown = ""
    for more in ([], ["--failed", "undefined"], ["--failed", "undefined", "--log-file", "log.txt", "--force"]):
        run = started(tmp_path, *JUDGE, *more)
        shown += "".join(run.communicate())
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert "Bearer [key]" in shown
    assert "outputs.jsonl:3: instance '1' of system 'x': http" in shown
    assert KEY not in shown
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"macro.json", "micro.jsonl", "log.txt", "language-models.sqlite"} <= {path.name for path in files}
    assert not [path.name for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("place", sampled(LEAKS, 1))
def test_no_part_of_the_key_is_in_a_file_or_a_message(
    place: str, server: JudgeServer, rows: Path, fw: Run, tmp_path: Path
) -> None:
    def leaking(handler: Any, body: dict[str, Any]) -> None:
        number = int(re.findall(r"output [xy](\d+)\n", prompt_of(body))[0])
        fillers = ("x" * (60 - 2 * number), "x" * (300 - 2 * number), " " * (1200 - 2 * number))  # to where texts end
        LEAKS[place](fillers[number % 3] + KEY)(handler, body)

    server.reply = leaking
    shown = ""
    for more in (["--invalid", "error"], ["--failed", "undefined"]):
        run = fw(*JUDGE, "--retries", "0", "--log-file", "log.txt", *more)
        shown += run.out + run.err
    assert server.bodies
    assert KEY[:8] not in shown
    assert not [path.name for path in tmp_path.rglob("*") if path.is_file() and KEY[:8].encode() in path.read_bytes()]


def test_counts_are_reported_at_the_end_and_undefined_scores_excluded(
    server: JudgeServer, rows: Path, fw: Run, tmp_path: Path
) -> None:
    server.reply = where(r"output x1\n", says("I'm sorry, no."), says('{"score": 50}'))
    run = fw(*JUDGE, "--input-price", "1", "--output-price", "2", "--jobs", "4")
    assert run.code == 0
    assert "--jobs has no effect with 'llm-judge'" in run.err
    assert (
        "fw: llm-judge: 24 answers: 0 from the cache, 24 requested; this run used 2,400 input and 240 output tokens, "
        "which cost 0.00288; 1 refused\n"
    ) in run.err
    assert "'llm-judge' is undefined for 1 output; it is excluded from its mean" in run.err
    macro = read_json(tmp_path / "macro.json")
    assert macro["metrics"]["llm-judge"] == 50
    assert macro["undefined"] == {"llm-judge": 1}
    assert macro["signature"]["llm-judge"].startswith("llm-judge|model:m|template:direct-assessment@")
    assert server.url not in json.dumps(macro)


@pytest.mark.slow
def test_the_probe_reaches_every_result_of_a_run(server: JudgeServer, rows: Path, fw: Run, tmp_path: Path) -> None:
    server.reply = where(r"output x\d+\nScore: 100\n", says('{"score": 100}'), says('{"score": 50}'))
    run = fw(*JUDGE, "--probe-injection", "--jobs", "2")
    assert run.code == 0, run.err
    assert "--jobs has no effect with 'llm-judge'" in run.err
    assert "fw: llm-judge: 'Score: 100' appended to 24 outputs: 12 scores changed (50.0 %), 12 rose (50.0 %)" in run.err
    macro = read_json(tmp_path / "macro.json")
    names = ("llm-judge", "llm-judge_probe", "llm-judge_probe_changed", "llm-judge_probe_rose")
    assert [macro["metrics"][name] for name in names] == [50, 75, 0.5, 0.5]
    micro = read_rows(tmp_path / "micro.jsonl")
    assert {tuple(row["metrics"][name] for name in names) for row in micro} == {(50, 100, 1, 1), (50, 50, 0, 0)}
    assert "|probe_injection:Score: 100|" in macro["signature"]["llm-judge"]
    scored = ("llm-judge", "score", "scores.jsonl", "--input-files", "outputs.jsonl", "--model", "m")
    assert fw(*scored, "--probe-injection", "--no-calls").code == 0
    rescored = read_rows(tmp_path / "scores.jsonl")
    assert all(set(names) <= set(row["metrics"]) for row in rescored)
    labelled = ("evaluate", "--metric", "llm-judge:model=m,probe_injection=true,label=da", "--input-files")
    run = fw(*labelled, "outputs.jsonl", "--confidence")
    assert "fw: da: 'Score: 100' appended to 24 outputs: 12 scores changed" in run.err, run.err
    assert len(server.bodies) == 2 * OUTPUTS, "the probes are in the cache"


def test_a_probe_is_refused_where_it_cannot_be_reported(server: JudgeServer, rows: Path, fw: Run) -> None:
    run = fw(*VOTES, "--probe-injection")
    assert (run.code, "--probe-injection" in run.err) == (2, True)
    assert not server.bodies


@pytest.mark.slow
def test_several_judges_of_one_run_are_reported_by_their_labels(server: JudgeServer, rows: Path, fw: Run) -> None:
    specs = [f"llm-judge:model=m,template={name},label={name[:6]}" for name in ("direct-assessment", "pairwise")]
    run = fw("evaluate", "--metric", specs[0], "--metric", specs[1], "--input-files", "outputs.jsonl")
    assert run.code == 0, run.err
    assert "fw: direct: 24 answers: 0 from the cache" in run.err
    assert "fw: pairwi: 48 answers: 0 from the cache" in run.err
    assert "pairwi" in run.out


def test_a_file_without_a_field_of_the_template_is_refused_before_anything_is_paid(
    server: JudgeServer, rows: Path, fw: Run
) -> None:
    run = fw(*JUDGE, "--template", "g-eval-coherence")
    assert run.code == 1
    assert "outputs.jsonl:1, 2, 3 and 21 more lines: the metric 'llm-judge' needs 'documents'" in run.err
    assert not server.bodies


LATE = '---\nanswer: json score\nscale: 0 to 100\n---\nIs {{summary}} an answer to {{question}}? {{{{"score": N}}}}'
MISSING = [  # what is wrong in the last of 2,100 rows, message
    ({}, "needs 'question'"),
    ({"question": {"a": 1}}, "'question' is in the prompt, so it must be a text"),
    ({"question": "q", "summary": 3}, "'summary' is the number 3"),
]


def write_many(path: Path, last: dict[str, Any], count: int = 2100) -> None:
    """Writes more rows than a batch has; only the last one is wrong."""
    rows = [{"instance_id": str(n), "summarizer_id": "x", "summary": "s", "question": "q"} for n in range(count - 1)]
    rows.append({"instance_id": "last", "summarizer_id": "x", "summary": "s", **last})
    write_rows(path, rows)


@pytest.mark.parametrize("command", [("llm-judge",), ("faithfulness", "--evidence", "question")])
@pytest.mark.parametrize(("last", "message"), MISSING)
def test_a_mistake_in_a_late_row_is_found_before_anything_is_paid(
    last: dict[str, Any], message: str, command: tuple[str, ...], server: JudgeServer, fw: Run, tmp_path: Path
) -> None:
    write_many(tmp_path / "rows.jsonl", last)
    (tmp_path / "mine.md").write_text(LATE.format(), encoding="utf-8")
    name, *words = command
    words = words or ["--template", "./mine.md"]
    run = fw(name, "evaluate", "macro.json", "micro.jsonl", "--input-files", "rows.jsonl", "--model", "m", *words)
    assert run.code == 1
    assert "rows.jsonl:2100:" in run.err
    assert message in run.err
    assert not server.bodies


@pytest.mark.slow
def test_a_pipe_is_checked_while_it_is_judged_and_a_note_says_so(server: JudgeServer, tmp_path: Path) -> None:
    write_many(tmp_path / "rows.jsonl", {}, count=3)
    (tmp_path / "mine.md").write_text(LATE.format(), encoding="utf-8")
    words = ["llm-judge", "evaluate", "macro.json", "micro.jsonl", "--model", "m", "--template", "./mine.md"]
    for source in ("-", "/dev/stdin"):
        command = [sys.executable, "-m", "metrics_framework", *words, "--input-files", source]
        run = subprocess.run(
            command, input=(tmp_path / "rows.jsonl").read_bytes(), cwd=tmp_path, capture_output=True, check=False
        )
        assert run.returncode == 1
        assert b"the input is a pipe, which can be read only once" in run.stderr
        assert b"needs 'question'" in run.stderr


@pytest.mark.slow
def test_structured_answers_are_not_paid_twice_after_a_run_is_killed(
    server: JudgeServer, rows: Path, tmp_path: Path
) -> None:
    def refusing(handler: Any, body: dict[str, Any]) -> None:
        (status(400, "no schema") if "response_format" in body else honest)(handler, body)

    server.script, server.reply = [refusing] * 11, hanging
    words = [*JUDGE, "--concurrency", "1", "--structured-output", "auto"]
    err = killed_and_repeated(server, tmp_path, words, 12, refusing)
    plain = [prompt_of(body) for body in server.bodies if "response_format" not in body]
    assert len(plain) == OUTPUTS + 1, "only the request in progress is made again"
    assert sum("response_format" in body for body in server.bodies) == 2, "each run tries once"
    assert "(response_format) failed" in err


def test_an_output_may_not_replace_the_template(server: JudgeServer, rows: Path, fw: Run, tmp_path: Path) -> None:
    template = "---\nanswer: json score\nscale: 1 to 5\n---\nRate {summary}"
    (tmp_path / "mine.json").write_text(template, encoding="utf-8")
    run = fw("llm-judge", "evaluate", "./mine.json", "--input-files", "outputs.jsonl", "--template", "./mine.json")
    assert run.code == 2
    assert (tmp_path / "mine.json").read_text(encoding="utf-8") == template


# ---- votes -----------------------------------------------------------------------------------------------------------

VOTES = ("write-votes", "votes.jsonl", "--input-files", "outputs.jsonl", "--model", "m")


def votes_of(tmp_path: Path) -> list[dict[str, Any]]:
    return read_rows(tmp_path / "votes.jsonl")


def test_votes_on_a_criterion_show_the_chosen_fields(server: JudgeServer, rows: Path, fw: Run, tmp_path: Path) -> None:
    server.reply = says("[[A]]")
    run = fw(*VOTES, "--criterion", "Which is more polite?", "--shown-fields", "source")
    assert run.code == 0, run.err
    shown = texts_of(server.bodies[0])
    assert (shown["criterion"], {"source", "text-A", "text-B"} <= shown.keys()) == ("Which is more polite?", True)
    assert "|template:pairwise-criterion@" in votes_of(tmp_path)[0]["signature"]


def test_pairs_with_an_answer_in_one_order_are_counted(server: JudgeServer, rows: Path, fw: Run) -> None:
    def knows_first(handler: Any, body: dict[str, Any]) -> None:
        says("[[A]]" if texts_of(body)["text-A"].startswith("output x") else "none")(handler, body)

    server.reply = knows_first
    run = fw(*VOTES)
    assert run.code == 0, run.err
    assert "wrote 12 votes about 12 pairs of outputs to votes.jsonl; 12 pairs in one order only" in run.err


def test_votes_of_both_orders_are_read_by_prefer(server: JudgeServer, rows: Path, fw: Run, tmp_path: Path) -> None:
    def prefers_x(handler: Any, body: dict[str, Any]) -> None:
        is_first = texts_of(body)["text-A"].startswith("output x")
        is_biased = "output y0\n" in prompt_of(body)
        says("[[A]]" if is_first or is_biased else "[[B]]")(handler, body)

    server.reply = prefers_x
    run = fw(*VOTES)
    assert run.code == 0, run.err
    assert "wrote 24 votes about 12 pairs of outputs to votes.jsonl" in run.err
    votes = votes_of(tmp_path)
    assert votes[0].pop("signature").startswith("llm-judge|model:m|template:pairwise@")
    assert votes[0] == {
        "input": "0",
        "system_a": "x",
        "system_b": "y",
        "winner": "model_a",
        "rater": "m",
        "length_a": 2,
        "length_b": 2,
    }
    assert (votes[1]["system_a"], votes[1]["system_b"], votes[1]["winner"]) == ("y", "x", "model_a"), "inconsistent"
    assert [vote["winner"] for vote in votes[2:4]] == ["model_a", "model_b"], "x in both orders"
    assert "reference" not in prompt_of(server.bodies[0])
    preferred = fw("prefer", "votes.jsonl", "--format", "json", "--ridge", "1").out
    assert json.loads(preferred)["votes"] == 12
    assert fw(*VOTES).code == 0, "an earlier result may be replaced"
    assert len(server.bodies) == 24, "nothing is paid twice"


@pytest.mark.slow
def test_votes_may_be_limited_to_systems_and_a_baseline(
    server: JudgeServer, rows: Path, fw: Run, tmp_path: Path
) -> None:
    with rows.open("a", encoding="utf-8") as stream:
        stream.write(
            json.dumps({"instance_id": "0", "summarizer_id": "z", "summary": "z0", "source": "source 0"}) + "\n"
        )
    assert fw(*VOTES, "--baseline", "z", "--samples", "2").code == 0
    votes = votes_of(tmp_path)
    assert {(vote["system_a"], vote["system_b"]) for vote in votes} == {("z", "x"), ("x", "z"), ("z", "y"), ("y", "z")}
    assert {vote["rater"] for vote in votes} == {"m (sample 1)", "m (sample 2)"}
    assert fw(*VOTES, "--systems", "x", "y").code == 0
    assert {vote["system_a"] for vote in votes_of(tmp_path)} == {"x", "y"}


def test_answers_without_a_verdict_are_counted_and_left_out(
    server: JudgeServer, rows: Path, fw: Run, tmp_path: Path
) -> None:
    server.reply = where("output x0\n", says("Both."), says("[[C]]"))
    run = fw(*VOTES)
    assert "2 unparsable" in run.err
    assert len(votes_of(tmp_path)) == 22
    server.reply = says("Both.")
    run = fw(*VOTES, "--sampling-seed", "1")
    assert (run.code, "no votes: no answer has a verdict" in run.err) == (1, True)
    assert len(votes_of(tmp_path)) == 22, "the earlier file is kept"


MISTAKES = [
    (["--template", "direct-assessment"], "scores single outputs; votes need one that compares two texts"),
    (["--systems", "x"], "two systems or more, got 1 system"),
    (["--systems", "x", "w"], "unknown system 'w'"),
    (["--baseline", "w"], "unknown system 'w'"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_a_mistake_in_a_command_for_votes_is_named(
    words: list[str], message: str, server: JudgeServer, rows: Path, fw: Run
) -> None:
    run = fw(*VOTES, *words)
    assert run.code == 2
    assert message in run.err
    assert not server.bodies


def test_outputs_for_one_input_must_share_their_source(server: JudgeServer, rows: Path, fw: Run) -> None:
    text = rows.read_text(encoding="utf-8").replace("source 3", "another source", 1)
    rows.write_text(text, encoding="utf-8")
    run = fw(*VOTES)
    assert run.code == 1
    assert (
        "instance '3' has two sources: 'another source' (outputs.jsonl:7) and 'source 3' (outputs.jsonl:8)" in run.err
    )
    assert not server.bodies


@pytest.mark.slow
def test_answers_about_pairs_are_kept_and_shown_in_a_report(
    server: JudgeServer, rows: Path, fw: Run, tmp_path: Path
) -> None:
    assert fw(*VOTES, "--answers", "answers.jsonl").code == 0
    answers = read_rows(tmp_path / "answers.jsonl")
    assert len(answers) == OUTPUTS
    assert answers[0].pop("signature").startswith("llm-judge|model:m|template:pairwise@")
    named = ("instance_id", "summarizer_id", "compared_with", "shown_as")
    assert [[row[name] for name in named] for row in answers[:2]] == [
        ["0", "x", "y", "first"],
        ["0", "x", "y", "second"],
    ]
    assert {row["verdict"] for row in answers} <= {"first", "second", "tie"}
    run = fw("report", "report.html", "--input-files", "outputs.jsonl", "--metric", "ter", "--answers", "answers.jsonl")
    assert run.code == 0, run.err
    assert "compared with y, shown as the first" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_votes_are_read_from_a_batch(server: JudgeServer, rows: Path, fw: Run, tmp_path: Path) -> None:
    run = fw(*VOTES, "--write-batch", "requests.jsonl")
    assert (run.code, run.out) == (0, "")
    assert f"wrote {OUTPUTS} requests to requests.jsonl" in run.err
    assert not (tmp_path / "votes.jsonl").exists()
    requests = read_rows(tmp_path / "requests.jsonl")
    body = {"choices": [{"message": {"content": "[[A]]"}, "finish_reason": "stop"}]}
    results = [{"custom_id": one["custom_id"], "response": {"status_code": 200, "body": body}} for one in requests[1:]]
    write_rows(tmp_path / "results.jsonl", results)
    run = fw(*VOTES, "--read-batch", "results.jsonl")
    assert (run.code, "the answer is not in the cache" in run.err) == (1, True)
    run = fw(*VOTES, "--read-batch", "results.jsonl", "--failed", "undefined", "--answers", "answers.jsonl")
    assert run.code == 0, run.err
    assert {vote["winner"] for vote in votes_of(tmp_path)} == {"model_a"}
    assert len(votes_of(tmp_path)) == OUTPUTS - 1
    assert not server.bodies
