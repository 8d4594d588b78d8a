"""Sets up a data set: finds its files, checks them, and writes its test sets as rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from metrics_framework.common.errors import (
    MAX_PROBLEMS_SHOWN,
    DataError,
    DownloadError,
    FwError,
    Problems,
    UnreachableError,
    UsageError,
    rest_of,
)
from metrics_framework.common.logs import Log, progress
from metrics_framework.datasets.dataset import Dataset, Manifest, Part, RawFile, failures_named, size_of
from metrics_framework.datasets.shared_task_files import files_below
from metrics_framework.datasets.test_sets import default_folder, is_changed, path_in, path_of, record_path, write_rows
from metrics_framework.io.download import content_problem, download, mirrored
from metrics_framework.io.reading import read_lines


class RawFiles:
    """The files of a data set; each is searched for once.

    Args:
        find: Returns the path of a file with the expected content; raises `DownloadError` or `DataError`.
        log: Suppresses progress if it is silent.

    Attributes:
        paths: The path of each file found, by its path in the repository.
        problems: The problem of each file not found, by its path in the repository.
    """

    def __init__(self, find: Callable[[RawFile], str], log: Log) -> None:
        self.paths: dict[str, str] = {}
        self.problems: dict[str, FwError] = {}
        self._find = find
        self._log = log

    def find(self, files: Sequence[RawFile]) -> bool:
        """Searches for files; returns whether all are found and as expected."""
        with progress("checked", "files", self._log) as advance:
            for file in files:
                if file.path not in self.paths and file.path not in self.problems:
                    try:
                        path = self._find(file)
                        lines = sum(1 for _ in read_lines(path))
                        if lines != file.lines:
                            said = f"the manifest of the data set says {file.lines}"
                            raise DataError(f"has {lines} lines, but {said}", path)
                        self.paths[file.path] = path
                    except (DataError, DownloadError) as problem:
                        self.problems[file.path] = problem
                    advance(1)
        return all(file.path in self.paths for file in files)


def raise_any(problems: Sequence[FwError]) -> None:
    """Raises a single problem as it is, several problems together; does nothing without problems.

    Downloads have one problem per line; advice that several share is written once, after the last of them.

    Raises:
        DownloadError: if a file could not be downloaded.
        DataError: if files are missing or not as expected.
    """
    if len(problems) > 1 and any(isinstance(problem, DownloadError) for problem in problems):
        lines = "\n".join(str(problem) for problem in problems[:MAX_PROBLEMS_SHOWN]).split("\n")
        once = reversed(dict.fromkeys(reversed(lines)))
        raise DownloadError(*once, *rest_of(len(problems) - MAX_PROBLEMS_SHOWN))
    collected = Problems()
    for problem in problems:
        if not isinstance(problem, DataError):
            raise problem
        collected.add(problem)
    collected.raise_any()


class Network:
    """The addresses in the manifest; a file that was downloaded earlier and is as expected is kept.

    Args:
        manifest: The manifest of the data set.
        folder: The folder to save files in, each as ``raw/<repository>/<path>``.
    """

    def __init__(self, manifest: Manifest, folder: str) -> None:
        self.manifest = manifest
        self.folder = folder
        self._unreachable: UnreachableError | None = None

    def find(self, file: RawFile) -> str:
        """Returns the path of a file with the expected content, and downloads it if needed."""
        name = os.path.basename(file.path)
        if file.url is None:
            raise DownloadError(
                f"cannot download '{name}' of '{self.manifest.name}': no address is known to serve the file that was "
                f"checked; get it from {self.manifest.homepage} and use --from-dir with its folder"
            )
        target = os.path.join(self.folder, "raw", *file.repository.split("/"), *file.path.split("/"))
        if os.path.isfile(target) and content_problem(target, file.bytes, file.sha256) is None:
            return target
        if self._unreachable is not None:  # each further file would only wait for the timeout
            raise self._unreachable
        try:
            download(mirrored(file.url), target, file.sha256, file.bytes)
        except UnreachableError as error:
            self._unreachable = error
            raise
        return target


class Folder:
    """A folder: a file is found by its path in the repository, else by its name in any folder below, else by content.

    If several files have the name, the file with the expected content is used.

    Args:
        path: The folder.

    Raises:
        UsageError: if the path is not a folder.
    """

    def __init__(self, path: str) -> None:
        if not os.path.isdir(path):
            raise UsageError(f"--from-dir must name a folder, got '{path}'")
        self.path = path

    def find(self, file: RawFile) -> str:
        """Returns the path of a file with the expected content."""
        first_problem = None
        for path in self._candidates(file):
            problem = content_problem(path, file.bytes, file.sha256)
            if problem is None:
                return path
            first_problem = first_problem or DataError(f"is not the expected file: it {problem}", path)
        for path in chain.from_iterable(() if first_problem else self._by_name.values()):
            if os.path.isfile(path) and content_problem(path, file.bytes, file.sha256) is None:
                return path
        name = os.path.basename(file.path)
        raise first_problem or DataError(
            f"must contain '{file.path}', or '{name}' in any folder; none found", self.path
        )

    def _candidates(self, file: RawFile) -> Iterator[str]:
        below = [file.repository, *([] if file.commit is None else [f"{file.repository}/{file.commit}"]), ""]
        paths = [os.path.join(self.path, *folder.split("/"), *file.path.split("/")) for folder in below]
        yield from filter(os.path.isfile, paths)
        yield from self._by_name.get(os.path.basename(file.path), [])

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """All files below the folder, by name."""
        paths: dict[str, list[str]] = {}
        for path in files_below(self.path):
            paths.setdefault(os.path.basename(path), []).append(path)
        return paths


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
    files = RawFiles(network.find if from_folder is None else Folder(from_folder).find, log)
    if wanted:
        with failures_named(dataset.registered_name):
            dataset.fetch([part for part, _ in wanted], folder or default_folder(dataset), from_folder, log)
    problems, omitted = list[FwError](), list[str]()
    for part, path in wanted:
        if not files.find([dataset.manifest.files[name] for name in part.files]):
            omitted.append(part.name)
            continue
        try:
            with failures_named(dataset.registered_name):
                write_rows(path, part.rows(files.paths))
            _record(dataset, part, path, log)
            log.note(f"set up {part.name} ({size_of(dataset, part)}): {path}")
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


def _record(dataset: Dataset, part: Part, path: str, log: Log) -> None:
    """Records the location of a part; if the data home is not writable, warns that --dataset needs the path."""
    try:
        record_path(dataset, part, path)
    except UsageError as error:
        log.warn(f"{error}: --dataset {part.name} will not find {path}; use --dataset {path}")
