"""Cases of which the quick suite runs a sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], quick: int = 2) -> list[Any]:
    """Returns the cases for ``parametrize``, all but a few marked as slow.

    The quick suite runs the first and the last case, and others at equal distances between them.

    Args:
        cases: Values, tuples with a value for each argument, or parameters of pytest; a tuple that is the value of
            the only argument is written as ``pytest.param(value)``.
        quick: The number of cases that the quick suite runs.
    """
    listed = list(cases)
    most = max(len(listed) - 1, 1)
    kept = {round(most * number / max(quick - 1, 1)) for number in range(quick)}
    return [case if number in kept else _slow(case) for number, case in enumerate(listed)]


def _slow(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
