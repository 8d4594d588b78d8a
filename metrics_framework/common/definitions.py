"""Where classes of plug-ins are defined, whether their methods can be called, and which of their lines failed."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType, MappingProxyType
from typing import Any

from metrics_framework.common.errors import PluginError

_PACKAGE = __name__.partition(".")[0]


def is_built_in(cls: type[Any]) -> bool:
    """Returns whether a class belongs to this package."""
    return cls.__module__.partition(".")[0] == _PACKAGE


def defined_at(thing: Any) -> str:
    """Returns the file and line of a class or function; the name of its module if its file cannot be read.

    >>> defined_at(defined_at).rpartition("/")[2].partition(":")[0]
    'definitions.py'
    """
    thing = inspect.unwrap(thing)
    code = getattr(thing, "__code__", None)
    if code is not None:
        return f"{code.co_filename}:{code.co_firstlineno}"
    try:
        return f"{inspect.getsourcefile(thing)}:{inspect.findsource(thing)[1] + 1}"
    except (OSError, TypeError):  # defined in a console, for example
        return f"{thing.__module__}.{thing.__qualname__}"


def called_at() -> str:
    """Returns the file and line that call this package."""
    from metrics_framework.common.stability import frames_of_package  # only for mistakes

    frame = sys._getframe(frames_of_package() - 1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def failed_at(error: BaseException, owner: type[Any] | None = None) -> str:
    """Returns the file and line at which the code of a plug-in failed, for a message.

    Args:
        error: The exception.
        owner: The class of the plug-in. The line is the innermost one of its package, and that which raised the
            exception follows; if no line of the package was reached, it is that of the class.
    """
    from traceback import walk_tb

    frames = [
        (frame.f_globals.get("__name__", "").partition(".")[0], f"{frame.f_code.co_filename}:{line}")
        for frame, line in walk_tb(error.__traceback__)
    ]
    if not frames:
        return ""
    modules = {cls.__module__.partition(".")[0] for cls in (owner.__mro__ if owner else ())}
    packages = modules - sys.stdlib_module_names - {_PACKAGE}
    raised_at = frames[-1][1]
    own = [place for package, place in frames if package in packages]
    if not packages or (own and own[-1] == raised_at):
        return f" at {raised_at}"
    return f" at {own[-1]} (raised at {raised_at})" if own else f" at {defined_at(owner)}"


def check_methods(cls: type[Any], what: str) -> None:
    """Checks that a class of a plug-in defines all abstract methods, with arguments as its base class has them.

    Args:
        cls: The class.
        what: What it is, for messages, such as ``the metric 'my-metric'``.

    Raises:
        PluginError: if a method is missing, cannot be called as that of the base class, or exchanges two arguments.
    """
    for name in sorted(getattr(cls, "__abstractmethods__", ())):
        raise missing_method(cls, what, [name], getattr(cls, name))
    for name, method in vars(cls).items():
        inherited = next((vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)), None)
        if name.startswith("_") or not (isinstance(method, FunctionType) and isinstance(inherited, FunctionType)):
            continue
        expected = _positional(inherited)[1:]
        if expected and not (accepts(method, len(expected)) and in_order(method, expected)):
            raise wrong_arguments(cls, what, method, expected)


def accepts(method: Any, count: int) -> bool:
    """Returns whether a method can be called with a number of arguments by position."""
    try:
        inspect.signature(method).bind(*[None] * (count + 1))
    except TypeError:
        return False
    return True


def in_order(method: Any, expected: Sequence[str], meaning: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Returns whether no parameter has the name of an argument of another position, as if two were exchanged.

    Args:
        method: The method.
        expected: The names of the arguments that it gets by position, without ``self``.
        meaning: The argument that another name means.
    """
    names = [meaning.get(name, name) for name in list(inspect.signature(method).parameters)[1:]]
    wanted = [meaning.get(name, name) for name in expected]
    return all(name == want or name not in wanted for name, want in zip(names, wanted, strict=False))


def missing_method(cls: type[Any], what: str, names: Sequence[str], base: Any = None) -> PluginError:
    """Returns the error of a class without a method.

    Args:
        cls: The class.
        what: What it is, for messages.
        names: The methods of which it must define one.
        base: The method of the base class, which has the arguments.
    """
    from metrics_framework.common.errors import similar

    own = {name: method for one in cls.__mro__ if not is_built_in(one) for name, method in vars(one).items()}
    known = {name for one in cls.__mro__ if is_built_in(one) for name in vars(one)}
    functions = [name for name, method in own.items() if isinstance(method, FunctionType) and name not in known]
    close = next(((name, found[0]) for name in names if (found := similar(name, functions, cutoff=0.8))), None)
    arguments = f"({', '.join(inspect.signature(base).parameters)})" if isinstance(base, FunctionType) else ""
    message = f"{defined_at(cls)}: {what} must define the method {' or '.join(names)}{arguments}"
    if close:
        message += f"; '{close[1]}' ({defined_at(own[close[1]])}) has another name: rename it to '{close[0]}'"
    return PluginError(message)


def wrong_arguments(cls: type[Any], what: str, method: Any, expected: Iterable[str]) -> PluginError:
    """Returns the error of a method that does not have the arguments that it gets, in their order.

    Args:
        cls: The class.
        what: What it is, for messages.
        method: The method.
        expected: The names of the arguments, without ``self``.
    """
    return PluginError(
        f"{defined_at(method)}: {cls.__name__}.{method.__name__} of {what} must accept the arguments "
        f"(self, {', '.join(expected)}) in this order, got {inspect.signature(method)}"
    )


def _positional(method: Any) -> list[str]:
    """Returns the names of the parameters without a default that arguments by position reach."""
    return [
        one.name
        for one in inspect.signature(method).parameters.values()
        if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
