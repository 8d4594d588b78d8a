"""Exports of annotation tools and nested values as plain rows: one rating a row, one value a column."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, count, islice
from typing import Any, TypeAlias

from metrics_framework.inputs.roles import may_have_role

Row: TypeAlias = "dict[str, Any]"
_LABEL_STUDIO_VALUES = {"choices", "datetime", "number", "rating", "selected", "taxonomy"}
_QUALTRICS = {"StartDate", "EndDate", "RecordedDate"}
_QUESTION_OF_ITEM = re.compile(r"(.*\S)\s*\[([^\[\]]+)\]\s*", re.DOTALL)
_LOOP = re.compile(r"(\d+)_(.+)")
_NO_ITEMS = ("welcome_", "random_", "goodbye_")
"""How Pearmut calls what every annotator sees besides the items."""


def plain_rows(rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """Returns the rows of a file; each row of an export of an annotation tool becomes one row per rating.

    - Label Studio, as JSON: a row per annotation with a column per ``from_name``; the members of ``data`` are called
      ``data.NAME``. As JSON-MIN or CSV, values such as ``[{"rating": 4}]`` are replaced by their only member.
    - Pearmut: a row per item and model.
    - Prodigy: the only choice of ``accept`` is its value.
    - MTurk: ``Answer.taskAnswers`` is replaced by its answers.
    - Forms of Google and Qualtrics with one row per rater: a row per item, if several items have the same qualities, as
      in columns called ``ITEM [QUALITY]``, and ``1_QUALITY`` in Qualtrics, whose rows of questions are left out.

    Args:
        rows: The rows, with their numbers; the first one decides.
    """
    numbered = iter(rows)
    first = next(numbered, None)
    if first is None:
        return numbered
    everything: Iterator[tuple[int, Row]] = chain([first], numbered)
    convert = next((convert for names, convert in _EXPORTS if first[1].keys() >= names), None)
    if convert is None:
        is_qualtrics = first[1].keys() >= _QUALTRICS
        if is_qualtrics and not re.search(r"\d", str(first[1]["StartDate"])):
            everything = islice(everything, 2, None)  # without the texts of questions and their ids
        pattern = _LOOP if is_qualtrics else _QUESTION_OF_ITEM
        items = _items(first[1], pattern) if any(map(pattern.fullmatch, first[1])) else {}
        if not items:
            return everything
        has_raters = any(may_have_role(name, ["rater"]) for name in first[1])
        convert = partial(_melted, items=items, numbers=None if has_raters else count(1))
    return ((line, plain) for line, row in everything for plain in convert(row))


def _plain(row: Mapping[str, Any], prefix: str = "") -> Row:
    return {prefix + name: value for name, value in row.items() if not isinstance(value, (dict, list))}


def _label_studio(task: Row) -> Iterator[Row]:
    for annotation in task["annotations"]:
        author = annotation.get("completed_by")
        author = author.get("email", author.get("id")) if isinstance(author, dict) else author
        found: dict[str, list[Any]] = {}
        for result in annotation["result"]:
            if "from_name" in result:
                found.setdefault(result["from_name"], []).append(_only_member(result.get("value")))
        answers = {name: _only_entry(values) for name, values in found.items()}
        annotation.pop("task", None)  # the id of the item again, which is no data set
        yield {**_plain(annotation), **_plain(task), **_plain(task["data"], "data."), "completed_by": author, **answers}


def _only_member(value: Any) -> Any:
    """Returns the only member of an object, or the only entry of a list in it; else the value."""
    return _only_entry(next(iter(value.values()))) if isinstance(value, dict) and len(value) == 1 else value


def _only_entry(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _label_studio_minimal(row: Row) -> Iterator[Row]:
    values = {name: _only_entry(_decoded(cell)) for name, cell in row.items()}
    known = (name for name, value in values.items() if isinstance(value, dict) and value.keys() <= _LABEL_STUDIO_VALUES)
    yield {**row, **{name: _only_member(values[name]) for name in known}}


def _prodigy(row: Row) -> Iterator[Row]:
    yield {**row, "accept": _only_entry(row.get("accept"))}


def _mturk(row: Row) -> Iterator[Row]:
    answers = _only_entry(_decoded(row.pop("Answer.taskAnswers")))
    for name, value in answers.items() if isinstance(answers, dict) else ():
        if isinstance(value, dict) and {*map(type, value.values())} == {bool}:
            value = [key for key, is_chosen in value.items() if is_chosen]
        row[f"Answer.{name}"] = _only_entry(_only_member(value))
    yield row


def _pearmut(entry: Row) -> Iterator[Row]:
    if str(entry["item_i"]).startswith(_NO_ITEMS):
        return
    for item, ratings in zip(entry["item"], entry["annotation"], strict=False):
        shared = {**_plain(entry), **_plain(item)}
        shared.setdefault("item_id", json.dumps(_plain(item), ensure_ascii=False, sort_keys=True))
        kind = "CHK" if item.get("validation") else "TGT"  # an attention check has answers to be compared
        for model, rating in (ratings or {}).items():
            yield {**shared, "item_type": kind, "model": model, "tgt": item["tgt"].get(model), **rating}


_EXPORTS: list[tuple[set[str], Callable[[Row], Iterable[Row]]]] = [
    ({"annotations", "data"}, _label_studio),
    ({"annotation_id", "lead_time"}, _label_studio_minimal),
    ({"annotation", "item", "item_i"}, _pearmut),
    ({"_input_hash", "answer"}, _prodigy),
    ({"Answer.taskAnswers"}, _mturk),
]
"""The members of the rows of each tool, and what converts them."""


def _items(row: Row, pattern: re.Pattern[str]) -> dict[str, dict[str, str]]:
    """Returns the columns of each item by their quality; none unless two items have the same quality."""
    items: dict[str, dict[str, str]] = {}
    for found in filter(None, map(pattern.fullmatch, row)):
        items.setdefault(found[1], {})[found[2]] = found[0]
    qualities = list(chain.from_iterable(items.values()))
    return items if len({*qualities}) < len(qualities) else {}


def _melted(row: Row, items: Mapping[str, Mapping[str, str]], numbers: Iterator[int] | None) -> Iterator[Row]:
    """Yields a row per item that has an answer.

    Args:
        row: The answers of one person.
        items: The columns of each item by their quality.
        numbers: Numbers the people; `None` if a column has their names.
    """
    if numbers is not None:
        row["rater_id"] = row.get("ResponseId") or str(next(numbers))
    all_answers = {item: {quality: row.pop(name) for quality, name in names.items()} for item, names in items.items()}
    for item, answers in all_answers.items():
        if any(answer not in ("", None) for answer in answers.values()):
            yield {**row, "item_id": item, **answers}


def by_member(value: list[Any]) -> Any:
    """Returns a list of objects as an object of lists, as of the ratings of several people; spans stay as they are.

    >>> by_member([{"style": 4, "fluency": 5}, {"style": 3}])
    {'style': [4, 3], 'fluency': [5, None]}
    """
    if not all(isinstance(part, dict) and part.keys().isdisjoint(("start", "start_i")) for part in value):
        return value
    members = dict.fromkeys(chain.from_iterable(value))
    return {member: [part.get(member) for part in value] for member in members}


def _decoded(cell: Any) -> Any:
    """Returns the list or object that a text is, in JSON or as Python writes it; else the cell."""
    text = cell.strip() if isinstance(cell, str) else ""
    if not text or text[0] + text[-1] not in ("[]", "{}"):
        return cell
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return value if isinstance(value, (list, dict)) else cell
    return cell
