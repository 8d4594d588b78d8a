"""Brings the files of a data set together: from the network, from an earlier time, or from a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property

from metrics_framework.common.errors import DataError, DownloadError, Problems, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.progress import Progress
from metrics_framework.datasets.manifest import Manifest, RawFile
from metrics_framework.io.download import PATIENCE, Patience, content_problem, download, mirrored


def downloaded(
    files: Iterable[RawFile], manifest: Manifest, folder: str, log: Log, patience: Patience = PATIENCE
) -> dict[str, str]:
    """Downloads files; those that are there and whole are kept.

    Args:
        files: The files.
        manifest: That of their data set.
        folder: Where they go, each to ``raw/<repository>/<path>``.
        log: Tells whether progress may be shown.
        patience: How long to wait for each.

    Returns:
        Where each file is, by its path in the repository.

    Raises:
        DownloadError: if one cannot be downloaded.
    """
    places = {}
    with Progress("downloaded", "bytes", log) as progress:
        for file in files:
            if file.url is None:
                raise DownloadError(_no_address(file, manifest))
            target = os.path.join(folder, "raw", *file.repository.split("/"), *file.path.split("/"))
            if not (os.path.isfile(target) and content_problem(target, file.bytes, file.sha256) is None):
                download(mirrored(file.url), target, file.bytes, file.sha256, progress.advance, patience)
            places[file.path] = target
    return places


def _no_address(file: RawFile, manifest: Manifest) -> str:
    return (
        f"'{manifest.name}' cannot be downloaded: there is no address from which its files are known to come as they "
        f"were checked; get '{os.path.basename(file.path)}' from {manifest.homepage} and give its folder as "
        "--from-dir DIR"
    )


def found_in(folder: str, files: Iterable[RawFile]) -> dict[str, str]:
    """Finds files in a folder: by their path in the repository, else by their name anywhere below.

    Where several have the name, the one with the right content counts.

    Returns:
        Where each file is, by its path in the repository.

    Raises:
        UsageError: if there is no such folder.
        DataError: if files are missing, or none of their name has the right content; all are reported together.
    """
    if not os.path.isdir(folder):
        raise UsageError(f"--from-dir '{folder}' is not a folder")
    search, problems, places = _Folder(folder), Problems(), {}
    for file in files:
        try:
            places[file.path] = search.find(file)
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()
    return places


class _Folder:
    """A folder with files of data sets.

    Args:
        path: The folder.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def find(self, file: RawFile) -> str:
        """Returns where a file is.

        Raises:
            DataError: if it is missing or another than expected.
        """
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
