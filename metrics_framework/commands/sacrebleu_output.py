"""The flags of sacreBLEU's output: its shapes, scores of sentences, and its paired tests (decision 0014)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics_framework.common.errors import InputError, UnknownChoiceError, UsageError
from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import OTHER_FORMATS, format_of_file
from metrics_framework.reports.sacrebleu_shapes import DIGITS, Shape, in_shape, sentence_lines
from metrics_framework.reports.score_table import TableLayout, headings_of
from metrics_framework.significance.resampling import PAIRED_TRIALS, Resampling

SHAPES: Mapping[str, str] = {"sacrebleu-text": "text", "sacrebleu-json": "json"}
"""The names of sacreBLEU's shapes for ``--format``, and for ``-f``."""


class SacrebleuOutput:
    """What the flags of sacreBLEU change of a run: how it is tested and printed.

    Args:
        arguments: The arguments.
        systems: The number of systems, `None` if it is unknown.

    Attributes:
        shape: The shape of the output; `None` for a format of fw.
        format: The name of the format if it is a format of fw.

    Raises:
        UsageError: if flags contradict each other.
    """

    def __init__(self, arguments: argparse.Namespace, systems: int | None) -> None:
        self.arguments = arguments
        self.is_paired = bool(arguments.paired_bs or arguments.paired_ar)
        self.format = _chosen_format(arguments)
        self.shape = _chosen_shape(arguments, self.format)
        if self.shape is None and arguments.shape is not None:
            arguments.format = self.format
        if self.shape is not None and arguments.aggregate is not None:
            raise UsageError("the output of sacreBLEU has no ranks; leave out --aggregate")
        self._rows: list[dict[str, Any]] = []
        for name in ("bs", "ar"):
            if getattr(arguments, f"paired_{name}_n") is not None and not getattr(arguments, f"paired_{name}"):
                raise UsageError(f"--paired-{name}-n needs --paired-{name}")
        if arguments.paired_bs and arguments.paired_ar:
            raise UsageError("--paired-bs and --paired-ar are different tests; use only one of them")
        if self.is_paired and systems == 1:
            raise UsageError("a paired test needs the outputs of two systems or more; use -i BASELINE SYSTEM …")

    def tested(self, resampling: Resampling | None) -> Resampling | None:
        """Returns the resampling with the requested paired test.

        Raises:
            UsageError: if there is no resampling, but a test needs it, or a number of trials is invalid.
        """
        arguments = self.arguments
        if arguments.sentence_level and resampling is not None:
            raise UsageError("--sentence-level prints scores of single outputs, which have no intervals or tests")
        if not self.is_paired:
            return resampling
        if resampling is None:
            raise UsageError("paired tests need resampling, but --no-confidence turns it off; use only one of them")
        try:
            if arguments.paired_ar:
                trials = PAIRED_TRIALS["paired-ar"] if arguments.paired_ar_n is None else arguments.paired_ar_n
                return replace(resampling, test="paired-ar", trials=trials)
            count = resampling.resamples if arguments.paired_bs_n is None else arguments.paired_bs_n
            return replace(resampling, test="paired-bs", trials=count, resamples=count)
        except InputError as error:
            raise UsageError(f"{error} (--paired-bs-n, --paired-ar-n)") from None

    def collecting(self, write: Callable[[str], object] | None) -> Callable[[str], object] | None:
        """Returns a function that receives rows of JSON: it collects them for ``--sentence-level``, and writes them."""
        if not self.arguments.sentence_level:
            return write

        def collect(lines: str) -> None:
            if write is not None:
                write(lines)
            self._rows.extend(json.loads(line)["metrics"] for line in lines.splitlines())

        return collect

    def printed(self, result: Evaluation, metrics: Sequence[LabelledMetric]) -> str | None:
        """Returns the scores of systems, or of the outputs of one system, in a shape of sacreBLEU; `None` without one.

        Raises:
            UsageError: if the outputs of several systems are requested.
        """
        if self.shape is None:
            return None
        self.shape.scores = [*headings_of(result, None, TableLayout(scores=self.arguments.scores))]
        if not self.arguments.sentence_level:
            return in_shape(result, metrics, self.shape)
        if len(result.systems) > 1:
            raise UsageError(
                f"--sentence-level prints the scores of one system, got {len(result.systems)}; for several systems, "
                "write a file of output scores: fw evaluate MACRO.json MICRO.jsonl …"
            )
        return sentence_lines(self._rows, result, metrics[0], self.shape)


def _chosen_format(arguments: argparse.Namespace) -> str:
    """Returns the name of the format that ``-f`` or ``--format`` chooses.

    Raises:
        UsageError: if they choose different formats, or there is no such format.
    """
    long, short = arguments.format, arguments.shape
    if short is None:
        return str(long or format_of_file(arguments.output))
    name = f"sacrebleu-{short}" if short in ("text", "json") else str(short)
    known = (*FORMATS.names(), *OTHER_FORMATS)
    if name not in known:
        raise UnknownChoiceError("format", name, ["text", *(name for name in known if name not in SHAPES)])
    if long not in (None, name):
        raise UsageError(f"-f {short} and --format {long} choose different formats; use only one of them")
    return name


def _chosen_shape(arguments: argparse.Namespace, name: str) -> Shape | None:
    needs_shape = arguments.score_only or arguments.sentence_level or arguments.short
    if name not in SHAPES and (arguments.format or arguments.shape) and needs_shape:
        raise UsageError(f"--score-only, --sentence-level and --short need -f text or -f json, got '{name}'")
    if name not in SHAPES and not needs_shape:
        return None
    digits = DIGITS if arguments.digits is None else arguments.digits
    kind: Any = SHAPES.get(name, "text")
    return Shape(kind, digits, arguments.score_only, arguments.short)
