"""The list of registries that tests restore is complete."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any, ClassVar

import pytest
from messages import REGISTERED_TWICE
from registries import REGISTRIES

import metrics_framework
from metrics_framework.common import registrable
from metrics_framework.common.errors import PluginError, RegistrationError, UnknownNameError
from metrics_framework.common.registrable import Entry, Registrable, Registry

BASE = """
from metrics_framework.common.registrable import Registrable, Registry

class Thing(Registrable, registry=Registry("thing", "{home}")):
    pass
"""
FILES = {
    "lamp.py": '''
from base_of_{home} import Thing

@Thing.register("lamp")
class Lamp(Thing):
    """Gives light.

    More.
    """
''',
    "vase.py": '''
import dataclasses
from base_of_{home} import Thing

@Thing.register("vase")
@dataclasses.dataclass
class Vase(Thing):
    """Looks decorated."""

@Thing.register("bowl", "dish")
class Bowl(Thing):
    """Holds soup."""

@Thing.register("plain")
class Plain(Thing):
    pass
''',
    "broken.py": '''
import a_module_that_is_not_there

@Thing.register("broken")
class Broken(Thing):
    """Cannot be imported."""
''',
    "liar.py": '''
from base_of_{home} import Thing

@Thing.register("real")
class Real(Thing):
    """Is a thing."""

Real = "nothing"
''',
}


@pytest.fixture
def thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[type[Any]]:
    """A base class whose home is a package of its own, written for the test."""
    home = "things_of_" + "".join(filter(str.isalnum, request.node.name))
    package = tmp_path / home
    package.mkdir()
    (package / "__init__.py").write_text("")
    (tmp_path / f"base_of_{home}.py").write_text(BASE.replace("{home}", home))
    for name, text in FILES.items():
        (package / name).write_text(text.replace("{home}", home))
    monkeypatch.syspath_prepend(tmp_path)
    base = __import__(f"base_of_{home}")
    yield base.Thing
    for name in [name for name in sys.modules if home in name]:
        del sys.modules[name]


def home_of(thing: type[Any]) -> str:
    return thing.registry().home


def test_the_home_package_is_searched_without_importing_it(thing: type[Any]):
    assert thing.registry().names() == ["bowl", "broken", "lamp", "plain", "real", "vase"]
    summaries = {name: entry.summary for name, entry in thing.registry().entries.items()}
    assert summaries == {
        "lamp": "Gives light.",
        "vase": "Looks decorated.",
        "bowl": "Holds soup.",
        "dish": "Holds soup.",
        "plain": "",
        "broken": "Cannot be imported.",
        "real": "Is a thing.",
    }
    assert not any(name.startswith(f"{home_of(thing)}.") for name in sys.modules)


class Shape(Registrable, registry=Registry("shape", "metrics_framework.common")):
    """A base of this test."""


class Box(Shape):
    """A shape with options of several kinds.

    Args:
        width: Its width.
        labels: Its labels.
        kind: Its kind.
        rule: A rule.
    """

    option_aliases: ClassVar[dict[str, str]] = {"w": "width"}

    def __init__(self, width: int, labels: list[str] | None = None, kind: str | None = None, rule: Any = None):
        self.labels = labels or []
        self.kind = kind or "plain"
        self.rule = object()


REPRS = [  # instance, repr, why
    (Box(3), "Box(width=3, labels=None, kind='plain', rule=None)", "defaults, and the value in effect"),
    (Box(w=3, labels=["a"]), "Box(width=3, labels=['a'], kind='plain', rule=None)", "options have one name"),
    (Box(3, kind="round"), "Box(width=3, labels=None, kind='round', rule=None)", "given values"),
    (Shape(), "Shape()", "no options"),
]


@pytest.mark.parametrize(("instance", "expected", "why"), REPRS)
def test_an_instance_shows_its_options(instance: Shape, expected: str, why: str):
    assert repr(instance) == expected, why


def test_asking_for_a_name_imports_its_module_alone(thing: type[Any]):
    lamp = thing.by_name("lamp")
    assert (lamp.__name__, lamp.registered_name) == ("Lamp", "lamp")
    assert f"{home_of(thing)}.lamp" in sys.modules
    assert f"{home_of(thing)}.vase" not in sys.modules


FAULTS = [  # name, error, message
    ("broken", PluginError, r"cannot import 'broken' of .*\.broken: ModuleNotFoundError"),
    ("path", PluginError, "'path' of the test must be a thing, got <class 'pathlib"),
    ("absent", PluginError, "cannot import 'absent' of the test: AttributeError"),
    ("lmap", UnknownNameError, "unknown thing 'lmap'; did you mean 'lamp'"),
]


@pytest.mark.parametrize(("name", "error", "message"), FAULTS)
def test_a_fault_puts_only_its_own_name_out_of_use(thing: type[Any], name: str, error: type[Exception], message: str):
    thing.registry().add(Entry("path", "pathlib", "Path", "the test"))
    thing.registry().add(Entry("absent", "pathlib", "Absent", "the test"))
    with pytest.raises(error, match=message):
        thing.by_name(name)
    assert thing.by_name("lamp").__name__ == "Lamp"


def test_aliases_lead_to_the_same_class_and_are_not_listed(thing: type[Any]):
    @thing.register("chair", "seat", "stool")
    class Chair(thing):
        """Is sat on."""

    assert thing.by_name("seat") is thing.by_name("stool") is thing.by_name("chair") is Chair
    assert Chair.registered_name == "chair"
    assert "seat" not in thing.registry().names()
    assert "seat" in thing.registry().names(aliases=True)


@pytest.mark.parametrize("names", [("lamp",), ("torch", "lamp")])
def test_a_name_or_alias_taken_twice_names_both_origins(thing: type[Any], names: tuple[str, ...]):
    with pytest.raises(RegistrationError) as caught:

        @thing.register(*names)
        class Other(thing):
            """Wants the name too."""

    assert f"'lamp' {REGISTERED_TWICE} {home_of(thing)}.lamp and by " in str(caught.value)
    assert "Other" in str(caught.value)
    assert thing.by_name("lamp").__name__ == "Lamp"


def test_a_lazy_conflict_is_told_to_who_asks_for_that_name(thing: type[Any]):
    registry = thing.registry()
    registry.add_lazily(Entry("lamp", "elsewhere", "Lamp", "the package lamps-1.0"))
    assert thing.by_name("plain").__name__ == "Plain"
    with pytest.raises(RegistrationError, match=r"by things_of_\w+\.lamp and by the package lamps-1\.0"):
        thing.by_name("lamp")


def test_the_same_class_may_be_defined_again(thing: type[Any]):
    def define() -> type[Any]:
        @thing.register("again")
        class Again(thing):
            """Is written in a notebook cell that runs twice."""

        return Again

    define()
    second = define()
    assert thing.by_name("again") is second


def test_names_that_a_command_line_cannot_carry_and_other_classes_are_refused(thing: type[Any]):
    class Stranger(Registrable):
        """Is no thing."""

    odd = type("Odd", (thing,), {})
    for name in ("two words", "-dash", "ünder", "a/b", "a:b", "a,b"):
        with pytest.raises(RegistrationError, match="a thing name must have only letters, digits"):
            thing.register(name)(odd)
    with pytest.raises(RegistrationError, match=r"test_registrable\.py:\d+: Stranger must be a subclass of Thing"):
        thing.register("stranger")(Stranger)
    with pytest.raises(RegistrationError, match="Stranger has no registry"):
        Stranger.by_name("x")


def test_a_registry_lists_its_names_before_its_base_is_imported():
    registry = Registry("metric", "metrics_framework.metrics")
    assert "pyramid-score" in registry.names()
    assert registry.base is object


def test_a_registry_searched_by_many_threads_at_once_finds_all_names_in_each(
    thing: type[Any], monkeypatch: pytest.MonkeyPatch
):
    registry, threads = thing.registry(), 8
    started = Barrier(threads)
    scan = registrable._scan

    def slowly(package: str) -> Iterator[Entry]:
        for entry in scan(package):
            Event().wait(0.002)  # lets the other threads run while only some of the names are known
            yield entry

    monkeypatch.setattr(registrable, "_scan", slowly)

    def names(_: int) -> list[str]:
        started.wait()
        return registry.names()

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(names, range(threads)))
    assert found == [["bowl", "broken", "lamp", "plain", "real", "vase"]] * threads


def test_a_search_that_fails_is_made_again(thing: type[Any], monkeypatch: pytest.MonkeyPatch):
    def fails(package: str) -> Iterator[Entry]:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(registrable, "_scan", fails)
        with pytest.raises(MemoryError):
            thing.registry().names()
    assert thing.registry().names() == ["bowl", "broken", "lamp", "plain", "real", "vase"]


def test_a_subclass_that_is_not_registered_leaves_the_name_to_its_parent(thing: type[Any]):
    registry = thing.registry()

    @thing.register("chair")
    class Chair(thing):
        pass

    class Stool(Chair):
        pass

    registry.add(Entry("stool", __name__, "Stool", "a test", registered=Stool))
    assert registry.get("stool") is Stool
    assert (Chair.registered_name, Stool.registered_name) == ("chair", "stool")


def test_every_registry_of_the_package_is_listed() -> None:
    files = Path(metrics_framework.__path__[0]).rglob("*.py")
    made = [path for path in files if re.search(r"^REGISTRY = Registry\(", path.read_text(encoding="utf-8"), re.M)]
    assert len(REGISTRIES) == len(made)
