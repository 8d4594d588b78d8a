"""The flags of commands that read ratings and the scores of judges."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from metrics_framework.common.errors import UsageError


def add_judgement_arguments(group: argparse._ArgumentGroup, judges: str, clusters: str) -> None:
    """Declares the files, and the columns of ratings, judges, raters and clusters.

    Args:
        group: The group of flags.
        judges: What a column of judgements may be.
        clusters: What clusters are for.
    """
    group.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="tables of ratings, and files of judgements (.csv, .tsv, JSONL), joined by ids",
    )
    group.add_argument("--rating", metavar="R", help="column of the ratings; empty for outputs without ratings")
    group.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="J",
        help=f"column of a judge's scores, {judges}; repeat for several",
    )
    group.add_argument("--rater-column", metavar="COLUMN", help="column of the raters (default: rater_id, rater, …)")
    group.add_argument("--cluster", metavar="COLUMN", help=f"column of the inputs, such as their document; {clusters}")


def judgement_files(arguments: argparse.Namespace, command: str) -> Sequence[str]:
    """Returns the files.

    Args:
        arguments: The parsed flags.
        command: The command, for errors.

    Raises:
        UsageError: if there is no file, rating or judge.
    """
    if not arguments.files:
        raise UsageError(f"no files of ratings; use {command} FILE … --rating R --judge J")
    if arguments.rating is None:
        raise UsageError("no rating; name the column of the ratings with --rating")
    if not arguments.judge:
        raise UsageError("no judge; name the column of its scores with --judge")
    return list(dict.fromkeys(arguments.files))
