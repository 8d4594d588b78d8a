"""Hashes of files and folders."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from metrics_framework.common.errors import DataError
from metrics_framework.io.folder_hash import hash_of_file, hash_of_folder


def test_the_hash_of_a_folder_is_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"2")
    (tmp_path / "a").write_bytes(b"1")
    expected = hashlib.sha256(b"a\x001b\x002").hexdigest()[:12]
    assert hash_of_folder(str(tmp_path)) == expected
    (tmp_path / ".hidden").write_bytes(b"3")
    (tmp_path / "folder").mkdir()
    assert hash_of_folder(str(tmp_path)) == expected
    (tmp_path / "a").write_bytes(b"10")
    assert hash_of_folder(str(tmp_path)) != expected


def test_the_hash_of_a_file_is_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    assert hash_of_file(str(tmp_path / "a")) == hashlib.sha256(b"1").hexdigest()[:12]
    with pytest.raises(DataError, match="cannot be read: No such file"):
        hash_of_file(str(tmp_path / "b"))
