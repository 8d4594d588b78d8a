"""The texts of a test set by field, as sacreBLEU's ``--echo`` names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import Problems, UnknownNameError
from metrics_framework.data.fields import with_standard_names
from metrics_framework.datasets.catalogue import REFERENCE_FIELDS
from metrics_framework.io.jsonl import read_jsonl

ALL = "all"


def lines_of(path: str, fields: Sequence[str]) -> Iterator[str]:
    """Yields the fields of each row of a test set, separated by tabs.

    Args:
        path: The test set.
        fields: ``src`` for the source, ``ref`` for the first reference, ``ref:0``, ``ref:1``, … or the names of the
            references, the keys of ``metadata``; ``all`` for all fields.

    Raises:
        UnknownNameError: if a row does not have a field.
        DataError: if the test set cannot be read.
    """
    problems = Problems()
    for _, row in read_jsonl(path, problems):
        texts = _texts(with_standard_names(row))
        shown = _listed(texts) if list(fields) == [ALL] else list(fields)
        for field in shown:
            if field not in texts:
                raise UnknownNameError(f"field of {path}", field, _listed(texts))
        yield "\t".join(texts[field] for field in shown)
    problems.raise_any()


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    """Returns the texts of a row by field; a reference has a number, and a name if the row states it."""
    metadata = dict(row.get("metadata", {}))
    names = metadata.pop(REFERENCE_FIELDS, [])
    references = [str(text) for text in row.get("references", [])]
    numbered = {f"ref:{number}": text for number, text in enumerate(references)}
    named = dict(zip(names, references, strict=False))
    first = {"ref": references[0]} if references else {}
    texts = {"src": str(row.get("source", "")), **first, **numbered, **named, **metadata}
    return {field: " ".join(str(text).split()) if field in metadata else str(text) for field, text in texts.items()}


def _listed(texts: Mapping[str, str]) -> list[str]:
    """Returns the fields without those that repeat a named reference."""
    named = any(field.startswith("ref:") and not field[4:].isdecimal() for field in texts)
    hidden = {"ref"} | {field for field in texts if named and field.startswith("ref:") and field[4:].isdecimal()}
    return [field for field in texts if field not in hidden] if len(texts) > 2 else list(texts)
