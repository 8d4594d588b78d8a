"""``fw cite``."""

from __future__ import annotations

import argparse
from itertools import chain

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import BIBTEX_MARK, FORCE_HELP, check_ending, refuse_overwriting
from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import printable
from metrics_framework.common.logs import Log
from metrics_framework.common.options import names_of
from metrics_framework.common.overriding import overrides
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_files


@Command.register("cite")
class Cite(Command):
    """Prints the papers to cite, as BibTeX.

    NAME is a metric, a coefficient, a test, a correction, a data set, fw for this program, or a file of --paper, such
    as paper.tex, for all that it cites.
    """

    usage = "NAME … [-o FILE.bib]"
    example_lines = ("fw cite sari kendall-b holm asset fw", "fw cite paper.tex -o refs.bib")

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("names", nargs="+", metavar="NAME", help="what to cite (fw list shows names)")
        help_text = "write a file, such as refs.bib, instead of printing the entries"
        parser.add_argument("-o", "--output", metavar="FILE", help=help_text)
        parser.add_argument("--force", action="store_true", help=FORCE_HELP)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        from metrics_framework.metrics.base.metric import Metric
        from metrics_framework.reports.citations import citation_of, joined, sealed

        log, citations = Log(), list[str]()
        names = [*chain.from_iterable(map(names_of, arguments.names))]
        for name in names:
            if found := citation_of(name):
                citations.append(found)
            elif name in Metric.registry().names(aliases=True):
                log.note(
                    f"the metric '{name}' has no citation; its author can add one to the class, as in citation = "
                    f'"@misc{{{name}, …}}" ({defined_at(Metric.by_name(name))})'
                )
            else:
                log.note(f"'{name}' has no citation")
        text = printable(joined(citations), keep="\n\t")
        if citations and arguments.output in (None, STANDARD):
            print(text)
        elif citations:
            check_ending("--output", arguments.output, (".bib",))
            refuse_overwriting([arguments.output], [], force=arguments.force)
            with output_files() as opened:
                opened.open(arguments.output).write(sealed(f"{BIBTEX_MARK}{' '.join(names)}\n\n{text}"))
            log.note(f"wrote the entries to {arguments.output}")
        return 0
