"""Exports of annotation tools and nested values as plain rows: one rating a row, one value a column."""

from __future__ import annotations

import ast
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from itertools import chain, count, dropwhile, pairwise, repeat
from sys import intern
from typing import Any, Literal, NamedTuple, TypeAlias

from metrics_framework.common.errors import DataError, how_to_set
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import shown
from metrics_framework.inputs.roles import column_key, may_have_role
from metrics_framework.inputs.row_view import flattened

Row: TypeAlias = "dict[str, Any]"
PageRating: TypeAlias = "tuple[Row, int, str, Row, tuple[str, ...]]"
"""A segment of a page, its position, the system, the rating, and why it does not count; empty if it does."""
NamedRatings: TypeAlias = "tuple[str, Collection[str]]"
"""The option that names the columns of ratings, and its values."""
_SCALARS = frozenset({str, int, float, bool, type(None)})
_LABEL_STUDIO_VALUES = {"choices", "datetime", "number", "rating", "selected", "taxonomy"}
_QUALTRICS = {"StartDate", "EndDate", "RecordedDate"}
_QUESTION_OF_ITEM = re.compile(r"(.*\S)\s*\[([^\[\]]+)\]\s*", re.DOTALL)
_LOOP, _NUMBERED = re.compile(r"(\d+)_(.+)"), re.compile(r"(.+?)[_ ]?(\d+)")
_MICROSOFT = {"ID": "ResponseId", "Start time": "StartTime", "Completion time": "EndTime"}
_OF_ANSWERS = {"timestamp", "email_address", "responseid", "respondent_id", "recordeddate"}
"""Columns of forms of Google, Qualtrics, Microsoft and SurveyMonkey, whose rows have the answers of one person."""
_RADIO = re.compile(r"(Answer\..+)\.([^.]+)")
_OF_ARGILLA_1 = "-suggestion-metadata"
"""The end of a column of version 1 of Argilla, whose beginning is a question."""
_CHOSEN = {"true", "false", ""}
_INSTANCE, _OF_POTATO, _INPUTS_OF_POTATO = "instance_id", ":::", {"slider", "number", "text_box"}
"""Columns of Potato, what they have between a scheme and a label, and labels whose value is the answer."""


