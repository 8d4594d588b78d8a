"""Meta-evaluation: how well metrics, judges and raters agree, as functions on arrays.

Matrices have one row per system and one column per input; NaN is a missing score. The functions are loaded when they
are first used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.estimates import Interval as Interval
    from metrics_framework.meta_evaluation.preferences.strengths import BradleyTerry as BradleyTerry
    from metrics_framework.meta_evaluation.preferences.strengths import bradley_terry as bradley_terry

_HOMES: dict[str, tuple[str, ...]] = {
    "estimates": ("Interval",),
    "preferences.strengths": ("BradleyTerry", "bradley_terry"),
}
_NAMES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [*_NAMES]


if not TYPE_CHECKING:  # or type checkers would accept every name

    def __getattr__(name: str) -> Any:
        if name not in _NAMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name, obj=sys.modules[__name__])
        import importlib

        value = getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
