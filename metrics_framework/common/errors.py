"""The errors a user can meet.

::

    FwError                     base of all; exit code 1
    ├── UsageError              wrong options or arguments; exit code 2
    │   └── UnknownNameError    no metric, reader … of that name
    │       └── UnknownChoiceError  an option has a value that is not one of its choices
    ├── DataError               a file holds something else than what was expected
    │   └── DataErrors          several of them, reported together
    ├── InputError              a call from Python with arguments that do not fit (a ValueError too)
    ├── DownloadError           a file of a public data set cannot be downloaded
    │   └── UnreachableError    nor could any other: there is no way to the server
    ├── RegistrationError       a name registered twice, or a class that does not declare what it must
    ├── PluginError             a plug-in that cannot be imported, or fails at work
    ├── ProcessError            a process that helps with the work cannot start, or ended before it
    └── MissingExtraError       an optional package is needed and not installed

Every message says where, what was found, what was expected and, where there is one, the next step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

MOST_PROBLEMS_SHOWN = 20


class FwError(Exception):
    """Base of all errors that are the user's to mend.

    Attributes:
        exit_code: What the command line returns when this error ends a run.
    """

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets every error go to another process, whatever its constructor takes."""
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[FwError], arguments: tuple[Any, ...], state: dict[str, Any]) -> FwError:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(state)
    return error


class UsageError(FwError):
    """The command line, or a configuration, asks for something that does not exist or does not fit."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name was asked for that nothing has.

    Args:
        kind: What the name should have been, as in "metric".
        name: The name asked for.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        from difflib import get_close_matches

        names = sorted(known)
        close = get_close_matches(name, names, n=1, cutoff=0.5)
        advice = f"; did you mean '{close[0]}'?" if close else ""
        listing = f" Known: {', '.join(names)}." if names else ""
        super().__init__(f"there is no {kind} called '{name}'{advice or '.'}{listing}{' ' + hint if hint else ''}")


class UnknownChoiceError(UnknownNameError):
    """An option has a value that is not one of its choices.

    Args:
        option: The option.
        value: The value.
        choices: The values allowed.
    """

    def __init__(self, option: str, value: object, choices: Iterable[object]) -> None:
        from difflib import get_close_matches

        words = list(map(str, choices))
        close = get_close_matches(str(value), words, n=1, cutoff=0.5)
        advice = f"; did you mean '{close[0]}'?" if close else ""
        UsageError.__init__(self, f"'{option}' must be one of {', '.join(words)}, got {value!r}{advice}")


class DataError(FwError):
    """A file does not hold what was expected at this place.

    Args:
        message: What was found and what was expected.
        path: The file.
        line: The line, counted from 1.
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = path
        self.line = line
        super().__init__(message)

    @property
    def place(self) -> str:
        """The place as ``file:line``, as much of it as is known."""
        if self.path is None:
            return ""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class DataErrors(DataError):  # noqa: N818 - several of them
    """Several problems of the input, reported together: the first twenty in full, the rest as a number.

    Args:
        problems: The problems, in the order of the input; those beyond the first twenty may be left out.
        count: How many there are in all.
    """

    def __init__(self, problems: Sequence[DataError], count: int | None = None) -> None:
        self.problems = list(problems)
        self.count = len(self.problems) if count is None else count
        shown = [str(problem) for problem in self.problems[:MOST_PROBLEMS_SHOWN]]
        rest = self.count - len(shown)
        if rest:
            shown.append(f"… and {rest} more problem{'s' if rest > 1 else ''}")
        super().__init__("\n".join(shown))


class InputError(FwError, ValueError):
    """A method was called with arguments that do not fit together."""


class DownloadError(FwError):
    """A file cannot be downloaded, or what came is not the file expected."""


class UnreachableError(DownloadError):
    """The server of a file cannot be reached: there is no network, or it does not answer."""


class RegistrationError(FwError):
    """A class cannot be registered as it stands."""


class PluginError(FwError):
    """A plug-in is broken; only its own names are out of use."""


class ProcessError(FwError):
    """A process that does a part of the work cannot be started, or is gone."""


def failed_at(error: BaseException) -> str:
    """Says in which file and line an error of somebody's code came up."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def message_of(error: BaseException) -> str:
    """Writes an error as a traceback's last line has it."""
    return f"{type(error).__name__}: {error}"


class MissingExtraError(FwError):
    """An optional package is needed.

    The message names two commands. The first works from any folder: pip finds this project installed, and adds what the
    extra brings. The second works where this project is run from its folder without being installed, too.

    Args:
        what: What needs it.
        package: The package to import.
        extra: The extra of this project that brings it.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the package '{package}', which is not installed; "
            f"install it with: pip install 'metrics-framework[{extra}]' "
            f"(or, in the top folder of this project: pip install '.[{extra}]')"
        )


class Problems:
    """Collects the problems of an input, so that they are reported together; those beyond the first are counted only.

    Attributes:
        kept: The first twenty.
        count: How many there were.
    """

    def __init__(self) -> None:
        self.kept: list[DataError] = []
        self.count = 0

    def add(self, problem: DataError) -> None:
        """Takes note of one problem, or of several reported together."""
        several = problem.problems if isinstance(problem, DataErrors) else [problem]
        self.kept.extend(several[: max(0, MOST_PROBLEMS_SHOWN - len(self.kept))])
        self.count += problem.count if isinstance(problem, DataErrors) else 1

    def __len__(self) -> int:
        return self.count

    def raise_any(self) -> None:
        """Raises what was collected: nothing, the one problem, or all of them as `DataErrors`."""
        if self.count == 1:
            raise self.kept[0]
        if self.count:
            raise DataErrors(self.kept, self.count)
