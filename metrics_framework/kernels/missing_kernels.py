"""Reports that the native kernels are missing, once per process, and what that costs.

Another cause than a missing compiler: Python started in a clone imports the sources there, even if ``pip install .``
built the kernels for the installed package, which the sources hide.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES

COST = "scoring with BLEU, chrF, ROUGE, SARI or TER takes 40 to 150 times as long, with identical results"
"""Measured on the example data, see docs/explanation/performance.md."""
_reported: list[str] = []


def report_missing_kernels(report: Callable[[str], object] | None = None) -> None:
    """Reports missing kernels once per process, and not in worker processes; ``FW_KERNELS=python`` prevents it.

    Args:
        report: Receives the message; by default, a Python warning is issued.
    """
    from multiprocessing.process import parent_process

    if _reported or parent_process() is not None:
        return
    message = _message(_hidden_package())
    _reported.append(message)
    warnings.warn(message, stacklevel=2) if report is None else report(message)


def _message(hidden: str) -> str:
    """Returns what to report.

    Args:
        hidden: The folder of an installed package that has kernels, or ``""``.
    """
    if hidden:
        from metrics_framework.common.installation import OWN_FOLDER, install_in_place

        return (
            f"metrics_framework was imported from '{OWN_FOLDER}', which has no native kernels, instead of '{hidden}', "
            f'which has them; {COST}; run "{install_in_place()}" to build them there, or start Python in another folder'
        )
    return (
        f"the native kernels are missing; {COST}; install a C compiler and then this package again to build them, or "
        f"set FW_KERNELS=python to hide this message"
    )


def _hidden_package() -> str:
    """Returns the first folder of `sys.path` that has another copy of this package with native kernels, or ``""``."""
    from metrics_framework.common.installation import OWN_FOLDER

    for folder in sys.path:
        kernels = os.path.join(folder, "metrics_framework", "kernels", "_native")
        has_kernels = any(os.path.isfile(kernels + suffix) for suffix in EXTENSION_SUFFIXES)
        if has_kernels and os.path.realpath(folder) != OWN_FOLDER:
            return os.path.abspath(folder)
    return ""
