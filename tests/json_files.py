"""JSON and JSON Lines, as tests write and read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_json(path: str | Path) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write_json(path: str | Path, value: Any) -> None:
    Path(path).write_text(json.dumps(value), encoding="utf-8")


def write_rows(path: str | Path, rows: Iterable[Any]) -> Path:
    """Writes rows; returns the path."""
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Path(path)
