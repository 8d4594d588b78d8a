"""A cache on disk: JSON values by key, kept between runs and shared by processes."""

from __future__ import annotations

import hashlib
import json
import os
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from metrics_framework.common.errors import DataError, UsageError, counted

if TYPE_CHECKING:
    import sqlite3

VARIABLE = "FW_CACHE"
SECONDS_TO_WAIT = 60  # for another process that writes
_MAX_KEYS = 500  # in one query; SQLite allows 999 parameters


def cache_home() -> str:
    """Returns the folder of caches.

    It is ``FW_CACHE``, else ``$XDG_CACHE_HOME/metrics_framework``, else ``~/.cache/metrics_framework``.
    """
    return home(VARIABLE, "XDG_CACHE_HOME", os.path.join("~", ".cache"))


def home(variable: str, shared_variable: str, default: str) -> str:
    """Returns the folder in an environment variable, else this package's in that of all programs or in a default."""
    shared = os.path.join(os.environ.get(shared_variable) or default, "metrics_framework")
    return os.path.abspath(os.path.expanduser(os.environ.get(variable) or shared))


def cache_key(*parts: Any) -> str:
    """Returns the key of a value: a SHA-256 of all that the value depends on, as JSON.

    >>> cache_key("bertscore", ["a text"])[:12] == cache_key("bertscore", ["a text"])[:12]
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def any_value(value: Any) -> Any:
    """Returns a value of any form, for `DiskCache.get`."""
    return value


def list_of(*kinds: Any) -> Callable[[Any], list[Any]]:
    """Returns the function that reads a list of values of given types, for `DiskCache.get`.

    Args:
        kinds: For each value its type, or a function that returns whether a value has the right form.

    >>> read = list_of(float, bool, str | None)
    >>> read([1, True, None])
    [1, True, None]
    """
    checks = [
        kind if callable(kind) and not isinstance(kind, type) else partial(_is_one_of, get_args(kind) or (kind,))
        for kind in kinds
    ]

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) != len(checks):
            raise ValueError("the value has another form")
        if not all(check(one) for check, one in zip(checks, value, strict=True)):
            raise ValueError("the value has another form")
        return value

    return read


def all_of(kind: type) -> Callable[[Any], bool]:
    """Returns the function that returns whether a value is a list of values of a type.

    >>> are_flags = all_of(bool)
    >>> are_flags([True, False]), are_flags([1]), are_flags(True)
    (True, False, False)
    """

    def check(value: Any) -> bool:
        return isinstance(value, list) and all(_is_one_of((kind,), one) for one in value)

    return check


def _is_one_of(types: Sequence[type], value: Any) -> bool:
    """Returns whether a JSON value has one of some types; a whole number is a float, but no truth value is a number."""
    if isinstance(value, int) and not isinstance(value, bool) and float in types:
        return True
    return type(value) in types


class DiskCache:
    """JSON values by key in an SQLite file.

    A value is on disk when `put` returns, so that a killed run loses no earlier value. The file is created with the
    first value, and only its user may read it. Several processes may use it. A damaged value counts as missing: it is
    computed again and replaced.

    Args:
        name: The name of the file in `cache_home`, without ending.

    Raises:
        UsageError: if the file cannot be opened or written.
        DataError: if the file is not a cache, or damaged.
    """

    def __init__(self, name: str) -> None:
        self.path = os.path.join(cache_home(), f"{name}.sqlite")
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._damaged: set[str] = set()

    def get(self, keys: Iterable[str], read: Callable[[Any], Any] = any_value) -> dict[str, Any]:
        """Returns the values of the keys that have one; damaged values are left out, and counted in `notes`.

        Args:
            keys: The keys.
            read: Returns what a JSON value means. It raises `ValueError` or `TypeError` if the value has not the
                form of the values that were stored, and so is damaged.
        """
        wanted = list(dict.fromkeys(keys))
        if not wanted or (self._connection is None and not os.path.exists(self.path)):
            return {}
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), _MAX_KEYS):
            some = wanted[start : start + _MAX_KEYS]
            marks = ", ".join("?" * len(some))
            for key, value in self._run(f"SELECT key, value FROM entries WHERE key IN ({marks})", [some]):
                try:
                    found[key.decode()] = read(json.loads(str(value, "utf-8")))
                except (ValueError, TypeError, RecursionError):
                    self._damaged.add(key.decode())
        return found

    def reject(self, key: str) -> None:
        """Counts a value that was returned as damaged."""
        self._damaged.add(key)

    def notes(self) -> list[str]:
        """Returns a note if values were damaged."""
        if not self._damaged:
            return []
        damaged = counted(len(self._damaged), "damaged value")
        return [
            f"the cache {self.path} had {damaged}, not used here; values that are computed again replace them; if this "
            "note appears again, delete the file"
        ]

    def put(self, values: Mapping[str, Any]) -> None:
        """Stores values; a key that exists gets the new value."""
        if values:
            rows = [(key, json.dumps(value)) for key, value in values.items()]
            self._run("INSERT OR REPLACE INTO entries VALUES (?, ?)", rows)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_connection": None}

    def _run(self, statement: str, rows: list[Any]) -> list[tuple[bytes, Any]]:
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
            raise DataError(
                f"is not a cache, or damaged ({error}); delete it, or turn the cache off", self.path
            ) from error

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
            with suppress(OSError):  # SQLite reports it
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite itself would let everyone read it
            connection = sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT, check_same_thread=False)
            connection.text_factory = bytes  # a value may be damaged
            try:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"
                )
            except sqlite3.Error:
                connection.close()
                raise
            self._connection, self._process = connection, os.getpid()
            weakref.finalize(self, connection.close).atexit = False
        return self._connection
