"""Hashes of files and folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import needs_pipes

from metrics_framework.common.errors import DataError
from metrics_framework.io import content
from metrics_framework.io.content import hash_of, paths_named, states_of

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def first_digits(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a folder, a hidden file and a file that Python compiled."""
    made = tmp_path / "folder"
    for name in ("b", "a", ".hidden", "inner/a", "__pycache__/a.pyc"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(f"content of {name}")
    return made


def names(path: Path) -> list[str]:
    return [state.name for state in states_of(str(path))]


def test_the_hash_of_a_model_is_of_the_names_and_contents_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"2")
    (tmp_path / "a").write_bytes(b"1")
    expected = first_digits(b"a\x001b\x002")
    assert hash_of(str(tmp_path), is_flat=True) == expected
    (tmp_path / ".hidden").write_bytes(b"3")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "c").write_bytes(b"4")
    assert hash_of(str(tmp_path), is_flat=True) == expected
    (tmp_path / "a").write_bytes(b"10")
    assert hash_of(str(tmp_path), is_flat=True) != expected
    assert hash_of(str(tmp_path / "b")) == first_digits(b"2")
    assert hash_of(str(tmp_path / "a"), str(tmp_path / "b")) == first_digits(b"102")
    with pytest.raises(DataError, match="c: cannot be read: No such file"):
        hash_of(str(tmp_path / "c"))


def test_names_are_relative_sorted_and_of_all_files_but_compiled_ones(folder: Path, tmp_path: Path) -> None:
    assert names(folder) == [".hidden", "a", "b", "inner/a"]
    folder.rename(tmp_path / "moved")
    moved = hash_of(str(tmp_path / "moved"))
    (tmp_path / "moved").rename(folder)
    assert hash_of(str(folder)) == moved


CHANGES: dict[str, Callable[[Path], object]] = {
    "content of the same size and time": lambda folder: rewritten(folder / "a"),
    "content in a folder": lambda folder: rewritten(folder / "inner" / "a"),
    "hidden file": lambda folder: (folder / ".hidden").write_text("other"),
    "new file": lambda folder: (folder / "c").touch(),
    "removed file": lambda folder: (folder / "inner" / "a").unlink(),
    "renamed file": lambda folder: (folder / "a").rename(folder / "A"),
    "moved file": lambda folder: (folder / "b").rename(folder / "inner" / "b"),
    "name and content exchanged": lambda folder: [(folder / "a").write_text("content of b"), (folder / "b").unlink()],
}


def rewritten(path: Path) -> None:
    """Replaces a file by one of the same size and time of modification."""
    status = path.stat()
    path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_of_content_changes_the_hash(name: str, folder: Path) -> None:
    before = hash_of(str(folder))
    CHANGES[name](folder)
    assert hash_of(str(folder)) != before


def test_times_do_not_change_the_hash_but_that_of_a_large_folder(folder: Path) -> None:
    path = str(folder)
    size = sum(state.size for state in states_of(path))
    before = [hash_of(path, limit=limit) for limit in (None, size, size - 1)]
    assert before[0] == before[1] != before[2]
    os.utime(folder / "inner" / "a", ns=(1, 1))
    after = [hash_of(path, limit=limit) for limit in (None, size, size - 1)]
    assert after[:2] == before[:2]
    assert after[2] != before[2]


@needs_pipes
def test_a_folder_of_several_names_is_read_once_and_links_form_no_loop(folder: Path) -> None:
    (folder / "inner" / "up").symlink_to(folder)
    (folder / "other").symlink_to(folder / "inner")
    (folder / "nothing").symlink_to(folder / "missing")
    (folder / "self").symlink_to("self")
    assert names(folder) == [".hidden", "a", "b", "inner/a", "inner/up/", "other/"]
    before = hash_of(str(folder))
    os.mkfifo(folder / "pipe")
    assert hash_of(str(folder)) == before, "pipes are not read"
    (folder / "other").unlink()
    (folder / "other").symlink_to(folder)
    assert hash_of(str(folder)) != before


def test_linked_files_and_folders_are_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x").write_text("1")
    (folder / "file").symlink_to(tmp_path / "elsewhere" / "x")
    (folder / "more").symlink_to(tmp_path / "elsewhere")
    assert names(folder)[-2:] == ["inner/a", "more/x"]
    before = hash_of(str(folder))
    (tmp_path / "elsewhere" / "x").write_text("2")
    assert hash_of(str(folder)) != before


@pytest.mark.skipif(ROOT, reason="the superuser reads everything")
@pytest.mark.parametrize("name", ["a", "inner/a", "inner"])
def test_what_cannot_be_read_is_named(name: str, folder: Path) -> None:
    (folder / name).chmod(0)
    try:
        with pytest.raises(DataError, match="cannot be read: Permission denied") as caught:
            hash_of(str(folder))
    finally:
        (folder / name).chmod(0o700)
    assert caught.value.path == str(folder / name)


def test_a_file_that_fails_while_it_is_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str, mode: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(content, "open", fail, raising=False)
    with pytest.raises(DataError, match="cannot be read: Input/output error") as caught:
        hash_of(str(folder))
    assert caught.value.path == str(folder / ".hidden")


def test_files_are_read_once_in_a_process_until_one_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    add_file = content._add_file
    monkeypatch.setattr(content, "_add_file", lambda digest, path: [read.append(path), add_file(digest, path)])
    monkeypatch.setattr(content, "_SAME_TIME", -1)
    for _ in range(3):
        hash_of(str(folder))
    files = [str(folder / name) for name in (".hidden", "a", "b", "inner/a")]
    assert read == files
    (folder / "b").write_text("longer than it was before")
    hash_of(str(folder))
    assert read == files * 2


def test_files_are_found_in_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cfg.json").touch()
    Path("model").mkdir()
    several = f"-cp none{os.pathsep}cfg.json"
    for words in ("cfg.json", "--config=cfg.json", "--config cfg.json", "--files=none,cfg.json", several, "@cfg.json"):
        for name in ("cfg.json", "model"):
            assert paths_named(words.replace("cfg.json", name).split()) == [name]
    assert paths_named(["a=b=c", "x", "cfg.json", "cfg.json"]) == ["cfg.json"]
