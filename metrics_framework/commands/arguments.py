"""The parser of all commands, which turns constructor options into flags."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import methodcaller
from textwrap import wrap
from typing import Any, NamedTuple, NoReturn

from metrics_framework.common.calls import called_elsewhere, flag_of_others, in_flags
from metrics_framework.common.errors import FwError, UsageError, advice, called, printable, say_taken, similar, spelled
from metrics_framework.common.options import Option, names_of, options_of, parse_docstring
from metrics_framework.common.overriding import overrides
from metrics_framework.common.plugins import PLUGINS_FLAG as PLUGIN_FLAG
from metrics_framework.common.process import terminal_width

BOOLEAN_NOTE = "BOOL is true or false; a flag without a value means true, --no-FLAG means false"
METRIC_FLAG = ("-m", "--metric", "--metrics")
"""The flag of metrics in commands that score several."""
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
        list_flags: Flags that several words may follow, to a function that returns whether a word but the first is one.
        without_value: Maps options whose flags may lack a value to what such a flag sets.
        not_required: The options without a default that the command itself misses, unless another flag sets them.
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
        self._lines_each = 0
        described: dict[str, Any] = {"action": _Help, "nargs": 0, "default": argparse.SUPPRESS}
        self.add_argument("-h", "--help", **described, help="show this help")
        self._help_all = self.add_argument(ALL_FLAGS, dest="help", **described, help=argparse.SUPPRESS)
        for action in (None, "store"):
            self.register("action", action, StoreValue)
        self.optional_values: dict[str, Callable[[str], bool]] = {}
        self.other_names: dict[str, str] = {}
        self.without_value: dict[str, Any] = {}
        self.list_flags: dict[str, Callable[[str], bool]] = {}
        self._negative_number_matcher = re.compile(r"-\d[-\d.,]*$")  # also lists and ranges of numbers are values
        self.not_required: Sequence[str] = ()
        self._docstring = docstring
        self._examples = examples
        self._options: list[tuple[argparse.Action, Option]] = []
        self._flags: dict[type[Any], dict[str, argparse.Action]] = {}
        self._items: dict[str, Sequence[str]] = {}
        self._metric_flags: list[MetricFlag] = []

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
            without_value = self.without_value.get(option.name)
            words: dict[str, Any] = {}
            convert: Callable[[str], Any] = option.convert
            if option.kind == "list":
                convert = option.items_of
                words = {"action": StoreList} if option.repeated else {"action": StoreList, "nargs": "+"}
                if option.repeated and not option.files:
                    self.list_flags.update(dict.fromkeys(flags, cannot_be_file))
            elif option.kind == "form" and option.repeated:
                convert, words = partial(_form_of, option), {"action": StoreList}
                self.list_flags.update(dict.fromkeys(flags, lambda word: is_setting(word) or cannot_be_file(word)))
            elif without_value is not None:
                convert = partial(_without_value, option, without_value)
            words["type"] = partial(_checked, convert)
            is_required = option.required and option.name not in self.not_required
            action = group.add_argument(*flags, **target, required=is_required, **words)
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

    def add_flags(self, group: Any, declared: type[Any], without: Container[str] = ()) -> None:
        """Adds the flags that a class declares as attributes, with the help texts under its ``Args:``.

        Args:
            group: The argument group.
            declared: The class.
            without: Names of flags that are left out.
        """
        self._flags[declared] = {}
        for name, flag in vars(declared).items():
            if isinstance(flag, Flag) and name not in without:
                names = sorted((flag_of(name), *flag.others), key=methodcaller("startswith", "--"))  # short ones first
                self._flags[declared][name] = group.add_argument(*names, **flag.words)

    def add_spelling(self, group: Any, flags: Sequence[str], spelling: Constant | Without | Converted) -> None:
        """Adds flags that set an option, with other values than its usual flag."""
        option = spelling.option
        target = {"dest": _OPTION + option, "default": argparse.SUPPRESS}
        if isinstance(spelling, Converted):
            words = {"type": spelling.convert, "metavar": spelling.metavar, "help": spelling.help}
            group.add_argument(*flags, **target, **words)
        elif isinstance(spelling, Constant):
            same = flag_of(option) + f" {str(spelling.value).lower()}"
            what = f"the same as {same}" if spelling.value is not None else f"the same as no {flag_of(option)}"
            group.add_argument(*flags, **target, action=StoreValue, nargs=0, const=spelling.value, help=what)
        else:
            self._items[option] = spelling.items
            removed = {"action": "append_const", "const": spelling.item, "default": []}
            group.add_argument(
                *flags, dest=_REMOVED + option, help=f"remove {spelling.item} from {flag_of(option)}", **removed
            )

    def read_as(self, flag: str, other: str) -> None:
        """Reads a flag as another one."""
        self._option_string_actions[flag] = self._option_string_actions[other]

    def name_flags(self, error: FwError, given: Given) -> None:
        """Names flags in an error in place of options; a name that is also the value of an argument stays as it is."""
        values = [*given.options.values(), *vars(given).values()]
        words = {str(word) for value in values for word in (value if isinstance(value, list | tuple) else [value])}
        names = {option.name for _, option in self._options} - words
        error.args = tuple(in_flags(str(line), names) for line in error.args)

    def parse(self, words: Sequence[str]) -> Given:
        """Parses the arguments of a command; flags and other arguments may come in any order.

        Underscores in flags are read as hyphens. The options of the class are in the result's ``options``.
        """
        self._refuse_other_meanings(words)
        given = Given()
        given.set_by_flags, given.program = {}, self.prog
        joined = self._joined(words)
        self.parse_intermixed_args([f"{word}=true" if word in self.optional_values else word for word in joined], given)
        values = vars(given)
        given.options = {name[len(_OPTION) :]: value for name, value in values.items() if name.startswith(_OPTION)}
        of_metrics = [flag for flag in self._metric_flags if flag.option in given.options]
        given.metric_options = {flag: given.options.pop(flag.option) for flag in of_metrics}
        given.set_by_flags = {name.removeprefix(_OPTION): flag for name, flag in given.set_by_flags.items()}
        for _, option in self._options:
            removed = values.get(_REMOVED + option.name)
            if removed:
                kept = given.options.get(option.name, option.default)
                if kept in (option.default, [option.default]):
                    kept = self._items[option.name] or option.default
                given.options[option.name] = [item for item in kept if item not in removed]
        return given

    def _refuse_other_meanings(self, words: Sequence[str]) -> None:
        """Refuses a short flag that is one of another program by the words beside it.

        Raises:
            UsageError: if there is one.
        """
        if "-q" in words and re.search(r"sents[-_]path|(-t|-set)[ =]\w+_(test|valid)", " ".join(words)):
            raise UsageError("-q is --silent here; for EASSE's -q, use --metric quality-estimation")
        known = {*self.other_names, *self._option_string_actions}
        of_jiwer = "; for jiwer's -c, the error rate of characters, use fw cer evaluate"
        for flag, value in pairwise([*words, "-"]):
            is_value = value in ("A", "B") or (is_number(value) and (flag != "-w" or "." in value))
            is_of_rouge = "--compute-rouge-l" in known and (is_value or flag not in known)
            if is_of_rouge and (answer := flag_of_others(flag, known)):
                raise UsageError(answer)
            if flag == "-s" and "." in value and os.path.isfile(value) and flag in known:
                raise UsageError(f"-s is --smooth-method here; for the sources, use --sources {value}")
            if flag == "-c" and is_number(value) and "--confidence" in known:
                raise UsageError(f"-c is --outputs here; for intervals, use --confidence {value}")
            if flag == "-h" and os.path.isfile(value) and "--outputs" in known:
                raise UsageError(f"-h is --help here; for outputs, use --outputs {value}{of_jiwer * ('-c' in words)}")
            if flag == "-c" and value.startswith("-") and "--outputs" in known:
                raise UsageError(f"-c is --outputs here{of_jiwer}")

    def _flag_here(self, given: str, flag: str, words: Sequence[str]) -> str:
        """Returns the flag that an unknown one means: another, one of an option of metrics, none, or itself."""
        if flag in self.other_names:
            return flag_of(self.other_names[flag])
        meant = called_elsewhere(flag, "same flags", self._option_string_actions)
        default = called("defaults", flag)
        if meant or default:
            say_taken(given, meant[0] if meant else f"the default: {default}")
            return meant[0] if meant else ""
        if METRIC_FLAG[1] not in self._option_string_actions:
            return flag
        found = _options_named(flag, words)
        opposites = _options_named(f"--{flag[5:]}", words) if flag.startswith("--no-") and not found else {}
        if uses := [f"{name}:{one.name}=false" for name, one in opposites.items() if one.kind == "bool"]:
            raise UsageError(f"unknown flag {given}; use --metric {','.join(uses)}")
        if len({option.name for option in found.values()}) == 1:
            name, option = next(iter(found.items()))
            say_taken(given, f"the option {option.name} of {' and '.join(found)}")
            self._metric_flags.append(MetricFlag((flag,), (*found,), option.name))
            aliases = (flag,) if flag != flag_of(option.name) else ()
            self.add_options(self, [option._replace(aliases=aliases)], name)
        return flag

    def _joined(self, words: Sequence[str]) -> list[str]:
        """Returns the words with the names of flags here, and such that argparse reads no other word as a value.

        A flag that may lack a value is one word with it; each item of a list that follows its flag has a flag.
        """
        joined: list[str] = []
        listing, has_item = "", False
        for word in words:
            if word.startswith("-") and len(word) > 1:
                name, equals, value = word.partition("=")
                flag = name.replace("_", "-") if name.startswith("--") else name
                if flag not in self._option_string_actions and not (flag := self._flag_here(name, flag, words)):
                    continue
                word = flag + equals + value
            elif joined and joined[-1] in self.optional_values and self.optional_values[joined[-1]](word):
                word = f"{joined.pop()}={word}"
            elif joined and joined[-1] == "--ci" and not word.strip("0123456789.%"):  # a level, not a method
                say_taken(f"{joined.pop()} {word}", f"--confidence {word}")
                word = f"--confidence={word}"
            if word.startswith("-"):
                listing, equals, _ = word.partition("=")
                has_item = bool(equals)
            elif listing in self.list_flags:
                if has_item and not self.list_flags[listing](word):
                    listing = ""
                elif has_item:
                    joined.append(listing)
                has_item = True
            joined.append(word)
        return joined

    @overrides
    def _get_option_tuples(self, option_string: str) -> Any:
        """Returns the flags of a word such as ``-j2``; the start of a short flag is not the flag."""
        return [found for found in super()._get_option_tuples(option_string) if found[1] == option_string[:2]]

    @overrides
    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Converts a word; one of the choices may have another case, and underscores for hyphens."""
        value = super()._get_value(action, arg_string)
        if isinstance(value, str) and action.choices is not None and value not in action.choices:
            known = spelled(value, action.choices)
            if known is not None:
                say_taken(value, f"'{known}'")
                return known
        return value

    def choices_of(self, action: argparse.Action) -> list[str]:
        """Returns the names that may follow a flag; none for other values."""
        choices = action.choices or next((option.choices for flag, option in self._options if flag is action), ())
        return [str(choice) for choice in choices]

    def complete_help(self) -> None:
        """Adds the texts that only the help needs: description, help of options, examples."""
        text, is_brief = parse_docstring(self._docstring), self._lines_each > 0
        description = "\n\n".join(filter(None, [text.summary, *[text.description] * (not is_brief)]))
        self.description = description.replace("::\n", ":\n").replace("``", "")
        examples = self._examples()[: 2 if is_brief else None]
        self.epilog = "\n  ".join(["examples:", *examples]) if examples else None
        names = {option.name for _, option in self._options}
        for action, option in self._options:
            action.metavar = metavar_of(option)  # for which classes that are choices are imported
            if action.help != argparse.SUPPRESS:
                action.help = help_of(option, names, self.without_value.get(option.name, NO_VALUE))
        for declared, actions in self._flags.items():
            texts = parse_docstring(declared.__doc__).arguments
            for name, action in actions.items():
                if action.help != argparse.SUPPRESS:
                    default = vars(declared)[name].implied or action.default
                    action.help = _flag_text(texts[name]) + (f" (default: {default})" if default else "")
        if is_brief:
            self._actions[0].help = argparse.SUPPRESS  # --help itself
            for group in self._action_groups:
                group.description = None
            for action in self._actions[2:]:
                action.help = action.help and brief(action.help)

    def everyday_help(self) -> str:
        """Returns the help without the flags that are not for every day, in brief if it is longer than a screen."""
        text = "" if self.everyday else self.format_help()
        if text and text.count("\n") <= MAX_LINES:
            return text
        rare = [action for action in self._actions if self._is_rare(action)]
        for action in rare:
            action.help = argparse.SUPPRESS
        self._help_all.help = f"describe all flags in full ({len(rare)} more)"
        for self._lines_each in (0, 2, 1):
            text = self.format_help()
            if text.count("\n") <= MAX_LINES:
                break
        return text

    def _is_rare(self, action: argparse.Action) -> bool:
        if action.help == argparse.SUPPRESS or not action.option_strings or action.dest == "help":
            return False
        if not self.everyday or (self.everyday_group and action in self.everyday_group._group_actions):
            return any(flag in RARE_FLAGS.split() for flag in action.option_strings)
        return self.everyday.isdisjoint(action.option_strings)

    @overrides
    def format_help(self) -> str:
        self.complete_help()
        self.formatter_class = partial(HelpFormatter, lines_each=self._lines_each)
        return printable(super().format_help(), keep="\n\t")  # plug-ins have help texts too

    def error(self, message: str) -> NoReturn:
        """Raises the error instead of exiting.

        Raises:
            UsageError: always.
        """
        if message.startswith("unrecognized arguments: "):
            unknown = message.split(": ", 1)[1].split()[0].split("=")[0]
            message = f"unexpected argument '{unknown}'"
            if unknown.startswith("-"):
                known = self._option_string_actions
                if answer := flag_of_others(unknown, known):
                    raise UsageError(answer)
                of_kind = [one for one in known if one.startswith("--no-") <= unknown.startswith("--no")]
                close = called_elsewhere(unknown, "near flags", known) or similar(unknown, of_kind, cutoff=0.8)
                close = list({known[one].dest: one for one in close}.values())  # one spelling of a flag
                message = f"unknown flag {unknown}" + (f"; did you mean {' or '.join(close)}?" if close else "")
                if "--human" in known and unknown[1] != "-":
                    message += f"; for a score whose sign is changed, use --metric={unknown}"
        elif message.startswith("argument --cache: "):
            message = flag_of_others("--cache")
        elif missing := re.match(r"the following arguments are required: (--[\w-]+)", message):
            texts = [help_of(option) for action, option in self._options if missing[1] in action.option_strings]
            message = f"{missing[1]} is missing: {texts[0]}" if texts else message
        elif invalid := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message):
            message += advice(invalid[1], [name.strip("'") for name in invalid[2].split(", ")])
        message = re.sub(r"^(argument )(?:-\w+/)*(--[\w-]+)(?:/-[\w/-]+)?:", r"\1\2:", message)  # one name of a flag
        raise UsageError(message, f"fw: see {self.prog} --help")


