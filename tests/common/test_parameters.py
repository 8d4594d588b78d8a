"""Parameters read from code equal those of `inspect.signature`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import metrics_framework
from metrics_framework.common.parameters import Missing, parameters_of
from metrics_framework.metrics.base.metric import Metric


def inspected(function: Callable[..., Any]) -> list[tuple[Any, ...]]:
    """Returns the parameters that `inspect.signature` finds."""
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        (
            found.name,
            Missing if found.default is found.empty else found.default,
            Missing if found.annotation is found.empty else found.annotation,
            stars.get(found.kind, ""),
            found.kind is found.KEYWORD_ONLY,
        )
        for found in inspect.signature(function).parameters.values()
    ]


def nothing(): ...
def with_defaults(first, second=2, /, third: int = 3): ...
def with_keywords(first, *, second: int, third="3"): ...
def with_arguments(first, second=2, *others: str, third, **rest: int): ...


@functools.wraps(with_keywords)
def wrapping(*arguments, **rest): ...


class Scorer:
    def __call__(self, text, limit=3): ...


@pytest.mark.parametrize(
    "function",
    [
        nothing,
        with_defaults,
        with_keywords,
        with_arguments,
        wrapping,  # a decorated function has the parameters of the original
        functools.partial(with_defaults, 1),
        Scorer(),
        Scorer().__call__,  # without self
        str.split,  # of a builtin
    ],
)
def test_parameters_are_those_that_inspect_finds(function: Callable[..., Any]) -> None:
    assert [tuple(parameter) for parameter in parameters_of(function)] == inspected(function)


def test_parameters_of_public_functions_and_metrics_are_those_that_inspect_finds() -> None:
    public = [getattr(metrics_framework, name) for name in metrics_framework.__all__]
    metrics = [Metric.by_name(name).__init__ for name in ("sari", "ter", "bleu", "chrf", "rouge")]
    for function in [*filter(inspect.isfunction, public), *metrics]:
        assert [tuple(parameter) for parameter in parameters_of(function)] == inspected(function)
