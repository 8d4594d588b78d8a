"""``fw estimate``: mean ratings of systems from a few ratings and the scores of a judge."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence_arguments import LEVEL_VALUE
from metrics_framework.commands.judgement_arguments import add_judgement_arguments, judgement_files
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.meta_evaluation.estimation.names import ERRORS_OF


@Command.register("estimate")
class Estimate(Analysis):
    """Estimates mean ratings of systems from a few ratings and the scores of a judge.

    Reads tables in which a judge has scored all outputs and people have rated a random sample of them. Prints
    prediction-powered means and differences of systems, which are unbiased however bad the judge is, beside the means
    of the ratings only, and how many ratings the judge saves. With --pass-fail, shares are also corrected for the
    errors of the judge.
    """

    usage = "FILE … --rating R --judge J [--judge J …]  [flags]"

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw estimate ratings.csv judgements.jsonl --rating helpfulness --judge model",
            "fw estimate ratings.csv judgements.jsonl --rating correct \\\n"
            "    --judge model --pass-fail --baseline old",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("ratings and judgements")
        add_judgement_arguments(group, "such as a metric", "outputs of a cluster are dependent")
        _add_estimate_arguments(parser.add_argument_group("estimates"))

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        if arguments.errors_of is not None and not arguments.pass_fail:
            raise UsageError("--errors-of needs --pass-fail")
        return judgement_files(arguments, "fw estimate")

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.estimate import estimate

        return estimate(
            self.input_files(arguments),
            arguments.rating,
            arguments.judge,
            baseline=arguments.baseline,
            tuning=arguments.tuning,
            pass_fail=arguments.pass_fail,
            errors_of=arguments.errors_of or ERRORS_OF[0],
            cluster=arguments.cluster,
            rater_column=arguments.rater_column,
            confidence=arguments.confidence,
            log=log,
        )


def _add_estimate_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--baseline", metavar="SYSTEM", help="compare all systems with this one (default: compare all pairs)"
    )
    group.add_argument(
        "--tuning",
        default="free",
        metavar="{free,clipped,NUMBER}",
        help="weight of the scores: the best one, the best one within [0, 1], or a number (default: free)",
    )
    group.add_argument(
        "--pass-fail",
        action="store_true",
        help="ratings and judgements are verdicts, such as 1 and 0, pass and fail, yes and no",
    )
    group.add_argument(
        "--errors-of",
        choices=ERRORS_OF,
        help="whose ratings the errors of a pass/fail judge are estimated from: those of the same system, or of all "
        "(default: system)",
    )
    group.add_argument(
        "--confidence",
        default=0.95,
        **LEVEL_VALUE,
        help="confidence level of the intervals, as a fraction or in percent (default: 95)",
    )
