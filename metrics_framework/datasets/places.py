"""Where data sets are: the data home, and what was set up elsewhere."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.datasets.dataset import Dataset, find_part, is_name
from metrics_framework.datasets.parts import Part
from metrics_framework.io.streams import STANDARD, open_for_writing, uncompressed_name

VARIABLE = "FW_DATA"
ONLY_FILES = "a test set cannot come from {}, which can be read only once; give the name of one, or a JSONL file"


def data_home() -> str:
    """Returns the folder of all data sets that are not put elsewhere.

    It is ``FW_DATA``, else ``$XDG_DATA_HOME/metrics_framework``, else ``~/.local/share/metrics_framework``.
    """
    own = os.environ.get(VARIABLE)
    if own:
        return os.path.abspath(os.path.expanduser(own))
    users = os.environ.get("XDG_DATA_HOME") or os.path.join("~", ".local", "share")
    return os.path.join(os.path.abspath(os.path.expanduser(users)), "metrics_framework")


def default_folder(dataset: Dataset) -> str:
    """Returns the folder of a data set in the data home."""
    return os.path.join(data_home(), dataset.registered_name)


def file_in(folder: str, part: Part) -> str:
    """Returns the file of a part in a folder."""
    return os.path.join(folder, f"{part.name}.jsonl")


def place_of(dataset: Dataset, part: Part) -> str:
    """Returns where a part is, or would be: where it was put last, else in the data home.

    Raises:
        DataError: if the note of where it was put is damaged.
    """
    note = _note(dataset, part)
    if not os.path.exists(note):
        return file_in(default_folder(dataset), part)
    with open(note, encoding="utf-8") as stream:
        try:
            return str(json.load(stream))
        except ValueError:
            raise DataError("does not hold a path; delete it, and set the data set up again", note) from None


def remember(dataset: Dataset, part: Part, path: str) -> None:
    """Remembers, in the data home, that a part was put somewhere.

    Raises:
        UsageError: if the data home cannot be written to.
    """
    note = _note(dataset, part)
    if os.path.abspath(path) != file_in(default_folder(dataset), part):
        with open_for_writing(note) as stream:
            stream.write(json.dumps(os.path.abspath(path)) + "\n")  # a path may hold what UTF-8 cannot
        return
    with suppress(FileNotFoundError):
        os.unlink(note)


def licence_of(name_or_path: str) -> str | None:
    """Returns the licence of a test set that is named, `None` for a file."""
    return None if _is_path(name_or_path) else find_part(name_or_path)[0].manifest.licence


def find_test_set(name_or_path: str) -> str:
    """Returns the file of a test set.

    Args:
        name_or_path: The name of one that was set up, or a JSONL file.

    Raises:
        UnknownNameError: if nothing is called so.
        UsageError: if it is ``-``: standard input can be read only once.
        DataError: if it is not set up, or was and is gone.
    """
    if name_or_path == STANDARD:
        raise UsageError(ONLY_FILES.format("standard input"))
    if _is_path(name_or_path):
        return name_or_path
    dataset, part = find_part(name_or_path)
    path = place_of(dataset, part)
    if os.path.isfile(path):
        return path
    command = f"fw setup-dataset {part.name}"
    if os.path.exists(_note(dataset, part)):
        raise DataError(
            f"'{part.name}' was set up as {path}, which is gone; put it back, or set it up again: {command}"
        )
    raise DataError(f"'{part.name}' is not set up (there is no {path}); set it up with: {command}")


def _is_path(word: str) -> bool:
    """Tells whether a word is a path: by its form, or where no name is like it and a file is."""
    if "/" in word or os.sep in word or uncompressed_name(word).endswith(".jsonl"):
        return True
    return not is_name(word) and os.path.isfile(word)


def _note(dataset: Dataset, part: Part) -> str:
    return os.path.join(default_folder(dataset), f"{part.name}.place")
