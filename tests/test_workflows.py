"""Workflows run scripts that exist, and actions that are pinned by their commit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ELSEWHERE = {"build-wheels", "check-release", "docs"}
"""Scripts that need other systems, a release or, for the documentation, a site."""


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_their_commit(workflow: Path) -> None:
    uses = re.findall(r"uses: (.*)", workflow.read_text(encoding="utf-8"))
    assert [one for one in uses if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", one)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_each_step_is_a_script_that_continuous_integration_runs_too(workflow: Path) -> None:
    steps = re.findall(r"run: (.*)", workflow.read_text(encoding="utf-8"))
    scripts = {match[1] for match in (re.match(r"bash \.ci/([\w-]+)", step) for step in steps) if match}
    assert len(steps) >= len(scripts) > 0
    assert all(step.startswith("bash .ci/") for step in steps)
    called = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / ".ci").iterdir()
        if path.name in ("run", "gate", "check-packages")
    )
    assert {name for name in scripts - ELSEWHERE if f".ci/{name}" not in called} == set()


def test_an_action_has_one_version() -> None:
    uses = {use for path in WORKFLOWS for use in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))}
    assert len({use.partition("@")[0] for use in uses}) == len(uses)
