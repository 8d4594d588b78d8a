"""Brings the files of a data set together: from the network, from an earlier time, or from a folder."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from overrides import overrides

from metrics_framework.common.errors import (
    MOST_PROBLEMS_SHOWN,
    DataError,
    DownloadError,
    FwError,
    Problems,
    UnreachableError,
    UsageError,
)
from metrics_framework.common.logs import Log
from metrics_framework.common.progress import Progress
from metrics_framework.datasets.manifest import Manifest, RawFile
from metrics_framework.io.download import PATIENCE, Patience, content_problem, download, mirrored
from metrics_framework.io.text_lines import read_lines


class Source(ABC):
    """Where files come from."""

    @abstractmethod
    def find(self, file: RawFile, advance: Callable[[int], None]) -> str:
        """Returns where a file is, with the content expected.

        Args:
            file: The file.
            advance: Is told how many bytes have come from the network.

        Raises:
            DownloadError: if it cannot be downloaded.
            DataError: if it is missing, another than expected, or cannot be written.
        """


class RawFiles:
    """The files of a data set, as far as they are there; each is looked for once.

    Args:
        source: Where they come from.
        log: Tells whether progress may be shown.

    Attributes:
        places: Where each file is, by its path in the repository.
        problems: What is wrong with those that are not there, by their paths.
    """

    def __init__(self, source: Source, log: Log) -> None:
        self.places: dict[str, str] = {}
        self.problems: dict[str, FwError] = {}
        self._source = source
        self._log = log

    def bring(self, files: Sequence[RawFile]) -> bool:
        """Looks for files, and tells whether all are there and as expected."""
        with Progress("downloaded", "bytes", self._log) as progress:
            for file in files:
                if file.path in self.places or file.path in self.problems:
                    continue
                try:
                    place = self._source.find(file, progress.advance)
                    _check_lines(file, place)
                except (DataError, DownloadError) as problem:
                    self.problems[file.path] = problem
                else:
                    self.places[file.path] = place
        return all(file.path in self.places for file in files)


def _check_lines(file: RawFile, place: str) -> None:
    """Refuses a file that has the right sum and yet another number of lines than its manifest says."""
    found = sum(1 for _ in read_lines(place))
    if found != file.lines:
        raise DataError(f"has {found} lines, but the manifest of the data set says {file.lines}", place)


def raise_any(problems: Sequence[FwError]) -> None:
    """Raises what was collected: nothing, the one problem, or all of them together.

    Raises:
        DownloadError: if something could not be downloaded.
        DataError: if files are missing or other than expected.
    """
    if len(problems) > 1 and any(isinstance(problem, DownloadError) for problem in problems):
        raise DownloadError(_together(problems))
    collected = Problems()
    for problem in problems:
        if not isinstance(problem, DataError):
            raise problem
        collected.add(problem)
    collected.raise_any()


def _together(problems: Sequence[FwError]) -> str:
    """Writes problems one below the other; what several of them advise is said once, after them."""
    lines = "\n".join(str(problem) for problem in problems[:MOST_PROBLEMS_SHOWN]).split("\n")
    rest = len(problems) - MOST_PROBLEMS_SHOWN
    more = [f"… and {rest} more problem{'s' if rest > 1 else ''}"] if rest > 0 else []
    return "\n".join([*reversed(dict.fromkeys(reversed(lines))), *more])


class Network(Source):
    """The addresses of the manifest; files that are there from an earlier time, and whole, are kept.

    Args:
        manifest: That of the data set.
        folder: Where files go, each to ``raw/<repository>/<path>``.
        patience: How long to wait for each.
    """

    def __init__(self, manifest: Manifest, folder: str, patience: Patience = PATIENCE) -> None:
        self.manifest = manifest
        self.folder = folder
        self.patience = patience
        self._unreachable: UnreachableError | None = None

    @overrides
    def find(self, file: RawFile, advance: Callable[[int], None]) -> str:
        if file.url is None:
            raise DownloadError(_no_address(file, self.manifest))
        target = os.path.join(self.folder, "raw", *file.repository.split("/"), *file.path.split("/"))
        if os.path.isfile(target) and content_problem(target, file.bytes, file.sha256) is None:
            return target
        if self._unreachable is not None:  # to wait for each further file would only take long
            raise self._unreachable
        try:
            download(mirrored(file.url), target, file.bytes, file.sha256, advance, self.patience)
        except UnreachableError as error:
            self._unreachable = error
            raise
        return target


def _no_address(file: RawFile, manifest: Manifest) -> str:
    return (
        f"'{manifest.name}' cannot be downloaded: there is no address from which its files are known to come as they "
        f"were checked; get '{os.path.basename(file.path)}' from {manifest.homepage} and give its folder as "
        "--from-dir DIR"
    )


class Folder(Source):
    """A folder: files are there by their path in the repository, else by their name anywhere below.

    Where several have the name, the one with the right content counts.

    Args:
        path: The folder.

    Raises:
        UsageError: if there is no such folder.
    """

    def __init__(self, path: str) -> None:
        if not os.path.isdir(path):
            raise UsageError(f"--from-dir '{path}' is not a folder")
        self.path = path

    @overrides
    def find(self, file: RawFile, advance: Callable[[int], None]) -> str:
        problem = None
        for place in self._candidates(file):
            found = content_problem(place, file.bytes, file.sha256)
            if found is None:
                return place
            problem = problem or DataError(f"is not the file expected: it {found}", place)
        name = os.path.basename(file.path)
        raise problem or DataError(f"has no '{file.path}' below it, nor any file called '{name}'", self.path)

    def _candidates(self, file: RawFile) -> Iterator[str]:
        below = [file.repository, *([] if file.commit is None else [f"{file.repository}/{file.commit}"]), ""]
        paths = [os.path.join(self.path, *one.split("/"), *file.path.split("/")) for one in below]
        yield from filter(os.path.isfile, paths)
        yield from self._by_name.get(os.path.basename(file.path), [])

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """All files below, by their names."""
        found: dict[str, list[str]] = {}
        for folder, _, names in sorted(os.walk(self.path)):
            for name in sorted(names):
                found.setdefault(name, []).append(os.path.join(folder, name))
        return found
