"""One name for one thing: options that mean the same have the same name and default in all commands and functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import metrics_framework as fw_package
import metrics_framework.meta_evaluation as meta_evaluation
from metrics_framework.commands import REGISTRY
from metrics_framework.commands.command import find_command
from metrics_framework.common.calls import FORMER_NAMES

RULES: dict[str, tuple[Any, str]] = {  # parameter: its defaults, what it is
    "seed": ((0,), "the seed of draws"),
    "alpha": ((0.05,), "the level of significance of tests"),
    "resamples": ((1000, None), "the number of draws"),
    "confidence": ((95, 95.0, None, True), "the level of intervals; None and False are no intervals"),
    "correct": (("holm",), "the correction of p-values"),
    "detectable": ((False,), "whether to estimate what a test can detect"),
    "power": ((0.8, None), "a number"),
    "cluster": ((None,), "a column"),
    "clusters": ((None,), "a field of inputs, or the label of each"),
    "strength_scale": (("natural",), "the scale of strengths"),
}
NOT_TO_BE_CALLED = {  # a name, and the one that the option has
    "correction": "correct",
    "significance": "alpha",
    "random_state": "seed",
    "random_seed": "seed",
    "n_resamples": "resamples",
    "num_samples": "resamples",
}
EXCEPTIONS = {
    ("compare", "seed", None): "0, or sacreBLEU's 12345 for its tests",
}
TRIALS = {"compare"}
"""The functions whose tests draw another number than their intervals."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (fw_package, meta_evaluation):
        for name in module.__all__:
            if inspect.isfunction(function := getattr(module, name)):
                yield f"{module.__name__}.{name}", function


@pytest.mark.parametrize(("name", "function"), [*functions()])
def test_parameters_that_mean_the_same_have_one_name_and_default(name: str, function: Callable[..., Any]) -> None:
    short = name.rpartition(".")[2]
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.name not in NOT_TO_BE_CALLED, NOT_TO_BE_CALLED.get(parameter.name)
        assert parameter.name != "trials" or short in TRIALS
        assert parameter.name != "scale" or short != "prefer"
        defaults, what = RULES.get(parameter.name, ((), ""))
        if what and parameter.default is not parameter.empty:
            assert parameter.default in defaults or (short, parameter.name, parameter.default) in EXCEPTIONS, what


FLAGS = {  # flag: what must not be there beside it, under another name
    "--correct": ("--correction",),
    "--resamples": ("--trials", "--num-samples"),
    "--seed": ("--random-seed",),
    "--detectable": ("--power",),
    "--strength-scale": ("--scale",),
}


@pytest.mark.parametrize("command", REGISTRY.names())
def test_flags_that_mean_the_same_have_one_name(command: str) -> None:
    try:
        parser, _, _ = find_command([command])
    except SystemExit:
        return
    names: dict[str, str] = {}
    for action in parser._actions:
        names |= dict.fromkeys(action.option_strings, action.dest)
    for flag, others in FLAGS.items():
        for other in {*others} & {*names}:
            if flag in names and not (command == "compare" and other == "--trials"):
                assert names[other] == names[flag], f"{other} is another option than {flag}"
            else:
                assert other in ("--power", "--scale", "--trials"), f"{other} is {flag}"
    assert ("--engine" in names) <= (command in ("evaluate", "score"))
    assert "--clusters" not in names


@pytest.mark.parametrize(("function", "former"), [(name, old) for name, of in FORMER_NAMES.items() for old in of])
def test_other_names_are_no_parameters(function: str, former: str) -> None:
    parameters = inspect.signature(getattr(fw_package, function)).parameters
    assert FORMER_NAMES[function][former] in parameters
    assert former not in parameters
