"""Options of classes and functions, read from signatures and docstrings, and instances built from options."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Any

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.errors import FwError, MissingExtraError, UnknownNameError, UsageError
from metrics_framework.common.option import REQUIRED, Option, option_of

_COMMA_BETWEEN_OPTIONS = re.compile(r",(?![^\[\]=]*\])")  # not those within a list, as in orders=[1,2]
_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_QUOTED = re.compile(r'=("[^"]*")(?=,|$)')
"""A value in quotes, as in text="a, b", which may contain commas."""


def options_of(cls: type[Any], stop: type[Any]) -> list[Option]:
    """Returns the options of a class: the parameters of its constructor, and of those that receive its ``**kwargs``.

    Args:
        cls: The class.
        stop: The base class whose constructor has no options.
    """
    if (cls, stop) not in _known_options:
        _known_options[cls, stop] = _read_options(cls, stop)
    return list(_known_options[cls, stop])


_known_options: dict[tuple[type[Any], type[Any]], list[Option]] = {}
"""Cache: reading signatures and docstrings takes 0.2 ms per class."""


def _read_options(cls: type[Any], stop: type[Any]) -> list[Option]:
    options: dict[str, Option] = {}
    reverse: dict[str, tuple[str, ...]] = {}
    for alias, name in getattr(cls, "option_aliases", {}).items():
        reverse[name] = (*reverse.get(name, ()), alias)
    for owner, constructor in _constructors(cls, stop):
        texts = {**parse_docstring(constructor.__doc__).arguments, **parse_docstring(owner.__doc__).arguments}
        hints = _hints(constructor)
        for parameter in list(inspect.signature(constructor).parameters.values())[1:]:
            if parameter.kind in _COLLECTING or parameter.name in options:
                continue
            hint = hints.get(parameter.name, type(parameter.default) if parameter.default is not REQUIRED else str)
            aliases = reverse.get(parameter.name, ())
            option = option_of(parameter, hint, texts.get(parameter.name, ""), aliases)
            has_no_type = parameter.annotation is parameter.empty and parameter.default in (REQUIRED, None)
            options[parameter.name] = option._replace(untyped_at=defined_at(constructor)) if has_no_type else option
    return list(options.values())


def _constructors(cls: type[Any], stop: type[Any]) -> list[tuple[type[Any], Any]]:
    """Returns the constructors that a keyword argument can reach, and their classes, from subclass to base class."""
    reached = []
    for owner in cls.__mro__:
        if owner in (stop, object):
            break
        constructor = vars(owner).get("__init__")
        if constructor is None:
            continue
        reached.append((owner, constructor))
        if all(one.kind is not one.VAR_KEYWORD for one in inspect.signature(constructor).parameters.values()):
            break
    return reached


def _hints(constructor: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(constructor, include_extras=True)
    except Exception:  # a name that exists only for type checkers
        return {}


def options_of_function(function: Callable[..., Any], without: Collection[str] = ()) -> list[Option]:
    """Returns the options of a function: its parameters, in their order.

    Args:
        function: The function; its annotations are strings.
        without: Parameters that are left out; their types need not be known at run time.
    """
    texts = parse_docstring(function.__doc__).arguments
    return [
        option_of(parameter, eval(parameter.annotation, function.__globals__), texts.get(parameter.name, ""))
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in without
    ]


def arguments_of(instance: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the positional and keyword arguments of an instance's constructor."""
    arguments: tuple[tuple[Any, ...], dict[str, Any]] = instance.__dict__.get("_built_with", ((), {}))
    return arguments


def built_with(instance: Any, stop: type[Any]) -> dict[str, Any]:
    """Returns the values of all options of an instance, including defaults."""
    args, kwargs = arguments_of(instance)
    options = options_of(type(instance), stop)
    values = {option.name: option.default for option in options if not option.required}
    values.update(zip([option.name for option in options], args, strict=False))
    values.update(kwargs)
    return {option.name: values[option.name] for option in options if option.name in values}


