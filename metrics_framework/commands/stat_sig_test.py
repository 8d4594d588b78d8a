"""``fw stat-sig-test``: tests whether one metric correlates better with human ratings than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import Analysis, InputFiles
from metrics_framework.commands.arguments import Spelling, Without
from metrics_framework.commands.command import Command


@Command.register("stat-sig-test")
class StatSigTest(Analysis):
    """Tests whether a metric correlates better than another.

    Has the flags and the output of SacreROUGE's command of this name. Its bootstrap counts both tails and Williams'
    test keeps the signs of correlations, unlike those of SacreROUGE, which --definition sacrerouge computes.
    """

    function_name = "stat_sig_test"
    example_lines = (
        "fw stat-sig-test scores.jsonl ratings.csv --dependent-metric simplicity \\\n"
        "    --metric-A sari --metric-B bleu --test-method permutation-input",
    )
    usage = "FILE … --dependent-metric H --metric-A A --metric-B B  [flags]"
    inputs = InputFiles("FILE", "files of scores and tables of ratings", missing="score files")
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "scores and ratings": ("dependent_metric", "metric_a", "metric_b", "summarizer_type"),
        "test": ("method", "two_tailed", "alpha", "definition", "resamples", "seed", "levels"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {
        "--metric-A": "metric_a",
        "--metric-B": "metric_b",
        "--test-method": "method",
        "--num-samples": "resamples",
        "--random-seed": "seed",
        "--skip-summary-level": Without("levels", "summary_level"),
        "--skip-system-level": Without("levels", "system_level"),
        "--skip-global": Without("levels", "global"),
    }
    set_otherwise = ("scores", "log")