def plain_rows(
    rows: Iterable[tuple[int, Row]], path: str = "", ratings: NamedRatings | None = None
) -> Iterator[tuple[int, Row]]:
    """Returns the rows of a file; each row of an export of an annotation tool becomes one row per rating.

    - Label Studio, as JSON: a row per annotation with a column per ``from_name``; the members of ``data`` are called
      ``data.NAME``. As JSON-MIN or CSV, values such as ``[{"rating": 4}]`` are replaced by their only member.
    - Pearmut: a row per item and model, whose ``item_type`` says whether it counts.
    - WMT's general translation task: ``refs`` of a source is a list of texts, and the language pair, the domain and the
      document that ``doc_id`` states are columns.
    - Argilla: a row per user, with the column of each question, ``quality`` or, of flat records, ``quality.responses``,
      and the status of the response; the members of ``fields`` and ``metadata`` are columns.
    - Potato, for all users or one: each scheme is a column with its only label, or ``SCHEME.LABEL``; where no column
      names the user, the folder does. Pages of surveys, whose ids end in ``.html``, do not count.
    - Prodigy and Doccano: the only choice of ``accept`` and ``label`` is its value.
    - MTurk: ``Answer.taskAnswers`` is replaced by its answers, and ``Answer.fluency.1``, … by the chosen button.
    - Toloka: ``INPUT:text``, ``OUTPUT:quality`` and ``ASSIGNMENT:worker_id`` are called ``text``, ``quality`` and
      ``worker_id``; tasks with a right answer in ``GOLDEN:quality`` are marked as ``_golden``.
    - Forms of Google, Microsoft, Qualtrics and SurveyMonkey with one row per rater: a row per item, if several items
      have the same qualities, as in columns called ``ITEM [QUALITY]`` or ``QUALITY [ITEM]``, and in Qualtrics
      ``1_QUALITY`` or ``QUALITY_1``; the rows of questions of Qualtrics are left out.

    Args:
        rows: The rows, with their numbers; the first one decides.
        path: The file.
        ratings: The names of ratings, which decide whether the item is before or in the brackets.

    Raises:
        DataError: if these names do not tell.
    """
    numbered = iter(rows)
    first = next(numbered, None)
    if first is None:
        return numbered
    everything: Iterator[tuple[int, Row]] = chain([first], numbered)
    if first[1].keys() >= _MICROSOFT.keys():  # whose ID numbers the answers
        everything = ((line, {_MICROSOFT.get(name, name): row[name] for name in row}) for line, row in everything)
        first = next(everything)
        everything = chain([first], everything)
    if is_pearmut(first[1]):
        return _pearmut(everything, path)
    convert = next((convert for names, convert in _EXPORTS if first[1].keys() >= names), None)
    if "label_annotations" in first[1] or (_INSTANCE in first[1] and any(_OF_POTATO in name for name in first[1])):
        convert = partial(_potato, path=path)
    if any(name.endswith((_OF_ARGILLA_1, ".responses.users")) for name in first[1]):
        convert = _argilla
    if convert is None:
        is_qualtrics = first[1].keys() >= _QUALTRICS or _has_questions(first[1])
        everything = dropwhile(lambda one: is_qualtrics and _has_questions(one[1]), everything)
        is_form = is_qualtrics or is_questionnaire(first[1])
        patterns = [_LOOP if is_qualtrics else _QUESTION_OF_ITEM, *([_NUMBERED] if is_form else [])]
        found = (_items(first[1], pattern, path, ratings) for pattern in patterns)
        items = next(filter(None, found), None)
        if not items:
            return everything
        has_raters = any(may_have_role(name, ["rater"]) for name in first[1])
        convert = partial(_melted, items=items, numbers=None if has_raters else count(1))
    rows = ((line, plain) for line, row in everything for plain in convert(row))
    return iter(sorted(rows, key=lambda one: "user_id" not in one[1])) if convert is _argilla else rows


def _has_questions(row: Row) -> bool:
    """Returns whether a row has the texts of questions or their ids, as the first rows of Qualtrics have them."""
    of_dates = (str(row.get(name) or "0") for name in _QUALTRICS)
    is_of_ids = any(str(cell).startswith('{"ImportId"') for cell in row.values())
    return is_of_ids or row.get("Finished") == "Finished" or not all(map(re.compile(r"\d").search, of_dates))


def is_questionnaire(columns: Iterable[str]) -> bool:
    """Returns whether a table has the answers of one person in each row, by its columns.

    >>> is_questionnaire(["Timestamp", "Q1", "Q2"]), is_questionnaire(["Timestamp", "Item ID", "Ann", "Bob"])
    (True, False)
    """
    of_outputs = ["instance_id", "summarizer_id", "summary", "source"]
    keys = [*map(column_key, columns)]
    return not _OF_ANSWERS.isdisjoint(keys) and not any(may_have_role(key, of_outputs) for key in keys)


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
        about = _plain(annotation)
        about.pop("task", None)  # the id of the item again, which is no data set
        about |= _plain(task)
        if "id" in task["data"]:
            del about["id"]  # the number of the task
        yield {**about, **_plain(task["data"], "data."), "completed_by": author, **answers}


def _only_member(value: Any) -> Any:
    """Returns the only member of an object, or the only entry of a list in it; else the value."""
    return _only_entry(next(iter(value.values()))) if isinstance(value, dict) and len(value) == 1 else value


