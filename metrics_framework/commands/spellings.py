"""Other spellings of options: flags of SacreROUGE and sacreBLEU, and shorter ones, that set a declared option."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Constant(NamedTuple):
    """A flag that takes no value and sets an option to a constant.

    Args:
        option: The option.
        value: The value.
    """

    option: str
    value: Any


class Without(NamedTuple):
    """A flag that takes no value and removes one item from the list of an option.

    Args:
        option: The option.
        item: The item.
        items: All items, where the default of the option does not list them.
    """

    option: str
    item: str
    items: tuple[str, ...] = ()


class Converted(NamedTuple):
    """A flag whose values differ from those of the option.

    Args:
        option: The option.
        metavar: The name of its values in help texts.
        convert: Returns the value of the option, and raises `argparse.ArgumentTypeError` if it is invalid.
        help: What the values mean.
    """

    option: str
    metavar: str
    convert: Callable[[str], Any]
    help: str


Spelling = str | Constant | Without | Converted
"""The option that a flag sets, with the same values or with others."""
