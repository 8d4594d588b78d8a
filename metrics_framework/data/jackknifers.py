"""Jackknifers: from the fields of one output to its leave-one-out variants."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from overrides import overrides

JACKKNIFED = "_jk"
"""What stands behind the names of jackknifed scores."""


class Jackknifer(ABC):
    """Makes the leave-one-out variants of an output's context.

    A system is scored against n references, a person's text (taken out of them) against n - 1. To compare the two, the
    system is also scored against every n - 1 of the references, and the scores are averaged: the ``_jk`` scores.
    """

    def leaves_out_references(self) -> bool:
        """Tells whether the variants are those of `ReferencesJackknifer` for ``references``, which kernels can make."""
        return False

    @abstractmethod
    def variants(self, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the fields with one element left out, once for each element; nothing when it cannot be done."""


class ReferencesJackknifer(Jackknifer):
    """Leaves out one of the references at a time; with fewer than two references there are no variants.

    Args:
        field: The field that holds the references.

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
    """Leaves out one model summary of the pyramid at a time; with fewer than two there are no variants.

    Args:
        field: The field that holds the pyramid.
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
