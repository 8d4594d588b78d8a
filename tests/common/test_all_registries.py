"""The list of registries that tests restore is complete."""

from __future__ import annotations

import re
from pathlib import Path

from registries import REGISTRIES

import metrics_framework


def test_every_registry_of_the_package_is_listed() -> None:
    files = Path(metrics_framework.__path__[0]).rglob("*.py")
    made = [path for path in files if re.search(r"^REGISTRY = Registry\(", path.read_text(encoding="utf-8"), re.M)]
    assert len(REGISTRIES) == len(made)
