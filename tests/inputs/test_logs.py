"""Logs of evaluation harnesses: their scores, repeats and fields, what is left out, and what is refused."""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows

import metrics_framework as fw
from metrics_framework.common.errors import DataError, FwError, Problems
from metrics_framework.inputs.logs import Log, direction_in, log_at, range_in
from metrics_framework.inputs.score_files import read_score_files

Shared = Callable[[str], Path]


def rows_of(path: Path) -> tuple[Log, list[dict[str, Any]]]:
    """Returns a log and its rows."""
    log, problems = log_at(str(path)), Problems()
    assert log is not None
    rows = [row for _, row in log.rows(problems)]
    problems.raise_any()
    return log, rows


def means(path: Path) -> dict[str, float]:
    """Returns the mean of each score of a log, as ``fw compare`` computes it."""
    found = fw.compare(scores=str(path), log=lambda _: None)
    return {one.score.name: round(one.systems[0].score, 6) for one in found}


# ---- real logs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected", "left_out"),
    [
        ("inspect-old.eval", {"match": 0.583333}, {}),
        ("inspect-new.eval", {"match": 0.75}, {}),
        (
            "inspect-graded.json",
            {"match": 0.272727, "closeness": 0.87, "fluency": 0.451818, "length": 1.363636},
            {"error": 1, "missing": 1},
        ),
        ("lm-eval-old.samples_toy_sums.jsonl", {"exact_match:first": 0.5, "exact_match:digits": 0.5}, {"corpus": 20}),
        ("lm-eval-new.samples_toy_sums.jsonl", {"exact_match:first": 0.7, "exact_match:digits": 0.7}, {"corpus": 20}),
        ("every-eval-ever-old_samples.jsonl", {"exact_match:first": 0.5, "exact_match:digits": 0.5}, {}),
        ("every-eval-ever-new_samples.jsonl", {"exact_match:first": 0.7, "exact_match:digits": 0.7}, {}),
    ],
)
def test_the_accuracy_that_the_harness_reports_comes_out(
    name: str, expected: Mapping[str, float], left_out: Mapping[str, int], shared_path: Shared
) -> None:
    path = shared_path(f"golden/logs/{name}")
    assert means(path) == expected
    log, _ = rows_of(path)
    assert dict(log.left_out) == left_out


@pytest.mark.parametrize("form", ["lm-eval-{}.samples_toy_sums.jsonl", "every-eval-ever-{}_samples.jsonl"])
def test_two_logs_are_paired_by_the_ids_of_their_inputs(form: str, shared_path: Shared) -> None:
    paths = [str(shared_path(f"golden/logs/{form.format(which)}")) for which in ("new", "old")]
    (pair,) = fw.compare(scores=paths, log=lambda _: None)["exact_match:first"].pairs
    assert tuple(pair.outcomes)[0::2] == (5, 3)


def test_the_range_and_direction_of_every_eval_ever_are_in_the_file_beside(shared_path: Shared) -> None:
    log, _ = rows_of(shared_path("golden/logs/every-eval-ever-old_samples.jsonl"))
    assert (log.directions["exact_match:first"], log.ranges["exact_match:first"]) == (True, (0.0, 1.0))


def test_results_without_samples_are_an_error(shared_path: Shared) -> None:
    with pytest.raises(DataError, match=r"old\.json: has results of all samples; give the samples"):
        means(shared_path("golden/logs/every-eval-ever-old.json"))


def test_results_of_lm_eval_name_the_samples_beside(tmp_path: Path) -> None:
    path = tmp_path / "results_2024-07-30T10-00-00.5.json"
    path.write_text(json.dumps({"results": {"sums": {"alias": "sums", "acc,none": 0.5}}}, indent=2), encoding="utf-8")
    with pytest.raises(
        DataError, match=r"results_2024\S+\.json: has results of all samples; .*samples_TASK_TIME\.jsonl"
    ):
        means(path)
    samples = tmp_path / "samples_sums_2024-07-30T10-00-00.5.jsonl"
    samples.touch()
    for read in (lambda: means(path), lambda: fw.evaluate("ter", files=str(path))):
        with pytest.raises(DataError, match=f"give the samples of the log, in {re.escape(str(samples))}"):
            read()


