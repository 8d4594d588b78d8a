"""What ``evaluate`` and ``score`` share: which metrics, which reader, which files, from flags or a configuration."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from overrides import overrides

from metrics_framework.commands.arguments import Parser, add_options, add_plugin_flag, chosen_options, number_of_jobs
from metrics_framework.commands.command import Command
from metrics_framework.commands.configuration import KEYS, read_configuration
from metrics_framework.commands.inputs import reader_and_files
from metrics_framework.commands.paths import check_output_word, refuse_metrics, refuse_overwriting
from metrics_framework.common.construct import options_of
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.kernels.dispatch import implementation
from metrics_framework.metrics.base.labelled_metric import LabelledMetric, labelled
from metrics_framework.metrics.base.metric import Metric

INPUT_USAGE = (
    "INPUT [flags]\n"
    "       INPUT: --input-files FILE … | --outputs FILE … (--dataset NAME | --references FILE … [--sources FILE])"
)
"""How the line of usage of commands that read outputs goes on."""


@dataclass
class Plan:
    """What a run is to do.

    Args:
        metrics: The metrics.
        reader: Reads the files.
        input_files: The files.
        outputs: Name of an output (``macro_output_json``, …) to its path.
        duplicates: What to do with duplicate rows.
        log: Takes notes and warnings.
        jobs: How many processes score.
        other_files: The files that the reader reads beside them.
        test_set: The named test set that the outputs are scored against, empty for none.
        config: The configuration that the rest comes from, empty for none.
    """

    metrics: list[LabelledMetric]
    reader: DatasetReader
    input_files: list[str]
    duplicates: Duplicates
    log: Log
    jobs: int = 1
    outputs: dict[str, str] = field(default_factory=dict)
    other_files: list[str] = field(default_factory=list)
    test_set: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)


class ScoringCommand(Command):
    """Base of ``evaluate`` and ``score``, for one metric or several.

    Args:
        name: The metric's name; empty for the form that takes ``--metric`` or ``--config``.
        metric: The metric's class.
    """

    output_names: Sequence[str] = ()
    config_keys: Sequence[str] = ()
    outputs_help = ""

    def __init__(self, name: str = "", metric: type[Metric] | None = None) -> None:
        self.name = name
        self.metric = metric

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        options = [] if self.metric is None else options_of(self.metric, Metric)
        group = parser.add_argument_group(f"options of {self.name}") if options else None
        self.add_input(parser)
        self._add_outputs(parser)
        self.add_own_arguments(parser)
        if self.metric is None:
            _add_metrics(parser, (*KEYS, *self._own_keys))
        run = parser.add_argument_group("run")
        run.add_argument(
            "--jobs",
            type=number_of_jobs,
            default=1,
            metavar="N",
            help="how many processes score; 0 for one for each usable processor (default: 1)",
        )
        run.add_argument("--strict", action="store_true", help="make every warning an error")
        run.add_argument(
            "--silent", action="store_true", help="print no notes and warnings; with an output file, no table"
        )
        run.add_argument("--log-file", metavar="FILE", help="append notes and warnings to a file too")
        add_plugin_flag(parser)
        add_options(parser, group, options, self.name)

    def add_own_arguments(self, parser: Parser) -> None:
        """Adds what only one of the two commands has."""

    def plan(self, arguments: argparse.Namespace) -> Plan:
        """Works out what to do.

        Raises:
            UsageError: if something is missing or contradicts something else.
        """
        implementation()  # refuses kernels that are not there before anything is read
        words = list(arguments.positional)
        refuse_metrics(words, Metric.registry().names(aliases=True))
        config, path = self._configuration(arguments, words)
        reader, files, others = reader_and_files(arguments, config)
        metrics = self.chosen_metrics(arguments, config)
        outputs = self._outputs(arguments, config, words)
        written = [*outputs.values(), *([arguments.log_file] if arguments.log_file else [])]
        refuse_overwriting(written, [*files, *others, *([path] if path else [])])
        log = Log(arguments.strict, arguments.silent, arguments.log_file)
        test_set = arguments.dataset or config.get("dataset") or ""
        return Plan(
            labelled(metrics),
            reader,
            files,
            arguments.duplicates,
            log,
            arguments.jobs,
            outputs,
            others,
            test_set,
            config,
        )

    def _add_outputs(self, parser: Parser) -> None:
        group = parser.add_argument_group("output")
        group.add_argument("positional", nargs="*", metavar="OUT", help=f"{self.outputs_help}; - is standard output")
        for name in self.output_names:
            group.add_argument(f"--{name.replace('_', '-')}", metavar="FILE", help="the same, as a flag")

    @staticmethod
    def add_input(parser: Parser) -> None:
        """Adds the flags that say what to read; `reader_and_files` works out what they come to."""
        group = parser.add_argument_group("input")
        group.add_argument(
            "--input-files",
            "--input-file",
            nargs="+",
            metavar="FILE",
            help="JSONL, CSV or TSV; .gz, .zst; - is standard input",
        )
        group.add_argument(
            "--dataset-reader", metavar="READER", help="how to read them (fw list readers); name or JSON"
        )
        group.add_argument(
            "--outputs", nargs="+", metavar="FILE", help="plain text, one output a line, one system a file"
        )
        group.add_argument(
            "--dataset",
            metavar="NAME",
            help="score --outputs against a test set (fw list datasets); name or JSONL file",
        )
        group.add_argument(
            "--references", "--reference-files", nargs="+", metavar="FILE", help="plain text, one reference a line"
        )
        group.add_argument("--sources", "--source-file", metavar="FILE", help="plain text, one source a line")
        group.add_argument(
            "--duplicates",
            choices=("error", "first", "last"),
            default="error",
            help="what to do with a second output of one system for one input (default: error)",
        )

    def _configuration(self, arguments: argparse.Namespace, words: list[str]) -> tuple[Mapping[str, Any], str | None]:
        if self.metric is not None:
            return {}, None
        path = arguments.config
        no_input = not (arguments.metric or arguments.input_files or arguments.outputs)
        if path is None and words and (no_input or len(words) == len(self.output_names) + 1):
            path = words.pop(0)
        return read_configuration(path, arguments.overrides, self._own_keys), path

    @property
    def _own_keys(self) -> tuple[str, ...]:
        """The keys that only a configuration of this command may have."""
        return (*self.config_keys, *self.output_names)

    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        """Returns what builds the metrics of the run.

        Raises:
            UsageError: if there are none.
        """
        if self.metric is not None:
            return [{"type": self.name, **chosen_options(arguments)}]
        metrics = arguments.metric or config.get("metrics") or []
        if not metrics:
            raise UsageError("no metric; give --metric NAME (fw list metrics shows them) or --config FILE")
        return metrics if isinstance(metrics, list) else [metrics]

    def _outputs(self, arguments: argparse.Namespace, config: Mapping[str, Any], words: list[str]) -> dict[str, str]:
        if len(words) > len(self.output_names):
            raise UsageError(
                f"'{words[len(self.output_names)]}' is one argument too many; "
                f"{len(self.output_names)} output files can be given: {', '.join(self.output_names)}"
            )
        for word in words:
            check_output_word(word)
        outputs = {name: config[name] for name in self.output_names if name in config}
        outputs.update(zip(self.output_names, words, strict=False))
        for name in self.output_names:
            flag = getattr(arguments, name)
            if flag is not None:
                if name in self.output_names[: len(words)]:
                    raise UsageError(f"the {name.replace('_', ' ')} is given twice, as an argument and as a flag")
                outputs[name] = flag
        return outputs


def _add_metrics(parser: Parser, keys: Sequence[str]) -> None:
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "--metric",
        action="append",
        metavar="NAME[:OPTION=VALUE,…]",
        help="a metric and its options; several --metric score in one pass; label=NAME renames its scores",
    )
    group.add_argument("--config", metavar="FILE", help=f"JSON with some of the keys {', '.join(keys)}; flags win")
    group.add_argument("--overrides", metavar="JSON", help="replaces parts of the configuration")
