"""The options of something that is registered, as ``fw list metrics sari`` prints those of a metric."""

from __future__ import annotations

from collections.abc import Iterable

from metrics_framework.common.option import Option

OPTION_COLUMNS = ("option", "values", "default", "meaning")


def option_rows(options: Iterable[Option]) -> list[list[str]]:
    """Returns option, values, default and meaning of every option."""
    return [
        [", ".join((option.name, *option.aliases)), _values(option), _default(option), option.help.replace("`", "")]
        for option in options
    ]


def _values(option: Option) -> str:
    return ", ".join(map(str, option.choices)) if option.kind == "choice" else option.expected()


def _default(option: Option) -> str:
    if option.required:
        return "required"
    if isinstance(option.default, bool):
        return str(option.default).lower()
    if isinstance(option.default, (list, tuple)):
        return " ".join(map(str, option.default))
    return "" if option.default in (None, "") else str(option.default)
