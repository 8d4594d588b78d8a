"""Builds the package and its native kernels; metadata and tool settings are in pyproject.toml.

Where the kernels cannot be compiled the package is built without them and runs on their Python twins.
``FW_REQUIRE_NATIVE=1`` makes that an error, ``FW_PURE_PYTHON=1`` does not try.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

SOURCES = Path("metrics_framework/kernels/src")
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-Wall", "-Wextra"]  # contracted, the last bit would be another


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
            extra_compile_args=[] if os.name == "nt" else FLAGS,
            optional=os.environ.get("FW_REQUIRE_NATIVE") != "1",
        )
    ]


setup(ext_modules=extensions())
