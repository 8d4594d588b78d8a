"""How cells become numbers or labels: missing values, scales, forms of numbers such as ``8/10``, and categories."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import intern
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, InputError, ListName, how_to_set
from metrics_framework.data.fields import MAX_DIGITS, folded
from metrics_framework.data.texts import SPELLINGS, is_missing, plain_text, shown
from metrics_framework.inputs.tables import delimiter_of

_FAR = 3
"""A value is far from all others if its distance to them is more than this multiple of their range."""


# ---- options ---------------------------------------------------------------------------------------------------------

EXPECTED_SCALE = "a range such as 1-5, or two or more different words, the lowest first, such as Bad,Fair,Good"
_RANGE = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*[-–]\s*([+-]?\d+(?:\.\d+)?)\s*")
_MAX_CATEGORIES = 101
_WORDS_SHOWN = 8


@dataclass(frozen=True)
class Scale:
    """The values that ratings may have.

    Args:
        stated: How the scale is written.
        low: The lowest rating.
        high: The highest rating.
        categories: All possible ratings, the lowest first; empty if those between the ends may have fractions.
        words: The words for the categories; empty if ratings are numbers.

    >>> Scale.of("1-5").categories, Scale.of("Bad, Fair,Good").number_of("fair ")
    ((1.0, 2.0, 3.0, 4.0, 5.0), 2.0)
    """

    stated: str
    low: float
    high: float
    categories: tuple[float, ...] = ()
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, stated: Any) -> Scale:
        """Reads a range such as ``1-5``, or a list of words, the lowest first, or of numbers.

        Raises:
            InputError: if it is none of these.
        """
        if isinstance(stated, Scale):
            return stated
        found = _RANGE.fullmatch(stated) if isinstance(stated, str) else None
        if found and float(found[1]) < float(found[2]):
            low, high = float(found[1]), float(found[2])
            is_counted = low.is_integer() and high.is_integer() and high - low < _MAX_CATEGORIES
            return cls(stated, low, high, tuple(map(float, range(int(low), int(high) + 1))) if is_counted else ())
        listed = stated.split(",") if isinstance(stated, str) else stated
        words = tuple(str(word).strip() for word in listed) if isinstance(listed, Iterable) else ()
        if len(words) < 2 or len({*map(folded, words), ""}) <= len(words):
            raise InputError(f"'scale' must be {EXPECTED_SCALE}, got {shown(stated)}")
        numbers = [number for number in map(plain_number, words) if number is not None]
        if len(numbers) == len(words):
            return cls(",".join(words), min(numbers), max(numbers), tuple(sorted(numbers)))
        return cls(",".join(words), 1.0, len(words), tuple(map(float, range(1, len(words) + 1))), words)

    def number_of(self, word: str) -> float | None:
        """Returns the number of a word; `None` if the scale does not have it."""
        return self._numbers.get(folded(word))

    @property
    def is_range(self) -> bool:
        """Whether it is written as a range."""
        return "," not in self.stated

    def expected(self) -> str:
        """Describes the ratings on the scale."""
        if self.is_range:
            return f"a number from {self.low:g} to {self.high:g}"
        return f"one of {', '.join(self.labels)}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories as text, the lowest first."""
        return self.words or tuple(f"{number:g}" for number in self.categories)

    def label_of(self, text: str) -> str | None:
        """Returns the category that a text is; `None` if the scale does not have it.

        >>> Scale.of("no,yes").label_of("Yes "), Scale.of("1-5").label_of("3.0"), Scale.of("1-5").label_of("6")
        ('yes', '3', None)
        """
        number = self.number_of(text) if self.words else plain_number(text)
        return None if number not in self.categories else self.labels[self.categories.index(number)]

    @cached_property
    def _numbers(self) -> dict[str, float]:
        return {folded(word): number for word, number in zip(self.words, self.categories, strict=False)}

    def has(self, number: float) -> bool:
        """Returns whether a number is on the scale; numbers within a range may have fractions."""
        return self.low <= number <= self.high and (self.is_range or number in self.categories)