def test_a_log_of_two_models_is_an_error(shared_path: Shared, tmp_path: Path) -> None:
    lines = shared_path("golden/logs/every-eval-ever-old_samples.jsonl").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "x_samples.jsonl"
    path.write_text("\n".join([*lines[:2], lines[2].replace('"toy/old"', '"toy/new"')]), encoding="utf-8")
    with pytest.raises(DataError, match=r"jsonl:3: the model is 'toy/new', but 'toy/old' before"):
        rows_of(path)


def test_metadata_are_clusters_and_conditions(shared_path: Shared) -> None:
    paths = [str(shared_path(f"golden/logs/inspect-{which}.eval")) for which in ("new", "old")]
    quiet: dict[str, Any] = {"log": lambda _: None}
    (pair,) = fw.compare(scores=paths, clusters="metadata.document", **quiet)["match"].pairs
    assert (pair.inputs, pair.clusters) == (12, 4)
    assert fw.compare(scores=paths, where="metadata.document=doc2", **quiet).num_instances == 3


def test_what_has_no_score_is_counted_for_each_file_in_the_result(shared_path: Shared) -> None:
    path = str(shared_path("golden/logs/inspect-graded.json"))
    found = json.loads(fw.compare(scores=path, log=lambda _: None).to_json())
    assert found["not_counted"] == {f"{path}: error": 1, f"{path}: missing": 1}


# ---- Inspect ---------------------------------------------------------------------------------------------------------


def sample(instance: Any = 1, epoch: int = 1, value: Any = "C", **others: Any) -> dict[str, Any]:
    scores = {"match": {"value": value}}
    return {"id": instance, "epoch": epoch, "input": f"in {instance}", "target": "t", "scores": scores, **others}


HEADER = {"version": 2, "status": "success", "eval": {"model": "m", "task": "sums"}}


def write_eval(path: Path, members: Mapping[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in {"_journal/start.json": HEADER, **members}.items():
            archive.writestr(name, content if isinstance(content, (str, bytes)) else json.dumps(content))
    return path


def write_samples(path: Path, samples: list[dict[str, Any]], header: Mapping[str, Any] = HEADER) -> Path:
    members = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    return write_eval(path, {**members, "header.json": header})


def write_json_log(path: Path, samples: list[dict[str, Any]], header: Mapping[str, Any] = HEADER) -> Path:
    path.write_text(json.dumps({**header, "samples": samples}, indent=2))
    return path


FORMS = pytest.mark.parametrize("write", [write_samples, write_json_log])


@FORMS
@pytest.mark.parametrize(
    ("value", "expected", "why"),
    [
        ("C", {"match": 1.0}, ""),
        ("P", {"match": 0.5}, ""),
        ("N", {"match": 0.0}, ""),
        (True, {"match": 1.0}, ""),
        ("Yes", {"match": 1.0}, ""),
        ("false", {"match": 0.0}, ""),
        ("0.25", {"match": 0.25}, ""),
        (0.3, {"match": 0.3}, ""),
        ("excellent", {}, "label"),
        ("c", {}, "label"),
        (["C"], {}, "label"),
        (float("nan"), {"match": None}, "missing"),
        (float("inf"), {"match": None}, "missing"),
        (None, {"match": None}, "missing"),
        ({"a": 1, "b": "I"}, {"a": 1.0, "b": 0.0}, ""),
    ],
)
def test_values_of_inspect_are_scores_as_inspect_counts_them(
    write: Any, value: Any, expected: Any, why: str, tmp_path: Path
) -> None:
    log, (row,) = rows_of(write(tmp_path / "x.eval", [sample(value=value)]))
    assert row["metrics"] == expected
    assert [*log.left_out] == [why] * bool(why)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["C", "I", None], {"match": (0.0, 1.0)}),
        (["P", True, "Yes"], {"match": (0.0, 1.0)}),
        (["C", 1], {}),
        (["C", "0.5"], {}),
        (["C", "good"], {}),
    ],
)
def test_grades_and_answers_have_a_range(values: list[Any], expected: Any, tmp_path: Path) -> None:
    samples = [sample(number, value=value) for number, value in enumerate(values)]
    log, _ = rows_of(write_samples(tmp_path / "x.eval", samples))
    assert log.ranges == expected


