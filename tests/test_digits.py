"""Scores, intervals and tests have the same digits with every Python, whose `sum` differs (decision 0013)."""

from __future__ import annotations

import builtins
import json
import math
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from benchmark_modules import benchmark
from hypothesis import given
from hypothesis import strategies as st
from recorded_digits import GROUPS, RECORD, hashes, rounded
from sums_of_floats import SUM

from metrics_framework.data.sums import plain_sum, sample_deviation

NUMBERS = st.lists(st.floats(-1e300, 1e300) | st.integers(-(10**6), 10**6), max_size=8)


def sum_from_left_to_right(values: Iterable[Any], /, start: Any = 0) -> Any:
    """The `sum` of Python 3.11 and earlier."""
    total = start
    for value in values:
        total = total + value
    return total


def compensated_sum(values: Iterable[Any], /, start: Any = 0) -> Any:
    """The `sum` of Python 3.12 and later: Neumaier's, while there are floats."""
    total, rest = start, 0.0
    for value in values:
        if type(total) is float and type(value) is float:
            after = total + value
            rest += (total - after) + value if abs(total) >= abs(value) else (value - after) + total
            total = after
        elif type(total) is float and type(value) is int:
            total += float(value)
        else:
            total, rest = _with(total, rest) + value, 0.0
    return _with(total, rest)


def _with(total: Any, rest: float) -> Any:
    return total + rest if rest and math.isfinite(rest) else total


@contextmanager
def summing(function: Callable[..., Any]) -> Iterator[None]:
    """Replaces `sum` everywhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "sum", function)
        yield


def differing(compute: Callable[[], Iterable[tuple[str, Mapping[str, str]]]]) -> tuple[int, list[str]]:
    """Returns the number of results, and the names of those that depend on `sum`."""
    with summing(sum_from_left_to_right):
        plain = dict(compute())
    with summing(compensated_sum):
        compensated = dict(compute())
    assert plain.keys() == compensated.keys()
    return len(plain), [f"{name} {part}" for name in plain for part in plain[name] if plain[name] != compensated[name]]


@given(NUMBERS)
def test_the_sums_of_these_tests_are_those_of_python(numbers: list[float]) -> None:
    expected = compensated_sum if sys.version_info >= (3, 12) else sum_from_left_to_right
    assert repr(expected(numbers)) == repr(SUM(numbers))
    assert repr(plain_sum(numbers)) == repr(0.0 + sum_from_left_to_right(numbers))


def test_the_package_sums_no_floats_with_the_sum_of_python() -> None:
    """In all tests: `conftest` replaces `sum`."""
    caller = {"__name__": "metrics_framework.metrics.new", "sum": builtins.sum}
    assert eval("sum(range(4)), sum([True, 2], 3), sum([[1], [2]], [])", caller) == (6, 6, [1, 2])
    for expression in ("sum([1, 2.0])", "sum([1], 0.5)", "sum(value for value in (1.0, 2.0))"):
        with pytest.raises(AssertionError, match=r"metrics_framework\.metrics\.new, line 1"):
            eval(expression, caller)
    assert eval("sum([1, 2.0])", {"__name__": "another_package"}) == 3.0


@pytest.mark.filterwarnings("ignore:empty")
def test_scores_do_not_depend_on_the_sum_of_python() -> None:
    digits = benchmark("digits")
    count, names = differing(lambda: digits.digits_of_metrics(count=4))
    assert count >= 40
    assert names == []


@pytest.mark.slow
def test_intervals_tests_and_correlations_do_not_depend_on_the_sum_of_python() -> None:
    digits = benchmark("digits")
    count, names = differing(digits.digits_of_commands)
    assert count == len(digits.COMMANDS)
    assert names == []


# ---- standard deviations --------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.version_info < (3, 11), reason="statistics of Python 3.10 rounds the variance")
@given(st.lists(st.integers(0, 100) | st.floats(-1e100, 1e100), min_size=2, max_size=9))
def test_deviations_are_those_of_the_statistics_of_python(values: list[float]) -> None:
    assert sample_deviation(values) == statistics.stdev(values)


CASES = [  # values, deviation, why
    ([60, 70, 80], 10.0, "√((10² + 0 + 10²) / 2)"),
    ([1.5, 1.5, 1.5], 0.0, "equal values"),
    ([0, 2e-200], math.sqrt(2) * 1e-200, "the variance is too small for a float"),
    ([75, 100, 25, 50, 50, 100], 30.276503540974918, "√(5500 / 6); with a rounded variance, the last digit is 5"),
]


@pytest.mark.parametrize(("values", "expected", "why"), CASES)
def test_deviations_by_hand(values: list[float], expected: float, why: str) -> None:
    assert sample_deviation(values) == expected, why


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # one list of references is empty
def test_scores_of_all_metrics_are_those_on_record() -> None:
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))["metrics"]
    found = hashes(benchmark("digits").digits_of_metrics(GROUPS))
    assert len(found) > 25
    assert {name: recorded[name] for name in found} == found


def test_files_of_commands_are_those_on_record() -> None:
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))["commands"]
    assert hashes(rounded(benchmark("digits").digits_of_commands())) == recorded
