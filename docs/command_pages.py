"""The reference of the command line: an index, and a page for each command."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from textwrap import dedent

from markdown_parts import cell, fence, joined

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import BOOLEAN_NOTE, Parser
from metrics_framework.commands.command import ACTIONS, Command, find_command

HEAD = ["| flag | value | meaning |", "|---|---|---|"]
INTRODUCTION = f"""\
# Command line

The page of a command has all that its help says. `fw --help` lists the commands, `fw --version` prints the versions of
fw and Python and the kernels in use.

- Flags and other arguments may come in any order.
- {BOOLEAN_NOTE}.
- A flag that takes several values adds up when it is repeated: `--references a.txt --references b.txt` is
  `--references a.txt b.txt`. A flag that takes one value must not be repeated with another one.
- All commands have the same [exit codes](file-formats.md#exit-codes) and [environment
  variables](file-formats.md#environment-variables).

## Commands
"""
OF_METRICS = """\
## Commands of metrics

`fw METRIC evaluate` and `fw METRIC score` score with one metric. They have the flags of [fw evaluate]({evaluate}) and
[fw score]({score}) except `--metric`, `--config` and `--overrides`, and a flag for each option of the
[metric](metrics.md): `--` and the name of the option, with hyphens for underscores, such as `--case-sensitive` for
`case_sensitive`. `--no-FLAG` sets a Boolean option to false.
"""


def command_pages() -> dict[str, str]:
    """Returns the index of the command line and the pages of the commands: file name to text."""
    names = COMMANDS.names()
    return {"cli.md": _index(names), **{_file(name): _page(name) for name in names}}


def _file(name: str) -> str:
    return f"commands/{name.replace(' ', '-')}.md"


def _index(names: list[str]) -> str:
    rows = [f"| [fw {name}]({_file(name)}) | {cell(_summary(name))} |" for name in names]
    table = "\n".join(["| command | what it does |", "|---|---|", *rows, ""])
    links = {action: _file(action) for action in ACTIONS}
    return "\n".join([INTRODUCTION, table, OF_METRICS.format(**links)])


def _summary(name: str) -> str:
    entry = COMMANDS.entries[name]
    aliases = [f"`fw {other.name}`" for other in COMMANDS.entries.values() if other.alias_of == name]
    return entry.summary.replace("``", "`") + (f" Also {', '.join(aliases)}." if aliases else "")


def _page(name: str) -> str:
    parser, command, _ = find_command(name.split())
    parser.complete_help()
    parts = [f"# fw {name}\n", _with_code(parser.description or ""), fence("text", _usage(parser))]
    if parser.epilog:
        parts += ["## Examples\n", fence("text", dedent(parser.epilog.removeprefix("examples:\n")))]
    everyday = _everyday(parser, command)
    if everyday:
        parts += [f"`--help` describes {everyday}; `--help-all` describes all flags.\n"]
    for title, actions in _groups(parser):
        parts += [f"## {title[:1].upper()}{title[1:]}\n", *HEAD, *map(_row, actions), ""]
    return "\n".join(parts)


def _with_code(description: str) -> str:
    """Returns the description of a command as Markdown, in which indented paragraphs are code."""
    paragraphs = description.split("\n\n")
    return "\n".join(fence("text", dedent(part)) if part.startswith(" ") else f"{part}\n" for part in paragraphs)


def _everyday(parser: Parser, command: Command) -> str:
    """Names the flags that a short help describes, in the order of the help; empty if there is only one help."""
    short = set(getattr(command, "everyday", ()))
    return joined(_name(action) for action in parser._actions if short & set(action.option_strings))


def _usage(parser: Parser) -> str:
    if parser.usage:
        return parser.usage
    positionals = [str(action.metavar or action.dest) for action in parser._actions if not action.option_strings]
    return " ".join([parser.prog, *(word.upper() for word in positionals), "[flags]"])


def _groups(parser: Parser) -> Iterator[tuple[str, list[argparse.Action]]]:
    """Yields the groups of flags of a command, title and flags, without the flags of help."""
    for group in parser._action_groups:
        shown = [action for action in group._group_actions if action.help not in (None, argparse.SUPPRESS)]
        described = [action for action in shown if action.dest != "help"]
        if described:
            yield group.title or "", described


def _name(action: argparse.Action) -> str:
    """Returns the first long flag of an argument, else its only name."""
    flags = sorted(action.option_strings, key=lambda flag: not flag.startswith("--"))
    return flags[0] if flags else str(action.metavar or action.dest)


def _row(action: argparse.Action) -> str:
    names = joined(action.option_strings) or f"`{action.metavar or action.dest}`"
    return f"| {cell(names)} | {cell(_values(action))} | {cell((action.help or '').replace('%%', '%'))} |"


def _values(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    metavar = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or action.dest,)
    words = [str(choice) for choice in action.choices or metavar]
    if len(words) == 1 and words[0].startswith("{"):
        words = words[0].strip("{}").split(",")
    value = (" " if isinstance(action.metavar, tuple) else ", ").join(f"`{word}`" for word in words)
    return f"{value} …" if action.nargs in ("+", "*") else value
