"""The files of commands that read ratings and the scores of judges."""

from __future__ import annotations

from metrics_framework.commands.analysis import InputFiles

JUDGEMENTS = InputFiles(
    "FILE",
    "tables of ratings, and files of judgements (.csv, .tsv, JSONL), joined by ids",
    missing="files of ratings",
)
