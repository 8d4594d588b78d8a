"""Chooses the implementation of every kernel: the native module where it was built, else the Python twins.

``FW_KERNELS=python`` asks for the twins, ``native`` for the native module, ``auto`` (the default) for the best there
is. Both give the same integers, so a score does not depend on the choice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

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

Words: TypeAlias = Sequence[str]
TerCounts: TypeAlias = list[list[tuple[int, int, int]]]


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


def ter_statistics(summaries_list: Sequence[Sequence[Words]], references_list: Sequence[Sequence[Words]]) -> TerCounts:
    """Counts edits and words for groups of summaries that share references, given as words.

    Args:
        summaries_list: The words of each summary of each group.
        references_list: The words of each reference of each group, one reference at least.

    Returns:
        For each summary of each group its edits, least over the references; the words of all references together; and
        the number of references.
    """
    if implementation() == "native":
        return _native.ter_statistics(summaries_list, references_list)
    from metrics_framework.kernels.python import ter

    return ter.ter_statistics(summaries_list, references_list)


def ter_text_statistics(
    summaries_list: Sequence[Sequence[Text]],
    references_list: Sequence[Sequence[Text]],
    case_sensitive: bool,
    no_punct: bool,
    words: Callable[[Text], Words],
) -> TerCounts:
    """Does the same for texts, which are cut into words at white space; returns what `ter_statistics` does.

    Args:
        summaries_list: The summaries of each group.
        references_list: The references of each group, one reference at least.
        case_sensitive: Whether upper and lower case differ.
        no_punct: Whether the marks ``.,?:;!"()`` are removed.
        words: Cuts a text in this way, for an implementation that leaves it to Python.
    """
    if implementation() == "native":
        return _native.ter_text_statistics(summaries_list, references_list, case_sensitive, no_punct)
    return ter_statistics(
        [list(map(words, summaries)) for summaries in summaries_list],
        [list(map(words, references)) for references in references_list],
    )


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
