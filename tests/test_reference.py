"""The generated reference names every command, flag and option."""

from __future__ import annotations

import re
from argparse import SUPPRESS
from typing import Any

import pytest
from generate import reference_pages
from registries import COMMANDS, METRICS

import metrics_framework
import metrics_framework.meta_evaluation
from metrics_framework.commands.arguments import flag_of
from metrics_framework.commands.command import ACTIONS, find_command
from metrics_framework.common.options import options_of
from metrics_framework.metrics.base.metric import Metric


def test_each_command_has_a_row_in_the_index_and_a_page_that_names_each_of_its_flags() -> None:
    pages, missing = dict(reference_pages()), []
    for command in COMMANDS.names():
        page = f"commands/{command.replace(' ', '-')}.md"
        named = set(re.findall(r"`([^`\n]+)`", pages.pop(page).replace("```", "")))
        parser, _, _ = find_command(command.split())
        parser.complete_help()
        described = [action for action in parser._actions if action.dest != "help" and action.help != SUPPRESS]
        flags = [action.option_strings for action in described if action.option_strings]
        missing += [(command, names) for names in flags if named.isdisjoint(names)]
        assert f"| [fw {command}]({page}) |" in pages["cli.md"]
    assert missing == []
    assert sorted(pages) == ["arrays.md", "cli.md", "metrics.md", "python.md", "readers.md"]


def test_the_flags_of_a_metric_have_the_names_of_its_options() -> None:
    """The page of metrics lists options, and the page of commands says which flags they have."""
    missing = []
    for metric in METRICS.names():
        names = [option.name for option in options_of(METRICS.get(metric), Metric)]
        for action in ACTIONS:
            flags = find_command([metric, action])[0]._option_string_actions
            missing += [(metric, action, name) for name in names if flag_of(name) not in flags]
    assert missing == []


@pytest.mark.parametrize(
    ("page", "package"), [("python.md", metrics_framework), ("arrays.md", metrics_framework.meta_evaluation)]
)
def test_each_public_name_has_a_signature_or_a_description_under_a_heading_of_its_own(page: str, package: Any) -> None:
    sections = dict(re.findall(r"^### `?(\w+)`?\n\n(.+)", reference_pages()[page], re.MULTILINE))
    assert [name for name in package.__all__ if name not in sections] == []
