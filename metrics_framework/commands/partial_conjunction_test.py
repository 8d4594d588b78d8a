"""``fw partial-conjunction-test``: counts the data sets on which one metric is better than another."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.commands.analysis import Analysis, InputFiles, Printable
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import check_format


@Command.register("partial-conjunction-test")
class PartialConjunctionTest(Analysis):
    """Counts the data sets on which a metric is better.

    Reads the JSON files that fw stat-sig-test writes, one per data set. The count is a lower bound at the level of
    significance, by Bonferroni's partial conjunction p-values, and Holm's correction names the data sets.
    """

    function_name = "partial_conjunction_test"
    example_lines = ("fw partial-conjunction-test wmt.json asset.json --names WMT ASSET",)
    usage = "FILE FILE …  [flags]"
    inputs = InputFiles("FILE", "JSON files written by fw stat-sig-test", missing="results", distinct=False)
    groups: ClassVar[Mapping[str, Sequence[str]]] = {"results": ("names", "alpha")}
    set_otherwise = ("tests",)

    @overrides
    def check(self, arguments: argparse.Namespace) -> None:
        names = self.value(arguments, "names")
        if names is not None and len(names) != len(arguments.files):
            raise UsageError(f"--names must name each of the {len(arguments.files)} files, got {len(names)} names")

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        tests = [_read(path) for path in arguments.files]
        return self.function()(tests, **{"names": arguments.files, **arguments.options})


def _read(path: str) -> dict[str, Any]:
    from metrics_framework.io.reading import read_lines

    try:
        found = json.loads("\n".join(read_lines(path)))
    except ValueError as error:
        raise DataError(f"expected the JSON of fw stat-sig-test: {error}", path=path) from None
    if not isinstance(found, dict) or "test_method" not in found:
        raise DataError("expected the JSON of fw stat-sig-test, which has 'test_method'", path=path)
    check_format(found, "fw stat-sig-test", path)
    return found
