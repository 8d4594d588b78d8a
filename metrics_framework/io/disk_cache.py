"""A cache on disk: JSON values by key, kept between runs and shared by processes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, UsageError

if TYPE_CHECKING:
    import sqlite3

VARIABLE = "FW_CACHE"
SECONDS_TO_WAIT = 60  # for another process that writes
_MAX_KEYS = 500  # in one query; SQLite allows 999 parameters


def cache_home() -> str:
    """Returns the folder of caches.

    It is ``FW_CACHE``, else ``$XDG_CACHE_HOME/metrics_framework``, else ``~/.cache/metrics_framework``.
    """
    configured = os.environ.get(VARIABLE)
    if configured:
        return os.path.abspath(os.path.expanduser(configured))
    shared = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
    return os.path.join(os.path.abspath(os.path.expanduser(shared)), "metrics_framework")


def cache_key(*parts: Any) -> str:
    """Returns the key of a value: a SHA-256 of all that the value depends on, as JSON.

    >>> cache_key("bertscore", ["a text"])[:12] == cache_key("bertscore", ["a text"])[:12]
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class DiskCache:
    """JSON values by key in an SQLite file.

    A value is on disk when `put` returns, so that a killed run loses no earlier value. The file is created with the
    first value. Several processes may use it.

    Args:
        name: The name of the file in `cache_home`, without ending.

    Raises:
        UsageError: if the file cannot be opened or written.
        DataError: if the file is not a cache.
    """

    def __init__(self, name: str) -> None:
        self.path = os.path.join(cache_home(), f"{name}.sqlite")
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """Returns the values of the keys that have one."""
        wanted = list(dict.fromkeys(keys))
        if not wanted or (self._connection is None and not os.path.exists(self.path)):
            return {}
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), _MAX_KEYS):
            some = wanted[start : start + _MAX_KEYS]
            marks = ", ".join("?" * len(some))
            for key, value in self._run(f"SELECT key, value FROM entries WHERE key IN ({marks})", [some]):
                found[key] = json.loads(value)
        return found

    def put(self, values: Mapping[str, Any]) -> None:
        """Stores values; a key that exists gets the new value."""
        if values:
            rows = [(key, json.dumps(value)) for key, value in values.items()]
            self._run("INSERT OR REPLACE INTO entries VALUES (?, ?)", rows)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_connection": None}

    def _run(self, statement: str, rows: list[Any]) -> list[tuple[str, str]]:
        import sqlite3

        try:
            with self._connected() as connection:
                if len(rows) == 1:
                    return connection.execute(statement, rows[0]).fetchall()
                connection.executemany(statement, rows)
                return []
        except sqlite3.OperationalError as error:
            raise UsageError(
                f"cannot use the cache {self.path}: {error}; turn the cache off, or set {VARIABLE} to another folder"
            ) from error
        except sqlite3.DatabaseError as error:
            raise DataError(f"is not a cache ({error}); delete it, or turn the cache off", self.path) from error

    def _connected(self) -> sqlite3.Connection:
        """Opens the file, once in each process: a connection must not be shared with a forked process."""
        import sqlite3

        if self._connection is None or self._process != os.getpid():
            try:
                os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            except OSError as error:
                raise UsageError(
                    f"cannot create the folder of the cache, {os.path.dirname(self.path)}: {error.strerror}; "
                    f"turn the cache off, or set {VARIABLE} to another folder"
                ) from error
            connection = sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT, check_same_thread=False)
            connection.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
            self._connection, self._process = connection, os.getpid()
        return self._connection
