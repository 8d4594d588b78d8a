"""``fw cite``."""

from __future__ import annotations

import argparse
import inspect

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import printable
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.metrics.base.metric import Metric


@Command.register("cite")
class Cite(Command):
    """Prints the papers to cite for metrics, as BibTeX."""

    usage = "METRIC …"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("metrics", nargs="+", metavar="METRIC", help="name of a metric (fw list metrics shows all)")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        log = Log()
        citations: dict[str, None] = {}  # ordered and without duplicates
        for name in arguments.metrics:
            metric = Metric.by_name(name)
            if not metric.citation:
                log.note(
                    f"the metric '{name}' has no citation; its author can add one to the class, as in citation = "
                    f'"@misc{{{name}, …}}" ({defined_at(metric)})'
                )
                continue
            citations[inspect.cleandoc(metric.citation)] = None
        if citations:
            print(printable("\n\n".join(citations), keep="\n\t"))
        return 0
