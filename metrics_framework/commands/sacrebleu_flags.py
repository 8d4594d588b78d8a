"""The flags of sacreBLEU that set options of metrics, and hints for its flags that fw does not have (decision 0025)."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metrics_framework.commands.lookup import METRIC_FLAG
from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.common.options import parse_spec
from metrics_framework.io.reading import STANDARD
from metrics_framework.metrics.base.metric import Metric

_ELSEWHERE: Mapping[str, str] = {  # the flag of sacreBLEU, what to do instead
    "--echo": "print the texts of a test set with: fw setup dataset NAME --echo FIELD …",
    "--list": "list the test sets with: fw list test-sets",
    "--citation": "print the citation of a metric with: fw cite METRIC, and that of a test set with: fw setup dataset",
    "--cite": "print the citation of a metric with: fw cite METRIC, and that of a test set with: fw setup dataset",
    "--download": "set up a test set with: fw setup dataset NAME --pair PAIR",
    "-e": "files must be UTF-8; convert them with: iconv -f ENCODING -t UTF-8",
    "--encoding": "files must be UTF-8; convert them with: iconv -f ENCODING -t UTF-8",
    "--subset": "copy the rows of interest of the test set to a JSONL file and use --dataset FILE",
    "-d": "score the sentences of each original language with --origlang",
    "--detail": "score the sentences of each original language with --origlang",
    "-nc": "the output has no colors; leave the flag out",
    "--no-color": "the output has no colors; leave the flag out",
}


class MetricFlag(NamedTuple):
    """A flag that sets an option of some metrics, in a command that scores several.

    Attributes:
        flags: The flag, with its short form.
        metrics: The metrics.
        option: The option.
        metavar: The name of the value in the help; empty for a flag without a value.
    """

    flags: Sequence[str]
    metrics: Sequence[str]
    option: str
    metavar: str = ""

    @property
    def destination(self) -> str:
        """The name of the parsed value."""
        return f"of_{self.metrics[0]}_{self.option}"

    @property
    def argument(self) -> dict[str, Any]:
        """The options of the flag for argparse."""
        value = {"metavar": self.metavar} if self.metavar else {"action": "store_const", "const": True}
        return {"help": f"{self.option} of {' and '.join(self.metrics)}", **value}


_BLEU = ("bleu", "sent-bleu")
METRIC_FLAGS = (
    MetricFlag(("-s", "--smooth-method"), _BLEU, "smooth_method", "METHOD"),
    MetricFlag(("-sv", "--smooth-value"), _BLEU, "smooth_value", "FLOAT"),
    MetricFlag(("-tok", "--tokenize"), _BLEU, "tokenizer", "NAME"),
    MetricFlag(("-lc", "--lowercase"), _BLEU, "lowercase"),
    MetricFlag(("-cc", "--chrf-char-order"), ("chrf",), "char_order", "N"),
    MetricFlag(("-cw", "--chrf-word-order"), ("chrf",), "word_order", "N"),
    MetricFlag(("--chrf-beta",), ("chrf",), "beta", "FLOAT"),
    MetricFlag(("--chrf-whitespace",), ("chrf",), "whitespace"),
    MetricFlag(("--chrf-lowercase",), ("chrf",), "lowercase"),
    MetricFlag(("--chrf-eps-smoothing",), ("chrf",), "eps_smoothing"),
    MetricFlag(("--ter-case-sensitive",), ("ter",), "case_sensitive"),
    MetricFlag(("--ter-asian-support",), ("ter",), "asian_support"),
    MetricFlag(("--ter-no-punct",), ("ter",), "no_punct"),
    MetricFlag(("--ter-normalized",), ("ter",), "normalized"),
)


def with_metric_flags(specs: Sequence[Any], arguments: argparse.Namespace) -> Sequence[Any]:
    """Returns the metrics with the options that these flags set; an option given with the metric takes precedence.

    Raises:
        UsageError: if a flag is given for a metric that is not scored.
        UnknownNameError: if a flag is given for a metric that is not scored, and another one does not exist.
    """
    values = {metric_flag: getattr(arguments, metric_flag.destination) for metric_flag in METRIC_FLAGS}
    given = {metric_flag: value for metric_flag, value in values.items() if value is not None}
    if not given:
        return specs
    parsed = [parse_spec(spec) for spec in specs]
    for metric_flag, value in given.items():
        matching = [options for name, options in parsed if name in metric_flag.metrics]
        if not matching:
            for name, _ in parsed:
                Metric.by_name(name)  # 'BLEU' is an unknown metric rather than a missing one
            raise UsageError(
                f"{metric_flag.flags[-1]} sets an option of {metric_flag.metrics[0]}, which is not among the metrics; "
                f"add --metric {metric_flag.metrics[0]} or leave the flag out"
            )
        for options in matching:
            if not (metric_flag.option == "tokenizer" and "tokenize" in options):  # another name of the option
                options.setdefault(metric_flag.option, value)
    return [{"type": name, **options} for name, options in parsed]


def explain(words: Sequence[str], metric: str) -> None:
    """Explains what to do instead of a flag of sacreBLEU that fw does not have.

    Args:
        words: The arguments of the command.
        metric: The metric of the command, an empty string if the command has ``--metric``.

    Raises:
        UsageError: if one of the words is such a flag.
    """
    for word in words:
        flag = word.partition("=")[0]
        if flag in _ELSEWHERE:
            raise UsageError(f"{flag} is a flag of sacreBLEU, not of this command: {_ELSEWHERE[flag]}")
        if metric and flag in METRIC_FLAG:
            raise UsageError(f"fw {metric} has no {flag}, since it scores '{metric}' only; use fw evaluate {flag} …")


def refuse_misspelled(word: str) -> None:
    """Rejects an argument that is no file but almost the name of a metric, as in ``-m bleu chrf++``.

    Raises:
        UnknownNameError: if it is one.
    """
    from metrics_framework.common.errors import closest

    known = Metric.registry().names(aliases=True)
    is_name = not re.search(r"[./\\]", word) and word != STANDARD and not os.path.exists(word)
    if is_name and (closest(word, known, cutoff=0.75) or Metric.registry().answer(word)):
        raise UnknownNameError("metric", word, known, answer=Metric.registry().answer(word))


def remove_repeated_baseline(arguments: argparse.Namespace) -> None:
    """Removes the baseline from the other systems of a paired test, as in ``-i systems/base systems/*``."""
    if arguments.outputs:
        baseline, *others = arguments.outputs
        arguments.outputs = [baseline, *(path for path in others if path != baseline)]


def with_effective_order(specs: Sequence[Any]) -> Sequence[Any]:
    """Returns the metric of ``--sentence-level`` as sacreBLEU scores sentences: BLEU with effective order.

    Raises:
        UsageError: if there are several metrics.
    """
    if len(specs) != 1:
        raise UsageError(
            f"--sentence-level prints one metric, got {len(specs)}; for several metrics, write a file of output "
            "scores: fw evaluate … MACRO.json MICRO.jsonl"
        )
    name, options = parse_spec(specs[0])
    if name == "bleu":
        options.setdefault("effective_order", True)
    return [{"type": name, **options}]
