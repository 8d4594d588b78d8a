"""``fw setup-dataset``."""

from __future__ import annotations

import argparse

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.logs import Log
from metrics_framework.datasets.dataset import find_parts
from metrics_framework.datasets.manifest import Manifest
from metrics_framework.datasets.set_up import set_up


@Command.register("setup-dataset")
class SetupDataset(Command):
    """Downloads a public data set and makes test sets of it for --dataset.

    Nothing of the data sets is in this project: they come from the repositories of their authors, each under its own
    licence, which is printed. What was downloaded is checked against known sums.
    """

    when_ended = "files that are complete are kept; run the same command again to continue"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("name", metavar="NAME", help="a data set, or one of its test sets (fw list datasets)")
        parser.add_argument(
            "folder", nargs="?", metavar="OUT", help="the folder to put it into (default: in the data home, FW_DATA)"
        )
        parser.add_argument("--from-dir", metavar="DIR", help="take the files from this folder, not from the network")
        parser.add_argument("--force", action="store_true", help="make it anew if it is there already")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        dataset, parts = find_parts(arguments.name)
        print(notice(dataset.manifest), flush=True)
        set_up(dataset, parts, arguments.folder, Log(), arguments.from_dir, arguments.force)
        return 0


def notice(manifest: Manifest) -> str:
    """Writes what a person is to know of a data set before using it."""
    return "\n\n".join(
        [
            f"{manifest.name}: {manifest.description}\n{manifest.homepage}",
            f"Licence: {manifest.licence}",
            f"{manifest.citation}\n",
        ]
    )
