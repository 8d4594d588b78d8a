"""Runs ``fw`` many times in forked processes and sends each a signal at a chosen moment; called by test_kills.py.

Forking a process that has imported everything takes a tenth of the time of starting a new one. The first line of
standard input is a JSON list of words, each further one a trial: ``[folder, signal, moment, by, again]``. For each
trial, a line ``[exit code, standard output, standard error, seconds]`` is printed; the files are left in the folder.

A moment is either the n-th line of the code that writes, which the process counts itself, or a time in seconds.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from types import FrameType
from typing import Any

import metrics_framework.__main__ as program

for name in ("app", "correlate", "evaluate", "report", "score"):  # before the fork, so that each run starts faster
    importlib.import_module(f"metrics_framework.commands.{name}")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TRACED = ("/io/", "/commands/", "/common/process.py", "/metrics_framework/__main__.py")


class LineCounter:
    """Counts lines of the code that writes and of the commands, and sends this process a signal at one of them."""

    def __init__(self, number: int, moment: int, again: int) -> None:
        self.count = 0
        self.number = number
        self.moments = {moment, moment + again} if again else {moment}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if event == "call" and not any(part in name for part in TRACED):
            return None
        if event == "line":
            self.count += 1
            if self.count in self.moments:
                os.kill(os.getpid(), self.number)
        return self


def run(words: list[str], folder: str, number: int, moment: float, by: str, again: float) -> None:
    """Runs ``fw`` in this forked process, which ends with it."""
    os.chdir(folder)
    for target, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(os.path.join("..", name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), target)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    install = program.end_run_on_signals

    def install_and_unblock() -> None:
        install()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    program.end_run_on_signals = install_and_unblock
    sys.argv = ["fw", *words]
    if by == "line":
        counter = LineCounter(number, int(moment), int(again))
        sys.settrace(counter)
        try:
            program.main()
        finally:
            sys.settrace(None)
            if not number:
                print(counter.count, file=sys.stderr)
                with open(os.path.join("..", "modules"), "w", encoding="utf-8") as stream:
                    json.dump([*sys.modules], stream)
    program.main()


def outcome(words: list[str], folder: str, number: int, moment: float, by: str, again: float) -> list[Any]:
    """Runs ``fw`` in a forked process; returns its exit code and what it printed."""
    started = time.monotonic()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # in the child until the handlers of the program are installed
    child = os.fork()
    if child == 0:
        run(words, folder, number, moment, by, again)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    if by == "time":
        time.sleep(moment)
        os.kill(child, number)
        if again:
            time.sleep(again)
            os.kill(child, number)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    texts = []
    for name in ("stdout", "stderr"):
        with open(os.path.join(folder, "..", name), encoding="utf-8", errors="replace") as stream:
            texts.append(stream.read())
    seconds = time.monotonic() - started
    if not number:
        import_as_in(os.path.join(folder, "..", "modules"))
    return [code, *texts, seconds]


def import_as_in(file: str) -> None:
    """Imports the modules that a run has imported, before further forks, so that these start faster."""
    with open(file, encoding="utf-8") as stream:
        names = json.load(stream)
    for name in names:
        if name.partition(".")[0] in ("metrics_framework", "numpy", "scipy"):
            importlib.import_module(name)


def main() -> None:
    """Reads trials and prints their outcomes."""
    words = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        print(json.dumps(outcome(words, *json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