def test_members_of_two_scorers_with_one_name_are_told_apart(tmp_path: Path) -> None:
    scores = {"a": {"value": {"x": 1, "y": 2}}, "b": {"value": {"x": 3}}, "y": {"value": 4}}
    _, (row,) = rows_of(write_samples(tmp_path / "x.eval", [{**sample(), "scores": scores}]))
    assert row["metrics"] == {"a.x": 1.0, "a.y": 2.0, "b.x": 3.0, "y": 4.0}


@FORMS
def test_repeats_are_averaged_over_those_with_a_score(write: Any, tmp_path: Path) -> None:
    repeats = [sample(1, 1, "C"), sample(1, 2, "I"), sample(1, 3, None), sample(2, 1, "I")]
    repeats += [{**sample(2, 2), "scores": {}, "error": {"message": "time"}}]
    log, rows = rows_of(write(tmp_path / "x.eval", repeats))
    assert [row["metrics"]["match"] for row in rows] == [0.5, 0.0]
    assert dict(log.left_out) == {"repeat": 1, "error": 1}


def test_a_log_has_the_texts_and_the_metadata_of_its_inputs(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Add."},
        {"role": "user", "content": [{"type": "text", "text": "2 + 3?"}, {"type": "image", "image": "x"}]},
    ]
    others = {"output": {"choices": [{"x": ["}"]}], "completion": "5"}, "metadata": {"a": {"b": 1}, "tags": [1]}}
    one = sample(**{"input": messages, "target": ["5", "five"], "events": [{'\\"}]': '"]}'}], **others})
    _, (row,) = rows_of(write_samples(tmp_path / "x.eval", [one]))
    assert row == {
        "instance_id": "1",
        "summarizer_id": "m",
        "data_set": "sums",
        "summary": "5",
        "references": ["5", "five"],
        "source": "2 + 3?",
        "metadata.a.b": 1,
        "metrics": {"match": 1.0},
    }


def test_the_last_member_of_a_name_counts(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "x.eval", [sample(value="I")])
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample(value="C")))
    assert means(path) == {"match": 1.0}


@pytest.mark.parametrize("status", ["started", "error", "cancelled"])
def test_an_evaluation_that_did_not_end_well_is_a_warning(status: str, tmp_path: Path) -> None:
    samples = [sample(number, value=number % 3) for number in range(6)]
    path = str(write_samples(tmp_path / "x.eval", samples, {**HEADER, "status": status}))
    with pytest.warns(UserWarning, match=f"'{status}'"), pytest.warns(UserWarning, match="only system"):
        fw.compare(scores=path)
    with pytest.raises(FwError, match=f"'{status}'"):
        fw.compare(scores=path, strict=True)


def test_a_log_without_its_end_is_read_from_its_journal(tmp_path: Path) -> None:
    log, rows = rows_of(write_eval(tmp_path / "x.eval", {"samples/1_epoch_1.json": sample()}))
    assert (log.system, log.status, len(rows)) == ("m", "success", 1)


