"""``fw correlate``: correlates metrics with human ratings, or with each other."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence_arguments import CONFIDENCE, LEVEL_VALUE, chosen_level
from metrics_framework.commands.earlier_results import FORCE_HELP, refuse_foreign_files
from metrics_framework.commands.flag_values import is_level
from metrics_framework.commands.output_paths import refuse_overwriting
from metrics_framework.commands.table_files import FORMAT_HELP, OUTPUT_HELP, format_of_file
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.io.streams import (
    STANDARD,
    output_files,
    output_path,
    print_result,
    standard_output,
    uncompressed_name,
)
from metrics_framework.meta_evaluation.settings import (
    DUPLICATES,
    INTERVAL_METHODS,
    LEVELS,
    SUMMARIZER_FILTERS,
    IntervalSettings,
)
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat

if TYPE_CHECKING:
    from metrics_framework.api.correlations import CorrelationResult
    from metrics_framework.meta_evaluation.correlation.result import Correlation


@Command.register("correlate")
class Correlate(Command):
    """Correlates metrics with human ratings, or with each other, at input, system and global level.

    Reads files of scores (JSONL, written by fw score) and tables of ratings (.csv, .tsv), joins them by input and
    system, and computes Pearson's r, Spearman's rho and Kendall's tau-b with confidence intervals.
    """

    usage = "FILE … --metrics A B | --metric A … --human H  [flags]"
    when_interrupted = "nothing was written"

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw correlate scores.jsonl human.csv --metrics sari simplicity",
            "fw correlate scores.jsonl human.csv --metric sari --metric bleu \\\n"
            "    --human simplicity --confidence 99 --output-file correlations.json",
        )

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        _add_data_arguments(parser)
        _add_interval_arguments(parser)
        _add_output_arguments(parser)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        if arguments.output_file is None and arguments.plot is None and arguments.output is None:
            standard_output()  # fails before the work if it is closed
        with Log(strict=arguments.strict, silent=arguments.silent, file=arguments.log_file) as log:
            _run(arguments, log)
        return 0


def _add_data_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("scores and ratings")
    group.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="files of scores and tables of ratings, also as .gz or .zst; - is standard input",
    )
    group.add_argument("--metrics-jsonl-files", nargs="+", default=[], metavar="FILE", help="further files")
    group.add_argument(
        "--metrics",
        nargs=2,
        metavar=("A", "B"),
        help="two scores to correlate, such as sari or rouge-1_precision; repeat for several pairs",
    )
    group.add_argument(
        "--metric", action="append", default=[], metavar="A", help="score to correlate with --human; repeat for several"
    )
    group.add_argument(
        "--human",
        action="append",
        default=[],
        metavar="H",
        help="human rating that every --metric is correlated with; repeat for several",
    )
    group.add_argument(
        "--summarizer-type",
        choices=SUMMARIZER_FILTERS,
        default="peer",
        help="whose outputs to correlate: systems (peer), human references, or all (default: peer)",
    )
    group.add_argument(
        "--duplicates",
        choices=DUPLICATES,
        default="error",
        help="what to do if a file has several rows for one output (default: error)",
    )
    for level, *flags in (
        ("input", "--skip-input-level", "--skip-summary-level"),
        ("system", "--skip-system-level"),
        ("global", "--skip-global"),
    ):
        group.add_argument(*flags, dest=f"skip_{level}", action="store_true", help=f"omit the {level} level")


def _add_interval_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("confidence intervals")
    group.add_argument(
        "--ci",
        "--confidence-interval-method",
        choices=tuple(INTERVAL_METHODS),
        default=IntervalSettings.method,
        metavar="{none,fisher,bootstrap-both,bootstrap-inputs,bootstrap-systems}",
        help="interval method; a bootstrap resamples systems, inputs or both (default: bootstrap-both)",
    )
    group.add_argument(
        "--resamples",
        "--num-samples",
        type=_whole_number(1),
        default=IntervalSettings.resamples,
        metavar="N",
        help="number of bootstrap resamples (default: 1000)",
    )
    group.add_argument(
        "--confidence",
        **CONFIDENCE,
        help="confidence level of the intervals, as a fraction or in percent (default: 95)",
    )
    group.add_argument("--confidence-level", **LEVEL_VALUE, help="the same as --confidence LEVEL")
    parser.optional_values["--confidence"] = is_level
    group.add_argument(
        "--one-tailed", action="store_true", help="put the whole error probability at each end of an interval"
    )
    group.add_argument(
        "--seed",
        type=_whole_number(0),
        default=IntervalSettings.seed,
        metavar="N",
        help="random seed of the bootstrap (default: 0)",
    )


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--output-file", metavar="OUT.json", help="JSON file for all results; - is standard output")
    group.add_argument("--format", choices=(*FORMATS.names(), JSON), help=FORMAT_HELP)
    group.add_argument("-o", "--output", metavar="FILE", help=OUTPUT_HELP)
    group.add_argument("--plot", metavar="OUT.svg", help="SVG file for a plot of scores and correlations")
    group.add_argument("--force", action="store_true", help=FORCE_HELP)
    group.add_argument("--strict", action="store_true", help="treat warnings as errors")
    group.add_argument(
        "--silent", action="store_true", help="print no notes or warnings; with --output-file, no table either"
    )
    group.add_argument("--log-file", metavar="FILE", help="append notes and warnings to a file")


def _whole_number(least: int) -> Callable[[str], int]:
    def convert(word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"must be an integer, {least} or more, got '{word}'")
        return number

    return convert


def _run(arguments: argparse.Namespace, log: Log) -> None:
    from metrics_framework.api.correlate import correlate

    arguments.format = arguments.format or format_of_file(arguments.output)
    if arguments.output is not None and output_path(arguments.output) == STANDARD:
        arguments.output = None
    chosen = (arguments.output_file, arguments.plot, arguments.output)
    outputs = [output_path(path) for path in chosen if path is not None]
    plot = arguments.plot or ""
    if plot and output_path(plot) != STANDARD and not uncompressed_name(plot).endswith(".svg"):
        raise UsageError(f"expected an SVG file for --plot, got '{arguments.plot}'; use a name that ends in .svg")
    paths = list(dict.fromkeys([*arguments.files, *arguments.metrics_jsonl_files]))
    _refuse_scores_without_flag(arguments)
    refuse_overwriting([*outputs, *filter(None, [arguments.log_file])], paths)
    refuse_foreign_files(outputs, arguments.force)
    pairs = _pairs(arguments)
    if not paths:
        raise UsageError("no score files; use fw correlate FILE … or --metrics-jsonl-files FILE …")
    levels = [level for level in LEVELS if not getattr(arguments, f"skip_{level}")]
    if not levels:
        raise UsageError("all three levels are skipped; leave out one of the --skip flags")
    with output_files() as opened:  # before the work, so that a file that cannot be written to is reported now
        json_file = None if arguments.output_file is None else opened.open(arguments.output_file)
        plot_file = None if arguments.plot is None else opened.open(arguments.plot)
        table_file = None if arguments.output is None else opened.open(arguments.output)
        result = correlate(
            paths,
            pairs,
            summarizer_type=arguments.summarizer_type,
            levels=levels,
            ci=arguments.ci,
            confidence=_confidence(arguments),
            two_tailed=not arguments.one_tailed,
            resamples=arguments.resamples,
            seed=arguments.seed,
            duplicates=arguments.duplicates,
            log=log,
        )
        if json_file is not None:
            json_file.write(result.to_json() + "\n")
        if plot_file is not None:
            plot_file.write(result.plot())
        if table_file is not None:
            table_file.write(result.table(arguments.format) + "\n")
    if arguments.output is not None:
        log.note(f"wrote the table to {arguments.output}")
    if arguments.format == JSON or not OutputFormat.by_name(arguments.format).for_people:
        _log_outputs(result.correlations, log)
    _print(arguments, result, has_data=STANDARD in outputs)


def _refuse_scores_without_flag(arguments: argparse.Namespace) -> None:
    """Rejects a name after the first value of ``--metric`` or ``--human``, which would be read as a file.

    Raises:
        UsageError: if there is such a name.
    """
    for word in arguments.files:
        if (arguments.metric or arguments.human) and "." not in word and word != STANDARD and not os.path.exists(word):
            raise UsageError(
                f"'{word}' is not a file; to correlate several scores, repeat --metric and --human for each"
            )


def _pairs(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Returns the pairs of scores to correlate.

    Raises:
        UsageError: if there are no pairs, or flags contradict each other.
    """
    if arguments.metrics is not None:
        if arguments.metric or arguments.human:
            raise UsageError("use either --metrics A B, or --metric A with --human H")
        pairs = list(dict.fromkeys(zip(arguments.metrics[::2], arguments.metrics[1::2], strict=True)))
        for metric1, metric2 in pairs:
            if metric1 == metric2:
                raise UsageError(f"--metrics needs two different metrics, got '{metric1}' twice")
        return _plottable(pairs, arguments)
    if not arguments.metric or not arguments.human:
        raise UsageError("nothing to correlate; use --metrics A B, or --metric A [--metric B …] with --human H")
    humans, metrics = dict.fromkeys(arguments.human), dict.fromkeys(arguments.metric)
    return _plottable([(metric, human) for human in humans for metric in metrics], arguments)


