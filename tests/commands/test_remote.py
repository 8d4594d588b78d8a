"""Tests of remote paths as the inputs and outputs of ``fw``, against a local S3 server."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from messages import BOTH_INPUT_AND_OUTPUT, NOT_A_RESULT_OF_FW
from object_store import ObjectStore

from metrics_framework.evaluation.external_sort import Run


@pytest.fixture
def uploaded(s3: ObjectStore, datasets_path: Path) -> Path:
    """Uploads the example of simplification; returns its local folder."""
    folder = datasets_path / "simplification"
    for file in folder.iterdir():
        s3.put(f"data/{file.name}", file.read_bytes())
    s3.put("data/outputs.jsonl.gz", gzip.compress((folder / "outputs.jsonl").read_bytes()))
    return folder


@pytest.mark.slow
def test_scores_of_remote_files_are_those_of_local_ones(fw: Run, s3: ObjectStore, uploaded: Path) -> None:
    assert fw("ter", "evaluate", "macro.json", "micro.jsonl", "--input-files", uploaded / "outputs.jsonl")[0] == 0
    outputs = f"{s3.url}/out/macro.json", f"{s3.url}/out/micro.jsonl.gz"
    for name, flags in (("outputs.jsonl", ()), ("outputs.jsonl.gz", ()), ("outputs.jsonl", ("--jobs", "2"))):
        code, _, error = fw("ter", "evaluate", *outputs, "--input-files", f"{s3.url}/data/{name}", *flags)
        assert (code, f"wrote output scores to {outputs[1]}" in error) == (0, True), error
        assert s3.get("out/macro.json") == Path("macro.json").read_bytes()
        assert gzip.decompress(s3.get("out/micro.jsonl.gz")) == Path("micro.jsonl").read_bytes()
    assert s3.uploads() == []


@pytest.mark.slow
def test_text_files_and_patterns(fw: Run, s3: ObjectStore, uploaded: Path) -> None:
    def bleu(folder: object) -> tuple[int, str, str]:
        systems = [f"{folder}/careful.txt", f"{folder}/clumsy.txt"]
        references = [f"{folder}/references.{number}.txt" for number in range(3)]
        return fw("bleu", "evaluate", "--outputs", *systems, "--references", *references)

    local = bleu(uploaded)
    assert local[0] == 0
    assert bleu(f"{s3.url}/data") == local
    for folder in (uploaded, f"{s3.url}/data"):
        words = ("--outputs", f"{folder}/c*.txt", "--references", f"{folder}/references.?.txt")
        assert fw("bleu", "evaluate", *words) == local
    code, _, error = fw(
        "bleu", "evaluate", "--outputs", f"a={uploaded}/c*.txt", "--references", uploaded / "careful.txt"
    )
    assert (code, "the name 'a' is given to" in error, "matches 2 files" in error) == (2, True, True)
    assert fw("bleu", "evaluate", f"{s3.url}/data/references.0.txt", "-i", f"{s3.url}/data/careful.txt")[0] == 0


@pytest.mark.slow
def test_correlation_comparison_and_report(fw: Run, s3: ObjectStore, uploaded: Path) -> None:
    scores = f"{s3.url}/out/scores.jsonl"
    assert fw("ter", "score", scores, "--input-files", f"{s3.url}/data/outputs.jsonl")[0] == 0
    assert fw("ter", "score", "scores.jsonl", "--input-files", uploaded / "outputs.jsonl")[0] == 0
    assert s3.get("out/scores.jsonl") == Path("scores.jsonl").read_bytes()
    flags = ("--metrics", "ter", "simplicity", "--output-file")
    assert fw("correlate", scores, f"{s3.url}/data/hum*.jsonl", *flags, f"{s3.url}/out/correlation.json")[0] == 0
    assert fw("correlate", "scores.jsonl", uploaded / "human.jsonl", *flags, "correlation.json")[0] == 0
    assert s3.get("out/correlation.json") == Path("correlation.json").read_bytes()
    assert fw("compare", scores, "--score", "ter") == fw("compare", "scores.jsonl", "--score", "ter")
    page = f"{s3.url}/out/report.html"
    for _ in range(2):  # the second replaces the first, which is a result of fw
        code, _, error = fw("report", page, "--input-files", f"{s3.url}/data/outputs.jsonl", "-m", "ter")
        assert (code, f"to {page} (" in error) == (0, True), error
    assert b"outputs.jsonl" in s3.get("out/report.html")
    assert s3.uploads() == []


@pytest.mark.slow
def test_names_of_systems_come_from_remote_paths(fw: Run, s3: ObjectStore) -> None:
    paths = [s3.put(f"runs/{system}/out.txt", b"a cat\n") for system in ("first", "second")]
    out = fw("bleu", "evaluate", "--outputs", *paths, "--references", s3.put("ref.txt", b"a cat\n"))[1]
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["first", "second"]


@pytest.mark.slow
def test_remote_files_are_protected(fw: Run, s3: ObjectStore, uploaded: Path) -> None:
    rows = f"{s3.url}/data/outputs.jsonl"
    code, _, error = fw("ter", "evaluate", f"{s3.url}/m.json", rows, "--input-files", rows)
    assert (code, f"'{rows}' {BOTH_INPUT_AND_OUTPUT}" in error) == (2, True)
    foreign = s3.put("notes.json", b'{"note": "mine"}')
    code, _, error = fw("ter", "evaluate", foreign, "--input-files", rows)
    assert (code, f"'{foreign}' exists and {NOT_A_RESULT_OF_FW}" in error) == (2, True)
    assert s3.get("notes.json") == b'{"note": "mine"}'
    assert fw("ter", "evaluate", foreign, "--input-files", rows, "--force")[0] == 0
    assert b"ter" in s3.get("notes.json")


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--jobs", "2")])
def test_errors_are_those_of_local_files(fw: Run, s3: ObjectStore, flags: tuple[str, ...]) -> None:
    content = b'{"instance_id": "1", "summary": "a", "references": ["b"]}\n{"instance_id": "2"}\nno\n'
    Path("bad.jsonl").write_bytes(content)
    s3.put("bad.jsonl", content)
    for name in ("bad.jsonl", "missing.jsonl"):
        local = fw("ter", "evaluate", "--input-files", name, *flags)
        remote = fw("ter", "evaluate", "--input-files", f"{s3.url}/{name}", *flags)
        assert local[0] != 0
        assert (remote[0], remote[2].replace(f"{s3.url}/", "")) == (local[0], local[2])


@pytest.mark.slow
@pytest.mark.parametrize(("number", "size"), [(signal.SIGINT, 8000), (signal.SIGTERM, 1)], ids=["16-MB", "some-kB"])
def test_signals_leave_no_object(s3: ObjectStore, number: signal.Signals, size: int) -> None:
    words = ["ter", "evaluate", f"{s3.url}/macro.json", f"{s3.url}/micro.jsonl", "--input-files", "-"]
    with subprocess.Popen(
        [sys.executable, "-m", "metrics_framework", *words],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **s3.environment},
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        row = '{"instance_id": "%s%d", "summarizer_id": "a", "summary": "a cat", "references": ["a dog"]}\n'
        for count in range(2100):  # more than a batch, and for the larger size, more than a part
            process.stdin.write((row % ("x" * size, count)).encode())
        process.stdin.flush()
        while not (s3.parts("micro.jsonl") if size > 1 else s3.uploads()):
            assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        error = process.stderr.read().decode()
        assert process.wait(20) == (130 if number == signal.SIGINT else 143)
    assert ("interrupted" if number == signal.SIGINT else "terminated") in error
    assert s3.keys() == []
    assert s3.uploads() == []


def test_urls_of_local_files_are_protected(fw: Run, datasets_path: Path) -> None:
    pytest.importorskip("fsspec", reason="remote paths need fsspec")
    rows = Path("rows.jsonl")
    rows.write_bytes((datasets_path / "simplification" / "outputs.jsonl").read_bytes())
    code, _, error = fw("ter", "evaluate", "m.json", rows.absolute().as_uri(), "--input-files", rows)
    assert (code, BOTH_INPUT_AND_OUTPUT in error) == (2, True), error
    uri = Path("new", "micro.jsonl").absolute().as_uri()
    assert fw("ter", "evaluate", "m.json", uri, "--input-files", rows.absolute().as_uri())[0] == 0
    assert fw("ter", "evaluate", "m.json", "local.jsonl", "--input-files", rows)[0] == 0
    assert Path("new", "micro.jsonl").read_bytes() == Path("local.jsonl").read_bytes()


@pytest.mark.slow
def test_parquet_files_can_be_remote(fw: Run, s3: ObjectStore, uploaded: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import json, parquet

    parquet.write_table(json.read_json(uploaded / "outputs.jsonl"), "rows.parquet", row_group_size=40)
    rows = s3.put("rows.parquet", Path("rows.parquet").read_bytes())
    assert fw("ter", "evaluate", "m.json", "micro.parquet", "--input-files", "rows.parquet")[0] == 0
    for flags in ((), ("--jobs", "2")):
        words = f"{s3.url}/m.json", f"{s3.url}/micro.parquet", "--input-files", rows, *flags
        assert fw("ter", "evaluate", *words)[0] == 0
        assert s3.get("m.json") == Path("m.json").read_bytes()
        assert s3.get("micro.parquet") == Path("micro.parquet").read_bytes()
    assert fw("ter", "score", f"{s3.url}/scores.parquet", "--input-files", f"{s3.url}/*rows.parquet")[0] == 0
    assert fw("compare", f"{s3.url}/scores.parquet", "--score", "ter") == fw(
        "compare", "micro.parquet", "--score", "ter"
    )


@pytest.mark.slow
def test_parquet_with_a_mistake_leaves_no_object(fw: Run, s3: ObjectStore) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    ids = [str(number) for number in range(5000)]
    table = pa.table({"instance_id": ids, "summary": ["a cat"] * 4999 + [None], "references": [["a dog"]] * 5000})
    parquet.write_table(table, "rows.parquet")
    rows = s3.put("rows.parquet", Path("rows.parquet").read_bytes())
    code, _, error = fw("ter", "evaluate", f"{s3.url}/m.json", f"{s3.url}/micro.parquet", "--input-files", rows)
    assert (code, f"{rows}:row 5000: 'summary' is null" in error) == (1, True), error
    assert s3.keys() == ["rows.parquet"]
    assert s3.uploads() == []
