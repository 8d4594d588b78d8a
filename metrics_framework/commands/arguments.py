"""The parser of all commands, which turns constructor options into flags."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from metrics_framework.commands.flag_values import (
    NO_VALUE,
    Given,
    StoreConstant,
    StoreValue,
    is_boolean_value,
    joined_with_values,
)
from metrics_framework.commands.option_flags import argument_of, flag_of, help_of, is_value_of, metavar_of
from metrics_framework.common.errors import UsageError, printable
from metrics_framework.common.options import Option, parse_docstring
from metrics_framework.common.overriding import overrides
from metrics_framework.common.plugins import PLUGINS_FLAG as PLUGIN_FLAG

if TYPE_CHECKING:
    from metrics_framework.commands.spellings import Constant, Converted, Without

BOOLEAN_NOTE = "BOOL is true or false; a flag without a value means true, --no-FLAG means false"
ALL_FLAGS = "--help-all"
"""The flag that describes all flags, also those that are not for every day."""
_OPTION, _REMOVED = "option:", "removed:"
"""Prefixes of declared options, and of items removed from them, among the parsed arguments of a command."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` with a suggestion, and accepts values of Boolean flags.

    Args:
        prog: The command.
        usage: The usage, `None` to list all flags.
        docstring: The documentation for the help.
        examples: Returns the examples for the help.

    Attributes:
        optional_values: Maps each flag whose value may be absent, and then is ``true``, to a function that returns
            whether the word after the flag is its value.
        other_names: Maps other names of flags to the option of the class that they set.
        without_value: Maps options whose flags may lack a value to what such a flag sets.
        everyday: The flags that ``--help`` describes, the others only ``--help-all``; empty for all flags.
        everyday_group: The group of the options of a metric, which ``--help`` describes, too.
    """

    def __init__(
        self,
        prog: str,
        usage: str | None = None,
        docstring: str | None = None,
        examples: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        # argparse makes a formatter for every flag; with a width, it does not ask for that of the terminal each time
        unused_layout = partial(argparse.HelpFormatter, width=80)
        super().__init__(prog, usage, formatter_class=unused_layout, allow_abbrev=False, add_help=False)
        self.everyday: frozenset[str] = frozenset()
        self.everyday_group: Any = None
        described: dict[str, Any] = {"action": _Help, "nargs": 0, "default": argparse.SUPPRESS}
        self.add_argument("-h", "--help", **described, help="show this help")
        self._help_all = self.add_argument(ALL_FLAGS, dest="help", **described, help=argparse.SUPPRESS)
        for action in (None, "store"):
            self.register("action", action, StoreValue)
        self.optional_values: dict[str, Callable[[str], bool]] = {}
        self.other_names: dict[str, str] = {}
        self.without_value: dict[str, Any] = {}
        self._docstring = docstring
        self._examples = examples
        self._options: list[tuple[argparse.Action, Option]] = []
        self._items: dict[str, Sequence[str]] = {}

    def add_options(self, group: Any, options: Sequence[Option], prefix: str) -> None:
        """Adds a flag for every option of a class or a function, after all other flags of the command were added.

        Args:
            group: The argument group.
            options: The options.
            prefix: Precedes the name of an option if the command already has a flag of that name.
        """
        for option in options:
            reserved = {*self._option_string_actions, PLUGIN_FLAG}
            flags = [flag_of(name) for name in (option.name, *option.aliases)]
            flags = [f"--{prefix}-{flag.lstrip('-')}" if flag in reserved else flag for flag in flags]
            target = {"dest": _OPTION + option.name, "default": argparse.SUPPRESS}
            words = argument_of(option, self.without_value.get(option.name))
            action = group.add_argument(*flags, **target, required=option.required, **words)
            self._options.append((action, option))
            if option.kind == "bool":
                if all(other.description != BOOLEAN_NOTE for other in self._action_groups):
                    group.description = BOOLEAN_NOTE
                self.optional_values.update(dict.fromkeys(flags, is_boolean_value))  # the word after a flag
                opposites = [f"--no-{flag[2:]}" for flag in flags if not flag.startswith("--no-")]
                opposites = [flag for flag in opposites if flag not in reserved and flag not in flags]
                if opposites and not option.required:
                    group.add_argument(*opposites, **target, action="store_false", help=argparse.SUPPRESS)
            elif option.name in self.without_value:
                self.optional_values.update(dict.fromkeys(flags, partial(is_value_of, option)))

    def add_spelling(self, group: Any, flags: Sequence[str], spelling: Constant | Without | Converted) -> None:
        """Adds flags that set an option, with other values than its usual flag."""
        from metrics_framework.commands.spellings import Constant, Converted

        option = spelling.option
        target = {"dest": _OPTION + option, "default": argparse.SUPPRESS}
        if isinstance(spelling, Converted):
            words = {"type": spelling.convert, "metavar": spelling.metavar, "help": spelling.help}
            group.add_argument(*flags, **target, **words)
        elif isinstance(spelling, Constant):
            same = flag_of(option) + f" {str(spelling.value).lower()}"
            what = f"the same as {same}" if spelling.value is not None else f"the same as no {flag_of(option)}"
            group.add_argument(*flags, **target, action=StoreConstant, nargs=0, const=spelling.value, help=what)
        else:
            self._items[option] = spelling.items
            removed = {"action": "append_const", "const": spelling.item, "default": []}
            group.add_argument(
                *flags, dest=_REMOVED + option, help=f"remove {spelling.item} from {flag_of(option)}", **removed
            )

    def _add_other_names(self) -> None:
        """Adds the other names of flags; a flag that exists already is left out."""
        for flag, option in self.other_names.items():
            if flag not in self._option_string_actions:
                action = next(action for action in self._actions if action.dest == _OPTION + option)
                self._option_string_actions[flag] = action
                if action.option_strings[0] in self.optional_values:
                    self.optional_values[flag] = self.optional_values[action.option_strings[0]]

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses the arguments of a command; flags and other arguments may come in any order.

        Underscores in flags are read as hyphens. The options of the class are in the result's ``options``.
        """
        if not self._option_string_actions.keys() >= {word for word in words if word.startswith("-")}:
            self._add_other_names()
        given = Given()
        given.set_by_flags = {}
        self.parse_intermixed_args(joined_with_values(words, self.optional_values), given)
        values = vars(given)
        given.options = {name[len(_OPTION) :]: value for name, value in values.items() if name.startswith(_OPTION)}
        given.set_by_flags = {name.removeprefix(_OPTION): flag for name, flag in given.set_by_flags.items()}
        for _, option in self._options:
            removed = values.get(_REMOVED + option.name)
            if removed:
                kept = given.options.get(option.name, option.default)
                if kept in (option.default, [option.default]):
                    kept = self._items[option.name] or option.default
                given.options[option.name] = [item for item in kept if item not in removed]
        return given

    def choices_of(self, action: argparse.Action) -> list[str]:
        """Returns the names that may follow a flag; none for other values."""
        choices = action.choices or next((option.choices for flag, option in self._options if flag is action), ())
        return [str(choice) for choice in choices]

    def complete_help(self) -> None:
        """Adds the texts that only the help needs: description, help of options, examples."""
        text = parse_docstring(self._docstring)
        description = "\n\n".join(filter(None, [text.summary, text.description]))
        self.description = description.replace("::\n", ":\n").replace("``", "")
        examples = self._examples()
        self.epilog = "\n  ".join(["examples:", *examples]) if examples else None
        self._name_values()
        names = {option.name for _, option in self._options}
        for action, option in self._options:
            if action.help != argparse.SUPPRESS:
                action.help = help_of(option, names, self.without_value.get(option.name, NO_VALUE))

    def hide_rare_flags(self) -> None:
        """Leaves the flags that are not for every day out of the help."""
        rare = [action for action in self._actions if self.everyday and self._is_rare(action)]
        for action in rare:
            action.help = argparse.SUPPRESS
        if rare:
            self._help_all.help = f"describe all flags ({len(rare)} more)"

    def _is_rare(self, action: argparse.Action) -> bool:
        if action.help == argparse.SUPPRESS or not action.option_strings or action.dest == "help":
            return False
        own = () if self.everyday_group is None else self.everyday_group._group_actions
        return action not in own and self.everyday.isdisjoint(action.option_strings)

    @overrides
    def format_help(self) -> str:
        self.complete_help()
        self._use_layout()
        return printable(super().format_help(), keep="\n\t")  # plug-ins have help texts too

    @overrides
    def format_usage(self) -> str:
        self._name_values()
        self._use_layout()
        return super().format_usage()

    def _name_values(self) -> None:
        """Adds the names of the values of options, for which classes that are choices are imported."""
        for action, option in self._options:
            action.metavar = metavar_of(option)

    def _use_layout(self) -> None:
        from metrics_framework.commands.help_formatter import HelpFormatter  # a run without help does not need it

        self.formatter_class = HelpFormatter

    def error(self, message: str) -> NoReturn:
        """Raises the error instead of exiting.

        Raises:
            UsageError: always.
        """
        from metrics_framework.common.errors import advice, closest

        if message.startswith("unrecognized arguments: "):
            unknown = message.split(": ", 1)[1].split()[0].split("=")[0]
            message = f"unexpected argument '{unknown}'"
            if unknown.startswith("-"):
                known = self._option_string_actions
                close = flag_for(unknown, known) or closest(unknown, known, cutoff=0.6)
                message = f"unknown flag {unknown}{f'; did you mean {close}?' if close else ''}"
        elif missing := re.match(r"the following arguments are required: (--[\w-]+)", message):
            texts = [help_of(option) for action, option in self._options if missing[1] in action.option_strings]
            message = f"{missing[1]} is missing: {texts[0]}" if texts else message
        elif invalid := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message):
            message += advice(invalid[1], [name.strip("'") for name in invalid[2].split(", ")])
        message = re.sub(r"^(argument )(?:-\w+/)*(--[\w-]+)(?:/-[\w/-]+)?:", r"\1\2:", message)  # one name of a flag
        raise UsageError(message, *self.format_usage().splitlines(), f"fw: see {self.prog} --help")


