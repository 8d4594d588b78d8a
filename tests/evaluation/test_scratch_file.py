"""Files for what memory should not hold: what is written comes back, and a disk that cannot hold it is named."""

from __future__ import annotations

import errno
import functools
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import CANNOT_READ_OR_WRITE

from metrics_framework.commands.app import main
from metrics_framework.evaluation.checked_input import checked_batches
from metrics_framework.evaluation.external_sort import ExternalSort, ScratchFile

TEXTS = st.text(st.characters() | st.sampled_from("\0\ud800\n"))
needs_a_full_disk = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is full")


@given(st.lists(st.lists(TEXTS) | TEXTS | st.tuples(st.integers(), st.binary(), st.none())))
def test_values_are_read_as_they_were_written(values: list[Any]) -> None:
    file = ScratchFile()
    for value in values:
        file.write(value)
    assert list(file.values()) == values
    assert list(file.values()) == values, "a second time"
    file.close()
    assert file.closed


def test_a_file_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = ScratchFile()
    file.write(b"x" * 100_000)
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError) as caught:
        ScratchFile()
    assert caught.value.filename == str(tmp_path / "none")


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, on a disk that is full."""
    folder = tmp_path / "scratch"
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "w+b"))  # noqa: SIM115
    return folder


@needs_a_full_disk
@pytest.mark.parametrize("size", [10, 100_000])
def test_a_full_disk_is_named_and_closing_says_nothing_more(size: int, full_disk: Path) -> None:
    file = ScratchFile()
    with pytest.raises(OSError, match="No space left") as caught:  # noqa: PT012 - a small one fails when it is read
        file.write(b"x" * size)
        list(file.values())
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(full_disk))
    file.close()
    assert file.closed


SORTS = [("checked_input", "evaluate"), ("checked_input", "score"), ("sorted_rows", "score")]


@needs_a_full_disk
@pytest.mark.parametrize(("module", "command"), SORTS)
def test_a_run_whose_temporary_files_find_no_room_says_so_and_writes_nothing(
    module: str,
    command: str,
    full_disk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [{"instance_id": f"{999 - number}", "summary": "a", "references": ["b"]} for number in range(1000)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    small_batches = functools.partial(checked_batches, size=10, in_memory=0)
    monkeypatch.setattr("metrics_framework.evaluation.run.checked_batches", small_batches)
    small_sort = functools.partial(ExternalSort, 10)
    monkeypatch.setattr(f"metrics_framework.evaluation.{module}.ExternalSort", small_sort)
    out = tmp_path / ("out.json" if command == "evaluate" else "out.jsonl")
    assert main(["ter", command, str(out), "--input-files", str(tmp_path / "in.jsonl")]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"fw: error: {CANNOT_READ_OR_WRITE}: '{full_disk}': No space left on device\n"
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
