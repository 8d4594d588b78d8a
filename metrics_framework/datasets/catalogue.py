"""The test sets of an installed sacreBLEU, such as ``wmt24/en-de`` (decision 0014).

sacreBLEU knows their addresses and MD5 sums, and converts them to text. The archives are downloaded and verified here;
sacreBLEU downloads nothing. A test set that was set up needs no sacreBLEU.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from metrics_framework.common.errors import DataError, MissingExtraError, UnknownNameError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, Manifest, Part
from metrics_framework.datasets.shared_task_files import files_below, read_archive
from metrics_framework.io.content import digest_of
from metrics_framework.io.download import download
from metrics_framework.io.locations import open_binary
from metrics_framework.io.reading import read_parallel
from metrics_framework.io.writing import replacing

_ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")


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

    def find(self, url: str, name: str, md5: str | None, *, may_download: bool) -> None:
        """Puts an archive into the folder, unless it is there.

        Args:
            url: The address.
            name: The name in the folder.
            md5: The MD5 sum, as hexadecimal digits.
            may_download: Whether to download the archive if it is in none of the folders.

        Raises:
            DataError: if the archive is missing or has another sum, or if no sum is known.
            DownloadError: if it cannot be downloaded.
        """
        target = os.path.join(self.folder, name)
        self.paths.append(target)
        if md5 is None:
            raise DataError(f"no checksum of {url} is known; it cannot be verified", name)
        if os.path.isfile(target) and digest_of(target, "md5") == md5:
            return
        names = {name, url.rpartition("/")[2]}
        found = [path for folder in self._others for path in files_below(folder) if os.path.basename(path) in names]
        for path in found:
            if digest_of(path, "md5") == md5:
                with open_binary(path) as source, replacing(target) as stream:
                    shutil.copyfileobj(source, stream)
                return
        if may_download:
            self._log.note(f"downloading {url}")
            download(url, target, md5)
        elif found:
            actual = digest_of(found[0], "md5")
            raise DataError(f"is not the expected file: it has the MD5 sum {actual}, expected {md5}", found[0])
        else:
            raise DataError(f"must contain '{url.rpartition('/')[2]}', in any folder; none found", self._others[0])

    def extract(self, files: Sequence[str]) -> None:
        """Extracts files from the archives; no other file of an archive is written.

        Raises:
            DataError: if no archive has one of the files.
        """
        wanted, found = {*files}, dict[str, bytes]()
        for path in reversed([path for path in self.paths if path.endswith(_ARCHIVES)]):
            with open_binary(path) as stream:
                found |= read_archive(stream, path, wanted.__contains__)
        for file in dict.fromkeys(files):
            if file not in found:
                raise DataError(f"does not contain '{file}'", self.paths[0])
            with replacing(os.path.join(self.folder, *file.split("/"))) as target:
                target.write(found[file])


PACKAGE = "sacrebleu"
REFERENCE_FIELDS = "reference_fields"
"""The key of the names of the references, among the metadata of a row."""
_NAME = re.compile(r"(\w[\w.]*(?:/\w[\w.]*)*)/([a-z]{2,3}-[a-z]{2,3})")
_FAMILIES = ("wmt", "iwslt", "mtedx", "multi30k", "mtnt")


class CataloguedSet(Dataset):
    """A test set of sacreBLEU; its parts are its language pairs.

    Args:
        name: The name in sacreBLEU, such as ``wmt24``.
    """

    registered_name = PACKAGE

    def __init__(self, name: str) -> None:
        self.name = name
        self._converted: Any = None

    @cached_property
    def entry(self) -> Any:
        """The entry of the catalogue.

        Raises:
            MissingExtraError: if sacreBLEU is not installed.
            UnknownNameError: if the catalogue has no such test set.
        """
        entries = catalogue(self.name)
        if self.name not in entries:
            raise UnknownNameError("test set of sacreBLEU", self.name, list(entries), listed_by="fw list test-sets")
        return entries[self.name]

    @cached_property
    def manifest(self) -> Manifest:  # overrides 7 cannot check a cached property
        """The description in the catalogue, without files."""
        entry = self.entry
        return Manifest(
            name=self.name,
            licence="see the description, or ask the organizers; sacreBLEU does not state it",
            homepage="https://github.com/mjpost/sacrebleu/blob/master/DATASETS.md",
            description=entry.description or "",
            citation=(entry.citation or "").strip(),
            files={},
        )

    @overrides
    def parts(self) -> list[Part]:
        return [LanguagePair(f"{self.name}/{pair}", self, pair) for pair in self.entry.langpairs]

    @overrides
    def fetch(self, parts: Sequence[Part], folder: str, from_folder: str | None, log: Log) -> None:
        """Finds or downloads the archives, and extracts the files of some language pairs."""
        entry = copy.copy(self.entry)
        entry._outdir = os.path.join(folder, "raw", *self.name.split("/"))
        entry._rawdir = os.path.join(entry._outdir, "raw")
        pairs = [part.pair for part in parts if isinstance(part, LanguagePair)]
        listed = (entry.langpairs[pair] for pair in pairs)  # lists of paths, perhaps COLUMN:PATH, or dictionaries
        paths = chain.from_iterable([one["path"]] if isinstance(one, dict) else one for one in listed)
        files = [path.rpartition(":")[2] for path in paths]
        names = [entry._get_tarball_filename(url) for url in entry.data]
        archives = Archives(entry._rawdir, [from_folder] if from_folder else [self.entry._rawdir], log)
        for url, name, md5 in zip(entry.data, names, entry.md5 or [None] * len(names), strict=True):
            archives.find(url, name, md5, may_download=from_folder is None)
        archives.extract([path for path in files if path not in names])
        self._converted = entry

    def texts(self, pair: str) -> tuple[Mapping[str, str], list[str]]:
        """Returns the text file of each field of a language pair, and the fields that are its references."""
        entry = self._converted
        entry.process_to_text(pair)
        files = dict(zip(entry.fieldnames(pair), entry.get_files(pair), strict=True))
        chosen = set(entry.get_reference_files(pair))
        return files, [field for field, path in files.items() if path in chosen]


@dataclass(frozen=True)
class LanguagePair(Part):
    """A test set for one language pair.

    Args:
        name: The name, such as ``wmt24/en-de``.
        dataset: The test set.
        pair: The language pair.
    """

    dataset: CataloguedSet
    pair: str

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        files, references = self.dataset.texts(self.pair)
        if not references:
            raise UsageError(f"'{self.name}' has no references; it cannot be scored against")
        for number, lines in enumerate(read_parallel(list(files.values())), 1):
            texts = {field: line.rstrip() for field, line in zip(files, lines, strict=True)}
            metadata = {field: text for field, text in texts.items() if field not in ("src", *references)}
            yield {
                "instance_id": str(number),
                "source": texts["src"],
                "references": [texts[field] for field in references],
                "metadata": {**metadata, REFERENCE_FIELDS: references},
            }

    @overrides
    def size(self, manifest: Manifest) -> str:
        return "one language pair"


def catalogue(name: str = "the list of test sets") -> Mapping[str, Any]:
    """Returns the entries of sacreBLEU's catalogue.

    Args:
        name: What needs it, for the message.

    Raises:
        MissingExtraError: if sacreBLEU is not installed.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingExtraError(f"'{name}'", PACKAGE, "wmt")
    from sacrebleu.dataset import DATASETS

    entries: Mapping[str, Any] = DATASETS
    return entries