class _Help(argparse.Action):
    """Prints the help of a command, and ends the program."""

    @overrides
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if option_string != ALL_FLAGS:
            parser.hide_rare_flags()
        parser.print_help()
        parser.exit()


def number_of_jobs(word: str) -> int:
    """Returns the number of processes for ``--jobs``; 0 means one for each available CPU."""
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"must be an integer, 0 or more, got '{word}'")
    if int(word):
        return int(word)
    from metrics_framework.common.process import available_cpus

    return available_cpus()


_OTHER_NAMES = {
    "--outputs": "hyp hyps hypothesis hypotheses pred preds prediction predictions candidate candidates sys systems",
    "--references": "ref refs tgt target targets gold",
    "--sources": "src srcs orig original originals inputs",
    "--input-files": "files data jsonl csv",
    "--jobs": "threads workers num-workers n-jobs num-threads num-processes",
    "--resamples": "bootstrap n-bootstrap num-resamples n-resamples bootstraps",
    "--digits": "decimals precision round",
    "--silent": "quiet",
    "--metric": "measure measures scorer",
    "--format": "latex tex markdown",
    "--confidence": "significance significance-test significance-tests stats test-significance",
    "--baseline": "compare compare-to compare-with reference-system",
}
_FLAGS = {f"--{name}": flag for flag, names in _OTHER_NAMES.items() for name in names.split()}


def flag_for(name: str, flags: Container[str]) -> str:
    """Returns the flag that another program calls by a name; an empty string if there is none in the command.

    >>> flag_for("--Hypotheses", ["--outputs"]), flag_for("--src", ["--outputs"])
    ('--outputs', '')
    """
    flag = _FLAGS.get(name.lower().replace("_", "-"), "")
    return flag if flag in flags else ""
