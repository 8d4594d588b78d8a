"""Records whose fields change, as `dataclasses` makes them, for the modules that every run imports.

Importing `dataclasses` also imports `inspect`, together an eighth of a start (decision 0099). Type checkers read the
names of this module as those of `dataclasses`; at run time, the constructor is a single function for all records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

__all__ = ["asdict", "field", "record", "replace"]

if TYPE_CHECKING:
    from dataclasses import asdict, field, replace
    from dataclasses import dataclass as record
else:

    class field(NamedTuple):  # noqa: N801 - the name that `dataclasses` has
        """A field whose default is new for each record.

        Args:
            default_factory: Returns the default.
        """

        default_factory: Any

    def record(cls: type[Any]) -> type[Any]:
        """Adds what `dataclass` adds for the annotated fields of a class and its base classes, unless it is defined."""
        names = [name for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")]
        cls.__match_args__ = tuple(dict.fromkeys((*getattr(cls, "__match_args__", ()), *names)))
        added = {"__init__": _set_fields, "__eq__": _are_equal, "__hash__": None, "__repr__": _shown}
        for name, method in added.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            setattr(cls, name, _OfDataClass(name))
        return cls

    def asdict(instance: Any) -> dict[str, Any]:
        """Returns the fields of a record and their values, which are not copied."""
        return {name: getattr(instance, name) for name in instance.__match_args__}

    def replace(instance: Any, **changes: Any) -> Any:
        """Returns a record with some other values."""
        return type(instance)(**{**asdict(instance), **changes})


class _OfDataClass:
    """What `dataclasses` asks of a class, made when it asks, so that its functions accept records, too.

    Args:
        name: The attribute of data classes.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        import dataclasses
        from types import MemberDescriptorType

        bases = [getattr(base, "__annotations__", {}) for base in reversed(owner.__mro__)]
        types = {name: kind for annotations in bases for name, kind in annotations.items()}
        made: list[tuple[str, Any, Any]] = []
        for name in owner.__match_args__:
            default: Any = getattr(owner, name, dataclasses.MISSING)
            if isinstance(default, MemberDescriptorType):  # a slot
                default = dataclasses.MISSING
            is_new = type(default) is field
            options = {"default_factory": default.default_factory} if is_new else {"default": default}
            made.append((name, types[name], dataclasses.field(**options)))
        return getattr(dataclasses.make_dataclass(owner.__name__, made), self._name)


def _set_fields(self: Any, *values: Any, **named: Any) -> None:
    """Sets the fields of a new record.

    Raises:
        TypeError: if a field has no value, or there is no field for a value.
    """
    names = self.__match_args__
    given = {**dict(zip(names, values, strict=False)), **named}
    if len(given) < len(values) + len(named) or not given.keys() <= set(names):
        raise TypeError(f"{type(self).__name__}() has the arguments {', '.join(names)}, got {values} and {named}")
    for name in names:
        if name in given:
            value = given[name]
        elif hasattr(type(self), name):
            value = getattr(type(self), name)
            value = value.default_factory() if type(value) is field else value
        else:
            raise TypeError(f"{type(self).__name__}() needs the argument '{name}'")
        setattr(self, name, value)


def _are_equal(self: Any, other: Any) -> bool:
    return type(other) is type(self) and asdict(self) == asdict(other)


def _shown(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in asdict(self).items())})"
