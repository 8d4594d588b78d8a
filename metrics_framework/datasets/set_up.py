"""Sets up a data set: finds its files, checks them, and writes its test sets as rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from metrics_framework.common.errors import DataError, FwError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.datasets.dataset import Dataset, failures_named, size_of
from metrics_framework.datasets.locations import default_folder, path_in, path_of, record_path
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.raw_files import Folder, Network, RawFiles, raise_any
from metrics_framework.datasets.sums import is_changed, write_rows


def set_up(
    dataset: Dataset,
    parts: Sequence[Part],
    folder: str | None,
    log: Log,
    from_folder: str | None = None,
    force: bool = False,
) -> None:
    """Sets up every part whose files are all available and as expected; then raises the problems of the other parts.

    Args:
        dataset: The data set.
        parts: The parts.
        folder: The folder to write to; by default the folder in which a part was set up before, else the data home.
        log: Receives notes and warnings.
        from_folder: A folder to read the files from instead of downloading them.
        force: Whether to set up parts again that are already set up.

    Raises:
        DownloadError: if files cannot be downloaded.
        DataError: if files are missing or not as expected.
        UsageError: if a folder cannot be read or written.
        PluginError: if the data set is a plug-in and fails.
    """
    wanted = _wanted(dataset, parts, folder, force, log)
    network = Network(dataset.manifest, folder or default_folder(dataset))
    files = RawFiles(network if from_folder is None else Folder(from_folder), log)
    if wanted:
        with failures_named(dataset.registered_name):
            dataset.fetch([part for part, _ in wanted], folder or default_folder(dataset), from_folder, log)
    problems, omitted = list[FwError](), list[str]()
    for part, path in wanted:
        if not files.find([dataset.manifest.files[name] for name in part.files]):
            omitted.append(part.name)
            continue
        try:
            _set_up_part(dataset, part, files.paths, path, log)
        except DataError as problem:
            omitted.append(part.name)
            problems.append(problem)
    if omitted and len(wanted) > 1:
        log.note(f"not set up: {', '.join(omitted)}")
    raise_any(list(dict.fromkeys([*files.problems.values(), *problems])))


def _wanted(
    dataset: Dataset, parts: Sequence[Part], folder: str | None, force: bool, log: Log
) -> list[tuple[Part, str]]:
    """Returns the parts to write, each with its path."""
    wanted = []
    for part in parts:
        path = _target(dataset, part, folder)
        if force or not os.path.isfile(path):
            wanted.append((part, path))
            continue
        _record(dataset, part, path, log)
        if is_changed(path):
            log.warn(f"{part.name} has changed since it was set up: {path} (use --force to set it up again)")
        else:
            log.note(f"{part.name} is set up already: {path} (use --force to set it up again)")
    return wanted


def _target(dataset: Dataset, part: Part, folder: str | None) -> str:
    """Returns the path to write a part to: in the given folder, where it is now, or in the data home."""
    if folder is not None:
        return path_in(os.path.abspath(folder), part)
    now = path_of(dataset, part)
    return now if os.path.isfile(now) else path_in(default_folder(dataset), part)


def _set_up_part(dataset: Dataset, part: Part, paths: Mapping[str, str], path: str, log: Log) -> None:
    with failures_named(dataset.registered_name):
        write_rows(path, part.rows(paths))
    _record(dataset, part, path, log)
    log.note(f"set up {part.name} ({size_of(dataset, part)}): {path}")


def _record(dataset: Dataset, part: Part, path: str, log: Log) -> None:
    """Records the location of a part; if the data home is not writable, warns that --dataset needs the path."""
    try:
        record_path(dataset, part, path)
    except UsageError as error:
        log.warn(f"{error}: --dataset {part.name} will not find {path}; use --dataset {path}")
