"""The flags of ``fw correlate``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

from metrics_framework.commands.analysis import whole_number
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.confidence_arguments import CONFIDENCE, LEVEL_VALUE
from metrics_framework.commands.flag_values import cannot_be_file, is_level
from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.meta_evaluation.correlation.settings import (
    AGGREGATES,
    PRESET_NAMES,
    ComparisonSettings,
    IntervalSettings,
    StudySettings,
    coefficient_name,
    comparison_test_name,
    interval_name,
    names_in,
    ties_of,
)
from metrics_framework.meta_evaluation.names import COEFFICIENTS, INTERVAL_METHODS, LEVELS, STREAMS, TESTS
from metrics_framework.meta_evaluation.settings import DUPLICATES, SUMMARIZER_FILTERS
from metrics_framework.significance.multiple_testing import CORRECTIONS


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags that select files, scores and outputs."""
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


def add_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags that select coefficients and levels."""
    group = parser.add_argument_group("coefficients and levels")
    group.add_argument(
        "--coefficient",
        action="append",
        type=_listed(coefficient_name),
        metavar="NAME,…",
        help=f"coefficients: {', '.join(COEFFICIENTS)} (default: pearson,spearman,kendall-b)",
    )
    group.add_argument(
        "--level",
        action="append",
        type=_listed(_level_name),
        metavar="NAME,…",
        help=f"levels: {', '.join(LEVELS)} (default: input,system,global)",
    )
    group.add_argument(
        "--min-group",
        type=whole_number(2),
        default=StudySettings.min_group,
        metavar="N",
        help="least number of outputs of an input, or of a system at the within-system level (default: 2)",
    )
    group.add_argument(
        "--epsilon",
        type=_epsilon,
        metavar="E|cross-fit:K",
        help="largest difference of metric scores that is a tie, for acc-eq, acc-23 and tau-23; or the one that fits "
        "best on the other of K folds of inputs (default: acc-eq fits it on the data)",
    )
    group.add_argument(
        "--epsilon-from",
        metavar="FILE",
        action="append",
        default=[],
        help="fit the ε of acc-eq on the scores of another data set; repeat for several files",
    )
    group.add_argument(
        "--threshold",
        type=_not_negative,
        default=0.0,
        metavar="D",
        help="least difference of human scores that kendall-like counts (default: 0)",
    )
    group.add_argument(
        "--stream",
        choices=STREAMS,
        default=StudySettings.stream,
        help="how the sign flips of spa are drawn; mt-metrics-eval repeats the draws of that program "
        f"(default: {StudySettings.stream})",
    )
    for level, *flags in (
        ("input", "--skip-input-level", "--skip-summary-level"),
        ("system", "--skip-system-level"),
        ("global", "--skip-global"),
    ):
        group.add_argument(*flags, dest=f"skip_{level}", action="store_true", help=f"omit the {level} level")


def add_explanation_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags of raters, sentinels and slices."""
    group = parser.add_argument_group("raters, sentinels and slices")
    group.add_argument(
        "--rater-column", metavar="COLUMN", help="column of raters in tables (default: rater_id, rater or annotator)"
    )
    group.add_argument(
        "--aggregate",
        choices=AGGREGATES,
        default=AGGREGATES[0],
        help="how the ratings of an output become its human score: their mean, or the mean of z-scores per rater "
        f"(default: {AGGREGATES[0]})",
    )
    group.add_argument(
        "--humans-as-metrics",
        action="store_true",
        help="correlate each rater, as if a metric, with the mean of the other raters",
    )
    group.add_argument(
        "--sentinels",
        action="store_true",
        help="correlate scores that know nothing about quality, too: length of the output, similarity to the source "
        "and length of the source",
    )
    group.add_argument(
        "--texts",
        nargs="+",
        default=[],
        metavar="FILE",
        help="further files that are read for texts and labels only, such as the input of fw score",
    )
    group.add_argument(
        "--partial",
        action="append",
        default=[],
        metavar="COLUMN",
        help="add correlations at equal values of a score or sentinel, such as sentinel-length; repeat for several",
    )
    group.add_argument(
        "--slice",
        action="append",
        default=[],
        dest="slices",
        metavar="COLUMN",
        help="repeat the correlations for each value of a column, such as the type of system",
    )


