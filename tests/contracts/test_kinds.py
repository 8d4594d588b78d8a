"""Every registered class through the checks of its kind, and in a test of its own."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kind_contracts import KIND_CHECKS
from pages import ROOT
from registries import CHECKS, REGISTRIES

from metrics_framework.common.registrable import Registry


def built_in(registry: Registry) -> list[str]:
    return [name for name in registry.names() if registry.entries[name].module.startswith("metrics_framework.")]


NAMED = [registry for registry in REGISTRIES if registry is not CHECKS]  # whose notes are what tests name
CASES = [
    pytest.param(registry, name, check, id=f"{registry.kind}-{name}")
    for registry, check in KIND_CHECKS.items()
    for name in built_in(registry)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("registry", "name", "check"), CASES)
def test_every_class_keeps_what_its_kind_promises(
    registry: Registry, name: str, check: Callable[[type[Any], Path], None], tmp_path: Path
) -> None:
    check(registry.get(name), tmp_path)


@functools.cache
def text_of_tests() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("registry", NAMED, ids=lambda registry: registry.kind)
def test_every_registered_name_is_in_a_test(registry: Registry) -> None:
    package = registry.home.removeprefix("metrics_framework.").replace(".", "/")
    for name in built_in(registry):
        place = f"tests/{package}/test_{name.replace('-', '_')}.py"
        is_named = re.search(rf"\b{re.escape(name)}\b", text_of_tests())
        assert is_named, f"no test names the {registry.kind} '{name}': write {place}"
