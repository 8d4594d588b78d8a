"""The other fields of rows, such as a domain or a topic, by which the page divides the sentences."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import FIELD_CHECKS
from metrics_framework.reports.html.model import RowField
from metrics_framework.reports.printable import isolated

MAX_VALUES = 1000
"""The most different texts that divide sentences; numbers may be any."""
LONGEST = 100
_MISSING = -1


@dataclass
class RowFields:
    """Collects the fields of rows whose values are short texts, numbers or truth values."""

    _values: dict[str, dict[Any, int]] = field(default_factory=dict)
    _codes: dict[str, dict[str, array[int]]] = field(default_factory=dict)
    _dropped: dict[str, str] = field(default_factory=dict)

    def add(self, index: int, instance: EvalInstance) -> None:
        """Adds the fields of an output."""
        for name, value in instance.fields.items():
            if name in FIELD_CHECKS or name in self._dropped or value is None:
                continue
            if not isinstance(value, (str, int, float)) or (isinstance(value, str) and len(value) > LONGEST):
                self._drop(name, "its values are not all short texts or numbers")
                continue
            self._add(name, index, instance.summarizer_id, value)

    def _add(self, name: str, index: int, system: str, value: str | float) -> None:
        values = self._values.setdefault(name, {})
        code = values.setdefault((type(value) is bool, value), len(values))
        if len(values) > MAX_VALUES and isinstance(value, str):
            self._drop(name, f"it has more than {MAX_VALUES:,} values")
            return
        codes = self._codes.setdefault(name, {}).setdefault(system, array("i"))
        codes.extend([_MISSING] * (index + 1 - len(codes)))
        codes[index] = code

    def _drop(self, name: str, reason: str) -> None:
        self._dropped[name] = reason
        self._values.pop(name, None)
        self._codes.pop(name, None)

    def finished(self, systems: Sequence[str], size: int) -> tuple[list[RowField], list[str]]:
        """Returns the fields, and notes on those that are left out.

        A field with one value for all outputs of a sentence is a field of sentences.

        Args:
            systems: The systems.
            size: The number of sentences.
        """
        fields = []
        for name, of_systems in self._codes.items():
            values = [value for _, value in self._values[name]]
            if len(values) < 2:
                continue
            columns = [_padded(of_systems.get(system, array("i")), size) for system in systems]
            common = _common(columns)
            codes: list[Sequence[int]] = [*columns] if common is None else [common]
            fields.append(RowField(name, values, codes))
        dropped = [f"{isolated(name)} ({why})" for name, why in self._dropped.items()]
        return fields, [f"Fields of the rows that cannot divide the list: {', '.join(dropped)}."] if dropped else []


def _padded(codes: array[int], size: int) -> array[int]:
    return codes + array("i", [_MISSING]) * (size - len(codes))


def _common(columns: Sequence[array[int]]) -> array[int] | None:
    """Returns the codes of the sentences, `None` if two outputs for a sentence differ."""
    common = array("i", columns[0])
    for column in columns[1:]:
        for index, code in enumerate(column):
            if common[index] == _MISSING:
                common[index] = code
            elif code not in (_MISSING, common[index]):
                return None
    return common
