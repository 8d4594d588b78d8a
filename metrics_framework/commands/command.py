"""The base class of commands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from metrics_framework.commands import REGISTRY
from metrics_framework.common.registrable import Registrable

if TYPE_CHECKING:
    import argparse

    from metrics_framework.commands.arguments import Parser


class Command(Registrable, registry=REGISTRY):
    """One command of ``fw``: its flags and what it does.

    The first line of the docstring is its line in ``fw --help``, the rest its description.

    Attributes:
        usage: The usage line after the name of the command; empty to list all flags.
        everyday: The flags that ``--help`` describes, the others only ``--help-all``; empty for all flags.
        uses_plugins: Whether plug-ins can change what the command does.
        when_interrupted: The state of the outputs in the message of an interrupted run, if none is complete or begun;
            empty for commands without output files.
        keeps_files: Whether an interrupted run keeps the files that are complete, to continue with them.
    """

    usage = ""
    everyday: ClassVar[Collection[str]] = ()
    uses_plugins = True
    when_interrupted = ""
    keeps_files = False

    def examples(self) -> Sequence[str]:
        """Returns the command lines that the help ends with."""
        return ()

    @abstractmethod
    def add_arguments(self, parser: Parser) -> None:
        """Declares the arguments and flags."""

    def explain(self, words: Sequence[str]) -> None:
        """Explains arguments that cannot be parsed, if the command knows them from another program.

        Raises:
            UsageError: if it does.
        """
        return

    @abstractmethod
    def run(self, arguments: argparse.Namespace) -> int:
        """Runs the command and returns the exit code; errors are raised as `FwError`."""
