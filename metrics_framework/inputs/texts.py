"""Texts in memory: outputs, references and sources in every form, as plain lists with one entry for each output.

`parallel` reads lists of the fields of outputs; every function that scores texts in memory passes them through it, so
that a mistake has the same message everywhere. `plain_value` reads one entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.data.fields import PLAIN_KINDS
from metrics_framework.data.texts import (
    as_list,
    as_plain,
    check_text,
    is_list,
    is_text,
    is_written_list,
    shown,
    without_paragraphs,
)
from metrics_framework.kernels.dispatch import are_plain

NO_OUTPUTS = "there are no outputs to evaluate: the lists are empty"
_SINGULARS = {"references": "reference", "documents": "document"}
_BRACKETS = {"]", ")"}


def parallel(given: Mapping[str, Any], words: Mapping[str, str] | None = None) -> dict[str, Sequence[Any]]:
    """Returns the values of fields as plain lists with one entry for each output.

    Lists may be arrays, columns of any library, or iterators, which are read once. References may be one text for each
    output, or a table or a dictionary of lists whose columns are sets of references; missing references are left out.

    Args:
        given: Maps each field, such as ``summary`` or ``references``, to its values; the outputs are first.
        words: Maps fields to what the caller calls them; by default, they are called by their names.

    Raises:
        InputError: if a value is no list, lists differ in length, an entry is no text, an output has no reference, or
            an entry is a list written as a text. The message has the index of the entry.

    >>> parallel({"summary": iter(["a", "b"]), "references": ["c", ["d", None]]})
    {'summary': ['a', 'b'], 'references': [['c'], ['d']]}
    """
    names = {field: (words or {}).get(field, field) for field in given}
    check_same_index({names[field]: values for field, values in given.items()})
    lists: dict[str, Sequence[Any]] = {}
    for field, values in given.items():
        lists[field] = listed(field, values, names[field], len(next(iter(lists.values()))) if lists else None)
        if field in _SINGULARS and set(map(type, lists[field])) == {str}:
            lists[field] = [[text] for text in lists[field]]
    check_lengths({names[field]: values for field, values in lists.items()})
    kinds = "".join(PLAIN_KINDS.get(field, "?") for field in lists)
    if not are_plain(tuple(lists.values()), kinds):
        lists = {field: _plain_values(field, values, names[field]) for field, values in lists.items()}
    for field, values in lists.items():
        check_written(field, values, names[field])
    return lists


def _plain_values(field: str, values: Sequence[Any], name: str) -> list[Any]:
    plain: list[Any] = []
    problems: list[InputError] = []
    for index, value in enumerate(values):
        try:
            plain.append(plain_value(field, value, name, [index]))
        except InputError as error:
            problems.append(error)
    if problems:
        more = f" (and {len(problems) - 1} more entries)" if len(problems) > 1 else ""
        raise InputError(f"{problems[0]}{more}")
    return plain


def listed(field: str, values: Any, name: str, outputs: int | None = None) -> Sequence[Any]:
    """Returns the values of a field as a list or tuple, whose entries are still as they were given.

    Args:
        field: The field.
        values: Its values.
        name: What the caller calls them.
        outputs: The number of outputs, if it is known.

    Raises:
        InputError: if the values are no list, or the outputs are tuples.
    """
    if not isinstance(values, (list, tuple)):
        values = _as_list(field, values, name, outputs)
    if field == "summary" and values and set(map(type, values)) == {tuple}:
        kind = "pairs" if len(values[0]) == 2 else "tuples"
        raise InputError(f"the entries of '{name}' are {kind}; pass outputs and references separately")
    return values  # type: ignore[no-any-return]


def _as_list(field: str, values: Any, name: str, outputs: int | None) -> Sequence[Any]:
    if isinstance(values, str) and outputs is not None:
        raise InputError(f"'{name}' is one text for {_counted(outputs)}; pass [text] * {outputs} if all have the same")
    from metrics_framework.inputs.frames import frame_of, lists_of  # only for what is no list

    frame = frame_of(values, name) if not isinstance(values, str) else None
    if field in _SINGULARS and isinstance(values, Mapping):
        frame = lists_of(values, name)
    if frame is not None and field in _SINGULARS:
        return [list(row) for row in zip(*map(frame.column, frame.names), strict=True)]
    if frame is not None:
        raise InputError(
            f"'{name}' must be a list of texts, got a table; pass one of its columns, as in {name}['{frame.names[0]}']"
        )
    if not is_list(values):
        raise InputError(f"'{name}' must be a list with one entry for each output, got {shown(values)}")
    return as_list(values)


def _counted(outputs: int) -> str:
    return f"{outputs} output{'s' * (outputs != 1)}"


def check_lengths(lists: Mapping[str, Sequence[Any]]) -> None:
    """Checks that lists have the same number of entries.

    Args:
        lists: What the caller calls them, to each list; the outputs are first, references are called ``references``.

    Raises:
        InputError: if not; the message has all numbers.
    """
    if len(set(map(len, lists.values()))) <= 1:
        return
    count, *_ = map(len, lists.values())
    hint = ""
    for name, values in lists.items():
        if len(values) == 1 and count > 1 and name.startswith(("reference", "source", "document")):
            hint = f"; pass {name} * {count} if all outputs have the same"
        elif name.startswith("references") and len(values) != count and _are_sets(values, count):
            hint = f"; '{name}' has one list for each set, not one for each output: use list(zip(*{name}))"
    listing = ", ".join(f"{len(values)} in {name}" for name, values in lists.items())
    raise InputError(f"the lists must have the same number of entries, got {listing}{hint}")


def _are_sets(values: Sequence[Any], count: int) -> bool:
    return all(is_list(one) and len(as_list(one)) == count for one in values)


def plain_value(field: str, value: Any, name: str, position: Sequence[int] = ()) -> Any:
    """Returns an entry of a field as a plain Python value: a text, or a list of texts without missing ones.

    Args:
        field: The field; the values of fields that are no texts are not checked.
        value: The entry.
        name: What the caller calls the list of entries.
        position: The index of the entry, if it is in a list.

    Raises:
        InputError: if the entry is no text, or no list of texts.
    """
    kind = PLAIN_KINDS.get(field)
    if type(value) is str:
        return [value] if kind == "l" else value
    plain = as_plain(value)
    if kind == "t":
        check_text(plain, entry_name(name, position))
    if kind == "l":
        plain = [] if plain is None else [plain] if isinstance(plain, str) else plain
        if not isinstance(plain, (list, tuple)) and is_list(plain):
            plain = as_plain(list(plain))
        return _plain_texts(field, plain, name, position, isinstance(value, tuple))
    return plain


def _plain_texts(field: str, texts: Any, name: str, position: Sequence[int], is_tuple: bool) -> list[Any]:
    """Returns the texts of a list that are not missing; see `plain_value`."""
    if not isinstance(texts, (list, tuple)):
        check_text(texts, entry_name(name, position))
    if is_tuple and len(texts) == 2 and is_text(texts[0]) and texts[1] is not None and not is_text(texts[1]):
        raise InputError(f"the entries of '{name}' are pairs; pass outputs and references separately")
    if field == "documents":
        texts = list(map(without_paragraphs, texts))
    for index, text in enumerate(texts):
        if text is not None:
            check_text(text, entry_name(name, [*position, index]))
    present = [text for text in texts if text is not None]
    if not present:
        output = f"output {position[0]}" if position else "the output"
        raise InputError(f"{output} has no {_SINGULARS[field]}")
    return present


def entry_name(name: str, position: Sequence[int]) -> str:
    """Returns what the caller calls an entry.

    >>> entry_name("references", [3, 1])
    'references[3][1]'
    """
    return name + "".join(f"[{index}]" for index in position)


def without_references(field: str, values: Sequence[Any]) -> list[int]:
    """Returns the indices of the outputs that have no text in a list of lists of texts.

    >>> without_references("references", ["a", None, ["b", None], [float("nan")], []])
    [1, 3, 4]
    """
    if PLAIN_KINDS.get(field) != "l" or set(map(type, values)) <= {str}:
        return []
    plain = enumerate(map(as_plain, values))
    return [at for at, value in plain if value is None or (is_list(value) and all(text is None for text in value))]


def check_written(field: str, values: Sequence[Any], name: str, is_one: bool = False) -> None:
    """Rejects a list that was written as a text, as in a table of pandas that was stored as CSV.

    Args:
        field: The field.
        values: Its checked values.
        name: What the caller calls them.
        is_one: Whether they are the value of one row, so that the message has no index.

    Raises:
        InputError: if there is one; the message has the index of its entry.
    """
    kind = PLAIN_KINDS.get(field)
    if kind is None:
        return
    try:
        ends = {text[-1:] for text in (chain.from_iterable(values) if kind == "l" else values)}
    except TypeError:  # the last sentence of a text that is a list of sentences
        ends = _BRACKETS
    if ends.isdisjoint(_BRACKETS):
        return
    for index, value in enumerate(values):
        for text in [value] if isinstance(value, str) else value:
            if isinstance(text, str) and is_written_list(text):
                where = "" if is_one else f" (entry {index})"
                raise InputError(f"'{name}' is a list written as text{where}; use json.loads or ast.literal_eval")


# ---- lists that are paired by position -------------------------------------------------------------------------------

MAX_LABELS = 5
"""The number of labels of an index that a message shows."""


def check_same_index(lists: Mapping[str, Any]) -> None:
    """Rejects columns of pandas whose index has the labels of another column in another order, or some of them.

    Columns with different labels are accepted: they may come from two tables, and their order is all there is.

    Args:
        lists: What the caller calls them, to each list.

    Raises:
        InputError: if there are such columns.
    """
    columns = {
        name: values.index
        for name, values in lists.items()
        if type(values).__module__.startswith("pandas") and hasattr(values, "index")
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
