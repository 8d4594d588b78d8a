"""Sets a data set up: brings its files together, checks them, and makes rows of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError, FwError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.datasets.dataset import Dataset, blamed, size_of
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.places import default_folder, file_in, place_of, remember
from metrics_framework.datasets.raw_files import Folder, Network, RawFiles, Source, raise_any
from metrics_framework.io.download import PATIENCE, Patience
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.streams import open_for_writing


def set_up(
    dataset: Dataset,
    parts: Sequence[Part],
    folder: str | None,
    log: Log,
    from_folder: str | None = None,
    force: bool = False,
    patience: Patience = PATIENCE,
) -> None:
    """Sets parts of a data set up, each when all its files are there and checked; problems of others are told after it.

    Args:
        dataset: The data set.
        parts: The parts.
        folder: Where they go; where they are already, else to the data home, without it.
        log: Takes notes.
        from_folder: Takes the files from there instead of the network.
        force: Makes those anew that are there already.
        patience: How long to wait for each file.

    Raises:
        DownloadError: if files cannot be downloaded.
        DataError: if files are missing or other than expected, or a part cannot be written.
        UsageError: if a folder cannot be read or written.
        PluginError: if the data set is not ours and fails.
    """
    wanted = _wanted(dataset, parts, folder, force, log)
    files, problems = RawFiles(_source(dataset, folder, from_folder, patience), log), list[FwError]()
    left_out = []
    for part, path in wanted:
        if not files.bring([dataset.manifest.files[one] for one in part.files]):
            left_out.append(part.name)
            continue
        try:
            _write(dataset, part, files.places, path)
        except DataError as problem:
            left_out.append(part.name)
            problems.append(problem)
        else:
            _remember(dataset, part, path, log)
            log.note(f"set up {part.name} ({size_of(dataset, part)}): {path}")
    if left_out and len(wanted) > 1:
        log.note(f"not set up: {', '.join(left_out)}")
    raise_any(list(dict.fromkeys([*files.problems.values(), *problems])))


def _wanted(
    dataset: Dataset, parts: Sequence[Part], folder: str | None, force: bool, log: Log
) -> list[tuple[Part, str]]:
    """Returns the parts that are to be made, and where they go."""
    wanted = []
    for part in parts:
        path = _target(dataset, part, folder)
        if force or not os.path.isfile(path):
            wanted.append((part, path))
        else:
            _remember(dataset, part, path, log)
            log.note(f"{part.name} is set up already: {path} (--force makes it anew)")
    return wanted


def _source(dataset: Dataset, folder: str | None, from_folder: str | None, patience: Patience) -> Source:
    if from_folder is not None:
        return Folder(from_folder)
    return Network(dataset.manifest, folder or default_folder(dataset), patience)


def _target(dataset: Dataset, part: Part, folder: str | None) -> str:
    """Returns where a part goes: to the folder given, where it is now, or to the data home."""
    if folder is not None:
        return file_in(os.path.abspath(folder), part)
    now = place_of(dataset, part)
    return now if os.path.isfile(now) else file_in(default_folder(dataset), part)


def _write(dataset: Dataset, part: Part, places: Mapping[str, str], path: str) -> None:
    with open_for_writing(path) as stream:
        for row in _rows(dataset, part, places):
            stream.write(to_line(row))


def _rows(dataset: Dataset, part: Part, places: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    with blamed(dataset.registered_name):
        yield from part.rows(places)


def _remember(dataset: Dataset, part: Part, path: str, log: Log) -> None:
    """Remembers where a part is; where the data home cannot be written to, says how it is found all the same."""
    try:
        remember(dataset, part, path)
    except UsageError as error:
        log.warn(f"{error}: --dataset {part.name} will not find {path}; give --dataset {path}")
