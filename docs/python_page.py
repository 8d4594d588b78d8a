"""The reference of Python: the public names, with signatures and docstrings as Markdown."""

from __future__ import annotations

import importlib
import inspect
import re
from textwrap import dedent
from types import ModuleType
from typing import Any

from markdown_parts import fence, joined

import metrics_framework
from metrics_framework import meta_evaluation
from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.analysis import Analysis
from metrics_framework.common import names_in
from metrics_framework.integrations import hugging_face

ARRAYS = """# Functions on arrays

The public names of `metrics_framework.meta_evaluation`: coefficients, tests, intervals and estimates, computed from
arrays instead of the files that [fw correlate](commands/correlate.md) and other commands read.
"""
PREFACE = """# Python

The public names of `metrics_framework`, and the adapter with the methods of Hugging Face's `evaluate`. A public name is
loaded on first use. Annotations are those of the source; `…` is a default created anew for each call. The checks in
`metrics_framework.testing` are described in [Add a metric](../guides/add-a-metric.md).
"""
SECTIONS = {  # modules of the public names
    "Functions": ("api.evaluate", "api.score_columns", "api.correlate", "api.report", "api.loading"),
    "Training": ("integrations.reward", "integrations.accumulator", "integrations.compute_metrics"),
    "Results": ("api.results", "api.analysis_results", "api.tables"),
    "Metrics": ("metrics.base.metric", "metrics.base.shapes"),
    "Readers": ("dataset_readers.dataset_reader",),
    "Coefficients and tests of differences": (
        "meta_evaluation.coefficients.coefficient",
        "meta_evaluation.choices",
        "meta_evaluation.differences.difference_test",
        "meta_evaluation.differences.permutation_tests",
    ),
    "Data": ("data.texts", "data.metrics_dict", "data.scored_output", "data.eval_instance", "data.jackknifers"),
    "Errors": ("common.errors",),
}
PROVISIONAL = "[Provisional](stability.md#provisional-names): a minor version may change it.\n"
WIDTH = 100


def python_page() -> str:
    """Returns the page with the signature and docstring of every public name."""
    parts = [PREFACE]
    known = {home for homes in SECTIONS.values() for home in homes}
    public = {name: home.partition(".")[2] for name, home in names_in(metrics_framework.__file__).items()}
    others = tuple(home for home in dict.fromkeys(public.values()) if home not in known)
    for title, homes in {**SECTIONS, "More": others}.items():
        names = [(name, home) for home in homes for name in public if public[name] == home]
        parts += _section(metrics_framework, title, names)
    parts += ["## The package\n", "### `__version__`\n", "The version of the package, a string.\n"]
    parts += ["## Hugging Face\n", "In `metrics_framework.integrations.hugging_face`:\n", "### hugging_face.load\n"]
    parts += [*_documented("load", hugging_face.load), "### HuggingFaceMetric\n"]
    parts += _class(hugging_face.HuggingFaceMetric)
    return "\n".join(parts)


def arrays_page() -> str:
    """Returns the page with the signature and docstring of every name of `metrics_framework.meta_evaluation`."""
    parts = [ARRAYS, markdown(meta_evaluation.__doc__).partition("\n\n")[2]]
    sections: dict[str, list[tuple[str, str]]] = {}
    for name, module in names_in(meta_evaluation.__file__).items():
        home = module.removeprefix(f"{meta_evaluation.__name__}.")
        sections.setdefault(home.partition(".")[0], []).append((name, home))
    for title, found in sections.items():
        parts += _section(meta_evaluation, title.replace("_", " ").capitalize(), found)
    return "\n".join(parts)


def _section(package: ModuleType, title: str, names: list[tuple[str, str]]) -> list[str]:
    """Documents names of a package, of which the modules are given, too."""
    parts = [f"## {title}\n"] if names else []
    for name, home in sorted(names, key=lambda pair: pair[0][0].isupper()):  # functions first
        provisional = package is metrics_framework and name in metrics_framework.PROVISIONAL
        parts += [f"### {name}\n", *([PROVISIONAL] if provisional else []), *_public_name(package, name, home)]
    return parts


def _public_name(package: ModuleType, name: str, home: str) -> list[str]:
    found = getattr(package, name)
    if isinstance(found, type):
        return _class(found, package)
    if callable(found):
        return _documented(name, found)
    if isinstance(found, dict):
        return [f"A dictionary with the keys {joined(found)}.\n"]
    module = importlib.import_module(f"{package.__name__}.{home}")
    return [fence("py", f"{name} = {found}"), markdown(module.__doc__)]


