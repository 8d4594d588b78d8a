"""Reference files without a flag, as in ``sacrebleu REFERENCE -i OUTPUTS`` (decision 0025)."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Sequence

from metrics_framework.common.errors import UsageError
from metrics_framework.io.locations import exists
from metrics_framework.io.reading import STANDARD, uncompressed_name

RESULT_ENDINGS = (".json", ".jsonl", ".parquet")
"""The endings, also followed by that of a compression, of arguments that are output files."""


def take_references(arguments: argparse.Namespace, positional: Sequence[str]) -> list[str]:
    """Moves existing files among the arguments without a flag to the references; returns the other arguments.

    An argument that ends in ``.json`` or ``.jsonl``, also compressed, or in ``.parquet``, or is ``-``, is an output
    file and never moved. Beside ``--input-files`` and ``--dataset``, which include references, nothing is moved.

    Raises:
        UsageError: if references are also given with a flag.
    """
    if arguments.input_files or arguments.dataset is not None or getattr(arguments, "config", None):
        return list(positional)
    references = [word for word in positional if _is_reference(word)]
    if not references:
        return list(positional)
    if arguments.references:
        raise UsageError(
            f"'{references[0]}' and --references {arguments.references[0]} both name references; give all of them with "
            "--references, or none"
        )
    arguments.references = references
    return [word for word in positional if word not in references]


def standard_input_has_data() -> bool:
    """Returns whether standard input is a pipe or a file, not a terminal or closed."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _is_reference(path: str) -> bool:
    is_output = path == STANDARD or uncompressed_name(path).endswith(RESULT_ENDINGS)
    return not is_output and (os.path.exists(path) or ("://" in path and exists(path))) and not os.path.isdir(path)
