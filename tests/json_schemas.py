"""The JSON Schemas that are shipped, and the files that they describe."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

RESULTS, ROWS = "results", "rows"
RESULT_KEYS = ({"command", "format"}, {"systems", "signature", "format"}, {"metric1", "metric2", "summarizer_type"})


@cache
def validator(kind: str) -> Draft202012Validator:
    """Returns what checks results or rows."""
    schema = json.loads((files("metrics_framework") / "data" / f"{kind}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(kind: str, value: Any) -> list[str]:
    """Returns what a schema rejects."""
    return [f"{error.json_path}: {error.message[:300]}" for error in validator(kind).iter_errors(value)]


def faults_of_result(path: Path) -> list[str]:
    """Returns what the schema rejects of a file if it is a result of ``fw``."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    is_result = isinstance(found, dict) and any(found.keys() >= keys for keys in RESULT_KEYS)
    return faults(RESULTS, found) if is_result else []
