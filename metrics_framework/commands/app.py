"""The program ``fw``: runs the requested command, and reports errors without tracebacks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TextIO

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import METRIC_FLAG, columns, filled, help_width, wrapped
from metrics_framework.commands.command import find_command, is_metric, is_sacrebleu
from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    TAKEN,
    DataError,
    FwError,
    PluginError,
    UsageError,
    message_of,
    printable,
    say_taken,
)
from metrics_framework.common.plugins import PLUGINS_FLAG, PLUGINS_VARIABLE, discover
from metrics_framework.common.process import (
    RECORD,
    ClosedStream,
    OutputRecord,
    Terminated,
    ignore_signals,
    raised_by_signal,
)
from metrics_framework.common.registrable import Entry, Registrable, Registry
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.version import __version__

HELP_FLAGS = ("-h", "--help", "--help-all")
WORDS = ("help", "version", "complete-words")
"""The first words that are no commands; completion scripts call the last with an unfinished command line."""
INTERRUPTED, BROKEN_PIPE, TERMINATED = 130, 141, 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``fw`` and returns its exit code.

    Args:
        arguments: The arguments; by default ``sys.argv[1:]``.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    said = TAKEN.set(_notes({"-q", "--silent", "--quiet"}.isdisjoint(words)))
    try:
        code = _run(words)
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
    finally:
        TAKEN.reset(said)


def _notes(prints: bool) -> Callable[[str], None]:
    """Returns a function that prints each note once."""
    said = set[str]()

    def say(note: str) -> None:
        if prints and note not in said:
            said.add(note)
            print(f"fw: {printable(note)}", file=sys.stderr)

    return say


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
    """Prepares standard streams, warnings, garbage collection and threads of a process that runs only ``fw``.

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

    # The matrices are small: a second thread would wait in a loop for most of the time. --jobs uses several CPUs.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [*arguments[1:], "--help"]
    if not arguments or arguments[0].startswith("-") or arguments[0] in WORDS or {*arguments[1:2]} & {*HELP_FLAGS}:
        code = _answered(arguments)
        if code is not None:
            return code
    parser, command, rest = find_command(arguments)
    try:
        parsed = parser.parse(rest)
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
            if isinstance(error, FwError) and not isinstance(error, DataError):
                parser.name_flags(error, parsed)
            raise
        state = ("" if command.keeps_files else str(record)) or command.when_interrupted
        raise signal(f"; {state}" if state else "") from None
    finally:
        RECORD.reset(token)


def _answered(arguments: list[str]) -> int | None:
    """Answers what is no command: help, the version, completions; returns `None` for other arguments."""
    if not arguments or arguments[0] in HELP_FLAGS or arguments == ["help"]:
        return _print(help_text(), sys.stdout if arguments else sys.stderr, 0 if arguments else 2)
    if arguments[0] in ("-V", "--version", "version"):
        return _print(version_text())
    inputs = {"-i", "--outputs", "--input", "--input-files"}
    if arguments[0] in {*METRIC_FLAG, *inputs} and not inputs.isdisjoint(arguments):
        say_taken(f"fw {arguments[0]}", f"fw evaluate {arguments[0]}")  # sacreBLEU's command may begin with a flag
        return _run(["evaluate", *arguments])
    if arguments[0].startswith("-") and not is_sacrebleu(arguments):
        from metrics_framework.common.calls import flag_of_others  # only for unknown flags

        answer = next(filter(None, map(flag_of_others, arguments)), "")
        raise UsageError(answer or f"unknown flag {arguments[0]} before the command", "fw: see fw --help")
    name, rest = arguments[0], arguments[1:]
    if len(rest) == 1 and rest[0] in HELP_FLAGS and is_metric(name := METRICS.spelled(name) or name):
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


# ---- the texts of fw --help, fw --version and fw METRIC --help -------------------------------------------------------

