"""The locations of test sets on disk: in the data home, or in the folder in which they were set up."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from metrics_framework.common.errors import DataError, MissingExtraError, UsageError
from metrics_framework.datasets.catalogue import catalogued_part, catalogued_parts, language_pair_of
from metrics_framework.datasets.dataset import Dataset, find_part, is_name
from metrics_framework.datasets.parts import Part
from metrics_framework.io.reading import STANDARD, uncompressed_name
from metrics_framework.io.writing import open_for_writing

DATA_HOME_VARIABLE = "FW_DATA"
NOT_REREADABLE = "cannot read a test set from {}, which can be read only once; use its name or a JSONL file"


def data_home() -> str:
    """Returns the default folder of data sets.

    It is ``FW_DATA``, else ``$XDG_DATA_HOME/metrics_framework``, else ``~/.local/share/metrics_framework``.
    """
    configured = os.environ.get(DATA_HOME_VARIABLE)
    if configured:
        return os.path.abspath(os.path.expanduser(configured))
    shared = os.environ.get("XDG_DATA_HOME") or os.path.join("~", ".local", "share")
    return os.path.join(os.path.abspath(os.path.expanduser(shared)), "metrics_framework")


def default_folder(dataset: Dataset) -> str:
    """Returns the folder of a data set in the data home."""
    return os.path.join(data_home(), dataset.registered_name)


def path_in(folder: str, part: Part) -> str:
    """Returns the file of a part in a folder."""
    return os.path.join(folder, f"{part.name}.jsonl")


def path_of(dataset: Dataset, part: Part) -> str:
    """Returns the file of a part, which need not exist: where it was last set up, else in the data home.

    Raises:
        DataError: if the record of its location is damaged.
    """
    record = _record(dataset, part)
    if not os.path.exists(record):
        return path_in(default_folder(dataset), part)
    with open(record, encoding="utf-8") as stream:
        try:
            return str(json.load(stream))
        except ValueError:
            raise DataError("must contain a path; delete this file and set the data set up again", record) from None


def record_path(dataset: Dataset, part: Part, path: str) -> None:
    """Records the location of a part in the data home.

    Raises:
        UsageError: if the data home cannot be written to.
    """
    record = _record(dataset, part)
    if os.path.abspath(path) != path_in(default_folder(dataset), part):
        with open_for_writing(record) as stream:
            stream.write(json.dumps(os.path.abspath(path)) + "\n")  # a path need not be valid UTF-8
        return
    with suppress(FileNotFoundError):
        os.unlink(record)


def licence_of(name_or_path: str) -> str | None:
    """Returns the licence of a named test set, `None` for a file."""
    if _is_path(name_or_path) or language_pair_of(name_or_path):
        return None
    return find_part(name_or_path)[0].manifest.licence


def find_test_set(name_or_path: str) -> str:
    """Returns the file of a test set.

    Args:
        name_or_path: The name of a test set that was set up, or a JSONL file.

    Raises:
        UnknownNameError: if there is no test set with this name.
        UsageError: if it is ``-``: standard input can be read only once.
        DataError: if it is not set up, or its file is missing or has changed.
    """
    if name_or_path == STANDARD:
        raise UsageError(NOT_REREADABLE.format("standard input"))
    if _is_path(name_or_path):
        return name_or_path
    catalogued = language_pair_of(name_or_path) is not None
    dataset, part = catalogued_part(name_or_path) if catalogued else find_part(name_or_path)
    path = path_of(dataset, part)
    if os.path.isfile(path):
        return _unchanged(path, part)
    command = f"fw setup dataset {part.name}"
    if os.path.exists(_record(dataset, part)):
        raise DataError(
            f"'{part.name}' was set up as {path}, which no longer exists; restore it, or set it up again: {command}"
        )
    if catalogued:
        with suppress(MissingExtraError):  # without sacreBLEU, fw setup dataset asks for it
            catalogued_parts(name_or_path, None)
    raise DataError(f"'{part.name}' is not set up ({path} does not exist); set it up with: {command}")


def _unchanged(path: str, part: Part) -> str:
    """Returns the path.

    Raises:
        DataError: if the file differs from what was set up.
    """
    from metrics_framework.datasets.sums import is_changed

    if is_changed(path):
        raise DataError(
            f"'{part.name}' has changed since it was set up: {path} does not have the SHA-256 in {path}.sha256; set it "
            f"up again with fw setup dataset {part.name} --force, or use --dataset {path} for the file as it is"
        )
    return path


def _is_path(name_or_path: str) -> bool:
    """Returns whether an argument is a path: it looks like one, or is a file and cannot be a data set's name."""
    if language_pair_of(name_or_path) is not None:
        return os.path.isfile(name_or_path)
    if "/" in name_or_path or os.sep in name_or_path or uncompressed_name(name_or_path).endswith(".jsonl"):
        return True
    return not is_name(name_or_path) and os.path.isfile(name_or_path)


def _record(dataset: Dataset, part: Part) -> str:
    return os.path.join(default_folder(dataset), f"{part.name}.place")
