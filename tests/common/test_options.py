"""Options of constructors and functions, their annotations, and instances built from them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Optional, Union

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import EXPECTED_OPTION

from metrics_framework.common.errors import InputError, UnknownNameError, UsageError
from metrics_framework.common.options import (
    REQUIRED,
    NamesFrom,
    Option,
    build,
    built_with,
    options_of,
    parse_docstring,
    parse_spec,
)
from metrics_framework.common.registrable import Registrable, Registry

if TYPE_CHECKING:
    from collections.abc import Hashable


class Base(Registrable):
    def __init__(self, never: int = 0) -> None:
        """Takes what does not count."""


class Everything(Base):
    """Has an option of every kind.

    Args:
        word: A word.
        flag: Yes or no.
    """

    option_aliases = {"expression": "word", "term": "word"}

    def __init__(
        self,
        word: str,
        flag: bool = False,
        count: int = 1,
        share: float = 0.5,
        size: Literal["small", "large"] = "small",
        order: Literal[1, 2] = 1,
        names: list[str] | None = None,
        numbers: tuple[int, ...] = (),
        shares: Sequence[float] = (),
        anything: dict[str, Any] | None = None,
        maybe: Optional[int] = None,  # noqa: UP045 - both spellings must work
        either: Union[int, str] = 3,  # noqa: UP007
        guessed=2,
        unknown=None,
    ) -> None:
        self.values = {name: value for name, value in locals().items() if name not in ("self", "__class__")}


def options() -> dict[str, Option]:
    return {option.name: option for option in options_of(Everything, Base)}


KINDS = [  # option, kind, item, optional, default
    ("word", "str", "str", False, REQUIRED),
    ("flag", "bool", "str", False, False),
    ("count", "int", "str", False, 1),
    ("share", "float", "str", False, 0.5),
    ("size", "choice", "str", False, "small"),
    ("order", "choice", "str", False, 1),
    ("names", "list", "str", True, None),
    ("numbers", "list", "int", False, ()),
    ("shares", "list", "float", False, ()),
    ("anything", "json", "str", True, None),
    ("maybe", "int", "str", True, None),
    ("either", "json", "str", False, 3),
    ("guessed", "int", "str", False, 2),
    ("unknown", "str", "str", True, None),
]


@pytest.mark.parametrize(("name", "kind", "item", "optional", "default"), KINDS)
def test_the_kind_of_an_option_is_that_of_its_parameter(name: str, kind: str, item: str, optional: bool, default: Any):
    option = options()[name]
    assert (option.kind, option.item, option.optional, option.default) == (kind, item, optional, default)
    assert option.required == (default is REQUIRED)


def test_options_keep_their_order_choices_help_and_aliases():
    assert list(options()) == [name for name, *_ in KINDS]
    assert options()["size"].choices == ("small", "large")
    assert options()["flag"].help == "Yes or no."
    assert options()["word"].aliases == ("expression", "term")


CONVERSIONS = [  # option, value, expected, why
    ("flag", "true", True, "a word"),
    ("flag", "No", False, "any case"),
    ("flag", 1, True, "JSON"),
    ("flag", False, False, "a value"),
    ("count", "7", 7, "a word"),
    ("count", 7.0, 7, "a whole number that JSON writes as a fraction"),
    ("share", "1e-3", 0.001, "a word"),
    ("share", 2, 2.0, "a whole number"),
    ("size", "large", "large", "a choice"),
    ("order", "2", 2, "a choice that is no string"),
    ("names", "a,b", ["a", "b"], "joined by commas"),
    ("names", ["a", "b"], ["a", "b"], "a list"),
    ("names", None, None, "nothing"),
    ("names", "none", None, "nothing, as a word"),
    ("numbers", "1,2", [1, 2], "items are converted"),
    ("shares", (1, "0.5"), [1.0, 0.5], "items are converted"),
    ("anything", '{"a": [1]}', {"a": [1]}, "JSON text"),
    ("anything", {"a": 1}, {"a": 1}, "a value"),
    ("maybe", "null", None, "nothing, as JSON writes it"),
    ("either", "x", "x", "no JSON"),
    ("unknown", "x", "x", "a word"),
]


@pytest.mark.parametrize(("name", "value", "expected", "why"), CONVERSIONS)
def test_values_become_what_the_constructor_takes(name: str, value: Any, expected: Any, why: str):
    converted = options()[name].convert(value)
    assert converted == expected, why
    assert type(converted) is type(expected)


@settings(max_examples=40)
@given(st.integers(), st.floats(allow_nan=False))
def test_every_number_survives_its_word(whole: int, number: float):
    assert options()["count"].convert(str(whole)) == whole
    assert options()["share"].convert(str(number)) == number


class Passing(Everything):
    """Passes on what it does not know.

    Args:
        own: Its own.
        flag: Told anew.
    """

    def __init__(self, own: int = 5, **kwargs: Any) -> None:
        super().__init__("fixed", **kwargs)
        self.own = own


class Closed(Passing):
    """Takes its own option and no other."""

    def __init__(self, *, only: str = "x") -> None:
        """Takes one option.

        Args:
            only: The only one.
        """
        super().__init__()


class Inheriting(Closed):
    """Has no constructor."""


def test_options_of_the_base_are_reached_through_keyword_arguments():
    found = {option.name: option for option in options_of(Passing, Base)}
    assert list(found) == ["own", *options()]
    assert found["flag"].help == "Yes or no."
    assert "never" not in found


@pytest.mark.parametrize("cls", [Closed, Inheriting])
def test_a_constructor_without_keyword_arguments_ends_the_walk(cls: type[Any]):
    (only,) = options_of(cls, Base)
    assert (only.name, only.help) == ("only", "The only one.")


@dataclass(eq=False, repr=False)
class Model(Base):
    """Has fields.

    Args:
        model: A name.
        device: A device.
        batch_size: A size.
    """

    seen: ClassVar[Hashable | None] = None  # a name that only type checkers import
    model: str | None = None
    _: KW_ONLY
    device: Literal["cpu", "cuda"] = "cpu"
    batch_size: int = 32


@dataclass(eq=False, repr=False)
class Larger(Model):
    """Has more fields, and another default.

    Args:
        mode: A mode.
        model: Another name.
    """

    mode: Literal[1, 2] = 1
    batch_size: int = field(default=8, kw_only=True)


def test_fields_of_a_dataclass_are_options_and_those_of_its_base_that_are_given_by_name_follow():
    found = {option.name: option for option in options_of(Larger, Base)}
    assert list(found) == ["model", "mode", "batch_size", "device"]
    assert [option.kind for option in found.values()] == ["str", "choice", "int", "choice"]
    assert [option.help for option in found.values()] == ["Another name.", "A mode.", "A size.", "A device."]
    built = build(Larger, Base, {"mode": "2", "device": "cuda"}, "larger")
    assert (built.mode, built.device, built.batch_size, built_with(Larger("m", 2), Base)["mode"]) == (2, "cuda", 8, 2)


def test_annotations_that_cannot_be_read_leave_the_defaults():
    class Bare(Base):
        """Has nothing."""

    class Odd(Base):
        def __init__(self, size: NotThere = 3) -> None:  # noqa: F821
            self.size = size

    (option,) = options_of(Odd, Base)
    assert (option.name, option.kind) == ("size", "int")
    assert options_of(Bare, Base) == []


BUILT = [  # positional, named, what differs from the defaults
    (("w",), {}, {"word": "w"}),
    (("w", True), {"count": 2}, {"word": "w", "flag": True, "count": 2}),
    ((), {"expression": "w"}, {"word": "w"}),
]


@pytest.mark.parametrize(("args", "kwargs", "changed"), BUILT)
def test_an_instance_remembers_what_it_was_built_with(args: tuple[Any, ...], kwargs: Any, changed: dict[str, Any]):
    defaults = {name: default for name, *_, default in KINDS if default is not REQUIRED}
    assert built_with(Everything(*args, **kwargs), Base) == {**defaults, **changed}


SPECS = [  # spec, name, options
    ("sari", "sari", {}),
    ("sari:", "sari", {}),
    ("ter:case_sensitive=true,no-punct=1", "ter", {"case_sensitive": "true", "no_punct": "1"}),
    ("x:word=a=b", "x", {"word": "a=b"}),
    ("x:word=", "x", {"word": ""}),
    ('{"type": "ter", "normalized": true}', "ter", {"normalized": True}),
    ('  {"name": "ter"}', "ter", {}),
    ({"type": "ter", "names": ["a"]}, "ter", {"names": ["a"]}),
]


@pytest.mark.parametrize(("spec", "name", "given_options"), SPECS)
def test_a_spec_is_a_name_with_options_and_is_not_changed(spec: Any, name: str, given_options: dict[str, Any]):
    before = copy.deepcopy(spec)
    assert parse_spec(spec) == (name, given_options)
    assert spec == before


def test_building_converts_and_knows_aliases():
    built = build(Everything, Base, {"term": "w", "count": "3", "numbers": "1,2"}, "everything")
    assert built.values["word"] == "w"
    assert built.values["count"] == 3
    assert built.values["numbers"] == [1, 2]


class Refusing(Base):
    def __init__(self, error: str = "value") -> None:
        raise {"value": ValueError, "type": TypeError, "input": InputError}[error]("no good")


class Thing(Registrable, registry=Registry("thing", home="nowhere")):
    """Has a registry."""


class Choosing(Thing):
    """Has an option of each kind of choices.

    Args:
        shape: A fixed choice.
        colour: A choice among names.
    """

    option_aliases = {"form": "shape"}

    def __init__(
        self,
        shape: Literal["round", "square"] = "round",
        colour: Annotated[str, NamesFrom(lambda: COLOURS)] | None = None,
        **more: Any,
    ) -> None:
        self.shape, self.colour, self.more = shape, colour, more


class ChoosingMore(Choosing):
    """Passes its options on."""

    def __init__(self, size: int = 1, **options: Any) -> None:
        super().__init__(**options)


COLOURS = ["red", "blue"]
ROUND_OR_SQUARE = "'shape' must be one of round, square, got"


NAME_FIRST = "a specification must be a name, or name:option=value,…, got"
VALUES = [  # option, value, message
    ("word", 3, "'word' must be a string, got 3"),
    ("word", None, "'word' must be a string, got null"),
    ("flag", "perhaps", "'flag' must be true or false, got 'perhaps'"),
    ("flag", None, "'flag' must be true or false, got null"),
    ("count", "x", "'count' must be an integer, got 'x'"),
    ("count", 1.5, "'count' must be an integer, got 1.5"),
    ("count", True, "'count' must be an integer, got True"),
    ("share", "x", "'share' must be a number, got 'x'"),
    ("share", False, "'share' must be a number, got False"),
    ("size", "huge", "'size' must be one of small, large, got 'huge'"),
    ("numbers", "1,x", "'numbers' must be a list of integers, got '1,x'"),
    ("numbers", 1, "'numbers' must be a list of integers, got 1"),
    ("anything", "{", "'anything' must be a JSON value, got '{'"),
]
SPECIFICATIONS = [  # specification, message
    ("ter:normalized", f"{EXPECTED_OPTION}, got 'normalized' in 'ter:normalized'"),
    ('{"type": ', "'{\"type\": ' is not JSON: Expecting value (column 10)"),
    ({"normalized": True}, 'a specification must have a "type", got {"normalized": true}'),
    ("", f"{NAME_FIRST} ''"),
    (":normalized=true", f"{NAME_FIRST} ':normalized=true'"),
    ({"type": 3}, 'a specification must have a "type", got {"type": 3}'),
]
BUILDS = [  # class, options, error, message
    (Everything, {"wrd": "x"}, UnknownNameError, "unknown option 'wrd' of 'thing'; did you mean 'word'?"),
    (Everything, {}, UsageError, "'thing' needs the option 'word'"),
    (Everything, {"word": "a", "term": "b"}, UsageError, "duplicate option 'word' of 'thing'; 'term' means the same"),
    (Everything, {"word": "a", "count": "x"}, UsageError, "'count' must be an integer, got 'x'"),
    (Refusing, {"error": "value"}, UsageError, "cannot build 'thing' with {'error': 'value'}: no good"),
    (Refusing, {"error": "type"}, UsageError, "cannot build 'thing' with {'error': 'type'}: no good"),
    (Refusing, {"error": "input"}, InputError, "no good"),
    (Choosing, {"shape": "rund"}, UnknownNameError, f"{ROUND_OR_SQUARE} 'rund'; did you mean 'round'?"),
]
CHOICES: list[tuple[Callable[[], Any], str]] = [  # construction, message
    (lambda: Choosing("rund"), f"{ROUND_OR_SQUARE} 'rund'; did you mean 'round'?"),
    (lambda: Choosing(shape=3), f"{ROUND_OR_SQUARE} 3"),
    (lambda: Choosing(form="oval"), f"{ROUND_OR_SQUARE} 'oval'"),
    (lambda: Choosing(colour="xxxxx"), "'colour' must be one of red, blue, got 'xxxxx'"),
    (lambda: ChoosingMore(2, shape="oval"), f"{ROUND_OR_SQUARE} 'oval'"),
]
MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    *((partial(options()[name].convert, value), UsageError, message) for name, value, message in VALUES),
    *((partial(parse_spec, spec), UsageError, message) for spec, message in SPECIFICATIONS),
    *((partial(build, kind, Base, values, "thing"), error, message) for kind, values, error, message in BUILDS),
    *((construct, UnknownNameError, message) for construct, message in CHOICES),
]


@pytest.mark.parametrize(("call", "error", "message"), MISTAKES)
def test_wrong_values_specifications_and_choices_are_refused(
    call: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(message)
    assert getattr(caught.value, "exit_code", None) == (1 if error is InputError else 2)


def test_choices_that_are_names_are_looked_up_at_each_use(monkeypatch: pytest.MonkeyPatch) -> None:
    [_, colour] = options_of(Choosing, Thing)
    assert (colour.kind, list(colour.choices), colour.optional) == ("choice", ["red", "blue"], True)
    monkeypatch.setitem(globals(), "COLOURS", ["green"])
    assert Choosing(colour="green").colour == "green"
    assert Choosing("square", None).shape == "square"


TEXT = """Measures the length.

    More on it,
    in two lines.

    Args:
        lowest: The least number,
            told in two lines.
        names (list of str): Some names: many.

    Raises:
        InputError: never.

    Source: a paper.

    >>> 1 + 1
    2
    """


def test_a_docstring_is_taken_apart():
    parsed = parse_docstring(TEXT)
    assert parsed.summary == "Measures the length."
    assert parsed.description.startswith("More on it,\nin two lines.")
    assert parsed.arguments == {"lowest": "The least number, told in two lines.", "names": "Some names: many."}
    assert parsed.description.endswith("Source: a paper."), "a paragraph behind a section belongs to the description"
    assert ">>>" not in parsed.description
    assert "InputError" not in parsed.description
    assert parse_docstring(None) == parse_docstring("") == ("", "", [])
