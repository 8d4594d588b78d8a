"""Entry points of installed packages, one of which is broken: the others work, and the broken one is reported."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from pathlib import Path

import pytest

from metrics_framework.common import plugins
from metrics_framework.common.errors import PluginError, UnknownNameError
from metrics_framework.common.registrable import Registrable, Registry

GROUP = "metrics_framework.things_of_a_test"


def install(folder: Path, name: str, content: bytes) -> None:
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_bytes(content)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages: two good ones, and one between them whose file holds a byte of Latin-1."""
    install(tmp_path, "a_good", f"[{GROUP}]\nfirst = modules_of_a_test:First\n".encode())
    install(tmp_path, "b_broken", f"# caf\xe9\n[{GROUP}]\nbroken = modules_of_a_test:First\n".encode("latin-1"))
    install(tmp_path, "c_good", f"[{GROUP}]\nsecond = modules_of_a_test:Second\n".encode())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_failures", {})
    monkeypatch.setattr(plugins, "_imported", dict(plugins._imported))
    return tmp_path


def test_a_file_that_is_not_utf_8_puts_only_its_own_names_out_of_use(site: Path) -> None:
    found = [point for point in plugins.entry_points(GROUP) if point.module == "modules_of_a_test"]
    assert [(point.name, point.attribute, point.distribution) for point in found] == [
        ("first", "First", "a_good-1.0"),
        ("second", "Second", "c_good-1.0"),
    ]
    assert "The plug-in 'b_broken-1.0' is unavailable: UnicodeDecodeError" in plugins.failures()


def test_a_registry_finds_the_others_and_tells_who_asks_for_a_name(site: Path) -> None:
    home = site / "home_of_a_test"
    home.mkdir()
    (home / "__init__.py").write_text("")
    registry = Registry("thing", "home_of_a_test", GROUP)

    class Thing(Registrable, registry=registry):
        pass

    assert Thing.registry().names() == ["first", "second"]
    with pytest.raises(UnknownNameError, match=r"'broken'.*Known: first, second"):
        registry.get("broken")
    sys.modules.pop("home_of_a_test", None)


HOME = """
from metrics_framework.common.registrable import Registrable, Registry
REGISTRY = Registry("thing", "home_of_a_test", "things_of_a_test")
class Thing(Registrable, registry=REGISTRY): pass
"""
INNER = "from home_of_a_test import Thing\n@Thing.register('inner')\nclass Inner(Thing): pass\n"


@pytest.mark.parametrize(
    ("attribute", "error"), [("Inner", ""), ("Iner", "cannot import 'inner' of the package d-1.0")]
)
def test_an_entry_point_may_name_another_module_of_its_package(
    attribute: str, error: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, text in (("home_of_a_test", HOME), ("things_of_a_test", "from things_of_a_test.inner import Inner")):
        (site / package).mkdir()
        (site / package / "__init__.py").write_text(text)
    (site / "things_of_a_test" / "inner.py").write_text(INNER)
    install(site, "d", f"[things_of_a_test]\ninner = things_of_a_test:{attribute}\n".encode())
    home = importlib.import_module("home_of_a_test")
    try:
        with pytest.raises(PluginError, match=error) if error else contextlib.nullcontext():
            assert home.REGISTRY.get("inner").__name__ == "Inner"
    finally:
        for name in ("home_of_a_test", "things_of_a_test", "things_of_a_test.inner"):
            sys.modules.pop(name, None)


def test_a_file_that_cannot_be_read_is_reported_too(site: Path) -> None:
    (site / "d_folder-1.0.dist-info" / "entry_points.txt").mkdir(parents=True)
    assert [point.name for point in plugins.entry_points(GROUP)] == ["first", "second"]
    assert "The plug-in 'd_folder-1.0' is unavailable" in plugins.failures()


COUNTED = """
import builtins
builtins.imports_of_a_test = getattr(builtins, "imports_of_a_test", 0) + 1
if builtins.imports_of_a_test == 1 and {fails}:
    raise ValueError("broken")
"""


@pytest.mark.parametrize("fails", [False, True])
def test_a_file_named_in_two_spellings_is_imported_once_and_a_broken_one_is_no_module(
    fails: bool, site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import builtins

    monkeypatch.setattr(builtins, "imports_of_a_test", 0, raising=False)
    monkeypatch.chdir(site)
    (site / "counted_by_a_test.py").write_text(COUNTED.format(fails=fails))
    plugins.import_packages(["counted_by_a_test.py", "./counted_by_a_test.py", str(site / "counted_by_a_test.py")])
    assert vars(builtins)["imports_of_a_test"] == 1
    assert ("counted_by_a_test" in sys.modules) is not fails
    assert ("unavailable: ValueError: broken" in capsys.readouterr().err) is fails
    sys.modules.pop("counted_by_a_test", None)
    assert importlib.util.find_spec("counted_by_a_test") is not None
