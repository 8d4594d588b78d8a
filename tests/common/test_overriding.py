"""The decorator `@overrides` marks a method; in the tests it compares signatures."""

from __future__ import annotations

import subprocess
import sys

import pytest
from checked_overrides import DECORATED

from metrics_framework.common.overriding import overrides


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