def add_interval_arguments(parser: Parser) -> None:
    """Declares the flags of confidence intervals."""
    group = parser.add_argument_group("confidence intervals")
    group.add_argument(
        "--ci",
        "--confidence-interval-method",
        type=_choice(interval_name),
        default=IntervalSettings.method,
        metavar="METHOD",
        help=f"interval method: none, {', '.join(INTERVAL_METHODS)}, or default, the one that covers best at each "
        "level; bootstrap:both and so on also work, and bootstrap (both), bca and jackknife (systems) "
        f"(default: {IntervalSettings.method})",
    )
    group.add_argument(
        "--resamples",
        "--num-samples",
        type=whole_number(1),
        default=IntervalSettings.resamples,
        metavar="N",
        help=f"number of resamples and random arrangements (default: {IntervalSettings.resamples})",
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
        "--confidence-interval-kwargs",
        metavar="JSON",
        help="options of the interval method as SacreROUGE has them: '{\"num_samples\": 1000}' is --resamples 1000",
    )
    group.add_argument("--num-tails", type=int, choices=(1, 2), help="1 is the same as --one-tailed (default: 2)")
    group.add_argument(
        "--seed",
        type=whole_number(0),
        default=IntervalSettings.seed,
        metavar="N",
        help=f"random seed (default: {IntervalSettings.seed})",
    )


def add_test_arguments(parser: Parser) -> None:
    """Declares the flags of tests between metrics."""
    group = parser.add_argument_group("comparisons of metrics")
    group.add_argument(
        "--test",
        nargs="?",
        type=_test,
        default=ComparisonSettings.test,
        metavar="TEST",
        help=f"test the difference of every pair of metrics: {', '.join(TESTS)}; without a value, the test that is "
        "valid at each level",
    )
    parser.optional_values["--test"] = lambda word: word in TESTS or cannot_be_file(word)
    group.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="column of documents, prompts or dialogues: their inputs are drawn, swapped and left out together",
    )
    group.add_argument(
        "--correct",
        choices=tuple(CORRECTIONS),
        default=ComparisonSettings.correction,
        help="correction of p-values for the number of pairs: Holm, Benjamini-Hochberg, Benjamini-Yekutieli or none "
        f"(default: {ComparisonSettings.correction})",
    )
    group.add_argument(
        "--alpha",
        type=_share,
        default=ComparisonSettings.alpha,
        metavar="P",
        help=f"level of significance of clusters of metrics (default: {ComparisonSettings.alpha})",
    )


def add_average_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags of power and of averages over data sets."""
    group = parser.add_argument_group("power, and averages over data sets")
    group.add_argument(
        "--power", action="store_true", help="with --test, estimate which differences between metrics can be detected"
    )
    group.add_argument(
        "--task-column",
        dest="data_sets",
        metavar="COLUMN",
        help="column of data sets, such as language pairs; metrics are averaged over its values, with a test",
    )
    group.add_argument(
        "--preset", choices=PRESET_NAMES, default="", help="average the coefficients that a shared task averages"
    )


def _epsilon(word: str) -> str:
    try:
        ties_of(word, 0.0)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).split(" ", 1)[1]) from None
    return word


def _not_negative(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number, 0 or more, got '{word}'")
    return number


def _test(word: str) -> str:
    return "default" if word == "true" else _choice(comparison_test_name)(word)  # --test without a value


def _share(word: str) -> float:
    try:
        share = float(word)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got '{word}'")
    return share


def _choice(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """Returns a type of flags that reports unknown names as wrong usage."""

    def converted(word: str) -> Any:
        try:
            return convert(word)
        except UnknownChoiceError as error:
            raise argparse.ArgumentTypeError(str(error).split(" ", 1)[1]) from None

    return converted


def _listed(convert: Callable[[str], Any]) -> Callable[[str], Sequence[Any]]:
    """Returns a type of flags: names separated by commas."""
    one = _choice(convert)
    return lambda word: [one(name) for name in names_in(word)]


def _level_name(name: str) -> str:
    if name not in LEVELS:
        raise UnknownChoiceError("level", name, LEVELS)
    return name
