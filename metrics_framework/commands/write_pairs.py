"""``fw write pairs``."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence

from metrics_framework.alignment.pharaoh import SEPARATOR, pair_line
from metrics_framework.commands.arguments import Parser, add_log_arguments
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import FORCE_HELP, refuse_overwriting
from metrics_framework.commands.run_arguments import INPUT_USAGE, add_input_arguments, reader_and_files
from metrics_framework.common.errors import DataError, counted
from metrics_framework.common.logs import Log
from metrics_framework.common.options import options_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import as_string, shown
from metrics_framework.evaluation.checked_input import InputSummary, checked_batches
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import open_for_writing, output_path
from metrics_framework.metrics.base.metric import Metric, labelled
from metrics_framework.metrics.transformations import Transformations

_OPTIONS = ("tokenizer", "lowercase")


@Command.register("write pairs", "write-pairs")
class WritePairs(Command):
    """Writes text pairs for a word aligner.

    Pairs each source with its summaries and references. Every distinct pair is one line of words, source ||| target,
    tokenized as the metric transformations does. Word aligners such as fast_align, eflomal and awesome-align read this
    file and write one line of alignments for each pair; the aligner pharaoh reads both files:

      fw write pairs pairs.txt --input-files outputs.jsonl
      fast_align -i pairs.txt -d -o -v > alignments.txt
      fw transformations evaluate --input-files outputs.jsonl \\
        --aligner pharaoh:pairs=pairs.txt,alignments=alignments.txt

    A pair with an empty text is left out.
    """

    usage = f"PAIRS.txt {INPUT_USAGE}"
    when_interrupted = "nothing was written"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        add_input_arguments(parser)
        group = parser.add_argument_group("output")
        group.add_argument("pairs", metavar="PAIRS", help="text file for the pairs; - is standard output")
        group.add_argument("--force", action="store_true", help=FORCE_HELP)
        group = parser.add_argument_group("options of transformations")
        run = parser.add_argument_group("run")
        add_log_arguments(run, has_log_file=False)
        options = [option for option in options_of(Transformations, Metric) if option.name in _OPTIONS]
        parser.add_options(group, options, "transformations")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        reader, files, others = reader_and_files(arguments, {})
        arguments.pairs = output_path(arguments.pairs)
        refuse_overwriting([arguments.pairs], [*files, *others, *reader.files_read()], force=arguments.force)
        metric = Transformations(**arguments.options)
        summary, written = InputSummary(), set[bytes]()
        with Log(arguments.strict, arguments.silent) as log, open_for_writing(arguments.pairs) as stream:
            for batch in checked_batches(reader, files, labelled([metric]), summary, arguments.duplicates):
                for instance in batch.instances:
                    for line in _pairs(metric, instance):
                        digest = hashlib.blake2b(line.encode("utf-8"), digest_size=16).digest()
                        if digest not in written:
                            written.add(digest)
                            stream.write(f"{line}\n")
            summary.warn(log)
        if arguments.pairs != STANDARD:
            outputs = counted(sum(summary.outputs.values()), "output")
            log.note(f"wrote {counted(len(written), 'pair')} of {outputs} to {arguments.pairs}")
        return 0


def _pairs(metric: Transformations, instance: EvalInstance) -> Iterator[str]:
    """Yields the pairs of one output that have words on both sides.

    Raises:
        DataError: if a file of pairs cannot contain a text.
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
    problem = ""
    if SEPARATOR in words:
        problem = f"contains {SEPARATOR}, which separates the texts of a pair"
    elif any("\ud800" <= character <= "\udfff" for character in line):
        problem = "contains a lone surrogate, which UTF-8 cannot encode"
    if problem:
        raise DataError(f"{shown(line)} {problem}, so a file of pairs cannot contain it", instance.path, instance.line)
    return words
