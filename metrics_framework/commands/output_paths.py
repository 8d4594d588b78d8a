"""Checks the output paths of a run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from metrics_framework.common.errors import UsageError
from metrics_framework.io.streams import STANDARD, uncompressed_name

_NEVER_JSON = (".txt", ".csv", ".tsv", ".py", ".md", ".toml", ".yaml", ".yml", ".svg", ".png", ".pdf", ".html")


def refuse_overwriting(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Rejects two outputs with the same path, and an output with the path of an input.

    Raises:
        UsageError: if two paths are the same.
    """
    read = {os.path.realpath(path) for path in inputs if path != STANDARD}
    written: set[str] = set()
    for path in outputs:
        real = path if path == STANDARD else os.path.realpath(path)
        if real in read:
            raise UsageError(
                f"'{path}' is both an input and an output of this run; choose another output file "
                "(arguments without a flag are output files)"
            )
        if real in written:
            raise UsageError(f"two outputs would be written to '{path}'; choose a different file for each")
        written.add(real)


def check_output_argument(path: str) -> None:
    """Rejects an argument without a flag that was not meant as an output file (decision 0014).

    Raises:
        UsageError: if its extension belongs to another format, or it is an existing configuration.
    """
    if uncompressed_name(path).endswith(_NEVER_JSON):
        raise UsageError(f"expected a JSON output file, got '{path}'; arguments without a flag are output files")
    if path.endswith(".json") and _is_configuration(path):
        raise UsageError(f"'{path}' is a configuration and would be overwritten; use --config {path} to read it")


def _is_configuration(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as stream:
            content = json.load(stream)
    except (OSError, ValueError):
        return False
    if not isinstance(content, dict):
        return False
    return "input_files" in content or "outputs" in content or isinstance(content.get("metrics"), list)
