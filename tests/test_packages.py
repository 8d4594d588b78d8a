"""Scripts that build and release packages: equal bytes from equal files, and one version everywhere."""

from __future__ import annotations

import io
import runpy
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics_framework.version import __version__

SCRIPTS = Path(__file__).resolve().parent.parent / ".ci"
NAME = f"metrics_framework-{__version__}"
PACKAGES = (f"{NAME}.tar.gz", f"{NAME}-py3-none-any.whl", f"{NAME}-cp311-cp311-manylinux_2_28_x86_64.whl")


def archive(names: str, owner: str, time: int, mode: int) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as packed:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size, entry.uname, entry.mtime, entry.mode = len(name), owner, time, mode
            packed.addfile(entry, io.BytesIO(name.encode()))
    return stream.getvalue()


def test_archives_of_equal_files_become_equal() -> None:
    repacked: Callable[[bytes, int], bytes] = runpy.run_path(str(SCRIPTS / "repack-archive"))["repacked"]
    first, second = archive("ab", "root", 5, 0o600), archive("ba", "someone", 7, 0o664)
    assert first != second
    assert repacked(first, 9) == repacked(second, 9) != repacked(archive("ab", "root", 5, 0o700), 9)
    with tarfile.open(fileobj=io.BytesIO(repacked(second, 9))) as packed:
        entries = [(entry.name, entry.mode, entry.mtime, entry.uname) for entry in packed]
    assert entries == [("a", 0o644, 9, ""), ("b", 0o644, 9, "")]


@pytest.mark.parametrize(
    ("tag", "files", "passes"),
    [
        (f"v{__version__}", PACKAGES, True),
        ("v99", PACKAGES, False),
        (f"v{__version__}", PACKAGES[:2], False),
        (f"v{__version__}", (*PACKAGES, "metrics_framework-99.tar.gz"), False),
    ],
    ids=["complete", "another tag", "a wheel is missing", "another version"],
)
def test_a_release_has_one_version_and_all_packages(
    tag: str, files: tuple[str, ...], passes: bool, tmp_path: Path
) -> None:
    (tmp_path / "metrics_framework").mkdir()
    (tmp_path / "dist").mkdir()
    shutil.copytree(SCRIPTS, tmp_path / ".ci")
    shutil.copy(SCRIPTS.parent / "metrics_framework/version.py", tmp_path / "metrics_framework")
    (tmp_path / "CITATION.cff").write_text(f"version: {__version__}\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(f"## {__version__} (today)\n", encoding="utf-8")
    for name in files:
        (tmp_path / "dist" / name).touch()
    done = subprocess.run(["bash", ".ci/check-release", tag, "dist"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode == 0) is passes, done.stderr
