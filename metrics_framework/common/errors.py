"""The errors that this package raises, and the wording of messages: counts, printable text and suggestions.

::

    FwError                     base class; exit code 1
    ├── UsageError              invalid options or arguments; exit code 2
    │   └── UnknownNameError    there is no metric, reader, … with that name
    │       └── UnknownChoiceError  the value of an option is not one of its choices
    ├── DataError               the content of a file is not as expected
    │   └── DataErrors          several data errors, reported together
    ├── InputError              invalid arguments of a call from Python; also a ValueError
    │   └── CallError           an argument is unknown or missing; also a TypeError
    ├── DownloadError           a file of a public data set cannot be downloaded
    │   └── UnreachableError    because its server cannot be reached
    ├── RegistrationError       a name is registered twice, or a class lacks a declaration
    ├── PluginError             a plug-in cannot be imported, or fails
    ├── OutputError             a metric cannot score one of the outputs
    ├── UndefinedScoresError    all scores of a run are undefined
    ├── UnansweredRequestsError all requests of a run are in a batch file now, as asked; exit code 0
    ├── EndpointError           the endpoint of a language model fails, or cannot be used
    ├── ProcessError            a worker process cannot start, or ended unexpectedly
    │   └── ProgramError        another program cannot start, failed, or exceeded its time limit
    ├── GateError               a new run fails its gate; exit codes 3 to 5
    └── MissingExtraError       an optional package is needed but not installed

`TextWarning` is the category of warnings about texts that may be scored by mistake.

Every message states what was found, what was expected, where, and what to do next.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal

MAX_PROBLEMS_SHOWN = 20
"""The number of different problems of an input that are listed."""
MAX_LINES_SHOWN = 3
"""The number of lines that are listed of a problem that repeats."""
MAX_NAMES_SHOWN = 8
"""The number of known names that a message lists."""
PLUGIN_FAILURES = (Exception, SystemExit)
"""What the code of a plug-in may raise: a metric that calls `sys.exit` must not end a run without an error."""


class FwError(Exception):
    """Base class of errors that the user can fix.

    Args:
        lines: The lines of the message. In each line, line breaks and other control characters, which come from the
            names or the content of files, are escaped.

    Attributes:
        exit_code: The exit code of a command that ends with this error.
        kind: What a command prints before the message.

    >>> print(UsageError("unknown flag '-x\\x1b[2J'", "fw: see fw --help"))
    unknown flag '-x\\x1b[2J'
    fw: see fw --help
    """

    exit_code = 1
    kind = "error: "

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)

    def __str__(self) -> str:
        return "\n".join(printable(str(line)) for line in self.args)

    def _render_traceback_(self) -> list[str]:
        """Returns what IPython shows: the traceback up to the caller's line or, in development mode, all of it."""
        last = self.__traceback__
        while last and not sys.flags.dev_mode:
            if last.tb_next and last.tb_next.tb_frame.f_globals.get("__name__", "").startswith("metrics_framework."):
                last.tb_next = None
            last = last.tb_next
        shown = sys.modules["IPython"].get_ipython().InteractiveTB
        lines: list[str] = shown.structured_traceback(type(self), self, self.__traceback__)
        return lines

    def __reduce__(self) -> tuple[Any, ...]:
        """Makes every error picklable, regardless of its constructor's parameters."""
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[FwError], arguments: tuple[Any, ...], state: dict[str, Any]) -> FwError:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(state)
    return error


class UsageError(FwError):
    """The command line or a configuration is invalid."""

    exit_code = 2


class InputError(FwError, ValueError):
    """A function was called with invalid arguments."""


class IdleOptionError(UsageError, InputError):
    """An option was given that would be ignored."""


class CallError(InputError, TypeError):
    """A function was called with arguments that it does not have, or without some that it needs."""


