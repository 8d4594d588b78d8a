"""The generated reference: complete, and each help in one page only."""

from __future__ import annotations

import re
from argparse import SUPPRESS
from collections import defaultdict
from pathlib import Path

import pytest

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import flag_of
from metrics_framework.commands.lookup import ACTIONS, find_command
from metrics_framework.common.options import options_of
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
REPEATED_LINES = 5


def page_of(command: str) -> Path:
    return REFERENCE / "commands" / f"{command.replace(' ', '-')}.md"


def test_each_command_has_one_page_and_a_row_in_the_index() -> None:
    commands = COMMANDS.names()
    index = (REFERENCE / "cli.md").read_text("utf-8")
    assert sorted((REFERENCE / "commands").glob("*.md")) == sorted(map(page_of, commands))
    assert [name for name in commands if f"| [fw {name}](commands/{page_of(name).name}) |" not in index] == []


@pytest.mark.parametrize("command", COMMANDS.names())
def test_the_page_of_a_command_names_each_of_its_flags(command: str) -> None:
    parser, _, _ = find_command(command.split())
    parser.complete_help()
    named = set(re.findall(r"`([^`\n]+)`", page_of(command).read_text("utf-8").replace("```", "")))
    described = [
        action.option_strings for action in parser._actions if action.dest != "help" and action.help != SUPPRESS
    ]
    assert [flags for flags in described if flags and named.isdisjoint(flags)] == []


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("metric", METRICS.names())
def test_the_flags_of_a_metric_have_the_names_of_its_options(metric: str, action: str) -> None:
    """The page of metrics lists options, and the page of commands says which flags they have."""
    parser, _, _ = find_command([metric, action])
    options = options_of(METRICS.get(metric), Metric)
    assert [option.name for option in options if flag_of(option.name) not in parser._option_string_actions] == []


def test_no_paragraph_of_several_lines_appears_twice() -> None:
    seen = defaultdict(list)
    for page in sorted(REFERENCE.rglob("*.md")):
        for paragraph in page.read_text("utf-8").split("\n\n"):
            if paragraph.count("\n") >= REPEATED_LINES:
                seen[paragraph].append(page.name)
    assert [(paragraph[:80], pages) for paragraph, pages in seen.items() if len(pages) > 1] == []
