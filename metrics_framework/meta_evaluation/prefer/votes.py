"""`Vote`: one row of a table of votes; the words for its winner; wins, ties and losses of systems."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metrics_framework.common.errors import DataError, InputError, Problems, how_to_keep_one, how_to_set
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import Duplicates, folded, parse_id
from metrics_framework.data.texts import as_string, check_text, shown
from metrics_framework.inputs.exports import decoded
from metrics_framework.inputs.keys import LongRow, constant_columns
from metrics_framework.inputs.rating_rows import FoundRows, RatingRows, RatingRules, Source
from metrics_framework.inputs.ratings import LongTables
from metrics_framework.inputs.roles import (
    PREFERRED,
    Columns,
    advised,
    column_key,
    column_named,
    find_columns,
    listed,
    no_column,
    roles_of_name,
)
from metrics_framework.inputs.row_view import JOINED_BY, flattened
from metrics_framework.inputs.tables import header_line, read_rows
from metrics_framework.inputs.values import USUAL, plain_number
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.proportions import EffectiveTrials

OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5}
"""What the first system of a vote scores."""
SIDES = "a, b or tie; left or right; first or second; 1, 2 or 0; model_a or model_b; A>B or A=B"
"""Words for the winner, for messages."""
_NOUN = r"(?:(?:answer|assistant|generator|model|option|output|response|summarizer|system)[ _.-]?)?"
_A = re.compile(rf"{_NOUN}[a1]|left|first")
_B = re.compile(rf"{_NOUN}[b2]|right|second")
_TIE = re.compile(r"tie|draw|equal|0|c|neither|both.*|tie *\(.*\)")
_COMPARISON = re.compile(r"([ab]) *(>>?|<<?|=) *([ab])")
_NO_SIDE = re.compile(r"true|false|yes|no")
_ONE_OF_THREE = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
_LONGEST_NAME = 6
"""The number of words from which the name of a winner is the text of an output."""
_HOW_TO_WRITE = "which system won; write its name, A or B, or left or right, and tie for a tie"


class Vote(NamedTuple):
    """A vote between the outputs of two systems for one input.

    Attributes:
        first: The system whose output was shown first.
        second: The system whose output was shown second.
        winner: ``a`` (the first), ``b`` (the second) or ``tie``.
        input: The input; `None` if the table does not name inputs.
        rater: The person or judge; `None` if the table does not name raters.
        values: Further columns.
        share: What the first system gets of a soft vote, between 0 and 1; the winner is the side that gets more.
    """

    first: str
    second: str
    winner: str
    input: str | None = None
    rater: str | None = None
    values: Mapping[str, Any] = {}
    share: float | None = None

    @property
    def outcome(self) -> float:
        """What the first system scores, from 0 to 1."""
        return OUTCOMES[self.winner] if self.share is None else self.share

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems, sorted."""
        return (self.first, self.second) if self.first < self.second else (self.second, self.first)

    @property
    def verdict(self) -> str:
        """The name of the winning system, or an empty string for a tie."""
        return {"a": self.first, "b": self.second, "tie": ""}[self.winner]

    def turned(self) -> Vote:
        """Returns the vote with the outputs in the other order."""
        winner, share = {"a": "b", "b": "a", "tie": "tie"}[self.winner], None if self.share is None else 1 - self.share
        return self._replace(first=self.second, second=self.first, winner=winner, share=share)


class UnclearWinnerError(DataError):
    """The words or numbers for winners do not say which system won."""


Numbers: TypeAlias = dict[float, tuple[str, int]]
"""Each number for a winner, with its first path and line."""


