"""Damaged values of every cache are computed again and replaced, with a note; a damaged file is an error."""

from __future__ import annotations

import functools
import json
import math
import shlex
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows
from judge_server import JudgeServer, judging, says
from learned_models import tiny_comet, tiny_nli
from messages import CANNOT_USE_THE_CACHE
from registries import METRICS
from samples import sampled

from metrics_framework import load
from metrics_framework.common.errors import DataError, OutputError, UsageError
from metrics_framework.io.disk_cache import DiskCache, list_of
from metrics_framework.language_models.answers import Answer
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import NeuralMetric

NEURAL = ("bertscore", "blanc", "cross-encoder", "moverscore", "supert", "question-answering", "comet", "summac")
SAME_WAY = ("alignscore", "bartscore", "metricx", "unieval")
"""Metrics whose values are kept by the same code as those of ``comet`` and ``summac``, in fewer forms."""
LEARNED: dict[str, Callable[[Path], dict[str, str]]] = {
    "comet": functools.cache(lambda folder: tiny_comet(folder, class_identifier="xcomet_metric")),
    "summac": functools.cache(tiny_nli),
}
Models = Callable[..., str]
PROGRAM = "import json, sys\nfor line in sys.stdin: print(json.dumps({'f': {'p': len(json.loads(line)['summary'])}}))"
TEXTS = ("the cat sat on the mat.", "a dog.", "one two three.")
REFERENCES = ("the big cat.", "the dog sat.", "three.")


class Case:
    """A metric with a cache.

    Args:
        build: Returns the metric, as a new process has it.
        tmp_path: The folder of the test.
    """

    def __init__(self, build: Callable[[], Metric], tmp_path: Path) -> None:
        self.build = build
        self._home = tmp_path / "cache"

    @property
    def file(self) -> Path:
        """The file of the cache."""
        (path,) = self._home.glob("*.sqlite")
        return path

    def scores(self, metric: Metric) -> Any:
        """Returns the scores of three texts, as JSON."""
        fields = {
            "references": [[text] for text in REFERENCES],
            "source": list(REFERENCES),
            "documents": [[text] for text in REFERENCES],
        }
        names = metric.required_context_fields
        groups = metric.score_multi_all([[text] for text in TEXTS], *(fields[name] for name in names))
        return json.dumps([scores.flatten() for (scores,) in groups])

    def values(self) -> list[Any]:
        connection = sqlite3.connect(self.file)
        found = [json.loads(value) for (value,) in connection.execute("SELECT value FROM entries ORDER BY key")]
        connection.close()
        return found

    def damage(self, value: Any, *, everything: bool = False) -> None:
        """Replaces one value, or all of them."""
        connection = sqlite3.connect(self.file)
        with connection:
            where = "" if everything else "WHERE key = (SELECT min(key) FROM entries)"
            connection.execute(f"UPDATE entries SET value = ? {where}", [value])
        connection.close()


def questions(folder: Path) -> str:
    """Writes questions about the references."""
    path = folder / "questions.jsonl"
    rows = [{"reference": text, "answer": "the", "question": "is it the?"} for text in REFERENCES]
    write_rows(path, rows)
    return str(path)


def neural(name: str, tiny_models: Models, folder: Path) -> Metric:
    """Returns a neural metric, which has not scored yet."""
    if name in LEARNED:
        return load(name, batch_size=1, **LEARNED[name](folder / "learned"))
    options: dict[str, Any] = {
        "bertscore": {"num_layers": 2, "model": tiny_models("encoder")},
        "blanc": {"model": tiny_models("masked-lm"), "splitter": "none"},
        "cross-encoder": {"model": tiny_models("sequence-classification", num_labels=1)},
        "moverscore": {"model": tiny_models("encoder")},
        "supert": {"model": tiny_models("encoder"), "splitter": "none"},
        "question-answering": {
            "model": tiny_models("question-answering"),
            "questions": questions(folder),
            "splitter": "none",
        },
    }[name]
    return load(name, batch_size=1, **options)  # batches change scores by rounding


