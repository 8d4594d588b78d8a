"""``fw report``: systems on a test set as one HTML file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence import CONFIGURATION, add_confidence, chosen_baseline, chosen_resampling
from metrics_framework.commands.paths import refuse_overwriting
from metrics_framework.commands.scoring import INPUT_USAGE, Plan, ScoringCommand
from metrics_framework.common.construct import parse_spec
from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.io.streams import STANDARD, open_for_writing, uncompressed_name

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.score_files import ScoreFiles
    from metrics_framework.reports.html.build import ReportOptions
    from metrics_framework.reports.html.model import ReportData

PROFILE = "simplification"
FEATURES = "quality-estimation"
OUTPUT = "output_html"


@Command.register("report")
class Report(ScoringCommand):
    """Shows one to twenty systems on a test set: one HTML file that any browser opens, without a network.

    In it: the test set, scores with confidence intervals and significance, baselines (source copied, first 80 % of
    its words, one reference against the others), scores by length of the source, distributions, and all sentences to
    search, sort and filter, with what each system kept, inserted, deleted and moved::

        fw report report.html --outputs a.txt b.txt --sources sources.txt --references references.*.txt

    The scores are those of --metric, of --scores-files, or of both; without either those of the profile simplification.
    The features of quality-estimation are always there.
    """

    output_names = (OUTPUT,)
    config_keys = CONFIGURATION
    outputs_help = "the page"
    usage = f"OUT.html {INPUT_USAGE}"

    @overrides
    def add_own_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("report")
        group.add_argument(
            "--scores-files",
            nargs="+",
            default=[],
            metavar="FILE",
            help="scores of these outputs: micro files of evaluate, files of score, tables of ratings (.csv, .tsv)",
        )
        group.add_argument("--title", default="Simplification report", metavar="TEXT", help="the heading of the page")
        group.add_argument(
            "--digits", type=int, choices=range(16), default=2, metavar="N", help="digits behind the point (default: 2)"
        )
        add_confidence(parser)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        plan = self.plan(arguments)
        refuse_overwriting(plan.outputs.values(), arguments.scores_files)
        with plan.log:
            self._write(plan, arguments)
        return 0

    def _write(self, plan: Plan, arguments: argparse.Namespace) -> None:
        from metrics_framework.reports.html.build import report_data
        from metrics_framework.reports.html.page import page

        path = plan.outputs[OUTPUT]
        with open_for_writing(path) as stream:
            data = report_data(_wanted(plan, arguments), plan.log)
            stream.write(page(data))
        if path != STANDARD:
            plan.log.note(f"wrote {_summary(data)} to {path}, {os.path.getsize(path) / 1e6:.2f} MB")

    @overrides
    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        if arguments.metric or config.get("metrics"):
            chosen = list(super().chosen_metrics(arguments, config))
        else:
            chosen = [] if arguments.scores_files else list(Profile.by_name(PROFILE).metrics)
        return chosen if any(parse_spec(one)[0] == FEATURES for one in chosen) else [*chosen, FEATURES]

    @overrides
    def _configuration(self, arguments: argparse.Namespace, words: list[str]) -> tuple[Mapping[str, Any], str | None]:
        from metrics_framework.commands.configuration import read_configuration

        return read_configuration(arguments.config, arguments.overrides, self._own_keys), arguments.config

    @overrides
    def _outputs(self, arguments: argparse.Namespace, config: Mapping[str, Any], words: list[str]) -> dict[str, str]:
        given = [*words, *filter(None, [arguments.output_html])] or list(filter(None, [config.get(OUTPUT)]))
        if len(given) != 1:
            raise UsageError(f"give one page to write, as in fw report OUT.html …; got {', '.join(given) or 'none'}")
        if given[0] != STANDARD and not uncompressed_name(given[0]).endswith((".html", ".htm")):
            raise UsageError(f"the page is HTML, got '{given[0]}'; give a name that ends in .html")
        return {OUTPUT: given[0]}


def _wanted(plan: Plan, arguments: argparse.Namespace) -> ReportOptions:
    from metrics_framework.datasets.places import licence_of
    from metrics_framework.reports.html.build import ReportOptions

    scores = _scores(arguments, plan.log)
    return ReportOptions(
        title=arguments.title,
        reader=plan.reader,
        input_files=plan.input_files,
        metrics=plan.metrics,
        duplicates=plan.duplicates,
        jobs=plan.jobs,
        rows=scores.rows,
        row_signatures=scores.signatures,
        row_notes=[column.warning(os.path.basename(column.path)) for column in scores.dropped],
        licence=licence_of(plan.test_set) if plan.test_set else None,
        files=[os.path.basename(file) for file in (*plan.input_files, *plan.other_files, *arguments.scores_files)],
        titles=Profile.by_name(PROFILE).columns,
        resampling=chosen_resampling(arguments, plan.config, by_default=True),
        compared_with=chosen_baseline(arguments, plan.config),
        digits=arguments.digits,
    )


def _scores(arguments: argparse.Namespace, log: Log) -> ScoreFiles:
    """Reads the score files, and tells what they lose.

    Raises:
        DataError: if one of them has no score at all.
    """
    from metrics_framework.meta_evaluation.score_files import ScoreFiles, read_score_files

    if not arguments.scores_files:
        return ScoreFiles()
    scores = read_score_files(arguments.scores_files, arguments.duplicates)
    problems = Problems()
    for path, why in scores.without_scores.items():
        problems.add(DataError(f"holds no scores. {why}", path))
    problems.raise_any()
    for warning in (*scores.warnings, *(column.warning(column.path) for column in scores.dropped)):
        log.warn(warning)
    return scores


def _summary(data: ReportData) -> str:
    from metrics_framework.reports.html.writing import counted

    systems = sum(system.kind == "system" for system in data.systems)
    return f"{counted(systems, 'system')} on {counted(data.facts.sentences, 'sentence')}"
