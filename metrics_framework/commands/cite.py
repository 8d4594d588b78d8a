"""``fw cite``."""

from __future__ import annotations

import argparse
from itertools import chain

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import printable
from metrics_framework.common.logs import Log
from metrics_framework.common.options import names_of
from metrics_framework.common.overriding import overrides


@Command.register("cite")
class Cite(Command):
    """Prints the papers to cite, as BibTeX.

    NAME is a metric, a coefficient, a test, a correction, a data set, or fw for this program.
    """

    usage = "NAME …"
    example_lines = ("fw cite sari kendall-b holm asset fw",)

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("names", nargs="+", metavar="NAME", help="what to cite (fw list shows names)")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        from metrics_framework.metrics.base.metric import Metric
        from metrics_framework.reports.citations import citation_of, joined

        log, citations = Log(), list[str]()
        for name in chain.from_iterable(map(names_of, arguments.names)):
            if found := citation_of(name):
                citations.append(found)
            elif name in Metric.registry().names(aliases=True):
                log.note(
                    f"the metric '{name}' has no citation; its author can add one to the class, as in citation = "
                    f'"@misc{{{name}, …}}" ({defined_at(Metric.by_name(name))})'
                )
            else:
                log.note(f"'{name}' has no citation")
        if citations:
            print(printable(joined(citations), keep="\n\t"))
        return 0
