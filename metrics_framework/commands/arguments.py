"""From options to flags: the bridge between constructors and argparse."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from metrics_framework.common.construct import Option
from metrics_framework.common.errors import UsageError

TRUTHS = ("true", "false", "yes", "no", "on", "off", "1", "0")
OPTION = "option:"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` with advice, and knows which flags are true or false."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)
        self.truths: set[str] = set()

    def error(self, message: str) -> NoReturn:
        """Raises the error instead of exiting."""
        raise UsageError(f"{self._advised(message)}\n{self.format_usage().rstrip()}\nfw: see {self.prog} --help")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses the words of a command; positionals and flags may come in any order."""
        return self.parse_intermixed_args(self._joined_truths(normalized(words)))

    def flags(self) -> list[str]:
        """Returns all flags."""
        return [flag for action in self._actions for flag in action.option_strings]

    def _joined_truths(self, words: Iterable[str]) -> list[str]:
        """Joins ``--flag false`` to ``--flag=false``, so that a flag never swallows the word behind it."""
        joined: list[str] = []
        for word in words:
            if joined and joined[-1] in self.truths and word.lower() in TRUTHS:
                joined[-1] = f"{joined[-1]}={word}"
            else:
                joined.append(word)
        return [f"{word}=true" if word in self.truths else word for word in joined]

    def _advised(self, message: str) -> str:
        from difflib import get_close_matches

        if not message.startswith("unrecognized arguments: "):
            return message
        unknown = message.split(": ", 1)[1].split()[0].split("=")[0]
        close = get_close_matches(unknown, self.flags(), n=1)
        return (
            f"there is no flag {unknown}{f'; did you mean {close[0]}?' if close else ''}"
            if unknown[:1] == "-"
            else (f"'{unknown}' is one argument too many")
        )


def normalized(words: Sequence[str]) -> list[str]:
    """Writes flags with hyphens: ``--max_ngram`` is ``--max-ngram``."""
    result = []
    for word in words:
        if word.startswith("--") and len(word) > 2:
            name, equals, value = word.partition("=")
            word = name.replace("_", "-") + equals + value
        result.append(word)
    return result


def add_options(parser: Parser, group: Any, options: Sequence[Option], prefix: str) -> None:
    """Adds a flag for every option of a class; call it when the parser has all its other flags.

    Args:
        parser: The parser.
        group: The group of the parser that takes them.
        options: The options.
        prefix: Goes before the name of a flag that the command has already.
    """
    for option in options:
        taken = parser.flags()
        names = [name.replace("_", "-") for name in (option.name, *option.aliases)]
        flags = [f"--{name}" if f"--{name}" not in taken else f"--{prefix}-{name}" for name in names]
        arguments: dict[str, Any] = {"dest": OPTION + option.name, "default": argparse.SUPPRESS}
        arguments["help"] = _help(option)
        arguments["required"] = option.required
        if option.kind == "bool":
            parser.truths.update(flags)
            arguments.update(type=_of(option), metavar="BOOL")
            group.add_argument(*flags, **arguments)
            no = [f"--no-{flag[2:]}" for flag in flags if not flag.startswith("--no-")]
            no = [flag for flag in no if flag not in taken and flag not in flags]
            hidden: dict[str, Any] = {
                "dest": OPTION + option.name,
                "default": argparse.SUPPRESS,
                "help": argparse.SUPPRESS,
            }
            if no and not option.required:
                group.add_argument(*no, action="store_false", **hidden)
            continue
        if option.kind == "list":
            arguments.update(nargs="+", metavar=option.item.upper())
        elif option.kind == "choice":
            arguments.update(type=_of(option), metavar=f"{{{','.join(map(str, option.choices))}}}")
        else:
            arguments.update(type=_of(option), metavar=option.kind.upper())
        group.add_argument(*flags, **arguments)


def add_plugin_flag(parser: Parser) -> None:
    """Adds ``--include-packages``, which is read before the parser is built, so that the help knows of it."""
    group = parser.add_argument_group("plug-ins")
    group.add_argument("--include-packages", nargs="+", metavar="PACKAGE", help="packages or .py files to import first")


def number_of_jobs(word: str) -> int:
    """Returns how many processes ``--jobs`` asks for; 0 is one for each processor that this process may use."""
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more, got '{word}'")
    return int(word) or _usable_processors()


def _usable_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _of(option: Option) -> Any:
    def convert(word: str) -> Any:
        try:
            return option.convert(word)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def _help(option: Option) -> str:
    text = option.help.replace("``", "").replace("`", "").rstrip(".").replace("%", "%%")
    if option.required:
        return text or "required"
    if option.kind == "bool":
        default = f"default: {'yes' if option.default else 'no'}"
        extra = default if option.default is not None else ""
        negation = "--flag false for no" if option.name.startswith("no_") else "--no-… for no"
        extra = f"{extra}; {negation}" if extra else negation
    elif option.default in (None, "", [], ()):
        extra = ""
    else:
        words = option.default if isinstance(option.default, (list, tuple)) else [option.default]
        extra = f"default: {' '.join(map(str, words))}".replace("%", "%%")
    return f"{text} ({extra})" if extra else text


def chosen_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns the options that were given on the command line."""
    return {name[len(OPTION) :]: value for name, value in vars(arguments).items() if name.startswith(OPTION)}
