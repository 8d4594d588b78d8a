"""The base of all commands of ``fw``."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from metrics_framework.commands import REGISTRY
from metrics_framework.common.registrable import Registrable

if TYPE_CHECKING:
    import argparse

    from metrics_framework.commands.arguments import Parser


class Command(Registrable, registry=REGISTRY):
    """One command of ``fw``: its flags and what it does.

    The first line of the docstring is its help text, the rest its description.

    Attributes:
        takes_plugins: Whether plug-ins can make a difference to it.
        usage: What stands behind the command in the line of usage; empty for the list of all flags.
        when_ended: What is left behind when a person or the system ends the command before it is done,
            unless it had begun to write data to standard output.
    """

    usage = ""
    when_ended = "nothing was written"
    takes_plugins = True

    @abstractmethod
    def add_arguments(self, parser: Parser) -> None:
        """Declares the flags."""

    @abstractmethod
    def run(self, arguments: argparse.Namespace) -> int:
        """Does the work and returns the exit code; errors are raised as `FwError`."""
