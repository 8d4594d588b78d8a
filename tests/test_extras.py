"""The optional parts: the test command of the README stays light as heavy ones arrive."""

from __future__ import annotations

import re
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
HEAVY = {"pandas", "polars", "pyarrow", "sentencepiece", "simalign", "torch", "transformers"}
"""Packages of more than about 20 MB, or that download models."""


def extras() -> dict[str, list[str]]:
    """Returns the requirements of each extra, without a parser of TOML, which Python 3.10 does not have."""
    text = PYPROJECT.read_text(encoding="utf-8")
    section = text.split("[project.optional-dependencies]\n")[1].split("\n[project.")[0]
    lists = re.findall(r"^([\w-]+) = \[(.*?)\]$", section, re.DOTALL | re.MULTILINE)
    return {name: re.findall(r'"([^"]+)"', content) for name, content in lists}


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
    known = extras()
    assert {"pandas", "polars", "pyarrow"} <= packages_of("dev", known)
    installed = re.findall(r"pip install.*\.\[(.*?)\]", (PYPROJECT.parent / ".ci" / "run").read_text(encoding="utf-8"))
    extras_of_the_run = set(installed[0].split(","))
    assert {"dev", "judge", "meteor", "neural", "neural-oracles", "oracles"} <= extras_of_the_run
