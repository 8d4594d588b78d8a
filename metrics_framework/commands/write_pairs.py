"""``fw write-pairs``."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence

from overrides import overrides

from metrics_framework.alignment.pharaoh import SEPARATOR, pair_line
from metrics_framework.commands.arguments import Parser, add_options, add_plugin_flag, chosen_options
from metrics_framework.commands.command import Command
from metrics_framework.commands.inputs import reader_and_files
from metrics_framework.commands.paths import refuse_overwriting
from metrics_framework.commands.scoring import INPUT_USAGE, ScoringCommand
from metrics_framework.common.construct import options_of
from metrics_framework.common.errors import DataError
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import as_string, shown
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import checked_batches
from metrics_framework.io.streams import STANDARD, open_for_writing
from metrics_framework.metrics.base.labelled_metric import labelled
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.transformations import Transformations

OPTIONS = ("tokenizer", "lowercase")


@Command.register("write-pairs")
class WritePairs(Command):
    """Writes what a word aligner is to align: each source with its summaries and references.

    One line for each different pair, in words as the metric transformations has them: source ||| summary, and
    source ||| reference. fast_align, eflomal and awesome-align read such a file and write one of alignments, line by
    line; the aligner pharaoh takes both:

      fw write-pairs pairs.txt --input-files outputs.jsonl
      fast_align -i pairs.txt -d -o -v > alignments.txt
      fw transformations evaluate --aligner pharaoh:pairs=pairs.txt,alignments=alignments.txt \\
        --input-files outputs.jsonl

    A text without words makes no pair.
    """

    usage = f"PAIRS.txt {INPUT_USAGE}"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        ScoringCommand.add_input(parser)
        group = parser.add_argument_group("output")
        group.add_argument("pairs", metavar="PAIRS", help="the file of pairs; - is standard output")
        group = parser.add_argument_group("words, as the metric transformations has them")
        run = parser.add_argument_group("run")
        run.add_argument("--strict", action="store_true", help="make every warning an error")
        run.add_argument("--silent", action="store_true", help="print no notes and warnings")
        add_plugin_flag(parser)
        options = [option for option in options_of(Transformations, Metric) if option.name in OPTIONS]
        add_options(parser, group, options, "transformations")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        reader, files, others = reader_and_files(arguments, {})
        refuse_overwriting([arguments.pairs], [*files, *others])
        metric = Transformations(**chosen_options(arguments))
        seen, written = InputSummary(), set[bytes]()
        with Log(arguments.strict, arguments.silent) as log, open_for_writing(arguments.pairs) as stream:
            for batch in checked_batches(reader, files, labelled([metric]), seen, arguments.duplicates):
                for instance in batch.instances:
                    for line in _pairs(metric, instance):
                        digest = hashlib.blake2b(line.encode("utf-8"), digest_size=16).digest()
                        if digest not in written:
                            written.add(digest)
                            stream.write(f"{line}\n")
            seen.warn(log)
        if arguments.pairs != STANDARD:
            log.note(f"wrote {len(written)} pairs of {sum(seen.outputs.values())} outputs to {arguments.pairs}")
        return 0


def _pairs(metric: Transformations, instance: EvalInstance) -> Iterator[str]:
    """Gives the pairs of one output that have words on both sides.

    Raises:
        DataError: if a text cannot stand in a file of pairs.
    """
    fields = instance.fields
    source = _words(metric, fields["source"], instance)
    for text in (fields["summary"], *fields["references"]):
        target = _words(metric, text, instance)
        if source and target:
            yield pair_line(source, target)


def _words(metric: Transformations, text: str | Sequence[str], instance: EvalInstance) -> list[str]:
    words = metric.words(as_string(text))
    line = " ".join(words)
    wrong = ""
    if SEPARATOR in words:
        wrong = f"the word {SEPARATOR}, which stands between the texts of a pair"
    elif any("\ud800" <= character <= "\udfff" for character in line):
        wrong = "a lone surrogate, which UTF-8 cannot carry"
    if wrong:
        raise DataError(
            f"has {wrong}, so that no file of pairs can hold it: {shown(line)}", instance.path, instance.line
        )
    return words
