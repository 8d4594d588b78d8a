"""Deprecated and provisional names warn, the former until they leave on time; `@overrides` checks in the tests only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checked_overrides import DECORATED

import metrics_framework
from metrics_framework.common.overriding import overrides
from metrics_framework.common.stability import ProvisionalWarning, deprecated, provisional
from metrics_framework.version import __version__

PACKAGE = Path(metrics_framework.__file__).parent


def calls_of_deprecated() -> Iterator[tuple[str, ast.Call]]:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "deprecated(" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "deprecated":
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def release(version: str) -> tuple[int, int]:
    """Returns major and minor version.

    >>> release("1.2.0rc1"), release("1.10")
    ((1, 2), (1, 10))
    """
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def test_deprecated_names_are_removed_in_time() -> None:
    """In the release that removes a name, remove it, its tests and its line in docs/reference/stability.md."""
    found = list(calls_of_deprecated())
    assert found
    for place, call in found:
        removed_in = next(keyword.value for keyword in call.keywords if keyword.arg == "removed_in")
        assert isinstance(removed_in, ast.Constant), place
        assert release(__version__) < release(str(removed_in.value)), f"{place}: remove the deprecated name"


def test_a_deprecated_name_is_reported_where_it_is_used() -> None:
    def old() -> None:
        deprecated("'old'", "'new'", removed_in="9.2")

    with pytest.warns(DeprecationWarning, match=r"'old' is deprecated, and fw 9\.2 removes it; use 'new'") as found:
        old()
    assert found[0].filename == __file__


def test_a_provisional_name_is_reported_where_it_is_used() -> None:
    with pytest.warns(ProvisionalWarning, match="'name' is provisional") as found:
        (lambda: provisional("'name'"))()
    assert found[0].filename == __file__


@pytest.mark.parametrize("statement", ["fw.Problems", "from metrics_framework import RowReader, PyramidJackknifer"])
@pytest.mark.parametrize("mode", [["-W", "error"], ["-X", "dev"]])
def test_provisional_names_warn_once_and_only_in_the_development_mode(statement: str, mode: list[str]) -> None:
    program = f"import metrics_framework as fw; {statement}; {statement}"
    done = subprocess.run([sys.executable, *mode, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0
    names = statement.count("Problems") + statement.count("Reader") + statement.count("Jackknifer")
    assert done.stderr.count("ProvisionalWarning: ") == (names if "dev" in mode else 0)


def test_the_former_name_of_the_version_of_a_definition_is_deprecated() -> None:
    from metrics_framework.metrics.base.neural_metric import NeuralMetric

    with pytest.warns(DeprecationWarning, match="'scores_version'.* use 'definition'"):

        class Old(NeuralMetric):
            scores_version = 3

            def score_multi_all(self, *groups: Any) -> Any: ...

    assert Old.definition == 3
    assert Old().signature().split("|")[-2] == "def:3"


def test_tests_create_classes_with_the_checks_of_the_package_overrides() -> None:
    assert DECORATED == ["metrics_framework.common.overriding"], "these modules were imported without the checks"
    assert overrides.__module__ == "overrides.overrides"


def test_an_override_with_another_signature_fails_in_the_tests() -> None:
    class Base:
        def score(self, summary: str) -> float:
            raise NotImplementedError

    with pytest.raises(TypeError, match="score"):

        class Derived(Base):
            @overrides
            def score(self, summary: str, reference: str) -> float:
                raise NotImplementedError


def test_outside_the_tests_a_method_is_only_marked() -> None:
    program = (
        "import sys\n"
        "from metrics_framework.common.overriding import overrides\n"
        "def score(): ...\n"
        "assert overrides(score) is score and score.__override__\n"
        "assert 'overrides' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
