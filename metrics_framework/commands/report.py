"""``fw report``: compares systems on a test set, as an HTML file."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.commands.analysis import PAGE
from metrics_framework.commands.arguments import Flag, Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.configuration import read_configuration
from metrics_framework.commands.output_paths import check_ending, refuse_overwriting
from metrics_framework.commands.run_arguments import INPUT_USAGE, RUN_KEYS, add_confidence_arguments, chosen_resampling
from metrics_framework.commands.scoring_command import EVERYDAY, ScoringCommand, ScoringRequest
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.options import options_of_function
from metrics_framework.common.overriding import overrides
from metrics_framework.io.locations import expanded, file_name, size_of
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import open_for_writing

_OUTPUT = "output_html"
_OTHER_TASKS = (
    "reports on simplifications need sources; for other texts, use --profile summarization or --profile translation"
)


class ReportFlags:
    """Flags of the page, besides those that its function declares.

    Args:
        scores_files: Files of scores for these outputs, written by evaluate or score, or tables of ratings (.csv,
            .tsv).
        answers: The answers of language models about these outputs, as --answers of llm-judge writes them.
        digits: The number of decimal places, 0 to 15.
    """

    scores_files = Flag(nargs="+", default=[], metavar="FILE")
    answers = Flag(nargs="+", default=[], metavar="FILE")
    digits = Flag(type=int, choices=range(16), metavar="N", implied="2, or 4 if no score exceeds 1")


@Command.register("report")
class Report(ScoringCommand):
    """Compares systems on one HTML page that works offline.

    Compares one to twenty systems on a test set. The page shows the test set, scores with confidence intervals and
    significance, baselines (such as the source unchanged, or one reference against the remaining ones), scores by
    length, and distributions. It compares two systems output by output, divides the inputs into buckets (--by names
    the column), and lists them to search, sort, filter, rate and tag. In simplifications, the words that each system
    kept, inserted, deleted and moved are marked; with --profile summarization or translation, the n-grams that are also
    in a reference.

    The scores are those of --metric and --scores-files; without either, those of the profile. On simplifications, the
    features of quality-estimation are included, if their packages are installed.
    """

    everyday = (
        *EVERYDAY,
        *("--profile", "--title", "--scores-files", "--by", "--worst", "--sample", "--confidence", "--baseline"),
    )
    output_names = {_OUTPUT: "the page"}
    config_keys = RUN_KEYS
    output_help = "HTML file for the page; - is standard output"
    example_lines = (
        "fw report report.html --outputs a.txt b.txt \\\n    --sources sources.txt --references references.*.txt",
        "fw report report.html --dataset asset-test --outputs a.txt --metric sari",
        "fw report report.html --profile translation \\\n    --outputs a.txt b.txt --references references.*.txt",
    )
    usage = f"OUT.html {INPUT_USAGE}"

    @overrides
    def add_command_arguments(self, parser: Parser) -> None:
        from metrics_framework.api.report import report

        group = parser.add_argument_group("report")
        parser.add_flags(group, ReportFlags)
        without = inspect.signature(report).parameters.keys() - {"title", "worst", "sample"}
        parser.add_options(group, options_of_function(report, without), self.registered_name)
        add_confidence_arguments(parser, default="on")

    @overrides
    def run_request(self, request: ScoringRequest, arguments: argparse.Namespace) -> None:
        try:
            self._write_report(request, arguments)
        except (DataError, UsageError) as error:
            if "'source'" in str(error) and _profile(arguments, request.config) is None:
                request.log.note(_OTHER_TASKS)
            raise

    def _write_report(self, request: ScoringRequest, arguments: argparse.Namespace) -> None:
        from metrics_framework.api.report import Report, report
        from metrics_framework.common.errors import counted
        from metrics_framework.datasets.test_sets import licence_of
        from metrics_framework.evaluation.sets import SetLog

        arguments.scores_files = expanded(arguments.scores_files)
        inputs = [*arguments.scores_files, *arguments.answers]
        # `run` has checked already whether the page would replace a file of another program
        refuse_overwriting(request.outputs.values(), inputs, force=True, log_file=arguments.log_file)
        path = request.outputs[_OUTPUT]
        if len(request.sets) > 1 and inputs:
            raise UsageError(f"'{inputs[0]}' may be about any of {', '.join(request.sets)}; report on one data set")
        with open_for_writing(path) as stream:
            results = {
                name: report(
                    files=of_set.input_files,
                    reader=of_set.reader,
                    columns=arguments.columns or request.config.get("columns"),
                    where=arguments.where or request.config.get("where"),
                    metrics=of_set.metrics or None,
                    scores=arguments.scores_files or None,
                    answers=arguments.answers,
                    profile=_profile(arguments, request.config),
                    confidence=chosen_resampling(arguments, request.config, by_default=True) or False,
                    by=arguments.by or request.config.get("by"),
                    baseline=arguments.baseline or request.config.get("baseline"),
                    digits=arguments.digits,
                    duplicates=arguments.duplicates,
                    jobs=arguments.jobs,
                    **arguments.options,
                    licence=licence_of(of_set.test_set) if of_set.test_set else None,
                    file_names=[file_name(file) for file in (*of_set.input_files, *of_set.other_files, *inputs)],
                    log=SetLog(request.log, name, set()) if name else request.log,
                )
                for name, of_set in request.sets.items()
            }
            made = Report.of_sets(results) if len(results) > 1 else results[""]
            for piece in made.pieces():
                stream.write(piece)
        if path == STANDARD:
            return
        for name, result in results.items():
            data = result.data
            systems = counted(sum(system.kind == "system" for system in data.systems), "system")
            sentences = counted(data.facts.sentences, data.facts.unit)
            size = (size_of(path) or 0) / 1e6
            if data.selection:
                request.log.note(data.selection)
            of_name = f" of '{name}'" if name else ""
            request.log.note(f"wrote a report of {systems} on {sentences}{of_name} to {path} ({size:.2f} MB)")

    @overrides
    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        from metrics_framework.api.report import report_metrics

        metrics = arguments.metric or config.get("metrics") or None
        profile = _profile(arguments, config)
        return report_metrics(metrics, has_scores=bool(arguments.scores_files), profile=profile)

    @overrides
    def configuration(
        self, arguments: argparse.Namespace, positional: list[str]
    ) -> tuple[Mapping[str, Any], str | None]:
        keys = (*self.config_keys, *self.output_names)
        return read_configuration(arguments.config, arguments.overrides, keys), arguments.config

    @overrides
    def chosen_outputs(
        self, arguments: argparse.Namespace, config: Mapping[str, Any], positional: Sequence[str]
    ) -> dict[str, str]:
        given = [*positional, *filter(None, [arguments.output_html])] or list(filter(None, [config.get(_OUTPUT)]))
        if len(given) != 1:
            raise UsageError(
                f"expected one page to write, as in fw report OUT.html …; got {', '.join(given) or 'none'}"
            )
        check_ending("the page", given[0], PAGE.endings)
        return {_OUTPUT: given[0]}


def _profile(arguments: argparse.Namespace, config: Mapping[str, Any]) -> Any:
    return arguments.profile or config.get("profile")
