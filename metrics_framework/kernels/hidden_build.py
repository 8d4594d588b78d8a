"""Finds an installed package with native kernels that sources without them hide.

Python started in a clone imports the sources there, even if ``pip install .`` built the kernels for the installed
package. The results are the same, but scoring is many times slower.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES

OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
"""The folder that the imported package is in."""
_reported: list[str] = []


def report_hidden_build(report: Callable[[str], object] | None = None) -> None:
    """Reports a hidden package once per process, and not in worker processes.

    Args:
        report: Receives the message; by default, a Python warning is issued.
    """
    from multiprocessing.process import parent_process

    if _reported or parent_process() is not None:
        return
    folder = _hidden_package()
    _reported.append(folder)
    if folder:
        message = (
            f"metrics_framework was imported from '{OWN_FOLDER}', which has no native kernels, instead of '{folder}', "
            f"which has them; scoring is many times slower; run \"python -m pip install -e '{OWN_FOLDER}'\" to build "
            f"them there, or start Python in another folder"
        )
        warnings.warn(message, stacklevel=2) if report is None else report(message)


def _hidden_package() -> str:
    """Returns the first folder of `sys.path` that has another copy of this package with native kernels, or ``""``."""
    for folder in sys.path:
        kernels = os.path.join(folder, "metrics_framework", "kernels", "_native")
        has_kernels = any(os.path.isfile(kernels + suffix) for suffix in EXTENSION_SUFFIXES)
        if has_kernels and os.path.realpath(folder) != OWN_FOLDER:
            return os.path.abspath(folder)
    return ""
