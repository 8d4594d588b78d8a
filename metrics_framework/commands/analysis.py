"""What the commands that analyse scores and ratings share: flags for output and randomness, and the output files."""

from __future__ import annotations

import argparse
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence_arguments import LEVEL_VALUE
from metrics_framework.commands.earlier_results import FORCE_HELP, refuse_foreign_files
from metrics_framework.commands.output_paths import refuse_overwriting
from metrics_framework.commands.table_files import FORMAT_HELP, OUTPUT_HELP, format_of_file
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.io.locations import expanded
from metrics_framework.io.streams import (
    STANDARD,
    OutputFiles,
    output_files,
    output_path,
    print_result,
    standard_output,
)
from metrics_framework.io.streams import uncompressed_name as uncompressed
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON
from metrics_framework.reports.pictures import check_converter, converted, format_of_picture


class Printable(Protocol):
    """A result that can be printed as a table and as JSON."""

    def table(self, format: str = "table") -> str:
        """Returns the table in an output format, without a final line break."""

    def to_json(self) -> str:
        """Returns all results as JSON, without a final line break."""


class Analysis(Command):
    """A command that reads files of scores or ratings, and prints one result.

    A subclass declares its flags in `add_input_arguments`, and computes its result in `result`.

    Attributes:
        pictures: Flag to the endings of the file that it writes, such as ``{"--plot": ENDINGS}``; `picture` draws it.
    """

    when_interrupted = "nothing was written"
    pictures: ClassVar[Mapping[str, Sequence[str]]] = {}

    @abstractmethod
    def add_input_arguments(self, parser: Parser) -> None:
        """Declares the flags, except those for output."""

    @abstractmethod
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        """Returns the files that are read, after checking the flags.

        Raises:
            UsageError: if there are none, or flags contradict each other.
        """

    @abstractmethod
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        """Computes the result."""

    def picture(self, flag: str, result: Printable, path: str) -> str:
        """Returns the content of a picture or page.

        Args:
            flag: A key of `pictures`.
            result: What `result` returned.
            path: The name of its file.

        Returns:
            SVG or HTML; pictures with another ending are converted.
        """
        raise NotImplementedError

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        self.add_input_arguments(parser)
        group = parser.add_argument_group("output")
        group.add_argument("--output-file", metavar="OUT.json", help="JSON file for all results; - is standard output")
        group.add_argument("--format", choices=(*FORMATS.names(), JSON), help=FORMAT_HELP)
        group.add_argument("-o", "--output", metavar="FILE", help=OUTPUT_HELP)
        self.add_picture_arguments(group)
        group.add_argument("--force", action="store_true", help=FORCE_HELP)
        group.add_argument("--strict", action="store_true", help="treat warnings as errors")
        group.add_argument(
            "--silent", action="store_true", help="print no notes or warnings; with --output-file, no table either"
        )
        group.add_argument("--log-file", metavar="FILE", help="append notes and warnings to a file")

    def add_picture_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Declares the flags of pictures and pages."""
        return

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        chosen = {flag: _value(arguments, flag) for flag in self.pictures}
        pictures = {flag: path for flag, path in chosen.items() if path is not None}
        if arguments.output_file is None and arguments.output is None and not pictures:
            standard_output()  # fails before the work if it is closed
        with Log(strict=arguments.strict, silent=arguments.silent, file=arguments.log_file) as log:
            self._write(arguments, pictures, log)
        return 0

    def _write(self, arguments: argparse.Namespace, pictures: Mapping[str, str], log: Log) -> None:
        arguments.format = arguments.format or format_of_file(arguments.output)
        if arguments.output is not None and output_path(arguments.output) == STANDARD:
            arguments.output = None
        chosen = (arguments.output_file, *pictures.values(), arguments.output)
        outputs = [output_path(path) for path in chosen if path is not None]
        for flag, path in pictures.items():
            self._check_ending(flag, path)
        _expand_patterns(arguments)
        paths = self.input_files(arguments)
        refuse_overwriting([*outputs, *filter(None, [arguments.log_file])], paths)
        refuse_foreign_files(outputs, arguments.force)
        with output_files() as opened:  # before the work, so that a file that cannot be written to is reported now
            json_file = None if arguments.output_file is None else opened.open(arguments.output_file)
            drawn = {flag: _opened(opened, path) for flag, path in pictures.items()}
            table_file = None if arguments.output is None else opened.open(arguments.output)
            result = self.result(arguments, log)
            if json_file is not None:
                json_file.write(result.to_json() + "\n")
            for flag, write in drawn.items():
                write(self.picture(flag, result, pictures[flag]))
            if table_file is not None:
                table_file.write(result.table(arguments.format) + "\n")
        if arguments.output is not None:
            log.note(f"wrote the table to {arguments.output}")
        _print(arguments, result, has_data=STANDARD in outputs)

    def _check_ending(self, flag: str, path: str) -> None:
        endings = tuple(self.pictures[flag])
        if output_path(path) != STANDARD and not uncompressed(path).lower().endswith(endings):
            raise UsageError(f"expected a {' or '.join(endings)} file for {flag}, got '{path}'")
        check_converter(path)


def _expand_patterns(arguments: argparse.Namespace) -> None:
    """Replaces patterns among the files of scores and ratings by the files that match.

    Raises:
        UsageError: if no file matches a pattern.
        DataError: if a remote folder cannot be listed.
    """
    for name in ("files", "metrics_jsonl_files", "texts", "epsilon_from"):
        if getattr(arguments, name, None):
            setattr(arguments, name, expanded(getattr(arguments, name)))


def _opened(files: OutputFiles, path: str) -> Callable[[str], object]:
    """Opens the file of a picture or page, and returns what writes it."""
    kind = format_of_picture(path)
    if kind == "svg":
        return files.open(path).write
    file = files.open_bytes(path)
    return lambda svg: file.write(converted(svg, kind))


def _value(arguments: argparse.Namespace, flag: str) -> str | None:
    value: str | None = getattr(arguments, flag.lstrip("-").replace("-", "_"))
    return value


def _print(arguments: argparse.Namespace, result: Printable, has_data: bool) -> None:
    """Prints the result: to standard error if standard output has data."""
    if arguments.output is not None or (arguments.silent and (has_data or arguments.output_file is not None)):
        return
    if arguments.format != JSON:
        print_result(result.table(arguments.format) + "\n", to_error=has_data)
    elif arguments.output_file is None or output_path(arguments.output_file) != STANDARD:
        print_result(result.to_json() + "\n", to_error=has_data)


def whole_number(least: int) -> Callable[[str], int]:
    """Returns a type of flags: integers that are not below a number."""

    def convert(word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"must be an integer, {least} or more, got '{word}'")
        return number

    return convert


def add_resampling_arguments(group: argparse._ArgumentGroup, resamples: int = 1000, seed: int = 0) -> None:
    """Declares ``--confidence``, ``--resamples`` and ``--seed``."""
    group.add_argument(
        "--confidence",
        default=0.95,
        **LEVEL_VALUE,
        help="confidence level of the intervals, as a fraction or in percent (default: 95)",
    )
    group.add_argument(
        "--resamples",
        type=whole_number(1),
        default=resamples,
        metavar="N",
        help=f"number of resamples (default: {resamples})",
    )
    group.add_argument(
        "--seed",
        type=whole_number(0),
        default=seed,
        metavar="N",
        help=f"random seed (default: {seed})",
    )
