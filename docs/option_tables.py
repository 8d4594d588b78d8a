"""Tables of options of registered classes; options that classes share are described once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from markdown_parts import cell, joined

from metrics_framework.common.options import REQUIRED, Option

SHARED_OPTIONS = 6  # fewer options that follow each other are described with each class that has them
HEAD = ["| option | values | default | meaning |", "|---|---|---|---|"]


def option_tables(options: Mapping[str, Sequence[Option]]) -> dict[str, str]:
    """Returns the table of options of each class: name of the class to Markdown.

    A long run of options that several classes have is described once, with the class whose options most of the other
    classes have: BLEU's with ``bleu``, not with ``fkbleu``.
    """
    rows = {name: set(map(_row, options[name])) for name in options}
    heirs = {name: sum(rows[name] <= other for other in rows.values()) for name in options}
    owners: dict[str, str] = {}
    for name in sorted(options, key=lambda name: (len(rows[name]) < SHARED_OPTIONS, -heirs[name])):
        for row in rows[name]:
            owners.setdefault(row, name)
    return {name: _table(name, options[name], owners) for name in options}


def _table(name: str, options: Sequence[Option], owners: Mapping[str, str]) -> str:
    if not options:
        return "No options.\n"
    rows, shared = [], []
    for owner, run in groupby(options, lambda option: owners[_row(option)]):
        same = list(run)
        if owner != name and len(same) >= SHARED_OPTIONS:
            shared.append(f"Further options, described with [{owner}](#{owner}): {_names(same)}.\n")
        else:
            rows += map(_row, same)
    return "\n".join([*([*HEAD, *rows, ""] if rows else []), *shared])


def _row(option: Option) -> str:
    names = joined((option.name, *option.aliases))
    default = "required" if option.default is REQUIRED else f"`{option.default}`"
    return f"| {names} | {cell(option.expected())} | {default} | {cell(option.help)} |"


def _names(options: Sequence[Option]) -> str:
    return joined(option.name for option in options)
