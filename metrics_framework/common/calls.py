"""Calls from Python: their mistakes as errors of this package, in the words of Python, and what options are called."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, Literal, TypeVar

from metrics_framework.common.errors import (
    MAX_NAMES_SHOWN,
    CallError,
    DataError,
    FwError,
    InputError,
    ListName,
    UsageError,
    called,
    counted,
    how_to_keep_one,
    similar,
    synonyms,
)

Function = TypeVar("Function", bound=Callable[..., Any])
_FLAG = r"--([a-z][a-z-]*)(?: ([A-Z]+\b|'[^']*'))?"
PARAMETERS: ContextVar[Collection[str]] = ContextVar("PARAMETERS", default=("columns",))
"""The parameters of the public function that is called."""
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
PAGES = ("report", "visualize_pyramid", "visualize_rouge")
"""The functions that return a page."""
_PATHS = ("output", "out", "output_file", "output_html", "path", "save")
FORMER_NAMES: Mapping[str, Mapping[str, str]] = {
    "challenge": {"correction": "correct"},
    "compare": {"correction": "correct"},
    "correlate": {"power": "detectable", "correction": "correct", "trials": "resamples"},
    "judge": {"trials": "resamples"},
    "prefer": {"correction": "correct", "scale": "strength_scale", "trials": "resamples"},
    "stat_sig_test": {"trials": "resamples"},
}
"""Public function to other names of its parameters, which are accepted, also as flags."""


def called_elsewhere(name: str, kind: Literal["same flags", "near flags"], flags: Collection[str]) -> list[str]:
    """Returns the flags of a command that another program calls by a name: those that mean the same, or other things.

    >>> [called_elsewhere(name, "same flags", ["--outputs"]) for name in ("--Hypotheses", "--src")]
    [['--outputs'], []]
    """
    wanted = name.lower().replace("_", "-").removeprefix("--")
    found = [key.split() for key, others in synonyms(kind).items() if wanted in others.split()]
    return [flag for flag, *companions in found if {flag, *companions} <= {*flags}]


def flag_of_others(flag: str, known: Collection[str] = ("--outputs",)) -> str:
    """Returns whose flag an unknown one is, and what to do instead, in commands with certain flags; else "".

    >>> flag_of_others("--cite")[:41]
    '--cite is a flag of sacreBLEU, not of thi'
    """
    kinds = [f"answers {has}" for has in ("--compute-rouge-l", "--output-file", "--outputs", "--human") if has in known]
    text = next(filter(None, (called(kind, flag.replace("_", "-")) for kind in kinds)), "")
    return text and f"{flag} is a flag of {text}"


def for_callers(function: Function) -> Function:
    """Returns a public function whose errors are for callers in Python.

    Wrong arguments are a `CallError`. Messages about mistakes name parameters in place of flags, and their tracebacks
    end at the call, but in Python's development mode.
    """

    parameters = inspect.signature(function).parameters

    former = FORMER_NAMES.get(function.__name__, {})

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True  # notebooks and pytest then show the line of the caller as the last one
        named = {name if former.get(name, name) in named else former[name]: value for name, value in named.items()}
        before = PARAMETERS.set(parameters)
        try:
            return function(*arguments, **named)
        except (UsageError, DataError, InputError) as error:
            problem: Exception = _in_words_of(parameters, error)
        except TypeError as error:
            problem = wrong_call(function, arguments, named, error)
            if problem is error:
                raise
        except ValueError as error:
            if "int_max_str_digits" not in str(error):
                raise
            problem = InputError(f"a number has more than {sys.get_int_max_str_digits():,} digits; round it")
        finally:
            PARAMETERS.reset(before)
        raise problem

    call.__module__ = "metrics_framework"  # as which it is pickled
    return call  # type: ignore[return-value]


def _in_words_of(names: Collection[str], error: FwError) -> FwError:
    error.args = tuple(in_python(line, names) if isinstance(line, str) else line for line in error.args)
    if isinstance(error, DataError):
        error.message = in_python(error.message, names)
    return error if sys.flags.dev_mode else error.with_traceback(None)


def in_python(message: str, names: Collection[str] = ("columns",)) -> str:
    """Returns a message with parameters in place of flags; commands are as they are, advice on other flags is left out.

    Args:
        message: The message.
        names: The parameters.

    >>> in_python("choose one with --columns rater=COLUMN"), in_python("use --columns id=doc+seg")
    ("choose one with columns={'rater': COLUMN}", "use columns={'id': ['doc', 'seg']}")
    >>> in_python("--level is odd; fw score --level 2; --out is better", ["level"])
    "'level' is odd; fw score --level 2"
    """

    message = message.replace(how_to_keep_one(None), how_to_keep_one(ListName()))
    message = message.replace("--rater-column FILE", "rater_column='FILE'")  # which is no placeholder
    clauses = list[str]()
    for clause in re.sub(r"--columns (\w+)=([\w+]+)", _columns, message).split("; "):
        flag = re.match(_FLAG, clause)
        if flag and clauses and _parameter(flag) not in names:
            continue
        is_command = re.search(r"\bfw [a-z]", clause)
        clauses.append(clause if is_command else re.sub(_FLAG, partial(_as_parameter, names), clause))
    return "; ".join(clauses)


def _columns(pair: re.Match[str]) -> str:
    several = pair[2].split("+")
    columns = several if len(several) > 1 else pair[2] if pair[2] == "COLUMN" else f"'{pair[2]}'"
    return f"columns={{'{pair[1]}': {columns}}}"


def _parameter(flag: re.Match[str]) -> str:
    return flag[1].replace("-", "_")


def _as_parameter(names: Collection[str], flag: re.Match[str]) -> str:
    name = _parameter(flag)
    return flag[0] if name not in names else f"{name}={flag[2]}" if flag[2] else f"'{name}'"


def in_flags(message: str, names: Collection[str]) -> str:
    """Returns a message with flags in place of parameters, and of options of a metric.

    >>> in_flags("'half_width' or 'x', or the test 'systems'", ["half_width", "systems"])
    "--half-width or 'x', or the test 'systems'"
    >>> in_flags("set 'model', as in comet:model=a/b,layer=9, or 'x'", ["model", "layer"])
    "set --model, as in --model a/b --layer 9, or 'x'"
    """
    flags = {name: f"--{name.replace('_', '-')}" for name in names}
    message, status, said = message.partition(" answers with status ")  # and the words of a service
    message = re.sub(r"(?<!the test )'(\w+)'", lambda name: flags.get(name[1], name[0]), message)
    return re.sub(r"\b[\w-]+:(\w+=[^\s,]+(?:,\w+=[^\s,]+)*)", partial(_as_flags, flags), message) + status + said


def _as_flags(flags: Mapping[str, str], spec: re.Match[str]) -> str:
    pairs = [option.partition("=")[::2] for option in spec[1].split(",")]
    return " ".join(f"{flags[name]} {value}" for name, value in pairs) if {*dict(pairs)} <= {*flags} else spec[0]


def wrong_call(
    function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any], error: TypeError
) -> TypeError:
    """Returns a `CallError` in place of the error of a call that the signature of a function excludes."""
    frame = error.__traceback__
    if isinstance(error, FwError) or frame is None or frame.tb_next is not None:
        return error  # of the code within
    parameters = inspect.signature(function).parameters
    has_others = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in named:
        if name not in parameters and not has_others:
            return unknown_argument(function.__name__, name, parameters)
    first = [name for name, parameter in parameters.items() if parameter.kind in _POSITIONAL]
    if len(arguments) <= len(first):
        return CallError(str(error))
    others = [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    how = f"; name the others, as in {others[0]}=…" if others else ""
    allowed = f"{counted(len(first), 'argument')} without a name ({', '.join(first)})"
    return CallError(f"{function.__name__}() takes {allowed}, got {len(arguments)}{how}")


def unknown_argument(function: str, name: str, known: Iterable[str]) -> CallError:
    """Returns the error of a keyword argument that a function does not have.

    >>> print(unknown_argument("evaluate", "refs", ["metrics", "references"]))
    evaluate() got an unexpected keyword argument 'refs'; did you mean 'references'?
    """
    names = [one for one in known if one != "self"]
    flags = {f"--{one.replace('_', '-')}": one for one in names}
    flags |= {flag.removesuffix("s"): one for flag, one in flags.items()}  # --metric sets metrics
    for summaries in (one for one in names if one.startswith("summar")):
        flags["--outputs"] = summaries
    found = called_elsewhere(name, "same flags", flags) or called_elsewhere(name, "near flags", flags)
    close = [flags[flag] for flag in found] or similar(name, names)
    if function in PAGES and name in _PATHS:
        advice = f"fw.{function}(…).save(PATH) writes the page"
        advice += "; 'outputs' are the texts of systems" * ("outputs" in close)
    elif about := called("arguments", name):
        advice = about
    elif close:
        advice = f"did you mean {' or '.join(map(repr, dict.fromkeys(close)))}?"
    elif len(names) <= MAX_NAMES_SHOWN:
        advice = f"it has {', '.join(names) or 'none'}"
    else:
        advice = f"help(fw.{function}) lists its arguments"
        if "metrics" in names:
            advice += f"; options of a metric are part of its name, as in 'METRIC:{name}=VALUE'"
    return CallError(f"{function}() got an unexpected keyword argument '{name}'; {advice}")
