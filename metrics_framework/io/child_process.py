"""Starts other processes: programs that read and print lines, and Python without the modules of the working folder.

A program runs in a separate process group. The whole group is killed at the time limit, when the program is closed,
and at exit. If ``fw`` itself is killed, a guard process, a shell that waits for the end of a pipe, kills the group. A
program that leaves its process group (``setsid``) escapes all of this.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.common.errors import ProgramError, counted
from metrics_framework.common.process import signal_name, signals_delayed
from metrics_framework.data.texts import shown

if TYPE_CHECKING:
    import subprocess

MAX_LINE = 1 << 20
"""The longest line, in bytes, that a program may print."""
_BLOCK = 1 << 16
_MAX_ERROR_OUTPUT = 4000  # bytes that are kept
_MAX_ERROR_LINES = 12
_TICK = 0.05  # seconds between two checks of whether the program still runs
_GRACE = 0.5
"""Seconds in which a program may end after its input was closed."""
_GUARD = 'trap "" INT TERM HUP; read group || exit; read end; kill -9 "-$group"'
"""The guard: reads the process group, then waits until the pipe to ``fw`` is closed."""


# ---- processes of Python ---------------------------------------------------------------------------------------------

_SAFE_PATH = hasattr(sys.flags, "safe_path")  # the flag -P of Python 3.11
_LEAVE_OUT = "import sys; sys.path[:] = filter(None, sys.path)"  # "" is the working folder, which -c puts first


def module_command(module: str, *arguments: str) -> list[str]:
    """Returns the command that runs an installed module in this Python, and no module of the working folder."""
    if _SAFE_PATH:
        return [sys.executable, "-P", "-m", module, *arguments]
    code = f"import runpy; runpy.run_module('{module}', run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", f"{_LEAVE_OUT}; {code}", *arguments]


@contextmanager
def workers_without_working_folder() -> Iterator[None]:
    """Keeps processes that `multiprocessing` starts in the block from importing modules of the working folder.

    Python starts them with ``-c``, which puts this folder before the standard library. They receive the path of the
    main process before they import anything else.
    """
    from multiprocessing import util

    flags = util._args_from_interpreter_flags  # type: ignore[attr-defined]
    added = ["-P"] if _SAFE_PATH else ["-c", f"{_LEAVE_OUT}; del sys.argv[1]; exec(sys.argv.pop(1))"]
    util._args_from_interpreter_flags = lambda: [*flags(), *added]  # type: ignore[attr-defined]
    try:
        yield
    finally:
        util._args_from_interpreter_flags = flags  # type: ignore[attr-defined]


# ---- programs --------------------------------------------------------------------------------------------------------


class ChildProcess:
    """A program that reads lines from standard input and prints lines, both in UTF-8.

    The program starts with the first exchange, without a shell, and runs until `close`, the end of this process or an
    error; after an error, the next exchange starts it again. Its error output never blocks it; the end of it is part of
    error messages. Needs a POSIX system, such as Linux or macOS.

    Args:
        command: The program and its arguments.
        name: What error messages call the program.
        time_limit: The number of seconds to wait for an answer.

    Attributes:
        starts: How often the program was started.
    """

    def __init__(self, command: Sequence[str], *, name: str, time_limit: float) -> None:
        self.command = list(command)
        self.name = name
        self.time_limit = time_limit
        self.starts = 0
        self._running: _RunningProgram | None = None

    def exchange(
        self, lines: Sequence[str], answers: int, is_preface: Callable[[str], bool] | None = None
    ) -> list[str]:
        """Writes lines and reads answers; the time limit applies to each answer.

        Args:
            lines: The lines to write, without line breaks. Lone surrogates are replaced by question marks.
            answers: The number of lines to read.
            is_preface: Receives the first line that the program prints; returns whether it is no answer.

        Returns:
            The lines that the program printed, without line breaks.

        Raises:
            ProgramError: if the program cannot be started, ends, exceeds the time limit, prints a line that is too
                long or not UTF-8, or has printed a line that was not asked for.
        """
        received: list[str] = []
        with self._reported(received, lambda: f"printed no {_answer(len(received), answers)}") as running:
            running.check_silence()
            running.write(_encoded(lines))
            while len(received) < answers:
                line = running.next_line(time.monotonic() + self.time_limit)
                if line is None:
                    raise running.failure(f"before {_answer(len(received), answers)}")
                if not (running.lines == 1 and is_preface is not None and is_preface(line)):
                    received.append(line)
            running.flush(time.monotonic() + self.time_limit)
            running.check_silence(wait=False)
        return received

    def run(
        self, lines: Sequence[str], most_answers: int, is_preface: Callable[[str], bool] | None = None
    ) -> list[str]:
        """Runs the program once: writes all lines, closes its input, and reads its output to the end.

        Args:
            lines: The lines to write, as for `exchange`.
            most_answers: The number of lines that the program may print.
            is_preface: As for `exchange`.

        Raises:
            ProgramError: as `exchange`, and if the program ends with an exit code other than 0 or prints too many
                lines. The time limit applies to the whole run.
        """
        self.close()
        received: list[str] = []
        deadline = time.monotonic() + self.time_limit
        with self._reported(received, lambda: f"did not end after {counted(len(received), 'answer')}") as running:
            running.write(_encoded(lines), is_last=True)
            while (line := running.next_line(deadline)) is not None:
                if not (running.lines == 1 and is_preface is not None and is_preface(line)):
                    received.append(line)
                if len(received) > most_answers:
                    raise running.error(f"printed more than {counted(most_answers, 'line')}", "order")
            if running.exit_code(deadline) != 0:
                raise running.failure(f"after {counted(len(received), 'answer')}")
            self.close()
        return received

    def check_silence(self) -> None:
        """Checks that the program, if it runs, has printed nothing after its last answer.

        Raises:
            ProgramError: if it has.
        """
        if self._running is not None and self._running.owner == os.getpid():
            with self._reported([], str):
                self._running.check_silence()

    def close(self, grace: float = _GRACE) -> None:
        """Closes the input of the program; kills its process group if it does not end within some seconds."""
        running, self._running = self._running, None
        if running is not None:
            running.stop(grace)

    @contextmanager
    def _reported(self, received: list[str], what: Callable[[], str]) -> Iterator[_RunningProgram]:
        """Starts the program if it does not run; after any error, kills it, since its next answers would be late."""
        try:
            if self._running is None or self._running.owner != os.getpid():
                self._running = _RunningProgram(self.command, self.name)
                self.starts += 1
            yield self._running
        except _TimeLimitError as error:
            limit = f"{self.time_limit:g} second{'' if self.time_limit == 1 else 's'}"
            printed = f", only {shown(error.printed)} without a line break" if error.printed else ""
            problem = error.program.error(f"{what()} within {limit}{printed}, and was killed")
            problem.answers, problem.reason = received, "time"
            self.close(0)
            raise problem from None
        except ProgramError as error:
            error.answers = received
            self.close(0)
            raise
        except BaseException:
            self.close(0)
            raise

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_running": None}


def _answer(received: int, expected: int) -> str:
    return f"answer {received + 1} of {expected}" if expected > 1 else "answer"


def _encoded(lines: Sequence[str]) -> bytes:
    for line in lines:
        if "\n" in line:
            raise ValueError(f"a line must not contain a line break, got {shown(line)}")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


class _TimeLimitError(Exception):
    """The time limit was exceeded.

    Args:
        program: The program.
        printed: What it has printed since its last complete line.
    """

    def __init__(self, program: _RunningProgram, printed: str) -> None:
        super().__init__(printed)
        self.program, self.printed = program, printed


class _RunningProgram:
    """A program that was started, and its pipes.

    Args:
        command: The program and its arguments.
        name: What error messages call it.

    Attributes:
        lines: The number of lines that `next_line` has returned.
    """

    def __init__(self, command: Sequence[str], name: str) -> None:
        import selectors

        self.name = name
        self.owner = os.getpid()
        self.lines = 0
        with signals_delayed():  # a signal between the start and the finalizer could leave the program running
            self._process, guard = _started(command, name)
            self._finalizer = weakref.finalize(self, _kill_group, self._process, guard, self.owner, _GRACE)
        self._input, self._output, self._errors = (
            stream.fileno() for stream in (self._process.stdin, self._process.stdout, self._process.stderr) if stream
        )
        self._selector = selectors.DefaultSelector()
        for stream in (self._input, self._output, self._errors):
            os.set_blocking(stream, False)
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(self._errors, selectors.EVENT_READ)
        self._to_write = memoryview(b"")
        self._is_last = False
        self._printed = bytearray()
        self._error_output = bytearray()
        self._has_ended = False

    def write(self, data: bytes, is_last: bool = False) -> None:
        """Writes what the program accepts now; `next_line` writes the rest."""
        self._to_write, self._is_last = memoryview(data), is_last
        if not self._write_some():
            import selectors

            self._selector.register(self._input, selectors.EVENT_WRITE)

    def next_line(self, deadline: float) -> str | None:
        """Returns the next line that the program prints, `None` at the end of its output.

        Raises:
            ProgramError: if the line is too long, or not UTF-8.
            _TimeLimitError: if there is no line at the deadline, a value of `time.monotonic`.
        """
        while True:
            end = self._printed.find(b"\n")
            if end >= 0 or (self._has_ended and self._printed):
                line = bytes(self._printed[:end] if end >= 0 else self._printed)
                del self._printed[: len(line) + 1]
                self.lines += 1
                return self._decoded(line)
            if self._has_ended:
                return None
            if len(self._printed) > MAX_LINE:
                start = self._printed[:40].decode("utf-8", "replace")
                raise self.error(f"printed a line longer than {MAX_LINE:,} bytes: {shown(start)}…")
            self._step(deadline)

    def flush(self, deadline: float) -> None:
        """Waits until all input is written.

        Raises:
            _TimeLimitError: if the program does not read it before the deadline.
        """
        while self._to_write and not self._has_ended:
            self._step(deadline)

    def check_silence(self, wait: bool = True) -> None:
        """Checks that the program has printed nothing more.

        Args:
            wait: Whether to look for new output; else only output that was read with earlier answers counts.

        Raises:
            ProgramError: if it has.
        """
        if wait and not self._printed:
            self._step(time.monotonic(), is_check=True)
        if self._printed:
            text = bytes(self._printed).split(b"\n", 1)[0].decode("utf-8", "replace")
            raise self.error(f"printed a line that was not asked for: {shown(text)}", "order")

    def exit_code(self, deadline: float) -> int | None:
        """Returns the exit code, `None` if the program still runs at the deadline."""
        from subprocess import TimeoutExpired

        try:
            return self._process.wait(max(0.0, deadline - time.monotonic()))
        except TimeoutExpired:
            return None

    def failure(self, when: str) -> ProgramError:
        """Returns the error for a program that ended, given when."""
        code = self.exit_code(time.monotonic() + _GRACE)
        if code is None:
            how = "closed its output"
        else:
            how = f"was killed by {signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        return self.error(f"{how} {when}", "end")

    def error(self, what: str, reason: Literal["end", "time", "output", "order"] = "output") -> ProgramError:
        """Returns an error with the end of the error output."""
        with suppress(_TimeLimitError):
            self._step(time.monotonic())
        lines = self._error_output.decode("utf-8", "replace").split("\n")
        lines = [line.rstrip() for line in lines if line.strip()][-_MAX_ERROR_LINES:]
        if not lines:
            return ProgramError(f"{self.name} {what}; it printed nothing to standard error", reason=reason)
        shown_lines = [f"  {line}" for line in lines]
        return ProgramError(f"{self.name} {what}; the end of its standard error:", *shown_lines, reason=reason)

    def stop(self, grace: float) -> None:
        """Kills the process group, after the time in which it may end by itself."""
        self._selector.close()
        details = self._finalizer.detach()
        if details is not None:
            process, guard, owner, _ = details[2]
            _kill_group(process, guard, owner, grace)

    def _step(self, deadline: float, is_check: bool = False) -> None:
        """Waits for one of the pipes, at most until the deadline; writes and reads what is possible."""
        remaining = deadline - time.monotonic()
        ready = self._selector.select(max(0.0, min(remaining, _TICK)))
        for key, _ in ready:
            if key.fd == self._input:
                if self._write_some():
                    self._selector.unregister(self._input)
            elif key.fd == self._errors:
                self._error_output += self._read(self._errors)
                del self._error_output[:-_MAX_ERROR_OUTPUT]
            elif len(self._printed) <= MAX_LINE:
                self._printed += self._read(self._output)
        if not ready and self._process.poll() is not None:  # its descendants may hold the pipe open
            self._has_ended = True
        elif remaining <= 0 and not is_check and b"\n" not in self._printed and not self._has_ended:
            raise _TimeLimitError(self, bytes(self._printed[:60]).decode("utf-8", "replace"))

    def _write_some(self) -> bool:
        """Writes as much input as the pipe accepts; returns whether nothing is left."""
        try:
            while self._to_write:
                self._to_write = self._to_write[os.write(self._input, self._to_write[:_BLOCK]) :]
        except BlockingIOError:
            return False
        except OSError:  # the program does not read any more; whether that is an error, its answers show
            self._to_write = memoryview(b"")
        if self._is_last and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        return True

    def _read(self, stream: int) -> bytes:
        try:
            data = os.read(stream, _BLOCK)
        except BlockingIOError:
            return b""
        if not data:
            self._selector.unregister(stream)
            self._has_ended = self._has_ended or stream == self._output
        return data

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError:
            raise self.error(f"printed a line that is not UTF-8: {shown(line[:60])}") from None


def _started(command: Sequence[str], name: str) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    """Starts a program in its own process group, and its guard."""
    from subprocess import DEVNULL, PIPE, Popen

    if os.name != "posix":
        raise ProgramError(
            f"{name} cannot be run: other programs run only on Linux, macOS and similar systems", reason="start"
        )
    environment = {"PYTHONUNBUFFERED": "1", **os.environ}
    guard = None
    try:
        guard = Popen(
            ["/bin/sh", "-c", _GUARD], stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, bufsize=0, start_new_session=True
        )
        process = Popen(
            command, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0, env=environment, start_new_session=True
        )
    except OSError as error:
        if guard is not None:
            guard.kill()
            guard.communicate()
        message = f"{name} cannot be run: '{command[0]}': {error.strerror or error}"
        raise ProgramError(message, reason="start") from None
    if guard.stdin is not None:
        guard.stdin.write(f"{process.pid}\n".encode())
    return process, guard


def _kill_group(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes], owner: int, grace: float) -> None:
    """Ends a program with its descendants; only the process that started it does so, not a forked copy."""
    if os.getpid() != owner:
        return
    from subprocess import TimeoutExpired

    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    with suppress(TimeoutExpired):
        if grace and process.returncode is None:
            process.wait(grace)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    guard.kill()
    for ended in (guard, process):
        ended.wait()
        for stream in (ended.stdin, ended.stdout, ended.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