def test_events_take_no_memory(tmp_path: Path) -> None:
    """8 MB of events take less memory than a quarter of them."""
    import tracemalloc

    text = json.dumps(sample()).removesuffix("}") + ', "events": [' + '{"a": ["\\"}", 1]}, ' * 400_000 + "0]}"
    path = write_eval(tmp_path / "x.eval", {"samples/1_epoch_1.json": text})
    del text
    tracemalloc.start()
    _, rows = rows_of(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 1
    assert peak < 2_000_000


# ---- hostile logs ----------------------------------------------------------------------------------------------------


def test_names_of_members_are_no_paths(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "x.eval", {"samples/../../evil_epoch_1.json": sample(), "/etc/x": "{", "../y": "{"})
    assert means(path) == {"match": 1.0}
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "not UTF-8"),
        ("[1]", "must be a JSON object"),
        ('{"id": 1', "is not JSON"),
        ('{"id": 1, "events": ["', "is not JSON"),
        ('{"id": 1 "epoch": 1}', "is not JSON"),
        ('{"id": 1.5}', "a text or a whole number, got the number 1.5"),
        ('{"id": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_an_invalid_member_is_named(content: Any, problem: str, tmp_path: Path) -> None:
    path = write_eval(tmp_path / "x.eval", {"samples/1_epoch_1.json": content})
    with pytest.raises(DataError, match=problem) as caught:
        rows_of(path)
    assert f"{path}/samples/1_epoch_1.json" in str(caught.value)


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_truncated_archive_is_an_error(kept: float, tmp_path: Path) -> None:
    path = write_samples(tmp_path / "x.eval", [sample(number) for number in range(50)])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(DataError, match="is not a complete zip archive") as caught:
        rows_of(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("content", [b"PK\3\4\0\0", b"PK\3\4" + bytes(26) + b"readme.txt" + bytes(99)])
def test_an_archive_that_is_no_log_is_no_workbook(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a complete zip archive"):
        means(path)


def test_damaged_bytes_of_a_member_are_an_error(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "x.eval", [sample()])
    content = path.read_bytes()
    packed = zlib.compress(json.dumps(sample()).encode())[2:20]
    path.write_bytes(content.replace(packed, b"\xff" * len(packed)))
    with pytest.raises(DataError, match="cannot be read"):
        rows_of(path)


def test_zstandard_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = write_samples(tmp_path / "x.eval", [sample()], HEADER)
    stored = write_eval(tmp_path / "y.eval", {"samples/1_epoch_1.json": b"?"}, zipfile.ZIP_STORED)
    with zipfile.ZipFile(stored, "w") as archive:
        for name, content in (("header.json", HEADER), ("samples/1_epoch_1.json", sample())):
            archive.writestr(name, zstandard.compress(json.dumps(content).encode()))
    content = stored.read_bytes()  # method 0 becomes 93 in the headers of both kinds
    for mark, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        parts = content.split(mark)
        content = mark.join([parts[0], *(p[: at - 4] + struct.pack("<H", 93) + p[at - 2 :] for p in parts[1:])])
    stored.write_bytes(content)
    assert means(stored) == means(path)
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(FwError, match=r"metrics-framework\[zst\]"):
        rows_of(stored)


def test_an_archive_in_a_pipe_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = write_samples(tmp_path / "x.eval", [sample()]).read_bytes()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(content)))
    with pytest.raises(DataError, match="cannot be read from a pipe"):
        rows_of(Path("-"))


# ---- lm-evaluation-harness -------------------------------------------------------------------------------------------

DATE = "2026-11-29T02-34-18.960014"


def document(number: int, by: str = "none", **scores: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"status": "rejected", "id": 7},
        "target": "5",
        "arguments": {"gen_args_0": {"arg_0": f"in {number}", "arg_1": {}}},
        "resps": [["5"]],
        "filtered_resps": ["5"],
        "filter": by,
        "metrics": [*scores],
        **scores,
    }


def write_run(folder: Path, rows: list[dict[str, Any]], results: Any = None, task: str = "sums") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if results is not None:
        (folder / f"results_{DATE}.json").write_text(json.dumps(results))
    return write_rows(folder / f"samples_{task}_{DATE}.jsonl", rows)


