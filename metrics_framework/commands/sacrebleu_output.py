"""The flags of sacreBLEU's output: its shapes, scores of sentences, and its paired tests (decision 0025)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.arguments import Parser
from metrics_framework.common.construct import parse_spec
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.significance.resampling import RESAMPLES, Resampling

if TYPE_CHECKING:
    from metrics_framework.evaluation.evaluate import Evaluation
    from metrics_framework.metrics.base.labelled_metric import LabelledMetric
    from metrics_framework.reports.sacrebleu_shapes import Shape

TABLE_DIGITS = 2
"""The default number of decimal places of tables."""
PAIRED_AR_TRIALS = 10_000
SHAPES = {"text": "text", "json": "json", "sacrebleu-text": "text", "sacrebleu-json": "json"}
"""The names of sacreBLEU's shapes: the first two for ``-f``, the others for ``--format``."""


def add_sacrebleu_output(parser: Parser) -> None:
    """Adds the flags."""
    group = parser.add_argument_group("output and tests of sacreBLEU")
    group.add_argument(
        "-f",
        dest="shape",
        choices=("text", "json", *FORMATS.names()),
        help="text and json: the shapes of sacreBLEU; other formats as with --format",
    )
    group.add_argument("-b", "--score-only", action="store_true", help="print only scores")
    group.add_argument(
        "--sentence-level", action="store_true", help="print the score of each output of a system, one per line"
    )
    group.add_argument("--short", action="store_true", help="abbreviate the signatures of -f text")
    group.add_argument("--force", action="store_true", help="do not warn of outputs that look tokenized")
    group.add_argument(
        "--paired-bs", action="store_true", help="compare systems with the first one by sacreBLEU's paired bootstrap"
    )
    group.add_argument(
        "--paired-bs-n", type=int, metavar="N", help=f"number of resamples of --paired-bs (default: {RESAMPLES})"
    )
    group.add_argument(
        "--paired-ar",
        action="store_true",
        help="compare systems with the first one by sacreBLEU's approximate randomization",
    )
    group.add_argument(
        "--paired-ar-n", type=int, metavar="N", help=f"number of trials of --paired-ar (default: {PAIRED_AR_TRIALS})"
    )


def chosen_shape(arguments: argparse.Namespace) -> Shape | None:
    """Returns the shape of sacreBLEU in which to print scores; `None` for a format of fw, which it then chooses.

    Raises:
        UsageError: if two flags choose different formats.
    """
    if arguments.shape is not None and arguments.format is not None and arguments.format != arguments.shape:
        raise UsageError(f"-f {arguments.shape} and --format {arguments.format} choose different formats; use only one")
    name = arguments.shape if arguments.shape is not None else arguments.format
    kind = SHAPES.get(name) if arguments.shape is not None or name in ("sacrebleu-text", "sacrebleu-json") else None
    needs_text = arguments.score_only or arguments.sentence_level or arguments.short
    if name is not None and kind is None and needs_text:
        raise UsageError(f"--score-only, --sentence-level and --short need -f text or -f json, got the format '{name}'")
    if kind is None and not needs_text:
        arguments.format = name or "table"
        return None
    from metrics_framework.reports.sacrebleu_shapes import DIGITS, Shape

    digits = DIGITS if arguments.digits is None else arguments.digits
    return Shape("json" if kind == "json" else "text", digits, arguments.score_only, arguments.short)


def is_paired(arguments: argparse.Namespace) -> bool:
    """Returns whether a paired test of sacreBLEU is requested."""
    return bool(arguments.paired_bs or arguments.paired_ar)


