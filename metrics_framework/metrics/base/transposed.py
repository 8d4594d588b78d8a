"""A warning of transposed references: one list for each set of references instead of one for each output."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

from metrics_framework.common.stability import frames_of_package
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import as_string, is_text

MAX_LISTS = 16
"""The number of outputs, and of references of each, that are compared."""
MAX_CHARACTERS = 200
"""The number of characters of a reference that are compared."""
LEAST_TRIGRAMS = 16
"""The mean number of different trigrams of references that are compared, about four words."""
LEAST_RATIO = 2
"""How many times more similar references of different outputs must be."""

_WARNED: ContextVar[list[str] | None] = ContextVar("_WARNED", default=None)


def transposed_similarities(references_list: Sequence[Any]) -> tuple[float, float] | None:
    """Returns the similarities within and across lists of references if these seem to be transposed, else `None`.

    Only as many references for each output as there are outputs can be transposed without an error. References of one
    output have the same content, those of different outputs do not. So the references are transposed if neighbours in
    the same position of different lists are on average more than twice as similar as neighbours in one list, and the
    least similar position more than the most similar list. The similarity of two texts is the number of character
    trigrams that both have, divided by the number that one of them has (Jaccard). At most 16 lists of 16 references are
    compared, of each reference 200 characters. Not compared are equal lists, such as those of several outputs for one
    input, and references that have on average fewer than 16 trigrams, which resemble each other by chance.

    Of 1,298 disjoint slices of ASSET and detokenized TurkCorpus, of n outputs with n references for n from 2 to 10, it
    returns `None` for all, and similarities for all transposed ones; on tokenized TurkCorpus, it misses up to 2 % of
    those with two outputs.

    Args:
        references_list: The list of references of each output.

    >>> cats = ["The cat sat on the mat.", "A cat sat down on the mat."]
    >>> dogs = ["All dogs bark loudly.", "The dogs bark very loudly."]
    >>> transposed_similarities([cats, dogs]) is None, transposed_similarities(list(zip(cats, dogs))) is None
    (True, False)
    """
    count = len(references_list)
    if count < 2 or not all(isinstance(texts, (list, tuple)) and len(texts) == count for texts in references_list):
        return None
    lists = [texts[:MAX_LISTS] for texts in references_list[:MAX_LISTS]]
    if not all(is_text(text) for texts in lists for text in texts):
        return None
    grams = [[_trigrams(as_string(text)) for text in texts] for texts in lists]
    sizes = [len(text) for texts in grams for text in texts]
    if len(set(map(tuple, grams))) < len(grams) or sum(sizes) < LEAST_TRIGRAMS * len(sizes):
        return None
    within = [_similarity(texts) for texts in grams]
    across = [_similarity(texts) for texts in zip(*grams, strict=True)]
    if plain_sum(across) <= LEAST_RATIO * plain_sum(within) or min(across) <= max(within):
        return None
    return plain_sum(within) / len(within), plain_sum(across) / len(across)


def warn_if_transposed(references_list: Sequence[Any]) -> None:
    """Warns if references seem to be transposed; see `transposed_similarities`.

    Args:
        references_list: The list of references of each output, or of each group of outputs.
    """
    warned = _WARNED.get()
    found = None if warned else transposed_similarities(references_list)
    if found is None:
        return
    within, across = found
    message = (
        "'references' seems to have a list for each set of references, as in sacreBLEU and EASSE, instead of a list "
        f"for each output: references in one list are less similar ({within:.2f}) than those in the same position of "
        f"different lists ({across:.2f}); if so, pass list(zip(*references))"
    )
    if warned is not None:
        warned.append(message)
    warnings.warn(message, stacklevel=frames_of_package())


@contextmanager
def warned_once() -> Iterator[None]:
    """Within this context, several metrics that score the same references warn once."""
    token = _WARNED.set([])
    try:
        yield
    finally:
        _WARNED.reset(token)


def _trigrams(text: str) -> frozenset[str]:
    start = text[:MAX_CHARACTERS].lower()
    return frozenset(start[index : index + 3] for index in range(max(1, len(start) - 2)))


def _similarity(texts: Sequence[frozenset[str]]) -> float:
    """Returns the mean similarity of neighbours."""
    shares = (len(first & second) / len(first | second) for first, second in pairwise(texts))
    return plain_sum(shares) / (len(texts) - 1)
