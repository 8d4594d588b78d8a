"""``fw setup dataset``."""

from __future__ import annotations

import argparse
import os
import sys

from metrics_framework.commands.arguments import Flag, Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError, printable
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.catalogue import catalogued_parts, is_catalogued
from metrics_framework.datasets.dataset import find_parts, is_name
from metrics_framework.datasets.set_up import set_up
from metrics_framework.datasets.test_sets import lines_of, path_in, path_of


class SetupFlags:
    """Flags of what is set up, and from where.

    Args:
        pair: The language pair of a test set of sacreBLEU (default: all).
        from_dir: Read the files from this folder instead of downloading them.
        force: Set it up again, even if it exists.
        echo: Print fields of a test set, separated by tabs: src, ref, ref:0, … or metadata such as docid; all.
    """

    pair = Flag(metavar="PAIR")
    from_dir = Flag(metavar="DIR")
    force = Flag(action="store_true")
    echo = Flag(nargs="+", metavar="FIELD")


@Command.register("setup dataset", "setup-dataset")
class SetupDataset(Command):
    """Downloads a public data set for --dataset.

    The data come from the repositories of their authors and are not part of this project; their licence is printed.
    Every downloaded file is verified by its checksum. Test sets of sacreBLEU (fw list test-sets) need sacreBLEU, and a
    language pair: fw setup dataset wmt24 --pair en-de.
    """

    usage = "NAME [OUT] [flags]"
    when_interrupted = "files that are complete are kept; run the same command again to continue"
    keeps_files = True

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument(
            "name",
            metavar="NAME",
            help="data set or one of its test sets (fw list datasets and fw list test-sets show all)",
        )
        folder = "output folder (default: a folder in the data home, $FW_DATA)"
        parser.add_argument("folder", nargs="?", metavar="OUT", help=folder)
        parser.add_flags(parser, SetupFlags)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        name, pair = arguments.name, arguments.pair
        is_own = pair is None and (is_name(name) or not is_catalogued(name))  # else it is of sacreBLEU
        dataset, parts = find_parts(name) if is_own else catalogued_parts(name, pair)
        if arguments.echo and len(parts) > 1:
            names = ", ".join(part.name for part in parts)
            raise UsageError(
                f"--echo prints one test set, but '{arguments.name}' has several; name one of them: {names}"
            )
        if not arguments.echo:
            manifest = dataset.manifest
            about = f"{manifest.name}: {manifest.description}\n{manifest.homepage}\n\nLicence: {manifest.licence}\n"
            print(printable(f"{about}\n{manifest.citation}\n", keep="\n\t"), flush=True)
        path = path_of(dataset, parts[0]) if arguments.folder is None else path_in(arguments.folder, parts[0])
        if not (arguments.echo and os.path.isfile(path) and not arguments.force):
            set_up(dataset, parts, arguments.folder, Log(), arguments.from_dir, arguments.force)
        for line in lines_of(path, arguments.echo) if arguments.echo else ():
            sys.stdout.write(f"{line}\n")
        return 0
