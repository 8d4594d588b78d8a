"""The texts of ``fw --help``, ``fw --version`` and ``fw <metric> --help``."""

from __future__ import annotations

import sys

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.registrable import Registry
from metrics_framework.kernels.dispatch import implementation
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.version import __version__


def help_text() -> str:
    """Returns the help of ``fw`` itself; no metric is imported for it."""
    return f"""\
usage: fw <command> …        fw <metric> evaluate|score …

Scores text generation and evaluates the metrics themselves.

commands
{_listing(COMMANDS)}

metrics, each with the actions evaluate (scores of systems) and score (scores of outputs, for fw correlate)
{_listing(METRICS)}

example
  fw sari evaluate --outputs outputs.txt --references references.txt --sources sources.txt

more help
  fw <command> --help            describes a command and its flags
  fw <metric> --help             describes a metric
  fw <metric> evaluate --help    describes the flags and options of a metric
  fw --version                   prints the versions of fw and Python, and the kernels in use

Installed plug-ins are found automatically; load others with --include-packages or FW_PLUGINS="package …"."""


def _listing(registry: Registry) -> str:
    names = registry.names()
    width = max(map(len, names), default=0)
    lines = []
    for name in names:
        entry = registry.entries[name]
        lines.append(f"  {name:{width}}  {entry.summary.replace('`', '') or f'({entry.origin})'}")
    lines.extend(f"  {name}: unavailable: {error}" for name, error in sorted(registry.conflicts.items()))
    return "\n".join(lines)


def metric_help(name: str) -> str:
    """Returns the help of a metric: its documentation and its commands."""
    text = parse_docstring(METRICS.get(name).__doc__)
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
    """Returns the versions of fw and Python, and the kernels in use."""
    return f"fw {__version__}\nPython {sys.version.split()[0]}\nkernels: {implementation()}"
