"""``fw judge``: tests whether automatic judges may replace raters."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable, add_resampling_arguments, whole_number
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.judgement_arguments import add_judgement_arguments, judgement_files
from metrics_framework.common.logs import Log
from metrics_framework.meta_evaluation.judges.names import EPSILONS, FEWEST_UNITS, SCORINGS


@Command.register("judge")
class Judge(Analysis):
    """Tests whether automatic judges may replace raters.

    Reads tables with one row per rating, and the scores of judges from the same or other files. Runs the alternative
    annotator test (Calderon, Reichart and Dror, 2025) for each judge, and for sentinels that know nothing of quality: a
    constant, the length of the output, and the judge's scores in random order. Prints how closely judges agree with
    raters, how harsh and how varied they are, beside the agreement of the raters with each other.
    """

    usage = "FILE … --rating R --judge J [--judge J …]  [flags]"

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw judge ratings.csv judgements.jsonl --rating helpfulness --judge model",
            "fw judge ratings.csv --rating simplicity --judge gpt --judge llama \\\n"
            "    --scoring ranks --epsilon crowd --cluster instance_id",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("ratings and judgements")
        add_judgement_arguments(group, "or a rater who is a judge", "outputs of a cluster are resampled together")
        group.add_argument(
            "--text",
            metavar="COLUMN",
            help="column of the outputs or of their lengths, for the sentinel of length (default: summary, …)",
        )
        _add_test_arguments(parser.add_argument_group("test"))
        add_resampling_arguments(parser.add_argument_group("confidence intervals"))

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        return judgement_files(arguments, "fw judge")

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.judge import judge

        return judge(
            self.input_files(arguments),
            arguments.rating,
            arguments.judge,
            scoring=arguments.scoring,
            epsilon=arguments.epsilon,
            q=arguments.q,
            min_raters=arguments.min_raters,
            min_units=arguments.min_units,
            text=arguments.text,
            cluster=arguments.cluster,
            rater_column=arguments.rater_column,
            confidence=arguments.confidence,
            resamples=arguments.resamples,
            seed=arguments.seed,
            log=log,
        )


def _add_test_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--scoring",
        choices=SCORINGS,
        help="how judge and rater are scored against the other raters (default: accuracy for labels, else neg_rmse)",
    )
    kinds = ", ".join(f"{kind} ({value:g})" for kind, value in EPSILONS.items())
    group.add_argument(
        "--epsilon",
        default="skilled",
        metavar="E",
        help=f"how much worse than a rater a judge may be: a number, or by the kind of raters: {kinds} "
        "(default: skilled)",
    )
    group.add_argument("--q", type=float, default=0.05, metavar="Q", help="false discovery rate (default: 0.05)")
    group.add_argument(
        "--min-raters",
        type=whole_number(2),
        default=2,
        metavar="N",
        help="leave out outputs with fewer ratings (default: 2)",
    )
    group.add_argument(
        "--min-units",
        type=whole_number(1),
        default=FEWEST_UNITS,
        metavar="N",
        help=f"leave out raters with fewer outputs; below {FEWEST_UNITS}, the signed-rank test is used (default: "
        f"{FEWEST_UNITS})",
    )
