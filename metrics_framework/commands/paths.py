"""Which files a run reads and writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from metrics_framework.common.errors import UsageError
from metrics_framework.io.streams import STANDARD, uncompressed_name

NOT_OURS = (".txt", ".csv", ".tsv", ".py", ".md", ".toml", ".yaml", ".yml", ".svg", ".png", ".pdf", ".html")


def refuse_overwriting(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuses two outputs of one path, and an output of the path of an input.

    Raises:
        UsageError: if there is one.
    """
    read = {os.path.realpath(path) for path in inputs if path != STANDARD}
    written: set[str] = set()
    for path in outputs:
        real = path if path == STANDARD else os.path.realpath(path)
        if real in read:
            raise UsageError(
                f"the output '{path}' is an input of this run too; give it another name "
                "(a word without a flag in front is an output)"
            )
        if real in written:
            raise UsageError(f"two outputs would go to '{path}'; give each its own file")
        written.add(real)


def refuse_metrics(words: Iterable[str], names: Iterable[str]) -> None:
    """Refuses the name of a metric where a file is expected.

    Raises:
        UsageError: if there is one.
    """
    known = set(names)
    for word in words:
        if word in known:
            raise UsageError(f"'{word}' is a metric, not a file; give --metric once for each metric")


def check_output_word(word: str) -> None:
    """Refuses a word without a flag in front that is an output only by mistake.

    Raises:
        UsageError: if it is a kind of file that is never written, or a configuration.
    """
    if uncompressed_name(word).endswith(NOT_OURS):
        raise UsageError(
            f"'{word}' stands where an output file is expected, but outputs are JSON; "
            "a word without a flag in front is an output"
        )
    if word.endswith(".json") and _is_configuration(word):
        raise UsageError(f"'{word}' is a configuration and would be overwritten; give it as --config {word}")


def _is_configuration(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as stream:
            content = json.load(stream)
    except (OSError, ValueError):
        return False
    if not isinstance(content, dict):
        return False
    return "input_files" in content or "outputs" in content or isinstance(content.get("metrics"), list)
