"""Runs ``fw`` as ``python -m metrics_framework``."""

import gc
import os
import sys

if __name__ == "__main__" and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    # ``python -m`` puts the working folder before the standard library; what is not imported yet must not come from it
    folder = sys.path.pop(0)
    if os.path.dirname(os.path.dirname(os.path.abspath(__file__))) == folder:  # a clone that is not installed
        sys.path.append(folder)

from metrics_framework.common.process import Terminated, end_run_on_signals, ignore_signals


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        end_run_on_signals()
        from metrics_framework.commands.app import main as run
        from metrics_framework.commands.app import prepare_process

        prepare_process()
        code = run()
    except KeyboardInterrupt:  # a signal during the imports, or a further one while the first is handled
        code = 130
    except Terminated:
        code = 143
    ignore_signals()
    if code in (130, 143):
        _drop_buffered_output()
    gc.freeze()  # what is left is freed with the process: Python would search all objects for cycles first
    sys.exit(code)


def _drop_buffered_output() -> None:
    """Drops output that was not written yet: writing it at exit might wait for a reader that has stopped reading."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # it is closed
        return


if __name__ == "__main__":
    main()
