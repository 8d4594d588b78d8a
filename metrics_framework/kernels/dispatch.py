"""Chooses the implementation of every kernel: native if it is installed, else the pure-Python twin.

``FW_KERNELS=python`` selects the twins, ``native`` the native module, and ``auto`` (the default) the native module if
it is installed. Both return identical results, to the last bit.

A native kernel accepts the texts of whole batches: groups of summaries that share references. It returns a tuple with
one item for each flag of the `Request`, in the order of the flags; most items are lists with one entry per summary,
group after group. It returns `None`, and Python computes the batch, if an argument is not a list or tuple, an entry is
not a text, or the kernel does not support the request (decision 0015).
"""

from __future__ import annotations

import enum
import functools
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType
from typing import Any, TypeAlias

from metrics_framework.common.errors import UsageError
from metrics_framework.kernels.python.columns import are_plain as python_are_plain
from metrics_framework.kernels.python.columns import count_objects as python_count_objects

try:
    from metrics_framework.kernels import _native
except ImportError:
    native_module: ModuleType | None = None
else:
    native_module = _native

# Chosen once, regardless of FW_KERNELS: the result is the same, and reading the variable for each batch is slower.
are_plain: Callable[[tuple[Any, ...], str], bool]
are_plain = getattr(native_module, "are_plain", python_are_plain)
count_objects: Callable[[Sequence[Any]], int] = getattr(native_module, "count_objects", python_count_objects)

VARIABLE = "FW_KERNELS"
IMPLEMENTATIONS = ("auto", "native", "python")
MAX_NATIVE_ORDER = 100
"""The longest n-grams that the native kernels count; longer ones are counted in Python."""

Kernel: TypeAlias = Callable[..., Any]


class Request(enum.IntFlag):
    """The results that a kernel returns: one item of a tuple for each flag, in this order."""

    SCORES = 1
    """A list of the scores of all summaries, each a `MetricsDict`."""
    STATISTICS = 2
    """A list of the additive statistics of all summaries, each a list of numbers."""
    JACKKNIFED = 4
    """A list of the mean scores with each reference left out in turn; `None` for a summary with only one reference."""
    SUM = 8
    """The sum of all statistics, or of all scores if the score of a system is their mean: one list of numbers."""
    JSON = 16
    """A list of the scores of all summaries, each the members of a JSON object as a string. With `JACKKNIFED` the means
    are members too, under names that end in ``_jk``, and there is no separate list of them."""
    TEXTS = 32
    """For each group a list of its summaries and references as they were compared: lower-cased and tokenized. Only some
    kernels support it."""
    PAIRS = 64
    """For each group a `bytearray` of doubles: a row for each summary, with one of its scores against each reference
    alone. The option ``cell`` names the score. Not together with other requests."""
    VECTORS = 128
    """What `SUM` adds up of all summaries as one table: a `bytearray` of doubles, its number of columns, how many of
    them, from the first on, are integers, and for scores the keys and indices that lead to each, else `None`."""


class Tokenization(enum.IntEnum):
    """How a kernel splits texts into words."""

    WHITESPACE = 0
    SINGLE_SPACES = 1
    TOKENIZER_13A = 2


NATIVE_TOKENIZATIONS = {"13a": Tokenization.TOKENIZER_13A, "none": Tokenization.WHITESPACE}
"""The tokenizers that the native kernels implement."""


def implementation() -> str:
    """Returns the name of the implementation in use: ``native`` or ``python``.

    Raises:
        UsageError: if ``FW_KERNELS`` requests an implementation that does not exist or is not installed.
    """
    requested = os.environ.get(VARIABLE) or "auto"
    if requested not in IMPLEMENTATIONS:
        raise UsageError(f"{VARIABLE} must be one of {', '.join(IMPLEMENTATIONS)}, got '{requested}'")
    if requested == "native" and native_module is None:
        raise UsageError(f"{VARIABLE}=native, but this installation has no native kernels; unset it or use python")
    return "native" if native_module is not None and requested != "python" else "python"


def is_without_native() -> bool:
    """Returns whether the Python twins are used because native kernels are missing, not because they were requested."""
    return native_module is None and (os.environ.get(VARIABLE) or "auto") == "auto"