@pytest.fixture(params=sampled(["llm-judge", "external", *NEURAL], 1))
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Case]:
    """A metric that has scored texts and kept what it computed."""
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    if request.param == "llm-judge":
        with judging() as server:
            server.reply = says('{"score": 70}')
            yield scored(Case(lambda: judge(server), tmp_path))
    elif request.param == "external":
        command = shlex.join([sys.executable, "-c", PROGRAM])
        yield scored(Case(lambda: load("external", command=command, fields=["summary"], cache=True), tmp_path))
    else:
        models = request.getfixturevalue("tiny_models")
        yield scored(Case(lambda: neural(request.param, models, tmp_path), tmp_path))


def judge(server: JudgeServer) -> Metric:
    return load("llm-judge", url=server.url, model="m", retries=1, concurrency=1)


def scored(case: Case) -> Case:
    case.scores(case.build())
    assert case.values()
    return case


def test_all_metrics_with_a_cache_are_here() -> None:
    METRICS.search()
    classes = {name: METRICS.get(name) for name, entry in METRICS.entries.items() if entry.alias_of is None}
    named = {name for name, cls in classes.items() if issubclass(cls, NeuralMetric) and "test" not in cls.__module__}
    assert named == {*NEURAL, *SAME_WAY}


DAMAGED = {
    "empty": "",
    "truncated": '[0.5, "a',
    "no JSON": "nonsense",
    "NaN": "NaN",
    "nan": "nan",
    "null": "null",
    "number": "1",
    "string": '"a"',
    "object": '{"a": 1}',
    "empty list": "[]",
    "list of too many": "[1, 1, 1, 1, 1, 1, 1, 1, 1]",
    "list of objects": "[{}, {}]",
    "list of strings": '["a", "b", "c", "d"]',
    "binary": b"\xff\xfe\x00\x80",
    "deep": "[" * 100_000,
    "nothing": None,
    "a number of SQLite": 1.5,
}


def test_a_damaged_value_is_computed_again_and_replaced(case: Case) -> None:
    expected, stored = case.scores(case.build()), case.values()
    for name, value in DAMAGED.items():
        case.damage(value)
        metric = case.build()
        assert case.scores(metric) == expected, name
        assert case.values() == stored, name
        (note,) = [note for note in metric.notes() if "damaged" in note]
        assert f"the cache {case.file} had 1 damaged value, not used here" in note, name
        assert note.endswith("delete the file")
        again = case.build()
        assert case.scores(again) == expected, name
        assert not [note for note in again.notes() if "damaged" in note], name


def test_all_values_may_be_damaged(case: Case) -> None:
    expected, stored = case.scores(case.build()), case.values()
    case.damage("x", everything=True)
    metric = case.build()
    assert case.scores(metric) == expected
    assert case.values() == stored
    (note,) = [note for note in metric.notes() if "damaged" in note]
    assert f"had {len(stored)} damaged value" in note


def test_a_value_of_another_type_is_damaged(case: Case) -> None:
    """Each value of an entry in turn, with a type that it cannot have."""
    expected, (first, *_) = case.scores(case.build()), case.values()
    names = list(first) if isinstance(first, dict) else range(len(first))
    for name in names:
        wrong = dict(first) if isinstance(first, dict) else list(first)
        wrong[name] = [["x"]]
        case.damage(json.dumps(wrong))
        metric = case.build()
        assert case.scores(metric) == expected
        assert [note for note in metric.notes() if "damaged" in note], name