class UnknownNameError(UsageError):
    """A name does not exist.

    Args:
        kind: The kind of thing, such as "metric".
        name: The name.
        known: The names that exist.
        hint: A sentence to add to the message.
        owner: The owner of the names, such as "'sari'".
        answer: What is true of the name, instead of a suggestion.
        listed_by: The command that lists the names, if they are too many for a message.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        hint: str = "",
        owner: str = "",
        answer: str = "",
        listed_by: str = "",
    ) -> None:

        names = sorted(known)
        what_to_do = f": {answer}" if answer else advice(name, names)
        end = "" if what_to_do.endswith(("?", ".")) else "."
        sentences = [f"unknown {kind} '{name}'{f' of {owner}' if owner else ''}{what_to_do}{end}"]
        if listed_by and len(names) > MAX_NAMES_SHOWN:
            sentences.append(f"All are listed by: {listed_by}")
        elif names:
            rest = len(names) - MAX_NAMES_SHOWN
            sentences.append(f"Known: {', '.join(names[:MAX_NAMES_SHOWN])}{f' and {rest:,} more' * (rest > 0)}.")
        super().__init__(" ".join([*sentences, hint]).strip())


class UnknownChoiceError(UnknownNameError, InputError):
    """An option has a value that is not one of its choices.

    Args:
        option: The option.
        value: The value.
        choices: The allowed values.
    """

    def __init__(self, option: str, value: object, choices: Iterable[object]) -> None:

        words = [*filter(None, map(str, choices))]  # the empty name is that of no choice
        what_to_do = advice(str(value), words)
        UsageError.__init__(self, f"'{option}' must be one of {', '.join(words)}, got {value!r}{what_to_do}")


class ListName(str):
    """The name of a list in memory, used like the path of a file: its first entry is on line 1."""


PARQUET = ".parquet"
"""The ending of Parquet files, whose rows are not lines."""


def location_of(path: str, line: int | None) -> str:
    """Returns a location: ``file:line``, ``file:row N`` in a Parquet file, ``name[index]`` in a list in memory.

    >>> location_of("x.jsonl", 3), location_of("x.parquet", 3), location_of(ListName("rows"), 3)
    ('x.jsonl:3', 'x.parquet:row 3', 'rows[2]')
    """
    if line is None:
        return path
    if isinstance(path, ListName):
        return f"{path}[{line - 1}]"
    return f"{path}:row {line}" if path.endswith(PARQUET) else f"{path}:{line}"


def how_to_keep_one(path: str | None) -> str:
    """Returns how to choose among duplicates: by a flag for files, by an argument for lists in memory."""
    choice = "duplicates='first' or 'last'" if isinstance(path, ListName) else "--duplicates first or last"
    return f"use {choice} to keep one"


def how_to_set(path: str | None, option: str, *values: str) -> str:
    """Returns how to set an option: by a flag for files, by an argument for rows in memory.

    >>> how_to_set("x.csv", "missing", "no answer"), how_to_set(ListName("ratings"), "labels")
    ("--missing 'no answer'", 'labels=True')
    >>> how_to_set("x.csv", "raters", "Ann", "Bob"), how_to_set(ListName("ratings"), "raters", "Ann", "Bob")
    ('--raters Ann Bob', "raters=['Ann', 'Bob']")
    """
    if isinstance(path, ListName):
        return f"{option}={([*values] if len(values) > 1 else values[0]) if values else True!r}"
    return " ".join([f"--{option.replace('_', '-')}", *map(shlex.quote, values)])


def how_to_name_column(path: str | None, field: str, *columns: str) -> str:
    """Returns how to name the columns of a field: by a flag for files, by an argument for rows in memory.

    Outputs may have a column for each system.

    >>> how_to_name_column("x.csv", "instance_id", "doc", "id"), how_to_name_column(ListName("rows"), "rater")
    ('--columns instance_id=doc+id', "columns={'rater': COLUMN}")
    """
    wide = field == "summary" and not columns
    if isinstance(path, ListName):
        named = "COLUMN" if not columns else repr(columns[0]) if len(columns) == 1 else [*columns]
        return f"columns={{'{field}': {named}}}" + ", or those of systems with systems=[COLUMN, …]" * wide
    if not columns:
        return f"--columns {field}=COLUMN" + ", or --systems COLUMN … if each system has one" * wide
    return f"--columns {shlex.quote(f'{field}=' + '+'.join(columns))}"


class DataError(FwError):
    """The content of a file is not as expected.

    Args:
        message: What was found, and what was expected.
        path: The file.
        line: The line, counted from 1.
        more: The number of further lines of the file with the same problem.
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None, more: int = 0) -> None:
        self.message = message
        self.path = path
        self.line = line
        self.more = more
        super().__init__(message)

    @property
    def location(self) -> str:
        """The location as ``file:line``, or the part that is known."""
        return "" if self.path is None else location_of(self.path, self.line)

    @property
    def problem(self) -> str:
        """The message without the values and ids in which the same problem differs from line to line."""
        return re.sub(_VALUES, r"\1\2\3", self.message, flags=re.DOTALL)

    def __str__(self) -> str:
        return printable(f"{self.location}: {self.message}" if self.location else self.message)


