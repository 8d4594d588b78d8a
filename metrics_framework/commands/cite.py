"""``fw cite``."""

from __future__ import annotations

import argparse
import inspect

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import DataError
from metrics_framework.metrics.base.metric import Metric


@Command.register("cite")
class Cite(Command):
    """Prints the paper to cite for a metric, as BibTeX."""

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("metrics", nargs="+", metavar="METRIC", help="the metric, or several")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        citations = [_citation(name) for name in arguments.metrics]
        print("\n\n".join(dict.fromkeys(citations)))
        return 0


def _citation(name: str) -> str:
    metric = Metric.by_name(name)
    if not metric.citation:
        raise DataError(f"the metric '{name}' names no paper to cite")
    return inspect.cleandoc(metric.citation)
