"""Generates ``api/loading.pyi``, which types `load` by the names of the metrics; used by `generate.py`."""

from __future__ import annotations

from metrics_framework.metrics import REGISTRY as METRICS

PATH = "metrics_framework/api/loading.pyi"
HEAD = '''"""Written by docs/generate.py; a test fails when it is out of date."""

from collections.abc import Mapping
from typing import Any, Literal, overload

'''
TAIL = """@overload
def load(name: str | Mapping[str, Any], /, **options: Any) -> Metric: ...
"""


def load_stub() -> str:
    """Returns the stub: an overload for each class of this package, and `Metric` for all other names."""
    names: dict[tuple[str, str], list[str]] = {}
    for name in METRICS.names(aliases=True):
        entry = METRICS.entries[name]
        if entry.module.startswith("metrics_framework."):
            names.setdefault((entry.module, entry.class_name), []).append(name)
    classes: dict[str, list[str]] = {}
    for module, class_name in sorted(names):
        classes.setdefault(module, []).append(class_name)
    classes["metrics_framework.metrics.base.metric"] = ["Metric"]
    imports = [f"from {module} import {', '.join(found)}\n" for module, found in sorted(classes.items())]
    overloads = []
    for key in sorted(names):
        literals = ", ".join(f'"{name}"' for name in names[key])
        overloads.append(f"@overload\ndef load(name: Literal[{literals}], /, **options: Any) -> {key[1]}: ...\n")
    return "".join([HEAD, *imports, "\n", *overloads, TAIL])
