"""Pyramids: the content units that annotators found in the model summaries of an input, and in its outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.errors import DataError, InputError
from metrics_framework.data.fields import parse_id, parse_summarizer_type
from metrics_framework.data.texts import Text, fault_of, is_text, shown


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a summary, as an annotator selected it.

    Args:
        text: Its text.
        start: The position of its first character in the summary, `None` if the file has none.
        end: The position after its last character.
    """

    text: str
    start: int | None = None
    end: int | None = None


def parts_of(row: Mapping[str, Any], name: str) -> tuple[Part, ...]:
    """Returns the parts of a contributor; its label is the only part, without position, if it has no parts.

    Args:
        row: The contributor: an object with ``parts`` and ``label``, both optional.
        name: Its name in error messages.

    Raises:
        DataError: if a value has another type.
    """
    values = row.get("parts") or []
    if not isinstance(values, list):
        raise DataError(f"'{name}.parts' must be a list, got {shown(values)}")
    parts = tuple(_part(value, f"{name}.parts[{index}]") for index, value in enumerate(values))
    label = string_of(row, "label", name)
    return parts or ((Part(label),) if label else ())


def string_of(row: Mapping[str, Any], key: str, name: str) -> str:
    """Returns a string of an object, empty if it is absent or null.

    Raises:
        DataError: if the value has another type.
    """
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise DataError(f"'{name}.{key}' must be a string, got {shown(value)}")
    return value or ""


def _part(value: Any, name: str) -> Part:
    if not isinstance(value, Mapping):
        raise DataError(f"'{name}' must be an object, got {shown(value)}")
    return Part(string_of(value, "text", name), _position(value, "start", name), _position(value, "end", name))


def _position(value: Mapping[str, Any], key: str, name: str) -> int | None:
    number = value.get(key)
    if number is not None and type(number) is not int:
        raise DataError(f"'{name}.{key}' must be an integer, got {shown(number)}")
    return number


def located(summary: str, part: Part) -> tuple[int, int] | None:
    """Returns the start and end of a part in its summary, `None` if the summary does not contain it.

    If the positions of the part do not select its text, the occurrence of the text that is closest to them counts,
    first with equal, then with ignored whitespace: published pyramids contain such shifts.

    >>> located("A cat sat. A cat lay.", Part("A cat", 10, 15))
    (11, 16)
    >>> located("A  cat sat.", Part("A cat", 0, 5))
    (0, 6)
    """
    start, end = part.start, part.end
    if start is None or end is None:
        start, end = 0, 0
    if 0 <= start < end <= len(summary) and part.text in ("", summary[start:end]):
        return start, end
    if not part.text.strip():
        return None
    exact = ((at, at + len(part.text)) for at in _occurrences(summary, part.text))
    return _closest(exact, start) or _closest(_without_whitespace(summary, part.text), start)


def _occurrences(summary: str, text: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(f"(?={re.escape(text)})", summary))


def _without_whitespace(summary: str, text: str) -> Iterator[tuple[int, int]]:
    """Yields the occurrences of a text in a summary, both without whitespace, as positions in the summary."""
    positions = [index for index, character in enumerate(summary) if not character.isspace()]
    bare = "".join(text.split())
    for at in _occurrences("".join(summary[index] for index in positions), bare):
        yield positions[at], positions[at + len(bare) - 1] + 1


def _closest(spans: Iterable[tuple[int, int]], start: int) -> tuple[int, int] | None:
    return min(spans, key=lambda span: abs(span[0] - start), default=None)


@dataclass(frozen=True, slots=True)
class Scu:
    """A summary content unit (SCU): a piece of content, and the model summaries that express it.

    Args:
        scu_id: The id in the pyramid.
        contributors: The indices of these summaries in the pyramid, sorted, without duplicates.
        label: A description of the content, empty if the file has none.
        parts: For each contributor the parts of its text that express the content; empty if the file has none.
    """

    scu_id: int
    contributors: tuple[int, ...]
    label: str = ""
    parts: tuple[tuple[Part, ...], ...] = ()

    @property
    def weight(self) -> int:
        """The number of model summaries that express it."""
        return len(self.contributors)

    def without(self, index: int) -> Scu:
        """Returns the unit in the pyramid without one summary; the indices after it decrease by one."""
        kept = tuple(summary - (summary > index) for summary in self.contributors if summary != index)
        of_all = zip(self.contributors, self.parts, strict=True) if self.parts else ()
        return Scu(self.scu_id, kept, self.label, tuple(parts for summary, parts in of_all if summary != index))

    def parts_in(self, index: int) -> tuple[Part, ...]:
        """Returns the parts of a contributor."""
        return self.parts[self.contributors.index(index)] if self.parts else ()


