"""The examples at the end of the help of ``evaluate`` and ``score``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metrics_framework.metrics.base.metric import Metric

_FLAGS = {"summary": "", "references": "--references references.*.txt", "source": "--sources sources.txt"}
_WITH_DOCUMENTS = ("summary", "documents")
_PYRAMIDS = "--dataset-reader pyramid-based", "--input-files pyramids.jsonl annotations.jsonl"
_MAX_LINE = 74


def examples_of_command(action: str) -> Sequence[str]:
    """Returns the examples of ``fw evaluate`` or ``fw score``."""
    if action == "evaluate":
        texts = "--outputs a.txt b.txt", "--references references.*.txt", "--sources sources.txt"
        rows = "--metric ter:case_sensitive=true", "--confidence", "--input-files outputs.jsonl"
        return (
            _command("fw evaluate", "--metric sari", "--metric bleu", *texts),
            _command("fw evaluate", "macro.json micro.jsonl", *rows),
            _command("fw evaluate", "macro.json", "--metric sari", "--input-files outputs.jsonl", "--jobs 2"),
        )
    metrics = "--metric chrf:word_order=2", "--metric bleu"
    return (
        _command("fw score", "scores.jsonl", "--metric sari", "--input-files outputs.jsonl"),
        _command("fw score", "scores.jsonl", *metrics, "--outputs a.txt b.txt", "--references references.*.txt"),
    )


def examples_of_metric(metric: type[Metric], name: str, action: str) -> Sequence[str]:
    """Returns the examples of ``fw <metric> <action>``; none for metrics of unusual fields.

    Args:
        metric: The class of the metric.
        name: Its name.
        action: ``evaluate`` or ``score``.
    """
    fields = (*metric.required_summary_fields, *metric.required_context_fields)
    if fields == _WITH_DOCUMENTS:
        return _examples_with_documents(f"fw {name} {action}", metric.example_flags, action)
    if set(fields) == {*_WITH_DOCUMENTS, "references"}:  # only files of rows have all of them
        each = ("", "macro.json micro.jsonl") if action == "evaluate" else ("scores.jsonl", "scores.jsonl.gz")
        flags = metric.example_flags, "--input-files outputs.jsonl"
        return tuple(_command(f"fw {name} {action}", files, *flags) for files in each)
    if "pyramid" in fields:
        results = "macro.json micro.jsonl" if action == "evaluate" else "scores.jsonl"
        return (_command(f"fw {name} {action}", results, *_PYRAMIDS),)
    if not set(fields) <= _FLAGS.keys():
        return ()
    program, texts = f"fw {name} {action}", ["--outputs a.txt b.txt", *(_FLAGS[field] for field in fields)]
    if action == "evaluate":
        files = "macro.json micro.jsonl", "--confidence"
        return (
            _command(program, metric.example_flags, *texts),
            _command(program, *files, metric.example_flags, "--input-files outputs.jsonl"),
        )
    return (
        _command(program, "scores.jsonl", metric.example_flags, *texts),
        _command(program, "scores.jsonl", metric.example_flags, "--input-files outputs.jsonl"),
    )


def _examples_with_documents(program: str, flags: str, action: str) -> Sequence[str]:
    files = "macro.json micro.jsonl" if action == "evaluate" else "scores.jsonl"
    two_files = "--dataset-reader split-document-based", "--input-files documents.jsonl summaries.jsonl"
    first_files = "" if action == "evaluate" else files
    return (
        _command(program, first_files, flags, "--input-files outputs.jsonl"),
        _command(program, files, flags, *two_files),
    )


def _command(*parts: str) -> str:
    """Joins the parts of a command, with a backslash and a new line where a line would be too long."""
    lines = [""]
    for part in filter(None, parts):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > _MAX_LINE:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    return " \\\n    ".join(lines)
