"""Builds the package and its native kernels; metadata and tool settings are in pyproject.toml.

Where the kernels cannot be compiled the package is built without them and runs on their Python twins.
``FW_REQUIRE_NATIVE=1`` makes that an error, ``FW_PURE_PYTHON=1`` does not try.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = Path("metrics_framework/kernels/src")
ALIGNMENT = ["-falign-functions=64", "-falign-loops=32"]  # loops are as fast wherever the linker puts them
FLAGS = {  # contracted, the last bit of a sum would be another
    "unix": ["-std=c11", "-O3", *ALIGNMENT, "-g0", "-ffp-contract=off", "-Wall", "-Wextra"],
    "msvc": ["/std:c11", "/O2", "/fp:precise"],
}
LINKER_FLAGS = {"unix": ["-Wl,-S" if sys.platform == "darwin" else "-Wl,-s"]}  # without symbols for debuggers


class BuildKernels(build_ext):
    """Compiles with the flags of the compiler in use."""

    def build_extensions(self) -> None:
        """Sets the flags of all extensions and builds them; both compilers of POSIX systems count as one."""
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        for extension in self.extensions:
            extension.extra_compile_args = FLAGS[kind]
            extension.extra_link_args = LINKER_FLAGS.get(kind, [])
        super().build_extensions()


def extensions() -> list[Extension]:
    """Returns the native module, unless it is not wanted."""
    if os.environ.get("FW_PURE_PYTHON") == "1":
        return []
    return [
        Extension(
            "metrics_framework.kernels._native",
            sources=[path.as_posix() for path in sorted(SOURCES.rglob("*.c"))],
            depends=[path.as_posix() for path in sorted(SOURCES.rglob("*.h"))],
            include_dirs=[SOURCES.as_posix()],
            optional=os.environ.get("FW_REQUIRE_NATIVE") != "1",
        )
    ]


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernels})
