"""The fixture ``fw_gate`` of pytest, with which a test fails if a new run does not pass the gate.

pytest finds it by its entry point; ``-p no:fw_gate`` turns it off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PROPERTY = "fw_gate"
"""The property of a test case, in JUnit, that has the sentence on a score."""


@pytest.fixture
def fw_gate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Returns a function with the arguments of `metrics_framework.gate` that fails the test if the gate fails."""

    def check(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        import metrics_framework
        from metrics_framework.common.errors import GateError

        result = metrics_framework.gate(*arguments, **options)
        # The fixture record_property does the same, but warns of the JUnit family that is the default.
        request.node.user_properties += [(PROPERTY, sentence) for sentence in result.sentences]
        try:
            result.check()
        except GateError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        return result

    return check


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the sentences of all gates, also of those that other processes ran."""
    reports = [report for of_outcome in terminalreporter.stats.values() for report in of_outcome]
    calls = [report for report in reports if getattr(report, "when", "") == "call"]
    lines = [f"{one.nodeid}: {text}" for one in calls for name, text in one.user_properties if name == PROPERTY]
    if lines:
        terminalreporter.section("fw gate")
        for line in lines:
            terminalreporter.write_line(line)
