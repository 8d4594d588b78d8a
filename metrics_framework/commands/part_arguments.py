"""Flags of runs over parts, and the output folder among the arguments (decision 0057)."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Mapping
from typing import Any

from metrics_framework.commands.positional_references import RESULT_ENDINGS
from metrics_framework.common.errors import UsageError
from metrics_framework.evaluation.parts.engines import CONNECTION_SECONDS
from metrics_framework.io.reading import STANDARD, uncompressed_name

MAX_SECONDS = 86_400
_UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 1 << 10,
    "mi": 1 << 20,
    "gi": 1 << 30,
    "ti": 1 << 40,
}


def _part(word: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", word)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"must be K/N, as in 3/64, with K from 1 to N, got '{word}'")
    return int(match[1]), int(match[2])


def _size(word: str) -> int:
    match = re.fullmatch(r"([0-9]{1,15})\s*([kmgt]i?)?b?", word.lower())
    size = 0 if match is None else int(match[1]) * _UNITS[match[2] or ""]
    if size < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of bytes, kB, MB, GB or TB, as in 64MB, got '{word}'")
    return size


def _cluster(word: str) -> str:
    if not word.strip():
        raise argparse.ArgumentTypeError("must name where to score parts, as in local:4, got an empty text")
    return word


def _seconds(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 < number <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, at most {MAX_SECONDS}, got '{word}'")
    return number


FLAGS: Mapping[str, Mapping[str, Any]] = {
    "--cluster": {
        "type": _cluster,
        "metavar": "ENGINE",
        "help": "where to score parts: local:N for N processes of this machine, ray:auto or ray://HOST:10001 for Ray, "
        "tcp://HOST:8786 for Dask",
    },
    "--cluster-timeout": {
        "type": _seconds,
        "metavar": "SECONDS",
        "help": f"how long to wait for a connection to Ray or Dask (default: {CONNECTION_SECONDS:g})",
    },
    "--part": {
        "type": _part,
        "metavar": "K/N",
        "help": "score only part K of N, as a task of a Slurm array does; fw collect OUT/, or --collect instead, joins "
        "the parts",
    },
    "--part-size": {
        "type": _size,
        "metavar": "SIZE",
        "help": "greatest size of a part, as in 64MB (default: a 64th of the input, from 1 MiB to 64 MiB)",
    },
    "--resume": {"action": "store_true", "help": "continue the run in OUT/; complete parts are kept"},
}
"""The flags, and how to declare them."""


def output_folder(arguments: argparse.Namespace, positional: list[str]) -> str | None:
    """Removes the output folder from the arguments without a flag, and returns it; `None` if there is none.

    An argument is a folder if it ends in a slash or is an existing folder. With ``--cluster`` or ``--part``, the first
    argument that does not have the ending of an output file is one, too.

    Raises:
        UsageError: if there is no folder, but a flag needs one, or flags exclude each other.
    """
    if arguments.cluster_timeout is not None and not arguments.cluster:
        raise UsageError("--cluster-timeout limits connecting to a cluster; use it with --cluster, or leave it out")
    flags = [name for name in ("cluster", "part", "part_size", "resume") if getattr(arguments, name)]
    folder = next((word for word in positional if word.endswith(("/", os.sep)) or os.path.isdir(word)), None)
    if folder is None and flags:
        folder = next((word for word in positional if _may_be_folder(word)), None)
        if folder is None or not (arguments.cluster or arguments.part):
            flag = f"--{flags[0].replace('_', '-')}"
            raise UsageError(f"{flag} needs an output folder, an argument without a flag that ends in a slash: out/")
    if arguments.cluster and arguments.part:
        raise UsageError("--part scores one part in this process, --cluster all parts elsewhere; use only one of them")
    if arguments.part and arguments.part_size:
        raise UsageError("--part K/N chooses the number of parts, --part-size their size; use only one of them")
    if arguments.jobs != 1 and (arguments.cluster or arguments.part):
        flag, reason = ("--cluster", "chooses the processes") if arguments.cluster else ("--part", "is for one process")
        raise UsageError(f"{flag} {reason}, so --jobs would have no effect; use only one of them")
    if folder is not None:
        positional.remove(folder)
    return folder


def _may_be_folder(word: str) -> bool:
    is_file = uncompressed_name(word).endswith(RESULT_ENDINGS) or os.path.exists(word)
    return word != STANDARD and not is_file
