"""The base class of ``evaluate``, ``score`` and ``report``: makes one request of flags or a configuration."""

from __future__ import annotations

import argparse
import math
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from metrics_framework.commands.arguments import (
    METRIC_FLAG,
    Flag,
    MetricFlag,
    Parser,
    StoreList,
    add_log_arguments,
    number_of_jobs,
)
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import FORCE_HELP, check_ending
from metrics_framework.commands.run_arguments import (
    RESULT_ENDINGS,
    add_input_arguments,
    names_data_sets,
    only_data_set,
    reader_and_files,
    specs_of,
    take_metrics,
    take_references,
    with_tokenizers,
)
from metrics_framework.common.calls import flag_of_others
from metrics_framework.common.errors import PARQUET, TAKEN, UsageError
from metrics_framework.common.options import options_of
from metrics_framework.common.overriding import overrides
from metrics_framework.io.reading import STANDARD, uncompressed_name
from metrics_framework.io.writing import OutputFiles, is_stream, output_path
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import LabelledMetric, Metric, each_once, labelled, parse_metric

if TYPE_CHECKING:
    from metrics_framework.common.logs import Log
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader
    from metrics_framework.evaluation.engine import Engine
    from metrics_framework.evaluation.profiles.profile import Profile


EVERYDAY = (
    *("--input-files", "--outputs", "--references", "--sources", "--dataset", "--columns", "--where"),
    *("--metric", "--output", "--jobs", "--silent"),
)
"""The flags of every day that commands which score outputs share."""
METRIC_EVERYDAY = (*EVERYDAY[:5], "--output", "--confidence")
"""Those of commands of one metric, besides its options."""


BY: Mapping[str, Any] = {"metavar": "COLUMN", "help": "score each value of a column separately"}
"""The declaration of ``--by``, which all commands share that score outputs."""
TABLE, PAPER = "table", "paper"
"""The keys of the files for the table, and for the parts of a paper, among the outputs."""
_ENDINGS = {"json": (".json",), "jsonl": (".jsonl", ".json", ".parquet")}
"""By the last part of the name of an output, the endings of its file."""
MAX_SECONDS = 86_400
CONNECTION_SECONDS = 30.0
"""How long to wait for a connection to Ray or Dask, unless ``--engine-timeout`` says otherwise."""


def _engine(word: str) -> str:
    if not word.strip():
        raise argparse.ArgumentTypeError("must name a cluster, as in ray:auto, got an empty text")
    return word