def test_scores_of_one_filter_have_the_names_of_their_metrics(tmp_path: Path) -> None:
    log, (row,) = rows_of(write_run(tmp_path / "org__m", [document(0, acc=1, ppl=[-3.2, 4])]))
    assert (row["metrics"], row["summarizer_id"], row["data_set"]) == ({"acc": 1.0}, "org__m", "sums")
    assert (row["source"], row["references"], row["summary"], row["doc.id"]) == ("in 0", ["5"], "5", 7)
    assert "fw compare --metric chrf --input-files" in log.notes()[0]


def test_an_epoch_that_a_sample_has_twice_is_an_error(tmp_path: Path) -> None:
    samples = [sample(1, 1, "C"), sample(1, 2, "I"), sample(1, 2, "C")]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**HEADER, "samples": samples}, indent=1))
    with pytest.raises(DataError, match=r"log.json:\d+: epoch 2 of sample '1' is there twice \(first sample: .*json:"):
        rows_of(path)


def test_a_score_that_a_sample_has_twice_is_an_error(tmp_path: Path) -> None:
    twice = write_run(tmp_path, [document(number, acc=1) for number in (0, 1, 1)])
    with pytest.raises(DataError, match=r"jsonl:3: the sample has 'acc' twice \(first sample: .*jsonl:2\)"):
        rows_of(twice)


@pytest.mark.parametrize("metrics", [3, {"acc": 1}, [3]])
def test_metrics_that_are_no_list_of_names_are_no_scores(metrics: Any, tmp_path: Path) -> None:
    _, (row,) = rows_of(write_run(tmp_path, [{**document(0, acc=1), "metrics": metrics}]))
    assert row["metrics"] == {}


def test_the_results_beside_name_the_model_and_the_direction(tmp_path: Path) -> None:
    results = {"results": {}, "higher_is_better": {"sums": {"loss": False}}, "model_name": "org/m"}
    log, (row,) = rows_of(write_run(tmp_path / "org__m", [document(0, loss=1, acc=0)], results))
    assert (row["summarizer_id"], log.directions) == ("org/m", {"loss": False, "acc": True})


def test_logs_that_disagree_on_the_direction_are_an_error_unless_it_is_given(tmp_path: Path) -> None:
    runs = [
        write_run(
            tmp_path / name,
            [document(number, loss=number) for number in range(6)],
            {"higher_is_better": {"sums": {"loss": higher}}, "model_name": name},
        )
        for name, higher in (("a", True), ("b", False))
    ]
    paths = [*map(str, runs)]
    with pytest.raises(DataError, match=r"higher is better in .*/a/.*, and lower in .*/b/"):
        fw.compare(scores=paths, log=lambda _: None)
    found = fw.compare(scores=paths, lower_is_better="loss", log=lambda _: None)
    assert found["loss"].score.higher_is_better is False
    logs = read_score_files(paths[:1]).logs
    assert (direction_in(logs, "loss"), direction_in(logs, "acc"), range_in(logs, "loss")) == (True, None, None)


def test_fields_of_documents_have_no_roles(tmp_path: Path) -> None:
    path = write_run(tmp_path / "org__m", [document(number, acc=1) for number in range(3)])
    files = read_score_files([str(path)])
    assert [row.instance_id for row in files.rows] == ["0", "1", "2"]
    converted = write_rows(tmp_path / "rows.jsonl", rows_of(path)[1])
    assert read_score_files([str(converted)]).rows == files.rows


# ---- pairs -----------------------------------------------------------------------------------------------------------


def test_ids_that_have_moved_are_an_error_that_lists_five(tmp_path: Path) -> None:
    rows = [document(number, acc=number % 2, norm=number % 3) for number in range(8)]
    moved = [{**row, "doc_id": (row["doc_id"] + 1) % 8} for row in rows]
    paths = [str(write_run(tmp_path / "a", rows)), str(write_run(tmp_path / "b", moved))]
    named = [f"{name}={path}" for name, path in zip("xy", paths, strict=True)]
    with pytest.raises(DataError, match=r"'1' has two sources: .* 7 other inputs: '2', '3', '4', '5', …; .*pair.by"):
        fw.compare(scores=named, log=lambda _: None)
    (pair,) = fw.compare(scores=named, pair_by="source", log=lambda _: None)["acc"].pairs
    assert (pair.first, pair.second, pair.inputs, tuple(pair.outcomes)) == ("x", "y", 8, (0, 8, 0))
    found = fw.correlate(named, metrics=["acc"], human="norm", pair_by="source", log=lambda _: None)
    assert found is not None


