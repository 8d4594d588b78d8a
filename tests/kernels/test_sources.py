"""The layers of the C sources: only `src/python/` knows Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "metrics_framework/kernels/src"
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<(.+?)>|"(.+?)")', re.MULTILINE)


def included(path: Path, sources: Path) -> Iterator[str]:
    """Yields the headers that a file includes, directly or through another header."""
    waiting, seen = [path], {path}
    while waiting:
        for system, own in INCLUDE.findall(waiting.pop().read_text(encoding="utf-8")):
            yield system or own
            header = sources / own
            if own and header.is_file() and header not in seen:
                seen.add(header)
                waiting.append(header)


def files_that_know_python(sources: Path) -> set[str]:
    """Returns the files outside `python/` that include `Python.h`, or a header of `python/`."""
    files = (path for path in sources.rglob("*.[ch]") if path.relative_to(sources).parts[0] != "python")
    return {
        path.relative_to(sources).as_posix()
        for path in files
        if any(name == "Python.h" or name.startswith("python/") for name in included(path, sources))
    }


def test_only_the_folder_python_includes_python():
    assert files_that_know_python(SOURCES) == set()
    assert {path.name for path in (SOURCES / "python").glob("*.c")} >= {"native.c", "call.c"}


def test_a_file_that_includes_python_through_a_header_is_found(tmp_path):
    for name, text in {
        "python/call.h": "#include <Python.h>\n",
        "python/call.c": '#include "python/call.h"\n',
        "metrics/clean.c": '#include "metrics/clean.h"\n',
        "metrics/clean.h": "#include <stdint.h>\n",
        "metrics/direct.c": "# include <Python.h>\n",
        "metrics/indirect.c": '#include "base/indirect.h"\n',
        "base/indirect.h": '#include "python/call.h"\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert files_that_know_python(tmp_path) == {"metrics/direct.c", "metrics/indirect.c", "base/indirect.h"}


def test_every_include_of_an_own_header_names_its_folder():
    for path in SOURCES.rglob("*.[ch]"):
        for _, own in INCLUDE.findall(path.read_text(encoding="utf-8")):
            assert not own or (SOURCES / own).is_file(), f"{path}: {own}"