class MetricFlag(NamedTuple):
    """A flag that sets an option of some metrics, in a command that scores several.

    Attributes:
        flags: The flag, with its short form.
        metrics: The metrics.
        option: The option.
        metavar: The name of the value in the help; empty for a flag without a value.
    """

    flags: Sequence[str]
    metrics: Sequence[str]
    option: str
    metavar: str = ""


def _options_named(flag: str, words: Sequence[str]) -> dict[str, Option]:
    """Returns those metrics among the words that have the option of a flag, with it.

    >>> {name: option.name for name, option in _options_named("--max-order", ["-m", "BLEU,chrf"]).items()}
    {'bleu': 'max_ngram_order'}
    """
    from metrics_framework.metrics.base.metric import Metric
    from metrics_framework.metrics.base.other_metrics import meant

    found: dict[str, Option] = {}
    for word in re.split(r"[\s,:=]+", " ".join(words)):
        if name := Metric.registry().spelled(word) or meant(word).partition(":")[0]:
            declared = options_of(Metric.by_name(name), Metric)
            options = {flag_of(one): option for option in declared for one in (option.name, *option.aliases)}
            known = [flag] if flag in options else called_elsewhere(flag, "same flags", options)
            if known:
                found[name] = options[known[0]]
    return found


class _Help(argparse.Action):
    """Prints the help of a command, and ends the program."""

    @overrides
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        text = parser.format_help() if option_string == ALL_FLAGS else parser.everyday_help()
        parser._print_message(text, sys.stdout)
        parser.exit()


