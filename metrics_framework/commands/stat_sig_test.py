"""``fw stat-sig-test``: tests whether one metric correlates better with human ratings than another."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable, whole_number
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.meta_evaluation.settings import SUMMARIZER_FILTERS

METHODS = (
    "permutation-both",
    "permutation-system",
    "permutation-input",
    "bootstrap-both",
    "bootstrap-system",
    "bootstrap-input",
    "williams",
)
LEVELS = ("summary_level", "system_level", "global")


@Command.register("stat-sig-test")
class StatSigTest(Analysis):
    """Tests whether one metric correlates better with human ratings than another.

    Has the flags and the output of SacreROUGE's command of this name. Its bootstrap counts both tails and Williams'
    test keeps the signs of correlations, unlike those of SacreROUGE, which --definition sacrerouge computes.
    """

    usage = "FILE … --dependent-metric H --metric-A A --metric-B B  [flags]"

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw stat-sig-test scores.jsonl ratings.csv --dependent-metric simplicity \\\n"
            "    --metric-A sari --metric-B bleu --test-method permutation-input",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("scores and ratings")
        group.add_argument("files", nargs="*", metavar="FILE", help="files of scores and tables of ratings")
        group.add_argument("--metrics-jsonl-files", nargs="+", default=[], metavar="FILE", help="further files")
        group.add_argument("--dependent-metric", metavar="H", help="score that both metrics are correlated with")
        group.add_argument("--metric-A", dest="metric_a", metavar="A", help="first metric")
        group.add_argument("--metric-B", dest="metric_b", metavar="B", help="second metric")
        group.add_argument(
            "--summarizer-type", choices=SUMMARIZER_FILTERS, default="peer", help="whose outputs (default: peer)"
        )
        group = parser.add_argument_group("test")
        group.add_argument(
            "--test-method", choices=METHODS, default=METHODS[0], help=f"hypothesis test (default: {METHODS[0]})"
        )
        group.add_argument(
            "--two-tailed", action="store_true", help="test for any difference, not only for metric A being better"
        )
        group.add_argument(
            "--alpha", type=float, default=0.05, metavar="P", help="level of significance (default: 0.05)"
        )
        group.add_argument(
            "--definition",
            choices=("corrected", "sacrerouge"),
            default="corrected",
            help="definition of bootstrap and Williams p-values (default: corrected)",
        )
        group.add_argument(
            "--num-samples",
            "--resamples",
            dest="resamples",
            type=whole_number(1),
            default=1000,
            metavar="N",
            help="number of resamples or random swaps (default: 1000)",
        )
        group.add_argument(
            "--random-seed",
            "--seed",
            dest="seed",
            type=whole_number(0),
            default=0,
            metavar="N",
            help="random seed (default: 0)",
        )
        for level, flag in zip(LEVELS, ("summary-level", "system-level", "global"), strict=True):
            group.add_argument(f"--skip-{flag}", dest=f"skip_{level}", action="store_true", help=f"omit the {flag}")

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        paths = list(dict.fromkeys([*arguments.files, *arguments.metrics_jsonl_files]))
        if not paths:
            raise UsageError("no score files; use fw stat-sig-test FILE … or --metrics-jsonl-files FILE …")
        for flag in ("dependent_metric", "metric_a", "metric_b"):
            if getattr(arguments, flag) is None:
                shown = {"metric_a": "metric-A", "metric_b": "metric-B"}.get(flag, "dependent-metric")
                raise UsageError(f"--{shown} is missing; it names a score")
        return paths

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.stat_sig_test import stat_sig_test

        return stat_sig_test(
            self.input_files(arguments),
            arguments.dependent_metric,
            arguments.metric_a,
            arguments.metric_b,
            method=arguments.test_method,
            alpha=arguments.alpha,
            two_tailed=arguments.two_tailed,
            definition=arguments.definition,
            levels=[level for level in LEVELS if not getattr(arguments, f"skip_{level}")],
            summarizer_type=arguments.summarizer_type,
            resamples=arguments.resamples,
            seed=arguments.seed,
            log=log,
        )
