"""``fw visualize``: shows the arithmetic of a score on the texts, as an HTML file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.analysis import PAGE
from metrics_framework.commands.arguments import NAMES, Flag, Parser, add_log_arguments
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import FORCE_HELP, check_ending, refuse_overwriting
from metrics_framework.commands.run_arguments import INPUT_USAGE, add_input_arguments, reader_and_files, take_systems
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.io.locations import size_of
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import open_for_writing, output_path

if TYPE_CHECKING:
    from metrics_framework.api.visualize import Visualization
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader

PYRAMID, ROUGE = "pyramid", "rouge"
KINDS = (PYRAMID, ROUGE)
MEASURES = ("1", "2", "3", "4", "l")
_DUCVIEW = (".pyr", ".pan")


class PageFlags:
    """Flags of what the page shows.

    Args:
        instances: The inputs to show, by their instance_id (default: all).
        measure: rouge: measure that is shown first.
        title: The heading of the page.
    """

    instances = Flag(**NAMES, metavar="ID")
    measure = Flag(choices=MEASURES, default=MEASURES[0])
    title = Flag(metavar="TEXT")


@Command.register("visualize")
class Visualize(Command):
    """Shows the arithmetic of a score, marked on the texts.

    Writes one HTML page that works offline. ``pyramid`` shows the content units of pyramids in tiers, marks their
    contributors in every summary, and computes the score of the chosen summary. Its input files are pyramids and
    annotations, as for pyramid-score.

    ``rouge`` shows a summary beside a reference, marks the n-grams that they share, and computes the scores of the
    metric rouge from the clipped counts. The page can switch measures, stemming and stop words.
    """

    example_lines = (
        "fw visualize pyramid page.html \\\n    --input-files pyramids.jsonl annotations.jsonl",
        "fw visualize rouge page.html --outputs a.txt b.txt --references r.*.txt",
    )
    usage = f"{'|'.join(KINDS)} OUT.html {INPUT_USAGE}"
    when_interrupted = "nothing was written"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("kind", choices=KINDS, metavar="|".join(KINDS), help="what to show")
        parser.add_argument("output_html", metavar="OUT.html", help="HTML file for the page; - is standard output")
        add_input_arguments(parser)
        group = parser.add_argument_group("page")
        parser.add_flags(group, PageFlags)
        group.add_argument("--force", action="store_true", help=FORCE_HELP)
        add_log_arguments(group)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        path = output_path(arguments.output_html)
        check_ending("the page", path, PAGE.endings)
        if arguments.kind == PYRAMID and arguments.dataset_reader is None:
            is_ducview = (arguments.input_files or [""])[0].lower().endswith(_DUCVIEW)
            arguments.dataset_reader = "ducview" if is_ducview else "pyramid-based"
        take_systems(arguments)
        reader, files, others = reader_and_files(arguments, {})
        inputs = [*files, *others, *reader.files_read()]
        refuse_overwriting([path], inputs, force=arguments.force, log_file=arguments.log_file)
        with Log(arguments.strict, arguments.silent, arguments.log_file, checks=not arguments.no_checks) as log:
            with open_for_writing(path) as stream:
                stream.write(self._page(arguments, reader, files, log).html)
            if path != STANDARD:
                log.note(f"wrote the page to {path} ({(size_of(path) or 0) / 1e6:.2f} MB)")
        return 0

    def _page(
        self, arguments: argparse.Namespace, reader: DatasetReader, files: Sequence[str], log: Log
    ) -> Visualization:
        from metrics_framework.api.visualize import PYRAMID_TITLE, ROUGE_TITLE, visualize_pyramid, visualize_rouge

        chosen: dict[str, Any] = {
            "reader": reader,
            "instances": arguments.instances,
            "systems": arguments.systems,
            "duplicates": arguments.duplicates,
            "log": log,
        }
        if arguments.kind == PYRAMID:
            return visualize_pyramid(files, title=arguments.title or PYRAMID_TITLE, **chosen)
        title = arguments.title or ROUGE_TITLE
        return visualize_rouge(files=files, measure=arguments.measure, title=title, **chosen)
