"""Sets a data set up: brings its files together, checks them, and makes rows of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.datasets.dataset import Dataset, blamed, size_of
from metrics_framework.datasets.manifest import RawFile
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.places import default_folder, file_in, place_of, remember
from metrics_framework.datasets.raw_files import downloaded, found_in
from metrics_framework.io.download import PATIENCE, Patience
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.streams import open_for_writing
from metrics_framework.io.text_lines import read_lines


def set_up(
    dataset: Dataset,
    parts: Sequence[Part],
    folder: str | None,
    log: Log,
    from_folder: str | None = None,
    force: bool = False,
    patience: Patience = PATIENCE,
) -> None:
    """Sets parts of a data set up; nothing is made of them before all their files are there and checked.

    Args:
        dataset: The data set.
        parts: The parts.
        folder: Where they go; where they are already, else to the data home, without it.
        log: Takes notes.
        from_folder: Takes the files from there instead of the network.
        force: Makes those anew that are there already.
        patience: How long to wait for each file.

    Raises:
        DownloadError: if a file cannot be downloaded.
        DataError: if a file is missing or another than expected.
        UsageError: if a folder cannot be read or written.
        PluginError: if the data set is not ours and fails.
    """
    wanted: list[tuple[Part, str]] = []
    for part in parts:
        path = _target(dataset, part, folder)
        if force or not os.path.isfile(path):
            wanted.append((part, path))
        else:
            _remember(dataset, part, path, log)
            log.note(f"{part.name} is set up already: {path} (--force makes it anew)")
    paths = dict.fromkeys(chain.from_iterable(part.files for part, _ in wanted))
    files = [dataset.manifest.files[path] for path in paths]
    if from_folder is not None:
        places = found_in(from_folder, files)
    else:
        places = downloaded(files, dataset.manifest, folder or default_folder(dataset), log, patience)
    for file in files:
        _check_lines(file, places[file.path])
    for part, path in wanted:
        with open_for_writing(path) as stream:
            for row in _rows(dataset, part, places):
                stream.write(to_line(row))
        _remember(dataset, part, path, log)
        log.note(f"set up {part.name} ({size_of(dataset, part)}): {path}")


def _target(dataset: Dataset, part: Part, folder: str | None) -> str:
    """Returns where a part goes: to the folder given, where it is now, or to the data home."""
    if folder is not None:
        return file_in(os.path.abspath(folder), part)
    now = place_of(dataset, part)
    return now if os.path.isfile(now) else file_in(default_folder(dataset), part)


def _check_lines(file: RawFile, place: str) -> None:
    """Refuses a file that has the right sum and yet another number of lines than its manifest says."""
    found = sum(1 for _ in read_lines(place))
    if found != file.lines:
        raise DataError(f"has {found} lines, but the manifest of the data set says {file.lines}", place)


def _rows(dataset: Dataset, part: Part, places: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    with blamed(dataset.registered_name):
        yield from part.rows(places)


def _remember(dataset: Dataset, part: Part, path: str, log: Log) -> None:
    """Remembers where a part is; where the data home cannot be written to, says how it is found all the same."""
    try:
        remember(dataset, part, path)
    except UsageError as error:
        log.warn(f"{error}: --dataset {part.name} will not find {path}; give --dataset {path}")