@lru_cache(1024)
def side_of_word(word: str) -> str | None:
    """Returns the side that a word means, ``a``, ``b`` or ``tie``; `None` for other words.

    >>> [side_of_word(word) for word in ("Model B", "[[C]]", "both_bad", "B>>A", "A=B", "2", "x")]
    ['b', 'tie', 'tie', 'b', 'tie', 'b', None]
    """
    text = " ".join(word.split()).casefold()
    text = text[2:-2].strip() if text.startswith("[[") and text.endswith("]]") else text
    for side, pattern in (("a", _A), ("b", _B), ("tie", _TIE)):
        if pattern.fullmatch(text):
            return side
    found = _COMPARISON.fullmatch(text)
    if found is None or (found[1] == found[3]):
        return None
    return "tie" if found[2] == "=" else found[1 if found[2][0] == ">" else 3]


@lru_cache(1024)
def side_of_name(text: str, first: str, second: str) -> str | None:
    """Returns the side of the system that a text names, ``a`` or ``b``, also in another case; `None` for other texts.

    >>> [side_of_name(text, "lark", "wren") for text in ("wren", "Lark", "x")], side_of_name("A", "a", "A")
    (['b', 'a', None], 'b')
    """
    for name in (str, folded):
        sides = {name(first): "a", name(second): "b"}
        if name(text) in sides and len(sides) == 2:
            return sides[name(text)]
    return None


def winner_of(word: Any, first: str, second: str, hint: str = "") -> tuple[str, float | None]:
    """Returns the side that a word for the winner means, and what the first system gets of a soft vote.

    Args:
        word: A word for a side or a tie, the name of a system, or a number from 1, the first system, to 2, the second.
        first: The system whose output was shown first.
        second: The system whose output was shown second.
        hint: The end of the message about an unknown word.

    Raises:
        DataError: if it is none of these, or may mean either system.

    >>> winner_of("model_b", "x", "y"), winner_of("x", "x", "y"), winner_of(1.75, "x", "y")
    (('b', None), ('a', None), ('b', 0.25))
    """
    text = str(word).strip()
    by_name = side_of_name(text, first, second)
    number = None if isinstance(word, bool) else plain_number(word)
    share = None
    if number is not None and 1 < number < 2 and number != 1.5:
        share = 2 - number
        side: str | None = "a" if share > 0.5 else "b"
    else:
        side = side_of_word(text) if number is None else _SIDES_OF_NUMBERS.get(number)
    if by_name is None and side is None:
        if _NO_SIDE.fullmatch(text.casefold()) or (number is not None and -1 <= number <= 1):
            raise UnclearWinnerError(f"the winner {shown(word)} does not say {_HOW_TO_WRITE}")
        raise DataError(f"the winner must be {SIDES}; or the name of one of both systems, got {shown(word)}{hint}")
    if by_name is not None and side is not None and by_name != side:
        name = first if by_name == "a" else second
        meanings = {"a": "the first system", "b": "the second system", "tie": "a tie"}
        raise DataError(
            f"the winner '{text}' may mean the system '{name}', which is {meanings[by_name]}, or {meanings[side]}; "
            "write model_a, model_b or tie"
        )
    return by_name or side or "tie", None if by_name else share


def add_number(word: Any, row: LongRow, numbers: Numbers) -> None:
    """Adds the number that a word for the winner is, if it is one."""
    number = None if isinstance(word, bool) else plain_number(word)
    if number is not None:
        numbers.setdefault(number, (row.path, row.line))


def check_numbers(numbers: Numbers) -> None:
    """Refuses numbers for winners that may mean 1 for the first system and 0 for the second, or a tie.

    Raises:
        UnclearWinnerError: if there are 0 and 1, but no other number.
    """
    if numbers.keys() == {0, 1}:
        message = f"winners that are 0 and 1, but never 2, do not say {_HOW_TO_WRITE}"
        raise UnclearWinnerError(message, *numbers[0])


