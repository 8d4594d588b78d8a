"""``fw correlate``: correlates metrics with human ratings, or with each other."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from metrics_framework.commands.analysis import PAGE, PAPER, REPORT, Analysis, InputFiles, Picture, Printable
from metrics_framework.commands.arguments import (
    NO_VALUE,
    Constant,
    Converted,
    Flag,
    Parser,
    Spelling,
    StoreList,
    Without,
    cannot_be_file,
)
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError, say_taken
from metrics_framework.common.options import names_of
from metrics_framework.common.overriding import overrides
from metrics_framework.io.locations import exists
from metrics_framework.io.reading import STANDARD
from metrics_framework.meta_evaluation.correlate.request import DEFAULT, DEFAULT_LEVELS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat

if TYPE_CHECKING:
    from metrics_framework.api.analysis_results import CorrelationResult
    from metrics_framework.common.logs import Log


def _tails(word: str) -> bool:
    if word not in ("1", "2"):
        raise argparse.ArgumentTypeError(f"must be 1 or 2, got '{word}'")
    return word == "2"


def _num_samples(word: str) -> Any:
    """Returns the number of resamples that SacreROUGE's options of an interval method set."""
    import json

    try:
        options = json.loads(word)
    except ValueError:
        options = None
    number = options.get("num_samples") if isinstance(options, dict) and options.keys() <= {"num_samples"} else None
    if options == {}:
        return NO_VALUE
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise argparse.ArgumentTypeError(f"must be '{{\"num_samples\": N}}' with an integer N, 1 or more, got '{word}'")
    return number


SPELLINGS: Mapping[str, Spelling] = {
    "--coefficient": "coefficients",
    "--gold": "human",
    "--level": "levels",
    "--skip-input-level": Without("levels", "input", DEFAULT_LEVELS),
    "--skip-summary-level": Without("levels", "input", DEFAULT_LEVELS),
    "--skip-system-level": Without("levels", "system", DEFAULT_LEVELS),
    "--skip-global": Without("levels", "global", DEFAULT_LEVELS),
    "--confidence-interval-method": "ci",
    "--confidence-interval-kwargs": Converted(
        "resamples",
        "JSON",
        _num_samples,
        "options of the interval method as SacreROUGE has them: '{\"num_samples\": 1000}' is --resamples 1000",
    ),
    "--num-samples": "resamples",
    "--confidence-level": "confidence",
    "--one-tailed": Constant("two_tailed", False),
    "--num-tails": Converted("two_tailed", "{1,2}", _tails, "number of tails; 1 is --one-tailed (default: 2)"),
    "--task-column": "data_sets",
    "--slice": "slices",
}
"""The spellings of SacreROUGE, and those that name one item of a list."""


class MetricFlags:
    """Flags of the scores that are correlated.

    Args:
        metrics: Two scores to correlate, such as sari or rouge-1_precision; repeat for several pairs.
        metric: The scores to correlate with --human; '*' names all.
    """

    metrics = Flag(nargs=2, metavar=("A", "B"))
    metric = Flag("-m", action=StoreList, type=names_of, default=[], metavar="A,…")