def _class(kind: type[Any], package: ModuleType = metrics_framework) -> list[str]:
    """Documents a class and its methods, except those documented identically in a public base class."""
    others = [getattr(package, name) for name in package.__all__]
    bases = [base for base in kind.__mro__[1:] if base in others]
    own_constructor = inspect.isfunction(kind.__init__)
    parts = [fence("py", f"class {_call(kind.__name__, kind.__init__) if own_constructor else kind.__name__}")]
    parts.append(markdown(kind.__doc__))
    if bases:
        named = ", ".join(f"[`{base.__name__}`](#{base.__name__.lower()})" for base in bases)
        parts.append(f"Inherits from {named}.\n")
    for name in _methods(kind, bases):
        parts += _documented(f"{kind.__name__}.{name}", inspect.getattr_static(kind, name), getattr(kind, name))
    return parts


def _methods(kind: type[Any], bases: list[Any]) -> list[str]:
    owners = [one for one in kind.__mro__ if one.__module__.startswith("metrics_framework.") and one not in bases]
    names = [name for one in owners for name, member in vars(one).items() if not name.startswith("_") and _is(member)]
    return [name for name in dict.fromkeys(names) if not any(_same(kind, base, name) for base in bases)]


def _is(member: Any) -> bool:
    return inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod, property))


def _same(kind: type[Any], base: Any, name: str) -> bool:
    return hasattr(base, name) and inspect.getdoc(getattr(base, name)) == inspect.getdoc(getattr(kind, name))


def _documented(name: str, found: Any, bound: Any = None) -> list[str]:
    if isinstance(found, property):
        return [fence("py", f"{name}: {inspect.signature(found.fget).return_annotation}"), markdown(found.__doc__)]  # type: ignore[arg-type]
    function = found if bound is None else bound
    return [fence("py", _call(name, function)), markdown(_with_choices(inspect.getdoc(function), _choices(function)))]


def _choices(function: Any) -> dict[str, list[str]]:
    """Returns the choices of the options of a function, if it is that of an analysis."""
    analyses = [kind() for kind in map(COMMANDS.get, COMMANDS.names()) if issubclass(kind, Analysis)]
    options = next((command.options for command in analyses if command.function() is function), [])
    return {option.name: [str(choice) for choice in option.choices] for option in options if option.choices}


def _with_choices(docstring: str | None, choices: dict[str, list[str]]) -> str:
    """Adds the choices of options to the texts of a docstring."""
    text = docstring or ""
    for name, words in choices.items():
        listed = ", ".join(f"``{word}``" for word in words)
        text = re.sub(rf"(^    {name}: .*(?:\n        .*)*)", rf"\1\n        Choices: {listed}.", text, flags=re.M)
    return text


def _call(name: str, function: Any) -> str:
    """Formats a signature as in the source; the format of `inspect` depends on the version of Python."""
    signature = inspect.signature(function)
    words: list[str] = []
    parameters = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    kinds = [one.kind for one in parameters]
    for index, one in enumerate(parameters):
        if one.kind == one.KEYWORD_ONLY and not {one.KEYWORD_ONLY, one.VAR_POSITIONAL} & {*kinds[:index]}:
            words.append("*")
        words.append(_parameter(one))
        if one.kind == one.POSITIONAL_ONLY and kinds[index + 1 : index + 2] != [one.POSITIONAL_ONLY]:
            words.append("/")
    of_class = inspect.isfunction(function) and function.__name__ == "__init__"
    returns = signature.return_annotation
    arrow = f" -> {returns}" if isinstance(returns, str) and not of_class else ""
    line = f"{name}({', '.join(words)}){arrow}"
    return line if len(line) <= WIDTH else "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){arrow}"])


def _parameter(one: inspect.Parameter) -> str:
    stars = "*" * (one.kind == one.VAR_POSITIONAL) + "**" * (one.kind == one.VAR_KEYWORD)
    typed = isinstance(one.annotation, str)
    word = f"{stars}{one.name}{f': {one.annotation}' if typed else ''}"
    if one.default is one.empty:
        return word
    default = "…"
    if one.default is None or isinstance(one.default, (bool, int, float)):
        default = repr(one.default)
    elif isinstance(one.default, str):
        default = f'"{one.default}"'
    return f"{word}{' = ' if typed else '='}{default}"


_BLOCK = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):\n((?:(?: .*)?\n)+)|^(>>> .*\n(?:.+\n)*)", re.MULTILINE)


def markdown(docstring: str | None) -> str:
    """Turns a Google docstring into Markdown: its sections into lists, its examples into code."""
    text = inspect.cleandoc(docstring or "") + "\n"
    text = re.sub(r"::$", ":", text, flags=re.MULTILINE)
    return _BLOCK.sub(_block, text).strip("\n") + "\n"


def _block(match: re.Match[str]) -> str:
    if match[3]:
        return fence("pycon", match[3].rstrip())
    body = dedent(match[2]).rstrip("\n")
    if match[1] in ("Returns", "Yields"):
        return f"{match[1]}: {body}\n\n"
    items = re.sub(r"^(\w+): ", r"- `\1`: ", body, flags=re.MULTILINE)
    return f"{match[1]}:\n\n{re.sub('^ +', '  ', items, flags=re.MULTILINE)}\n\n"