def _seconds(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 < number <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, at most {MAX_SECONDS}, got '{word}'")
    return number


class RunFlags:
    """Flags of how to score.

    Args:
        jobs: The number of processes; 0 uses all available CPUs.
        engine: Score on a cluster: ray:auto or ray://HOST:10001 for Ray, tcp://HOST:8786 for Dask.
        engine_timeout: How long to wait for a connection to Ray or Dask.
    """

    jobs = Flag("-j", "--paired-jobs", type=number_of_jobs, default=1, metavar="N")
    engine = Flag(type=_engine, metavar="ADDRESS")
    engine_timeout = Flag(type=_seconds, metavar="SECONDS", implied=f"{CONNECTION_SECONDS:g}")


class ScoringInput(NamedTuple):
    """What is scored of a data set.

    Args:
        metrics: The metrics.
        reader: Reads the input files.
        input_files: The input files.
        other_files: The other files that the reader reads.
        test_set: The test set named by ``--dataset``, or an empty string.
    """

    metrics: list[LabelledMetric]
    reader: DatasetReader
    input_files: list[str]
    other_files: list[str]
    test_set: str


class ScoringRequest(NamedTuple):
    """The inputs, outputs and options of a run.

    Args:
        sets: Data set to what is scored of it; an empty name if there is only one.
        outputs: Maps each output (``macro_output_json``, …) to its path.
        log: Prints notes and warnings.
        config: The configuration, which may be empty.
        engine: The engine that scores, instead of processes of this machine.
    """

    sets: Mapping[str, ScoringInput]
    outputs: dict[str, str]
    log: Log
    config: Mapping[str, Any]
    engine: Engine | None = None

    @property
    def only(self) -> ScoringInput:
        """The input of the only data set.

        Raises:
            UsageError: if there are several.
        """
        return self.sets[only_data_set([*self.sets])]


@dataclass
class ScoringCommand(Command):
    """The base class of commands that score outputs.

    Args:
        name: The name of the metric; empty for commands with ``--metric`` or ``--config``.
        metric: The class of the metric.

    Attributes:
        output_names: Maps each output file, as a key of configurations, to its content.
        config_keys: Additional keys of configurations.
        output_help: Help text of the arguments without a flag.
        takes_references: Whether files without a flag that exist and are not JSON are references.
        prints_table: Whether a table is printed, or written to the file of ``--output``.
        has_engine: Whether an engine may score.
    """

    output_names: ClassVar[Mapping[str, str]] = {}
    config_keys: ClassVar[Sequence[str]] = ()
    when_interrupted = "nothing was written"
    output_help: ClassVar[str] = ""
    takes_references: ClassVar[bool] = False
    prints_table: ClassVar[bool] = False
    has_engine: ClassVar[bool] = False
    name: str = ""
    metric: type[Metric] | None = None
    profile: Profile | None = None

    @overrides
    def examples(self) -> Sequence[str]:
        if self.metric is None:
            return self.example_lines
        return examples_of_metric(self.metric, self.name, self.registered_name)

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        options = [] if self.metric is None else options_of(self.metric, Metric)
        group = parser.add_argument_group(f"options of {self.name}") if options else None
        add_input_arguments(parser).add_argument("--by", **BY)
        output = parser.add_argument_group("output")
        output.add_argument("positional", nargs="*", metavar="OUT", help=self.output_help)
        short = ("-o", "--output") if len(self.output_names) == 1 else ()
        for name, content in self.output_names.items():
            output.add_argument(
                f"--{name.replace('_', '-')}", *short, dest=name, metavar="FILE", help=f"file for {content}"
            )
        help_text = f"{FORCE_HELP}; do not warn of outputs that look tokenized"
        output.add_argument("--force", action="store_true", help=help_text)
        self.add_command_arguments(parser)
        if self.metric is None:
            from metrics_framework.commands.configuration import COMMON_KEYS

            keys = ", ".join((*COMMON_KEYS, *self.config_keys, *self.output_names))
            metrics = add_metric_arguments(
                parser,
                help="metrics with their options (fw list metrics sari shows those of sari); the option label=NAME "
                "renames the scores of a metric",
            )
            config = f"JSON file with any of the keys {keys}; flags override it"
            metrics.add_argument("--config", metavar="FILE", help=config)
            metrics.add_argument("--overrides", metavar="JSON", help="JSON that replaces parts of the configuration")
        run = parser.add_argument_group("run")
        parser.add_flags(run, RunFlags, without=() if self.has_engine else ("engine", "engine_timeout"))
        add_log_arguments(run, "an output file")
        parser.add_options(group, options, self.name)
        parser.everyday_group = group
        if self.metric is not None:
            parser.everyday = frozenset(METRIC_EVERYDAY)
        for flag in METRIC_FLAGS:
            if self.name in flag.metrics:
                parser.other_names.update(dict.fromkeys(flag.flags, flag.option))

    @abstractmethod
    def add_command_arguments(self, parser: Parser) -> None:
        """Adds the flags that only this command has."""

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        from metrics_framework.commands.output_paths import refuse_overwriting
        from metrics_framework.common.logs import Log
        from metrics_framework.kernels.dispatch import implementation

        implementation()  # raises an error for unavailable kernels before anything is read
        positional = self._positional(arguments)
        is_paired = getattr(arguments, "paired_bs", False) or getattr(arguments, "paired_ar", False)
        if is_paired and arguments.outputs:  # as in: -i systems/base systems/*
            baseline, *others = arguments.outputs
            arguments.outputs = [baseline, *(path for path in others if path != baseline)]
        config, config_path = ({}, None) if self.metric is not None else self.configuration(arguments, positional)
        notes: list[str] = []
        sets, given = {}, {"": (arguments, config)}
        if names_data_sets(arguments, config):
            from metrics_framework.commands.data_sets import data_sets_of, note_on_systems

            given = data_sets_of(arguments, config)
            notes += note_on_systems({name: of_set for name, (of_set, _) in given.items()})
        for name, (of_set, of_config) in given.items():
            sets[name] = self._input_of(of_set, of_config, notes)
            if "baseline" in arguments:  # a file of outputs becomes its system
                arguments.baseline = of_set.baseline
        chosen = self.chosen_outputs(arguments, config, positional)
        outputs = {name: output_path(path) for name, path in chosen.items()}
        scorers = [metric.metric for of_set in sets.values() for metric in of_set.metrics]
        if [scorer for scorer in scorers if vars(scorer).get("keeps_scores")]:
            self.when_interrupted = "nothing was written; the same command continues with what is in the cache"
        readers = [of_set.reader for of_set in sets.values()]
        also_read = [path for part in (*readers, *scorers) for path in part.files_read()]
        files = [path for of_set in sets.values() for path in (*of_set.input_files, *of_set.other_files)]
        inputs = [*files, *also_read, *filter(None, [config_path])]
        refuse_overwriting(outputs.values(), inputs, force=arguments.force, log_file=arguments.log_file)
        with Log(arguments.strict, arguments.silent, arguments.log_file, checks=not arguments.no_checks) as log:
            log.are_detokenized = arguments.force
            log.option_form = "flags" if self.metric is not None else "spec"
            for note in notes:
                log.note(note)
            request = ScoringRequest(
                sets,
                outputs=outputs,
                log=log,
                config=config,
                engine=_chosen_engine(arguments)
                if self.has_engine and (arguments.engine or arguments.engine_timeout)
                else None,
            )
            self.run_request(request, arguments)
        return 0

    def _input_of(self, arguments: argparse.Namespace, config: Mapping[str, Any], notes: list[str]) -> ScoringInput:
        """Returns what is read of a data set; notes say how its outputs and tokenizers were found."""
        reader, files, other_files = reader_and_files(arguments, config)
        test_set = arguments.dataset or config.get("dataset") or ""
        if not (arguments.outputs or arguments.input_files) and list(files) == [STANDARD]:
            notes.append("reading outputs from standard input")
        if self.metric is not None:
            specs: Sequence[Any] = [{"type": self.name, **arguments.options}]
        else:
            specs = with_metric_flags(self.chosen_metrics(arguments, config), arguments)
        if getattr(arguments, "sentence_level", False):
            specs = with_effective_order(specs)
        if arguments.language_pair or "/" in test_set:
            specs = with_tokenizers(specs, arguments, test_set, notes.append)
        return ScoringInput(labelled(specs), reader, files, other_files, test_set)

    def _positional(self, arguments: argparse.Namespace) -> list[str]:
        """Returns the arguments without a flag that are neither metrics after ``--metric`` nor references.

        Raises:
            UsageError: if an argument is a number, or a metric without ``--metric``.
            UnknownNameError: if an argument after ``--metric`` resembles the name of a metric.
        """
        words: list[str] = arguments.positional
        if self.metric is None:
            words = take_metrics(arguments, words)
        for word in words:
            if word[:1].isdigit() and not word.strip("0123456789.%"):
                raise UsageError(
                    f"unexpected argument '{word}': a number is not a file name; a confidence level follows its flag, "
                    f"as in --confidence {word}"
                )
            if "cache" in arguments.options and not word.endswith((*RESULT_ENDINGS, ".gz", ".zst")):
                raise UsageError(flag_of_others("--cache"))
            if self.metric is not None and word.partition(":")[0] in METRICS.names(aliases=True):
                raise UsageError(f"'{word}' is a metric, not a file; score it with: fw evaluate --metric {word} …")
        if self.takes_references and not all(word.endswith(RESULT_ENDINGS) for word in words):
            return take_references(arguments, words)
        return words

    @abstractmethod
    def run_request(self, request: ScoringRequest, arguments: argparse.Namespace) -> None:
        """Scores the outputs, and writes and prints the results."""

    def configuration(
        self, arguments: argparse.Namespace, positional: list[str]
    ) -> tuple[Mapping[str, Any], str | None]:
        """Returns the configuration and its path; without input flags, the first argument is the configuration."""
        from metrics_framework.commands.configuration import read_configuration

        path = arguments.config
        no_input = not (arguments.metric or arguments.input_files or arguments.outputs)
        is_rows = bool(positional) and positional[0].endswith(".jsonl")
        if path is None and positional and not is_rows and (no_input or len(positional) == len(self.output_names) + 1):
            path = positional.pop(0)
        return read_configuration(path, arguments.overrides, (*self.config_keys, *self.output_names)), path

    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        """Returns the metrics that flags or configuration name.

        Raises:
            UsageError: if there are no metrics.
        """
        metrics: Sequence[Any] = arguments.metric or config.get("metrics") or []
        if profile := arguments.profile or config.get("profile"):
            from metrics_framework.evaluation.profiles.profile import load_profile

            self.profile = load_profile(profile)
            return [*self.profile.specs, *metrics]
        if not metrics:
            raise UsageError(
                "no metric; use --metric NAME, as in -m bleu (fw list metrics shows all), or --config FILE"
            )
        return metrics

    def chosen_outputs(
        self, arguments: argparse.Namespace, config: Mapping[str, Any], positional: Sequence[str]
    ) -> dict[str, str]:
        """Returns the path of each requested output file.

        Raises:
            UsageError: if there are too many, one is given twice, or an argument is not an output file.
        """
        names = list(self.output_names)
        if len(positional) > len(names):
            raise UsageError(
                f"unexpected argument '{positional[len(names)]}'; at most {len(names)} output files can be given: "
                f"{', '.join(names)}"
            )
        for path, name in zip(positional, names, strict=False):
            _check_output_argument(path, name, self.output_names[name])
        outputs = {name: config[name] for name in names if name in config}
        outputs.update(zip(names, positional, strict=False))
        for name in names:
            path = getattr(arguments, name)
            if path is not None:
                if name in names[: len(positional)]:
                    flag = f"--{name.replace('_', '-')}"
                    raise UsageError(
                        f"the file for {self.output_names[name]} is given twice, as an argument and as {flag}"
                    )
                outputs[name] = path
        for name, path in outputs.items():
            if uncompressed_name(path).lower().endswith((".csv", ".tsv")):
                endings = _either(_ENDINGS[name.rpartition("_")[2]])
                raise UsageError(f"expected a {endings} file for {self.output_names[name]}, got '{path}'")
        if self.prints_table and arguments.output not in (None, STANDARD):
            outputs[TABLE] = arguments.output
        if self.prints_table and arguments.paper is not None:
            check_ending("--paper", arguments.paper, (".tex",))
            outputs[PAPER] = arguments.paper
        return outputs


def _check_output_argument(path: str, name: str, content: str) -> None:
    """Rejects an argument without a flag that was not meant as an output file (decision 0014).

    Args:
        path: The argument.
        name: The name of the output, such as ``macro_output_json``.
        content: What would be written.

    Raises:
        UsageError: if its ending is that of another format or of compressed Parquet, or it is an existing
            configuration.
    """
    endings = _ENDINGS.get(name.rpartition("_")[2], ())
    if not uncompressed_name(path).endswith(endings):
        if is_stream(path) or (os.path.exists(path) and not os.path.isfile(path)):
            return
        expected = f"expected a file that ends in {_either(endings)} for {content}, got '{path}'"
        where = "output files" if os.path.exists(path) else "output files, or files of references that exist"
        advice = f"to write {content} there, use --{name.replace('_', '-')} {path}"
        if path.endswith((".csv", ".tsv")):
            advice = f"{content} are written as JSON, such as {path[:-4]}{endings[0]}"
        raise UsageError(f"{expected}; arguments without a flag are {where}; {advice}")
    if not path.endswith(PARQUET) and uncompressed_name(path).endswith(PARQUET):
        raise UsageError(f"Parquet is compressed already; write {content} to '{uncompressed_name(path)}'")
    if path.endswith(".json") and os.path.isfile(path) and _is_configuration(path):
        raise UsageError(f"'{path}' is a configuration and would be overwritten; use --config {path} to read it")


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _is_configuration(path: str) -> bool:
    import json

    try:
        with open(path, encoding="utf-8") as stream:
            content = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(content, dict):
        return False
    return "input_files" in content or "outputs" in content or isinstance(content.get("metrics"), list)


def row_writer(path: str, opened: OutputFiles, stack: ExitStack) -> Callable[[str], object]:
    """Returns the function that writes rows of JSON to an output file, as JSON lines or as Parquet.

    Args:
        path: The file.
        opened: Opens it.
        stack: Completes it.
    """
    if not path.endswith(PARQUET):
        return opened.open(path).write
    from metrics_framework.evaluation.output_rows import parquet_rows

    return stack.enter_context(parquet_rows(opened, path))


def _chosen_engine(arguments: argparse.Namespace) -> Engine | None:
    """Returns the engine that the flags name; `None` for none.

    Raises:
        UsageError: if it is unknown, or another flag has no effect.
        MissingExtraError: if its package is not installed.
    """
    if arguments.engine is None:
        if arguments.engine_timeout is not None:
            raise UsageError("--engine-timeout limits connecting to a cluster; use it with --engine, or leave it out")
        return None
    if arguments.jobs != 1:
        raise UsageError("--engine chooses the processes, so --jobs would have no effect; use only one of them")
    from metrics_framework.evaluation.engine import engine_of

    return engine_of(arguments.engine, arguments.engine_timeout)


_FLAGS = {"summary": "", "references": "--references references.*.txt", "source": "--sources sources.txt"}
_PYRAMIDS = "--dataset-reader pyramid-based", "--input-files pyramids.jsonl annotations.jsonl"
_SPLIT_DOCUMENTS = "--dataset-reader split-document-based", "--input-files documents.jsonl summaries.jsonl"
_MAX_LINE = 74


def examples_of_metric(metric: type[Metric], name: str, action: str) -> Sequence[str]:
    """Returns the examples of ``fw <metric> <action>``; none for metrics of unusual fields.

    Args:
        metric: The class of the metric.
        name: Its name.
        action: ``evaluate`` or ``score``.
    """
    fields = (*metric.required_summary_fields, *metric.required_context_fields)
    program, flags, rows = f"fw {name} {action}", metric.example_flags, "--input-files outputs.jsonl"
    evaluates = action == "evaluate"
    first, files = ("", "macro.json micro.jsonl") if evaluates else ("scores.jsonl", "scores.jsonl")
    if fields == ("summary", "documents"):
        return _command(program, first, flags, rows), _command(program, files, flags, *_SPLIT_DOCUMENTS)
    if set(fields) == {"summary", "documents", "references"}:  # only files of rows have all of them
        other = files if evaluates else "scores.jsonl.gz"
        return _command(program, first, flags, rows), _command(program, other, flags, rows)
    if "pyramid" in fields:
        return (_command(program, files, *_PYRAMIDS),)
    if not set(fields) <= _FLAGS.keys():
        return ()
    texts = ["--outputs a.txt b.txt", *(_FLAGS[field] for field in fields)]
    confidence = "--confidence" * evaluates
    return _command(program, first, flags, *texts), _command(program, files, confidence, flags, rows)


def _command(*parts: str) -> str:
    """Joins the parts of a command, with a backslash and a new line where a line would be too long."""
    lines = [""]
    for part in filter(None, parts):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > _MAX_LINE:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    return " \\\n    ".join(lines)


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


def add_metric_arguments(parser: Parser, help: str) -> argparse._ArgumentGroup:
    """Adds the flags of metrics and their options, which all commands share that score outputs.

    Args:
        parser: The parser.
        help: The help of ``--metric``.

    Returns:
        The group of the flags.
    """
    group = parser.add_argument_group("metrics")
    words: Mapping[str, Any] = {"action": StoreList, "type": specs_of, "default": []}
    metavar = "NAME[:OPTION=VALUE,…]"
    group.add_argument(*METRIC_FLAG, **words, metavar=metavar, help=help)
    group.add_argument(
        "--profile",
        metavar=metavar,
        help="set of metrics, its table and its page, with options (fw list profiles shows all)",
    )
    options = parser.add_argument_group("options of bleu, chrf and ter, as in sacreBLEU")
    for flag in METRIC_FLAGS:
        value: dict[str, Any] = {"metavar": flag.metavar} if flag.metavar else {"action": "store_const", "const": True}
        options.add_argument(*flag.flags, help=f"{flag.option} of {' and '.join(flag.metrics)}", **value)
    return group


def with_metric_flags(specs: Sequence[Any], arguments: argparse.Namespace) -> Sequence[Any]:
    """Returns the metrics with the options that these flags set; an option given with the metric takes precedence.

    Raises:
        UsageError: if a flag is given for a metric that is not scored.
        UnknownNameError: if a flag is given for a metric that is not scored, and another one does not exist.
    """
    parsed_flags = vars(arguments)
    values = {flag: parsed_flags[flag.flags[-1].strip("-").replace("-", "_")] for flag in METRIC_FLAGS}
    given = {flag: value for flag, value in values.items() if value is not None} | arguments.metric_options
    specs = each_once(specs)
    if not given:
        return specs
    parsed = [parse_metric(spec) for spec in specs]
    for metric_flag, value in given.items():
        matching = [options for name, options in parsed if name in metric_flag.metrics]
        if not matching:
            advice = f"add --metric {metric_flag.metrics[0]} or leave the flag out"
            for name, _ in parsed:  # 'BLEU' is an unknown metric rather than a missing one
                if any(one.name == metric_flag.option for one in options_of(Metric.by_name(name), Metric)):
                    advice = f"for {name}, use --metric {name}:{metric_flag.option}={_written(value)}"
            raise UsageError(
                f"{metric_flag.flags[-1]} sets an option of {metric_flag.metrics[0]}, which is not among the metrics; "
                f"{advice}"
            )
        for options in matching:
            if not (metric_flag.option == "tokenizer" and "tokenize" in options):  # another name of the option
                options.setdefault(metric_flag.option, value)
        for name, options in parsed:
            _say_unchanged(metric_flag, value, name, options)
    return [{"type": name, **options} for name, options in parsed]


def _say_unchanged(flag: MetricFlag, value: Any, name: str, options: Mapping[str, Any]) -> None:
    """Says that a flag of BLEU leaves the same option of another metric at its default, which is another value."""
    for one in options_of(Metric.by_name(name), Metric) if flag.metrics == _BLEU and name not in _BLEU else ():
        if one.name == flag.option and one.default != value and options.keys().isdisjoint((one.name, *one.aliases)):
            use = f"{name}:{one.name}={_written(value)}"
            TAKEN.get()(f"{flag.flags[-1]} sets the option of BLEU only; for {name}, use --metric {use}")


def _written(value: Any) -> str:
    return "true" if value is True else str(value)


def with_effective_order(specs: Sequence[Any]) -> Sequence[Any]:
    """Returns the metric of ``--sentence-level`` as sacreBLEU scores sentences: BLEU with effective order.

    Raises:
        UsageError: if there are several metrics.
    """
    if len(specs) != 1:
        raise UsageError(
            f"--sentence-level prints one metric, got {len(specs)}; for several metrics, write a file of output "
            "scores: fw evaluate MACRO.json MICRO.jsonl …"
        )
    name, options = parse_metric(specs[0])
    if name == "bleu":
        options.setdefault("effective_order", True)
    return [{"type": name, **options}]