@Command.register("correlate")
class Correlate(Analysis):
    """Finds which metric agrees best with human ratings.

    Correlates metrics with human ratings, or with each other, and compares metrics. Reads files of scores (JSONL,
    written by fw score) and tables of ratings (.csv, .tsv), joins them by input and system, and computes correlations
    at input, system, global and within-system level, with confidence intervals, tests of the differences between
    metrics, and clusters of metrics.
    """

    everyday = (
        *("--metrics", "--metric", "--human", "--coefficient", "--level", "--ci", "--test", "--cluster", "--correct"),
        *("--data-sets", "--rater-column", "--sentinels", "--preset", "--output", "--format", "--plot"),
        *("--report", "--paper", "--output-file", "--task-table"),
    )
    function_name = "correlate"
    example_lines = (
        "fw correlate scores.jsonl human.csv --metrics sari simplicity",
        "fw correlate scores.jsonl human.csv --metric sari --metric bleu \\\n"
        "    --human simplicity --level input,system --coefficient pearson,acc-eq \\\n"
        "    --test inputs --report metrics.html",
    )
    usage = "FILE … --metrics A B | --metric A … --human H  [flags]"
    inputs = InputFiles(
        "FILE",
        "files of scores and tables of ratings, also as .gz or .zst; - is standard input",
        missing="score files",
    )
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "scores and ratings": ("human", "summarizer_type"),
        "coefficients and levels": (
            *("coefficients", "levels", "min_group", "epsilon", "epsilon_from", "threshold", "threshold_from", "folds"),
            *("good_above", "stream", "sign_flips"),
        ),
        "confidence intervals": ("ci", "resamples", "confidence", "two_tailed", "seed"),
        "comparisons of metrics": ("test", "cluster", "correct", "alpha", "ranking"),
        "power, and averages over data sets": ("detectable", "data_sets", "preset", "average_test"),
        "raters, sentinels and slices": (
            *("aggregate", "humans_as_metrics", "sentinels", "texts", "partial", "slices"),
        ),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = SPELLINGS
    without_value: ClassVar[Mapping[str, Any]] = {"test": DEFAULT, "confidence": NO_VALUE}
    set_otherwise = ("scores", "metrics", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--plot": Picture("picture of scores and correlations at each level (SVG, PNG or PDF)"),
        "--system-level-output-plot": Picture("picture of the means of systems", "system"),
        "--global-output-plot": Picture("picture of all outputs", "global"),
        "--forest-plot": Picture("picture of coefficients with their intervals", "forest"),
        "--p-value-plot": Picture("picture of the p-values of all pairs of metrics, in the order of ranks", "p-values"),
        "--rank-plot": Picture("picture of the ranks of metrics, with intervals", "ranks"),
        "--epsilon-plot": Picture(
            "picture of the accuracy of each metric against epsilon, the size of ties (needs acc-eq)", "epsilon"
        ),
        "--task-table": Picture(
            "LaTeX table of metrics and tasks: one row per metric, one column per coefficient",
            method="task_table",
            endings=(".tex",),
        ),
        "--paper": PAPER,
        REPORT: PAGE,
    }

    @overrides
    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        super().add_input_arguments(parser, group)
        parser.add_flags(group, MetricFlags)
        parser.list_flags |= dict.fromkeys(("-m", "--metric"), cannot_be_file)

    @overrides
    def check(self, arguments: argparse.Namespace) -> None:
        words = [word for word in arguments.files if "." not in word and word != STANDARD and not exists(word)]
        has_names = arguments.metric or "human" in arguments.options
        if words and has_names:  # a name after the first value of --metric or --human is no file
            advice = "to correlate several scores, repeat --metric and --human for each"
            raise UsageError(f"'{words[0]}' is not a file; {advice}")
        if len(words) == 2 and not (has_names or arguments.metrics):
            say_taken(" ".join(words), f"--metrics {' '.join(words)}")
            arguments.metrics, arguments.files = words, [word for word in arguments.files if word not in words]
        _check_pairs(arguments)
        if not self.value(arguments, "levels"):
            raise UsageError("all levels are skipped; leave out one of the --skip flags")

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        metrics = arguments.metric or list(zip(arguments.metrics[::2], arguments.metrics[1::2], strict=True))
        result = self.function()(arguments.files, metrics, **arguments.options, log=log)
        if arguments.format == JSON or not OutputFormat.by_name(arguments.format).for_people:
            _log_outputs(cast("CorrelationResult", result), log)
        return result


def _check_pairs(arguments: argparse.Namespace) -> None:
    """Checks that flags name the scores to correlate.

    Raises:
        UsageError: if there are no pairs, or flags contradict each other.
    """
    has_human = "human" in arguments.options
    if arguments.metrics is None:
        if not (arguments.metric and has_human):
            raise UsageError("nothing to correlate; use --metrics A B, or --metric A [--metric B …] with --human H")
        return
    if arguments.metric or has_human:
        raise UsageError("use either --metrics A B, or --metric A with --human H")
    for metric1, metric2 in zip(arguments.metrics[::2], arguments.metrics[1::2], strict=True):
        if metric1 == metric2:
            raise UsageError(f"--metrics needs two different metrics, got '{metric1}' twice")


def _log_outputs(result: CorrelationResult, log: Log) -> None:
    """Prints notes on excluded outputs, which tables for people contain."""
    from metrics_framework.reports.correlation_notes import names_among, outputs_of

    if result.comparisons:
        log.note("tables for programs have no p-values of --test; --output-file OUT.json has them")
    for correlation, name in zip(result, names_among(result.correlations), strict=True):
        if correlation.dropped["summarizer_type"]:
            log.note(f"{name or correlation.metric1}: {outputs_of(correlation)}")
