"""`Vote`: one row of a table of votes; the words for its winner; wins, ties and losses of systems."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metrics_framework.common.errors import DataError, InputError, Problems, closest
from metrics_framework.data.fields import column_of, parse_id
from metrics_framework.data.texts import as_string, check_text, is_missing, shown
from metrics_framework.inputs.tables import header_line, is_table, read_table
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.significance.proportions import Proportion, wilson

SIDES = {
    "a": "a",
    "model_a": "a",
    "system_a": "a",
    "b": "b",
    "model_b": "b",
    "system_b": "b",
    "tie": "tie",
    "tie (bothbad)": "tie",
}
"""The words for the winner, and the side that they mean."""
OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5}
"""What the first system of a vote scores."""


class Vote(NamedTuple):
    """A vote between the outputs of two systems for one input.

    Attributes:
        first: The system whose output was shown first.
        second: The system whose output was shown second.
        winner: ``a`` (the first), ``b`` (the second) or ``tie``.
        input: The input; `None` if the table does not name inputs.
        rater: The person or judge; `None` if the table does not name raters.
        values: Further columns.
    """

    first: str
    second: str
    winner: str
    input: str | None = None
    rater: str | None = None
    values: Mapping[str, Any] = {}

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems, sorted."""
        return (self.first, self.second) if self.first < self.second else (self.second, self.first)

    @property
    def verdict(self) -> str:
        """The name of the winning system, or an empty string for a tie."""
        return {"a": self.first, "b": self.second, "tie": ""}[self.winner]


def side_of(word: Any, first: str, second: str) -> str:
    """Returns the side that a word for the winner means: ``a``, ``b`` or ``tie``.

    Args:
        word: A key of `SIDES` in any case, or the name of a system.
        first: The system whose output was shown first.
        second: The system whose output was shown second.

    Raises:
        DataError: if the word is neither, or may mean either system.

    >>> side_of("model_b", "x", "y"), side_of("x", "x", "y"), side_of("Tie", "x", "y")
    ('b', 'a', 'tie')
    """
    text = str(word).strip()
    by_name = {first: "a", second: "b"}.get(text)
    side = SIDES.get(text.lower())
    if by_name is None and side is None:
        raise DataError(f"the winner must be 'a', 'b', 'tie' or the name of one of both systems, got {shown(word)}")
    if by_name is not None and side is not None and by_name != side:
        raise DataError(
            f"the winner '{text}' may be the system of that name, or the other side: write model_a or model_b"
        )
    return by_name or side or "tie"


@dataclass
class Record:
    """What a system won.

    Args:
        wins: The number of votes that it won.
        ties: The number of ties.
        losses: The number of votes that it lost.
    """

    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def votes(self) -> int:
        """The number of votes."""
        return self.wins + self.ties + self.losses

    def add(self, outcome: float) -> None:
        """Adds a vote: 1 for a win, ½ for a tie, 0 for a loss."""
        self.wins += outcome == 1
        self.ties += outcome == 0.5
        self.losses += outcome == 0

    def win_rate(self, confidence: float = 95) -> Proportion:
        """Returns the share of votes won, with ties as half a win, and Wilson's interval.

        >>> Record(wins=1, ties=2, losses=1).win_rate().value
        0.5
        """
        return wilson(self.wins + self.ties / 2, self.votes, confidence)


def records(votes: Iterable[Vote]) -> tuple[dict[str, Record], dict[tuple[str, str], Record]]:
    """Counts the votes of each system, and those between each pair of systems, from the side of the first one."""
    of_systems: dict[str, Record] = defaultdict(Record)
    of_pairs: dict[tuple[str, str], Record] = defaultdict(Record)
    for vote in votes:
        outcome = OUTCOMES[vote.winner]
        of_systems[vote.first].add(outcome)
        of_systems[vote.second].add(1 - outcome)
        of_pairs[vote.pair].add(outcome if vote.pair[0] == vote.first else 1 - outcome)
    return dict(sorted(of_systems.items())), dict(sorted(of_pairs.items()))


