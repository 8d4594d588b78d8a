"""The arguments of analyses in Python: each is checked and converted as its flag is, before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import metrics_framework as fw
from metrics_framework.api.arguments import Reading
from metrics_framework.common.errors import DataError, InputError
from metrics_framework.common.options import Option, options_of_function

FUNCTIONS: dict[Callable[..., Any], list[Any]] = {  # function to the arguments that it needs
    fw.agreement: [[], "q"],
    fw.compare: [[]],
    fw.correlate: [[], "m", "q"],
    fw.estimate: [[], "q", "m"],
    fw.judge: [[], "q", "m"],
    fw.plan: ["mean"],
    fw.prefer: [[]],
    fw.stat_sig_test: [[], "q", "m", "n"],
}


def invalid(option: Option) -> Iterator[Any]:
    """Yields arguments that the declaration of an option excludes."""
    kind = option.item if option.kind == "list" else option.kind
    if kind not in ("form", "json"):
        yield 2.5 if kind == "str" else "no such value"  # names of columns may be integers
    bounds = option.bounds or ()
    outside = bounds[:2] if len(bounds) > 1 else [bound - 1 for bound in bounds]
    yield from (bound for bound in outside if not option.bounds.allows(bound))


CASES = [
    (function, option.name, [argument] if option.kind == "list" else argument)
    for function, given in FUNCTIONS.items()
    for option in options_of_function(function)[len(given) :]
    if not option.files and option.name not in ("references", "sources", "documents")
    for argument in invalid(option)
]


@pytest.mark.parametrize(("function", "name", "argument"), CASES)
def test_what_a_flag_refuses_its_parameter_refuses(function: Callable[..., Any], name: str, argument: Any) -> None:
    with pytest.raises(InputError, match=f"^'{name.removesuffix('s')}s?' must be "):
        function(*FUNCTIONS[function], **{name: argument})


def test_a_message_shows_the_start_of_an_array() -> None:
    scores = np.ones((8, 20))
    with pytest.raises(InputError, match=r"^'metric_b' must be a string, got array\(\[\[1\., .{,200}…$"):
        fw.stat_sig_test({"a": scores, "b": scores}, "a", "b", scores)


def test_functions_on_ratings_read_rows_by_the_same_options() -> None:
    for function in FUNCTIONS.keys() - {fw.compare, fw.prefer}:
        assert {option.name for option in options_of_function(function)} > {*Reading.__annotations__}
        with pytest.raises(TypeError, match="unexpected keyword argument 'keeps'"):
            function(*FUNCTIONS[function], keeps="BAD")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "reading", [{"duplicates": "first"}, {"missing": "1"}, {"keep": ["BAD"], "duplicates": "last"}]
)
def test_a_pilot_is_read_as_ratings_are(reading: dict[str, Any]) -> None:
    rows = [{"id": i // 2 % 50, "rater": i % 2, "q": i % 7, "type": ["TGT", "BAD"][i > 80]} for i in range(101)]
    pilot = partial(fw.plan, "mean", rows, rating="q", half_width=0.5, simulations=10)
    with pytest.raises(DataError, match="twice"):
        pilot(keep="BAD")
    assert pilot(duplicates="first", keep="BAD").pilot_outputs == 50
