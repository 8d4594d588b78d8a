"""The program ``fw``: runs the requested command, and reports errors without tracebacks."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any, TextIO

from metrics_framework.commands.lookup import find_command, is_metric
from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import PLUGIN_FAILURES, FwError, PluginError, UsageError, message_of, printable
from metrics_framework.common.plugins import PLUGINS_FLAG, PLUGINS_VARIABLE, discover
from metrics_framework.common.process import (
    RECORD,
    ClosedStream,
    OutputRecord,
    Terminated,
    ignore_signals,
    raised_by_signal,
)
from metrics_framework.common.registrable import Registrable

HELP_FLAGS = ("-h", "--help", "--help-all")
WORDS = ("help", "version", "complete-words")
"""The first words that are no commands; completion scripts call the last with an unfinished command line."""
INTERRUPTED, BROKEN_PIPE, TERMINATED = 130, 141, 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``fw`` and returns its exit code.

    Args:
        arguments: The arguments; by default ``sys.argv[1:]``.
    """
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return code
    except FwError as error:
        print(f"fw: {error.kind}{error}", file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, Terminated) as end:
        return _ended(end)
    except MemoryError:
        print("fw: error: out of memory; split the input or use a smaller number of --jobs", file=sys.stderr)
        return FwError.exit_code
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:
        return _system_error(error)
    except PLUGIN_FAILURES as error:
        return _plugin_failure(error)


def _ended(end: KeyboardInterrupt | Terminated) -> int:
    """Reports that a signal ended the run."""
    is_interrupt = isinstance(end, KeyboardInterrupt)
    print(printable(f"fw: {'interrupted' if is_interrupt else 'terminated'}{end}"), file=sys.stderr)
    return INTERRUPTED if is_interrupt else TERMINATED


def _plugin_failure(error: BaseException) -> int:
    end = raised_by_signal()
    if end is not None:  # for example, argparse fails to clean up after a signal
        return _ended(end())
    named = plugin_error(error)
    if named is None:
        raise error
    print(f"fw: error: {named}", file=sys.stderr)
    return named.exit_code


def _system_error(error: OSError) -> int:
    from metrics_framework.io.writing import DISK_FULL

    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    path = f"'{error.filename}': " if error.filename else ""
    if not path and error.errno in DISK_FULL:  # errors of all other output files have a file name
        path = "standard output: "
    print(printable(f"fw: error: cannot read or write: {path}{error.strerror or error}"), file=sys.stderr)
    return FwError.exit_code


def _discard_output() -> None:
    """Discards buffered output, which could not be written at exit: the pipe is closed or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def prepare_process() -> None:
    """Prepares standard streams, warnings and garbage collection of a process that runs only ``fw``.

    Standard output is UTF-8; closed standard streams are replaced. What Python itself prints, warnings of libraries and
    tracebacks of errors in this package, is printable, too. Cyclic garbage is collected less often than by default:
    rows make many objects but no cycles.
    """
    import gc
    import io
    import warnings

    # The system assigns the descriptor of a closed stream to the next file that is opened, and libraries that write to
    # the stream would write into that file.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, ClosedStream())
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")

    gc.set_threshold(100_000, 20, 20)
    formatted = warnings.formatwarning
    warnings.formatwarning = lambda message, *where: printable(formatted(printable(str(message)), *where), keep="\n")
    sys.excepthook = _print_traceback


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    import traceback

    print(printable("".join(traceback.format_exception(kind, error, trace)), keep="\n"), end="", file=sys.stderr)


def _run(arguments: list[str]) -> int:
    flags = [word.replace("_", "-") for word in arguments if word.startswith("--")]
    if os.environ.get(PLUGINS_VARIABLE) or any(flag.startswith(PLUGINS_FLAG) for flag in flags):
        arguments = discover(arguments)
    if not arguments or arguments[0].startswith("-") or arguments[0] in WORDS or {*arguments[1:2]} & {*HELP_FLAGS}:
        code = _answered(arguments)
        if code is not None:
            return code
        if arguments[0] == "help":
            arguments = [*arguments[1:], "--help"]
    parser, command, rest = find_command(arguments)
    try:
        parsed = parser.parse(rest)
    except UsageError:
        command.explain(rest)
        raise
    except SystemExit as end:  # --help printed the help
        return int(end.code or 0)
    record = OutputRecord()
    token = RECORD.set(record)
    try:
        code = command.run(parsed)
        sys.stdout.flush()
        record.update(dict.fromkeys(record, True))
        ignore_signals()
        return code
    except (KeyboardInterrupt, Terminated, Exception) as error:  # states which outputs are complete
        signal = raised_by_signal() if isinstance(error, Exception) else type(error)
        if signal is None:
            raise
        state = ("" if command.keeps_files else str(record)) or command.when_interrupted
        raise signal(f"; {state}" if state else "") from None
    finally:
        RECORD.reset(token)


def _answered(arguments: list[str]) -> int | None:
    """Answers what is no command: help, the version, completions; returns `None` for other arguments."""
    if not arguments or arguments[0] in HELP_FLAGS or arguments == ["help"]:
        from metrics_framework.commands.overview import help_text

        return _print(help_text(), sys.stdout if arguments else sys.stderr, 0 if arguments else 2)
    if arguments[0] in ("-V", "--version", "version"):
        from metrics_framework.commands.overview import version_text

        return _print(version_text())
    if arguments[0].startswith("-"):
        raise UsageError(f"unknown flag {arguments[0]} before the command", "fw: see fw --help")
    if arguments[0] == "help":
        arguments = [*arguments[1:], "--help"]
    name, rest = arguments[0], arguments[1:]
    if len(rest) == 1 and rest[0] in HELP_FLAGS and is_metric(name):
        from metrics_framework.commands.overview import metric_help

        return _print(metric_help(name))
    return _complete(rest) if name == "complete-words" else None


def _complete(arguments: list[str]) -> int:
    from metrics_framework.commands.completion import candidates

    line = arguments[1:] if arguments[:1] == ["--"] else arguments
    for candidate in candidates(line[:-1], line[-1] if line else ""):
        print(printable(candidate))
    return 0


def _print(text: str, stream: TextIO | None = None, code: int = 0) -> int:
    print(printable(text, keep="\n\t"), file=stream)  # plug-ins have names and docstrings too
    return code


_BUILT_IN = "metrics_framework."


def plugin_error(error: BaseException) -> PluginError | None:
    """Returns a `PluginError` for an exception that the code of a plug-in raised, `None` for other exceptions.

    Most failures of plug-ins are named where their code is called. This function finds the others, such as a
    signature or a constructor that fails, in the traceback: it names the innermost object of a class that a plug-in
    registered. A call of `sys.exit` is always an error, because nothing in this package calls it during a run.
    """
    owner = _innermost_plugin(error.__traceback__)
    if owner is None and not isinstance(error, SystemExit):
        return None
    whose = "the run was ended" if owner is None else f"the {owner.registry().kind} '{owner.registered_name}' failed"
    return PluginError(f"{whose}{failed_at(error, owner)}: {message_of(error)}")


def _innermost_plugin(trace: TracebackType | None) -> Any:
    owner = None
    while trace is not None:
        called = trace.tb_frame.f_locals
        for candidate in (called.get("self"), called.get("cls")):
            cls = candidate if isinstance(candidate, type) else type(candidate)
            if issubclass(cls, Registrable) and not cls.__module__.startswith(_BUILT_IN):
                owner = cls
        trace = trace.tb_next
    return owner