def missing_words(words: Any) -> tuple[str, ...]:
    """Returns the words that mean a missing value, separated by commas or in a list.

    >>> missing_words("99, refused"), missing_words([99])
    (('99', 'refused'), ('99',))
    """
    listed = [words] if isinstance(words, str) or not isinstance(words, Iterable) else words
    return tuple(dict.fromkeys(part.strip() for word in listed for part in str(word).split(",")))


@dataclass(frozen=True)
class ValueRules:
    """How the cells of ratings are read.

    Args:
        missing: The words that mean a missing value, besides empty cells, null and NaN; `None` for the usual ones.
        scale: The values that ratings may have; `None` for any numbers.
        offers: The options among ``missing``, ``scale`` and ``labels`` that messages may name.
    """

    missing: tuple[str, ...] | None = None
    scale: Scale | None = None
    offers: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ValueRules:
        """Returns the rules that the arguments of a function state, if it has them.

        Raises:
            InputError: if ratings are to be categories, which the scale does not name.
        """
        scale = given.get("scale")
        if scale is not None and given.get("labels") and not scale.categories:
            raise InputError(f"'scale' must name all categories with 'labels', as in yes,no,unsure; got {scale.stated}")
        offers = tuple(name for name in ("missing", "scale", "labels") if name in given)
        return cls(given.get("missing"), scale, offers)

    def spelling_if_missing(self, cell: Any, *, as_label: bool = False) -> str | None:
        """Returns how a missing value is written in a cell; `None` if the cell has a value.

        Args:
            cell: The cell.
            as_label: Whether it is a label. Without a list of words, ``None`` and ``NA`` are labels.

        >>> USUAL.spelling_if_missing(" na "), USUAL.spelling_if_missing("NA", as_label=True)
        ('na', None)
        """
        if cell is None:
            return "null"
        if isinstance(cell, float) and math.isnan(cell):
            return "NaN"
        if not isinstance(cell, (str, int, float)):
            return None
        text = str(cell).strip()
        words = self._words if self.missing is not None or not as_label else ()
        if not text or text.casefold() in words or (self._numbers and plain_number(cell) in self._numbers):
            return text
        return None

    def label_of(self, cell: Any) -> str | None:
        """Returns the label in a cell; `None` if it is missing.

        >>> USUAL.label_of(" Good "), USUAL.label_of("None"), USUAL.label_of("")
        ('Good', 'None', None)
        """
        if self.spelling_if_missing(cell, as_label=True) is not None:
            return None
        return plain_text(cell)

    def number_of(self, cell: Any, column: str) -> float:
        """Returns the number in a single cell; NaN if it is missing.

        Raises:
            DataError: if it is neither a number nor missing.

        >>> USUAL.number_of("4.5", "fluency"), USUAL.number_of("NA", "fluency")
        (4.5, nan)
        """
        values = NumberColumn(column, [cell], None, self)
        for _, message in values.problems():
            raise DataError(message)
        (number,) = values.values()
        return math.nan if number is None else number

    @cached_property
    def _words(self) -> frozenset[str]:
        return SPELLINGS if self.missing is None else frozenset(word.casefold() for word in self.missing)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        found = map(plain_number, self.missing or ())
        return frozenset(number for number in found if number is not None)


USUAL = ValueRules()
"""How cells are read without options."""


def has_decimal_comma(path: str | None) -> bool:
    """Returns whether numbers of a table may have a decimal comma: not if commas separate its columns."""
    return path is None or isinstance(path, ListName) or delimiter_of(path) != ","