def add_log_arguments(group: argparse._ActionsContainer, file: str = "", *, has_log_file: bool = True) -> None:
    """Adds the flags of notes and warnings.

    Args:
        group: The group of flags.
        file: The file without which a table is printed, for the help text; empty for commands without a table.
        has_log_file: Whether notes and warnings can be appended to a file.
    """
    group.add_argument("--strict", action="store_true", help="treat warnings as errors")
    silent = f"print no notes or warnings{f'; with {file}, no table either' if file else ''}"
    group.add_argument("-q", "--silent", "--quiet", action="store_true", help=silent)
    if has_log_file:
        group.add_argument("--log-file", metavar="FILE", help="append notes and warnings to a file")


def number_of_jobs(word: str) -> int:
    """Returns the number of processes for ``--jobs``; 0 means one for each available CPU."""
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"must be an integer, 0 or more, got '{word}'")
    if int(word):
        return int(word)
    from metrics_framework.common.process import available_cpus

    return available_cpus()


BOOLEANS = ("true", "false", "yes", "no", "on", "off", "1", "0")


NO_VALUE = object()
"""The value of a flag without a value that leaves the default as it is."""


class Given(argparse.Namespace):
    """Parsed arguments.

    Attributes:
        set_by_flags: The values that flags set, in contrast to defaults: name to the first flag.
        options: The values of declared options that flags set.
        metric_options: The values of flags that only metrics among the arguments have as options.
        program: The command, such as ``fw evaluate``.
    """

    __slots__ = ("metric_options", "options", "program", "set_by_flags")
    program: str
    set_by_flags: dict[str, str]
    options: dict[str, Any]
    metric_options: dict[MetricFlag, Any]