INPUT_COLUMNS = ("input", "instance_id", "input_id", "question_id", "prompt_id", "sent_id", "item_id")
FIRST_COLUMNS = ("system_a", "model_a", "summarizer_a")
SECOND_COLUMNS = ("system_b", "model_b", "summarizer_b")
WINNER_COLUMNS = ("winner", "preference", "verdict", "vote")
RATER_COLUMNS = ("rater", "rater_id", "annotator", "judge")
ITEM_PREFIX = "item_"
LENGTH, TEXTS = "length", ("output", "response", "summary", "text")
"""The covariate that is counted in words where a table has texts, in columns such as ``output_a`` and ``output_b``."""

NumberedRows: TypeAlias = Iterable[tuple[int, Mapping[str, Any]]]


@dataclass(frozen=True)
class RowsInMemory:
    """Rows that are read like those of a file.

    Args:
        name: How messages name them.
        rows: The rows.
    """

    name: str
    rows: Sequence[Mapping[str, Any]]


@dataclass
class VoteTables:
    """What the tables contain.

    Args:
        votes: The votes, in the order of the tables.
        choices: The choices of a best and a worst item.
        left_out: The number of rows that are left out, by the reason.
    """

    votes: list[Vote] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def read_vote_tables(
    sources: Sequence[str | RowsInMemory], numbers: Sequence[str] = (), labels: Sequence[str] = ()
) -> VoteTables:
    """Reads votes; columns are recognized by name.

    A row without a winner, or without a value that is needed, is left out and counted. A table with the columns
    ``best`` and ``worst`` contains choices instead: its items are in a list ``items``, or in columns ``item_1``, ….

    Args:
        sources: Tables ending in ``.csv`` or ``.tsv``, else JSON lines; or rows in memory.
        numbers: The covariates: columns ``NAME_a`` and ``NAME_b``, or a column ``NAME`` with their difference.
        labels: Further columns to read, such as clusters and subsets.

    Raises:
        DataError: if a file cannot be read or a row is invalid; all problems are reported together.
    """
    tables, problems = VoteTables(), Problems()
    for source in sources:
        path = source if isinstance(source, str) else source.name
        before = len(problems), len(tables.votes) + len(tables.choices) + tables.left_out.total()
        try:
            _read(_numbered(source, problems), path, tables, (numbers, labels), problems)
        except DataError as problem:
            problems.add(problem)
        if before == (len(problems), len(tables.votes) + len(tables.choices) + tables.left_out.total()):
            problems.add(DataError("contains no votes", path))
    problems.raise_any()
    return tables


def _numbered(source: str | RowsInMemory, problems: Problems) -> NumberedRows:
    if not isinstance(source, str):
        return enumerate(source.rows, 1)
    return read_table(source, problems) if is_table(source) else read_jsonl(source, problems)


def _read(
    rows: NumberedRows,
    path: str,
    tables: VoteTables,
    wanted: tuple[Sequence[str], Sequence[str]],
    problems: Problems,
) -> None:
    columns: _Columns | None = None
    for line, row in rows:
        if not any(not _is_empty(cell) for cell in row.values()):
            continue
        if columns is None or columns.keys != row.keys():
            columns = _Columns.of(row, path, line, wanted)
        try:
            if columns.is_choice:
                tables.choices.append(columns.choice(row))
            else:
                tables.votes.append(columns.vote(row))
        except _LeftOutError as reason:
            tables.left_out[str(reason)] += 1
        except DataError as problem:
            problems.add(DataError(problem.message, path, line))
        except InputError as problem:
            problems.add(DataError(str(problem), path, line))


class _LeftOutError(Exception):
    """A row is left out."""


