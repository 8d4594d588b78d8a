"""Chooses the implementation of every kernel: the native module where it was built, else the Python twins.

``FW_KERNELS=python`` asks for the twins, ``native`` for the native module, ``auto`` (the default) for the best there
is. Both give the same integers, so a score does not depend on the choice.
"""

from __future__ import annotations

import os

from metrics_framework.common.errors import UsageError

VARIABLE = "FW_KERNELS"
IMPLEMENTATIONS = ("auto", "native", "python")


def implementation() -> str:
    """Names the implementation in use.

    Raises:
        UsageError: if ``FW_KERNELS`` asks for one that is not there.
    """
    wanted = os.environ.get(VARIABLE) or "auto"
    if wanted not in IMPLEMENTATIONS:
        raise UsageError(f"{VARIABLE} must be one of {', '.join(IMPLEMENTATIONS)}, got '{wanted}'")
    if wanted == "native":
        raise UsageError(f"{VARIABLE}=native, but this installation has no native kernels; leave it out or say python")
    return "python"
