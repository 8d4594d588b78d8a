"""The base class of commands; and how the requested one is found, and its parser built."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.common.errors import UnknownNameError, UsageError, called, say_taken
from metrics_framework.common.plugins import PLUGINS_FLAG, failures
from metrics_framework.common.registrable import Registrable
from metrics_framework.metrics import REGISTRY as METRICS

if TYPE_CHECKING:
    import argparse

    from metrics_framework.commands.arguments import Parser


class Command(Registrable, registry=COMMANDS):
    """One command of ``fw``: its flags and what it does.

    The first line of the docstring is its line in ``fw --help``, the rest its description.

    Attributes:
        usage: The usage line after the name of the command; empty to list all flags.
        everyday: The flags that ``--help`` describes, the others only ``--help-all``; empty for all flags.
        uses_plugins: Whether plug-ins can change what the command does.
        when_interrupted: The state of the outputs in the message of an interrupted run, if none is complete or begun;
            empty for commands without output files.
        keeps_files: Whether an interrupted run keeps the files that are complete, to continue with them.
        example_lines: The command lines that the help ends with.
    """

    usage = ""
    everyday: ClassVar[Collection[str]] = ()
    uses_plugins = True
    when_interrupted = ""
    keeps_files = False
    example_lines: ClassVar[Sequence[str]] = ()

    def examples(self) -> Sequence[str]:
        """Returns `example_lines`, or those of the metric of the command."""
        return self.example_lines

    @abstractmethod
    def add_arguments(self, parser: Parser) -> None:
        """Declares the arguments and flags."""

    @abstractmethod
    def run(self, arguments: argparse.Namespace) -> int:
        """Runs the command and returns the exit code; errors are raised as `FwError`."""


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
    from metrics_framework.commands.arguments import METRIC_FLAG, Parser

    name = arguments[0]
    commands = COMMANDS.names(aliases=True)
    length = 2 if " ".join(arguments[:2]) in commands else 1
    if not (length == 2 or name in commands or name in METRICS.names(aliases=True)):
        if is_sacrebleu(arguments):
            has_metrics = not {*METRIC_FLAG, "--profile", "--config"}.isdisjoint(arguments)
            found = find_command(["evaluate", *arguments, *(() if has_metrics else ("--metric", "bleu"))])
            found[0].set_defaults(as_sacrebleu=True)
            found[0].read_as("--format", "-f")
            return found
        known = COMMANDS.spelled(name) or METRICS.spelled(name) or _meant(name)
        if not known or os.path.exists(name):
            raise _unknown(name, arguments)
        say_taken(name, f"fw {known}")
        return find_command([known, *arguments[1:]])
    command: Command
    words = list(arguments[length:])
    if length == 2 or name in commands:
        command = COMMANDS.get(" ".join(arguments[:length]))()
        program, docstring = f"fw {command.registered_name}", type(command).__doc__
    else:
        metric = METRICS.get(name)
        action = words.pop(0) if words else ""
        # as in fw bleu -i OUTPUT -r REFERENCE
        if words and action not in ACTIONS and (action.startswith("-") or os.path.isfile(action)):
            words, action = [action, *words], ACTIONS[0]
            say_taken(f"fw {name}", f"fw {name} {action}")
        if action not in ACTIONS:
            problem = f"unknown action '{action}' for the metric" if action else "missing action for the metric"
            raise UsageError(
                f"{problem} '{name}': use fw {name} evaluate or fw {name} score", f"fw: see fw {name} --help"
            )
        command = COMMANDS.get(action)(name, metric)
        # the metric again after -m, as in fw bleu evaluate -m bleu
        own = {index for index, pair in enumerate(pairwise(words)) if pair[0] in METRIC_FLAG and pair[1] == name}
        words = [word for index, word in enumerate(words) if index not in own and index - 1 not in own]
        program, docstring = f"fw {name} {action}", metric.__doc__
    parser = Parser(program, f"{program} {command.usage}" if command.usage else None, docstring, command.examples)
    parser.everyday = frozenset(command.everyday)
    command.add_arguments(parser)
    if command.uses_plugins:  # the flag is read before the parser is built, so that the help includes plug-ins
        group = parser.add_argument_group("plug-ins")
        group.add_argument(PLUGINS_FLAG, nargs="+", metavar="PACKAGE", help="plug-ins to import: packages or .py files")
    return parser, command, words


def _meant(name: str) -> str:
    """Returns the metric that a name of other programs means, if it has no options."""
    from metrics_framework.metrics.base.other_metrics import meant  # only for other names

    return meant(name) if ":" not in meant(name) else ""


def is_sacrebleu(arguments: Sequence[str]) -> bool:
    """Returns whether arguments are those of sacreBLEU: references or ``-t``, and outputs by a flag or a pipe."""
    from metrics_framework.commands.run_arguments import RESULT_ENDINGS, standard_input_has_data

    if not (os.path.isfile(arguments[0]) or arguments[0] in ("-t", "--test-set")):
        return False
    is_text = not arguments[0].endswith((*RESULT_ENDINGS, ".csv", ".tsv"))
    return not _OUTPUT_FLAGS.isdisjoint(arguments) or (is_text and standard_input_has_data())


def _unknown(name: str, arguments: Sequence[str]) -> UsageError | UnknownNameError:
    """Returns the error for a first word that is neither a command nor a metric."""
    if not _OUTPUT_FLAGS.isdisjoint(arguments) and not {".", "/", os.sep}.isdisjoint(name):  # no misspelt name
        return UsageError(f"'{name}' is neither a command, nor a metric, nor a file of references that exists")
    following = second_words(name)
    if following:
        needed = " or ".join(f"fw {name} {word}" for word in following)
        return UsageError(f"'{name}' is only half of a command: use {needed}", "fw: see fw --help")
    if os.path.isfile(name) and not name.endswith(".py"):  # which may be a plug-in
        from metrics_framework.commands.run_arguments import command_of_files

        files = [word for word in arguments if os.path.isfile(word)]
        others = [word for word in arguments if word not in files] or ["--metric", "bleu"]
        command = command_of_files(" ".join(["fw evaluate", *others]), files)
        return UsageError(f"'{name}' is a file, not a command; {command}")
    listed_by, answer = "fw --help and fw list metrics", METRICS.answer(name)
    if command := called("commands", name.lower()):
        answer = f"did you mean fw {command}?"
    known = [*COMMANDS.names(), *METRICS.names()]
    return UnknownNameError("command or metric", name, known, failures(), answer=answer, listed_by=listed_by)
