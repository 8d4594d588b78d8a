"""The saved outputs of published programs as one archive, whose files are checked against `golden.sha256`.

``python tests/golden_archive.py build FOLDER ARCHIVE`` writes the archive: equal files make equal bytes. Files that
quote texts whose licences do not allow copies stay out. ``python tests/golden_archive.py record FOLDER`` writes the
checksums again. Tests read the folder or archive that ``FW_GOLDEN`` names, or an archive at an address that it names;
nothing else uses the network.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import tarfile
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

MANIFEST = Path(__file__).with_name("golden.sha256")
WITHOUT = ("learned/comet.json", "learned/summaries.json")
"""Files with sentences of TurkCorpus and outputs of systems for them, whose licence is unknown."""
SECONDS = 60


class GoldenError(Exception):
    """The files are not those of the manifest."""


def manifest() -> dict[str, str]:
    """Returns the checksum of each file of the archive."""
    lines = MANIFEST.read_text(encoding="utf-8").splitlines()
    return {name: checksum for checksum, name in (line.split("  ", 1) for line in lines)}


def files_of(folder: Path) -> dict[str, bytes]:
    """Returns the files of a folder that may be copied: name to content."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(paths.items()) if name not in WITHOUT}


def archive_of(files: Mapping[str, bytes]) -> bytes:
    """Returns an archive of files that says nothing about the machine and the time."""
    stream = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, stream, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def checked(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files of the manifest.

    Raises:
        GoldenError: if one is missing or differs.
    """
    problems = []
    for name, checksum in manifest().items():
        if name not in files:
            problems.append(f"{name} is missing")
        elif hashlib.sha256(files[name]).hexdigest() != checksum:
            problems.append(f"{name} differs")
    if problems:
        raise GoldenError(f"not the files of {MANIFEST.name}: {', '.join(problems)}")
    return {name: files[name] for name in manifest()}


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Returns the files of an archive, whose names are not used as paths."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as opened:
        return dict(_contents(opened))


def _contents(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        stream = archive.extractfile(member) if member.isfile() else None
        if stream is not None:
            yield member.name, stream.read()


def golden_folder(place: str, folder: Path) -> Path:
    """Returns the folder of the golden files.

    Args:
        place: A folder, an archive or the address of one.
        folder: An existing folder to unpack an archive into.

    Raises:
        GoldenError: if the files of an archive are not those of the manifest.
        OSError: if it cannot be read.
    """
    if Path(place).is_dir():
        return Path(place)
    if place.startswith(("http://", "https://")):
        with urllib.request.urlopen(place, timeout=SECONDS) as response:
            archive = response.read()
    else:
        archive = Path(place).read_bytes()
    for name, content in checked(unpacked(archive)).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def main(action: str, folder: str, archive: str = "") -> None:
    """Writes an archive, or the manifest."""
    files = files_of(Path(folder))
    if action == "record":
        lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()]
        MANIFEST.write_text("".join(lines), encoding="utf-8")
    elif action == "build":
        packed = archive_of(checked(files))
        Path(archive).write_bytes(packed)
        print(f"{hashlib.sha256(packed).hexdigest()}  {archive}")
    else:
        sys.exit(f"unknown action '{action}': build or record")


if __name__ == "__main__":
    main(*sys.argv[1:])
