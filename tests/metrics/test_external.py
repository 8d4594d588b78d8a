from __future__ import annotations

import json
import math
import os
import shlex
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_files import write_rows
from judge_server import JudgeServer
from messages import ASKED_FOR_NOTHING, DID_NOT_END, END_OF_STANDARD_ERROR, NOTHING_TO_STANDARD_ERROR
from processes import appeared, gone, needs_proc
from samples import sampled

from metrics_framework import load
from metrics_framework.commands.app import main
from metrics_framework.common.errors import InputError, OutputError, ProgramError, UsageError
from metrics_framework.metrics.external import External

READ = "import json, os, sys, time\nfor number, line in enumerate(sys.stdin, 1):\n    row = json.loads(line)\n    "
WORDS = READ + "print(len(row['summary'].split()))"
MODES = ("batch", "server")


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("STUB", str(tmp_path))  # a folder that an argument names is part of the key


@pytest.fixture
def stub(tmp_path):
    """Writes code to a file and returns the metric that runs it; no process of it may be left."""
    metrics = []

    def build(code, *words, **options):
        path = tmp_path / f"stub_{len(metrics)}.py"
        path.write_text(code, encoding="utf-8")
        options = {"fields": ["summary"], "time_limit": 120.0, **options}
        metrics.append(External(shlex.join([sys.executable, str(path), *words]), **options))
        return metrics[-1]

    yield build
    for metric in metrics:
        metric._program.process.close()
    if os.path.exists("/proc/self/cmdline"):
        assert gone(str(tmp_path)) == []


def scored(metric, *texts):
    return [scores["external"] for scores in metric.score_all(list(texts))]


def error_of(metric, *texts, kind=OutputError):
    with pytest.raises(kind) as caught:
        metric.score_all(list(texts))
    return str(caught.value).replace(metric._program.process.name, "'it'")


# ---- rows and answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_numbers(stub: Any, mode: str) -> None:
    assert scored(stub(WORDS, mode=mode), "a b", "", "a b c") == [2, 0, 3]


@pytest.mark.parametrize("mode", MODES)
def test_names_of_scores_may_be_nested_and_undefined(stub: Any, mode: str) -> None:
    metric = stub(READ + "print(json.dumps({'f': {'p': 1 / number, 'r': None}}))", mode=mode)
    first, second = metric.score_all(["a", "b"])
    assert list(first.flatten()) == ["external_f_p", "external_f_r"]
    assert (first["external"]["f"]["p"], second["external"]["f"]["p"]) == (1.0, 0.5)
    assert math.isnan(first["external"]["f"]["r"])


def test_all_fields_arrive_as_strings(stub: Any) -> None:
    fields = ["summary", "instance_id", "summarizer_id", "references", "source", "documents", "topic"]
    metric = stub(READ + "print(int(row == json.loads(sys.argv[1])))", "{}", fields=fields)
    expected = {
        "summary": "A b. C.",
        "instance_id": "1",
        "summarizer_id": "s",
        "references": ["x y", "\ud800"],
        "source": "é",
        "documents": ["d e"],
        "topic": {"any": [1]},
    }
    metric._program.process.command[-1] = json.dumps(expected)
    values = [["A b.", "C."], "1", "s", [["x", "y"], "\ud800"], "é", [["d", "e"]], {"any": [1]}]
    assert metric.score(*values) == {"external": 1}
    assert metric.score(**dict(zip(fields, values, strict=True))) == {"external": 1}
    assert metric.fields == tuple(fields)


def test_the_five_methods_take_the_chosen_fields_by_name(stub: Any) -> None:
    metric = stub(READ + "print(len(row['references']))", fields=["summary", "references"])
    assert metric.score(summary="a", references=["x"]) == {"external": 1}
    assert metric.score_all(summaries=["a"], references_list=[["x", "y"]]) == [{"external": 2}]
    assert metric.evaluate(["a"], references=[["x", "y"]])[0] == {"external": 2.0}
    assert metric.score_multi(["a", "b"], ["x"]) == [{"external": 1}] * 2
    with pytest.raises(TypeError, match="'external' has no field 'sources'; it has summary, references"):
        metric.score("a", ["x"], sources="s")


