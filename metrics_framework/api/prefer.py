"""`prefer`: strengths and ranks of systems from votes between two outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from metrics_framework.api.columns import as_frame, column_names, library_of, plain, rows_of_table
from metrics_framework.api.option_types import Column, ConfidenceLevel, CorrectionName, Count, Seed
from metrics_framework.api.python_log import PythonLog
from metrics_framework.api.tabular import Library, Tabular
from metrics_framework.common.errors import InputError, ListName, UnknownChoiceError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import Files, Form, NamesFrom
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import is_list, shown
from metrics_framework.reports.formats.output_format import JSON

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.prefer.result import Preferences
    from metrics_framework.meta_evaluation.prefer.vote_tables import RowsInMemory
    from metrics_framework.reports.preference import Shown

VoteSource: TypeAlias = str | os.PathLike[str] | Iterable[Any] | Any
"""A file, a table with columns by name, rows, or triples of two systems and the winner; or a list of files, tables."""

Scale: TypeAlias = Literal["natural", "arena"]


def _scale_in(word: str) -> str:
    from metrics_framework.meta_evaluation.prefer.strengths import check_scale

    check_scale(word)
    return word


Covariate: TypeAlias = Annotated[str, Form("NAME")]


@dataclass(repr=False)
class PreferenceResult(Tabular):
    """Strengths and ranks of systems from votes.

    ``print(result)`` shows the table that ``fw prefer`` prints, and a notebook shows it as HTML.

    Attributes:
        preferences: Strengths, ranks, wins, position bias, and agreement with people in ranking and votes.
        warnings: What may make the results misleading.
        show: The table that is printed: ``systems``, ``pairs``, ``ranking`` or ``agreement``.
    """

    preferences: Preferences
    warnings: list[str] = field(default_factory=list)
    show: Shown | None = None
    library: str | None = None

    def __repr__(self) -> str:
        """Returns the systems, the strongest first."""
        return f"PreferenceResult({list(self.preferences.systems)})"

    @property
    def notes(self) -> list[str]:
        """What the results are based on."""
        from metrics_framework.reports.preference import notes_on

        return [
            " ".join(filter(None, (note.kind, note.label))) + f": {note.text}" for note in notes_on(self.preferences)
        ]

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.preference import preference_table

        if format == JSON:
            return self.to_json()
        return preference_table(self.preferences, format, self.show)

    def to_json(self) -> str:
        """Returns the results as ``fw prefer --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json
        from metrics_framework.meta_evaluation.prefer.result import as_json

        return to_json(as_json(self.preferences, self.warnings, self.notes), indent=2)

    def plot(self) -> str:
        """Returns the strengths with their intervals that ``fw prefer --plot`` draws, as SVG."""
        from metrics_framework.reports.preference import strength_chart

        return strength_chart(self.preferences)

    def rank_plot(self) -> str:
        """Returns the ranks with their intervals that ``fw prefer --rank-plot`` draws, as SVG."""
        from metrics_framework.reports.preference import rank_chart_of

        return rank_chart_of(self.preferences)

    def to_records(self, of: Shown = "systems") -> list[dict[str, Any]]:
        """Returns a dictionary for each system, pair of systems, ranking, or agreement.

        Args:
            of: ``systems``, ``pairs``, ``ranking`` or ``agreement``.

        Raises:
            UnknownChoiceError: if it is another word.
        """
        from metrics_framework.meta_evaluation.prefer.result import RECORDS

        if of not in RECORDS:
            raise UnknownChoiceError("of", of, RECORDS)
        return RECORDS[of](self.preferences)

    def to_frame(self, library: Library | None = None, of: Shown = "systems") -> Any:
        """Returns `to_records` as a DataFrame of pandas or polars, or a table of pyarrow.

        Args:
            library: The library; by default that of the votes, else one that is imported or installed.
            of: ``systems``, ``pairs``, ``ranking`` or ``agreement``.

        Raises:
            InputError: if no library is installed.
        """
        return as_frame(self.to_records(of), library or self.library)


