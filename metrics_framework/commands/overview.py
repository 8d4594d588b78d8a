"""What ``fw --help``, ``fw --version`` and ``fw <metric> --help`` print."""

from __future__ import annotations

import sys

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.registrable import Registry
from metrics_framework.kernels.dispatch import implementation
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.version import __version__

HIDDEN = "complete-words"


def visible_commands() -> list[str]:
    """Returns the names of the commands that a person uses."""
    return COMMANDS.names()


def help_text() -> str:
    """Writes the help of ``fw`` itself; no metric is imported for it."""
    return f"""\
usage: fw <command> …        fw <metric> evaluate|score …

Scores text generation and judges the metrics themselves.

commands
{_listing(COMMANDS, visible_commands())}

metrics, each with evaluate (scores of systems and outputs) and score (scores with jackknifing)
{_listing(METRICS, METRICS.names())}

fw sari evaluate --outputs outputs.txt --references refs.txt --sources sources.txt     prints a table of scores
fw <command> --help, fw <metric> --help, fw <metric> evaluate --help                   say what each can do
fw --version                                                                           says what runs

Plug-ins: installed packages are found by themselves; others join by FW_PLUGINS="package …" or --include-packages."""


def _listing(registry: Registry, names: list[str]) -> str:
    width = max((len(name) for name in names), default=0)
    lines = []
    for name in names:
        entry = registry.entries[name]
        summary = entry.summary.replace("`", "") or f"({entry.origin})"
        lines.append(f"  {name.ljust(width)}  {summary}")
    lines.extend(f"  {name}: out of use, {error}" for name, error in sorted(registry.conflicts.items()))
    return "\n".join(lines)


def metric_help(name: str) -> str:
    """Writes the help of a metric: its documentation and what can be done with it."""
    metric = METRICS.get(name)
    text = parse_docstring(metric.__doc__)
    paragraphs = [
        f"usage: fw {name} evaluate|score …",
        text.summary,
        text.description,
        f"fw {name} evaluate --help    scores of systems and of outputs\n"
        f"fw {name} score --help       scores of outputs with jackknifing, for fw correlate\n"
        f"fw cite {name}               the paper to cite",
    ]
    return "\n\n".join(filter(None, paragraphs)).replace("``", "")


def version_text() -> str:
    """Says the versions and which kernels run."""
    return f"fw {__version__}\nPython {sys.version.split()[0]}\nkernels: {implementation()}"