@pytest.mark.parametrize("mode", MODES)
def test_every_text_arrives_as_it_is(stub: Any, mode: str) -> None:
    metric = stub(READ + "print(json.dumps({str(i): ord(c) for i, c in enumerate(row['summary'] + '.')}))", mode=mode)

    @given(st.text(st.characters(), max_size=5))
    @settings(max_examples=100 if mode == "server" else 5, deadline=None)
    def arrives(text):
        metric._program.shape = None  # the names of the scores depend on the text
        assert list(metric.score(text)["external"].values()) == [*map(ord, text), ord(".")]

    arrives()


def test_jackknifing_needs_references() -> None:
    assert load("external", command="true").jackknifer is not None
    assert load("external", command="true", fields=["summary", "source"]).jackknifer is None


def test_a_declared_version_is_in_the_signature(stub: Any) -> None:
    for mode in MODES:
        metric = stub('print(\'{"version": "S3 1.0"}\')\n' + WORDS, mode=mode)
        assert "|version:none|" in metric.signature()
        assert scored(metric, "a b", "c") == [2, 1]
        assert "|version:S3 1.0|" in metric.signature()


def test_the_signature_has_the_command_and_a_hash_of_its_files(stub: Any, tmp_path: Path) -> None:
    metric = stub(WORDS, "--lang", "en")
    before = metric.signature()
    assert f"|command:{sys.executable} {tmp_path}/stub_0.py --lang en|" in before
    (tmp_path / "stub_0.py").write_text(WORDS + "\n")
    assert External(shlex.join(metric.command), fields=["summary"], time_limit=9).signature() != before
    assert "files:" not in External("python3 -c pass").signature()