def _plottable(pairs: list[tuple[str, str]], arguments: argparse.Namespace) -> list[tuple[str, str]]:
    if arguments.plot and len(pairs) > 1:
        raise UsageError("--plot shows one pair of scores; use --metrics once, or --metric and --human once")
    return pairs


def _confidence(arguments: argparse.Namespace) -> float:
    """Returns the confidence level of the intervals.

    Raises:
        UsageError: if a level is given without intervals.
    """
    if arguments.ci == "none" and (arguments.confidence or arguments.confidence_level):
        raise UsageError("--confidence needs intervals, but --ci none turns them off; use only one of them")
    return chosen_level(arguments) or IntervalSettings.confidence


def _log_outputs(results: Sequence[Correlation], log: Log) -> None:
    """Prints notes on excluded outputs, which tables for people contain."""
    from metrics_framework.reports.correlation_table import names_among, outputs_of

    for result, name in zip(results, names_among(results), strict=True):
        if result.dropped["summarizer_type"]:
            log.note(f"{name or result.metric1}: {outputs_of(result)}")


def _print(arguments: argparse.Namespace, result: CorrelationResult, has_data: bool) -> None:
    """Prints the results: to standard error if standard output has data."""
    if arguments.output is not None or (arguments.silent and (has_data or arguments.output_file is not None)):
        return
    if arguments.format != JSON:
        print_result(result.table(arguments.format) + "\n", to_error=has_data)
    elif arguments.output_file is None or output_path(arguments.output_file) != STANDARD:
        print_result(result.to_json() + "\n", to_error=has_data)
