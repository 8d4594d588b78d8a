"""``--dataset``: outputs in plain text against a test set."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, read_rows, write_json, write_rows
from messages import BOTH_INPUT_AND_OUTPUT, DATA_SET_OR_TEST_SET, GIVEN_TO_TWO_FILES, SET_UP_WITH
from processes import needs_pipes
from tiny_dataset import FILES, REFERENCES, ROWS, SOURCES, write_files, write_plugin

from metrics_framework.metrics.base.metric import load

Run = Callable[..., Any]
GOOD, BAD = FILES["outputs/Good.tok"], FILES["outputs/Bad.tok.low"]


@pytest.fixture
def ready(fw: Run, tmp_path: Path) -> Run:
    """Runs ``fw`` where the data set of our own is set up and there are outputs of two systems and a test set file."""
    module = write_plugin(tmp_path / "plugin")
    plugin = ["--include-packages", module]
    assert fw("setup-dataset", "tiny", "--from-dir", write_files(tmp_path / "files"), *plugin).code == 0
    (tmp_path / "Good.txt").write_text(GOOD, encoding="utf-8")
    (tmp_path / "Bad.txt").write_text(BAD, encoding="utf-8")
    write_rows(tmp_path / "set.jsonl", ROWS)
    return lambda *words: fw(*words, *plugin)


def expected(text: str) -> float:
    """Returns SARI of outputs against the test set, from Python."""
    return load("sari").evaluate(text.removesuffix("\n").split("\n"), REFERENCES, SOURCES)[0]["sari"]


def systems(result: Any, path: str = "macro.json") -> dict[str, float]:
    assert result.code == 0, result.err
    found = read_json(path)["systems"]
    return {system: scores["sari"] for system, scores in found.items()}


BOTH = {"Good": pytest.approx(expected(GOOD)), "Bad": pytest.approx(expected(BAD))}
WAYS = [  # words, why
    ("sari evaluate macro.json --dataset tiny-test --outputs Good.txt Bad.txt", "one metric"),
    ("sari evaluate macro.json --dataset set.jsonl --outputs Good.txt Bad.txt", "a test set by its path"),
    ("evaluate macro.json --metric sari --dataset tiny-test --outputs Good.txt Bad.txt", "several metrics"),
    ("evaluate --config config.json macro.json", "a configuration"),
    ("evaluate config.json", "a configuration without a flag"),
    ("evaluate macro.json --metric sari --metric ter --dataset tiny-test --outputs Good.txt Bad.txt --jobs 2", "jobs"),
    ("sari evaluate macro.json --dataset tiny-outputs", "a test set with outputs of its own"),
    ("sari evaluate macro.json --dataset-reader test-set:test_set=set.jsonl --input-files Good.txt Bad.txt", "reader"),
]


@pytest.mark.parametrize(("words", "why"), WAYS)
def test_outputs_are_scored_against_a_test_set(words: str, why: str, ready: Run, tmp_path: Path) -> None:
    config = {
        "metrics": ["sari"],
        "dataset": "tiny-test",
        "input_files": ["Good.txt", "Bad.txt"],
        "macro_output_json": "macro.json",
    }
    write_json(tmp_path / "config.json", config)
    if "reader" in why:
        (tmp_path / "Good.txt").rename(tmp_path / "Good")
        (tmp_path / "Bad.txt").rename(tmp_path / "Bad")
        words = words.replace(".txt", "")
    assert systems(ready(*words.split())) == BOTH, why


def test_scores_of_outputs_have_the_ids_of_the_test_set(ready: Run) -> None:
    result = ready("sari", "score", "out.jsonl", "--dataset", "tiny-test", "--outputs", "Good.txt")
    assert result.code == 0, result.err
    rows = read_rows("out.jsonl")
    assert [(row["instance_id"], row["summarizer_id"], row["summarizer_type"]) for row in rows] == [
        (number, "Good", "peer") for number in ("1", "2", "3")
    ]


def test_outputs_can_come_from_a_pipe_or_compressed(ready: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with gzip.open("Good.txt.gz", "wt", encoding="utf-8") as stream:
        stream.write(GOOD)
    words = ["sari", "evaluate", "macro.json", "--dataset", "tiny-test", "--outputs"]
    assert systems(ready(*words, "Good.txt.gz")) == {"Good": BOTH["Good"]}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert systems(ready(*words, "-")) == {"stdin": BOTH["Good"]}


def test_files_of_ones_own_go_by_further_names(ready: Run, tmp_path: Path) -> None:
    words = "sari evaluate macro.json --outputs Good.txt --source-file files/data/test.src"
    references = ["--reference-files", "files/data/test.ref.0", "files/data/test.ref.1"]
    assert systems(ready(*words.split(), *references)) == {"Good": BOTH["Good"]}


DATASET = "sari evaluate --dataset tiny-test"
WRONG = [  # words, code, fragment of the message, why
    (f"{DATASET} --outputs short.txt", 1, "short.txt: must have 3 lines, one for each row", "a line is missing"),
    (f"{DATASET} --outputs Good.txt long.txt", 1, "tiny-test.jsonl, got 4 (the last one is empty)", "one too many"),
    (f"{DATASET} --outputs empty.txt", 1, "tiny-test.jsonl, got 0", "nothing in it"),
    (f"{DATASET} --outputs nowhere.txt", 1, "nowhere.txt: cannot be read", "no file"),
    (f"{DATASET} --outputs Good.txt Good.txt", 2, "'Good.txt' is given twice", "twice"),
    (f"{DATASET} --outputs X=Good.txt X=below/Good.txt", 2, f"'X' {GIVEN_TO_TWO_FILES}", "one name for two"),
    (f"{DATASET} --outputs set.jsonl", 2, "must be plain text, got 'set.jsonl'", "rows"),
    (DATASET, 2, "no outputs to score against 'tiny-test'; use --outputs FILE", "no outputs"),
    (f"{DATASET} --input-files set.jsonl", 1, "needs 'summary'", "rows without outputs"),
    (f"{DATASET} --outputs Good.txt --references Bad.txt", 2,
     "leave out --references or --dataset", "references twice"),
    (f"{DATASET} --outputs Good.txt --sources Bad.txt", 2, "leave out --sources or --dataset", "sources twice"),
    (f"{DATASET} --outputs Good.txt --dataset-reader default", 2,
     "leave out --dataset-reader or --dataset", "a reader too"),
    ("sari evaluate --dataset tiny-tset --outputs Good.txt", 2,
     "unknown test set 'tiny-tset'; did you mean 'tiny-test'?", "a typing error"),
    ("sari evaluate --dataset tny-test --outputs Good.txt", 2,
     f"unknown {DATA_SET_OR_TEST_SET} 'tny-test'; did you mean 'tiny-test'?", "one in front"),
    ("sari evaluate --dataset tiny --outputs Good.txt", 2,
     "'tiny' is a data set with several parts; name one of them: tiny-test, tiny-tune, tiny-outputs",
     "several test sets"),
    ("sari evaluate --dataset hsplit --outputs Good.txt", 1,
     f"{SET_UP_WITH}: fw setup dataset hsplit-test", "one to set up first, by the name of its data set"),
    ("sari evaluate --dataset no.jsonl --outputs Good.txt", 1, "no.jsonl: cannot be read", "no such test set"),
    ("sari evaluate --dataset tiny-outputs --outputs Good.txt", 2,
     "'tiny-outputs' already includes outputs: leave out --outputs to score these, or name a test set without", "both"),
    ("sari evaluate --dataset= --outputs Good.txt", 2,
     f"unknown {DATA_SET_OR_TEST_SET} ''", "a variable without value"),
    ("sari evaluate --dataset - --outputs Good.txt", 2, "cannot read a test set from standard input", "read twice"),
    ("sari evaluate --dataset two.jsonl --outputs Good.txt", 1, "two.jsonl:1: 'source' and", "two names of one thing"),
    ("sari evaluate --dataset twice.jsonl --outputs Good.txt", 1, "twice.jsonl:2: duplicate", "ids"),
    ("sari evaluate --dataset odd.jsonl --outputs Good.txt", 1, "odd.jsonl:1: 'references' must be", "a bad row"),
    ("sari evaluate --dataset bare.jsonl --outputs one.txt", 1, "needs 'references'", "no references"),
    ("sari score set.jsonl --dataset set.jsonl --outputs Good.txt", 2, BOTH_INPUT_AND_OUTPUT, "overwriting"),
    ("evaluate --config config.json", 2, "'dataset' must be the name of a test set or a path", "no name"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code", "fragment", "why"), WRONG)
def test_what_does_not_fit_is_reported(
    words: str, code: int, fragment: str, why: str, ready: Run, tmp_path: Path
) -> None:
    texts = {
        "short.txt": "a\nb\n",
        "long.txt": f"{GOOD}\n",
        "empty.txt": "",
        "one.txt": "a\n",
        "below/Good.txt": GOOD,
        "twice.jsonl": 2 * (json.dumps(ROWS[0]) + "\n"),
        "odd.jsonl": json.dumps({**ROWS[0], "references": "a cat"}) + "\n",
        "two.jsonl": '{"instance_id": "1", "source": "a", "sources": "b"}\n',
        "bare.jsonl": '{"instance_id": "1", "source": "a"}\n',
        "config.json": '{"metrics": ["sari"], "dataset": ["tiny-test"]}',
    }
    (tmp_path / "below").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = sorted(os.listdir(tmp_path))
    result = ready(*words.split())
    assert (result.code, fragment in result.err) == (code, True), f"{why}: {result.err}"
    assert result.out == ""
    assert sorted(os.listdir(tmp_path)) == before


@needs_pipes
def test_a_pipe_is_no_test_set(ready: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    result = ready("sari", "evaluate", "--dataset", "pipe.jsonl", "--outputs", "Good.txt")
    assert (result.code, result.out) == (2, "")
    assert "cannot read a test set from the pipe or device 'pipe.jsonl', which can be read only once" in result.err