def test_lower_scores_may_be_better(stub: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, human = tmp_path / "scores.jsonl", tmp_path / "human.csv"
    outputs = tmp_path / "outputs.jsonl"
    rows = [(str(number), system, "w " * number) for number in range(5) for system in "ab"]
    write_rows(
        outputs, ({"instance_id": name, "summarizer_id": system, "summary": text} for name, system, text in rows)
    )
    metric = stub(WORDS, better="lower")
    assert metric.higher_is_better is False
    assert main(["external", "score", str(scores), "--command", shlex.join(metric.command), "--fields", "summary",
              "--better", "lower", "--input-files", str(outputs)]) == 0  # fmt: skip
    human.write_text("instance_id,system,grade\n" + "".join(f"{n},{s},{5 - int(n)}\n" for n, s, _ in rows))
    capsys.readouterr()
    assert main(["correlate", str(scores), str(human), "--metrics", "external", "grade"]) == 0
    assert "lower" in capsys.readouterr().out


OPTIONS = [  # options, message, why
    ({"command": ""}, "'command' must be a program and its arguments, got nothing", "no command"),
    ({"command": "a 'b"}, "'command' must be a program and its arguments, got 'a 'b': No closing quotation", "quotes"),
    ({"fields": ["source"]}, "'fields' must have 'summary', and no field twice, got source", "no summary"),
    (
        {"fields": ["summary,source"]},
        "'fields' must have 'summary', and no field twice, got summary,source; separate fields by spaces",
        "comma",
    ),
    ({"fields": ["summary"] * 2}, "'fields' must have 'summary', and no field twice, got summary summary", "twice"),
    ({"time_limit": 0}, "'time_limit' must be a number of seconds above 0, got 0.0", "no time"),
    ({"time_limit": math.nan}, "'time_limit' must be a number of seconds above 0, got nan", "NaN"),
    ({"restarts": -1}, "'restarts' must be 0 or more, got -1", "restarts"),
]


@pytest.mark.parametrize(("options", "message", "why"), OPTIONS)
def test_invalid_options(options: dict[str, int], message: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        load("external", **{"command": "true", **options})
    assert str(caught.value) == message


def test_a_field_that_is_not_json() -> None:
    with pytest.raises(InputError, match="a row for 'external' cannot be written as JSON: Object of type object"):
        load("external", command="true", fields=["summary", "x"]).score("a", object())


# ---- programs that fail ----------------------------------------------------------------------------------------------

SILENT = f"; {NOTHING_TO_STANDARD_ERROR}"
UNSCORED = "instead of scores: expected a JSON number, or an object of numbers; messages belong to standard error"
FAILING = [  # code, message in mode batch, in mode server if it differs; the third of four outputs is at fault
    (
        READ + "if row['summary'] == 'c': sys.exit('no scores for c')\n    print(number)",
        f"output 2: 'it' ended with exit code 1 after 2 answers; {END_OF_STANDARD_ERROR}\n  no scores for c",
        f"output 2: 'it' ended with exit code 1 before answer; {END_OF_STANDARD_ERROR}\n  no scores for c\n"
        "fw: it was started again 1 time; 'restarts' allows 3",
        "crashes",
    ),
    (
        READ + "if row['summary'] == 'c': os.kill(os.getpid(), 9)\n    print(number)",
        f"output 2: 'it' was killed by SIGKILL after 2 answers{SILENT}",
        f"output 2: 'it' was killed by SIGKILL before answer{SILENT}\n"
        "fw: it was started again 1 time; 'restarts' allows 3",
        "is killed",
    ),
    (
        READ + "print('Traceback' if number == 3 else number)",
        f"output 2: 'it' printed the string 'Traceback' {UNSCORED}",
        None,
        "prints rubbish",
    ),
    (
        READ + "print('' if number == 3 else number)",
        f"output 2: 'it' printed the string '' {UNSCORED}",
        None,
        "prints an empty line",
    ),
    (
        READ + "print('true' if number == 3 else number)",
        f"output 2: 'it' printed the string 'true' {UNSCORED}",
        None,
        "prints no number",
    ),
    (
        READ + "print('-Infinity' if number == 3 else number)",
        "output 2: 'it' printed the string '-Infinity': a score must be finite, or NaN if it is undefined",
        None,
        "prints an infinite score",
    ),
    (
        READ + "print(json.dumps({'error': 'too long'}) if number == 3 else number)",
        "output 2: 'it' reports an error: too long",
        None,
        "reports an error",
    ),
    (
        READ + "print(json.dumps({'a': 1, 'b' if number < 3 else 'c': 2}))",
        "output 2: 'it' printed the scores a, c, but the scores a, b for earlier outputs",
        None,
        "changes its names",
    ),
    (
        READ + "print(json.dumps({'a': 1, 'a_b': 2, 'a': {'b': 3}}) if number == 3 else 1)",
        "output 2: 'it' printed the string '{\"a\": {\"b\": 3}, \"a_b\": 2}': two scores have the same flat name 'a_b'",
        None,
        "repeats a name",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("code", "batch", "server", "why"), sampled(FAILING, 2))
def test_a_failure_names_the_output(stub: Any, mode: str, code: int, batch: Any, server: JudgeServer, why: str) -> None:
    assert error_of(stub(code, mode=mode), "a", "b", "c", "d") == ((server if mode == "server" else None) or batch)


def test_too_few_lines(stub: Any) -> None:
    metric = stub(READ + "if number < 3: print(number)")
    message = "output 2: 'it' printed only 2 lines for 4 outputs; this is the first output without a line"
    assert error_of(metric, "a", "b", "c", "d") == message


def test_too_many_lines(stub: Any) -> None:
    metric = stub(READ + "print(number); print(number)")
    assert error_of(metric, "a", "b", kind=ProgramError) == f"'it' printed more than 2 lines{SILENT}"
    metric = stub(READ + r"sys.stdout.write('1\n2\n')", mode="server")
    assert error_of(metric, "a", "b", kind=ProgramError) == (f"'it' {ASKED_FOR_NOTHING}: the string '2'{SILENT}")


def test_a_message_between_the_answers_is_shown(stub: Any) -> None:
    metric = stub("print('Loading the model')\n" + WORDS)
    assert error_of(metric, "a", "b", kind=ProgramError) == f"'it' printed the string 'Loading the model' {UNSCORED}"


def test_an_exit_code_after_all_answers(stub: Any) -> None:
    metric = stub(WORDS + "\nsys.exit(4)")
    assert error_of(metric, "a", "b", kind=ProgramError) == f"'it' ended with exit code 4 after 2 answers{SILENT}"


@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_does_not_exist(mode: str) -> None:
    with pytest.raises(ProgramError) as caught:
        load("external", command="no-such-program --x", mode=mode, on_error="nan").score("a", ["b"])
    assert str(caught.value) == "'no-such-program --x' cannot be run: 'no-such-program': No such file or directory"


@pytest.mark.timing
@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_hangs_is_killed_at_the_time_limit(stub: Any, mode: str) -> None:
    metric = stub(READ + "if number == 2: time.sleep(60)\n    print(number)", mode=mode, time_limit=1.0)
    begin = time.monotonic()
    expected = {
        "batch": f"output 1: 'it' {DID_NOT_END} 1 answer within 1 second, and was killed{SILENT}",
        "server": f"output 1: 'it' printed no answer within 1 second, and was killed{SILENT}",
    }
    assert error_of(metric, "a", "b", "c") == expected[mode]
    assert time.monotonic() - begin < 3.0


# ---- servers ---------------------------------------------------------------------------------------------------------


def test_a_server_is_one_process(stub: Any) -> None:
    metric = stub(READ + "print(os.getpid())", mode="server")
    assert len({*scored(metric, "a", "b"), *scored(metric, "c")}) == 1
    assert metric.notes() == []


def test_a_server_that_ends_is_started_again_and_no_row_is_scored_twice(stub: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    record = "print(number, row['summary'], file=open(sys.argv[1], 'a'))\n    "
    metric = stub(READ + record + "print(number)\n    if number == 2: break", str(log), mode="server")
    assert scored(metric, "a", "b", "c", "d", "e") == [1, 2, 1, 2, 1]
    assert log.read_text().split() == ["1", "a", "2", "b", "1", "c", "2", "d", "1", "e"]
    assert metric.notes() == [f"{metric._program.process.name} was started again 2 times, after it had ended"]


def test_a_server_is_not_started_again_without_end(stub: Any) -> None:
    metric = stub(READ + "print(number)\n    break", mode="server", restarts=2)
    assert error_of(metric, *"abcdefgh") == (
        f"output 3: 'it' ended with exit code 0 before answer{SILENT}\n"
        "fw: it was started again 2 times; 'restarts' allows 2"
    )


# ---- undefined scores ------------------------------------------------------------------------------------------------

BAD = READ + "if row['summary'] == 'bad': {}\n    print(json.dumps({{'a': {{'b': number}}}}))"


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", ["os._exit(3)", "print('bad'); continue", "time.sleep(60)", "print(json.dumps({'error': 'bad'})); continue"]
)
def test_an_output_that_a_server_cannot_score_may_be_left_undefined(stub: Any, what: str) -> None:
    metric = stub(BAD.format(what), mode="server", on_error="nan", time_limit=1.0, restarts=5)
    first, bad, last = metric.score_all(["a", "bad", "c"])
    assert math.isnan(bad["external"]["a"]["b"])
    assert first["external"]["a"]["b"] == 1
    assert last["external"]["a"]["b"] in (1, 3)
    assert "could not score 1 output; the first time: " in metric.notes()[-1]


@pytest.mark.parametrize("answer", ["'rubbish'", """json.dumps({"error": "bad"})"""])
def test_an_output_that_a_batch_cannot_score_may_be_left_undefined(stub: Any, answer: Any) -> None:
    metric = stub(READ + f"print(number if row['summary'] != 'bad' else {answer})", on_error="nan")
    assert [str(score) for score in scored(metric, "bad", "b", "bad")] == ["nan", "2", "nan"]
    assert "could not score 2 outputs; the first time: " in metric.notes()[0]


def test_a_batch_that_fails_is_always_an_error(stub: Any) -> None:
    metric = stub(READ + "sys.exit(5)", on_error="nan")
    assert error_of(metric, "a") == f"output 0: 'it' ended with exit code 5 after 0 answers{SILENT}"


def test_the_limit_of_restarts_holds_for_undefined_scores_too(stub: Any) -> None:
    metric = stub(READ + "sys.exit(5)", on_error="nan", mode="server", restarts=3)
    assert error_of(metric, *"abcdefgh").startswith("output 1: 'it' ended with exit code 5 before answer")


# ---- the cache -------------------------------------------------------------------------------------------------------

COUNTED = READ + "print(row['summary'], file=open(os.environ['STUB'] + '/log', 'a'))\n    "


@pytest.mark.parametrize("mode", MODES)
def test_with_a_cache_nothing_is_scored_twice(stub: Any, tmp_path: Path, mode: str) -> None:
    fails = "if row['summary'] == 'c' and not os.path.exists(os.environ['STUB'] + '/ok'): sys.exit(1)\n    "
    metric = stub(COUNTED + fails + "print(ord(row['summary']))", mode=mode, cache=True, restarts=0)
    assert error_of(metric, *"abcd").startswith("output 2: ")
    (tmp_path / "ok").touch()
    again = load("external", command=shlex.join(metric.command), fields=["summary"], mode=mode, cache=True)
    assert scored(again, *"dcba") == [100, 99, 98, 97]
    again._program.process.close()
    assert sorted((tmp_path / "log").read_text().split()) == ["a", "b", "c", "c", "d"]
    assert scored(again, *"ab") == [97, 98]


def test_without_a_cache_nothing_is_kept(stub: Any, tmp_path: Path) -> None:
    metric = stub(COUNTED + "print(1)")
    scored(metric, "a")
    scored(metric, "a")
    assert (tmp_path / "log").read_text().split() == ["a", "a"]
    assert not (tmp_path / "cache").exists()


def test_a_changed_script_has_other_scores(stub: Any, tmp_path: Path) -> None:
    metric = stub(WORDS, cache=True)
    assert scored(metric, "a b") == [2]
    (tmp_path / "stub_0.py").write_text(READ + "print(7)")
    assert scored(External(shlex.join(metric.command), fields=["summary"], cache=True), "a b") == [7]


NAMED = {
    "an argument": ["a.json"],
    "after an equals sign": ["--config=a.json"],
    "after a flag": ["--config", "a.json"],
    "in a list": ["--configs=none,a.json"],
    "in a folder": ["--model", "model"],
    "in a folder after an equals sign": ["--model=model"],
    "in a folder in a folder": ["./"],
}


@pytest.mark.parametrize("name", sampled(NAMED, 1))
def test_a_changed_file_that_the_command_names_has_other_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FW_CACHE", str(tmp_path.parent / f"{tmp_path.name}-cache"))
    Path("model").mkdir()
    file = Path("model/a.json" if "folder" in name else "a.json")
    file.write_text("1")
    code = READ + f"print(open({str(file)!r}).read())"
    command = shlex.join([sys.executable, "-c", code, *NAMED[name]])
    for content in ("1", "2", "1"):
        file.write_text(content)
        metric = External(command, fields=["summary"], cache=True)
        assert scored(metric, "a") == [int(content)]
        if "folder" not in name:
            assert str(file) in metric.files_read()
            assert f"|files:{sha256(content.encode()).hexdigest()[:12]}" in metric.signature()


def test_a_folder_that_the_command_names_is_compared_by_times_if_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metrics_framework.metrics.external.LIMIT", 3)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "a").write_text("1234")
    code = READ + "open(os.environ['STUB'] + '/log', 'a').write('x')\n    print(1)"
    command = shlex.join([sys.executable, "-c", code, str(tmp_path / "model")])
    for modified, runs in ((1, 1), (1, 1), (2, 2)):
        os.utime(tmp_path / "model" / "a", ns=(modified, modified))
        scored(External(command, fields=["summary"], cache=True), "a")
        assert (tmp_path / "log").read_text() == runs * "x"


def test_scores_of_two_versions_are_not_mixed(stub: Any, tmp_path: Path) -> None:
    (tmp_path / "version").write_text("1")
    code = "import os; print('{\"version\": \"' + open(os.environ['STUB'] + '/version').read() + '\"}')\n" + WORDS
    options = {"command": shlex.join(stub(code).command), "fields": ["summary"], "cache": True}
    assert scored(External(**options), "a") == [1]
    again = External(**options)
    assert scored(again, "a") == [1]
    assert "|version:1|" in again.signature()
    (tmp_path / "version").write_text("2")
    assert error_of(External(**options), "a", "b", kind=ProgramError) == (
        "'it' declares the version '2', but other scores of this run are of version '1'; with the option version=2, no "
        "cached scores of other versions are used"
    )
    assert scored(External(**options, version="2"), "a", "b") == [1, 1]


# ---- whole runs ------------------------------------------------------------------------------------------------------


@pytest.fixture
def outputs(tmp_path):
    path = tmp_path / "outputs.jsonl"
    rows = [
        {"instance_id": name, "summarizer_id": system, "summary": f"{system} {name}", "references": ["x y", "z", "u"]}
        for system in ("one", "two")
        for name in "123"
    ]
    write_rows(path, rows)
    return path


@pytest.mark.parametrize("action", ["evaluate", "score"])
def test_an_error_of_a_run_names_file_line_and_output(
    stub: Any, outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    metric = stub(READ + "if row['summary'] == 'two 2': sys.exit('why')\n    print(len(row['references']))")
    words = ["external", action, str(tmp_path / "out.jsonl")]
    if action == "evaluate":
        words[-1] = str(tmp_path / "out.json")
    assert main([*words, "--command", shlex.join(metric.command), "--input-files", str(outputs)]) == 1
    error = capsys.readouterr().err
    assert f"fw: error: {outputs}:5: instance '2' of system 'two': '" in error
    assert error.endswith(f"{END_OF_STANDARD_ERROR}\n  why\n")
    assert not Path(words[2]).exists()


@needs_proc
def test_no_process_is_left_when_a_run_is_killed(outputs: Path, tmp_path: Path) -> None:
    word = f"{tmp_path}-killed"
    code = READ + "time.sleep(60)"
    command = shlex.join([sys.executable, "-c", code, word])
    words = ["external", "evaluate", "--mode", "server", "--command", command, "--input-files", str(outputs)]
    run = subprocess.Popen([sys.executable, "-m", "metrics_framework", *words], stderr=subprocess.DEVNULL)
    appeared(word, 2)
    run.kill()
    run.wait()
    assert gone(word) == []


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_was_killed_continues_with_the_outputs_that_are_missing(
    outputs: Path, tmp_path: Path, number: int
) -> None:
    script = tmp_path / "score.py"
    fails = "if row['summary'] == 'two 1' and not os.path.exists(os.environ['STUB'] + '/ok'): time.sleep(60)\n    "
    script.write_text(COUNTED + fails + "print(len(row['references']))", encoding="utf-8")
    command = shlex.join([sys.executable, str(script)])
    words = [sys.executable, "-m", "metrics_framework", "external", "evaluate", str(tmp_path / "macro.json"), "--cache"]
    words += ["--mode", "server", "--command", command, "--input-files", str(outputs)]
    run = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    while "two 1" not in ((tmp_path / "log").read_text() if (tmp_path / "log").exists() else ""):
        time.sleep(0.02)
    run.send_signal(number)
    run.wait(10)
    assert gone(str(script)) == []
    (tmp_path / "ok").touch()
    assert subprocess.run(words, capture_output=True, timeout=60).returncode == 0
    asked = (tmp_path / "log").read_text().splitlines()
    assert asked == ["one 1", "one 2", "one 3", "two 1", "two 1", "two 2", "two 3"]
    assert json.loads((tmp_path / "macro.json").read_text())["metrics"] == {"external": 3.0}
