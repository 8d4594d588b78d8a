"""Options of classes, read from constructor signatures, and instances built from them."""

from __future__ import annotations

import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, Union, overload

from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.errors import FwError, MissingExtraError, UnknownChoiceError, UnknownNameError, UsageError

REQUIRED = inspect.Parameter.empty
_COMMA_BETWEEN_OPTIONS = re.compile(r",(?![^\[\]=]*\])")  # not those within a list, as in orders=[1,2]
_ITEMS = {"bool": "truth values", "int": "integers", "float": "numbers", "str": "strings"}
_BOOLEANS = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False}


@dataclass(frozen=True)
class Option:
    """One constructor parameter.

    Args:
        name: The name.
        kind: ``bool``, ``int``, ``float``, ``str``, ``choice``, ``list`` or ``json``.
        default: The default, `REQUIRED` if there is none.
        help: The text under ``Args:``.
        choices: The allowed values of a ``choice``.
        item: The kind of the items of a ``list``.
        optional: Whether it may be `None`.
        aliases: Other names of the option.
    """

    name: str
    kind: str
    default: Any
    help: str = ""
    choices: Sequence[Any] = ()
    item: str = "str"
    optional: bool = False
    aliases: tuple[str, ...] = ()

    @cached_property
    def required(self) -> bool:
        """Whether a value must be given."""
        return self.default is REQUIRED

    def convert(self, value: Any) -> Any:
        """Converts an argument of the command line, or a JSON value, to the type of the constructor parameter.

        Raises:
            UsageError: if it is invalid.
        """
        is_none = self.optional and value in ("none", "null") and self.kind not in ("str", "choice", "json")
        if value is None or is_none:
            if self.optional or self.default is None:
                return None
            raise UsageError(f"'{self.name}' must be {self.expected()}, got null")
        try:
            return _converted(self.kind, value, self)
        except UsageError:
            raise
        except (ValueError, TypeError):
            raise UsageError(f"'{self.name}' must be {self.expected()}, got {value!r}") from None

    def expected(self) -> str:
        """Describes the allowed values."""
        words = {
            "bool": "true or false",
            "int": "an integer",
            "float": "a number",
            "str": "a string",
            "choice": f"one of {', '.join(map(str, self.choices))}",
            "list": f"a list of {_ITEMS[self.item]}",
            "json": "a JSON value",
        }
        return words[self.kind]


class NamesFrom(Sequence[str]):
    """The names that a function returns, called at each use.

    It annotates an option whose choices are registered names, as ``Literal`` does for fixed names.

    Args:
        names: Returns the names.
    """

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self._names = names

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """Returns a name, or a list of names."""
        return self._names()[index]

    def __len__(self) -> int:
        """Returns the number of names."""
        return len(self._names())


