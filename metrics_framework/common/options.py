"""Options of classes and functions: read from signatures and docstrings, converted, and used to build instances."""

from __future__ import annotations

import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from inspect import Parameter
from operator import or_
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import (
    FwError,
    InputError,
    MissingExtraError,
    PluginError,
    UnknownChoiceError,
    UnknownNameError,
    UsageError,
    called,
    say_taken,
    simplified,
)


class NamesFrom(Sequence[str]):
    """The names that a function returns, called at each use.

    It annotates an option whose choices are registered names, as ``Literal`` does for fixed names.

    Args:
        names: Returns the names.
        find: Returns the value that a word means, such as another spelling of a name, and raises
            `UnknownChoiceError` for other words; by default, only the names are accepted.
    """

    def __init__(self, names: Callable[[], Sequence[str]], find: Callable[[str], str] | None = None) -> None:
        self._names = names
        self.find = find

    def __getitem__(self, index: Any) -> Any:
        """Returns a name, or a list of names."""
        return self._names()[index]

    def __len__(self) -> int:
        """Returns the number of names."""
        return len(self._names())


class AtLeast(NamedTuple):
    """The smallest value of a number.

    >>> AtLeast(2).allows(2), AtLeast(2).allows(1), f"an integer{AtLeast(2)}"
    (True, False, 'an integer, 2 or more')
    """

    least: float

    def allows(self, value: float) -> bool:
        """Returns whether a number is finite and large enough."""
        return self.least <= value < math.inf

    def __str__(self) -> str:
        """Returns the end of a description of the valid numbers."""
        return f", {self.least:g} or more"


class Between(NamedTuple):
    """The bounds of a number, which are themselves not valid, unless the upper one is included.

    >>> Between(0, 1).allows(0.5), Between(0, 1).allows(1), f"a number{Between(0, 1)}"
    (True, False, 'a number between 0 and 1')
    """

    low: float
    high: float
    includes_high: bool = False

    def allows(self, value: float) -> bool:
        """Returns whether a number is between the bounds."""
        return self.low < value < self.high or (self.includes_high and value == self.high)

    def __str__(self) -> str:
        """Returns the end of a description of the valid numbers."""
        low, high = f"{self.low:g}", f"{self.high:g}"
        return f" above {low}, {high} or less" if self.includes_high else f" between {low} and {high}"


class Form(NamedTuple):
    """How the value of an option is written as one word.

    Args:
        metavar: Its name in help texts, such as ``COLUMN``.
        convert: Returns the value of a word, and raises `ValueError` for other words; by default that of the type.
        expected: Describes the words, for messages; needed with ``convert`` unless its errors do.
    """

    metavar: str
    convert: Callable[[Any], Any] | None = None
    expected: str = ""


class Files(NamedTuple):
    """Files, which a function may also take as tables in memory.

    Args:
        metavar: Their name in help texts.
        several: Whether several words may follow the flag; otherwise it is repeated for several files.
    """

    metavar: str = "FILE"
    several: bool = False