@dataclass(frozen=True)
class _Columns:
    """The columns of a table, by their meaning."""

    keys: frozenset[str]
    input: str | None
    rater: str | None
    first: str = ""
    second: str = ""
    winner: str = ""
    numbers: Sequence[tuple[str, Sequence[str]]] = ()
    labels: Sequence[str] = ()

    @property
    def is_choice(self) -> bool:
        return not self.winner

    @classmethod
    def of(cls, row: Mapping[str, Any], path: str, line: int, wanted: tuple[Sequence[str], Sequence[str]]) -> _Columns:
        keys = frozenset(row)
        where = path, header_line(path) if is_table(path) else line
        optional = _column(keys, INPUT_COLUMNS, where), _column(keys, RATER_COLUMNS, where)
        if {"best", "worst"} <= keys:
            return cls(keys, *optional)
        first = _required(row, FIRST_COLUMNS, "the first system", where)
        second = _required(row, SECOND_COLUMNS, "the second system", where)
        winner = _required(row, WINNER_COLUMNS, "the winner", where)
        numbers = [(name, _number_columns(row, name, where)) for name in wanted[0]]
        labels = [_required(row, (name,), f"'{name}'", where) for name in wanted[1]]
        return cls(keys, *optional, first, second, winner, numbers, labels)

    def vote(self, row: Mapping[str, Any]) -> Vote:
        if _is_empty(row[self.winner]):
            raise _LeftOutError("without a winner")
        first, second = (parse_id(row[column], column) for column in (self.first, self.second))
        if first == second:
            raise DataError(f"a vote must be between two systems, got '{first}' twice")
        winner = side_of(row[self.winner], first, second)
        values: dict[str, Any] = {}
        for name, columns in self.numbers:
            cells = [row[column] for column in columns]
            is_text = len(cells) == 2 and columns[0] != f"{name}_a"
            values[name] = _difference(name, [_words(cell) for cell in cells] if is_text else cells)
        for name in self.labels:
            if _is_empty(row[name]):
                raise _LeftOutError(f"without '{name}'")
            values[name] = str(row[name])
        return Vote(first, second, winner, self._name(row, self.input), self._name(row, self.rater), values)

    def choice(self, row: Mapping[str, Any]) -> Choice:
        items = _items(row)
        if _is_empty(row["best"]) or _is_empty(row["worst"]):
            raise _LeftOutError("without a best or worst item")
        best, worst = str(row["best"]).strip(), str(row["worst"]).strip()
        for name, value in (("best", best), ("worst", worst)):
            if value not in items:
                raise DataError(f"'{name}' must be one of the items {', '.join(items)}, got '{value}'")
        if best == worst:
            raise DataError(f"'best' and 'worst' must be two items, got '{best}' twice")
        return Choice(items, best, worst, self._name(row, self.input), self._name(row, self.rater))

    @staticmethod
    def _name(row: Mapping[str, Any], column: str | None) -> str | None:
        return None if column is None or _is_empty(row[column]) else str(row[column])


def _column(keys: Collection[str], names: Sequence[str], where: tuple[str, int | None]) -> str | None:
    try:
        return column_of(keys, names)
    except DataError as problem:
        raise DataError(problem.message, *where) from None


def _required(row: Mapping[str, Any], names: Sequence[str], meaning: str, where: tuple[str, int | None]) -> str:
    column = _column(row.keys(), names, where)
    if column is not None:
        return column
    expected = "" if len(names) == 1 else f" (one of {', '.join(names)})"
    close = closest(names[0], list(row))
    advice = f"; did you mean '{close}'?" if close else ""
    raise DataError(f"has no column for {meaning}{expected}; its columns are {', '.join(row)}{advice}", *where)