def parse_spec(spec: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Splits ``name``, ``name:option=value,…`` or ``{"type": name, …}`` into name and options.

    A value in double quotes may contain commas.

    Raises:
        UsageError: if it has none of these forms, or repeats an option.
    """
    if isinstance(spec, str) and spec.lstrip().startswith("{"):
        spec = _parsed(spec)
    if isinstance(spec, Mapping):
        options = dict(spec)
        name = options.pop("type", None) or options.pop("name", None)
        if not isinstance(name, str):
            import json

            raise UsageError(f'a specification must have a "type", got {json.dumps(dict(spec))}')
        return name, options
    if not isinstance(spec, str):
        raise UsageError(f"expected a name, name:option=value,… or a dictionary with a type, got {spec!r}")
    name, _, rest = spec.partition(":")
    if not name.strip():
        raise UsageError(f"a specification must be a name, or name:option=value,…, got '{spec}'")
    options = {}
    for assignment in filter(None, _assignments(rest) if rest else ()):
        key, equals, value = assignment.partition("=")
        if not equals:
            hint = f"; a list is {next(reversed(options))}=[…,…]" if options else ""
            raise UsageError(f"options must have the form option=value, got '{assignment}' in '{spec}'{hint}")
        key = key.strip().replace("-", "_")
        if key in options:
            raise UsageError(f"duplicate option '{key}' in '{spec}'")
        options[key] = value[1:-1] if _QUOTED.fullmatch(f"={value}") else value
    return name, options


def _assignments(text: str) -> list[str]:
    """Splits ``option=value,…`` at the commas between options.

    >>> _assignments('criterion="Polite, kind?",scale=1-5,orders=[1,2]')
    ['criterion="Polite, kind?"', 'scale=1-5', 'orders=[1,2]']
    """
    quoted = [found.span(1) for found in _QUOTED.finditer(text)]
    commas = [
        found.start()
        for found in _COMMA_BETWEEN_OPTIONS.finditer(text)
        if not any(start < found.start() < end for start, end in quoted)
    ]
    starts, ends = [0, *(comma + 1 for comma in commas)], [*commas, len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _parsed(spec: str) -> Any:
    """Returns the value of a specification in JSON.

    Raises:
        UsageError: if it is not JSON.
    """
    import json

    try:
        return json.loads(spec, object_pairs_hook=with_keys_once)
    except json.JSONDecodeError as error:
        raise UsageError(f"'{spec}' is not JSON: {error.msg} (column {error.colno})") from None


def with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns the dictionary of a JSON object.

    Raises:
        UsageError: if a key appears twice, because one of its values would be lost.
    """
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise UsageError(f"duplicate key '{key}' in one object; remove one of them")
        values[key] = value
    return values


def build(cls: type[Any], stop: type[Any], values: Mapping[str, Any], name: str) -> Any:
    """Builds an instance from values of options, each converted to the type of its parameter.

    Raises:
        UsageError: if an option does not exist, has an invalid value, or is missing.
    """
    options = {name: option for option in options_of(cls, stop) for name in (option.name, *option.aliases)}
    converted: dict[str, Any] = {}
    for key, value in values.items():
        if key not in options:
            raise UnknownNameError("option", key, options, owner=f"'{name}'")
        option = options[key]
        if option.name in converted:
            raise UsageError(f"duplicate option '{option.name}' of '{name}'; '{key}' means the same")
        converted[option.name] = option.convert(value)
    for option in options.values():
        if option.required and option.name not in converted:
            raise UsageError(f"'{name}' needs the option '{option.name}'")
    try:
        return cls(**converted)
    except MissingExtraError as error:
        raise error.used_by(f"the {stop.registry().kind} '{name}'") from error
    except FwError:
        raise
    except (ValueError, TypeError) as error:
        raise UsageError(f"cannot build '{name}' with {converted}: {error}") from error
