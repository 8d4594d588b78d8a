"""Messages name commands that install a package, and all of them come from one module."""

from __future__ import annotations

import ast
import os
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import metrics_framework
from metrics_framework.common import installation
from metrics_framework.common.installation import (
    DISTRIBUTION,
    OWN_FOLDER,
    install_extra,
    install_in_place,
    install_same_version,
    pip_install,
)
from metrics_framework.version import __version__

PACKAGE = Path(metrics_framework.__file__).parent
ROOT = PACKAGE.parent


@pytest.fixture(params=[True, False], ids=["installed", "not installed"])
def is_installed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    def distribution(name: str) -> Any:
        if not request.param:
            raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", distribution)
    return bool(request.param)


def test_sources_that_are_not_installed_are_named_by_their_folder(is_installed: bool) -> None:
    in_place = f"pip install -e '{OWN_FOLDER}[zst]'"
    assert install_extra("zst") == ("pip install 'metrics-framework[zst]'" if is_installed else in_place)
    assert install_in_place() == f"python -m pip install -e {OWN_FOLDER}"


def test_a_package_on_an_index_is_named_and_windows_has_other_quotes(
    is_installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert install_same_version("ray").endswith(f"sources of fw {__version__}: pip install '.[ray]'")
    monkeypatch.setattr(installation, "IS_ON_INDEX", True)
    assert install_extra("zst") == "pip install 'metrics-framework[zst]'"
    assert install_same_version("ray") == f"run: pip install 'metrics-framework[ray]=={__version__}'"
    monkeypatch.setattr(installation.os, "name", "nt")
    assert pip_install("httpx", "a[b]") == 'pip install httpx "a[b]"'


def strings_of(path: Path) -> set[str]:
    """Returns the strings of a module without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    docstrings = {id(node.value) for node in nodes}
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {str(node.value) for node in found if id(node) not in docstrings}


@pytest.mark.slow
def test_one_module_writes_the_commands() -> None:
    writers = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any("pip install" in text for text in strings_of(path))
    ]
    assert writers == ["common/installation.py"]


def test_the_name_is_that_of_the_metadata() -> None:
    assert f'name = "{DISTRIBUTION}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert os.path.samefile(OWN_FOLDER, ROOT)


def test_the_documentation_names_extras_that_exist() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    known = set(re.findall(r"^([\w-]+) = \[", project.split("[project.optional-dependencies]")[1], re.MULTILINE))
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        named = re.findall(
            r"""pip install [^\n]*(?:metrics-framework|\.)\[([\w,-]+)\]""", page.read_text(encoding="utf-8")
        )
        assert {extra for names in named for extra in names.split(",")} <= known, page