_VALUES = r"(\b(?:system|input|instance) )'[^']*'|(, got ).*|(\bon line )\d+"


class DataErrors(DataError):  # noqa: N818 - a plural
    """Several problems of the input, reported together: the first twenty different ones, and the number of the rest.

    A problem that repeats on more than three lines of a file is listed once, with these lines and their number.

    Args:
        problems: The problems, in the order of the input; only the first twenty different ones are needed.
        count: The number of all problems.
    """

    def __init__(self, problems: Sequence[DataError], count: int | None = None) -> None:
        self.problems = list(problems)
        groups = _groups_of(self.problems)
        listed = sum(1 + problem.more for problem in self.problems)
        self.count = listed if count is None else count
        shown = groups[:MAX_PROBLEMS_SHOWN]
        rest = self.count - sum(1 + problem.more for group in shown for problem in group)
        super().__init__("\n".join([line for group in shown for line in _lines_of(group)] + rest_of(rest)))

    def __str__(self) -> str:
        return self.message  # its lines are printable


def _groups_of(problems: Iterable[DataError]) -> list[list[DataError]]:
    """Returns the problems in groups of one file and one message, in the order of their first lines."""
    groups: dict[tuple[str | None, str], list[DataError]] = {}
    for problem in problems:
        groups.setdefault((problem.path, problem.problem), []).append(problem)
    return list(groups.values())


def _lines_of(group: Sequence[DataError]) -> list[str]:
    """Returns the lines of a message about a problem that repeats.

    >>> _lines_of([DataError("is odd", "x.jsonl", 2, more=7)])
    ['x.jsonl:2 and 7 more lines: is odd']
    """
    first, count = group[0], sum(1 + problem.more for problem in group)
    if count <= MAX_LINES_SHOWN and not any(problem.more for problem in group):
        return list(map(str, group))
    if first.line is None:
        return [f"{first} (and {count - 1:,} more)"]
    places = [problem.location for problem in group[:MAX_LINES_SHOWN]]
    start = location_of(first.path or "", 1).rstrip("0123456789]")  # what all places begin with
    more = count - len(places)
    kind = "entry" if isinstance(first.path, ListName) else "row" if (first.path or "").endswith(PARQUET) else "line"
    plural = kind if more == 1 else {"entry": "entries"}.get(kind, f"{kind}s")
    named = ", ".join([places[0], *(place.removeprefix(start).rstrip("]") for place in places[1:])])
    return [printable(f"{named} and {more:,} more {plural}: {first.message}")]


def rest_of(rest: int) -> list[str]:
    """Returns a line with the number of problems that are not listed, if any."""
    return [f"… and {rest} more problem{'s' if rest > 1 else ''}"] if rest > 0 else []


class DownloadError(FwError):
    """A file cannot be downloaded, or is not the expected file."""


class UnreachableError(DownloadError):
    """The server of a file cannot be reached."""


class RegistrationError(FwError):
    """A class cannot be registered."""


class PluginError(FwError):
    """A plug-in is broken; only the names that it registers are unavailable."""


class OutputError(FwError):
    """A metric cannot score one of the outputs.

    Args:
        lines: The lines of the message.
        index: The index of the output among those that the metric was given, group after group.

    Attributes:
        location: The file and line of the output, once they are known.
        path: The file of the output, if it is known.
        line: Its line.
        output: Its input and system.
    """

    def __init__(self, *lines: str, index: int = 0) -> None:
        super().__init__(*lines)
        self.index = index
        self.location = ""
        self.path: str | None = None
        self.line: int | None = None
        self.output = ""

    def place(self, path: str | None, line: int | None, output: str) -> None:
        """Sets where the output is."""
        self.path, self.line, self.output = path, line, output
        self.location = f"{location_of(path, line)}: {output}" if path else output

    def __str__(self) -> str:
        return f"{printable(self.location) or f'output {self.index}'}: {super().__str__()}"


