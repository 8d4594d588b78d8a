"""``--jobs``: whatever number of processes scores, the same bytes, the same errors, the same warnings."""

from __future__ import annotations

import functools
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import split
from typing import Any, NamedTuple

import pytest

from metrics_framework.commands.app import main
from metrics_framework.common import plugins
from metrics_framework.common.errors import DataError, ProcessError, UsageError
from metrics_framework.evaluation import checked_input as validation
from metrics_framework.evaluation import worker_pool
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import LabelledMetric, Metric, labelled

METHODS = ["fork", "spawn"] if hasattr(os, "fork") else ["spawn"]
PLUGIN = '''
import threading
import warnings
from metrics_framework import CorpusMetric, Metric, MetricsDict, ReferenceBasedMetric, ReferencesJackknifer


class Fickle(ReferenceBasedMetric):
    jackknifer = ReferencesJackknifer()

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()  # cannot be pickled

    def score_multi_all(self, summaries_list, references_list):
        return [[self.scores(summary, references) for summary in summaries]
                for summaries, references in zip(summaries_list, references_list)]


@Metric.register("own")
class Own(Fickle):
    """Nests its scores, gives lists, and is not defined for every output."""

    def scores(self, summary, references):
        number = len(summary) / 7
        return {"own": {"a": number, "b": [number, float(len(references))]},
                "odd": number if len(summary) % 3 else float("nan")}


@Metric.register("own-corpus")
class OwnCorpus(CorpusMetric, ReferenceBasedMetric):
    """Adds fractions, whose sum depends on their order."""

    def statistics(self, summary, references):
        return [0.1 * len(summary), 1.7 ** (len(summary) % 90), 1]

    def score_statistics(self, statistics):
        return MetricsDict({"own-corpus": sum(statistics[:2]) / statistics[2]})


@Metric.register("warns")
class Warns(Fickle):
    """Warns of every summary."""

    def scores(self, summary, references):
        warnings.warn("a word to the user", stacklevel=1)
        return {"warns": 1.0}


@Metric.register("changes")
class Changes(Fickle):
    """Gives a score of another name, which ``own-corpus`` gives too, for summaries about input 31."""

    def scores(self, summary, references):
        return {"own-corpus" if " 31 " in summary else "changes": 1.0}


@Metric.register("leaves")
class Leaves(Fickle):
    """Ends the program at summaries about input 31."""

    def scores(self, summary, references):
        if " 31 " in summary:
            raise SystemExit(7)
        return {"leaves": 1.0}
'''
WORDS = ["the", "cat", "sat", "on", "a", "red", "mat,", "under", "«its»", "old", "tree;", "it's", "late."]


def row(number: int, system: str, kind: str, words: random.Random) -> dict[str, Any]:
    shared = random.Random(number)
    return {
        "instance_id": str(number),
        "summarizer_id": system,
        "summarizer_type": kind,
        "summary": f"{system} {number} {' '.join(words.choices(WORDS, k=words.randrange(12)))}",
        "references": [" ".join(shared.choices(WORDS, k=9)) for _ in range(1 + number % 4)],
        "source": " ".join(shared.choices(WORDS, k=12)),
    }


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")


