"""Runs ``fw`` as ``python -m metrics_framework``."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from metrics_framework.commands.app import main as run
    from metrics_framework.commands.app import prepare_process

    prepare_process()
    sys.exit(run())


if __name__ == "__main__":
    main()
