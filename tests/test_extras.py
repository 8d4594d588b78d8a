"""Extras are for users, dependency groups for work on the project; the test command of the README stays light."""

from __future__ import annotations

import re
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
HEAVY = {"pandas", "polars", "pyarrow", "sentencepiece", "simalign", "torch", "transformers"}
"""Packages of more than about 20 MB, or that download models."""


def section(name: str) -> dict[str, list[str]]:
    """Returns the requirements of each extra or group, without a parser of TOML, which Python 3.10 does not have."""
    text = PYPROJECT.read_text(encoding="utf-8")
    found = re.split(rf"^\[{name}\].*$", text, flags=re.MULTILINE)[1].split("\n[project.")[0].split("\n[dependency-")[0]
    lists = re.findall(r"^([\w-]+) = \[(.*?)\](?: #[^\n]*)?$", found, re.DOTALL | re.MULTILINE)
    return {name: re.findall(r'"([^"]+)"', content) for name, content in lists}


def extras() -> dict[str, list[str]]:
    """Returns the requirements of each extra."""
    return section("project.optional-dependencies")


def packages_of(extra: str, known: dict[str, list[str]]) -> set[str]:
    """Returns the packages that an extra installs, also through other extras of this project."""
    found: set[str] = set()
    for requirement in known[extra]:
        own = re.fullmatch(r"metrics-framework\[(.*)\]", requirement)
        if own:
            found.update(*(packages_of(name, known) for name in own[1].split(",")))
        else:
            found.update(re.findall(r"^[\w-]+", requirement))
    return found


def test_the_tests_of_the_readme_need_no_heavy_package() -> None:
    known = extras()
    assert "pytest" in packages_of("test", known)
    assert packages_of("test", known).isdisjoint(HEAVY)


def test_continuous_integration_installs_what_the_heavy_tests_need() -> None:
    run = (PYPROJECT.parent / ".ci" / "run").read_text(encoding="utf-8")
    installed = {*re.findall(r"^extras=(.*)$", run, re.MULTILINE)[0].split(",")}
    groups = {*re.findall(r'^bash \.ci/install "\$extras" (.*)$', run, re.MULTILINE)[0].split()}
    assert {"test", "frames", "judge", "meteor", "neural"} <= installed <= extras().keys()
    assert {"dev", "oracles", "neural-oracles", "scale"} <= groups <= section("dependency-groups").keys()


def test_extras_are_named_by_users_only() -> None:
    """Nobody needs the package from an index to install a group, and no extra is a tool of this project."""
    groups = section("dependency-groups")
    assert not [one for requirements in groups.values() for one in requirements if one.startswith("metrics-framework")]
    assert extras().keys().isdisjoint(groups)


def test_the_tools_that_build_the_package_have_a_highest_version() -> None:
    assert re.search(r'^requires = \["setuptools>=[\d.]+,<\d+"\]$', PYPROJECT.read_text("utf-8"), re.MULTILINE)


def test_licences_are_shipped() -> None:
    text = PYPROJECT.read_text(encoding="utf-8")
    files = re.findall(r'"(.*?)"', re.findall(r"^license-files = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)[0])
    assert [name for name in files if not (PYPROJECT.parent / name).is_file()] == []
    data = PYPROJECT.parent / "metrics_framework" / "text" / "data"
    sources = (data / "SOURCES.txt").read_text(encoding="utf-8")
    assert {path.name for path in data.glob("*.txt")} - {"SOURCES.txt"} == {*re.findall(r"\w+\.txt", sources)}