def test_a_name_before_the_file_is_the_system_of_its_rows(tmp_path: Path) -> None:
    scores = write_rows(tmp_path / "s.jsonl", [{"instance_id": 1, "system_id": "a", "metrics": {"m": 1}}])
    (tmp_path / "t.csv").write_text("id,m\n1,2\n")
    rows = read_score_files([f"x={scores}", f"y={tmp_path / 't.csv'}"]).rows
    assert [(row.summarizer_id, row.metrics) for row in rows] == [("x", {"m": 1}), ("y", {"m": 2.0})]


def test_two_runs_of_one_model_are_told_apart_by_names(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name / "org__m", [document(0, acc=acc)]) for name, acc in (("a", 0), ("b", 1))]
    with pytest.raises(DataError, match="name one, as in NAME=FILE"):
        read_score_files([*map(str, runs)])


# ---- folders ---------------------------------------------------------------------------------------------------------


def test_a_folder_is_its_logs_and_other_files_are_ignored(tmp_path: Path, shared_path: Shared) -> None:
    folder = tmp_path / "logs"
    write_run(folder / "org__m", [document(0, acc=1), document(1, acc=0)], {"model_name": "m"})
    write_json_log(folder / "i.json", [sample("0", value="C")], {**HEADER, "eval": {"model": "i", "task": "sums"}})
    write_samples(folder / "z.eval", [sample("0", value="I")], {**HEADER, "eval": {"model": "z", "task": "sums"}})
    (folder / "notes.txt").write_text("not a log")
    files = [folder / "i.json", next((folder / "org__m").glob("samples_*")), folder / "z.eval"]
    found, expected = ({*read(given).rows} for read, given in ((_read, [folder]), (_read, files)))
    assert found == expected
    assert {row[1] for row in found} == {"i", "m", "z"}


def _read(paths: list[Path]) -> Any:
    from types import SimpleNamespace

    from metrics_framework.inputs.rating_rows import sources_of

    rows = read_score_files(sources_of([*map(str, paths)])[0]).rows
    return SimpleNamespace(rows=[(row.instance_id, row.summarizer_id, *row.metrics.items()) for row in rows])


@FORMS
def test_two_logs_of_one_task_and_model_in_a_folder_are_listed(write: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "log", [sample()])
    write(tmp_path / "other", [sample()], {**HEADER, "eval": {"model": "x", "task": "sums"}})
    with pytest.raises(DataError, match="2 logs of the task 'sums' and the model 'm'") as caught:
        fw.compare(scores=str(tmp_path), log=print)
    command = str(caught.value).rpartition("such as ")[2].split()
    assert command == [str(tmp_path / "other"), str(tmp_path / "two" / "log")]
    named = fw.compare(scores=[f"a={tmp_path / 'one'}", f"b={tmp_path / 'two'}"], log=print)
    assert [system.system for system in named.comparisons[0].systems] == ["a", "b"]


@pytest.mark.parametrize("name", [None, "notes.txt"])
def test_a_folder_without_logs_is_reported(name: str | None, tmp_path: Path) -> None:
    if name:
        (tmp_path / name).write_text("not a log")
    with pytest.raises(DataError, match=r"is a folder without logs; name its files, as in .*\*\.jsonl"):
        fw.compare(scores=str(tmp_path))


def test_logs_of_every_eval_ever_in_a_folder(tmp_path: Path, shared_path: Shared) -> None:
    for path in shared_path("golden/logs").glob("every-eval-ever-*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    found = fw.compare(scores=str(tmp_path), names="exact_match:first", log=print)
    assert len(found["exact_match:first"].systems) == 2
