import os
import pickle
import stat

import pytest

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.io.disk_cache import DiskCache, cache_home, cache_key
from metrics_framework.language_models.language_model import BatchFile


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_values_are_kept_between_runs(folder):
    assert DiskCache("scores").get(["a"]) == {}
    assert not folder.exists(), "reading creates no file"
    cache = DiskCache("scores")
    cache.put({"a": 1, "b": {"text": "é\ud800"}})
    cache.put({"a": 1.5})
    for one in (cache, DiskCache("scores"), pickle.loads(pickle.dumps(cache))):
        assert one.get(["b", "a", "c", "a"]) == {"a": 1.5, "b": {"text": "é\ud800"}}
    values = {cache_key("text", number): number for number in range(2500)}  # more than one query allows
    cache.put(values)
    assert cache.get(values) == values


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
def test_caches_and_batches_of_requests_can_be_read_by_their_user_alone(folder):
    before = os.umask(0)
    try:
        DiskCache("scores").put({"a": 1})
        batch = BatchFile(str(folder / "batch.jsonl"))
        batch.request("0" * 64, {"messages": []})
        batch.write()
    finally:
        os.umask(before)
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())} == {
        "cache": 0o700,
        "scores.sqlite": 0o600,
        "batch.jsonl": 0o600,
    }


def test_a_file_that_is_not_a_cache_and_a_folder_that_cannot_be_created_are_named(folder):
    folder.write_text("a file")
    with pytest.raises(UsageError, match="cannot create the folder of the cache"):
        DiskCache("scores").put({"a": 1})
    folder.unlink()
    folder.mkdir()
    (folder / "scores.sqlite").write_text("not a database, but longer than a header\n" * 100)
    with pytest.raises(DataError, match=r"scores\.sqlite.*is not a cache"):
        DiskCache("scores").get(["a"])


def test_keys_differ_with_every_part_and_the_home_is_that_of_the_user_by_default(monkeypatch, tmp_path):
    keys = {cache_key("a", "b"), cache_key("a", "c"), cache_key("ab"), cache_key(["a", "b"]), cache_key("a", None)}
    assert len(keys) == 5
    monkeypatch.delenv("FW_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_home() == str(tmp_path / "metrics_framework")
