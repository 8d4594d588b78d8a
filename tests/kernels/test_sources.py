"""The C sources: only `src/python/` knows Python, and they compile without what MSVC lacks, emulated."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import sampled

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "metrics_framework/kernels/src"
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


def test_only_the_folder_python_includes_python() -> None:
    assert files_that_know_python(SOURCES) == set()
    assert {path.name for path in (SOURCES / "python").glob("*.c")} >= {"native.c", "call.c"}


def test_every_include_of_an_own_header_names_its_folder() -> None:
    for path in SOURCES.rglob("*.[ch]"):
        for _, own in INCLUDE.findall(path.read_text(encoding="utf-8")):
            assert not own or (SOURCES / own).is_file(), f"{path}: {own}"


# ---- other compilers -------------------------------------------------------------------------------------------------

HEADERS = ("float", "limits", "math", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string")
ABSENT_MACROS = ("__GNUC__", "__SIZEOF_INT128__", "__SSE2__", "__BYTE_ORDER__")
ABSENT_WORDS = """
    __attribute__ __extension__ __int128 __typeof__ typeof __thread
    __builtin_add_overflow __builtin_clzll __builtin_cpu_supports __builtin_ctzll __builtin_expect
    __builtin_mul_overflow __builtin_popcountll __builtin_prefetch __builtin_sub_overflow __builtin_unreachable
"""


@pytest.fixture(scope="module")
def compiler() -> list[str]:
    """Returns the compiler of the kernels, which is there if ``FW_REQUIRE_NATIVE=1``."""
    command = shlex.split(sysconfig.get_config_var("CC") or "cc")
    if shutil.which(command[0]) is None and os.environ.get("FW_REQUIRE_NATIVE") != "1":
        pytest.skip("needs a C compiler")
    return command


@pytest.mark.slow
@pytest.mark.parametrize("knows_python", [False, True])
def test_the_sources_need_no_extension_of_a_compiler(compiler: list[str], knows_python: bool, tmp_path: Path) -> None:
    lines = ["#include <Python.h>"] * knows_python + [f"#include <{name}.h>" for name in HEADERS]
    lines += [f"#undef {macro}" for macro in ABSENT_MACROS]
    lines += [f"#pragma GCC poison {' '.join(ABSENT_WORDS.split())}"]
    (tmp_path / "absent.h").write_text("\n".join([*lines, ""]), encoding="utf-8")
    sources = [
        path for path in sorted(SOURCES.rglob("*.c")) if ("python" in path.relative_to(SOURCES).parts) is knows_python
    ]
    pedantic = [] if knows_python else ["-pedantic-errors"]  # modules of Python store functions as pointers to data
    flags = ["-std=c11", *pedantic, "-Werror=vla", "-fsyntax-only", "-include", str(tmp_path / "absent.h")]
    folders = ["-I", str(SOURCES), "-I", sysconfig.get_path("include")]
    done = subprocess.run(
        [*compiler, *flags, *folders, *map(str, sources)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


FLAGS = """
import runpy, setuptools, sys
from types import SimpleNamespace
given = {}
setuptools.setup = given.update
runpy.run_path("setup.py")
build = given["cmdclass"]["build_ext"]
build.__mro__[1].build_extensions = lambda command: None
command = build(setuptools.Distribution())
command.compiler, command.extensions = SimpleNamespace(compiler_type=sys.argv[1]), given["ext_modules"]
command.build_extensions()
(extension,) = given["ext_modules"]
print(*extension.extra_compile_args, sep="\\n")
"""
"""Prints the flags of setup.py for a kind of compiler, in a process of its own: setuptools replaces modules."""


@pytest.mark.parametrize(
    ("kind", "flag"), sampled([("msvc", "/std:c11"), ("unix", "-std=c11"), ("mingw32", "-std=c11")], 1)
)
def test_the_flags_are_those_of_the_compiler(kind: str, flag: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "FW_PURE_PYTHON"}
    done = subprocess.run(
        [sys.executable, "-c", FLAGS, kind], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    flags = done.stdout.split()
    assert flag in flags
    assert all(one.startswith("/") is (kind == "msvc") for one in flags)