def language_pair_of(name: str) -> str | None:
    """Returns the language pair in the name of a test set of sacreBLEU, such as ``wmt24/en-de``; `None` without one."""
    match = _NAME.fullmatch(name)
    return match[2] if match else None


def is_catalogued(name: str) -> bool:
    """Returns whether a name is that of a test set of sacreBLEU, with or without language pair."""
    return language_pair_of(name) is not None or name.startswith(_FAMILIES)


def catalogued_part(name: str) -> tuple[CataloguedSet, LanguagePair]:
    """Returns a language pair by name, without looking it up in the catalogue."""
    match = _NAME.fullmatch(name)
    assert match is not None
    dataset = CataloguedSet(match[1])
    return dataset, LanguagePair(name, dataset, match[2])


def catalogued_parts(name: str, pair: str | None) -> tuple[CataloguedSet, list[Part]]:
    """Returns a test set of the catalogue, and its language pair of that name, or all.

    Raises:
        MissingExtraError: if sacreBLEU is not installed.
        UnknownNameError: if there is no such test set or language pair.
    """
    match = _NAME.fullmatch(name)
    if match is not None:
        if pair is not None and pair != match[2]:
            raise UsageError(f"'{name}' and --pair {pair} name different language pairs; use only one of them")
        name, pair = match[1], match[2]
    dataset = CataloguedSet(name)
    pairs = list(dataset.entry.langpairs)
    if pair is not None and pair not in pairs:
        raise UnknownNameError(f"language pair of '{name}'", pair, pairs)
    return dataset, [part for part in dataset.parts() if pair is None or part.name == f"{name}/{pair}"]
