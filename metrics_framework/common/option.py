"""One option: its name, type and default, and the conversion of a word or a JSON value to that type."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from functools import reduce
from inspect import Parameter
from operator import or_
from typing import Annotated, Any, Literal, NamedTuple, Union

from metrics_framework.common.errors import InputError, PluginError, UnknownChoiceError, UsageError
from metrics_framework.common.option_annotations import AtLeast, Between, Files, Form, NamesFrom

REQUIRED = Parameter.empty
_ITEMS = {"bool": "truth values", "int": "integers", "float": "numbers", "str": "strings", "choice": "names"}
_BOOLEANS = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False}
_IN_LISTS = ("bool", "int", "float", "str", "choice", "form")
_SIMPLE = {bool: "bool", int: "int", float: "float", str: "str", type(None): "str"}


class Option(NamedTuple):
    """One parameter of a constructor or a function.

    Args:
        name: The name.
        kind: ``bool``, ``int``, ``float``, ``str``, ``choice``, ``form``, ``list`` or ``json``.
        default: The default, `REQUIRED` if there is none.
        help: The text under ``Args:``.
        choices: The allowed values of a ``choice``, or of the items of a list of choices.
        item: The kind of the items of a ``list``.
        optional: Whether it may be `None`.
        aliases: Other names of the option.
        form: How its value, or an item of its list, is written.
        bounds: The bounds of a number.
        repeated: Whether a ``list`` may also be a single item: then a flag has one word, and is repeated for several.
        files: Whether it names files.
        untyped_at: The file and line of the constructor if its parameter has neither a type nor a default that has one.
    """

    name: str
    kind: str
    default: Any
    help: str = ""
    choices: Sequence[Any] = ()
    item: str = "str"
    optional: bool = False
    aliases: tuple[str, ...] = ()
    form: Form | None = None
    bounds: AtLeast | Between | None = None
    repeated: bool = False
    files: bool = False
    untyped_at: str = ""

    @property
    def required(self) -> bool:
        """Whether a value must be given."""
        return self.default is REQUIRED

    def convert(self, value: Any) -> Any:
        """Converts an argument of the command line, or a JSON value, to the type of the parameter.

        Raises:
            UsageError: if it is invalid.
            PluginError: if the parameter has no type, and the value can be a text as well as something else.
        """
        if self.untyped_at and not _is_surely_text(value):
            raise PluginError(
                f"{self.untyped_at}: the option '{self.name}' has no type, so the value {value!r} would be a text; "
                f"declare the type of the parameter, as in {self.name}: int or {self.name}: str"
            )
        is_none = self.optional and value in ("none", "null") and self.kind not in ("str", "choice", "json")
        if value is None or is_none:
            if self.optional or self.default is None:
                return None
            raise UsageError(f"'{self.name}' must be {self.expected()}, got null")
        return self._checked(self.kind, value)

    def items_of(self, word: str) -> list[Any]:
        """Returns the items of a list that one word of the command line names: one, or a JSON list.

        Names of choices may also be separated by commas, which they do not contain.

        Raises:
            UsageError: if an item is invalid.
        """
        words = json_list(word)
        if words is None:
            words = [name.strip() for name in word.split(",") if name.strip()] if self.item == "choice" else [word]
        return [self._checked(self.item, item) for item in words]

    def _checked(self, kind: str, value: Any) -> Any:
        try:
            found = _converted(kind, value, self)
            bounds = self.bounds
            if bounds is None or all(bounds.allows(number) for number in (found if kind == "list" else [found])):
                return found
        except UsageError:
            raise
        except (ValueError, TypeError) as error:
            if isinstance(error, InputError) and not (self.form and self.form.expected):
                raise UsageError(str(error)) from None
        raise UsageError(f"'{self.name}' must be {self.expected()}, got {value!r}")

    def expected(self) -> str:
        """Describes the allowed values."""
        words = {
            "bool": "true or false",
            "int": "an integer",
            "float": "a number",
            "str": "a string",
            "choice": f"one of {', '.join(map(str, self.choices))}",
            "form": self.form.expected if self.form else "",
            "list": self.form.expected if self.item == "form" and self.form else f"a list of {_ITEMS.get(self.item)}",
            "json": "a JSON value",
        }
        return f"{words[self.kind]}{self.bounds or ''}"


def _converted(kind: str, value: Any, option: Option) -> Any:
    if type(value) is _TYPES.get(kind):
        return value
    if kind != "list":
        return _CONVERTERS[kind](value, option)
    if isinstance(value, dict):
        raise TypeError
    items = (json_list(value) or _names_of(value)) if isinstance(value, str) else value
    return [_converted(option.item, item, option) for item in items]


def _is_surely_text(value: Any) -> bool:
    """Returns whether a value is a text that is neither a number nor a truth value, nor a JSON list or object.

    >>> _is_surely_text("en"), _is_surely_text("3"), _is_surely_text(3), _is_surely_text("true")
    (True, False, False, False)
    """
    if not isinstance(value, str) or value.lower() in _BOOLEANS or value[:1] in "[{":
        return value is None or value == ""
    try:
        float(value)
    except ValueError:
        return True
    return False


def json_list(text: str) -> list[Any] | None:
    """Returns the items of a JSON list; `None` for other texts.

    >>> json_list("[3, 4]"), json_list("3,4"), json_list("[UNK]")
    ([3, 4], None, None)
    """
    if not text.startswith("["):
        return None
    import json

    try:
        items: list[Any] = json.loads(text)
    except json.JSONDecodeError:
        return None
    return items


def _names_of(text: str) -> list[str]:
    """Returns the items of a list whose texts have no quotes.

    >>> _names_of("a,b"), _names_of("[a,b]"), _names_of("[UNK]")
    (['a', 'b'], ['a', 'b'], ['[UNK]'])
    """
    is_list = text.startswith("[") and text.endswith("]") and "," in text
    return (text[1:-1] if is_list else text).split(",")


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
    if isinstance(option.choices, NamesFrom) and option.choices.find is not None:
        return option.choices.find(value)
    for choice in option.choices:
        if value == choice or str(value) == str(choice):
            return choice
    raise UnknownChoiceError(option.name, value, option.choices)


def _json_value(value: Any, option: Option) -> Any:
    if not isinstance(value, str) or value[:1] not in '[{"':
        return value
    import json

    return json.loads(value)


def _formed(value: Any, option: Option) -> Any:
    return value if option.form is None or option.form.convert is None else option.form.convert(value)


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
    "form": _formed,
    "json": _json_value,
}
_TYPES = {"bool": bool, "int": int, "float": float, "str": str}


def option_of(parameter: Parameter, hint: Any, text: str, aliases: tuple[str, ...] = ()) -> Option:
    """Returns the option that a parameter declares.

    Args:
        parameter: The parameter.
        hint: Its type.
        text: Its text in the docstring.
        aliases: Other names of it.
    """
    hint, optional = _without_none(hint)
    return Option(
        parameter.name,
        default=parameter.default,
        help=text,
        optional=optional or parameter.default is None,
        aliases=aliases,
        **_read_type(hint),
    )


def _without_none(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) in (Union, types.UnionType):
        members = [member for member in typing.get_args(hint) if member is not type(None)]
        return reduce(or_, members), len(members) < len(typing.get_args(hint))
    return hint, False


def _read_type(hint: Any) -> dict[str, Any]:
    """Returns the fields of an option that depend on its type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SIMPLE:
        return {"kind": _SIMPLE[hint]}
    if origin is Annotated:
        fields = _read_type(arguments[0])
        for note in arguments[1:]:
            fields |= _read_annotation(note)
        return fields
    if origin is Literal:
        return {"kind": "choice", "choices": arguments}
    if hint in (list, tuple) or origin in (list, tuple, Sequence):
        item = _read_type(arguments[0]) if arguments else {"kind": "str"}
        return {**item, "kind": "list", "item": item["kind"] if item["kind"] in _IN_LISTS else "str"}
    is_union = origin in (Union, types.UnionType)
    if is_union and len(arguments) == 2 and typing.get_origin(arguments[1]) is Sequence:  # one, or a sequence of these
        return {**_read_type(arguments[1]), "repeated": True}
    return {"kind": "json"}


def _read_annotation(note: Any) -> dict[str, Any]:
    if isinstance(note, NamesFrom):
        return {"kind": "choice", "choices": note}
    if isinstance(note, (AtLeast, Between)):
        return {"bounds": note}
    if isinstance(note, Form):
        return {"form": note, **({"kind": "form"} if note.convert is not None else {})}
    if isinstance(note, Files):
        return {"kind": "list", "form": Form(note.metavar), "repeated": not note.several, "files": True}
    return {}
