"""Archives of test sets with known MD5 sums: finds or downloads them, and extracts single files."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO, Any

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.io.download import download_archive
from metrics_framework.io.writing import replacing

_BLOCK = 1 << 20


class Archives:
    """The archives of a test set, in one folder.

    Args:
        folder: The folder.
        others: Other folders in which an archive may be, at any depth; it is copied from there.
        log: Receives notes.
    """

    def __init__(self, folder: str, others: Sequence[str], log: Log) -> None:
        self.folder = folder
        self.paths: list[str] = []
        self._others = others
        self._log = log

    def find(self, url: str, name: str, md5: str | None, *, download: bool) -> None:
        """Puts an archive into the folder, unless it is there.

        Args:
            url: The address.
            name: The name in the folder.
            md5: The MD5 sum, as hexadecimal digits.
            download: Whether to download the archive if it is in none of the folders.

        Raises:
            DataError: if the archive is missing or has another sum, or if no sum is known.
            DownloadError: if it cannot be downloaded.
        """
        target = os.path.join(self.folder, name)
        self.paths.append(target)
        if md5 is None:
            raise DataError(f"no checksum of {url} is known; it cannot be verified", name)
        if os.path.isfile(target) and md5_of(target) == md5:
            return
        found = list(_files_called({name, url.rpartition("/")[2]}, self._others))
        for path in found:
            if md5_of(path) == md5:
                _copy(path, target)
                return
        if download:
            self._log.note(f"downloading {url}")
            download_archive(url, target, md5)
        elif found:
            raise DataError(
                f"is not the expected file: it has the MD5 sum {md5_of(found[0])}, expected {md5}", found[0]
            )
        else:
            raise DataError(f"must contain '{url.rpartition('/')[2]}', in any folder; none found", self._others[0])

    def extract(self, files: Sequence[str]) -> None:
        """Extracts files from the archives; no other file of an archive is written.

        Raises:
            DataError: if no archive has one of the files.
        """
        with ExitStack() as stack:
            openers = [opener for path in self.paths if (opener := _opener(path, stack)) is not None]
            for file in dict.fromkeys(files):
                self._extract(file, openers)

    def _extract(self, file: str, openers: Sequence[Callable[[str], IO[bytes] | None]]) -> None:
        for opener in openers:
            stream = opener(file)
            if stream is not None:
                with stream, replacing(os.path.join(self.folder, *file.split("/"))) as target:
                    shutil.copyfileobj(stream, target, _BLOCK)
                return
        raise DataError(f"does not contain '{file}'", self.paths[0])


def md5_of(path: str) -> str:
    """Returns the MD5 sum of a file, as hexadecimal digits."""
    checksum = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            checksum.update(block)
    return checksum.hexdigest()


def _opener(path: str, stack: ExitStack) -> Callable[[str], IO[bytes] | None] | None:
    """Returns a function that opens a file in an archive; `None` for a file that is no archive."""
    try:
        if path.endswith(".zip"):
            archive = stack.enter_context(zipfile.ZipFile(path))
            names = set(archive.namelist())
            return lambda name: archive.open(name) if name in names else None
        if path.endswith((".tar.gz", ".tgz", ".tar")):
            tar = stack.enter_context(tarfile.open(path))  # noqa: SIM115 - the stack closes it
            members: dict[str, Any] = {member.name.removeprefix("./"): member for member in tar if member.isfile()}
            return lambda name: tar.extractfile(members[name]) if name in members else None
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise DataError(f"cannot be read: {error}", path) from None
    return None


def _files_called(names: set[str], folders: Sequence[str]) -> Iterator[str]:
    for folder in folders:
        for parent, _, files in sorted(os.walk(folder)):
            yield from (os.path.join(parent, name) for name in sorted(names.intersection(files)))


def _copy(path: str, target: str) -> None:
    try:
        with open(path, "rb") as source, replacing(target) as stream:
            shutil.copyfileobj(source, stream, _BLOCK)
    except OSError as error:
        raise UsageError(f"cannot copy '{path}': {error.strerror or error}") from None
