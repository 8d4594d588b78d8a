"""``fw completion``, and the candidates that its scripts offer."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import METRIC_FLAG, Parser
from metrics_framework.commands.command import ACTIONS, Command, find_command, is_metric, second_words
from metrics_framework.common.errors import FwError
from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.datasets.dataset import known_names
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.metrics.base.metric import Metric

SHELLS = ("bash", "zsh", "fish")


@Command.register("completion")
class Completion(Command):
    """Prints a script that completes commands in a shell.

    The shell then completes commands, metrics and flags. Install it with one of::

        echo 'eval "$(fw completion bash)"' >> ~/.bashrc
        echo 'eval "$(fw completion zsh)"' >> ~/.zshrc
        fw completion fish > ~/.config/fish/completions/fw.fish
    """

    usage = "|".join(SHELLS)
    uses_plugins = False

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("shell", choices=SHELLS, help="shell to write the script for")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        with open(f"{os.path.splitext(__file__)[0]}.{arguments.shell}", encoding="utf-8") as script:
            print(script.read(), end="")
        return 0


_NAMES: Mapping[str, Callable[[], list[str]]] = {
    "--dataset-reader": DatasetReader.registry().names,
    "--dataset": known_names,
    "--profile": Profile.registry().names,
    **dict.fromkeys(METRIC_FLAG, Metric.registry().names),
}
"""The flags whose values are names, and what returns these."""


def candidates(before: Sequence[str], start: str) -> list[str]:
    """Returns the words that could complete a command line.

    Args:
        before: The arguments before the unfinished word.
        start: The unfinished word.
    """
    flag = before[-1].replace("_", "-") if before else ""
    if list(before) in (["setup", "dataset"], ["setup-dataset"]):
        flag = "--dataset"
    elif before and before[0] == "cite" and start[:1] != "-":
        flag = "--metric"
    try:
        if not before:
            words = [*dict.fromkeys(name.partition(" ")[0] for name in COMMANDS.names())]
            words += [*Metric.registry().names(), "--help", "--version"]
        elif len(before) == 1 and (second_words(before[0]) or is_metric(before[0])):
            words = second_words(before[0]) or [*ACTIONS, "--help"]
        elif flag in _NAMES:
            words = _NAMES[flag]()
        elif start[:1] != "-" and before[0] == "list" and len(before) > 1:
            words = _listed(before[1])
        else:
            words = _words_of(find_command(before)[0], before[-1], start)
    except FwError:
        return []
    return [word for word in words if word.startswith(start)]


def _listed(what: str) -> list[str]:
    """Returns the names of which ``fw list`` shows the options."""
    from metrics_framework.commands.listings import LISTINGS  # which the other completions do not need

    return LISTINGS[what].registry.names() if what in LISTINGS else []


def _words_of(parser: Parser, last: str, start: str) -> list[str]:
    """Returns the values of the preceding flag, or all flags; nothing for file names, which the shell completes."""
    for action in parser._actions:
        if last in action.option_strings and action.nargs != 0 and not start.startswith("-"):
            return parser.choices_of(action)
    if start.startswith("-"):
        return [flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")]
    return [str(word) for action in parser._actions if not action.option_strings for word in action.choices or ()]
