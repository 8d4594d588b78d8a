"""Chooses the implementation of every kernel: the native module where it was built, else the Python twins.

``FW_KERNELS=python`` asks for the twins, ``native`` for the native module, ``auto`` (the default) for the best there
is. Both give the same numbers to the last bit, so a score does not depend on the choice.

A native kernel takes the texts of whole batches: groups of summaries that share references. It returns columns: a tuple
with one item for each flag of the `Request`, in the order of the flags; most are flat lists with one entry per summary,
group after group. It returns `None`, and leaves the batch to Python, if an argument is not a list or tuple, if an entry
is not a text, or if it cannot return what was requested.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.errors import UsageError

try:
    from metrics_framework.kernels import _native
except ImportError:
    native_module: ModuleType | None = None
else:
    native_module = _native

if TYPE_CHECKING:
    from metrics_framework.data.texts import Text

VARIABLE = "FW_KERNELS"
IMPLEMENTATIONS = ("auto", "native", "python")

Kernel: TypeAlias = Callable[..., Any]


class Request(enum.IntFlag):
    """What a kernel returns: one item of a tuple for each flag, in this order."""

    SCORES = 1
    """A list of the scores of all summaries, each a `MetricsDict`."""
    STATISTICS = 2
    """A list of the additive statistics of all summaries, each a list of numbers."""
    JACKKNIFED = 4
    """A list of the mean scores with each reference left out in turn; `None` for a summary with only one reference."""
    SUM = 8
    """The sum of all statistics: one list of numbers."""
    JSON = 16
    """A list of the scores of all summaries, each the members of a JSON object as a string. With `JACKKNIFED` the means
    are members too, under names that end in ``_jk``, and there is no separate list of them."""
    TEXTS = 32
    """For each group a list of its summaries and references as they were compared: lower-cased and tokenized. Only some
    kernels return it."""


class Tokenization(enum.IntEnum):
    """Where a kernel cuts texts into words."""

    WHITESPACE = 0
    SINGLE_SPACES = 1
    TOKENIZER_13A = 2


def implementation() -> str:
    """Names the implementation in use.

    Raises:
        UsageError: if ``FW_KERNELS`` asks for one that is not there.
    """
    wanted = os.environ.get(VARIABLE) or "auto"
    if wanted not in IMPLEMENTATIONS:
        raise UsageError(f"{VARIABLE} must be one of {', '.join(IMPLEMENTATIONS)}, got '{wanted}'")
    if wanted == "native" and native_module is None:
        raise UsageError(f"{VARIABLE}=native, but this installation has no native kernels; leave it out or say python")
    return "native" if native_module is not None and wanted != "python" else "python"


def is_without_native() -> bool:
    """Tells whether the twins run only because there are no native kernels, and not because they were asked for."""
    return native_module is None and (os.environ.get(VARIABLE) or "auto") == "auto"


def native_kernel(name: str, wanted: Request) -> Kernel | None:
    """Returns a native kernel, to be called with the texts and, by name, its options.

    Args:
        name: Its name in the native module.
        wanted: What it is asked for.

    Raises:
        UsageError: if ``FW_KERNELS`` asks for an implementation that is not there.
    """
    if implementation() == "python":
        return None
    from metrics_framework.data.jackknifers import JACKKNIFED
    from metrics_framework.data.metrics_dict import MetricsDict

    return partial(getattr(_native, name), request=int(wanted), dictionary=MetricsDict, suffix=JACKKNIFED)


def native_json() -> Callable[[Any], str | None] | None:
    """Returns the native writer of scores, `None` without native kernels.

    It takes dictionaries of scores and gives the JSON of one object with all their entries, as the encoder of `json`
    does; `None` for what are not finite numbers, or lists of them, under plain names.
    """
    if implementation() == "python":
        return None
    writer: Callable[[Any], str | None] = _native.scores_as_json
    return writer


def native_rows() -> Callable[[list[str], list[str], tuple[list[str], ...]], list[str] | None] | None:
    """Returns the native writer of rows, `None` without native kernels.

    It takes the ids of inputs, what stands between each and the scores, and for each metric the members of the JSON
    objects of scores. It gives the lines; `None` where something in them is not ASCII, or an id needs escapes.
    """
    if implementation() == "python":
        return None
    writer: Callable[[list[str], list[str], tuple[list[str], ...]], list[str] | None] = _native.rows_as_json
    return writer


def edit_distances(summaries: Sequence[Text], references: Sequence[Text]) -> list[int]:
    """Counts, pair by pair, the insertions, deletions and substitutions that turn one into the other.

    Args:
        summaries: Strings, compared character by character, or sequences of strings, compared word by word.
        references: As many, each of the same kind as its summary.

    Raises:
        InputError: if there are not as many of both, or a pair is a string and a list of words.
    """
    if implementation() == "native":
        return _native.edit_distances(summaries, references)
    from metrics_framework.kernels.python import edit_distances as twin

    return twin.edit_distances(summaries, references)
