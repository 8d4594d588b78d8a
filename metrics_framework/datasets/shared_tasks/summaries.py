"""Summaries of an evaluation, each with its references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.datasets.shared_tasks.documents import paragraphs_in
from metrics_framework.datasets.shared_tasks.names import Output

Summaries = Mapping[Output, list[str]]
"""The lines of each summary."""


def lines_of(content: bytes) -> list[str]:
    """Returns the lines of a summary that are not blank, without spaces at the ends.

    Bytes that are not UTF-8 become the replacement character.
    """
    return [stripped for line in content.decode("utf-8", "replace").splitlines() if (stripped := line.strip())]


def lines_of_annotated(content: bytes) -> list[str]:
    """Returns the units of a summary as the Summary Evaluation Environment (SEE) shows them, or its lines.

    Units are elements ``<a id="…">`` of HTML; a file without them has one unit per line.
    """
    return paragraphs_in(content, ("a",), (), "id") or lines_of(content)


def read_summaries(
    files: Mapping[str, bytes],
    output_of: Callable[[str], Output | None],
    lines_of: Callable[[bytes], list[str]] = lines_of,
) -> dict[Output, list[str]]:
    """Returns the summary in each file; files with a known summary of the same output are the same.

    Args:
        files: The files by name.
        output_of: Returns the output in a file, given its name; `None` for files of other tasks.
        lines_of: Returns the lines of a summary.

    Raises:
        DataError: if two files contain different summaries of one output.
    """
    summaries: dict[Output, list[str]] = {}
    for path, content in files.items():
        output = output_of(path)
        if output is None:
            continue
        lines = lines_of(content)
        if summaries.setdefault(output, lines) != lines:
            raise DataError(
                f"contains another summary of '{output.summarizer_id}' for '{output.instance_id}' than an earlier file",
                path,
            )
    return summaries


def summary_rows(summaries: Summaries) -> Iterator[dict[str, Any]]:
    """Yields the rows of summaries: each with the references by other people, in the order of their authors."""
    references: dict[str, list[tuple[str, list[str]]]] = {}
    for output, lines in sorted(summaries.items()):
        if output.summarizer_type == "reference":
            references.setdefault(output.instance_id, []).append((output.summarizer_id, lines))
    for output, lines in sorted(summaries.items()):
        others = [text for author, text in references.get(output.instance_id, []) if author != output.summarizer_id]
        yield {
            **output.ids(),
            "summary": {"text": lines},
            "references": [{"text": text} for text in others],
        }