@dataclass(frozen=True, slots=True)
class PyramidAnnotation:
    """The content units of a pyramid that a summary expresses.

    Args:
        instance_id: The input.
        summarizer_id: The author of the summary.
        summarizer_type: ``peer`` or ``reference``.
        summary: The summary, empty if the file has none.
        scus: The ids of the units, without duplicates.
        parts: For each unit the parts of the summary that express it; empty if the file has none.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    summary: Text
    scus: tuple[int, ...]
    parts: tuple[tuple[Part, ...], ...] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any], default_summarizer: str | None = None) -> PyramidAnnotation:
        """Creates an annotation from a row.

        Args:
            row: The row.
            default_summarizer: The id if ``summarizer_id`` is absent.

        Raises:
            DataError: if a field is missing or invalid.
        """
        scus = _list(_required(row, "scus"), "scus")
        parts: dict[int, tuple[Part, ...]] = {}
        for index, scu in enumerate(scus):
            number = _scu_id(scu, f"scus[{index}]")
            parts[number] = parts.get(number, ()) + _annotated_parts(scu, f"scus[{index}]")
        return cls(
            parse_id(_required(row, "instance_id"), "instance_id"),
            parse_id(row.get("summarizer_id", default_summarizer), "summarizer_id"),
            parse_summarizer_type(row.get("summarizer_type", "peer"), "summarizer_type"),
            _text(row.get("summary", ""), "summary"),
            tuple(parts),
            tuple(parts.values()) if any(parts.values()) else (),
        )


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The content units of the model summaries of one input.

    Args:
        instance_id: The input.
        summarizer_ids: The authors of the model summaries.
        summarizer_types: ``reference``, or ``peer``, for each of them.
        summaries: Their texts, empty if the file has none.
        scus: The content units.

    >>> pyramid = Pyramid("1", ("A", "B"), ("reference",) * 2, ("", ""), (Scu(1, (0, 1)), Scu(2, (0,))))
    >>> pyramid.remove_summary(0).scus
    (Scu(scu_id=1, contributors=(0,), label='', parts=()),)
    >>> pyramid.annotation(0).scus
    (1, 2)
    """

    instance_id: str
    summarizer_ids: tuple[str, ...]
    summarizer_types: tuple[str, ...]
    summaries: tuple[Text, ...]
    scus: tuple[Scu, ...]

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Pyramid:
        """Creates a pyramid from a row.

        Raises:
            DataError: if a field is missing or invalid.
        """
        instance_id = parse_id(_required(row, "instance_id"), "instance_id")
        ids = _list(_required(row, "summarizer_ids"), "summarizer_ids")
        names = tuple(parse_id(value, f"summarizer_ids[{index}]") for index, value in enumerate(ids))
        _check_unique(names, "summarizer_ids")
        types = _one_each(row, "summarizer_types", "reference", len(names))
        texts = _one_each(row, "summaries", "", len(names))
        return cls(
            instance_id,
            names,
            tuple(parse_summarizer_type(value, f"summarizer_types[{index}]") for index, value in enumerate(types)),
            tuple(_text(value, f"summaries[{index}]") for index, value in enumerate(texts)),
            _scus(_required(row, "scus"), len(names)),
        )

    def remove_summary(self, index: int) -> Pyramid:
        """Returns the pyramid without one model summary, and without the content units that only it expresses.

        Raises:
            InputError: if the index is out of range.
        """
        self._check(index)
        reduced = (scu.without(index) for scu in self.scus)
        return Pyramid(
            self.instance_id,
            _without(self.summarizer_ids, index),
            _without(self.summarizer_types, index),
            _without(self.summaries, index),
            tuple(scu for scu in reduced if scu.contributors),
        )

    def annotation(self, index: int) -> PyramidAnnotation:
        """Returns the annotation of one model summary: the content units to which it contributes.

        Raises:
            InputError: if the index is out of range.
        """
        self._check(index)
        expressed = [scu for scu in self.scus if index in scu.contributors]
        parts = tuple(scu.parts_in(index) for scu in expressed)
        return PyramidAnnotation(
            self.instance_id,
            self.summarizer_ids[index],
            self.summarizer_types[index],
            self.summaries[index],
            tuple(scu.scu_id for scu in expressed),
            parts if any(parts) else (),
        )

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self.summarizer_ids):
            raise InputError(f"the index must be from 0 to {len(self.summarizer_ids) - 1}, got {index}")