def check_choices(cls: type[Any], stop: type[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Checks the constructor arguments whose type is a list of choices: a ``Literal`` or `NamesFrom`.

    Args:
        cls: The class.
        stop: The base class whose constructor is not checked.
        args: The positional arguments.
        kwargs: The keyword arguments.

    Raises:
        UnknownChoiceError: if a value is not one of the choices.
    """
    options = options_of(cls, stop)
    given = {**dict(zip([option.name for option in options], args, strict=False)), **kwargs}
    for option in options:
        value = given.get(option.name)
        if option.kind == "choice" and value is not None and value not in option.choices:
            raise UnknownChoiceError(option.name, value, option.choices)


def _converted(kind: str, value: Any, option: Option) -> Any:
    if type(value) is _TYPES.get(kind):
        return value
    if kind != "list":
        return _CONVERTERS[kind](value, option)
    if isinstance(value, dict):
        raise TypeError
    items = (json_list(value) or value.split(",")) if isinstance(value, str) else value
    return [_converted(option.item, item, option) for item in items]


def json_list(text: str) -> list[Any] | None:
    """Returns the items of a JSON list; `None` for other texts.

    >>> json_list("[3, 4]"), json_list("3,4"), json_list("[UNK]")
    ([3, 4], None, None)
    """
    try:
        return json.loads(text) if text.startswith("[") else None
    except json.JSONDecodeError:
        return None


def _string(value: Any, option: Option) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _integer(value: Any, option: Option) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()) or "_" in str(value):
        raise TypeError
    return int(value)


def _number(value: Any, option: Option) -> float:
    if isinstance(value, bool):
        raise TypeError
    return float(value)


def _choice(value: Any, option: Option) -> Any:
    for choice in option.choices:
        if value == choice or str(value) == str(choice):
            return choice
    raise UnknownChoiceError(option.name, value, option.choices)


def _json_value(value: Any, option: Option) -> Any:
    return json.loads(value) if isinstance(value, str) and value[:1] in '[{"' else value


def _boolean(value: Any, option: Option) -> bool:
    try:
        return _BOOLEANS[str(value).lower()]
    except KeyError:
        raise ValueError from None


_CONVERTERS: dict[str, Callable[[Any, Option], Any]] = {
    "bool": _boolean,
    "int": _integer,
    "float": _number,
    "str": _string,
    "choice": _choice,
    "json": _json_value,
}
_TYPES = {"bool": bool, "int": int, "float": float, "str": str}


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
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name in options:
                continue
            hint = hints.get(parameter.name, type(parameter.default) if parameter.default is not REQUIRED else str)
            options[parameter.name] = _option(parameter, hint, texts.get(parameter.name, ""), reverse)
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
        kinds = {parameter.kind for parameter in inspect.signature(constructor).parameters.values()}
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            break
    return reached


def _hints(constructor: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(constructor, include_extras=True)
    except Exception:  # a name that exists only for type checkers
        return {}


def _option(parameter: inspect.Parameter, hint: Any, text: str, aliases: Mapping[str, tuple[str, ...]]) -> Option:
    hint, optional = _without_none(hint)
    kind, choices, item = _kind(hint)
    return Option(
        parameter.name,
        kind,
        parameter.default,
        text,
        choices,
        item,
        optional or parameter.default is None,
        aliases.get(parameter.name, ()),
    )


def _without_none(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) in (Union, types.UnionType):
        members = [member for member in typing.get_args(hint) if member is not type(None)]
        optional = len(members) < len(typing.get_args(hint))
        return (members[0] if len(members) == 1 else Any), optional
    return hint, False


def _kind(hint: Any) -> tuple[str, Sequence[Any], str]:
    simple = {bool: "bool", int: "int", float: "float", str: "str", type(None): "str"}
    if hint in simple:
        return simple[hint], (), "str"
    origin = typing.get_origin(hint)
    if origin is Annotated:
        names = [note for note in hint.__metadata__ if isinstance(note, NamesFrom)]
        return ("choice", names[0], "str") if names else _kind(hint.__origin__)
    if origin is Literal:
        return "choice", typing.get_args(hint), "str"
    if hint in (list, tuple) or origin in (list, tuple, Sequence):
        arguments = typing.get_args(hint)
        item = simple.get(arguments[0], "str") if arguments else "str"
        return "list", (), item
    return "json", (), "str"


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

    Raises:
        UsageError: if it has none of these forms, or repeats an option.
    """
    if isinstance(spec, str) and spec.lstrip().startswith("{"):
        try:
            spec = json.loads(spec, object_pairs_hook=with_keys_once)
        except json.JSONDecodeError as error:
            raise UsageError(f"'{spec}' is not JSON: {error.msg} (column {error.colno})") from None
    if isinstance(spec, Mapping):
        options = dict(spec)
        name = options.pop("type", None) or options.pop("name", None)
        if not isinstance(name, str):
            raise UsageError(f'a specification must have a "type", got {json.dumps(dict(spec))}')
        return name, options
    if not isinstance(spec, str):
        raise UsageError(f"expected a name, name:option=value,… or a dictionary with a type, got {spec!r}")
    name, _, rest = spec.partition(":")
    if not name.strip():
        raise UsageError(f"a specification must be a name, or name:option=value,…, got '{spec}'")
    options = {}
    for assignment in filter(None, _COMMA_BETWEEN_OPTIONS.split(rest)):
        key, equals, value = assignment.partition("=")
        if not equals:
            hint = f"; a list is {next(reversed(options))}=[…,…]" if options else ""
            raise UsageError(f"options must have the form option=value, got '{assignment}' in '{spec}'{hint}")
        key = key.strip().replace("-", "_")
        if key in options:
            raise UsageError(f"duplicate option '{key}' in '{spec}'")
        options[key] = value
    return name, options


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
