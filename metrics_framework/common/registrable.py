"""Registries: base classes whose subclasses are found by name, and imported only when needed."""

from __future__ import annotations

import importlib
import os
import re
from _thread import RLock  # importing threading takes a millisecond
from abc import ABCMeta
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    FwError,
    PluginError,
    RegistrationError,
    UnknownChoiceError,
    UnknownNameError,
    message_of,
    say_taken,
    spelled,
)
from metrics_framework.common.plugins import entry_points, import_named_in_environment

Class = TypeVar("Class", bound="type[Registrable]")

_REGISTRATION = re.compile(
    r"@\w+\.register\((?P<names>[^)]*)\)\n"
    r"(?:@.*\n)*"
    r'class (?P<class>\w+)\b[^\n]*:\n(?:    r?"""(?P<summary>[^\n]*?)(?:"""|\n))?'
)
_QUOTED = re.compile(r"""["']([^"']+)["']""")


class _Papers(str):
    """Keys of entries in ``citations.bib``; as an attribute of a class, the BibTeX of these entries."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type | None = None) -> str:
        return bibtex(self)


def bibtex(keys: str) -> str:
    """Returns entries of ``citations.bib``, given their keys with spaces between them."""
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "citations.bib")
    with open(path, encoding="utf-8") as stream:
        entries = {text.partition("{")[2].partition(",")[0]: text for text in stream.read().strip().split("\n\n")}
    return "\n\n".join(entries[key] for key in keys.split())


@dataclass(eq=False)
class Entry:
    """One name of a registry.

    Args:
        name: The registered name.
        module: The module that defines the class.
        class_name: The name of the class.
        origin: The module or package that registered it, for messages.
        summary: The first line of the docstring, empty if known only after the import.
        registered: The class, once imported.
        alias_of: The main name if this name is an alias.
        package: The package of an entry point, any of whose modules may register the name; else empty.
    """

    name: str
    module: str
    class_name: str
    origin: str
    summary: str = ""
    registered: type[Any] | None = None
    alias_of: str | None = None
    package: str = ""

    def load(self) -> type[Any]:
        """Imports the class.

        Raises:
            PluginError: if the import fails, or the module has no such class.
        """
        try:
            self.registered = loaded = getattr(importlib.import_module(self.module), self.class_name)
        except FwError:
            raise
        except PLUGIN_FAILURES as error:
            raise PluginError(f"cannot import '{self.name}' of {self.origin}: {message_of(error)}") from error
        return loaded  # type: ignore[no-any-return]


@dataclass(eq=False)
class Registry:
    """The registered names of a base class, which can be listed without importing the classes.

    Args:
        kind: The kind of class, for messages, such as "metric".
        home: The package whose files are searched for registrations.
        group: The group of entry points of installed packages, empty for none.
        answer: Returns what is true of a name that is not registered, if anything is known of it.
        further_characters: Characters that names may have besides letters, digits and ``. _ + -``.
        listed_by: The command that lists the names.
    """

    kind: str
    home: str
    group: str = ""
    answer: Callable[[str], str] = lambda name: ""
    further_characters: str = ""
    listed_by: str = ""
    base: type[Any] = object
    entries: dict[str, Entry] = field(default_factory=dict)
    conflicts: dict[str, RegistrationError] = field(default_factory=dict)
    _searched: bool = False
    _searching: bool = False
    _lock: Any = field(default_factory=RLock)

    def add(self, entry: Entry) -> None:
        """Adds a name.

        Raises:
            RegistrationError: if another class has the name.
        """
        known = self.check_free(entry)
        if known is not None:
            entry.origin = known.origin
        self.entries[entry.name] = entry

    def check_free(self, entry: Entry) -> Entry | None:
        """Checks that no other class has a name; returns the earlier entry of the same class.

        Raises:
            RegistrationError: if another class has the name.
        """
        self.search()
        known = self.entries.get(entry.name)
        if known is None or known.package == entry.module.partition(".")[0]:
            return known
        if (known.module, known.class_name) != (entry.module, entry.class_name):
            raise RegistrationError(
                f"the {self.kind} name '{entry.name}' is registered twice, by {known.origin} and by {entry.origin}; "
                f"rename one of them"
            )
        return known

    def add_lazily(self, entry: Entry) -> None:
        """Adds a name; a conflict raises an error only when the name is used."""
        try:
            self.add(entry)
        except RegistrationError as error:
            self.conflicts[entry.name] = error

    def get(self, name: str) -> type[Any]:
        """Returns the class registered under a name.

        Raises:
            UnknownNameError: if the name does not exist.
            RegistrationError: if two classes have the name.
            PluginError: if the module cannot be imported.
        """
        if not self._searched:
            self.search()
        if name in self.conflicts:
            raise self.conflicts[name]
        if name not in self.entries:
            known = self.spelled(name)
            if not known:
                raise UnknownNameError(
                    self.kind, name, self.names(), answer=self.answer(name), listed_by=self.listed_by
                )
            say_taken(name, f"the {self.kind} '{known}'")
            name = known
        registered = self.entries[name].registered or self.entries[name].load()
        if not (isinstance(registered, type) and issubclass(registered, self.base)):
            raise PluginError(f"'{name}' of {self.entries[name].origin} must be a {self.kind}, got {registered!r}")
        if "registered_name" not in vars(registered):
            registered.registered_name = name
        return registered

    def spelled(self, name: str) -> str:
        """Returns the registered name that a name is but for case, and hyphens for underscores; else an empty string.

        >>> from metrics_framework.metrics import REGISTRY
        >>> REGISTRY.spelled("Sent_BLEU"), REGISTRY.spelled("blue")
        ('sent-bleu', '')
        """
        if not self._searched:
            self.search()
        return name if isinstance(name, str) and name in self.entries else spelled(name, self.entries) or ""

    def names(self, aliases: bool = False) -> list[str]:
        """Returns the names, sorted."""
        if not self._searched:
            self.search()
        return sorted(name for name, entry in self.entries.items() if aliases or entry.alias_of is None)

    def search(self) -> None:
        """Finds the registrations in the home package and in plug-ins, on the first call (decision 0003)."""
        if self._searched:
            return
        with self._lock:
            if self._searched or self._searching:
                return
            self._searching = True
            try:
                self._find()
            finally:
                self._searching = False
            self._searched = True

    def _find(self) -> None:
        for entry in _scan(self.home):
            self.entries.setdefault(entry.name, entry)
        if self.group:
            for point in entry_points(self.group):
                entry = Entry(point.name, point.module, point.attribute, f"the package {point.distribution}")
                entry.package = point.module.partition(".")[0]
                self.add_lazily(entry)
            import_named_in_environment()


def _scan(package: str) -> Iterator[Entry]:
    folder = importlib.import_module(package).__path__[0]
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            module = f"{package}.{file[:-3]}"
            with open(os.path.join(folder, file), encoding="utf-8") as stream:
                text = stream.read()
            for match in _registrations(text):
                names = _QUOTED.findall(match["names"])
                for name in names:
                    alias_of = None if name == names[0] else names[0]
                    yield Entry(name, module, match["class"], module, match["summary"] or "", alias_of=alias_of)


def _registrations(text: str) -> Iterator[re.Match[str]]:
    """Yields the registrations in a source file; only lines that begin with a decorator are searched."""
    at = text.find("\n@") + 1
    while at:
        match = _REGISTRATION.match(text, at)
        if match:
            yield match
        at = text.find("\n@", match.end() if match else at) + 1


class Constructed(ABCMeta):
    """Metaclass that resolves aliases of options, checks choices and records constructor arguments.

    A class that a function defines has no options: a call with arguments is a call of the function.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if (args or kwargs) and "__wrapped__" in vars(cls):
            return vars(cls)["__wrapped__"](*args, **kwargs)
        aliases = getattr(cls, "option_aliases", {})
        for alias in [name for name in kwargs if name in aliases]:
            if aliases[alias] in kwargs:
                raise TypeError(f"{cls.__name__}() got both '{aliases[alias]}' and its alias '{alias}'")
            kwargs[aliases[alias]] = kwargs.pop(alias)
        registry: Registry | None = getattr(cls, "_registry", None)
        if registry is not None and (args or kwargs):
            from metrics_framework.common.options import options_of  # which fw --help does not need

            options = options_of(cls, registry.base)
            given = {**dict(zip([option.name for option in options], args, strict=False)), **kwargs}
            for option in options:
                if option.kind != "choice" or option.name not in given or getattr(option.choices, "find", None):
                    continue  # `find` accepts further words, and raises for others
                value = given[option.name]
                if value not in option.choices and not (value is None and option.optional):
                    raise UnknownChoiceError(option.name, value, option.choices)
        instance = super().__call__(*args, **kwargs)
        instance.__dict__["_built_with"] = (args, kwargs)
        return instance


