"""Hints for the flags, lists of files and test sets of EASSE that fw calls differently (docs/guides/coming-from.md)."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence

from metrics_framework.common.errors import UsageError

_PAGE = "name the page as the first argument: fw report FILE.html …"
_FLAGS: Mapping[str, str] = {  # the flag of EASSE, with hyphens, and what to use instead
    "--orig-sents-path": "use --sources FILE",
    "--refs-sents-paths": "use --references FILE …, with spaces between the files",
    "--sys-sents-path": "use --outputs FILE …",
    "--input-path": "use --outputs FILE …",
    "--quality-estimation": "add --metric quality-estimation, or use --profile simplification",
    "-a": "add --metric transformations",
    "--analysis": "add --metric transformations",
    "-p": _PAGE,
    "--report-path": _PAGE,
}
_TEST_SETS: Mapping[str, str] = {  # those of which not only the underscores differ
    "turkcorpus-valid": "turkcorpus-tune",
    "turkcorpus-test-legacy": "turkcorpus-test-tok",
    "turkcorpus-valid-legacy": "turkcorpus-tune-tok",
}


def explain_commas(files: Sequence[str]) -> None:
    """Explains how to name several files where one argument has their names with commas.

    Args:
        files: The arguments.

    Raises:
        UsageError: if one of them does not exist, but all files between its commas do.
    """
    for file in files:
        parts = file.split(",")
        if len(parts) > 1 and all(map(os.path.exists, parts)) and not os.path.exists(file):
            raise UsageError(f"'{file}' does not exist; separate files by spaces, not commas: {' '.join(parts)}")


def explain_flags(words: Sequence[str]) -> None:
    """Explains what to use instead of a flag of EASSE that fw does not have.

    Args:
        words: The arguments of the command.

    Raises:
        UsageError: if one of the words is such a flag.
    """
    for word in words:
        flag = word.partition("=")[0]
        hint = _FLAGS.get(flag.replace("_", "-"))
        if hint is not None:
            raise UsageError(f"{flag} is a flag of EASSE, not of this command: {hint}")


def explain_test_set(name: str) -> None:
    """Explains what to use instead of ``--test-set NAME``, if it is a test set of EASSE or without language pairs.

    Raises:
        UsageError: if it is.
    """
    from metrics_framework.datasets.dataset import known_names

    if name == "custom":
        raise UsageError("--test-set custom is a word of EASSE: leave it out, and use --sources and --references")
    here = name.replace("_", "-")
    here = _TEST_SETS.get(here, here)
    if here in known_names():
        raise UsageError(f"--test-set {name} has no language pairs: use --dataset {here}")
