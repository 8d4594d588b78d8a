"""Writes the types of `load`, by the names and options of the metrics: ``python docs/load_stub.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from metrics_framework.common.options import Option, options_of
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric

PATH = Path(__file__).resolve().parent.parent / "metrics_framework" / "api" / "loading.pyi"
LINE_LENGTH = 120
HEAD = '''"""Written by docs/load_stub.py; a test fails when it is out of date."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

'''
TAIL = """@overload
def load(name: str | Mapping[str, Any], /) -> Metric: ...
"""  # no options: otherwise it would accept each wrong option of a known metric (decision 0022)
TYPES = {"bool": "bool", "int": "int", "float": "float", "str": "str"}


def load_stub() -> str:
    """Returns the stub: an overload for each class of this package, and `Metric` for all other names."""
    names: dict[tuple[str, str], list[str]] = {}
    for name in METRICS.names(aliases=True):
        entry = METRICS.entries[name]
        if entry.module.startswith("metrics_framework."):
            names.setdefault((entry.module, entry.class_name), []).append(name)
    classes: dict[str, list[str]] = {}
    for module, class_name in sorted(names):
        classes.setdefault(module, []).append(class_name)
    classes["metrics_framework.metrics.base.metric"] = ["Metric"]
    imports = [f"from {module} import {', '.join(found)}\n" for module, found in sorted(classes.items())]
    overloads = [_overload(names[key], key[1]) for key in sorted(names)]
    return "".join([HEAD, *imports, "\n", *overloads, TAIL])


def _overload(names: list[str], class_name: str) -> str:
    """Returns the overload of a class; its text is as ruff formats it."""
    options = options_of(Metric.by_name(names[0]), Metric)
    parameters = [f"name: Literal[{', '.join(map(_quoted, names))}]", "/"]
    if options:
        parameters += ["*", *(parameter for option in options for parameter in _parameters(option))]
        text = "".join(f"    {parameter},\n" for parameter in parameters)
        return f"@overload\ndef load(\n{text}) -> {class_name}: ...\n"
    return f"@overload\ndef load({', '.join(parameters)}) -> {class_name}: ...\n"


def _parameters(option: Option) -> Iterator[str]:
    """Yields the parameter of an option, and those of its aliases, of which none is required."""
    is_required = option.required and not option.aliases
    for name in (option.name, *option.aliases):
        head, kind, tail = f"{name}: ", _type(option), "" if is_required else " = ..."
        if len(f"    {head}{kind}{tail},") > LINE_LENGTH:
            first, _, rest = kind.partition("[")
            items, _, last = rest.rpartition("]")
            kind = f"{first}[\n        {items}\n    ]{last}"
        yield f"{head}{kind}{tail}"


def _type(option: Option) -> str:
    kind = _type_of(option.kind, option)
    if option.kind == "list":
        item = _type_of(option.item, option)
        kind = f"{item} | Sequence[{item}]" if option.repeated else f"Sequence[{item}]"
    return f"{kind} | None" if option.optional and kind != "Any" else kind


def _type_of(kind: str, option: Option) -> str:
    """Returns a type; names that plug-ins can add to, such as those of tokenizers, are any text."""
    if kind == "choice":
        choices = option.choices
        return f"Literal[{', '.join(map(_quoted, choices))}]" if isinstance(choices, tuple) else "str"
    return TYPES.get(kind, "Any")


def _quoted(text: str) -> str:
    return f'"{text}"'


if __name__ == "__main__":
    PATH.write_text(load_stub(), encoding="utf-8")
