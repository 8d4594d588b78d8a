"""The data in a page: a head, and blocks of numbers and texts that its script reads when it needs them.

Everything is in elements ``<script type="application/json">``, which no browser runs:

- ``data``: the report without its sentences, texts and numbers of outputs.
- ``n-SYSTEM-SCORE``: the scores of the outputs of a system, as the type and the base64 of an array in little-endian
  order, the shortest that has all digits. NaN, or the smallest integer, is undefined.
- ``word-counts``: the number of words of the text by whose length the sentences are divided.
- ``f-FIELD``: a field of the rows: its name, its values, and arrays of their indices.
- ``t-BLOCK``: the sentences and outputs of a block.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from metrics_framework.reports.html.document import as_script
from metrics_framework.reports.html.model import ReportData

SENTENCES_A_BLOCK = 256
_INTEGERS = ("i1", "i2", "i4")


def embedded(data: ReportData) -> Iterator[str]:
    """Yields the elements of a page that contain its data."""
    places = data.places
    described: dict[str, Any] = {
        "key": _key(data),
        "sentences_listed": len(places),
        "block": SENTENCES_A_BLOCK,
        "has_lengths": bool(data.word_counts),
    }
    described["has_sources"] = any(data.sentences[place].source is not None for place in places)
    yield _block("data", {**data.head(), "embedded": {**described, "fields": len(data.fields)}})
    for number, system in enumerate(data.systems):
        for index, column in enumerate(data.scores):
            if column.name in system.values:
                yield _block(f"n-{number}-{index}", packed(system.values[column.name], data.listed))
    if data.word_counts:
        yield _block("word-counts", packed(data.word_counts, data.listed))
    for index, field in enumerate(data.fields):
        codes = [packed(codes, data.listed) for codes in field.codes]
        yield _block(f"f-{index}", {"name": field.name, "values": field.values, "codes": codes})
    for number, start in enumerate(range(0, len(places), SENTENCES_A_BLOCK)):
        yield _block(f"t-{number}", _texts(data, places[start : start + SENTENCES_A_BLOCK]))


def packed(numbers: Sequence[Any], places: Sequence[int] | None = None) -> list[str]:
    """Packs numbers into the shortest array that has all their digits.

    Args:
        numbers: The numbers, `None` if undefined.
        places: The indices of those to pack; `None` for all.

    Returns:
        The type of the array (``i1``, ``i2``, ``i4``, ``f4`` or ``f8``), and the array in base64.

    >>> packed([1, None, 3])
    ['i1', 'AYAD']
    >>> packed([0.5, 2.0])
    ['f4', 'AAAAPwAAAEA=']
    """
    import numpy as np

    values = np.asarray(getattr(numbers, "array", numbers), dtype=np.float64)
    values = values if places is None else values[list(places)]
    undefined = ~np.isfinite(values)
    defined = values[~undefined]
    kind = _kind(defined)
    if kind in _INTEGERS:
        array = np.full(len(values), np.iinfo(kind).min, dtype=f"<{kind}")
        array[~undefined] = defined
    else:
        array = np.where(undefined, np.nan, values).astype(f"<{kind}")
    return [kind, base64.b64encode(array.tobytes()).decode("ascii")]


def _kind(defined: Any) -> str:
    import numpy as np

    is_whole = bool((np.trunc(defined) == defined).all()) and not bool((np.signbit(defined) & (defined == 0)).any())
    most = float(np.abs(defined).max(initial=0.0))
    for kind in _INTEGERS if is_whole else ():
        if most <= np.iinfo(kind).max:
            return kind
    if most > float(np.finfo(np.float32).max):
        return "f8"
    return "f4" if bool((defined.astype(np.float32).astype(np.float64) == defined).all()) else "f8"


def _key(data: ReportData) -> str:
    """Returns a name of the outputs, by which a browser finds the notes of its reader on them."""
    names = hashlib.sha256()
    for system in data.systems:
        for place in data.places if system.texts else ():
            text = f"{system.name}\0{data.sentences[place].id}\0{system.texts[place]}\0"
            names.update(text.encode("utf-8", "surrogatepass"))
    return names.hexdigest()[:16]


def _texts(data: ReportData, places: Sequence[int]) -> dict[str, Any]:
    sentences = [data.sentences[place] for place in places]
    systems = [system for system in data.systems if system.kind == "system"]
    answers = [[system.answers[place] for place in places] for system in systems if system.answers]
    spans = [[system.spans[place] for place in places] if system.spans else None for system in systems]
    return {
        **({"spans": spans} if data.has_spans else {}),
        "sentences": [[one.id, one.source, one.references, one.documents] for one in sentences],
        "texts": [[system.texts[place] for place in places] for system in systems],
        **({"answers": answers} if answers else {}),
    }


def _block(name: str, content: Any) -> str:
    return f'<script type="application/json" id="{name}">{as_script(content)}</script>\n'
