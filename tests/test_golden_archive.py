"""The archive of golden files: equal bytes, checked content, no texts that must not be copied."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import golden_archive
import pytest
from golden_archive import WITHOUT, GoldenError, archive_of, checked, files_of, golden_folder, manifest
from web_server import serving

FILES = {"a.json": b"{}", "learned/b.json": b"[1]"}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of two files, which are those of the manifest."""
    monkeypatch.setattr(golden_archive, "MANIFEST", tmp_path / "golden.sha256")
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in FILES.items()]
    (tmp_path / "golden.sha256").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "golden.tar.gz").write_bytes(archive_of(FILES))
    return tmp_path / "golden.tar.gz"


def test_an_archive_is_unpacked(small: Path, tmp_path: Path) -> None:
    folder = golden_folder(str(small), tmp_path / "unpacked")
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES


def test_an_archive_at_an_address_is_downloaded(small: Path, tmp_path: Path) -> None:
    with serving() as server:
        server.files["/golden.tar.gz"] = small.read_bytes()
        folder = golden_folder(f"{server.url}/golden.tar.gz", tmp_path / "unpacked")
    assert (folder / "a.json").read_bytes() == b"{}"


def test_other_files_are_refused(small: Path, tmp_path: Path) -> None:
    small.write_bytes(archive_of({"a.json": b"{}", "learned/b.json": b"[2]"}))
    with pytest.raises(GoldenError, match=r"learned/b\.json differs"):
        golden_folder(str(small), tmp_path / "unpacked")
    small.write_bytes(archive_of({"learned/b.json": b"[1]"}))
    with pytest.raises(GoldenError, match=r"a\.json is missing"):
        golden_folder(str(small), tmp_path / "unpacked")


def test_names_outside_the_folder_are_not_written(small: Path, tmp_path: Path) -> None:
    small.write_bytes(archive_of({**FILES, "../outside": b"x"}))
    golden_folder(str(small), tmp_path / "unpacked")
    assert not (tmp_path / "outside").exists()


def test_the_golden_files_are_those_of_the_manifest(shared_path: Callable[[str], Path]) -> None:
    assert checked(files_of(shared_path("golden"))).keys() == manifest().keys()
    assert not {*WITHOUT} & manifest().keys()


@pytest.mark.slow  # reads all texts
def test_no_golden_file_quotes_turkcorpus(shared_path: Callable[[str], Path]) -> None:
    texts = shared_path("data/turkcorpus")
    sentences = {
        line.strip().encode()
        for path in texts.rglob("*")
        if path.is_file()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if len(line) > 60  # an example that metrics are published with is shorter
    }
    copied = files_of(shared_path("golden"))
    assert len(sentences) > 1000
    assert [name for name, content in copied.items() if any(sentence in content for sentence in sentences)] == []