def prefer(
    votes: VoteSource,
    *,
    scale: Annotated[Scale, NamesFrom(lambda: get_args(Scale), _scale_in)] = "natural",
    covariates: Covariate | Sequence[Covariate] = (),
    cluster: Column | None = None,
    ridge: float = 0.0,
    against: Annotated[VoteSource | None, Files("PEOPLE", several=True)] = None,
    subset: Column | None = None,
    inconsistent: Literal["tie", "drop", "keep"] = "tie",
    correction: CorrectionName = "holm",
    confidence: ConfidenceLevel = 95,
    resamples: Count = 1000,
    seed: Seed = 0,
    show: Literal["systems", "pairs", "ranking", "agreement"] | None = None,
    log: Log | None = None,
) -> PreferenceResult:
    """Estimates strengths and ranks of systems from votes between two outputs, as ``fw prefer`` does.

    Args:
        votes: A table with a row for each vote and columns ``input``, ``system_a``, ``system_b`` and ``winner``
            (``a``, ``b``, ``tie`` or a system), such as a DataFrame; rows with these keys; triples of two systems and
            the winner; a file; or a list of tables or files. Further columns: ``rater``, covariates, clusters. A table
            with columns ``best`` and ``worst`` and a list ``items`` has choices of a best and a worst item.
        scale: The scale of the strengths: log-odds with mean 0 (``natural``), or 1000 + log-odds · 400/ln 10
            (``arena``).
        covariates: A covariate that is controlled for, such as ``length``: the columns ``length_a`` and ``length_b``,
            or a column ``length`` with their difference.
        cluster: What makes votes dependent: ``input``, ``rater``, a column, or ``none``; by default, ``input`` if an
            input has several votes.
        ridge: The factor λ of the penalty λ/2 · Σ strength², which makes all strengths finite.
        against: The votes of people on the same outputs. The ranking of a judge is compared with theirs by Kendall's
            τ-b of the strengths, and its votes with theirs by their agreement.
        subset: The column of the votes of people that divides the comparison into subsets.
        inconsistent: What two different verdicts of one rater on the same outputs, shown in both orders, become: a
            ``tie``, no vote (``drop``), or two votes (``keep``).
        correction: The correction of the tests of all pairs, on which ranks are based.
        confidence: The confidence level of intervals and ranks, as a fraction (0.95) or in percent (95).
        resamples: The number of resamples for the intervals of τ-b, which draw inputs, or the clusters of ``cluster``.
        seed: The random seed of resamples, and of the splits for the reliability of best–worst scores.
        show: The table that is printed; by default that of systems, and with ``against`` also those of rankings and of
            agreement.
        log: Receives notes and warnings; by default, warnings are Python warnings.

    Raises:
        InputError: if an argument is invalid, or the votes do not determine the strengths.
        DataError: if votes are invalid.

    Source: Bradley and Terry (Biometrika, 1952); Chiang et al., "Chatbot Arena" (ICML 2024).

    >>> import metrics_framework as fw
    >>> result = fw.prefer([("x", "y", "a"), ("x", "y", "a"), ("y", "x", "a"), ("x", "z", "tie"), ("y", "z", "a")])
    >>> result.to_records()[0]["system"]
    'x'
    """
    from metrics_framework.meta_evaluation.prefer.request import PreferenceRequest
    from metrics_framework.meta_evaluation.prefer.study import analysed, warnings_on
    from metrics_framework.meta_evaluation.prefer.vote_tables import read_vote_tables
    from metrics_framework.reports.preference import SHOWN

    if show is not None and show not in SHOWN:
        raise UnknownChoiceError("show", show, SHOWN)
    names = [covariates] if isinstance(covariates, str) else list(covariates)
    request = PreferenceRequest(
        scale=scale,
        covariates=names,
        cluster=cluster,
        ridge=ridge,
        correction=correction,
        confidence=confidence,
        inconsistent=inconsistent,
        subset=subset,
        resamples=resamples,
        seed=seed,
    )
    sources, library = _sources(votes, "votes")
    log = PythonLog() if log is None else log
    tables = read_vote_tables(sources, names, request.judge_labels)
    people = None
    if against is not None:
        people = read_vote_tables(_sources(against, "against")[0], (), request.people_labels)
    found = analysed(tables, request, people)
    for warning in warnings_on(found):
        log.warn(warning)
    return PreferenceResult(found, log.warnings, show, library)


def _sources(votes: Any, name: str) -> tuple[list[str | RowsInMemory], str | None]:
    """Returns what to read, and the library of the first table.

    Raises:
        InputError: if the votes have none of the forms that `prefer` accepts.
    """
    if isinstance(votes, (str, os.PathLike)) or column_names(votes) is not None:
        votes = [votes]
    if not is_list(votes):
        raise InputError(f"'{name}' must be a table, rows, triples or files, got {shown(votes)}")
    parts = list(votes)
    if parts and (isinstance(parts[0], Mapping) or _is_triple(parts[0])):
        parts = [parts]
    library = next(filter(None, map(library_of, parts)), None)
    return [_source(part, name if len(parts) == 1 else f"{name}[{i}]") for i, part in enumerate(parts)], library


def _is_triple(part: Any) -> bool:
    return isinstance(part, (tuple, list)) and len(part) == 3 and all(isinstance(word, (str, int)) for word in part)


def _source(part: Any, name: str) -> str | RowsInMemory:
    from metrics_framework.meta_evaluation.prefer.vote_tables import RowsInMemory

    if isinstance(part, (str, os.PathLike)):
        return os.fspath(part)
    columns = column_names(part)
    if columns is None and not is_list(part):
        raise InputError(f"'{name}' must be a table, rows, triples or a file, got {shown(part)}")
    rows = list(part if columns is None else rows_of_table(part, columns))
    for index, row in enumerate(rows):
        if isinstance(row, Mapping):
            rows[index] = {str(column): plain(value) for column, value in row.items()}
        elif _is_triple(row):
            rows[index] = dict(zip(("system_a", "system_b", "winner"), row, strict=True))
        else:
            raise InputError(
                f"'{name}[{index}]' must be a row or a triple of two systems and a winner, got {shown(row)}"
            )
    return RowsInMemory(ListName(name), rows)