class Registrable(metaclass=Constructed):
    """Base class of classes whose subclasses are registered under names.

    The base class declares its registry, and each subclass its name::

        class Metric(Registrable, registry=REGISTRY): ...

        @Metric.register("my-metric")
        class MyMetric(Metric): ...

    Attributes:
        registered_name: The name of the class.
        names_file: Returns whether an option that is a text names a file or folder that is read.
    """

    registered_name: ClassVar[str] = ""
    names_file: ClassVar[Callable[[str], bool]] = staticmethod(os.path.exists)
    _registry: ClassVar[Registry | None] = None

    def __init_subclass__(cls, registry: Registry | None = None, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if registry is not None:
            registry.base = cls
            cls._registry = registry
        citation = vars(cls).get("citation")
        if citation and cls.__module__.startswith("metrics_framework.") and "{" not in citation:
            cls.citation = _Papers(citation)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        """Returns the class with its options, as in ``Ter(…)``."""
        from metrics_framework.common.options import built_with  # not needed by fw --help

        options = built_with(self, self.registry().base)
        for name in options:
            value = vars(self).get(name)
            if isinstance(value, (bool, int, float, str)):
                options[name] = value
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in options.items())})"

    def files_read(self) -> list[str]:
        """Returns the files and folders that it reads, which no output may replace.

        These are the given options that name existing files or folders. A class that reads other files overrides this
        method.
        """
        args, kwargs = vars(self).get("_built_with", ((), {}))
        options = [*args, *kwargs.values()]
        values = [value for option in options for value in (option if isinstance(option, (list, tuple)) else [option])]
        return [value for value in values if isinstance(value, str) and type(self).names_file(value)]

    @classmethod
    def registry(cls) -> Registry:
        """Returns the registry of this class."""
        if cls._registry is None:
            raise RegistrationError(f"{cls.__name__} has no registry; derive it from a class that has one")
        return cls._registry

    @classmethod
    def register(cls, name: str = "", *aliases: str) -> Callable[[Class], Class]:
        """Registers the decorated class under a name.

        Args:
            name: The name; by convention in lower case, with hyphens.
            aliases: Other names of the same class.

        Raises:
            RegistrationError: if a name is missing, taken or has invalid characters, or the class is no subclass.
            PluginError: if the class lacks a method, or a method has wrong arguments.
        """
        registry = cls.registry()
        if not name or not isinstance(name, str):  # but the class, without parentheses
            from metrics_framework.common.definitions import called_at  # which fw --help does not need

            example = f'@{registry.base.__name__}.register("NAME")'
            raise RegistrationError(f"{called_at()}: register needs a {registry.kind} name: {example}")

        def decorate(subclass: Class) -> Class:
            if not issubclass(subclass, registry.base):
                raise _located(subclass, f"{subclass.__name__} must be a subclass of {registry.base.__name__}")
            origin, entries = f"{subclass.__module__}.{subclass.__qualname__}", list[Entry]()
            characters = f"._+-{registry.further_characters}"
            for alias in (name, *aliases):
                if not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9{re.escape(characters)}]*", alias):
                    allowed = " ".join(characters)
                    message = f"a {registry.kind} name must have only letters, digits and {allowed}, got '{alias}'"
                    raise _located(subclass, message)
                entries.append(
                    Entry(
                        name=alias,
                        module=subclass.__module__,
                        class_name=subclass.__qualname__,
                        origin=origin,
                        summary=(subclass.__doc__ or "").strip().split("\n", 1)[0],
                        registered=subclass,
                        alias_of=None if alias == name else name,
                    )
                )
                registry.check_free(entries[-1])
            subclass.check_definition(name)
            for entry in entries:
                registry.add(entry)
            subclass.registered_name = name
            return subclass

        return decorate

    @classmethod
    def check_definition(cls, name: str) -> None:
        """Checks the methods of a class that is being registered, unless it belongs to this package.

        Args:
            name: The name.

        Raises:
            PluginError: if a method is missing, or has other arguments than that of the base class.
        """
        if not cls.__module__.startswith("metrics_framework."):
            from metrics_framework.common.definitions import check_methods  # which fw --help does not need

            check_methods(cls, f"the {cls.registry().kind} '{name}'")

    @classmethod
    def by_name(cls, name: str) -> type[Any]:
        """Returns the class registered under a name; see `Registry.get`."""
        return cls.registry().get(name)


def _located(subclass: Any, message: str) -> RegistrationError:
    """Returns an error with the file and line of the class."""
    from metrics_framework.common.definitions import defined_at  # which fw --help does not need

    return RegistrationError(f"{defined_at(subclass)}: {message}")
