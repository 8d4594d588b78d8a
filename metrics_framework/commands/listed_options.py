"""The options of one metric, reader, aligner or profile, as ``fw list metrics sari`` prints them."""

from __future__ import annotations

from metrics_framework.common.construct import Option, options_of
from metrics_framework.common.registrable import Registrable

OPTION_COLUMNS = ("option", "values", "default", "meaning")


def option_rows(base: type[Registrable], name: str) -> list[list[str]]:
    """Returns option, values, default and meaning of every option of a class.

    Args:
        base: The base class of the registry.
        name: The registered name.

    Raises:
        UnknownNameError: if the name does not exist.
    """
    options = options_of(base.by_name(name), base)
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