def with_verdicts(tables: LongTables, column: str) -> LongTables:
    """Returns tables in which votes name the winning system, because raters may see two outputs in different orders.

    The pair of systems is the output. Tables without votes are returned unchanged.

    Args:
        tables: Tables of ratings.
        column: The column of the votes.

    Raises:
        UnclearWinnerError: if the column has a name for votes, and its words or numbers do not say which system won.
    """
    numbers = Numbers()
    cells = next((row.cells for row in tables.rows if column in row.cells), {})
    sides, found = ("first", "second"), []
    try:
        columns = find_columns([*cells], sides, tables.rules.of_roles(*sides), cells)
        if len(columns) < 2:
            return tables
        for row in tables.rows:
            first, second = (str(row.cells.get(columns[role][0])).strip() for role in sides)
            word = row.cells.get(column)
            if USUAL.spelling_if_missing(word, as_label=True) is None:
                add_number(word, row, numbers)
                word = Vote(first, second, winner_of(word, first, second)[0]).verdict or "tie"
            pair = row.summarizer_id or " / ".join(sorted((first, second)))
            found.append(row._replace(summarizer_id=pair, cells={**row.cells, column: word}))
        check_numbers(numbers)
    except DataError as problem:
        if isinstance(problem, UnclearWinnerError) and "vote" in roles_of_name(column):
            raise UnclearWinnerError(problem.message, problem.path or row.path, problem.line or row.line) from None
        return tables
    return replace(tables, rows=found)


_SIDES_OF_NUMBERS = {0.0: "tie", 1.0: "a", 1.5: "tie", 2.0: "b"}


@dataclass
class Record:
    """What a system won.

    Args:
        outcomes: The outcome of each vote: 1 for a win, ½ for a tie, 0 for a loss, numbers between them for soft votes.
        clusters: The cluster of each vote.
    """

    outcomes: list[float] = field(default_factory=list)
    clusters: list[Hashable] = field(default_factory=list)

    @property
    def wins(self) -> int:
        """The number of votes that it won."""
        return sum(outcome > 0.5 for outcome in self.outcomes)

    @property
    def ties(self) -> int:
        """The number of ties."""
        return self.outcomes.count(0.5)

    @property
    def losses(self) -> int:
        """The number of votes that it lost."""
        return sum(outcome < 0.5 for outcome in self.outcomes)

    def win_rate(self, confidence: float = 95) -> Interval:
        """Returns the share of votes won, ties as half a win and soft votes divided, with its score interval.

        >>> Record([1, 0.5, 0.5, 0], [1, 2, 3, 4]).win_rate().value
        0.5
        """
        return EffectiveTrials.of(self.outcomes, self.clusters).interval(confidence)


def records(
    votes: Iterable[Vote], clusters: Iterable[Hashable] | None = None
) -> tuple[dict[str, Record], dict[tuple[str, str], Record]]:
    """Counts the votes of each system, and those between each pair of systems, from the side of the first one.

    Args:
        votes: The votes.
        clusters: The cluster of each vote; by default votes are independent.
    """
    of_systems: dict[str, Record] = defaultdict(Record)
    of_pairs: dict[tuple[str, str], Record] = defaultdict(Record)
    for vote, cluster in zip(votes, count() if clusters is None else clusters, strict=False):
        outcome = vote.outcome
        of_first = outcome if vote.pair[0] == vote.first else 1 - outcome
        sides = (
            (of_systems[vote.first], outcome),
            (of_systems[vote.second], 1 - outcome),
            (of_pairs[vote.pair], of_first),
        )
        for record, won in sides:
            record.outcomes.append(won)
            record.clusters.append(cluster)
    return dict(sorted(of_systems.items())), dict(sorted(of_pairs.items()))


ITEM_PREFIX = "item_"
LENGTH, TEXTS = "length", ("output", "response", "summary", "text")
"""The covariate that is counted in words where a table has texts, in columns such as ``output_a`` and ``output_b``."""


