"""Checks files of plain text: their endings, and that standard input has the outputs of one system."""

from __future__ import annotations

import os
from collections.abc import Sequence

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.io.reading import STANDARD, uncompressed_name

_OTHER_ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""The endings of JSON and tables, which are no plain text."""


def check_plain_text(outputs: Sequence[str], others: Sequence[str] = ()) -> None:
    """Checks the endings of plain-text files.

    Args:
        outputs: The files of outputs.
        others: The files of references and sources.

    Raises:
        UsageError: if a file has the ending of another format.
    """
    for path in others:
        if uncompressed_name(path).endswith(_OTHER_ENDINGS):
            advice = "; if its lines have N references each, separated by tabs, add --num-refs N"
            is_tsv = uncompressed_name(path).endswith(".tsv") and os.path.exists(path)
            found = advice if is_tsv else _misplaced(path)
            raise UsageError(f"references and sources must be plain text, got '{path}'{found}")
    for path in outputs:
        if uncompressed_name(path).endswith(_OTHER_ENDINGS):
            advice = f"use --input-files for JSONL and tables{_misplaced(path)}"
            raise UsageError(f"--outputs must be plain text, got '{path}'; {advice}")


def _misplaced(path: str) -> str:
    """Returns advice for a file that does not exist: it is one to write, which a flag with several files took."""
    return "" if os.path.exists(path) else "; a file to write comes before the flags"


def refuse_several_systems(path: str, first_line: str) -> None:
    """Rejects outputs of several systems on standard input: sacreBLEU reads one output of each, separated by tabs.

    Args:
        path: The file of outputs; only standard input is checked.
        first_line: Its first line.

    Raises:
        DataError: if the line contains a tab.
    """
    if path == STANDARD and "\t" in first_line:
        texts = first_line.count("\t") + 1
        raise DataError(
            f"expected the output of one system, got {texts} texts separated by tabs; write one file per "
            "system and use -i FILE FILE …, which also accepts texts with tabs",
            path,
            1,
        )
