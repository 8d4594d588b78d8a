"""``fw correlate``: correlates metrics with human ratings, or with each other."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.correlate_arguments import (
    add_average_arguments,
    add_data_arguments,
    add_explanation_arguments,
    add_interval_arguments,
    add_study_arguments,
    add_test_arguments,
)
from metrics_framework.commands.correlate_settings import check, options_of, pairs_of
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.reports.formats.output_format import JSON, OutputFormat
from metrics_framework.reports.pictures import ENDINGS

if TYPE_CHECKING:
    from metrics_framework.api.correlations import CorrelationResult

Chart: TypeAlias = Literal["forest", "p-values", "ranks", "epsilon"]
PLOTS = {"--plot": None, "--system-level-output-plot": "system", "--global-output-plot": "global"}
"""Flag of a plot to the level it shows; `None` for all levels."""
CHARTS: Mapping[str, Chart] = {
    "--forest-plot": "forest",
    "--p-value-plot": "p-values",
    "--rank-plot": "ranks",
    "--epsilon-plot": "epsilon",
}
REPORT = "--report"


@Command.register("correlate")
class Correlate(Analysis):
    """Correlates metrics with human ratings, or with each other, and compares metrics.

    Reads files of scores (JSONL, written by fw score) and tables of ratings (.csv, .tsv), joins them by input and
    system, and computes correlations at input, system, global and within-system level, with confidence intervals,
    tests of the differences between metrics, and clusters of metrics.
    """

    usage = "FILE … --metrics A B | --metric A … --human H  [flags]"
    pictures: ClassVar[Mapping[str, Sequence[str]]] = {
        **dict.fromkeys([*PLOTS, *CHARTS], ENDINGS),
        REPORT: (".html", ".htm"),
    }

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw correlate scores.jsonl human.csv --metrics sari simplicity",
            "fw correlate scores.jsonl human.csv --metric sari --metric bleu \\\n"
            "    --human simplicity --level input,system --coefficient pearson,acc-eq \\\n"
            "    --test inputs --report metrics.html",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        add_data_arguments(parser)
        add_study_arguments(parser)
        add_interval_arguments(parser)
        add_test_arguments(parser)
        add_average_arguments(parser)
        add_explanation_arguments(parser)

    @overrides
    def add_picture_arguments(self, group: argparse._ArgumentGroup) -> None:
        pictures = {
            "--plot": "scores and correlations at each level (SVG, PNG or PDF)",
            "--system-level-output-plot": "the means of systems",
            "--global-output-plot": "all outputs",
            "--forest-plot": "coefficients with their intervals",
            "--p-value-plot": "the p-values of all pairs of metrics, in the order of ranks",
            "--rank-plot": "the ranks of metrics, with intervals",
            "--epsilon-plot": "the accuracy of each metric against epsilon, the size of ties (needs acc-eq)",
        }
        for flag, what in pictures.items():
            group.add_argument(flag, metavar="OUT.svg", help=f"picture of {what}")
        group.add_argument(REPORT, metavar="OUT.html", help="page with all tables, pictures and notes")

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        check(arguments)
        paths = _score_files(arguments)
        if not paths:
            raise UsageError("no score files; use fw correlate FILE … or --metrics-jsonl-files FILE …")
        return [*paths, *arguments.texts, *arguments.epsilon_from]

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.correlate import correlate

        scores: tuple[Any, ...] = (pairs_of(arguments),)
        if arguments.metrics is None:
            scores = arguments.metric, arguments.human
        result = correlate(_score_files(arguments), *scores, **options_of(arguments), log=log)
        if arguments.format == JSON or not OutputFormat.by_name(arguments.format).for_people:
            _log_outputs(result, log)
        return result

    @overrides
    def picture(self, flag: str, result: Printable, path: str) -> str:
        found = cast("CorrelationResult", result)
        if flag == REPORT:
            return found.page()
        return found.chart(CHARTS[flag]) if flag in CHARTS else found.plot(PLOTS[flag])


def _score_files(arguments: argparse.Namespace) -> list[str]:
    return list(dict.fromkeys([*arguments.files, *arguments.metrics_jsonl_files]))


def _log_outputs(result: CorrelationResult, log: Log) -> None:
    """Prints notes on excluded outputs, which tables for people contain."""
    from metrics_framework.reports.correlation_notes import names_among, outputs_of

    for correlation, name in zip(result, names_among(result.correlations), strict=True):
        if correlation.dropped["summarizer_type"]:
            log.note(f"{name or correlation.metric1}: {outputs_of(correlation)}")
