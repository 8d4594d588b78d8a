"""The keywords of the five methods of a metric: each field may be named as in any of the methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

ArgumentType = TypeVar("ArgumentType")
Method = TypeVar("Method", bound=Callable[..., Any])
NAMES = (
    ("summary", "summaries", "summaries_list"),
    ("references", "references_list"),
    ("source", "sources"),
    ("documents", "documents_list"),
)
"""The names of each field: one output, several, groups; ``…_list`` are the names of SacreROUGE."""


def any_keywords(method: Method) -> Method:
    """Lets a method accept its arguments under any of their names.

    At run time the annotations of its arguments are type variables: `overrides` would refuse a method whose arguments
    are annotated as lists, as metrics for SacreROUGE are, because the base class accepts any sequence. Type checkers
    and `inspect.signature` see the types.
    """
    parameters = list(inspect.signature(method).parameters)[1:]

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if not named:
            return method(self, *arguments)
        return method(self, *arguments, **renamed(named, parameters))

    hints = method.__annotations__.items()
    call.__annotations__ = {name: hint if name == "return" else ArgumentType for name, hint in hints}
    return call  # type: ignore[return-value]


def renamed(named: dict[str, Any], parameters: Iterable[str]) -> dict[str, Any]:
    """Returns keyword arguments under the names of the parameters; unknown names remain.

    Raises:
        TypeError: if an argument is given under two names.

    >>> renamed({"references": [["a"]]}, ["summaries_list", "references_list"])
    {'references_list': [['a']]}
    """
    known = {name: parameter for parameter in parameters for names in NAMES if parameter in names for name in names}
    result: dict[str, Any] = {}
    for name, value in named.items():
        parameter = known.get(name, name)
        if parameter in result:
            raise TypeError(f"'{name}' is another name of '{parameter}', which is given too; use only one of them")
        result[parameter] = value
    return result