REQUIRED = Parameter.empty
_Function = TypeVar("_Function", bound=Callable[..., Any])
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
        repeated: Whether a ``list`` or ``form`` may be a single item: then a flag has one word, and is repeated for
            several.
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
        is_none = (
            isinstance(value, str)
            and value in ("none", "null")
            and self.optional
            and self.kind not in ("str", "choice", "json")
            and not (self.kind == "form" and self.repeated)
        )
        if value is None or is_none:
            if self.optional or self.default is None:
                return None
            raise UsageError(f"'{self.name}' must be {self.expected()}, got null")
        return self._checked(self.kind, value)

    def items_of(self, word: str) -> list[Any]:
        """Returns the items of a list that one word of the command line names: one, or a JSON list.

        Names may also be separated by commas; a comma before a space belongs to a name, such as that of a column.

        Raises:
            UsageError: if an item is invalid.
        """
        words = json_list(word)
        if words is None:
            words = [word]
            if self.item == "choice":
                words = names_of(word.replace(", ", ","))
            elif self.item == "str" and self.form and not self.files:
                words = names_of(word)
        return [self._checked(self.item, item) for item in words]

    def argument(self, value: Any) -> Any:
        """Checks and converts an argument of a call from Python.

        Other than in a word of the command line, a text is a single item of a list, with all its commas, unless it
        lists names of choices; `None` is an empty list. Files, values of other types, and a default that is none of
        the choices are returned as they are.

        Raises:
            InputError: if it is invalid.
            UnknownChoiceError: if it is not one of the choices.
        """
        if self.kind == "json" or self.files or (self.kind == "choice" and value == self.default):
            return value
        if self.kind == "list" and (
            value is None or isinstance(value, str) or (type(value), self.item) == (int, "str")
        ):
            value = [] if value is None else [value]
        if self.kind == "list" and self.item == "choice" and isinstance(value, Iterable):
            listed = [item.split(",") if isinstance(item, str) else [item] for item in value]
            names = [name.strip() if isinstance(name, str) else name for names in listed for name in names]
            value = [name for name in names if name != ""]
        if value is None and not self.optional:
            raise InputError(f"'{self.name}' must be {self.expected()}, got None")
        try:
            return self.convert(value)
        except UnknownNameError:
            raise
        except UsageError as error:
            raise InputError(*error.args) from None

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
        raise UsageError(f"'{self.name}' must be {self.expected()}, got {short(value)}")

    def expected(self) -> str:
        """Describes the allowed values."""
        words = {
            "bool": "true or false",
            "int": "an integer",
            "float": "a number",
            "str": "a string",
            "choice": f"one of {', '.join(filter(None, map(str, self.choices)))}",
            "form": (self.form.expected or self.form.metavar) if self.form else "",
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


def names_of(word: str) -> list[str]:
    """Returns the names that a word of the command line lists with commas, or as JSON if a name has one.

    >>> names_of("bleu,ter"), names_of("How fluent, overall?"), names_of('["a,b"]')
    (['bleu', 'ter'], ['How fluent, overall?'], ['a,b'])
    """
    return json_list(word) or [name for name in re.split(r",(?! )", word) if name.strip()] or [word]


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
    if type(value) is int and option.form is not None and option.form.metavar == "COLUMN":
        return str(value)  # the name of a column of a DataFrame
    if not isinstance(value, str):
        raise TypeError
    return value


def _integer(value: Any, option: Option) -> int:
    if isinstance(value, bool) or "_" in str(value) or not (isinstance(value, str) or float(value).is_integer()):
        raise TypeError
    return int(value)


def _number(value: Any, option: Option) -> float:
    if isinstance(value, bool):
        raise TypeError
    return float(value)


def _choice(value: Any, option: Option) -> Any:
    find = option.choices.find if isinstance(option.choices, NamesFrom) and isinstance(value, str) else None
    if find is not None:
        try:
            return find(value)
        except FwError:
            if (known := called_here(value, option.choices)) is None:
                raise
            say_taken(value, f"'{known}'")
            return find(known)
    if isinstance(value, str) and value not in option.choices:
        known = called_here(value, option.choices)
        if known is not None and str(known) != value:
            say_taken(value, f"'{known}'")
            return known
    for choice in option.choices:
        if value == choice or str(value) == str(choice):
            return choice
    raise UnknownChoiceError(option.name, value, option.choices)


def short(value: Any, longest: int = 200) -> str:
    """Returns how a value is written in code, or the start of it in one line.

    >>> short([1, 2]), short([1] * 100, 10)
    ('[1, 2]', '[1, 1, 1,…')
    """
    text = repr(value)
    return text if len(text) <= longest else " ".join(text.split())[:longest].rstrip() + "…"


def called_here(value: str, choices: Sequence[Any]) -> Any:
    """Returns the choice that a word means which other programs have, or which differs in hyphens; else `None`."""
    word = simplified(value)
    return {simplified(str(choice)): choice for choice in choices}.get(simplified(called("choices", word) or word))


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
    members = typing.get_args(hint) if typing.get_origin(hint) in (Union, types.UnionType) else ()
    others = [member for member in members if member is not type(None)]
    return Option(
        parameter.name,
        default=parameter.default,
        help=text,
        optional=len(others) < len(members) or parameter.default is None,
        aliases=aliases,
        **_read_type(hint if len(others) == len(members) else reduce(or_, others)),
    )


def _read_type(hint: Any) -> dict[str, Any]:
    """Returns the fields of an option that depend on its type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SIMPLE:
        return {"kind": _SIMPLE[hint]}
    if origin is Annotated:
        fields = {"kind": "str"} if arguments[0] == str | int else _read_type(arguments[0])  # the name of a column
        for note in arguments[1:]:
            fields |= _read_annotation(note)
        is_several = typing.get_origin((typing.get_args(arguments[0]) or (None,))[-1]) is Sequence
        return fields | ({"repeated": True} if is_several and fields["kind"] == "form" else {})
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


_SECTION = re.compile(
    r"(Args|Attributes|Errors|Example|Examples|Formula|Raises|Range|Returns|Source|Units|Yields):\s*$"
)
_ARGUMENT = re.compile(r"(\w+)(?:\s*\([^)]*\))?:\s*(.*)$")


class Docstring(NamedTuple):
    """The parts of a docstring.

    Args:
        summary: The first line.
        description: The text between the first line and the first section.
        args: The lines of the section ``Args:``.
    """

    summary: str
    description: str
    args: list[str]

    @property
    def arguments(self) -> dict[str, str]:
        """The text of each parameter."""
        texts: dict[str, str] = {}
        name = ""
        indent = min((len(line) - len(line.lstrip()) for line in self.args if line.strip()), default=0)
        for line in self.args:
            text = line.strip()
            match = _ARGUMENT.match(text) if len(line) - len(line.lstrip()) == indent else None
            if match:
                name = match[1]
                texts[name] = match[2]
            elif name and text:
                texts[name] += f" {text}"
        return texts


def parse_docstring(text: str | None) -> Docstring:
    """Splits a docstring into its parts."""
    lines = inspect.cleandoc(text or "").split("\n")
    summary = lines[0].strip() if lines else ""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in lines[1:]:
        match = _SECTION.match(line)
        if match:
            current = match[1]
            sections.setdefault(current, [])
        elif line.startswith(">>>"):
            current = "doctest"
            sections.setdefault(current, [])
        elif line and not line[0].isspace() and current not in ("", "doctest"):
            current = ""
            sections[""].append(line)
        else:
            sections[current].append(line)
    return Docstring(summary, "\n".join(sections[""]).strip(), sections.get("Args", []))


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
        bases = [base for base in owner.__mro__ if _is_dataclass(base)] if _is_dataclass(owner) else []
        documented = [constructor, *reversed(bases), *([] if bases else [owner])]
        texts = {name: text for one in documented for name, text in parse_docstring(one.__doc__).arguments.items()}
        hints = _hints(constructor, bases)
        for parameter in _parameters(constructor, bases):
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


def _is_dataclass(cls: type[Any]) -> bool:
    """Returns whether the constructor of a class has its fields as parameters."""
    return "__dataclass_fields__" in vars(cls)


def _parameters(constructor: Any, bases: Sequence[type[Any]]) -> list[Parameter]:
    """Returns the parameters of a constructor; those by name alone follow from subclass to base class."""
    fields = [name for base in bases for name in inspect.get_annotations(base)]
    parameters = list(inspect.signature(constructor).parameters.values())[1:]
    by_name = [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.name in fields]
    return [one for one in parameters if one not in by_name] + sorted(by_name, key=lambda one: fields.index(one.name))


def _hints(constructor: Any, bases: Sequence[type[Any]]) -> dict[str, Any]:
    try:
        if not bases:
            return typing.get_type_hints(constructor, include_extras=True)
        parameters = inspect.signature(constructor).parameters
        return {
            name: eval(hint, vars(sys.modules[base.__module__])) if isinstance(hint, str) else hint
            for base in reversed(bases)
            for name, hint in inspect.get_annotations(base).items()
            if name in parameters
        }
    except Exception:  # a name that exists only for type checkers
        return {}


def with_options(*declared: Any) -> Callable[[_Function], _Function]:
    """Returns a decorator: the further keyword arguments of a function are options that classes declare.

    Signature and docstring of the function have them in place of the ``**`` parameter. An option that may be `None` is
    `None` by default, a list is empty, and a choice is the first one.

    Args:
        declared: Typed dictionaries, each the base of the next; an option is a key, described under ``Args:``.
    """

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        *own, collected = signature.parameters.values()
        lines = [line for one in declared for line in parse_docstring(one.__doc__).args if line.strip()]
        texts = "\n".join(lines)
        function.__doc__ = re.sub(rf"(?m)^    {collected.name}: .*$", texts, inspect.cleandoc(function.__doc__ or ""))
        hints, added = typing.get_type_hints(declared[-1], include_extras=True), []
        for name, hint in hints.items():
            stated = declared[-1].__annotations__[name].__forward_arg__
            one = Parameter(name, Parameter.KEYWORD_ONLY, annotation=stated)
            option = option_of(one, hint, "")
            default = None if option.optional else () if option.kind == "list" else option.choices[0]
            added.append(one.replace(default=default))
        function.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        function.__hints__ = hints  # type: ignore[attr-defined]
        return function

    return decorate


def options_of_function(function: Callable[..., Any], without: Collection[str] = ()) -> list[Option]:
    """Returns the options of a function: its parameters, in their order.

    Args:
        function: The function; its annotations are strings.
        without: Parameters that are left out; their types need not be known at run time.
    """
    function = inspect.unwrap(function)
    texts, declared = parse_docstring(function.__doc__).arguments, getattr(function, "__hints__", {})
    return [
        option_of(
            parameter,
            declared.get(parameter.name) or eval(parameter.annotation, function.__globals__),
            texts.get(parameter.name, ""),
        )
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in without
    ]


def checked_arguments(
    function: Callable[..., Any],
    given: Mapping[str, Any],
    without: Collection[str] = (),
    declared: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns the arguments of a call of a function, each checked and converted as the flag of its parameter is.

    Args:
        function: The function; its annotations are strings, and all their names exist at run time.
        given: Parameter to argument, for all parameters: ``locals()`` at the beginning of the function.
        without: Parameters that are left out, such as lists of texts.
        declared: The arguments of options that `with_options` adds.

    Raises:
        InputError: if an argument has a wrong type, or is out of bounds.
        UnknownChoiceError: if it is not one of the choices.
        CallError: if the function has no parameter of a name.

    >>> def draw(columns: str | Sequence[str], size: Annotated[int, AtLeast(1)] = 9, even: bool = False):
    ...     return checked_arguments(draw, locals())
    >>> draw("a,b", "3"), draw((name for name in "ab"), even=1), draw(None, 2.0)["columns"]
    ({'columns': ['a,b'], 'size': 3, 'even': False}, {'columns': ['a', 'b'], 'size': 9, 'even': True}, [])
    >>> import numpy as np
    >>> draw(np.array(["a"]).tolist(), np.float32(2), np.True_)
    {'columns': ['a'], 'size': 2, 'even': True}
    >>> for wrong in (0, True, None, 2.5):
    ...     try:
    ...         draw([], wrong)
    ...     except InputError as error:
    ...         print(error)
    'size' must be an integer, 1 or more, got 0
    'size' must be an integer, 1 or more, got True
    'size' must be an integer, 1 or more, got None
    'size' must be an integer, 1 or more, got 2.5
    """
    if function not in _known_parameters:
        _known_parameters[function] = options_of_function(function, without)
    options = {option.name: option for option in _known_parameters[function]}
    for name in declared or ():
        if name not in options:
            from metrics_framework.common.calls import unknown_argument  # only for mistakes

            raise unknown_argument(function.__name__, name, options)
    given = {**given, **(declared or {})}
    return {name: option.argument(given.get(name, option.default)) for name, option in options.items()}


def is_default(function: Callable[..., Any], name: str, value: Any) -> bool:
    """Returns whether an argument that `checked_arguments` returned, or an unchecked one, is the default."""
    default = inspect.signature(function).parameters[name].default
    option = next((one for one in _known_parameters[function] if one.name == name), None)
    if option is not None:
        default = option.argument(default)
    return value is default or (default is not None and bool(value == default))


_known_parameters: dict[Callable[..., Any], list[Option]] = {}
"""Cache: reading a signature with 30 parameters takes milliseconds."""


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
    for assignment in filter(None, assignments_of(rest) if rest else ()):
        key, equals, value = assignment.partition("=")
        if not equals:
            hint = f"; a list is {next(reversed(options))}=[…,…]" if options else ""
            raise UsageError(f"options must have the form option=value, got '{assignment}' in '{spec}'{hint}")
        key = key.strip().replace("-", "_")
        if key in options:
            raise UsageError(f"duplicate option '{key}' in '{spec}'")
        options[key] = value[1:-1] if _QUOTED.fullmatch(f"={value}") else value
    return name, options


def assignments_of(text: str) -> list[str]:
    """Splits ``option=value,…`` at the commas between options.

    >>> assignments_of('criterion="Polite, kind?",scale=1-5,orders=[1,2]')
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


def _called_elsewhere(key: str, options: Mapping[str, Option], owner: str) -> Option:
    """Returns the option that other programs call by a name, and says so.

    Raises:
        UnknownNameError: if there is none.
    """
    from metrics_framework.common.calls import called_elsewhere  # only for unknown options

    flags = {f"--{name.replace('_', '-')}": name for name in options}
    for flag in called_elsewhere(key, "same flags", flags):
        say_taken(key, f"'{flags[flag]}'")
        return options[flags[flag]]
    raise UnknownNameError("option", key, options, owner=f"'{owner}'")


def build(cls: type[Any], stop: type[Any], values: Mapping[str, Any], name: str) -> Any:
    """Builds an instance from values of options, each converted to the type of its parameter.

    Raises:
        UsageError: if an option does not exist, has an invalid value, or is missing.
    """
    options = {name: option for option in options_of(cls, stop) for name in (option.name, *option.aliases)}
    converted: dict[str, Any] = {}
    for key, value in values.items():
        option = options[key] if key in options else _called_elsewhere(key, options, name)
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
