"""`prefer`: strengths and ranks of systems from votes between two outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metrics_framework.api.columns import column_names, library_of, plain, rows_of_table
from metrics_framework.api.preferences import PreferenceResult
from metrics_framework.api.settings import PythonLog
from metrics_framework.common.errors import InputError, ListName, UnknownChoiceError
from metrics_framework.common.logs import Log
from metrics_framework.data.lists import is_list
from metrics_framework.data.texts import shown

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.preferences.analysis import Preferences, PreferenceSettings
    from metrics_framework.meta_evaluation.preferences.vote_tables import RowsInMemory, VoteTables

VoteSource: TypeAlias = str | os.PathLike[str] | Iterable[Any] | Any
"""A file, a table with columns by name, rows, or triples of two systems and the winner; or a list of files, tables."""


def prefer(
    votes: VoteSource,
    *,
    scale: Literal["natural", "arena"] = "natural",
    covariates: str | Sequence[str] = (),
    cluster: str | None = None,
    ridge: float = 0.0,
    against: VoteSource | None = None,
    subset: str | None = None,
    inconsistent: Literal["tie", "drop", "keep"] = "tie",
    correction: str = "holm",
    confidence: float = 95,
    seed: int = 0,
    show: Literal["systems", "pairs", "agreement"] | None = None,
    log: Log | None = None,
) -> PreferenceResult:
    """Estimates strengths and ranks of systems from votes between two outputs, as ``fw prefer`` does.

    Args:
        votes: A table with a row for each vote and columns ``input``, ``system_a``, ``system_b`` and ``winner``
            (``a``, ``b``, ``tie`` or a system), such as a DataFrame; rows with these keys; triples of two systems and
            the winner; a file; or a list of tables or files. Further columns: ``rater``, covariates, clusters. A table
            with columns ``best`` and ``worst`` and a list ``items`` has choices of a best and a worst item.
        scale: ``natural`` (log-odds, mean 0) or ``arena`` (1000 + log-odds · 400/ln 10).
        covariates: What else may decide a vote, such as ``length``: columns ``length_a`` and ``length_b``, or a column
            ``length`` with their difference.
        cluster: What makes votes dependent: ``input``, ``rater``, a column, or ``none``. By default ``input`` if an
            input has several votes.
        ridge: λ of a penalty λ/2 · Σθ², for votes that do not determine the strengths.
        against: Votes of people on the same outputs, which those of judges are compared with.
        subset: The column that divides the agreement with people into subsets.
        inconsistent: What two different verdicts of one rater on the same outputs, shown in both orders, become: a
            ``tie``, none (``drop``), or two votes (``keep``).
        correction: The correction of the tests of all pairs that ranks are based on: ``holm``, ``bh``, ``by``,
            ``none``.
        confidence: The level of intervals and ranks: a fraction (0.95) or in percent (95).
        seed: The seed of the random splits for the reliability of best–worst scores.
        show: The table that is printed; by default that of systems.
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
    from metrics_framework.meta_evaluation.preferences.analysis import PreferenceSettings
    from metrics_framework.meta_evaluation.preferences.vote_tables import read_vote_tables
    from metrics_framework.reports.preference_table import SHOWN

    if show is not None and show not in SHOWN:
        raise UnknownChoiceError("show", show, SHOWN)
    names = [covariates] if isinstance(covariates, str) else list(covariates)
    settings = PreferenceSettings(scale, names, cluster, ridge, correction, confidence, inconsistent, subset, seed)
    sources, library = _sources(votes, "votes")
    log = PythonLog() if log is None else log
    tables = read_vote_tables(sources, names, settings.judge_labels)
    people = None
    if against is not None:
        people = read_vote_tables(_sources(against, "against")[0], (), settings.people_labels)
    found = _analysed(tables, settings, people)
    for warning in _warnings(found):
        log.warn(warning)
    return PreferenceResult(found, log.warnings, show, library)


def _analysed(tables: VoteTables, settings: PreferenceSettings, people: VoteTables | None) -> Preferences:
    from dataclasses import replace

    from metrics_framework.meta_evaluation.preferences.analysis import analyse_choices, analyse_votes

    if tables.choices:
        if tables.votes or people is not None:
            raise InputError("choices of a best and a worst item cannot be combined with votes")
        found = analyse_choices(tables.choices, settings)
    else:
        found = analyse_votes(tables.votes, settings, None if people is None else people.votes)
    return replace(found, left_out=tables.left_out)


def _warnings(found: Preferences) -> list[str]:
    from metrics_framework.meta_evaluation.preferences.analysis import FEW_CLUSTERS

    if found.model is None:
        return [f"no strengths: {found.undetermined}"]
    warnings = []
    clusters, votes = found.model.clusters, found.votes
    if clusters == 1:
        warnings.append(f"no intervals: all votes are in one cluster ({found.cluster})")
    elif found.ties == votes:
        warnings.append("all votes are ties: every strength is equal, and errors are 0")
    elif (clusters or votes) < FEW_CLUSTERS:
        what = f"{votes} votes" if clusters is None else f"{clusters} clusters ({found.cluster})"
        warnings.append(f"intervals are unreliable: there are only {what}, fewer than {FEW_CLUSTERS}")
    if found.settings.ridge:
        warnings.append("the ridge pulls strengths together, so intervals do not hold the true ones at their level")
    return warnings


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
    from metrics_framework.meta_evaluation.preferences.vote_tables import RowsInMemory

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
