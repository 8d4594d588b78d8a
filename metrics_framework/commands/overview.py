"""The texts of ``fw --help``, ``fw --version`` and ``fw <metric> --help``."""

from __future__ import annotations

import sys

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.registrable import Registry
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.version import __version__

_MORE_HELP = {
    "fw <command> --help": "describes a command and its flags",
    "fw <metric> --help": "describes a metric",
    "fw <metric> evaluate --help": "describes the flags and options of a metric",
    "fw --version": "prints the versions of fw and Python, and the kernels in use",
}


def help_text(width: int | None = None) -> str:
    """Returns the help of ``fw`` itself; no metric is imported for it.

    Args:
        width: The width; by default that of the terminal.
    """
    from metrics_framework.commands.help_layout import columns, filled, help_width

    width = width or help_width()
    actions = (
        "metrics, each with the actions evaluate (scores of systems) and score (scores of outputs, for fw correlate)"
    )
    plugins = (
        'Installed plug-ins are found automatically; load others with --include-packages or FW_PLUGINS="package …".'
    )
    return f"""\
usage: fw <command> …        fw <metric> evaluate|score …

{filled("Scores text generation and evaluates the metrics themselves.", width)}

commands
{_listing(COMMANDS, width)}

{filled(actions, width)}
{_listing(METRICS, width)}

example
  fw sari evaluate --outputs out.txt --references ref.txt --sources src.txt

more help
{columns(_MORE_HELP, width)}

{filled(plugins, width)}"""


def _listing(registry: Registry, width: int) -> str:
    from metrics_framework.commands.help_layout import columns, filled

    entries = {name: registry.entries[name] for name in registry.names()}
    rows = {name: entry.summary.replace("`", "") or f"({entry.origin})" for name, entry in entries.items()}
    lines = [columns(rows, width)] if rows else []
    for name, error in sorted(registry.conflicts.items()):
        lines.append(filled(f"  {name}: unavailable: {error}", width, "    "))
    return "\n".join(lines)


def metric_help(name: str) -> str:
    """Returns the help of a metric: its documentation and its commands."""
    from metrics_framework.commands.help_layout import columns, help_width, wrapped

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
