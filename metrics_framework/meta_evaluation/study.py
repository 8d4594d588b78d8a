"""The base classes of analyses: what one is asked for, what it finds, and its findings as JSON."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import head_of
from metrics_framework.significance.confidence_level import as_percent

if TYPE_CHECKING:
    from typing_extensions import Self

NOT_IN_JSON: Mapping[str, Any] = {"json": None}
"""Metadata of a field that JSON does not have; ``{"json": NAME}`` is that of a field with another name there."""
OMITTED_IF_NONE: Mapping[str, Any] = {"omitted if": None}
OMITTED_IF_EMPTY: Mapping[str, Any] = {"omitted if": ""}
OMITTED_IF_NO_ENTRY: Mapping[str, Any] = {"omitted if": {}}
"""Metadata of fields that JSON has only if they have another value."""


class Finding:
    """A dataclass of plain values: a part of what an analysis finds."""

    def as_json(self) -> dict[str, Any]:
        """Returns the fields as they appear in the JSON file; undefined numbers are NaN here and ``null`` there."""
        found: dict[str, Any] = {}
        for one in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            name, value = one.metadata.get("json", one.name), getattr(self, one.name)
            if name is not None and ("omitted if" not in one.metadata or value != one.metadata["omitted if"]):
                found[name] = json_of(value)
        return found


def json_of(value: Any) -> Any:
    """Returns a value as JSON has it: findings and named tuples as dictionaries of their fields, in their order.

    >>> from metrics_framework.significance.interval_methods import Interval
    >>> json_of({"alpha": [Interval(0.5, 0.4, 0.6)]})
    {'alpha': [{'value': 0.5, 'lower': 0.4, 'upper': 0.6}]}
    """
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: json_of(content) for key, content in value.items()}
    return [json_of(one) for one in value] if isinstance(value, (list, tuple)) else value


def defined(number: float | None) -> float | None:
    """Returns a number as records have it: `None` if it is undefined."""
    return None if number is None or math.isnan(number) else number


def flat(name: str, interval: Any, of_value: str = "") -> dict[str, float | None]:
    """Returns a value and its interval as three columns of a record, `None` where undefined.

    >>> from metrics_framework.significance.interval_methods import Interval
    >>> flat("alpha", Interval(0.5, 0.4)), flat("alpha", None, "alpha_value")["alpha_value"]
    ({'alpha': 0.5, 'alpha_lower': 0.4, 'alpha_upper': None}, None)
    """
    columns = {of_value or name: "value", f"{name}_lower": "lower", f"{name}_upper": "upper"}
    return {column: defined(getattr(interval, end, None)) for column, end in columns.items()}


@dataclass(frozen=True)
class Request:
    """What an analysis is asked for.

    The fields of a subclass have the names of the parameters of the public function, which documents them, gives their
    defaults and checks each of them. A request checks them against each other.
    """

    @classmethod
    def of(cls, given: Mapping[str, Any], **resolved: Any) -> Self:
        """Returns the request of a call; its confidence level is in percent.

        Args:
            given: The checked arguments of the public function.
            resolved: Fields that are no arguments, or that are made of several.

        Raises:
            InputError: if arguments contradict each other.
        """
        values = {**given, "confidence": as_percent(given["confidence"]), **resolved}
        return cls(**{one.name: values[one.name] for one in fields(cls) if one.name in values})

    def options(self, *names: str) -> dict[str, Any]:
        """Returns some of the options by name."""
        return {name: getattr(self, name) for name in names}


class Study(Finding, ABC):
    """What an analysis finds: a dataclass with the request, the findings, and warnings.

    Attributes:
        command: The name of its command in the JSON file.
        request: What was computed.
        warnings: What may make the findings misleading.
    """

    command: ClassVar[str]
    request: Any
    warnings: list[str]

    @classmethod
    @abstractmethod
    def of(cls, tables: Any, request: Any) -> Self:
        """Computes what is asked for.

        Args:
            tables: The scores or ratings.
            request: What to compute.
        """

    @abstractmethod
    def to_records(self) -> list[dict[str, Any]]:
        """Returns the findings as dictionaries."""

    def stated(self) -> dict[str, Any]:
        """Returns what the JSON file states before the findings."""
        return {}

    def known(self) -> dict[str, Any]:
        """Returns what the data decide about the effect of options."""
        return {}

    def cautions(self) -> Iterable[str]:
        """Returns where intervals and tests need care: they disagree, p-values are the least, units are few."""
        return ()

    @overrides
    def as_json(self) -> dict[str, Any]:
        found = super().as_json()
        del found["request"], found["warnings"]
        cautions = [*self.cautions()]
        return {**head_of(self.command), **self.stated(), **found, **({"cautions": cautions} if cautions else {})}