def _without(values: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    return values[:index] + values[index + 1 :]


def _scus(value: Any, number_of_summaries: int) -> tuple[Scu, ...]:
    scus = tuple(_scu(scu, f"scus[{index}]", number_of_summaries) for index, scu in enumerate(_list(value, "scus")))
    _check_unique([scu.scu_id for scu in scus], "scus")
    return scus


def _scu(value: Any, name: str, number_of_summaries: int) -> Scu:
    scu_id = _scu_id(value, name)
    contributors = _list(_required(value, "contributors", f"{name}."), f"{name}.contributors")
    parts: dict[int, tuple[Part, ...]] = {}
    for index, contributor in enumerate(contributors):
        where = f"{name}.contributors[{index}]"
        summary = _summary_index(contributor, where, number_of_summaries)
        parts[summary] = parts.get(summary, ()) + parts_of(contributor, where)
    indices = tuple(sorted(parts))
    in_order = tuple(parts[summary] for summary in indices)
    return Scu(scu_id, indices, string_of(value, "label", name), in_order if any(in_order) else ())


def _annotated_parts(scu: Mapping[str, Any], name: str) -> tuple[Part, ...]:
    """Returns the parts of a summary that express a unit."""
    contributors = enumerate(_list(scu.get("contributors") or [], f"{name}.contributors"))
    named = [(f"{name}.contributors[{index}]", contributor) for index, contributor in contributors]
    return tuple(part for where, contributor in named for part in parts_of(_object(contributor, where), where))


def _summary_index(value: Any, name: str, number_of_summaries: int) -> int:
    index = _integer(_required(_object(value, name), "summary_index", f"{name}."), f"{name}.summary_index")
    if not 0 <= index < number_of_summaries:
        raise DataError(
            f"'{name}.summary_index' must be the index of one of the {number_of_summaries} 'summarizer_ids', "
            f"from 0 to {number_of_summaries - 1}, got {index}"
        )
    return index


def _scu_id(value: Any, name: str) -> int:
    return _integer(_required(_object(value, name), "scu_id", f"{name}."), f"{name}.scu_id")


def _one_each(row: Mapping[str, Any], name: str, default: Any, count: int) -> list[Any]:
    """Returns the values of a field with one value per model summary, or its default for each."""
    if row.get(name) is None:
        return [default] * count
    values = _list(row[name], name)
    if len(values) != count:
        raise DataError(f"'{name}' must have one entry for each of the {count} 'summarizer_ids', got {len(values)}")
    return values


def _check_unique(values: Any, name: str) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise DataError(f"'{name}' must not contain an id twice, got {shown(value)} twice")
        seen.add(value)


def _required(row: Mapping[str, Any], name: str, where: str = "") -> Any:
    if name not in row:
        listing = ", ".join(f"'{key}'" for key in row) or "nothing"
        raise DataError(f"'{where}{name}' is missing; the {'object' if where else 'row'} has {listing}")
    return row[name]


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"'{name}' must be an object, got {shown(value)}")
    return value


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"'{name}' must be a list, got {shown(value)}")
    return value


def _integer(value: Any, name: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if type(value) is not int:
        raise DataError(f"'{name}' must be an integer, got {shown(value)}")
    return value


def _text(value: Any, name: str) -> Text:
    """Returns a text; its sentences as a tuple, so that pyramids are hashable."""
    inner = value.get("text") if isinstance(value, Mapping) else value
    if isinstance(inner, str):
        return inner
    if isinstance(inner, (list, tuple)) and is_text(inner):
        return tuple(inner)
    raise DataError(f"'{name}' {fault_of(inner)}")
