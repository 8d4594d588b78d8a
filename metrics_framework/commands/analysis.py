"""What the commands that analyse scores and ratings share: flags from the public function, and the output files."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from os.path import isfile
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, cast

from metrics_framework.api.acting import given_as_flags
from metrics_framework.api.arguments import WideReading
from metrics_framework.commands.arguments import Parser, Spelling, add_log_arguments
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import (
    FORCE_HELP,
    FORMAT_HELP,
    OUTPUT_HELP,
    PAPER_HELP,
    check_ending,
    refuse_overwriting,
)
from metrics_framework.common.calls import FORMER_NAMES
from metrics_framework.common.errors import UsageError
from metrics_framework.common.options import Option, options_of_function
from metrics_framework.common.overriding import overrides
from metrics_framework.io.locations import expanded, split_name
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import OutputFiles, output_files, output_path, print_result, standard_output
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, format_of_file
from metrics_framework.reports.pictures import ENDINGS, check_converter, converted, format_of_picture

if TYPE_CHECKING:
    from metrics_framework.common.logs import Log


OTHER_OPTIONS, OUTPUT = "other options", "output"
READING, READING_OPTIONS = "reading", (*WideReading.__annotations__,)
"""The group of the flags that say how rows are read."""
REPORT = "--report"


class Printable(Protocol):
    """A result that can be printed as a table and as JSON."""

    def table(self, format: str = "table") -> str:
        """Returns the table in an output format, without a final line break."""

    def to_json(self) -> str:
        """Returns all results as JSON, without a final line break."""


class Picture(NamedTuple):
    """A picture or page that a command writes.

    Args:
        help: The help text of its flag.
        kind: What is drawn by `plot` of the result, as SVG, which is converted for other endings.
        method: The method of the result that returns it, if it is not `plot`.
        endings: The endings of its file.
    """

    help: str
    kind: str | None = None
    method: str = ""
    endings: Sequence[str] = ENDINGS


PAPER = Picture(PAPER_HELP, method="paper", endings=(".tex",))
PAGE = Picture("page with all tables, pictures and notes", method="page", endings=(".html", ".htm"))


class InputFiles(NamedTuple):
    """The files that an analysis reads: the arguments of its command without a flag.

    Args:
        metavar: Their name in help texts.
        help: What they contain.
        missing: What is missing if there are none.
        flags: Flags that they may follow as well, as in commands that score.
        distinct: Whether a file that is named twice is read once.
    """

    metavar: str
    help: str
    missing: str
    flags: tuple[str, ...] = ("-i", "--input", "--input-files", "--metrics-jsonl-files")
    distinct: bool = True


class Analysis(Command):
    """A command that reads files of scores or ratings, and prints one result.

    A public function declares its options: each parameter is a flag, unless it is one of `set_otherwise`. Name,
    type, default and help of the flag are those of the parameter.

    Attributes:
        function_name: The name of the public function.
        inputs: The files.
        groups: Title of a group of flags in the help to its options; the flags of all others are in a last group.
        spellings: Other flags to what they set.
        without_value: Option to the value of its flag without a value; the flags of all other options need one.
        set_otherwise: The parameters that other flags or arguments set.
        pictures: Flag to the picture or page that it writes.
    """

    when_interrupted = "nothing was written"
    function_name: ClassVar[str]
    inputs: ClassVar[InputFiles]
    groups: ClassVar[Mapping[str, Sequence[str]]] = {}
    spellings: ClassVar[Mapping[str, Spelling]] = {}
    without_value: ClassVar[Mapping[str, Any]] = {}
    set_otherwise: ClassVar[Sequence[str]] = ()
    pictures: ClassVar[Mapping[str, Picture]] = {}

    def function(self) -> Callable[..., Printable]:
        """Returns the public function."""
        public = getattr(import_module("metrics_framework"), self.function_name)
        function: Callable[..., Printable] = inspect.unwrap(public)  # whose messages name flags
        return function

    @cached_property
    def options(self) -> list[Option]:
        """The options that the function declares, with their other names."""
        names = [(flag, option) for flag, option in self.spellings.items() if isinstance(option, str)]
        names += [(f"--{old}", name) for old, name in FORMER_NAMES.get(self.function_name, {}).items()]
        return [
            option._replace(aliases=tuple(flag for flag, name in names if name == option.name))
            for option in options_of_function(self.function(), self.set_otherwise)
        ]

    def value(self, arguments: argparse.Namespace, name: str) -> Any:
        """Returns the value of an option: that of a flag, else its default."""
        return arguments.options.get(name, inspect.signature(self.function()).parameters[name].default)

    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        """Declares the arguments that are no options.

        Args:
            parser: The parser.
            group: Its first group.
        """
        inputs = self.inputs
        group.add_argument("files", nargs="*", metavar=inputs.metavar, help=inputs.help)
        parser.set_defaults(other_files=[])
        if inputs.flags:
            group.add_argument(*inputs.flags, nargs="+", dest="other_files", default=[], help=argparse.SUPPRESS)

    def check(self, arguments: argparse.Namespace) -> None:
        """Checks flags against each other, before files are opened; ``--raters`` or ``--systems`` may name the ratings.

        Raises:
            UsageError: if flags contradict each other, or none names the ratings that the analysis needs.
        """
        if not any(one.name == "rating" and (one.required or one.default == ()) for one in self.options):
            return
        wide = next((name for name in ("raters", "systems") if name in arguments.options), "")
        if wide or "rating" in arguments.options:
            arguments.options.setdefault("rating", wide)
            return
        from metrics_framework.inputs.roles import listed
        from metrics_framework.inputs.tables import read_rows

        path = split_name(arguments.files[0])[1] if arguments.files else ""
        row = next(read_rows(path), (0, {}))[1] if isfile(path) else {}
        advice = "name the column of the ratings with --rating, or with --raters one column per rater"
        raise UsageError(f"no rating; {advice}{listed(row, '; its columns are') if row else ''}")

    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        """Returns the files that are read, after checking the flags.

        Raises:
            UsageError: if there are none, or flags contradict each other.
        """
        if not arguments.files:
            raise UsageError(f"no {self.inputs.missing}; use fw {self.registered_name} {self.usage.splitlines()[0]}")
        self.check(arguments)
        named = [arguments.options.get(option.name, ()) for option in self.options if option.files]
        return [*arguments.files, *(path for paths in named for path in paths)]

    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        """Computes the result."""
        return self.function()(arguments.files, **arguments.options, log=log)

    def check_result(self, result: Printable) -> None:
        """Checks a result that has been written and printed.

        Raises:
            FwError: if the command must end with an error.
        """
        return

    def picture(self, flag: str, result: Printable) -> str:
        """Returns the content of a picture or page.

        Args:
            flag: A key of `pictures`.
            result: What `result` returned.
        """
        picture = self.pictures[flag]
        drawn: str = getattr(result, picture.method)() if picture.method else cast("Any", result).plot(picture.kind)
        return drawn

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.without_value.update(self.without_value)
        parser.not_required = ("rating",)  # which `check` misses unless another flag names the ratings
        rest = {option.name: option for option in self.options}
        options = {title: [rest.pop(name) for name in names] for title, names in self.groups.items()}
        of_output = options.pop(OUTPUT, [])
        options[READING] = [rest.pop(name) for name in READING_OPTIONS if name in rest]
        options |= {OTHER_OPTIONS: list(rest.values()), OUTPUT: of_output}
        first, *others = options
        groups = {first: parser.add_argument_group(first)}
        self.add_input_arguments(parser, groups[first])
        groups |= {title: parser.add_argument_group(title) for title in others}
        output = groups[OUTPUT]
        output.add_argument("--output-file", metavar="OUT.json", help="JSON file for all results; - is standard output")
        output.add_argument("--format", choices=(*FORMATS.names(), JSON), help=FORMAT_HELP)
        output.add_argument("-o", "--output", metavar="FILE", help=OUTPUT_HELP)
        for flag, picture in self.pictures.items():
            output.add_argument(flag, metavar=f"OUT{picture.endings[0]}", help=picture.help)
        output.add_argument("--force", action="store_true", help=FORCE_HELP)
        add_log_arguments(output, "--output-file")
        spellings = [(spelling, flag) for flag, spelling in self.spellings.items() if not isinstance(spelling, str)]
        for title, group in groups.items():
            for option in options[title]:
                parser.add_options(group, [option], self.registered_name)
                for spelling in dict.fromkeys(one for one, _ in spellings if one.option == option.name):
                    parser.add_spelling(group, [flag for one, flag in spellings if one == spelling], spelling)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        from metrics_framework.common.logs import Log, steps_of

        chosen = {flag: getattr(arguments, flag.lstrip("-").replace("-", "_")) for flag in self.pictures}
        pictures = {flag: path for flag, path in chosen.items() if path is not None}
        if arguments.output_file is None and arguments.output is None and not pictures:
            standard_output()  # fails before the work if it is closed
        with Log(strict=arguments.strict, silent=arguments.silent, file=arguments.log_file) as log, steps_of(log):
            self._write(arguments, pictures, log)
        return 0

    def _write(self, arguments: argparse.Namespace, pictures: Mapping[str, str], log: Log) -> None:
        arguments.format = arguments.format or format_of_file(arguments.output)
        if arguments.output is not None and output_path(arguments.output) == STANDARD:
            arguments.output = None
        chosen = (arguments.output_file, *pictures.values(), arguments.output)
        outputs = [output_path(path) for path in chosen if path is not None]
        for flag, path in pictures.items():
            check_ending(flag, path, self.pictures[flag].endings)
            check_converter(path)
        files = expanded([*arguments.files, *arguments.other_files])
        arguments.files = list(dict.fromkeys(files)) if self.inputs.distinct else files
        for option in self.options:
            if option.files and option.name in arguments.options:
                arguments.options[option.name] = expanded(arguments.options[option.name])
        paths = self.input_files(arguments)
        paths = [split_name(path)[1] for path in paths]
        refuse_overwriting(outputs, paths, force=arguments.force, log_file=arguments.log_file)
        with output_files() as opened:  # before the work, so that a file that cannot be written to is reported now
            json_file = None if arguments.output_file is None else opened.open(arguments.output_file)
            drawn = {flag: _opened(opened, path) for flag, path in pictures.items()}
            table_file = None if arguments.output is None else opened.open(arguments.output)
            with given_as_flags(self.function_name, arguments.options):
                result = self.result(arguments, log)
            if json_file is not None:
                json_file.write(result.to_json() + "\n")
            for flag, write in drawn.items():
                write(self.picture(flag, result))
            if table_file is not None:
                table_file.write(result.table(arguments.format) + "\n")
        names = {"results": arguments.output_file, **pictures, "table": arguments.output}
        for name, path in names.items():
            if path is not None and output_path(path) != STANDARD:
                log.note(f"wrote the {name.lstrip('-')} to {path}")
        _print(arguments, result, has_data=STANDARD in outputs)
        self.check_result(result)


def _opened(files: OutputFiles, path: str) -> Callable[[str], object]:
    """Opens the file of a picture or page, and returns what writes it."""
    kind = format_of_picture(path)
    if kind == "svg":
        return files.open(path).write
    file = files.open_bytes(path)
    return lambda svg: file.write(converted(svg, kind))


def _print(arguments: argparse.Namespace, result: Printable, has_data: bool) -> None:
    """Prints the result: to standard error if standard output has data."""
    if arguments.output is not None or (arguments.silent and (has_data or arguments.output_file is not None)):
        return
    if arguments.format != JSON:
        print_result(result.table(arguments.format) + "\n", to_error=has_data)
    elif arguments.output_file is None or output_path(arguments.output_file) != STANDARD:
        print_result(result.to_json() + "\n", to_error=has_data)


JUDGEMENTS = InputFiles(
    "FILE",
    "tables of ratings, and files of judgements (.csv, .tsv, JSONL), joined by ids",
    missing="files of ratings",
)