@dataclass
class VoteTables:
    """What the tables contain.

    Args:
        votes: The votes, in the order of the tables.
        choices: The choices of a best and a worst item.
        left_out: The number of rows that are left out, by the reason.
        warnings: What may be misread.
        notes: How rows were read.
        numbers: Each number for a winner to its first path and line.
        places: Input, rater and systems of a vote to its index and location.
        rows: Rows with the columns that must not change within an input, such as those of documents and sources.
        constant: Tables, as names of columns, to these columns.
        needs_baseline: Whether rows with games do not name their baseline.
    """

    votes: list[Vote] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    numbers: Numbers = field(default_factory=dict)
    places: dict[tuple[str, ...], tuple[int, str]] = field(default_factory=dict)
    rows: list[LongRow] = field(default_factory=list)
    constant: dict[tuple[str, ...], dict[str, str]] = field(default_factory=dict)
    needs_baseline: bool = False

    def __len__(self) -> int:
        """Returns the number of votes and choices that were read."""
        return len(self.votes) + len(self.choices) + self.left_out.total()


NumberedRows: TypeAlias = Iterable[tuple[int, Mapping[str, Any]]]


class VoteRows(RatingRows):
    """The rows of votes of a source; ids may be missing, and ``metrics`` has the columns of each role."""

    roles = ("instance_id", "rater", "first", "second", "vote", "source", "turn", "kind", "status")
    needs_ids = False
    is_of_judge = False

    @overrides
    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        source = self._source
        rows: NumberedRows = read_rows(source, self._problems) if isinstance(source, str) else enumerate(source.rows, 1)
        return ((line, _with_vote(dict(flattened(row)))) for line, row in rows)

    @overrides
    def _found(self, row: Mapping[str, Any], given: Mapping[str, Sequence[str]], own: Collection[str]) -> Columns:
        found = super()._found(row, given, own)
        judges = tuple(name for name in row if column_key(name) == "judge" and name not in own)
        self.is_of_judge |= bool(judges) or str(row.get("signature")).startswith("llm-judge|")
        return found if "rater" in found or not judges else {**found, "rater": judges}

    @overrides
    def _long_row(self, row: dict[str, Any], columns: Columns, line: int) -> LongRow:
        of_input = columns.get("instance_id", columns.get("source", ()))  # a source identifies the input
        instance, rater = self._joined(row, of_input), self._joined(row, columns.get("rater", ()))
        return LongRow(instance or "", "", rater, row, self.path, line, metrics=columns)

    def _joined(self, row: Mapping[str, Any], columns: Sequence[str]) -> str | None:
        cell = row[columns[0]] if len(columns) == 1 else columns
        if isinstance(cell, (list, tuple)) and cell is not columns:
            return ", ".join(map(str, cell))
        if self.rules.values.spelling_if_missing(cell, as_label=True) is not None:
            return None
        return JOINED_BY.join(parse_id(row[name], name) for name in columns) or None


class _LeftOutError(Exception):
    """A vote is left out."""


_Game: TypeAlias = "tuple[Any, tuple[str, str], tuple[str, str], int]"
"""A word for the winner, the systems in the order that it means and in that in which they were shown, and the sign of
differences between them."""


