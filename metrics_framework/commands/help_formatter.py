"""Formats the help of a command."""

from __future__ import annotations

import argparse
from typing import Any

from metrics_framework.commands.help_layout import filled, help_width, wrapped
from metrics_framework.common.overriding import overrides

_USAGE_INDENT = len("usage: ")


class HelpFormatter(argparse.HelpFormatter):
    """Formats usage, descriptions and flags, to the width of the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=help_width())

    @overrides
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Adds the usage; one that the command defines is wrapped, with a hanging indent for each of its lines."""
        if usage:
            lines = [" ".join(line.split()) for line in usage.split("\n")]
            lines = [filled(line, self._width - _USAGE_INDENT, " " * _USAGE_INDENT) for line in lines]
            usage = "\n".join(lines).replace("\n", "\n" + " " * _USAGE_INDENT)
        super().add_usage(usage, actions, groups, prefix)

    @overrides
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = wrapped(text, width).split("\n")
        return "\n".join(indent + line if line else line for line in lines)

    @overrides
    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        """Returns the values of a flag: ``FILE …`` for several, instead of ``FILE [FILE ...]``."""
        if action.nargs in ("+", "*") and not isinstance(action.metavar, tuple):
            return f"{action.metavar or default_metavar} …"
        return super()._format_args(action, default_metavar)

    @overrides
    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Returns the names of a flag, then its value once: ``--tokenizer, --tokenize {13a,intl}``."""
        if not action.option_strings:
            return super()._format_action_invocation(action)
        value = ""
        if action.nargs != 0:
            value = " " + self._format_args(action, self._get_default_metavar_for_optional(action))
        text = ", ".join(action.option_strings) + value
        if len(text) + self._current_indent <= self._width:
            return text
        lines = filled(text.replace(",", ", "), self._width - 2 * self._current_indent).replace(", ", ",")
        return lines.replace("\n", "\n" + " " * (2 * self._current_indent))