def _number_columns(row: Mapping[str, Any], name: str, where: tuple[str, int | None]) -> Sequence[str]:
    sides = (f"{name}_a", f"{name}_b")
    if all(side in row for side in sides):
        return sides
    if name in row:
        return (name,)
    texts = _column([text for text in TEXTS if {f"{text}_a", f"{text}_b"} <= row.keys()], TEXTS, where)
    if name == LENGTH and texts is not None:
        return (f"{texts}_a", f"{texts}_b")
    raise DataError(
        f"has no columns '{sides[0]}' and '{sides[1]}', nor a column '{name}' with their difference, for the "
        f"covariate '{name}'; its columns are {', '.join(row)}",
        *where,
    )


def _difference(name: str, cells: Sequence[Any]) -> float:
    """Returns (a − b)/(a + b) of two numbers, 0 if both are 0; or the number that is given."""
    if any(map(_is_empty, cells)):
        raise _LeftOutError(f"without '{name}'")
    numbers = [_number(name, cell) for cell in cells]
    if len(numbers) == 1:
        return numbers[0]
    if min(numbers) < 0:
        raise DataError(
            f"'{name}' must not be negative, got {min(numbers):g}; give the difference in a column '{name}'"
        )
    total = numbers[0] + numbers[1]
    return (numbers[0] - numbers[1]) / total if total else 0.0


def _words(cell: Any) -> int:
    check_text(cell, "output")
    return len(as_string(cell).split())


def _number(name: str, cell: Any) -> float:
    try:
        number = math.nan if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"'{name}' must be a number, got {shown(cell)}")
    return number


def _items(row: Mapping[str, Any]) -> tuple[str, ...]:
    cells: Any = row.get("items")
    if isinstance(cells, str) and cells.lstrip().startswith("["):
        try:
            cells = json.loads(cells)
        except ValueError:
            raise DataError(f"'items' must be a list, got {shown(cells)}") from None
    if cells is None:
        cells = [value for name, value in row.items() if name.startswith(ITEM_PREFIX) and name not in INPUT_COLUMNS]
        cells = [cell for cell in cells if not _is_empty(cell)]
    if not isinstance(cells, (list, tuple)):
        raise DataError(f"'items' must be a list, or in columns {ITEM_PREFIX}1, {ITEM_PREFIX}2, …, got {shown(cells)}")
    items = tuple(str(cell).strip() for cell in cells)
    if len(set(items)) < max(2, len(items)):
        raise DataError(f"a choice needs two or more different items, got {', '.join(items) or 'none'}")
    return items


def _is_empty(cell: Any) -> bool:
    return cell is None or cell != cell or (isinstance(cell, str) and is_missing(cell))


class Choice(NamedTuple):
    """One annotation of a tuple of items.

    Attributes:
        items: The items.
        best: The best item.
        worst: The worst item.
        input: What the tuple belongs to; `None` if nothing is named.
        rater: The person or judge; `None` if nobody is named.
    """

    items: tuple[str, ...]
    best: str
    worst: str
    input: str | None = None
    rater: str | None = None


class BestWorst(NamedTuple):
    """How often an item was chosen.

    Attributes:
        appearances: The number of annotations with the item.
        best: The number in which it is the best.
        worst: The number in which it is the worst.
    """

    appearances: int = 0
    best: int = 0
    worst: int = 0

    @property
    def score(self) -> float:
        """(best − worst) / appearances, from −1 to 1."""
        return (self.best - self.worst) / self.appearances


@dataclass(frozen=True)
class SplitHalfReliability:
    """The mean correlation between the scores of two random halves of the annotations.

    Args:
        pearson: The mean of Pearson's r; NaN if undefined in every split.
        spearman: The mean of Spearman's ρ.
        splits: The number of splits in which they are defined.
    """

    pearson: float
    spearman: float
    splits: int

    @property
    def of_all(self) -> float:
        """Pearson's r for all annotations, twice as many as in a half: 2r/(1+r) (Spearman–Brown)."""
        return 2 * self.pearson / (1 + self.pearson) if self.pearson > -1 else math.nan