def _only_entry(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _label_studio_minimal(row: Row) -> Iterator[Row]:
    values = {name: _only_entry(decoded(cell)) for name, cell in row.items()}
    for name, value in values.items():
        if isinstance(value, dict) and value.keys() <= _LABEL_STUDIO_VALUES:
            row[name] = text_of(_only_member(value)) if isinstance(row[name], str) else _only_member(value)
    yield row


def _argilla(row: Row) -> Iterator[Row]:
    """Yields a row for each user, or one without ratings, of records as nested or flat, and as version 1 wrote them."""
    given = row.pop("responses", None)
    questions: dict[str, Any] = {**given} if isinstance(given, dict) else {}
    for name in [name for name in row if f"{name}.users" in row]:
        users, states = row.pop(f"{name}.users") or (), row.pop(f"{name}.status", None)
        parts = zip(row.pop(name) or (), users, states or repeat(None), strict=False)
        questions[name] = [{"value": value, "user_id": user, "status": status} for value, user, status in parts]
    for name in [name.removesuffix(_OF_ARGILLA_1) for name in row if name.endswith(_OF_ARGILLA_1)]:
        questions[name] = row.pop(name, None) or []
    by_user: dict[Any, Row] = {}
    for name, answers in questions.items():
        for answer in answers:
            of_user = by_user.setdefault(answer["user_id"], {"user_id": answer["user_id"]})
            of_user |= {"status": answer["status"]} if answer.get("status") else {}
            of_user[name] = _only_entry(answer["value"])
    about = [decoded(row.pop(name, None)) for name in ("fields", "metadata")]
    row = {**{name: cell for inner in about if isinstance(inner, dict) for name, cell in inner.items()}, **row}
    yield from ({**row, "status": "", **answers} for answers in by_user.values() or [{}])


def _potato(row: Row, path: str) -> Iterator[Row]:
    """Yields a row with a column for each scheme of labels, from objects or columns called ``SCHEME:::LABEL``."""
    schemes: dict[str, Row] = {**(row.pop("label_annotations", None) or {})}
    for scheme, label, name in [(*name.split(_OF_POTATO, 1), name) for name in row if _OF_POTATO in name]:
        schemes.setdefault(scheme, {})[label] = row.pop(name)
    for scheme, labels in schemes.items():
        chosen = {label: value for label, value in labels.items() if value not in ("", None)}
        only, value = next(iter(chosen.items()), ("", ""))
        row[scheme] = value if only in _INPUTS_OF_POTATO else only.removeprefix("scale_")
        row |= {f"{scheme}.{label}": value for label, value in labels.items()} if len(chosen) > 1 else {}
    is_page = str(row.get("id", row.get(_INSTANCE))).endswith(".html")
    if not any(may_have_role(name, ["rater"]) for name in row):
        row["user"] = os.path.basename(os.path.dirname(path))
    yield {**row, "item_type": "form" if is_page else "TGT"}


def _toloka(row: Row) -> Iterator[Row]:
    parts = {name: name.partition(":") for name in row}
    is_golden = any(kind == "GOLDEN" and row[name] not in ("", None) for name, (kind, _, _) in parts.items())
    named = {one: row[name] for name, (kind, _, one) in parts.items() if kind in ("INPUT", "OUTPUT")}
    about = {"id": "task_id", "worker_id": "worker_id", "assignment_status": "status"}
    of_work = {one: row.get(f"ASSIGNMENT:{name}") for one, name in about.items()}
    yield {**of_work, **named, "_golden": str(is_golden).lower()}


def _one_choice(row: Row, column: str) -> Iterator[Row]:
    yield {**row, column: _only_entry(row.get(column))}


def _genmt(row: Row) -> Iterator[Row]:
    refs = row.pop("refs", None)
    if isinstance(refs, dict):
        refs = [ref.get("ref") if isinstance(ref, dict) else ref for ref in refs.values()]
    renamed = {"src_text": "source", "hypothesis": "summary", "doc_id": "instance_id"}
    stated = zip(("language_pair", "domain", "document"), parts_of_doc_id(str(row["doc_id"])), strict=False)
    found = {renamed.get(name, name): value for name, value in row.items()} | {name: one for name, one in stated if one}
    yield {**found, "references": refs} if refs else found


def parts_of_doc_id(doc_id: str) -> list[str]:
    """Returns the language pair, the domain, the document, and perhaps the line, that an id of WMT states.

    >>> parts_of_doc_id("wmt26_###_news_###_en_###_cs_###_a"), parts_of_doc_id("en-cs_#_news_#_a_#_3")
    (['en-cs', 'news', 'a'], ['en-cs', 'news', 'a', '3'])
    >>> parts_of_doc_id("a")
    []
    """
    parts = doc_id.split("_#_")
    if len(parts) == 1 and len(of_set := doc_id.split("_###_")) > 4:
        _, domain, source, target, *parts = of_set
        parts = [f"{source}-{target}", domain, *parts]
    if len(parts) < 3:
        return []
    line = [parts.pop()] if len(parts) > 3 and parts[-1].isdigit() else []
    return [*parts[:2], "_#_".join(parts[2:]), *line]


def _mturk(row: Row) -> Iterator[Row]:
    answers = _only_entry(decoded(row.pop("Answer.taskAnswers", None)))
    for name, value in answers.items() if isinstance(answers, dict) else ():
        if isinstance(value, dict) and {*map(type, value.values())} == {bool}:
            value = [key for key, is_chosen in value.items() if is_chosen]
        row[f"Answer.{name}"] = text_of(_only_entry(_only_member(value)))
    for name, buttons in _grid(row, _RADIO).items():
        cells = {option: str(row[column]).strip().lower() for option, column in buttons.items()}
        if len(cells) > 1 and {""} < {"", *cells.values()} <= _CHOSEN:
            row = {column: cell for column, cell in row.items() if column not in buttons.values()}
            row[name] = text_of(_only_entry([option for option, cell in cells.items() if cell == "true"]) or "")
    yield row


_EXPORTS: list[tuple[set[str], Callable[[Row], Iterable[Row]]]] = [
    ({"annotations", "data"}, _label_studio),
    ({"annotation_id", "lead_time"}, _label_studio_minimal),
    ({"doc_id", "src_text"}, _genmt),
    ({"doc_id", "hypothesis"}, _genmt),
    ({"_input_hash", "answer"}, partial(_one_choice, column="accept")),
    ({"fields", "responses", "suggestions"}, _argilla),
    ({"id", "text", "label"}, partial(_one_choice, column="label")),
    ({"Answer.taskAnswers"}, _mturk),
    ({"AssignmentId", "WorkerId"}, _mturk),
    ({"ASSIGNMENT:worker_id"}, _toloka),
]
"""The members of the rows of each tool, and what converts them."""


Grid: TypeAlias = "dict[str, dict[str, str]]"
"""The columns of each item by their quality."""


def _grid(row: Iterable[str], pattern: re.Pattern[str], item: int = 1) -> Grid:
    """Returns the columns whose names a pattern matches; its group ``item`` is the item, the other one the quality."""
    grid: Grid = {}
    for found in filter(None, map(pattern.fullmatch, row)):
        grid.setdefault(found[item], {})[found[3 - item]] = found[0]
    return grid


def _items(row: Row, pattern: re.Pattern[str], path: str, ratings: NamedRatings | None) -> Grid | None:
    """Returns the columns of each item by their quality; `None` unless two items have the same quality.

    Raises:
        DataError: if ratings are named, but neither as the items nor as the qualities.
    """
    option, names = ratings or ("", ())
    named = {*map(column_key, names)}
    grids = [_grid(row, pattern, item) for item in (1, 2)]
    repeated = [
        [name for name, times in Counter(chain(*grid.values())).items() if times > 1 and name not in row]
        for grid in grids
    ]
    for grid, qualities in zip(grids, repeated, strict=True):
        if not named.isdisjoint(map(column_key, qualities)):
            return grid
    has_items = any(may_have_role(name, ["instance_id"]) for name in row)
    if ratings is None:
        return grids[0] if repeated[0] and pattern is not _NUMBERED else None
    if not named.isdisjoint(map(column_key, row)) or has_items or not any(repeated):
        return None
    column = next(filter(pattern.fullmatch, row))
    either = [how_to_set(path, option, qualities[0]) for qualities in repeated if qualities]
    raise DataError(
        f"a row has the answers of one person, and '{column}' names an item and a rating; say which is the rating: "
        f"use {' or '.join(either)}",
        path,
    )


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


# ---- Pearmut ---------------------------------------------------------------------------------------------------------

KINDS = ("reset", "form", "welcome", "random", "goodbye", "skipped", "tutorial", "attention-check", "replaced")
"""What does not count: pages before and after the items, and items that check or train raters."""
Resets = Literal["user", "campaign"]
_PAGE = re.compile(r"(welcome|random|goodbye)_")
_RESET = "__RESET__"
_SEGMENT = re.compile(r"(.+)_###_(\d+)")
_LONGEST_GAP = 61.0
"""The seconds that a pause between two actions counts at most, as Pearmut measures the time of work."""


class Page(NamedTuple):
    """A page that somebody rated.

    Args:
        line: Its line, or its number in the campaign.
        campaign: The name of the campaign, if the file states it.
        entry: The entry of the log.
        kinds: Why it does not count; empty if it does.
    """

    line: int
    campaign: str
    entry: Row
    kinds: tuple[str, ...]

    def seconds(self) -> float:
        """Returns the time of work on each segment: of the page, without long pauses, over the number of segments."""
        actions = self.entry.get("actions")
        found = (action.get("time") for action in actions or () if isinstance(action, dict))
        gaps = seconds_between(time for time in found if isinstance(time, (int, float)))
        return math.fsum(gaps) / max(1, len(self.entry.get("item") or ()))

    def document(self, item: Row, number: int) -> tuple[str, str]:
        """Returns the document and the segment: of the id of the item, or, without one, the sources of the page.

        Args:
            item: An item of the page.
            number: Its position, from 1 on.
        """
        if "item_id" not in item:
            sources = json.dumps([one.get("src") for one in self.entry["item"]], ensure_ascii=False)
            return sha256(sources.encode()).hexdigest()[:12], str(number)
        name = item["item_id"]
        found = _SEGMENT.fullmatch(str(name))
        document, segment = (found[1], found[2]) if found else (str(name), "")
        others = (one for one in self.entry["item"] if isinstance(one, dict) and one.get("item_id") == name)
        if any(one.get("src") != item["src"] for one in others):  # another segment, not a repeated one
            segment = ".".join(filter(None, (segment, str(number))))
        return document, segment

    def ratings(self, path: str) -> Iterator[PageRating]:
        """Yields the ratings on the page, those that do not count, too.

        Raises:
            DataError: if the page does not have the ratings of all its segments, or their sliders are no numbers.
        """
        items, annotation = self.entry.get("item"), self.entry["annotation"]
        if annotation is None:
            return
        if not isinstance(items, list) or not isinstance(annotation, list) or len(items) != len(annotation):
            found = f"got 'item' {shown(items)} and 'annotation' {shown(annotation)}"
            raise DataError(f"must have the ratings of each of its items, {found}", path, self.line)
        for number, (item, by_model) in enumerate(zip(items, annotation, strict=True), 1):
            if by_model is None or not (isinstance(item, dict) and "src" in item):  # not rated, or a question
                continue
            if not isinstance(by_model, dict) or not isinstance(item.get("tgt"), dict):
                raise DataError(f"must have the ratings of each system, got {shown(by_model)}", path, self.line)
            for model, rating in by_model.items():
                if isinstance(rating, dict):
                    sliders = rating.get("sliders") or {}
                    values = sliders.values() if isinstance(sliders, dict) else [sliders]
                    if not all(value is None or isinstance(value, (int, float)) for value in values):
                        found = f"'sliders' must be an object of numbers, got {shown(sliders)}"
                        raise DataError(found, path, self.line)
                    yield item, number, model, rating, (*self.kinds, *_kinds_of_item(item))


def is_pearmut(row: Mapping[str, Any]) -> bool:
    """Returns whether a row is an entry of a log, or has the entries of campaigns by their names."""
    entries = [one for _, one in _entries(row)]
    named = all(isinstance(one, dict) and {"annotation", "user_id"} <= one.keys() for one in entries)
    return bool(entries) and named and all("item" in one or one["annotation"] == _RESET for one in entries)


def pages(rows: Iterable[tuple[int, Row]], resets: Resets = "user") -> list[Page]:
    """Returns the pages of a log in their order.

    Args:
        rows: The numbered entries; or objects with the entries of each campaign, as Pearmut downloads them.
        resets: Whose earlier pages a reset cancels: those of the same ``user``, or of all users of the ``campaign``.
    """
    found: list[Page] = []
    for line, row in rows:
        for number, (campaign, entry) in enumerate(_entries(row)):
            if entry.get("annotation") != _RESET:
                found.append(Page(line + number, campaign, entry, _kinds(entry)))
                continue
            for index, page in enumerate(found):
                is_same_user = resets == "campaign" or page.entry["user_id"] == entry["user_id"]
                if page.campaign == campaign and is_same_user:
                    found[index] = page._replace(kinds=("reset", *page.kinds))
    return found


def seconds_between(times: Iterable[float]) -> list[float]:
    """Returns the seconds between consecutive times, of which long ones count as `_LONGEST_GAP`."""
    return [min(later - earlier, _LONGEST_GAP) for earlier, later in pairwise(sorted(times))]


def _entries(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for campaign, entries in {"": row}.items() if "annotation" in row else row.items():
        yield from ((campaign, entry) for entry in (entries if isinstance(entries, list) else [entries]))


def _kinds(entry: Row) -> tuple[str, ...]:
    page, items = _PAGE.match(str(entry.get("item_i", ""))), entry["item"]
    if page:
        return (page[1],)
    if isinstance(items, list) and not all(isinstance(item, dict) and "src" in item for item in items):
        return ("form",)
    return ("skipped",) if entry["annotation"] is None else ()


def _kinds_of_item(item: Row) -> tuple[str, ...]:
    name = str(item.get("item_id", ""))
    if "_#_tutorial_#_" in name:
        return ("tutorial",)
    return ("attention-check",) if name.startswith("attention_check_") or item.get("validation") else ()


def scores_in(rating: Row) -> dict[str, Any]:
    """Returns the score, and those of the sliders, whose mean is the score if there is no other."""
    sliders: Mapping[str, Any] = rating.get("sliders") or {}
    given = [value for value in sliders.values() if value is not None]
    score = rating.get("score")
    if score is None and given:
        score = math.fsum(given) / len(given)
    return {"score": score, **sliders}


def _pearmut(rows: Iterable[tuple[int, Row]], path: str) -> Iterator[tuple[int, Row]]:
    for page in pages(rows):
        for item, _, model, rating, kinds in page.ratings(path):
            shared = {**_plain(page.entry), **_plain(item)}
            shared.setdefault("item_id", json.dumps(_plain(item), ensure_ascii=False, sort_keys=True))
            about = {"item_type": next(iter(kinds), "TGT"), "model": model, "tgt": item["tgt"].get(model)}
            given = {name: value for name, value in rating.items() if name != "sliders"}
            yield page.line, {**shared, **about, **given, **scores_in(rating)}


# ---- values ----------------------------------------------------------------------------------------------------------


def by_member(value: list[Any]) -> Any:
    """Returns a list of objects as an object of lists, as of the ratings of several people; spans stay as they are.

    >>> by_member([{"style": 4, "fluency": 5}, {"style": 3}])
    {'style': [4, 3], 'fluency': [5, None]}
    """
    if not all(isinstance(part, dict) and part.keys().isdisjoint(("start", "start_i")) for part in value):
        return value
    members = dict.fromkeys(chain.from_iterable(value))
    return {member: [part.get(member) for part in value] for member in members}


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row without nesting, as `flattened`; the scores in ``metrics`` keep their names, joined by ``_``.

    >>> flat_row({"id": 1, "expert": [{"style": 4}, {"style": 3}], "metrics": {"rouge": {"recall": 40.0}}})
    {'id': 1, 'expert.style': [4, 3], 'rouge_recall': 40.0}
    """
    flat: dict[str, Any] = {}
    if _SCALARS.issuperset(map(type, row.values())):  # nearly always, and much faster
        return {intern(str(name)): value for name, value in row.items()}
    for name, value in row.items():
        if type(value) is list and value and type(value[0]) is dict:
            value = by_member(value)
        is_scores = name == "metrics" and isinstance(value, Mapping)
        flat.update(MetricsDict(value).flatten() if is_scores else flattened({name: value}))
    return {intern(str(name)): value for name, value in flat.items()}  # else each row of a file has separate names


def decoded(cell: Any) -> Any:
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


def text_of(cell: Any) -> str:
    """Returns a cell as CSV has it: lists and objects as JSON, a missing value as an empty text."""
    if isinstance(cell, (dict, list)):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return "" if cell is None else str(cell)
