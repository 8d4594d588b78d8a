"""The command ``fw``: finds the command asked for, builds only its parser, and reports errors without tracebacks."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.overview import HIDDEN, help_text, metric_help, version_text, visible_commands
from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.errors import FwError, UnknownNameError, UsageError
from metrics_framework.common.plugins import discover, failures
from metrics_framework.metrics import REGISTRY as METRICS

if TYPE_CHECKING:
    from metrics_framework.commands.arguments import Parser
    from metrics_framework.commands.command import Command

INTERRUPTED, BROKEN_PIPE, TERMINATED = 130, 141, 143
ACTIONS = ("evaluate", "score")


def main(words: Sequence[str] | None = None) -> int:
    """Runs ``fw`` and returns its exit code.

    Args:
        words: The arguments; those of the process by default.
    """
    words = list(sys.argv[1:] if words is None else words)
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except FwError as error:
        print(f"fw: error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as end:
        print(f"fw: interrupted{end}", file=sys.stderr)
        return INTERRUPTED
    except _Terminated as end:
        print(f"fw: terminated{end}", file=sys.stderr)
        return TERMINATED
    except MemoryError:
        print("fw: error: not enough memory; split the input, or give --jobs a smaller number", file=sys.stderr)
        return FwError.exit_code
    except BrokenPipeError:
        _abandon_output()
        return BROKEN_PIPE
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:
            _abandon_output()
        print(f"fw: error: cannot read or write: {_place(error)}{error.strerror or error}", file=sys.stderr)
        return FwError.exit_code


def _place(error: OSError) -> str:
    """Says where an error of the system came up; of all that we write to, only standard output gives no name to it."""
    from metrics_framework.io.streams import DISK_FULL

    if error.filename:
        return f"'{error.filename}': "
    return "standard output: " if error.errno in DISK_FULL else ""


def _abandon_output() -> None:
    """Keeps the interpreter from writing what is left of our output when it ends: nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Terminated(BaseException):
    """The process was asked to end."""


def prepare_process() -> None:
    """Makes standard output UTF-8, and lets SIGTERM and SIGHUP end a run as Ctrl-C does: without half files.

    A standard stream that is closed is replaced, so that what is printed for a person can be left unsaid.

    Garbage that reference counts do not see to is looked for less often than usual: rows make many objects, without
    cycles.
    """
    import gc
    import io
    import signal

    from metrics_framework.common.standard_streams import replace_closed_streams

    replace_closed_streams()
    gc.set_threshold(100_000, 20, 20)

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")

    def end(number: int, frame: object) -> None:
        raise _Terminated

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, end)


def _run(words: list[str]) -> int:
    words = discover(words)
    if not words or words[0] in ("-h", "--help") or words == ["help"]:
        return _print(help_text(), sys.stdout if words else sys.stderr, 0 if words else 2)
    if words[0] in ("-V", "--version", "version"):
        return _print(version_text(), sys.stdout, 0)
    if words[0].startswith("-"):
        raise UsageError(f"there is no flag {words[0]} in front of a command\nfw: see fw --help")
    if words[0] == "help":
        words = [*words[1:], "--help"]
    name, rest = words[0], words[1:]
    if is_metric(name) and rest in (["-h"], ["--help"]):
        return _print(metric_help(name), sys.stdout, 0)
    if name == HIDDEN:
        return _complete(rest)
    parser, command, rest = find_command(words)
    try:
        arguments = parser.parse(rest)
    except SystemExit as end:  # --help printed what was asked for
        return int(end.code or 0)
    try:
        return command.run(arguments)
    except (KeyboardInterrupt, _Terminated) as end:
        raise type(end)(f"; {str(end) or command.when_ended}") from None


def _complete(words: list[str]) -> int:
    """Prints what could complete a line; the words of the line are not ours to parse."""
    from metrics_framework.commands.completion import candidates

    line = words[1:] if words[:1] == ["--"] else words
    for candidate in candidates(line[:-1], line[-1] if line else ""):
        print(candidate)
    return 0


def _print(text: str, stream: TextIO, code: int) -> int:
    print(text, file=stream)
    return code


def is_metric(name: str) -> bool:
    """Tells whether a word is a metric's name (and no command's)."""
    metrics = METRICS
    known = name in metrics.names(aliases=True) or name in metrics.conflicts
    return known and name not in COMMANDS.names()


def find_command(words: Sequence[str]) -> tuple[Parser, Command, list[str]]:
    """Finds the command that words ask for.

    Returns:
        The parser of the command, the command, and the words that are left for the parser.

    Raises:
        UnknownNameError: if there is neither a command nor a metric of that name.
    """
    name = words[0]
    if name in COMMANDS.names():
        kind = COMMANDS.get(name)
        command: Command = kind()
        return _with_parser(f"fw {name}", kind.__doc__, command, words[1:])
    if not is_metric(name):
        raise UnknownNameError("command or metric", name, [*visible_commands(), *METRICS.names()], failures())
    metric = METRICS.get(name)
    action = words[1] if len(words) > 1 else ""
    if action not in ACTIONS:
        found = f"there is nothing called '{action}' to do with" if action else "say what to do with"
        raise UsageError(f"{found} '{name}': fw {name} evaluate, or fw {name} score\nfw: see fw {name} --help")
    scoring = COMMANDS.get(action)
    return _with_parser(f"fw {name} {action}", metric.__doc__, scoring(name, metric), words[2:])


def _with_parser(
    program: str, docstring: str | None, command: Command, rest: Sequence[str]
) -> tuple[Parser, Command, list[str]]:
    from metrics_framework.commands.arguments import Parser, add_plugin_flag

    text = parse_docstring(docstring)
    description = "\n\n".join(filter(None, [text.summary, text.description]))
    usage = f"{program} {command.usage}" if command.usage else None
    parser = Parser(prog=program, usage=usage, description=description.replace("::\n", ":\n").replace("``", ""))
    command.add_arguments(parser)
    if command.takes_plugins and "--include-packages" not in parser.flags():
        add_plugin_flag(parser)
    return parser, command, list(rest)