class EndpointError(FwError):
    """The endpoint of a language model cannot be used, or does not answer."""


class ProcessError(FwError):
    """A worker process cannot be started, or ended unexpectedly."""


class ProgramError(ProcessError):
    """Another program cannot be started, failed, exceeded its time limit, or printed something unexpected.

    Args:
        lines: The lines of the message; the further ones are the end of its error output.

    Attributes:
        answers: The answers that it had printed before.
        reason: Why it failed: it cannot be started (``start``), has ended or was killed (``end``), exceeded the time
            limit (``time``), printed a line that cannot be read (``output``), or a line too many (``order``), so that
            earlier answers may belong to other lines.
    """

    def __init__(self, *lines: str, reason: Literal["start", "end", "time", "output", "order"] = "output") -> None:
        super().__init__(*lines)
        self.answers: list[str] = []
        self.reason = reason


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an exception and the exceptions that caused it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def message_of(error: BaseException) -> str:
    """Returns an exception as in the last line of a traceback."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class GateError(FwError):
    """A new run fails its gate.

    Args:
        exit_code: The exit code of the command.
        lines: A sentence for each score that fails.
    """

    kind = "gate failed: "

    def __init__(self, exit_code: int, *lines: str) -> None:
        super().__init__(*lines)
        self.exit_code = exit_code


class MissingExtraError(FwError):
    """An optional package is needed but not installed.

    The message names the command that installs it.

    Args:
        what: The feature that needs it.
        package: The package to import.
        extra: The extra that installs it.
        owner: What the feature is used by, such as "the metric 'fkgl'".
    """

    def __init__(self, what: str, package: str, extra: str, owner: str = "") -> None:
        from metrics_framework.common.installation import install_extra

        self.what, self.package, self.extra, self.owner = what, package, extra, owner or what
        purpose = f" for {what}" if self.owner != what else ""
        super().__init__(
            f"{self.owner} needs the package '{package}'{purpose}, which is not installed; "
            f"install it with: {install_extra(extra)}"
        )

    def used_by(self, owner: str) -> MissingExtraError:
        """Returns the error with the name of what uses the feature."""
        return MissingExtraError(self.what, self.package, self.extra, owner)


class TextWarning(UserWarning):
    """Category of warnings about texts that are probably not what the user means to score."""


class Problems:
    """Collects the problems of an input to report them together: keeps the first twenty different ones, counts all.

    Attributes:
        kept: The kept problems. If a message repeats in a file, its first three lines are kept; the first of these
            problems counts the others.
        count: The number of all problems.
    """

    def __init__(self) -> None:
        self.kept: list[DataError] = []
        self.count = 0
        self._groups: dict[tuple[str | None, str], list[DataError]] = {}
        self._known: set[str] = set()

    def add(self, problem: DataError) -> None:
        """Adds a problem, or the problems of a `DataErrors`; a problem that is already kept is not added again."""
        if isinstance(problem, DataErrors):
            self.count += problem.count - sum(1 + part.more for part in problem.problems)
            for part in problem.problems:
                self.add(part)
        elif str(problem) not in self._known:
            self.count += 1 + problem.more
            self._keep(problem)

    @contextmanager
    def at(self, path: str | None, line: int | None = None) -> Iterator[None]:
        """Adds the problem that is raised within this context, at its own place or else at this one.

        Args:
            path: The file.
            line: The line.
        """
        try:
            yield
        except (DataError, InputError) as error:
            if isinstance(error, DataError) and (error.path or isinstance(error, DataErrors)):
                self.add(error)
            else:
                self.add(DataError(getattr(error, "message", str(error)), path, line))

    def _keep(self, problem: DataError) -> None:
        key = (problem.path, problem.problem)
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) == MAX_PROBLEMS_SHOWN:
                return
            group = self._groups[key] = []
        if len(group) < MAX_LINES_SHOWN:
            kept = DataError(problem.message, problem.path, problem.line, problem.more) if problem.more else problem
            group.append(kept)
            self.kept.append(kept)
        else:
            group[0].more += 1 + problem.more
        if len(self._known) < MAX_PROBLEMS_SHOWN * MAX_PROBLEMS_SHOWN:
            self._known.add(str(problem))

    def move_to(self, others: Problems) -> None:
        """Moves all problems to others, in the order of their lines."""
        if self.count:
            others.add(DataErrors(sorted(self.kept, key=lambda problem: problem.line or math.inf), self.count))
            self.kept, self.count, self._groups, self._known = [], 0, {}, set()

    def __len__(self) -> int:
        return self.count

    def raise_any(self) -> None:
        """Raises a single problem as it is, several as `DataErrors`; does nothing without problems."""
        if self.count == 1:
            raise self.kept[0]
        if self.count:
            raise DataErrors(self.kept, self.count)


def counted(count: int, noun: str) -> str:
    """Returns a count with its noun, in the plural unless the count is 1.

    >>> counted(1, "sentence"), counted(0, "system")
    ('1 sentence', '0 systems')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


