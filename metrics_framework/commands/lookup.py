"""Finds the requested command of ``fw``, and builds its parser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.common.plugins import PLUGINS_FLAG as PLUGIN_FLAG
from metrics_framework.common.plugins import failures
from metrics_framework.metrics import REGISTRY as METRICS

if TYPE_CHECKING:
    from metrics_framework.commands.arguments import Parser
    from metrics_framework.commands.command import Command

METRIC_FLAG = ("-m", "--metric", "--metrics")
"""The flag of metrics in commands that score several."""
ACTIONS = ("evaluate", "score")
"""The commands that may follow the name of a metric."""
_OUTPUT_FLAGS = {"-i", "--input", "--outputs"}


def is_metric(name: str) -> bool:
    """Returns whether a name is the name of a metric; a command with this name takes precedence."""
    return name in METRICS.names(aliases=True) and name not in COMMANDS.names(aliases=True)


def second_words(name: str) -> list[str]:
    """Returns the words that may follow the first word of commands with two; none for other words.

    >>> second_words("setup"), second_words("evaluate")
    (['dataset', 'metric'], [])
    """
    return [command.partition(" ")[2] for command in COMMANDS.names() if command.startswith(f"{name} ")]


def find_command(arguments: Sequence[str]) -> tuple[Parser, Command, list[str]]:
    """Finds the requested command.

    Returns:
        The parser of the command, the command, and the arguments that remain to be parsed.

    Raises:
        UnknownNameError: if there is neither a command nor a metric of that name.
        UsageError: if a metric is not followed by an action, or the first word of a command not by its second.
    """
    name = arguments[0]
    commands = COMMANDS.names(aliases=True)
    length = 2 if " ".join(arguments[:2]) in commands else 1
    if length == 2 or name in commands:
        return _found(" ".join(arguments[:length]), arguments[length:])
    if name not in METRICS.names(aliases=True):
        if not _OUTPUT_FLAGS.isdisjoint(arguments):  # as in: sacrebleu REFERENCE -i OUTPUT
            if os.path.isfile(name):
                return find_command(["evaluate", *arguments])
            if not {".", "/", os.sep}.isdisjoint(name):  # others are rather misspelt names
                raise UsageError(f"'{name}' is neither a command, nor a metric, nor a file of references that exists")
        following = second_words(name)
        if following:
            needed = " or ".join(f"fw {name} {word}" for word in following)
            raise UsageError(f"'{name}' is only half of a command: use {needed}", "fw: see fw --help")
        known = [*COMMANDS.names(), *METRICS.names()]
        raise UnknownNameError("command or metric", name, known, failures(), answer=METRICS.answer(name))
    metric = METRICS.get(name)
    action = arguments[1] if len(arguments) > 1 else ""
    if action not in ACTIONS:
        problem = f"unknown action '{action}' for the metric" if action else "missing action for the metric"
        raise UsageError(f"{problem} '{name}': use fw {name} evaluate or fw {name} score", f"fw: see fw {name} --help")
    command: Command = COMMANDS.get(action)(name, metric)
    words = list(arguments[2:])
    if not set(METRIC_FLAG).isdisjoint(words):
        words = _without_own_name(words, name)
    return _parser_of(command, f"fw {name} {action}", metric.__doc__), command, words


def _found(name: str, words: Sequence[str]) -> tuple[Parser, Command, list[str]]:
    command_class = COMMANDS.get(name)
    command: Command = command_class()
    return _parser_of(command, f"fw {command.registered_name}", command_class.__doc__), command, list(words)


def _without_own_name(words: Sequence[str], metric: str) -> list[str]:
    """Removes ``-m METRIC`` from the arguments of the metric's own command, as in ``fw bleu evaluate -m bleu``."""
    own = {index for index, pair in enumerate(pairwise(words)) if pair[0] in METRIC_FLAG and pair[1] == metric}
    return [word for index, word in enumerate(words) if index not in own and index - 1 not in own]


def _parser_of(command: Command, program: str, docstring: str | None) -> Parser:
    from metrics_framework.commands.arguments import Parser

    usage = f"{program} {command.usage}" if command.usage else None
    parser = Parser(program, usage, docstring, command.examples)
    parser.everyday = frozenset(command.everyday)
    command.add_arguments(parser)
    if command.uses_plugins:  # the flag is read before the parser is built, so that the help includes plug-ins
        group = parser.add_argument_group("plug-ins")
        group.add_argument(PLUGIN_FLAG, nargs="+", metavar="PACKAGE", help="plug-ins to import: packages or .py files")
    return parser
