"""Programs of ``benchmarks``, which are no package, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def benchmark(name: str, root: Path = ROOT) -> ModuleType:
    """Returns a program as a module.

    Args:
        name: Its file name without the ending.
        root: The checkout.
    """
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", root / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where dataclasses look for types
    spec.loader.exec_module(module)
    return module