UNPRINTABLE = "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Matches C0 and C1 controls, line and paragraph separators, bidirectional controls, and surrogates."""


MAX_NAMES_LISTED = 5
"""The number of names that a warning lists."""


def listed_names(names: Sequence[str]) -> str:
    """Returns the first names of a list, and the number of the rest.

    >>> listed_names(["a", "b"]), listed_names(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    more = len(names) - MAX_NAMES_LISTED
    return ", ".join(names[:MAX_NAMES_LISTED]) + (f" and {more} more" if more > 0 else "")


def printable(text: str, keep: str = "") -> str:
    """Escapes the characters that control a terminal, end a line, change the text direction or cannot be encoded.

    Text from files (ids, signatures, JSON keys, file names) and from servers can contain any character.

    Args:
        text: The text.
        keep: Characters that are not escaped, such as the line breaks of a text that was printable line by line.

    >>> printable("a\\nb \\x1b[31m"), printable("a\\nb", keep="\\n"), printable("café שלום")
    ('a\\\\nb \\\\x1b[31m', 'a\\nb', 'café שלום')
    """
    if text.isprintable():
        return text
    return re.sub(
        UNPRINTABLE, lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode(), text
    )


@cache
def synonyms(kind: str) -> dict[str, str]:
    """Returns names of this package, or texts, to what other programs call so; read only for unknown names.

    Args:
        kind: ``same flags`` and ``near flags``, of sacreBLEU, EASSE, SacreROUGE, Hugging Face, COMET, jiwer, SciPy,
            pandas and OpenAI's clients, where near ones mean something else or several things, and a flag that is
            followed by others is one of commands that have all of these; ``defaults``, what happens without a flag;
            ``answers`` of commands with a certain flag: whose an unknown flag is, and what to do instead; ``choices``
            of options, of mt-metrics-eval, nlpstats, SciPy and papers; ``commands`` of EASSE, SacreROUGE and
            mt-metrics-eval; ``functions``, calls that do what one of another library does; ``metrics`` by their other
            names and scores, and ``metric answers`` on those that do not exist, without hyphens; ``test sets`` of
            EASSE; ``arguments`` and ``attributes`` in Python; or ``readings``, words of these to the names here that
            they may mean.
    """
    import json

    with open(os.path.join(os.path.dirname(__file__), "synonyms.json"), encoding="utf-8") as stream:
        found: dict[str, str] = json.load(stream)[kind]
    return found


def called(kind: str, word: str) -> str:
    """Returns the name or text that a table of `synonyms` has for a word; an empty string if it has none.

    >>> called("commands", "ranking"), called("commands", "evaluate")
    ('compare', '')
    """
    return next((own for own, others in synonyms(kind).items() if word in others.split()), "")


def missing_attribute(owner: object, name: str, kind: str) -> AttributeError:
    """Returns the error of an attribute that an object does not have, with what to use if other libraries have it."""
    use = "" if name.startswith("_") else called(kind, name)
    message = f"'{type(owner).__name__}' object has no attribute '{name}'" + f"; use {use}" * bool(use)
    return AttributeError(message, name=name, obj=owner)


def similar(name: str, known: Iterable[str], cutoff: float = 0.65) -> list[str]:
    """Returns the known names that a name resembles, the most similar first: up to three, often none.

    Case, hyphens, underscores and spaces do not count. Names that differ in nothing else, or in the order of letters,
    exclude others; so do those of which the given one is the beginning, and those that contain it.

    Args:
        name: The name.
        known: The names that exist.
        cutoff: The lowest similarity, from 0 to 1.

    >>> similar("BLEU", ["bleu", "sent-bleu"]), similar("sentbleau", ["bleu", "sent-bleu"]), similar("iaa", ["samsa"])
    (['bleu'], ['sent-bleu'], [])
    """
    from difflib import SequenceMatcher, get_close_matches

    known = list(known)
    if readings := [one for one in synonyms("readings").get(name.casefold(), "").split() if one in known]:
        return readings
    names = {simplified(one): one for one in known}
    wanted = simplified(name)
    exact = [one for one in names if one == wanted] or [one for one in names if sorted(one) == sorted(wanted)]
    if exact:
        return [names[one] for one in exact[:3]]
    begun = [one for one in names if len(wanted) > 2 and one.startswith(wanted)]
    begun = begun or [one for one in names if wanted in one and len(wanted) > 3]
    if not begun and (close := get_close_matches(wanted, names, n=3, cutoff=cutoff)):
        likeness = [SequenceMatcher(None, one, wanted).ratio() for one in close]
        begun = [one for one, ratio in zip(close, likeness, strict=True) if ratio > likeness[0] - 0.1]
    return [names[one] for one in begun[:3]]


def advice(name: str, known: Iterable[str]) -> str:
    """Returns what to do about an unknown name: use one of those that it resembles, or name the parts of a list.

    >>> advice("sari,BLEU", ["bleu", "sari"])
    "; name them one at a time: 'sari', 'bleu'"
    >>> advice("Sentence splits", ["sentence_splits", "sari"])
    "; did you mean 'sentence_splits'?"
    >>> advice("sarri", ["bleu", "sari"]), advice("xyz", ["bleu", "sari"])
    ("; did you mean 'sari'?", '')
    >>> print(advice("fluent", ["fluent,overall"]))
    ; did you mean 'fluent,overall'? In a command, write '["fluent,overall"]'
    """
    known = list(known)
    parts = [similar(part, known)[:1] for part in re.split(r"[\s,;+]+", name.strip()) if part]
    if len(parts) > 1 and all(parts) and len({part[0] for part in parts}) == len(parts):
        return f"; name them one at a time: {', '.join(repr(part[0]) for part in parts)}"
    if whole := next((one for one in known if "," in one and name in one.split(",")), ""):
        return f"; did you mean '{whole}'? In a command, write '[\"{whole}\"]'"
    close = similar(name, known)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _warn(note: str) -> None:
    from metrics_framework.common.stability import frames_of_package  # only for such words

    warnings.warn(note, stacklevel=frames_of_package())


TAKEN: ContextVar[Callable[[str], None]] = ContextVar("TAKEN", default=_warn)
"""Says how a word was taken: a command prints a note, a function warns."""


def say_taken(word: str, meaning: str) -> None:
    """Says how a word was taken that is no exact name, but has one meaning only."""
    TAKEN.get()(f"'{word}' is read as {meaning}")


def spelled(name: Any, known: Iterable[Any]) -> Any:
    """Returns the known name that a name is but for case, and hyphens for underscores; else `None`.

    >>> spelled("Sent_BLEU", ["bleu", "sent-bleu"]), spelled("blue", ["bleu"])
    ('sent-bleu', None)
    """
    return {_spelling(one): one for one in known}.get(_spelling(name)) if isinstance(name, str) else None


def _spelling(name: Any) -> str:
    return str(name).casefold().replace("_", "-")


def simplified(name: str) -> str:
    """Returns a name without case, hyphens, underscores and spaces."""
    return re.sub(r"[-_\s]", "", name.casefold())


class FirstProblem(Problems):
    """Raises the first problem."""

    def add(self, problem: DataError) -> None:
        raise problem
