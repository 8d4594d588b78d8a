"""The index of columns of pandas: texts are paired by position, so the same labels in another order are an error."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from metrics_framework.api.columns import library_of
from metrics_framework.common.errors import InputError

MAX_LABELS = 5
"""The number of labels of an index that a message shows."""


def check_same_order(outputs: Any, **others: Any) -> None:
    """Rejects columns of pandas whose index has the labels of another column in another order, or some of them.

    Columns with different labels are accepted: they may come from two tables, and their order is all there is.

    Args:
        outputs: A list of texts, or systems and their lists of texts.
        others: Argument to its value.

    Raises:
        InputError: if there are such columns.
    """
    lists = {f"outputs[{name!r}]": texts for name, texts in outputs.items()} if isinstance(outputs, Mapping) else {}
    check_same_index({**(lists or {"outputs": outputs}), **others})


def check_same_index(lists: Mapping[str, Any]) -> None:
    """Rejects columns of pandas as `check_same_order` does, given all arguments by name.

    Raises:
        InputError: if there are such columns.
    """
    columns = {
        name: values.index
        for name, values in lists.items()
        if library_of(values) == "pandas" and hasattr(values, "index")
    }
    for (first_name, first), (name, index) in combinations(columns.items(), 2):
        if index.equals(first) or len(index) != len(first) or set(index).isdisjoint(first):
            continue
        if set(index) == set(first):
            raise InputError(
                f"'{name}' and '{first_name}' have the same index in different orders, but texts are paired by "
                "position; call sort_index() on both, or reset_index(drop=True) if their positions match"
            )
        raise InputError(
            f"the indexes of '{name}' ({_labels(index)}) and '{first_name}' ({_labels(first)}) overlap only in part, "
            "but texts are paired by position; select the same rows of both with .loc[], or call "
            "reset_index(drop=True) on both if their positions match"
        )


def _labels(index: Any) -> str:
    """Returns the first labels of an index."""
    listed = ", ".join(repr(label) for label in index[:MAX_LABELS].tolist())
    return f"{listed}, …" if len(index) > MAX_LABELS else listed