def native_kernel(name: str, request: int) -> Kernel | None:
    """Returns a native kernel, called with texts and keyword options; `None` to compute in Python.

    Args:
        name: The name in the native module.
        request: The flags of `Request`.

    Raises:
        UsageError: if ``FW_KERNELS`` requests an implementation that is not installed.
    """
    if implementation() == "native":
        return _kernel(name, int(request))
    if is_without_native():
        report_missing_kernels()
    return None


@functools.cache
def _kernel(name: str, request: int) -> Kernel:
    from metrics_framework.data.jackknifers import JACKKNIFED
    from metrics_framework.data.metrics_dict import MetricsDict

    return functools.partial(
        getattr(_native, name), request=request, dictionary=MetricsDict, suffix=JACKKNIFED, cell=""
    )


def native_function(name: str) -> Callable[..., Any] | None:
    """Returns a native function that is no kernel of a metric, `None` without native kernels.

    - ``scores_as_json`` accepts dictionaries of scores and returns one JSON object with all their entries, as
      `json.dumps` writes it; `None` for values other than finite numbers, lists of them and nested dictionaries, or for
      names that need escapes.
    - ``rows_as_json`` accepts the ids of inputs, the JSON between each id and the scores, and for each metric the
      scores as members of a JSON object. It returns the lines, or `None` if a text is not ASCII or an id needs escapes.
    - ``json_columns`` accepts a block of lines, the position of a line and the greatest number of lines. It returns the
      keys of the lines, a list of values for each key, and the position after the last line; or `None` if the first
      line is not an object of strings, lists of strings, short numbers, booleans and nulls. Later lines have the same
      keys in the same order. Only lines without errors are decoded, and their values are those of `json.loads`.
    - ``weighted_points``, of `metrics_framework.kernels.python.weighted_points`, accepts arrays of 32-bit integers
      (codes, groups, limits, row and column of each point, weights of rows and of columns), an array of 64-bit integers
      to write to, the number of resamples, and which sums are wanted. It returns `False` if the sum of the weights is
      too large; then Python computes the sums.
    """
    return getattr(_native, name) if implementation() == "native" else None


@functools.cache
def native_word_list(lines: str) -> Any:
    """Returns a list of words as native kernels use it.

    Args:
        lines: Lines of a word, or of a word, a space and its replacement; each ends with a line break.
    """
    return _native.word_list(lines)


COST = "scoring with BLEU, chrF, ROUGE, SARI or TER takes 40 to 150 times as long, with identical results"
"""Measured on the example data, see docs/explanation/performance.md."""
_reported: list[str] = []


def report_missing_kernels(report: Callable[[str], object] | None = None) -> None:
    """Reports missing kernels once per process, and not in worker processes; ``FW_KERNELS=python`` prevents it.

    Args:
        report: Receives the message; by default, a Python warning is issued.
    """
    from multiprocessing.process import parent_process

    if _reported or parent_process() is not None:
        return
    message = _message(_hidden_package())
    _reported.append(message)
    warnings.warn(message, stacklevel=2) if report is None else report(message)


def _message(hidden: str) -> str:
    """Returns what to report.

    Args:
        hidden: The folder of an installed package that has kernels, or ``""``.
    """
    if hidden:
        from metrics_framework.common.installation import OWN_FOLDER, install_in_place

        return (
            f"metrics_framework was imported from '{OWN_FOLDER}', which has no native kernels, instead of '{hidden}', "
            f'which has them; {COST}; run "{install_in_place()}" to build them there, or start Python in another folder'
        )
    return (
        f"the native kernels are missing; {COST}; install a C compiler and then this package again to build them, or "
        f"set FW_KERNELS=python to hide this message"
    )


def _hidden_package() -> str:
    """Returns the first folder of `sys.path` that has another copy of this package with native kernels, or ``""``."""
    from metrics_framework.common.installation import OWN_FOLDER

    for folder in sys.path:
        kernels = os.path.join(folder, "metrics_framework", "kernels", "_native")
        has_kernels = any(os.path.isfile(kernels + suffix) for suffix in EXTENSION_SUFFIXES)
        if has_kernels and os.path.realpath(folder) != OWN_FOLDER:
            return os.path.abspath(folder)
    return ""