@dataclass(frozen=True)
class VoteReader:
    """Reads votes; columns are recognized by name.

    A vote without a winner, or without a value that is needed, is left out and counted. A table with the columns
    ``best`` and ``worst`` contains choices instead: its items are in a list ``items``, or in columns ``item_1``, ….
    A row of MT-Bench, with ``g1_winner`` and ``g2_winner``, or of Arena-Hard, with ``games``, has two votes, on the
    outputs in both orders.

    Args:
        numbers: The covariates: columns ``NAME_a`` and ``NAME_b``, or a column ``NAME`` with their difference.
        labels: Further columns to read, such as clusters and subsets.
        rules: The columns that are named, the conditions that rows must meet, and the words for a missing value.
        baseline: The first system of rows with ``games`` that do not name it.
        duplicates: Which of several votes by one rater on the same outputs in the same order is kept.
    """

    numbers: Sequence[str] = ()
    labels: Sequence[str] = ()
    rules: RatingRules = field(default_factory=RatingRules)
    baseline: str | None = None
    duplicates: Duplicates = "error"

    def read(self, sources: Sequence[Source]) -> VoteTables:
        """Reads tables.

        Args:
            sources: Files, or rows in memory.

        Raises:
            DataError: if a file cannot be read or a row is invalid; all problems are reported together.
        """
        tables, problems, rules = VoteTables(), Problems(), replace(self.rules, found=FoundRows())
        found, names, by_judge = rules.found, list[str](), dict[bool, str]()
        for source in sources:
            rows = VoteRows(source, rules, problems)
            before, start = len(problems) + len(tables) + found.left_out, len(tables.votes)
            try:
                for row in rows:
                    if not all(map(self._is_missing, row.cells.values())):
                        self._add(row, tables, problems)
            except DataError:
                with problems.at(rows.path):
                    raise
            if before == len(problems) + len(tables) + found.left_out:
                problems.add(DataError("contains no votes", rows.path))
            names += rows.names
            by_judge |= {rows.is_of_judge or vote.rater is None: rows.path for vote in tables.votes[start:]}
        if len(by_judge) > 1 and by_judge[True] != by_judge[False]:
            tables.warnings.append(
                f"the votes of '{by_judge[False]}' and '{by_judge[True]}', which names no raters or is of a judge, are "
                f"pooled; {how_to_set(by_judge[False], 'against', 'PEOPLE')} takes the votes of people, to compare a "
                "judge"
            )
        rules.check_inputs(tables.rows)
        with problems.at(None):
            check_numbers(tables.numbers)
        problems.raise_any()
        rules.check_used(names)
        tables.left_out.update({f"that do not count ('{kind}')": count for kind, count in found.kinds.items()})
        tables.left_out.update({"that do not meet the conditions": found.left_out} if found.left_out else {})
        found.counts(None)[1].update(Counter(name for vote in tables.votes for name in vote.pair))
        tables.notes += found.notes
        tables.warnings += rules.name_warnings()
        return tables

    def _is_missing(self, cell: Any) -> bool:
        return self.rules.values.spelling_if_missing(cell, as_label=True) is not None

    def _add(self, row: LongRow, tables: VoteTables, problems: Problems) -> None:
        """Adds the votes or the choice of a row.

        Raises:
            DataError: if a column is missing, which is a problem of the whole file.
        """
        is_choice = {"best", "worst"} <= row.cells.keys()
        try:
            numbers = [] if is_choice else self._checked_columns(row)
            tables.needs_baseline |= "games" in row.cells and "first" not in row.metrics
        except DataError as problem:
            raise DataError(advised(problem.message, row.path), row.path, header_line(row.path) or row.line) from None
        names = tuple(row.cells)
        if names not in tables.constant:
            tables.constant[names] = constant_columns(names, row.cells, self.rules.columns)
        constant = {name: row.cells[name] for name in tables.constant[names]}
        if constant and row.instance_id:
            tables.rows.append(row._replace(cells=constant))
        with problems.at(row.path, row.line):
            for game in [None] if is_choice else self._games(row):
                try:
                    if game is None:
                        tables.choices.append(self._choice(row))
                    else:
                        self._keep(self._vote(game, row, numbers, tables), row, tables)
                except _LeftOutError as reason:
                    tables.left_out[str(reason)] += 1

    def _checked_columns(self, row: LongRow) -> list[tuple[str, Sequence[str]]]:
        """Returns the columns of each covariate.

        Raises:
            DataError: if a column is missing, or rows with ``games`` do not name their baseline.
        """
        cells, columns = row.cells, row.metrics
        if "games" in cells and "first" not in columns and self.baseline is None:
            raise DataError(f"'games' are against a baseline; use {how_to_set(row.path, 'baseline', 'NAME')}")
        has_winner = {"g1_winner", "g2_winner"} <= cells.keys() or _names_winners(row)
        without = {"first", "vote"} if "games" in cells else {"vote"} if has_winner else set()
        for role in ("first", "second", "vote"):
            if role not in columns and role not in without:
                raise no_column(role, list(cells), row.path)
        for name in self.labels:
            column_named(cells, name)
        return [(name, _number_columns(cells, name)) for name in self.numbers]

    def _games(self, row: LongRow) -> list[_Game]:
        """Returns the games of a row with columns that were checked.

        Raises:
            DataError: if a system is not named.
        """
        cells, columns = row.cells, {role: names[0] for role, names in row.metrics.items()}
        first, second = (
            parse_id(cells[columns[role]] if role in columns else self.baseline, columns.get(role, role))
            for role in ("first", "second")
        )
        if first == second:
            raise DataError(f"a vote must be between two systems, got '{first}' twice")
        if _names_winners(row):  # in no order in which they were shown
            order = (min(first, second), max(first, second))
            return [("model_a" if first == order[0] else "model_b", order, order, 1)]
        order, other = (first, second), (second, first)
        if "games" in cells:
            scores = [game.get("score") if isinstance(game, Mapping) else None for game in cells["games"] or ()]
            return [
                (score, shown, shown, sign) for score, shown, sign in zip(scores, (order, other), (1, -1), strict=False)
            ]
        if "vote" not in columns:
            return [(cells["g1_winner"], order, order, 1), (cells["g2_winner"], order, other, -1)]
        return [(cells[columns["vote"]], order, order, 1)]

    def _vote(
        self, game: _Game, row: LongRow, numbers: Sequence[tuple[str, Sequence[str]]], tables: VoteTables
    ) -> Vote:
        word, named_order, shown_order, sign = game
        if self._is_missing(word):
            raise _LeftOutError("without a winner")
        if word == "error":
            raise _LeftOutError("with an error of the judge instead of a winner")
        add_number(word, row, tables.numbers)
        winner, share = winner_of(
            word, *named_order, f"; if it means missing, use {how_to_set(row.path, 'missing', str(word))}"
        )
        text, side = str(word).strip(), side_of_word(str(word))
        if text not in named_order and side is None and (named := side_of_name(text, *named_order)):
            warning = f"the winner '{text}' is read as the system '{named_order['ab'.index(named)]}'"
            tables.warnings += [warning] if warning not in tables.warnings else []
        values: dict[str, Any] = {name: sign * self._difference(name, columns, row.cells) for name, columns in numbers}
        for name in self.labels:
            cell = row.cells[column_named(row.cells, name)]
            if self._is_missing(cell):
                raise _LeftOutError(f"without '{name}'")
            values[name] = str(cell)
        vote = Vote(*named_order, winner, row.instance_id or None, row.rater, values, share)
        return vote if shown_order == named_order else vote.turned()

    def _keep(self, vote: Vote, row: LongRow, tables: VoteTables) -> None:
        """Adds a vote, unless its rater has already voted on the same outputs in the same order.

        Raises:
            DataError: if so, unless one of both is chosen.
        """
        key = None if vote.input is None or vote.rater is None else (vote.input, vote.rater, vote.first, vote.second)
        if key not in tables.places:
            tables.votes.append(vote)
            if key is not None:
                tables.places[key] = len(tables.votes) - 1, row.location
            return
        index, first = tables.places[key]
        if self.duplicates == "error":
            raise DataError(
                f"second vote of rater '{vote.rater}' on '{vote.first}' and '{vote.second}' for input '{vote.input}' "
                f"in this order (first at {first}); {how_to_keep_one(row.path)}"
            )
        if self.duplicates == "last":
            tables.votes[index] = vote
        raise _LeftOutError("with another vote by the same rater on the same outputs")

    def _choice(self, row: LongRow) -> Choice:
        items, cells = _items(row), row.cells
        if self._is_missing(cells["best"]) or self._is_missing(cells["worst"]):
            raise _LeftOutError("without a best or worst item")
        best, worst = str(cells["best"]).strip(), str(cells["worst"]).strip()
        for name, value in (("best", best), ("worst", worst)):
            if value not in items:
                raise DataError(f"'{name}' must be one of the items {', '.join(items)}, got '{value}'")
        if best == worst:
            raise DataError(f"'best' and 'worst' must be two items, got '{best}' twice")
        return Choice(items, best, worst, row.instance_id or None, row.rater)

    def _difference(self, name: str, columns: Sequence[str], row: Mapping[str, Any]) -> float:
        """Returns (a − b)/(a + b) of two numbers or lengths, 0 if both are 0; or the number that is given."""
        cells = [row[column] for column in columns]
        is_text = len(cells) == 2 and not columns[0].startswith(name)
        if any(cell is None if is_text else self.rules.values.spelling_if_missing(cell) is not None for cell in cells):
            raise _LeftOutError(f"without '{name}'")
        numbers = [float(_words(cell)) if is_text else self.rules.values.number_of(cell, name) for cell in cells]
        if len(numbers) == 1:
            return numbers[0]
        if min(numbers) < 0:
            raise DataError(
                f"'{name}' must not be negative, got {min(numbers):g}; give the difference in a column '{name}'"
            )
        total = numbers[0] + numbers[1]
        return (numbers[0] - numbers[1]) / total if total else 0.0


