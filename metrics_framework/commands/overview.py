"""The texts of ``fw --help``, ``fw --version`` and ``fw <metric> --help``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import columns, filled, help_width, wrapped
from metrics_framework.common.registrable import Entry, Registry
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.version import __version__

GROUPS: Mapping[str, Sequence[str]] = {
    "score": ("evaluate", "score"),
    "compare systems": ("compare", "report", "visualize"),
    "judge metrics by human ratings": ("correlate", "stat-sig-test", "partial-conjunction-test"),
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
