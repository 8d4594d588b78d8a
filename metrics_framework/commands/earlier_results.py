"""Recognizes existing files that are not results of ``fw``, which are protected (decision 0027)."""

from __future__ import annotations

import os

from metrics_framework.commands.table_files import is_table
from metrics_framework.common.errors import PARQUET, DataError, MissingExtraError, UsageError
from metrics_framework.io.locations import exists, size_of
from metrics_framework.io.writing import is_stream

HTML_MARK = '<meta name="generator" content="metrics_framework">'
SVG_MARK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 '
MAX_DOCUMENT = 50_000_000
"""The number of characters of a JSON document that are examined; results are shorter."""
FORCE_HELP = "overwrite existing files, even if they are not results of fw"


def is_foreign(path: str) -> bool:
    """Returns whether an output would replace a file that is not an earlier result; an empty file may be replaced.

    Results are scores, correlations, tables, reports, plots, pairs and votes.

    Raises:
        UsageError: if a remote store does not report whether the file exists.
    """
    if not (_has_content(path) if "://" in path else os.path.isfile(path) and os.path.getsize(path)):
        return False
    if path.endswith(PARQUET):
        is_result = _is_parquet_result(path)
    elif (start := _start(path)).startswith(("{", "[")):
        is_result = _is_json_result(start) or _is_json_result(_start(path, MAX_DOCUMENT))
    elif start.startswith(SVG_MARK):
        is_result = "\nsvg { background: #fff; " in start
    else:
        is_result = is_table(start) or HTML_MARK in start[:1000] or " ||| " in start.partition("\n")[0]
    if is_result or is_stream(path):
        return False
    from metrics_framework.reports.pictures import is_picture

    return not is_picture(path)


def _has_content(path: str) -> bool:
    """Returns whether a remote output is a file that is not empty.

    Raises:
        UsageError: if a remote store does not report it.
    """
    try:
        return exists(path) and size_of(path) != 0
    except DataError as problem:
        raise UsageError(f"{problem}; --force skips the check that the output replaces no other file") from None


def _start(path: str, size: int = 100_000) -> str:
    """Returns the first lines of a file, at least as many characters as the size; an empty string if it is no text."""
    from metrics_framework.io.reading import read_blocks

    blocks: list[str] = []
    try:
        for block in read_blocks(path, lambda: 0):
            blocks.append(block)
            if sum(map(len, blocks)) > size:
                break
    except (DataError, MissingExtraError):
        return ""
    return "\n".join(blocks)


def _is_parquet_result(path: str) -> bool:
    from metrics_framework.io.parquet import has_scores

    try:
        return has_scores(path)
    except (DataError, MissingExtraError):
        return False


def _is_json_result(text: str) -> bool:
    """Returns whether a document, or its first line, is the JSON of a result."""
    import json

    for part in (text.partition("\n")[0], text):
        try:
            content = json.loads(part)
        except (ValueError, RecursionError):
            continue
        first = content[0] if isinstance(content, list) and content else content
        if not isinstance(first, dict):
            continue
        if first.keys() >= {"metrics", "signature"} and isinstance(first["signature"], dict):
            return True
        if str(first.get("signature", "")).startswith("llm-judge|"):  # of votes
            return True
        if first.keys() >= {"metric1", "metric2", "signatures"}:  # of a correlation
            return True
        if str(first.get("command", "")).startswith("fw "):  # of the other analyses
            return True
    return False