def described(counts: Mapping[str, int]) -> str:
    """Describes counts of missing values.

    >>> described({"": 1, "NA": 2})
    "2 'NA', 1 empty"
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} '{spelling}'" if spelling else f"{count} empty" for spelling, count in ordered)


# ---- numbers ---------------------------------------------------------------------------------------------------------

_SIGNS = str.maketrans({"−": "-", "٫": ".", "／": "/", "％": "%"})
_DECIMAL = r"([+-]?\d+(?:[.,]\d+)?)"


def plain_number(cell: Any) -> float | None:
    """Returns the number in a cell, in the digits of any script; `None` if it has none.

    >>> plain_number(" 4.5 "), plain_number("٤٫٥"), plain_number(True), plain_number("1_000"), plain_number("inf")
    (4.5, 4.5, 1.0, None, None)
    """
    try:
        number = float(cell.translate(_SIGNS) if isinstance(cell, str) and not cell.isascii() else cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not (isinstance(cell, str) and "_" in cell) else None


class _Form(NamedTuple):
    """A form of numbers that all values of a column have.

    Args:
        pattern: Its regular expression; the first group is the number.
        fact: Returns what a value states, and about what; values that state two facts about one thing are an error.
        conflict: The error.
    """

    pattern: re.Pattern[str]
    fact: Callable[[re.Match[str]], tuple[str, str]] = lambda found: ("", "")
    conflict: str = ""


_COMMA = _Form(re.compile(r"([+-]?\d+,\d+(?:[eE][+-]?\d+)?)"))
"""A decimal comma, the only form whose column may also have plain numbers."""
_FORMS = (
    _COMMA,
    _Form(re.compile(_DECIMAL + r"\s*%")),
    _Form(
        re.compile(_DECIMAL + rf"\s*/\s*(\d{{1,{MAX_DIGITS}}})"),
        lambda found: ("", str(int(found[2]))),
        "has values of {} and of {}, as in {}; use one scale",
    ),
    _Form(
        re.compile(_DECIMAL + r"(?:\s+[-–—]\s+|\s*[:=)]\s*|\.\s+)([^\W\d].*)"),
        lambda found: (found[1], folded(found[2])),
        "has two words for one number, '{}' and '{}', as in {}; use one",
    ),
)
"""``4,5``, ``80 %``, ``8/10`` and ``4 - Agree``."""
_POINT_AND_COMMA = re.compile(r"[+-]?\d+(\.\d+)+,\d+|[+-]?\d+(,\d+)+\.\d+")


class NumberColumn:
    """The cells of a column of one table: numbers, and missing values by their spelling.

    Args:
        name: The column, for messages.
        cells: Its cells; `extend` adds others, and `finish` reads these.
        path: The file.
        rules: How cells are read.

    Attributes:
        missing: The counts of missing values by their spelling.
        text: The row and the content of the first cell that is neither a number nor missing; `None` if there is none.
        numbers: The number of cells with a number, with a decimal point or comma.
        cells: The number of cells that are not missing.

    >>> column = NumberColumn("fluency", ["4/5", "NA", "3/5"])
    >>> column.problems(), [*column.values()], column.missing
    ([], [4.0, None, 3.0], Counter({'NA': 1}))
    """

    def __init__(self, name: str, cells: Iterable[Any], path: str | None = None, rules: ValueRules = USUAL) -> None:
        self.missing: Counter[str] = Counter()
        self.text: tuple[int, str] | None = None
        self._name, self._path, self._rules = name, path, rules
        self._words = rules.scale if rules.scale is not None and rules.scale.words else None
        self._spellings: dict[int, str] = {}
        self._texts: dict[str, list[int]] = {}  # with their rows
        self._problems: list[tuple[int, str]] = []
        self._unknown: list[tuple[int, str]] = []  # rows and words that the scale does not have
        self._values = array("d")
        self.extend(cells)
        self.finish()

    def extend(self, cells: Iterable[Any]) -> None:
        """Adds cells."""
        start = len(self._values)
        self._values.extend([self._number_in(row, cell) for row, cell in enumerate(cells, start)])

    def finish(self) -> None:
        """Reads the column once all cells are known."""
        self.cells = len(self._values) - len(self._spellings)
        self.numbers = self.cells
        for text, rows in self._texts.items():
            self.numbers -= len(rows) if plain_number(text.replace(",", ".")) is None else 0
        if self._texts:
            self._read_texts(has_decimal_comma(self._path))

    def _number_in(self, row: int, cell: Any) -> float:
        """Returns the number in a cell, NaN without one; records missing values and texts."""
        number = None if self._words else plain_number(cell)
        if number is not None and self._rules.missing is None:
            return number
        spelling = self._rules.spelling_if_missing(cell)
        if spelling is not None:
            self.missing[spelling] += 1
            self._spellings[row] = intern(spelling)
        elif self._words is not None:
            number = self._words.number_of(str(cell))
            if number is None:
                self._unknown.append((row, str(cell).strip()))
        elif number is None:
            self._texts.setdefault(cell.strip() if isinstance(cell, str) else shown(cell), []).append(row)
        return math.nan if number is None or spelling is not None else number

    def _read_texts(self, has_comma: bool) -> None:
        """Reads the numbers in texts of one form; of several forms, the first text without the form is recorded."""
        forms: Sequence[_Form] = _FORMS if has_comma else _FORMS[1:]
        first_number = next((row for row, number in enumerate(self._values) if number == number), math.inf)
        texts = {text: text.translate(_SIGNS) for text in self._texts}
        for text, plain in texts.items():
            row = self._texts[text][0]
            matches = ((form, form.pattern.fullmatch(plain)) for form in forms if row < first_number or form is _COMMA)
            forms = [form for form, found in matches if found and (has_comma or "," not in found[1])]
            if not forms:
                self.text = row, text
                return
        if first_number < math.inf and forms[0] is not _COMMA:
            self.text = next((rows[0], text) for text, rows in self._texts.items())
            return
        stated: dict[str, tuple[str, str]] = {}
        for text, plain in texts.items():
            found = forms[0].pattern.fullmatch(plain)
            assert found is not None  # the form is that of all texts
            for row in self._texts[text]:
                self._values[row] = float(found[1].replace(",", "."))
            key, fact = forms[0].fact(found)
            known, first = stated.setdefault(key, (fact, plain))
            if known != fact and not self._problems:
                message = forms[0].conflict.format(known, fact, f"'{first}' and '{plain}'")
                self._problems.append((self._texts[text][0], f"'{self._name}' {message}"))

    def number(self, row: int) -> float | None:
        """Returns the number in a row; `None` if it is missing."""
        number = self._values[row]
        return None if number != number else number

    def values(self) -> Iterator[float | None]:
        """Yields the numbers in all rows; `None` if they are missing."""
        return map(self.number, range(len(self._values)))

    def spelling(self, row: int) -> str | None:
        """Returns how the missing value in a row is written; `None` for a number."""
        return self._spellings.get(row)

    def problems(self) -> list[tuple[int, str]]:
        """Returns the rows of invalid values, each with a message."""
        scale = self._rules.scale
        if self.text is not None:
            return [(self.text[0], self._not_a_number(self.text[1]))]
        if scale is None:
            return self._problems
        numbers = ((row, value) for row, value in enumerate(self._values) if value == value and not scale.has(value))
        outside = self._unknown or [(row, f"{value:g}") for row, value in numbers]
        messages = (not_on_scale(scale, self._name, got, self._path, self.missing) for _, got in outside)
        return [*self._problems, *((row, message) for (row, _), message in zip(outside, messages, strict=True))]

    def warnings(self) -> list[str]:
        """Returns a warning of a number that is far from all others, unless a scale is stated."""
        if self.text is not None or self._rules.scale is not None:
            return []
        counts = Counter(number for number in self._values if number == number)
        return list(filter(None, [far_value(counts, self._name, self._path, self.missing)]))

    def _not_a_number(self, text: str) -> str:
        message = f"'{self._name}' must be a finite number, got {shown(text)}"
        if plain_number(text.replace(",", ".")) is not None:
            return f"{message}; write a decimal point, or separate the columns with ';' instead of ','"
        if _POINT_AND_COMMA.fullmatch(text):
            return f"{message}; write it without separators of thousands, and with a decimal point"
        words = f" with {', '.join(self._texts)}" if 1 < len(self._texts) <= _WORDS_SHOWN else ""
        offers = {
            "labels": f"for categories, use {how_to_set(self._path, 'labels')}",
            "scale": f"for words in an order, use {how_to_set(self._path, 'scale', 'LOWEST,…,HIGHEST')}{words}",
            "missing": _how_to_leave_out(text, self._path, self.missing),
        }
        likely = offers if self.numbers else ("labels", "scale")
        offered = [advice for name, advice in offers.items() if name in self._rules.offers and name in likely]
        return "; ".join([message, *(offered or ["a missing number is empty or NA"])])


def not_on_scale(scale: Scale, name: str, got: str, path: str | None, missing: Iterable[str]) -> str:
    """Returns the message about a value of a column that a scale does not have, besides the missing values."""
    is_code = scale.words and plain_number(got) is not None
    codes = f"for numbers, use {how_to_set(path, 'scale', 'LOW-HIGH')}; " if is_code else ""
    return f"'{name}' must be {scale.expected()}, got '{got}'; {codes}{_how_to_leave_out(got, path, missing)}"


def far_value(counts: Mapping[float, int], name: str, path: str | None, missing: Iterable[str] = ()) -> str:
    """Returns a warning of a largest or smallest value that is far from all others, such as a code for no answer.

    Args:
        counts: How often each number occurs.
        name: The column.
        path: The file.
        missing: The counts of missing values by their spelling.

    >>> far_value({1: 3, 5: 2, 99: 5}, "fluency", "x.csv")
    'fluency: 99 occurs 5 times, all others are from 1 to 5; if it means missing, use --missing 99'
    """
    values = sorted(counts)
    for far, near, others in ((values[-1:], values[-2:-1], values[:-1]), (values[:1], values[1:2], values[1:])):
        if len(others) > 1 and abs(far[0] - near[0]) > _FAR * (others[-1] - others[0]):
            times = "once" if counts[far[0]] == 1 else f"{counts[far[0]]} times"
            return (
                f"{name}: {far[0]:g} occurs {times}, all others are from {others[0]:g} to {others[-1]:g}; "
                f"{_how_to_leave_out(f'{far[0]:g}', path, missing)}"
            )
    return ""


def _how_to_leave_out(text: str, path: str | None, missing: Iterable[str]) -> str:
    """Returns how to read a text as a missing value, besides those that are read so now."""
    words = ",".join(dict.fromkeys([*filter(None, missing), text]))
    return f"if it means missing, use {how_to_set(path, 'missing', words)}"


# ---- labels ----------------------------------------------------------------------------------------------------------


def one_label(counts: Mapping[str, int]) -> tuple[dict[str, str], list[str]]:
    """Combines labels that differ in case and spaces only.

    Args:
        counts: How often each label occurs.

    Returns:
        Label to the commonest of its spellings, and notes about labels with several.

    >>> one_label({"good": 1, "Good": 3, "bad": 2})
    ({'good': 'Good', 'Good': 'Good', 'bad': 'bad'}, ["'Good' (3), 'good' (1) differ in case only and are one label"])
    """
    groups: dict[str, list[str]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        groups.setdefault(folded(label), []).append(label)
    listed = [[f"'{label}' ({counts[label]})" for label in group] for group in groups.values() if len(group) > 1]
    notes = [f"{', '.join(names)} differ in case only and are one label" for names in listed]
    return {label: groups[folded(label)][0] for label in counts}, notes


def labels_like_missing(counts: Mapping[str, int], path: str | None) -> Iterator[str]:
    """Yields a warning for each label that is written like a missing number.

    >>> [*labels_like_missing({"None": 18, "Omission": 3}, "x.csv")]
    ["18 labels are 'None'; to leave them out: --missing None"]
    """
    for label, count in counts.items():
        if is_missing(label):
            what = "1 label is" if count == 1 else f"{count} labels are"
            yield f"{what} '{label}'; to leave them out: {how_to_set(path, 'missing', label)}"
