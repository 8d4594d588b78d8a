"""Jackknifers: leave-one-out variants of the fields of an output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides

JACKKNIFED = "_jk"
"""The suffix of the names of jackknifed scores."""


class Jackknifer(ABC):
    """Base class: creates leave-one-out variants of the fields of an output.

    A system is scored against n references, but a reference only against the other n - 1. To make the two comparable, a
    system is also scored against every subset of n - 1 references; the mean of these scores is its ``_jk`` score.
    """

    def leaves_out_references(self) -> bool:
        """Returns whether this is `ReferencesJackknifer` for ``references``, which kernels implement."""
        return False

    @abstractmethod
    def variants(self, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the fields without one element, for each element in turn; empty if that is impossible."""


class ReferencesJackknifer(Jackknifer):
    """Leaves out each reference in turn; with fewer than two references there are no variants.

    Args:
        field: The field of the references.

    >>> ReferencesJackknifer().variants({"references": ["a", "b", "c"]})
    [{'references': ['b', 'c']}, {'references': ['a', 'c']}, {'references': ['a', 'b']}]
    """

    def __init__(self, field: str = "references") -> None:
        self.field = field

    @overrides
    def leaves_out_references(self) -> bool:
        return type(self) is ReferencesJackknifer and self.field == "references"

    @overrides
    def variants(self, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        references = list(fields[self.field])
        if len(references) < 2:
            return []
        return [
            {**fields, self.field: references[:index] + references[index + 1 :]} for index in range(len(references))
        ]


class PyramidJackknifer(Jackknifer):
    """Leaves out each model summary of the pyramid in turn; with fewer than two there are no variants.

    Args:
        field: The field of the pyramid.
    """

    def __init__(self, field: str = "pyramid") -> None:
        self.field = field

    @overrides
    def variants(self, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        pyramid = fields[self.field]
        count = len(pyramid.summarizer_ids)
        if count < 2:
            return []
        return [{**fields, self.field: pyramid.remove_summary(index)} for index in range(count)]
