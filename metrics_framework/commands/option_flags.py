"""How an option becomes a flag: its names, the words that it takes, and its help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Container
from functools import partial
from typing import Any

from metrics_framework.commands.flag_values import NO_VALUE, StoreList, cannot_be_file, is_number
from metrics_framework.common.errors import UsageError
from metrics_framework.common.options import Option

METAVARS = {"bool": "BOOL", "int": "N", "float": "FLOAT", "str": "TEXT", "json": "JSON"}
_QUOTED = re.compile(r"`+([^`]*)`+")
_ARTICLE = re.compile(r"^(?:(?:The|An?) (?=\w)|Whether to (?=\w))")


def flag_of(name: str) -> str:
    """Returns the flag of an option, or of another name of it, which may be a flag itself.

    >>> flag_of("two_tailed"), flag_of("-j")
    ('--two-tailed', '-j')
    """
    return name if name.startswith("-") else f"--{name.replace('_', '-')}"


def argument_of(option: Option, without_value: Any = None) -> dict[str, Any]:
    """Returns what argparse needs to know about the values of a flag.

    Args:
        option: The option.
        without_value: What a flag without a value sets, if its value may be left out; the parser then gets ``true``.
    """
    if option.kind == "list":
        words: dict[str, Any] = {} if option.repeated else {"nargs": "+"}
        return {"type": partial(_checked, option.items_of), "action": StoreList, **words}
    convert: Callable[[str], Any] = option.convert
    if without_value is not None:
        convert = partial(_without_value, option, without_value)
    return {"type": partial(_checked, convert)}


def metavar_of(option: Option) -> str:
    """Returns the name of the values of a flag, or its choices."""
    if option.form is not None:
        return option.form.metavar
    if option.kind == "list":
        return ("NAME,…" if option.repeated else "NAME") if option.item == "choice" else METAVARS[option.item]
    return f"{{{','.join(map(str, option.choices))}}}" if option.kind == "choice" else METAVARS[option.kind]


def help_of(option: Option, names: Container[str] = (), without_value: Any = NO_VALUE) -> str:
    """Returns the help of a flag: the text of the option, the choices of a list, and its default.

    Args:
        option: The option.
        names: The names of all options of the command; the text then names their flags.
        without_value: The value of the flag without a value, if it is not the default.
    """
    text = _QUOTED.sub(lambda quoted: flag_of(quoted[1]) if quoted[1] in names else quoted[1], option.help.rstrip("."))
    text = _uncapitalized(_ARTICLE.sub("", text))
    if option.kind == "list" and option.repeated and option.item != "choice":
        text += "; repeat for several"
    facts = []
    if option.choices and metavar_of(option)[0] != "{":
        between = "; " if any("," in str(choice) for choice in option.choices) else ", "
        facts.append(f"choices: {between.join(map(str, option.choices))}")
    if without_value is not NO_VALUE:
        facts.append(f"without a value: {without_value}")
    if default_of(option):
        facts.append(f"default: {default_of(option)}")
    text = f"{text} ({'; '.join(facts)})" if facts else text
    return (text or ("required" if option.required else "")).replace("%", "%%")


def default_of(option: Option) -> str:
    """Returns a default as a word of the command line; an empty string if there is nothing to say."""
    default = None if option.required else option.default
    if isinstance(default, bool):
        return str(default).lower()
    if default in (None, "", [], ()):
        return ""
    if isinstance(default, (list, tuple)):
        return (",".join if option.repeated else " ".join)(map(str, default))
    return str(default).removesuffix(".0")


def is_value_of(option: Option, word: str) -> bool:
    """Returns whether a word after a flag that may have none is its value, or at least cannot be a file."""
    try:
        option.convert(word)
    except UsageError:
        return is_number(word) or cannot_be_file(word)
    return True


def _uncapitalized(text: str) -> str:
    """Returns a text that starts with a small letter, unless its first word is an abbreviation.

    >>> _uncapitalized("Column of raters"), _uncapitalized("BLEU scores")
    ('column of raters', 'BLEU scores')
    """
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _checked(convert: Callable[[str], Any], word: str) -> Any:
    try:
        return convert(word)
    except UsageError as error:  # argparse names the flag
        raise argparse.ArgumentTypeError(re.sub(r"^'\w+' ", "", str(error))) from None


def _without_value(option: Option, value: Any, word: str) -> Any:
    return value if word == "true" else option.convert(word)
