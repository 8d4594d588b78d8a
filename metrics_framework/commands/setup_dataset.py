"""``fw setup-dataset``."""

from __future__ import annotations

import argparse

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.logs import Log
from metrics_framework.common.printable import printable
from metrics_framework.datasets.dataset import find_parts
from metrics_framework.datasets.set_up import set_up


@Command.register("setup-dataset")
class SetupDataset(Command):
    """Downloads a public data set and prepares its test sets for --dataset.

    The data come from the repositories of their authors and are not part of this project; their licence is printed.
    Every downloaded file is verified by its checksum.
    """

    usage = "NAME [OUT] [flags]"
    when_interrupted = "files that are complete are kept; run the same command again to continue"
    keeps_files = True

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument(
            "name", metavar="NAME", help="data set or one of its test sets (fw list datasets shows all)"
        )
        parser.add_argument(
            "folder", nargs="?", metavar="OUT", help="output folder (default: a folder in the data home, $FW_DATA)"
        )
        parser.add_argument(
            "--from-dir", metavar="DIR", help="read the files from this folder instead of downloading them"
        )
        parser.add_argument("--force", action="store_true", help="set it up again, even if it exists")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        dataset, parts = find_parts(arguments.name)
        manifest = dataset.manifest
        about = f"{manifest.name}: {manifest.description}\n{manifest.homepage}\n\nLicence: {manifest.licence}\n"
        print(printable(f"{about}\n{manifest.citation}\n", keep="\n\t"), flush=True)
        set_up(dataset, parts, arguments.folder, Log(), arguments.from_dir, arguments.force)
        return 0
