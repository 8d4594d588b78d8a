"""The parameters of functions, read from their code, because importing `inspect` is an eighth of a start."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

_HAS_ARGUMENTS, _HAS_KEYWORDS = 0x04, 0x08
"""The flags of code with ``*arguments`` and ``**keywords``."""


class Missing:
    """The default or annotation of a parameter that has none."""


class Parameter(NamedTuple):
    """A parameter of a function.

    Args:
        name: The name.
        default: Its default, or `Missing`.
        annotation: Its annotation, or `Missing`.
        stars: ``*`` or ``**`` if it collects further arguments, otherwise empty.
        keyword_only: Whether only a keyword reaches it.
    """

    name: str
    default: Any = Missing
    annotation: Any = Missing
    stars: str = ""
    keyword_only: bool = False


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """Returns the parameters of a function, as `inspect.signature` does.

    >>> def example(text, *others, limit: int = 3): ...
    >>> [(parameter.stars + parameter.name, parameter.default) for parameter in parameters_of(example)[1:]]
    [('*others', <class 'metrics_framework.common.parameters.Missing'>), ('limit', 3)]
    """
    if type(function) is not FunctionType or not vars(function).keys().isdisjoint(("__wrapped__", "__signature__")):
        return _inspected(function)
    code = function.__code__
    names, count = code.co_varnames, code.co_argcount
    defaults = dict(
        zip(names[count - len(function.__defaults__ or ()) : count], function.__defaults__ or (), strict=True)
    )
    defaults.update(function.__kwdefaults__ or {})
    end = count + code.co_kwonlyargcount
    ordered = [(name, "") for name in names[:end]]
    if code.co_flags & _HAS_ARGUMENTS:
        ordered.insert(count, (names[end], "*"))
        end += 1
    if code.co_flags & _HAS_KEYWORDS:
        ordered.append((names[end], "**"))
    keywords = {*names[count : count + code.co_kwonlyargcount]}
    annotations = function.__annotations__
    return [
        Parameter(name, defaults.get(name, Missing), annotations.get(name, Missing), stars, name in keywords)
        for name, stars in ordered
    ]


def _inspected(function: Callable[..., Any]) -> list[Parameter]:
    """Returns the parameters of something else than a plain function, such as a decorated one."""
    import inspect

    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        Parameter(
            found.name,
            Missing if found.default is found.empty else found.default,
            Missing if found.annotation is found.empty else found.annotation,
            stars.get(found.kind, ""),
            found.kind is found.KEYWORD_ONLY,
        )
        for found in inspect.signature(function).parameters.values()
    ]