class StoreValue(argparse.Action):
    """Stores the value of a flag or argument.

    A flag that takes several values adds up when it is repeated. A flag that takes one value may be repeated only with
    the same value. A flag that takes none stores its constant.
    """

    @overrides
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Stores the value.

        Raises:
            UsageError: if the flag already has another value.
        """
        values = self.const if self.nargs == 0 else self._stored(values)
        if option_string is not None and isinstance(namespace, Given):
            first = namespace.set_by_flags.get(self.dest)
            namespace.set_by_flags.setdefault(self.dest, option_string)
            if values is NO_VALUE:
                return
            if first is not None and hasattr(namespace, self.dest):
                values = self._with_earlier(getattr(namespace, self.dest), values, first, option_string)
        setattr(namespace, self.dest, values)

    def _stored(self, values: Any) -> Any:
        return values

    def _with_earlier(self, earlier: Any, values: Any, first: str, flag: str) -> Any:
        if self.nargs in ("+", "*") or (isinstance(self.nargs, int) and self.nargs > 0):
            return [*earlier, *values]
        if values == earlier:
            return values
        if flag != first:
            raise UsageError(f"{first} and {flag} contradict each other; use only one of them")
        raise UsageError(f"{flag} is given twice, as {_shown(earlier)} and {_shown(values)}; use only one of them")


class StoreList(StoreValue):
    """Stores the items of lists; each word is one item, or a list of several: ``3 4``, ``'[3, 4]'``."""

    @overrides
    def _stored(self, values: Any) -> Any:
        words = [values] if self.nargs is None else values
        return [item for word in words for item in (word if isinstance(word, list) else [word])]

    @overrides
    def _with_earlier(self, earlier: Any, values: Any, first: str, flag: str) -> Any:
        return [*earlier, *values]


NAMES: Mapping[str, Any] = {"action": StoreList, "type": names_of, "nargs": "+"}
"""The declaration of a flag that lists names, with spaces or commas."""


class StoreJoined(StoreValue):
    """Stores one value, with commas between those of several data sets."""

    @overrides
    def _with_earlier(self, earlier: Any, values: Any, first: str, flag: str) -> Any:
        if self.dest == "dataset" or "=" in values:
            return f"{earlier},{values}"
        return super()._with_earlier(earlier, values, first, flag)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


def is_boolean_value(word: str) -> bool:
    """Returns whether a word after a Boolean flag is its value: a truth value, or a word that cannot be a file."""
    return word.lower() in BOOLEANS or cannot_be_file(word)


def is_number(word: str) -> bool:
    """Returns whether a word is a number, such as a confidence level.

    >>> [is_number(word) for word in ("0.99", "95", "95%", "scores.json")]
    [True, True, True, False]
    """
    try:
        float(word.removesuffix("%"))
    except ValueError:
        return False
    return True


def is_level(word: str) -> bool:
    """Returns whether a word after ``--confidence`` is its level: a number, or a word that cannot be a file."""
    return is_number(word) or cannot_be_file(word)


def cannot_be_file(word: str) -> bool:
    """Returns whether a word is the name of no existing file, and has neither folder nor ending.

    >>> [cannot_be_file(word) for word in ("maybe", "out.json", "out/scores", "-", "--strict")]
    [True, False, False, False, False]
    """
    return not (word.startswith("-") or any(mark in word for mark in (".", "/", os.sep)) or os.path.exists(word))


def is_setting(word: str) -> bool:
    """Returns whether a word is as ``NAME=VALUE``, and neither a file nor one with a name.

    >>> [is_setting(word) for word in ("sari=0.5", "0.5", "out.json")]
    [True, False, False]
    """
    return "=" in word and not any(map(os.path.exists, (word, word.partition("=")[2])))


class Flag:
    """A flag of a class for `Parser.add_flags`; its name and its help are those of the attribute.

    Args:
        others: Its other names.
        implied: The default that the help states, if the parser has none.
        words: Further arguments of `argparse.ArgumentParser.add_argument`.
    """

    def __init__(self, *others: str, implied: object = None, **words: Any) -> None:
        self.others, self.implied, self.words = others, implied, words


METAVARS = {"bool": "BOOL", "int": "N", "float": "FLOAT", "str": "TEXT", "json": "JSON"}
_QUOTED = re.compile(r"`+([^`]*)`+")
_ARTICLE = re.compile(r"^(?:(?:The|An?) (?=\w)|Whether to (?=\w))")


def _form_of(option: Option, word: str) -> list[str]:
    """Returns a word of an option that is converted once all its words are known."""
    option.convert([word])
    return [word]


def flag_of(name: str) -> str:
    """Returns the flag of an option, or of another name of it, which may be a flag itself.

    >>> flag_of("two_tailed"), flag_of("-j")
    ('--two-tailed', '-j')
    """
    return name if name.startswith("-") else f"--{name.replace('_', '-')}"


def metavar_of(option: Option) -> str:
    """Returns the name of the values of a flag, or its choices."""
    if option.form is not None:
        return option.form.metavar
    if option.kind == "list":
        return ("NAME,…" if option.repeated else "NAME") if option.item == "choice" else METAVARS[option.item]
    return (
        f"{{{','.join(filter(None, map(str, option.choices)))}}}" if option.kind == "choice" else METAVARS[option.kind]
    )


def help_of(option: Option, names: Container[str] = (), without_value: Any = NO_VALUE) -> str:
    """Returns the help of a flag: the text of the option, the choices of a list, and its default.

    Args:
        option: The option.
        names: The names of all options of the command; the text then names their flags.
        without_value: The value of the flag without a value, if it is not the default.
    """
    text = _flag_text(option.help, names)
    if option.repeated and option.kind in ("list", "form") and option.item != "choice":
        lists_names = option.kind == "list" and option.item == "str" and not option.files
        text += "; several with spaces or commas" if lists_names else "; repeat for several"
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


def _flag_text(text: str, names: Container[str] = ()) -> str:
    """Returns a text under ``Args:`` as the help of a flag: without its article, with flags in place of names."""
    text = _QUOTED.sub(lambda quoted: flag_of(quoted[1]) if quoted[1] in names else quoted[1], text.rstrip("."))
    return _uncapitalized(_ARTICLE.sub("", text))


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
        raise argparse.ArgumentTypeError(re.sub(r"^('\w+' |--[a-z-]+: )", "", str(error))) from None


def _without_value(option: Option, value: Any, word: str) -> Any:
    return value if word == "true" else option.convert(word)


_USAGE_INDENT = len("usage: ")


class HelpFormatter(argparse.HelpFormatter):
    """Formats usage, descriptions and flags, to the width of the terminal."""

    def __init__(self, prog: str, lines_each: int = 0) -> None:
        super().__init__(prog, width=help_width(), max_help_position=28 if lines_each else 24)
        self._lines_each = lines_each

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
    def _split_lines(self, text: str, width: int) -> list[str]:
        lines = super()._split_lines(text, width)
        if not 0 < self._lines_each < len(lines):
            return lines
        kept = " ".join(lines[: self._lines_each])
        last = kept if len(lines[self._lines_each - 1]) <= width - 2 else kept.rpartition(" ")[0]
        return super()._split_lines(f"{last.rstrip(',')} …", width)

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
        flags = action.option_strings
        text = ", ".join(main_names(flags) if self._lines_each else flags) + value
        if self._lines_each == 1 and len(text) > self._max_help_position - 2 * self._current_indent:
            text = main_names(flags)[-1] + " …" * bool(value)
        if len(text) + self._current_indent <= self._width:
            return text
        lines = filled(text.replace(",", ", "), self._width - 2 * self._current_indent).replace(", ", ",")
        return lines.replace("\n", "\n" + " " * (2 * self._current_indent))


MAX_LINES = 60
"""The greatest number of lines of a help that is not in brief."""
RARE_FLAGS = (
    "--include-packages --force --strict --log-file --column-names --keep --duplicates --missing --dataset-reader "
    "--num-refs -t --language-pair --origlang --documents --no-checks --resamples --seed --simulations "
    "--key-variable --top-p --sampling-seed --extra-body --structured-output --requests-per-minute --retries "
    "--time-limit --input-price --output-price --invalid --failed --pair-by --q"
)
"""Flags that few need: options of metrics, and flags of commands that name none for every day."""


def main_names(flags: Sequence[str]) -> list[str]:
    """Returns the first short name and the first long name of a flag.

    >>> main_names(["-i", "--outputs", "--input"]), main_names(["--sources", "--source-file"])
    (['-i', '--outputs'], ['--sources'])
    """
    return list({flag.startswith("--"): flag for flag in reversed(flags)}.values())[::-1]


def brief(text: str) -> str:
    """Returns the first clause of a help text, without remarks in parentheses but a short default or a list.

    >>> brief("numbers of processes (1 or more); 0 uses all available CPUs (default: 1)")
    'numbers of processes (default: 1)'
    """
    remark = r" \((?:default: [^\s,;()]*|fw list [^()]*)\)"
    kept = re.search(remark, text)
    clause = re.split(r"; |: |\. |, (?:as in|such as|for|with|by default) ", re.sub(r" \([^()]*\)", "", text))[0]
    return clause + (kept[0] if kept else "")


_ITEMS = re.compile(r"\n(?=- )")


def help_width() -> int:
    """Returns the width of help texts: that of the terminal without its last column."""
    return terminal_width(80) - 1


def filled(text: str, width: int, indent: str = "") -> str:
    """Wraps a text without breaking words; all lines but the first are indented."""
    lines = wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def wrapped(text: str, width: int) -> str:
    """Wraps paragraphs and the items of lists; a block with indented lines, such as commands, keeps its breaks.

    >>> print(wrapped("One two three\\nfour.\\n\\n- an item\\n- one\\n  more item\\n\\n    a long command", 12))
    One two
    three four.
    <BLANKLINE>
    - an item
    - one more
      item
    <BLANKLINE>
        a long command
    """
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith("- "):
            blocks.append("\n".join(filled(" ".join(item.split()), width, "  ") for item in _ITEMS.split(block)))
        elif block.startswith(" ") or "\n " in block:
            blocks.append(block)
        else:
            blocks.append(filled(block, width))
    return "\n\n".join(blocks)


def columns(rows: Mapping[str, str], width: int, column: int = 0) -> str:
    """Returns names and their descriptions in two columns.

    Args:
        rows: Maps names to their descriptions.
        width: The width of the lines.
        column: The width of the first column; by default that of the longest name.

    >>> print(columns({"ter": "Translation edit rate.", "sari": "SARI."}, 23))
      ter   Translation
            edit rate.
      sari  SARI.
    """
    indent = 4 + (column or max(map(len, rows), default=0))
    lines = [filled(f"  {name:{indent - 4}}  {text}", width, " " * indent) for name, text in rows.items()]
    return "\n".join(lines)


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
