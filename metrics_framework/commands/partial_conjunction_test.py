"""``fw partial-conjunction-test``: counts the data sets on which one metric is better than another."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.logs import Log


@Command.register("partial-conjunction-test")
class PartialConjunctionTest(Analysis):
    """Counts the data sets on which one metric is better than another.

    Reads the JSON files that fw stat-sig-test writes, one per data set. The count is a lower bound at the level of
    significance, by Bonferroni's partial conjunction p-values, and Holm's correction names the data sets.
    """

    usage = "FILE FILE …  [flags]"

    @overrides
    def examples(self) -> Sequence[str]:
        return ("fw partial-conjunction-test wmt.json asset.json --names WMT ASSET",)

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("results")
        group.add_argument("files", nargs="*", metavar="FILE", help="JSON files written by fw stat-sig-test")
        group.add_argument("--input-files", nargs="+", default=[], metavar="FILE", help="further files")
        group.add_argument(
            "--names", nargs="+", metavar="NAME", help="names of the data sets, in the order of the files"
        )
        group.add_argument(
            "--alpha", type=float, default=0.05, metavar="P", help="level of significance (default: 0.05)"
        )

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        paths = [*arguments.files, *arguments.input_files]
        if not paths:
            raise UsageError("no results; use fw partial-conjunction-test FILE FILE …")
        if arguments.names is not None and len(arguments.names) != len(paths):
            raise UsageError(f"--names must name each of the {len(paths)} files, got {len(arguments.names)} names")
        return paths

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.stat_sig_test import partial_conjunction_test

        paths = self.input_files(arguments)
        return partial_conjunction_test(
            [_read(path) for path in paths], arguments.names or paths, alpha=arguments.alpha
        )


def _read(path: str) -> dict[str, Any]:
    from metrics_framework.io.text_lines import read_lines

    try:
        found = json.loads("\n".join(read_lines(path)))
    except ValueError as error:
        raise DataError(f"expected the JSON of fw stat-sig-test: {error}", path=path) from None
    if not isinstance(found, dict) or "test_method" not in found:
        raise DataError("expected the JSON of fw stat-sig-test, which has 'test_method'", path=path)
    return found
