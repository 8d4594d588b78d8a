"""Logs of Pearmut: the pages that people rated, with what does not count as a rating of an output."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from metrics_framework.common.errors import DataError
from metrics_framework.data.texts import shown

Row: TypeAlias = "dict[str, Any]"
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


class PageRating(NamedTuple):
    """The rating of an output on a page.

    Args:
        page: The page.
        item: The segment, with its ``src``, ``tgt`` and ``item_id``.
        number: The position of the segment on the page, from 1 on.
        model: The system.
        rating: Its ``score``, or ``sliders``, and ``error_spans``.
        kinds: Why it does not count; empty if it does.
    """

    page: Page
    item: Row
    number: int
    model: str
    rating: Row
    kinds: tuple[str, ...]

    def document(self) -> tuple[str, str]:
        """Returns the document and the segment: of the id of the item, or, without one, the sources of the page."""
        if "item_id" not in self.item:
            sources = json.dumps([item.get("src") for item in self.page.entry["item"]], ensure_ascii=False)
            return sha256(sources.encode()).hexdigest()[:12], str(self.number)
        name = self.item["item_id"]
        found = _SEGMENT.fullmatch(str(name))
        document, segment = (found[1], found[2]) if found else (str(name), "")
        others = (one for one in self.page.entry["item"] if isinstance(one, dict) and one.get("item_id") == name)
        if any(one.get("src") != self.item["src"] for one in others):  # another segment, not a repeated one
            segment = ".".join(filter(None, (segment, str(self.number))))
        return document, segment

    def scores(self) -> dict[str, Any]:
        """Returns the score, and those of the sliders, whose mean is the score if there is no other."""
        sliders: Mapping[str, Any] = self.rating.get("sliders") or {}
        given = [value for value in sliders.values() if value is not None]
        score = self.rating.get("score")
        if score is None and given:
            score = math.fsum(given) / len(given)
        return {"score": score, **sliders}


def is_pearmut(row: Mapping[str, Any]) -> bool:
    """Returns whether a row is an entry of a log, or has the entries of campaigns by their names."""
    entries = [entry for _, entry in _entries(row)]
    return bool(entries) and all(map(_is_entry, entries))


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


def ratings_of(page: Page, path: str) -> Iterator[PageRating]:
    """Yields the ratings on a page, those that do not count, too.

    Raises:
        DataError: if the page does not have the ratings of all its segments, or their sliders are no numbers.
    """
    items, annotation = page.entry.get("item"), page.entry["annotation"]
    if annotation is None:
        return
    if not isinstance(items, list) or not isinstance(annotation, list) or len(items) != len(annotation):
        found = f"got 'item' {shown(items)} and 'annotation' {shown(annotation)}"
        raise DataError(f"must have the ratings of each of its items, {found}", path, page.line)
    for number, (item, by_model) in enumerate(zip(items, annotation, strict=True), 1):
        if by_model is None or not (isinstance(item, dict) and "src" in item):  # not rated, or a question
            continue
        if not isinstance(by_model, dict) or not isinstance(item.get("tgt"), dict):
            raise DataError(f"must have the ratings of each system, got {shown(by_model)}", path, page.line)
        for model, rating in by_model.items():
            if isinstance(rating, dict):
                sliders = rating.get("sliders") or {}
                values = sliders.values() if isinstance(sliders, dict) else [sliders]
                if not all(value is None or isinstance(value, (int, float)) for value in values):
                    raise DataError(f"'sliders' must be an object of numbers, got {shown(sliders)}", path, page.line)
                yield PageRating(page, item, number, model, rating, (*page.kinds, *_kinds_of_item(item)))


def seconds_between(times: Iterable[float]) -> list[float]:
    """Returns the seconds between consecutive times, of which long ones count as `_LONGEST_GAP`."""
    return [min(later - earlier, _LONGEST_GAP) for earlier, later in pairwise(sorted(times))]


def _is_entry(row: Any) -> bool:
    if not isinstance(row, dict) or not {"annotation", "user_id"} <= row.keys():
        return False
    return "item" in row or row["annotation"] == _RESET


def _entries(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if "annotation" in row:
        yield "", row
        return
    for campaign, entries in row.items():
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