@pytest.mark.parametrize(
    "content", [b"not a database, but longer than a header\n" * 100, "pages"], ids=["text", "pages"]
)
def test_a_damaged_file_is_an_error_that_says_what_to_do(content: bytes | str, case: Case) -> None:
    data = case.file.read_bytes()
    case.file.write_bytes(content if isinstance(content, bytes) else data[:100] + b"\xff" * (len(data) - 100))
    with pytest.raises(
        DataError, match=r"is not a cache, or damaged \(.*\); delete it, or turn the cache off"
    ) as caught:
        case.scores(case.build())
    assert caught.value.path == str(case.file)


def test_a_file_with_other_tables_is_an_error_that_says_what_to_do(case: Case) -> None:
    connection = sqlite3.connect(case.file)
    with connection:
        connection.execute("DROP TABLE entries")
        connection.execute("CREATE TABLE entries (other TEXT)")
    connection.close()
    with pytest.raises(
        UsageError, match=rf"{CANNOT_USE_THE_CACHE} .*; turn the cache off, or set FW_CACHE to another folder"
    ):
        case.scores(case.build())


# ---- answers of other names ------------------------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    command = shlex.join([sys.executable, "-c", PROGRAM])
    return scored(Case(lambda: load("external", command=command, fields=["summary"], cache=True), tmp_path))


def test_answers_of_different_names_in_the_cache_are_not_trusted(program: Case) -> None:
    expected = program.scores(program.build())
    program.damage(json.dumps(['{"g": 1}', ""]))
    metric = program.build()
    assert program.scores(metric) == expected
    assert "had 3 damaged values" in metric.notes()[0]


def test_an_answer_of_other_names_than_those_of_the_cache_names_the_cache(program: Case) -> None:
    program.damage(json.dumps(['{"g": 1}', ""]), everything=True)
    with pytest.raises(OutputError) as caught:
        program.build().score_all([*TEXTS, "another text"])
    assert f"the scores g for earlier outputs in the cache {program.file}" in str(caught.value)


def test_an_undefined_score_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    command = shlex.join([sys.executable, "-c", "import sys\nfor line in sys.stdin: print('NaN')"])
    for _ in range(2):
        metric = load("external", command=command, fields=["summary"], cache=True)
        assert math.isnan(metric.score("a")["external"])
        assert metric.notes() == []


# ---- forms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "value", "is_valid"),
    [
        ((float, bool), [1, True], True),
        ((float, bool), [math.nan, False], True),
        ((float, bool), [True, True], False),
        ((float, bool), [1.0, 1], False),
        ((float, bool), [1.0], False),
        ((float, bool), {"a": 1.0, "b": True}, False),
        ((int,), [1.0], False),
        ((int,), [True], False),
        ((float | None,), [None], True),
        ((str | None,), [1], False),
        ((), [], True),
        ((), None, False),
    ],
)
def test_forms_of_lists(kinds: Any, value: Any, is_valid: bool) -> None:
    read = list_of(*kinds)
    if is_valid:
        assert read(value) is value
    else:
        with pytest.raises(ValueError, match="another form"):
            read(value)


@pytest.mark.parametrize(
    "change",
    [
        {"text": 1},
        {"input_tokens": "1"},
        {"tokens": 3},
        {"tokens": [["a", [["b", "c"]]]]},
        {"tokens": ["a"]},
        {"more": 1},
    ],
    ids=str,
)
def test_answers_of_other_forms_are_damaged(change: dict[str, Any]) -> None:
    value = Answer("1", tokens=[("1", [("1", -0.5), ("2", -math.inf)])]).as_json()
    assert Answer.from_json(json.loads(json.dumps(value))).text == "1"
    with pytest.raises((ValueError, TypeError)):
        Answer.from_json({**value, **change})


def test_a_value_that_was_read_is_not_stored_by_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FW_CACHE", str(tmp_path))
    DiskCache("a").put({"one": [1], "two": "x"})
    cache = DiskCache("a")
    assert cache.get(["one", "two", "three"], list_of(int)) == {"one": [1]}
    assert len(cache.notes()) == 1
    assert DiskCache("a").get(["two"]) == {"two": "x"}, "another version may be able to read it"