class Result(NamedTuple):
    """What a run leaves behind."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]


Run = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a plug-in and rows of 40 inputs, one system behind the other, which are read 37 at a time."""
    words = random.Random(1)
    systems = (("careful", "peer"), ("timid", "peer"), ("Ünal", "reference"))
    write(tmp_path / "in.jsonl", [row(number, *system, words) for system in systems for number in range(40)])
    (tmp_path / "plugin.py").write_text(PLUGIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    small = functools.partial(validation.checked_batches, size=37)
    monkeypatch.setattr("metrics_framework.evaluation.run.checked_batches", small)
    METRICS.search()
    entries, imported = dict(METRICS.entries), dict(plugins._imported)
    yield tmp_path
    METRICS.entries, plugins._imported = entries, imported


@pytest.fixture
def fw(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``fw`` in this process and takes what it wrote."""

    def run(words: str) -> Result:
        capsys.readouterr()
        before = set(folder.iterdir())
        code = main(["--include-packages", "plugin.py", *split(words)])
        written = sorted({path for path in folder.iterdir() if path.name != "__pycache__"} - before)
        files = {path.name: path.read_bytes() for path in written}
        for path in written:
            path.unlink()
        return Result(code, *capsys.readouterr(), files)

    return run


# ---- the same bytes --------------------------------------------------------------------------------------------------

OWN = "--metric own --metric own-corpus --metric own-corpus:label=again"
SAME = [
    f"score out.jsonl --input-files in.jsonl {OWN} --disable-peer-jackknifing",
    f"evaluate macro.json micro.jsonl --input-files in.jsonl {OWN}",
    "own evaluate macro.json - --input-files in.jsonl",
]


@pytest.mark.parametrize("words", SAME)
def test_any_number_of_jobs_writes_the_same_bytes(words: str, fw: Run) -> None:
    expected = fw(f"{words} --jobs 1")
    assert expected.code == 0
    assert expected.files or expected.out
    assert fw(f"{words} --jobs 3") == expected


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_processes_score_the_same_however_they_are_started(
    method: str, fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"evaluate macro.json micro.jsonl --input-files in.jsonl {OWN} --metric ter"
    expected = fw(words)
    monkeypatch.setattr(worker_pool, "start_method", lambda: method)
    with warnings.catch_warnings():  # of the fork of a process with threads, which only a test asks for
        warnings.simplefilter("ignore", DeprecationWarning)
        assert fw(f"{words} --jobs 2") == expected


def test_pyramids_are_sent_too(folder: Path, fw: Run) -> None:
    units = [{"scu_id": unit, "label": "cat", "contributors": [{"summary_index": unit % 2}]} for unit in range(4)]
    pyramids, annotations = [], []
    for number in range(20):
        names = {"instance_id": str(number), "summarizer_ids": ["A", "B"], "summarizer_types": ["reference"] * 2}
        pyramids.append({**names, "summaries": [{"text": "a"}, {"text": "b"}], "scus": units})
        for system in "789":
            told = [{"scu_id": unit, "label": "cat", "contributors": []} for unit in range(1 + number % 3)]
            who = {"instance_id": str(number), "summarizer_id": system, "summarizer_type": "peer"}
            annotations.append({**who, "summary": {"text": "a cat"}, "scus": told})
    write(folder / "p.jsonl", pyramids)
    write(folder / "a.jsonl", annotations)
    words = "pyramid-score score out.jsonl --dataset-reader pyramid-based --input-files p.jsonl a.jsonl"
    expected = fw(words)
    assert expected.code == 0, expected.err
    assert fw(f"{words} --jobs 2") == expected


# ---- the same errors and warnings ------------------------------------------------------------------------------------

LATE = json.dumps(row(40, "late", "peer", random.Random(3)))
ERRORS = [  # words, last line of the input, what is told, why
    ("ter evaluate m.json --strict --no-checks", LATE, "fewer than 41 inputs", "a warning that is an error"),
    ("score out.jsonl --metric changes --metric own-corpus", "", "both have a score called 'own-corpus'", "late names"),
    ("changes evaluate macro.json", "", "the same scores for every output", "other scores for one input"),
    ("changes score o.jsonl", "", "only some outputs have changes, own-corpus", "other scores for one input, in rows"),
]


@pytest.mark.parametrize(("words", "more", "told", "why"), ERRORS, ids=[why for *_, why in ERRORS])
def test_a_run_that_fails_fails_alike(words: str, more: str, told: str, why: str, folder: Path, fw: Run) -> None:
    with open(folder / "in.jsonl", "a", encoding="utf-8") as stream:
        stream.write(more + "\n")
    expected = fw(f"{words} --input-files in.jsonl")
    assert (expected.code, expected.files) == (1 if "names" not in why else 2, {})
    assert told in expected.err
    done = fw(f"{words} --input-files in.jsonl --jobs 2")
    assert done.out.startswith(expected.out)  # with parts, more rows are printed before a late problem is found
    assert done._replace(out=expected.out) == expected


def test_a_metric_that_ends_the_program_is_named(fw: Run) -> None:
    for jobs in (1, 2):
        done = fw(f"leaves score out.jsonl --input-files in.jsonl --jobs {jobs}")
        assert (done.code, done.files) == (1, {})
        assert "the metric 'leaves' failed at " in done.err
        assert done.err.endswith("SystemExit: 7\n")


def test_warnings_of_a_metric_are_told_by_the_main_process(fw: Run) -> None:
    told = {}
    for jobs in (1, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            warnings.filterwarnings("ignore", "This process .* is multi-threaded")  # Python 3.12, in a run of xdist
            assert fw(f"warns score out.jsonl --input-files in.jsonl --jobs {jobs}").code == 0
        told[jobs] = [(str(one.message), one.category, Path(one.filename).name, one.lineno) for one in caught]
    assert told[2] == told[1] == [("a word to the user", UserWarning, "plugin.py", 45)]


# ---- metrics in other processes --------------------------------------------------------------------------------------


def test_every_registered_metric_goes_to_another_process_by_its_options() -> None:
    specs = ["sari:variant=hf,label=hf", "ter:ignore_punct=true,label=plain", "chrf:word_order=2,label=chrf++"]
    sent = [name for name in METRICS.names() if not METRICS.get(name).in_one_process]
    metrics = labelled([*sent, *specs])
    again: list[LabelledMetric] = pickle.loads(pickle.dumps(metrics))
    assert {"sari", "ter", "bleu", "chrf", "hf", "plain", "chrf++"} <= {one.label for one in again}
    assert [(one.label, one.metric.signature()) for one in again] == [
        (one.label, one.metric.signature()) for one in metrics
    ]
    nameless = type("Nameless", (Metric,), {})()
    with pytest.raises(UsageError, match="'Nameless' is not registered"):
        labelled([nameless])[0].__reduce__()


def test_a_plug_in_that_works_in_the_main_process_only_is_told(
    folder: Path, fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = "import os\nif os.path.exists('taken'):\n    raise RuntimeError('one licence')\nopen('taken', 'w').close()\n"
    (folder / "plugin.py").write_text(once + PLUGIN)
    monkeypatch.setattr(worker_pool, "start_method", lambda: "spawn")
    result = fw("own score out.jsonl --input-files in.jsonl --jobs 2")
    assert (result.code, result.out) == (1, "")
    assert "a worker process cannot build the metrics: RuntimeError: one licence; use --jobs 1" in result.err


# ---- workers ---------------------------------------------------------------------------------------------------------


@contextmanager
def in_workers(work: Callable[[Any], Any], count: int = 2) -> Iterator[Any]:
    """Starts processes that do one thing; forked, because a spawned process cannot import a module of tests."""
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),  # of the fork of a process with threads, which libraries of other tests may start
    ):
        patch.setattr(worker_pool, "start_method", lambda: METHODS[0])
        warnings.simplefilter("ignore", DeprecationWarning)
        with worker_pool.WorkerPool(work, count) as pool:
            yield pool


def squared(number: int) -> int:
    return number * number


def test_answers_come_in_the_order_of_the_tasks_before_an_error_and_few_are_ahead() -> None:
    given = []

    def tasks() -> Iterator[int]:
        for number in range(100):
            given.append(number)
            yield number
        raise DataError("no more")

    with in_workers(squared) as pool:
        answers = pool.map(tasks())
        for place in range(100):
            assert next(answers) == place * place
            assert len(given) <= place + worker_pool.TASKS_AHEAD_PER_WORKER * 2 + 1
        with pytest.raises(DataError, match="no more"):
            next(answers)
    with in_workers(bytes) as pool:  # large tasks and answers do not wait for each other
        assert [len(answer) for answer in pool.map([bytes(3_000_000)] * 12)] == [3_000_000] * 12


def ended(number: int) -> None:
    os.kill(os.getpid(), number)


def exhausted(number: int) -> None:
    raise MemoryError


def left(number: int) -> None:
    os._exit(number)


GONE: list[tuple[Callable[[Any], Any], Any, type[Exception], str]] = [  # work, task, error, message
    (
        ended,
        getattr(signal, "SIGKILL", 9),
        ProcessError,
        r"worker process 1 of 2 was killed by SIGKILL; if memory ran out",
    ),
    (left, 5, ProcessError, "worker process 1 of 2 exited with code 5"),
    (exhausted, 0, ProcessError, "a worker process ran out of memory; use a smaller number for --jobs"),
    (str, lambda: None, UsageError, r"metrics or outputs cannot be sent to worker processes .*; use --jobs 1"),
]


@pytest.mark.parametrize(("work", "task", "error", "told"), GONE)
def test_a_process_that_is_gone_and_a_task_that_cannot_be_sent_are_errors(
    work: Callable[[Any], Any], task: Any, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told), in_workers(work) as pool:
        list(pool.map([task]))
    assert all(worker.process.exitcode is not None for worker in pool._workers)


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    start = worker_pool._Worker.__init__

    def few(self: Any, *arguments: Any) -> None:
        if len(begun) == 2:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        begun.append(self)
        start(self, *arguments)

    monkeypatch.setattr(worker_pool._Worker, "__init__", few)
    told = "worker process 3 of 5 cannot be started: Resource temporarily unavailable; use a smaller number for --jobs"
    with pytest.raises(ProcessError, match=told), in_workers(squared, 5):
        pass
    assert [worker.process.is_alive() for worker in begun] == [False, False]


def test_a_process_with_threads_is_not_forked() -> None:
    script = """
import sys, threading
from metrics_framework.evaluation.worker_pool import start_method
alone = start_method()
wait = threading.Event()
thread = threading.Thread(target=wait.wait)
thread.start()
print(alone, start_method())
wait.set()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fork" if sys.platform == "linux" else "spawn", "spawn"]


def test_a_plug_in_taken_over_is_imported_once(folder: Path) -> None:
    (folder / "fw_taken_over.py").write_text("import builtins\nbuiltins.taken = getattr(builtins, 'taken', 0) + 1\n")
    script = """
import builtins
from metrics_framework.common import plugins
for _ in range(2):
    plugins.take_over({"fw_taken_over": "fw_taken_over", "gone.py": "gone.py"}, {"gone.py": "it is broken"})
print(builtins.taken, plugins.failures(), plugins.named()[0])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1  The plug-in 'gone.py' is unavailable: it is broken. {'fw_taken_over'")
    assert done.stderr == ""