def best_worst(choices: Iterable[Choice]) -> dict[str, BestWorst]:
    """Counts how often each item appears, is the best and is the worst.

    Source: Kiritchenko and Mohammad, "Best-Worst Scaling More Reliable than Rating Scales" (ACL 2017).

    >>> counts = best_worst([Choice(("x", "y", "z"), "x", "z"), Choice(("x", "y", "w"), "x", "y")])
    >>> {item: found.score for item, found in counts.items()}
    {'x': 1.0, 'y': -0.5, 'z': -1.0, 'w': 0.0}
    """
    counts: dict[str, BestWorst] = defaultdict(BestWorst)
    for choice in choices:
        for item in choice.items:
            found = counts[item]
            is_best, is_worst = item == choice.best, item == choice.worst
            counts[item] = BestWorst(found.appearances + 1, found.best + is_best, found.worst + is_worst)
    return dict(counts)


def votes_of(choices: Sequence[Choice]) -> tuple[list[Vote], list[str]]:
    """Turns choices into votes: the best item wins against all others, and all others win against the worst.

    Returns:
        The votes, and the cluster of each: its input, or else its choice.
    """
    votes, clusters = [], []
    for index, choice in enumerate(choices):
        others = [item for item in choice.items if item not in (choice.best, choice.worst)]
        pairs = [(choice.best, item) for item in [*others, choice.worst]] + [(item, choice.worst) for item in others]
        votes += [Vote(first, second, "a", choice.input, choice.rater) for first, second in pairs]
        clusters += [f"choice {index}" if choice.input is None else f"input {choice.input}"] * len(pairs)
    return votes, clusters


def split_half(choices: Sequence[Choice], splits: int = 100, seed: int = 0) -> SplitHalfReliability:
    """Computes the reliability of best–worst scores.

    The annotations of each tuple are split at random into halves; items without a score in one half are left out.

    Args:
        choices: The annotations.
        splits: The number of random splits.
        seed: The seed.

    Raises:
        InputError: if the number of splits is not positive.
    """
    if splits < 1:
        raise InputError(f"'splits' must be 1 or more, got {splits}")
    by_tuple: dict[tuple[str | None, tuple[str, ...]], list[Choice]] = defaultdict(list)
    for choice in sorted(choices, key=lambda choice: (str(choice.input), *map(str, choice[:3]), str(choice.rater))):
        by_tuple[choice.input, tuple(sorted(choice.items))].append(choice)
    random = np.random.default_rng(seed)
    found = [_correlations(*_halves(list(by_tuple.values()), random)) for _ in range(splits)]
    defined = [pair for pair in found if pair[0] == pair[0] and pair[1] == pair[1]]
    if not defined:
        return SplitHalfReliability(math.nan, math.nan, 0)
    pearson, spearman = (math.fsum(column) / len(defined) for column in zip(*defined, strict=True))
    return SplitHalfReliability(pearson, spearman, len(defined))


def _halves(tuples: Sequence[Sequence[Choice]], random: np.random.Generator) -> tuple[list[Choice], list[Choice]]:
    """Splits the annotations of each tuple; an odd one goes to the smaller half."""
    halves: tuple[list[Choice], list[Choice]] = [], []
    for index in random.permutation(len(tuples)):
        found = tuples[int(index)]
        start = 0 if len(halves[0]) < len(halves[1]) else 1 if len(halves[1]) < len(halves[0]) else random.integers(2)
        for place, number in enumerate(random.permutation(len(found))):
            halves[(int(start) + place) % 2].append(found[int(number)])
    return halves


def _correlations(one: Sequence[Choice], other: Sequence[Choice]) -> tuple[float, float]:
    from scipy.stats import rankdata

    first, second = best_worst(one), best_worst(other)
    items = [item for item in first if item in second]
    x, y = (np.array([counts[item].score for item in items]) for counts in (first, second))
    if len(items) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan, math.nan
    return float(np.corrcoef(x, y)[0, 1]), float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])
