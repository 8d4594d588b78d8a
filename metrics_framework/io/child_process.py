"""Runs other programs: lines in, lines out, with a time limit and without processes that outlive ``fw``.

A program runs in a separate process group. The whole group is killed at the time limit, when the program is closed,
and at exit. If ``fw`` itself is killed, a guard process, a shell that waits for the end of a pipe, kills the group. A
program that leaves its process group (``setsid``) escapes all of this.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from metrics_framework.common.errors import ProgramError
from metrics_framework.common.plurals import counted
from metrics_framework.data.texts import shown
from metrics_framework.io.running_program import GRACE, RunningProgram, TimeLimitError


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
        self._running: RunningProgram | None = None

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

    def close(self) -> None:
        """Closes the input of the program; kills its process group if it does not end soon."""
        self._stop(GRACE)

    def kill(self) -> None:
        """Kills the process group of the program."""
        self._stop(0)

    def _stop(self, grace: float) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.stop(grace)

    @contextmanager
    def _reported(self, received: list[str], what: Callable[[], str]) -> Iterator[RunningProgram]:
        """Starts the program if it does not run; after any error, kills it, since its next answers would be late."""
        try:
            if self._running is None or self._running.owner != os.getpid():
                self._running = RunningProgram(self.command, self.name)
                self.starts += 1
            yield self._running
        except TimeLimitError as error:
            limit = f"{self.time_limit:g} second{'' if self.time_limit == 1 else 's'}"
            printed = f", only {shown(error.printed)} without a line break" if error.printed else ""
            problem = error.program.error(f"{what()} within {limit}{printed}, and was killed")
            problem.answers, problem.reason = received, "time"
            self._stop(0)
            raise problem from None
        except ProgramError as error:
            error.answers = received
            self._stop(0)
            raise
        except BaseException:
            self._stop(0)
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
