"""Generates the page of all public names, commands and flags, each with the reason why it stays."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from reasons import COMMANDS as REASONS_OF_COMMANDS
from reasons import FLAGS, NAMES, SACREBLEU, by_name

import metrics_framework
from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.lookup import find_command
from metrics_framework.common.construct import options_of
from metrics_framework.common.registrable import Registry
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric

HEAD = """# Names, commands and flags

Each public name, command and flag, and why it stays: the task that needs it, or the program whose users know it. A
test fails if one has no reason; add it in `docs/reasons.py`. [Stability](stability.md) says what users can rely on.
"""


class Flag:
    """A flag of some commands.

    Args:
        name: Its first long name.

    Attributes:
        others: Its other names.
        commands: The commands that have it.
        groups: The titles of its groups in help texts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.others: dict[str, None] = {}
        self.commands: list[str] = []
        self.groups: set[str] = set()

    def reason(self, reasons: Mapping[str, str]) -> str:
        """Returns why it stays: by hand, or from the group of an option of a metric; an empty string if unknown."""
        derived = [_of_group(title) for title in sorted(self.groups)]
        return reasons.get(self.name) or next(filter(None, derived), "")


def flags_of_commands() -> dict[str, Flag]:
    """Returns the flags of all commands of this package by name; ``--no-x`` belongs to ``--x``."""
    found: dict[str, Flag] = {}
    for command in built_in(COMMANDS):
        parser, _, _ = find_command([command])
        parser.complete_help()
        for group in parser._action_groups:
            for action in group._group_actions:
                if action.option_strings and not _is_negation(action, parser):
                    _add(found, action, command, group.title or "")
    return dict(sorted(found.items(), key=lambda item: item[0].lstrip("-")))


def built_in(registry: Registry) -> list[str]:
    """Returns the names registered by this package, without plug-ins."""
    return [name for name in registry.names() if registry.entries[name].module.startswith("metrics_framework.")]


def _is_negation(action: argparse.Action, parser: argparse.ArgumentParser) -> bool:
    name = action.option_strings[0]
    return (
        name.startswith("--no-")
        and f"--{name[5:]}" in parser._option_string_actions
        and action.help
        in (
            None,
            argparse.SUPPRESS,
        )
    )


def _add(found: dict[str, Flag], action: argparse.Action, command: str, title: str) -> None:
    name = next((one for one in action.option_strings if one.startswith("--")), action.option_strings[0])
    flag = found.setdefault(name, Flag(name))
    flag.others.update(dict.fromkeys(one for one in action.option_strings if one != name))
    flag.commands.append(command)
    flag.groups.add(title)


def _of_group(title: str) -> str:
    if title.endswith(SACREBLEU):
        return SACREBLEU
    return title.replace("options of ", "option of the metric or format ") if title.startswith("options of ") else ""


def without_reason() -> list[str]:
    """Returns the public names, commands and flags that have no reason."""
    names, commands, flags = by_name(NAMES), by_name(REASONS_OF_COMMANDS), by_name(FLAGS)
    missing = [name for name in metrics_framework.__all__ if name not in names]
    missing += [f"fw {name}" for name in built_in(COMMANDS) if name.replace(" ", "-") not in commands]
    return missing + [name for name, flag in flags_of_commands().items() if not flag.reason(flags)]


def reasons_without_use() -> list[str]:
    """Returns the names, commands and flags in `reasons` that do not exist."""
    unused = [name for name in by_name(NAMES) if name not in metrics_framework.__all__]
    commands = [name.replace(" ", "-") for name in built_in(COMMANDS)]
    unused += [f"fw {name}" for name in by_name(REASONS_OF_COMMANDS) if name not in commands]
    flags = flags_of_commands()
    return unused + [name for name in by_name(FLAGS) if name not in flags]


def flags_page() -> str:
    """Returns the page."""
    names, commands, reasons = by_name(NAMES), by_name(REASONS_OF_COMMANDS), by_name(FLAGS)
    public = sorted(metrics_framework.__all__, key=str.lower)
    marks = dict.fromkeys(metrics_framework.PROVISIONAL, " ([provisional](stability.md#provisional-names))")
    flags = [
        (_codes([name, *flag.others]), _commands(flag.commands), flag.reason(reasons))
        for name, flag in flags_of_commands().items()
    ]
    metrics = [(f"`{name}`", _codes(_option_flags(name))) for name in built_in(METRICS)]
    return "\n".join([
        HEAD,
        "## Python\n",
        _table(("name", "why"), [(f"`{name}`{marks.get(name, '')}", names[name]) for name in public]),
        "## Commands\n",
        _table(("command", "why"), [(f"`fw {name}`", commands[name.replace(" ", "-")]) for name in built_in(COMMANDS)]),
        "## Flags of commands\n",
        _table(("flag", "commands", "why"), flags),
        "## Flags of metrics\n",
        "`fw METRIC evaluate` and `fw METRIC score` have the flags of `fw evaluate` and `fw score`, and those of the\n"
        "metric, which its definition or its published program has ([metrics](metrics.md)):\n",
        _table(("metric", "flags"), metrics),
    ])  # fmt: skip


def _option_flags(metric: str) -> list[str]:
    options = options_of(Metric.by_name(metric), Metric)
    return [f"--{name.replace('_', '-')}" for option in options for name in (option.name, *option.aliases)]


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _commands(names: list[str]) -> str:
    return "all" if len(names) >= len(built_in(COMMANDS)) - 1 else ", ".join(names)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