GROUPS: Mapping[str, Sequence[str]] = {
    "score": ("evaluate", "score"),
    "compare systems": ("compare", "gate", "report", "visualize"),
    "judge metrics by human ratings": ("correlate", "challenge", "stat-sig-test", "partial-conjunction-test"),
    "people and models as judges": ("agreement", "test-judge", "estimate", "prefer", "plan", "write votes"),
    "prepare": ("setup dataset", "setup metric", "convert-ratings", "write pairs"),
    "look up": ("list", "cite", "completion"),
}
"""Titles of groups of commands by task, and the commands; all others are listed after them."""
_LONG_NAME = 16
"""Names of this length do not make the column of all names wider."""
_MORE_HELP = {
    "fw list metrics": "lists the metrics",
    "fw COMMAND --help": "describes a command; --help-all has all of its flags",
    "fw METRIC --help": "describes a metric",
    "fw --version": "prints versions, and the kernels in use",
}


def help_text(width: int | None = None) -> str:
    """Returns the help of ``fw`` itself; no metric is imported for it.

    Args:
        width: The width; by default that of the terminal.
    """
    width = width or help_width()
    plugins = filled("Plug-ins are found if installed; load others with --include-packages.", width)
    more = columns(_MORE_HELP, width)
    return "\n".join(
        [
            "usage: fw COMMAND …",
            "       fw METRIC evaluate|score …",
            "",
            *_commands(width),
            *_metrics_of_plugins(width),
            *_conflicts(COMMANDS, width),
            *_conflicts(METRICS, width),
            "",
            "example",
            "  fw evaluate --metric bleu --outputs out.txt --references ref.txt",
            "",
            "more help",
            more,
            "",
            plugins,
        ]
    )


def _commands(width: int) -> Iterator[str]:
    """Yields the lines of all commands, by group; those of plug-ins are in the last group."""
    grouped = {name for names in GROUPS.values() for name in names}
    others = [name for name in COMMANDS.names() if name not in grouped]
    column = max(len(name) for name in COMMANDS.names() if len(name) < _LONG_NAME)
    for title, names in {**GROUPS, "others": others}.items():
        if names:
            yield title
            yield columns({name: _summary(COMMANDS.entries[name]) for name in names}, width, column)


def _metrics_of_plugins(width: int) -> Iterator[str]:
    """Yields the lines of the metrics of plug-ins, which a user may want to see that they were found."""
    entries = [METRICS.entries[name] for name in METRICS.names()]
    found = {entry.name: _summary(entry) for entry in entries if not entry.module.startswith("metrics_framework.")}
    if found:
        yield "metrics of plug-ins"
        yield columns(found, width)


def _summary(entry: Entry) -> str:
    return entry.summary.replace("`", "") or f"({entry.origin})"


def _conflicts(registry: Registry, width: int) -> Iterator[str]:
    """Yields the names that cannot be used, with the reason."""
    for name, error in sorted(registry.conflicts.items()):
        yield filled(f"  {name}: unavailable: {error}", width, "    ")


def metric_help(name: str) -> str:
    """Returns the help of a metric: its documentation and its commands."""
    from metrics_framework.common.options import parse_docstring  # which fw --help does not need

    text, width = parse_docstring(METRICS.get(name).__doc__), help_width()
    commands = {
        f"fw {name} evaluate --help": "scores of systems and of outputs",
        f"fw {name} score --help": "scores of outputs with jackknifing, for fw correlate",
        f"fw list metrics {name}": "the options of the metric",
        f"fw cite {name}": "the paper to cite",
    }
    description = "\n\n".join(filter(None, [text.summary, text.description])).replace("``", "")
    parts = [f"usage: fw {name} evaluate|score …", wrapped(description, width), columns(commands, width)]
    return "\n\n".join(filter(None, parts))


def version_text() -> str:
    """Returns the versions of fw and Python, and the kernels in use."""
    from metrics_framework.kernels.dispatch import implementation

    return f"fw {__version__}\nPython {sys.version.split()[0]}\nkernels: {implementation()}"