def with_paired_test(
    resampling: Resampling | None, arguments: argparse.Namespace, systems: int | None
) -> Resampling | None:
    """Returns the resampling with the paired test of sacreBLEU that flags request.

    Args:
        resampling: How to resample, `None` for no intervals.
        arguments: The arguments.
        systems: The number of systems, `None` if it is unknown.

    Raises:
        UsageError: if flags contradict each other, or there is only one system.
    """
    _check_tests(arguments, resampling, systems)
    if resampling is None or not is_paired(arguments):
        return resampling
    try:
        if arguments.paired_ar:
            trials = PAIRED_AR_TRIALS if arguments.paired_ar_n is None else arguments.paired_ar_n
            return replace(resampling, test="paired-ar", trials=trials)
        count = resampling.resamples if arguments.paired_bs_n is None else arguments.paired_bs_n
        return replace(resampling, test="paired-bs", trials=count, resamples=count)
    except InputError as error:
        raise UsageError(f"{error} (--paired-bs-n, --paired-ar-n)") from None


def _check_tests(arguments: argparse.Namespace, resampling: Resampling | None, systems: int | None) -> None:
    for name in ("bs", "ar"):
        if getattr(arguments, f"paired_{name}_n") is not None and not getattr(arguments, f"paired_{name}"):
            raise UsageError(f"--paired-{name}-n needs --paired-{name}")
    if arguments.paired_bs and arguments.paired_ar:
        raise UsageError("--paired-bs and --paired-ar are different tests; use only one")
    if is_paired(arguments) and resampling is None:
        raise UsageError("paired tests need resampling, but --no-confidence turns it off; use only one")
    if is_paired(arguments) and systems == 1:
        raise UsageError("a paired test needs the outputs of two systems or more; use -i BASELINE SYSTEM …")
    if arguments.sentence_level and resampling is not None:
        raise UsageError("--sentence-level prints scores of single outputs, which have no intervals or tests")


def without_repeated_baseline(arguments: argparse.Namespace) -> None:
    """Removes the baseline from the other systems of a paired test, as in ``-i systems/base systems/*``."""
    if is_paired(arguments) and arguments.outputs:
        baseline, *others = arguments.outputs
        arguments.outputs = [baseline, *(path for path in others if path != baseline)]


def with_effective_order(specs: Sequence[Any], arguments: argparse.Namespace) -> Sequence[Any]:
    """Returns the metrics of ``--sentence-level`` as sacreBLEU scores sentences: BLEU with effective order.

    Raises:
        UsageError: if there are several metrics.
    """
    if not arguments.sentence_level:
        return specs
    if len(specs) != 1:
        raise UsageError(
            f"--sentence-level prints one metric, got {len(specs)}; for several metrics, write a file of output "
            "scores: fw evaluate … MACRO.json MICRO.jsonl"
        )
    name, options = parse_spec(specs[0])
    if name == "bleu":
        options.setdefault("effective_order", True)
    return [{"type": name, **options}]


class SentenceScores:
    """Collects the scores of each output, for ``--sentence-level``."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def writing_to(self, write: Callable[[str], object] | None) -> Callable[[str], object]:
        """Returns a function that collects rows, which are lines of JSON, and writes them if there is a file."""

        def collect(lines: str) -> None:
            if write is not None:
                write(lines)
            self.rows.extend(json.loads(line)["metrics"] for line in lines.splitlines())

        return collect


def in_shape(
    result: Evaluation, metrics: Sequence[LabelledMetric], shape: Shape, sentences: SentenceScores | None
) -> str:
    """Returns the scores of systems, or of the outputs of one system, in a shape of sacreBLEU.

    Raises:
        UsageError: if outputs of several systems are requested.
    """
    from metrics_framework.reports.sacrebleu_shapes import in_shape, sentence_lines

    if sentences is None:
        return in_shape(result, metrics, shape)
    if len(result.systems) > 1:
        raise UsageError(
            f"--sentence-level prints the scores of one system, got {len(result.systems)}; for several systems, write "
            "a file of output scores: fw evaluate … MACRO.json MICRO.jsonl"
        )
    return sentence_lines(sentences.rows, result, metrics[0], shape)