def _with_vote(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row with the side that one of three columns of 0 and 1 marks, as in votes of LMSYS, in their place."""
    if not row.keys() >= _ONE_OF_THREE.keys():
        return row
    chosen = [side for name, side in _ONE_OF_THREE.items() if plain_number(row[name]) == 1]
    others = {name: cell for name, cell in row.items() if name not in _ONE_OF_THREE}
    return {**others, "winner": chosen[0] if len(chosen) == 1 else None}


def _names_winners(row: LongRow) -> bool:
    """Returns whether a row has a column of the winner and one of the loser, such as ``chosen`` and ``rejected``.

    Raises:
        DataError: if these have texts of outputs.
    """
    names = [row.metrics.get(role, ("",))[0] for role in ("first", "second")]
    if column_key(names[0]) not in PREFERRED:
        return False
    for cell in map(row.cells.get, names):
        if not isinstance(cell, (str, int)) or len(str(cell).split()) > _LONGEST_NAME:
            raise DataError(
                f"'{names[0]}' and '{names[1]}' must name systems, got {shown(cell)}; texts do not say whose "
                "they are; call the columns of their systems chosen_model and rejected_model"
            )
    return True


def _number_columns(row: Mapping[str, Any], name: str) -> Sequence[str]:
    pairs = [(f"{text}_{first}", f"{text}_{second}") for text in (name, *TEXTS) for first, second in ("ab", "12")]
    found = [pair for pair in pairs if pair[0] in row and pair[1] in row]
    if found and found[0][0].startswith(name):
        return found[0]
    if name in row:
        return (name,)
    if name == LENGTH and len(found) > 1:
        raise DataError(f"'{found[0][0]}' and '{found[1][0]}' have the same meaning; rename or remove one of them")
    if name == LENGTH and found:
        return found[0]
    raise DataError(
        f"has no columns '{name}_a' and '{name}_b', nor a column '{name}' with their difference, for the "
        f"covariate '{name}'; {listed(list(row), 'its columns are')}"
    )


def _words(cell: Any) -> int:
    check_text(cell, "output")
    return len(as_string(cell).split())


def _items(row: LongRow) -> tuple[str, ...]:
    cells, with_roles = decoded(row.cells.get("items")), {*chain(*row.metrics.values())}
    if cells is None:
        cells = [cell for name, cell in row.cells.items() if name.startswith(ITEM_PREFIX) and name not in with_roles]
        cells = [cell for cell in cells if USUAL.spelling_if_missing(cell, as_label=True) is None]
    if not isinstance(cells, (list, tuple)):
        raise DataError(f"'items' must be a list, or in columns {ITEM_PREFIX}1, {ITEM_PREFIX}2, …, got {shown(cells)}")
    items = tuple(str(cell).strip() for cell in cells)
    if len(set(items)) < max(2, len(items)):
        raise DataError(f"a choice needs two or more different items, got {', '.join(items) or 'none'}")
    return items


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
