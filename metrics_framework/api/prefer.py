"""`prefer`: strengths and ranks of systems from votes between two outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import (
    Column,
    Columns,
    ConfidenceLevel,
    CorrectionName,
    Count,
    LogSpec,
    MissingWords,
    RowKind,
    Seed,
    System,
    Where,
)
from metrics_framework.common.options import Files, Form, NamesFrom, checked_arguments
from metrics_framework.data.fields import Duplicates
from metrics_framework.meta_evaluation.choices import PreferenceTable
from metrics_framework.meta_evaluation.prefer.request import SCALES, Inconsistent, PreferenceRequest, Scale, check_scale

if TYPE_CHECKING:
    from metrics_framework.api.analysis_results import PreferenceResult

VoteSource: TypeAlias = str | os.PathLike[str] | Iterable[Any] | Any
"""A file, a table with columns by name, rows, or triples of two systems and the winner; or a list of files, tables."""
_READ = ("columns", "where", "missing", "keep", "cluster", "subset")
"""The options about rows of votes."""


def _scale_in(word: str) -> str:
    check_scale(word)
    return word


Covariate: TypeAlias = Annotated[str, Form("NAME")]


def prefer(
    votes: VoteSource,
    *,
    strength_scale: Annotated[Scale, NamesFrom(lambda: tuple(SCALES), _scale_in)] = "natural",
    covariates: Covariate | Sequence[Covariate] = (),
    cluster: Column | None = None,
    ridge: float = 0.0,
    against: Annotated[VoteSource | None, Files("PEOPLE", several=True)] = None,
    subset: Column | None = None,
    columns: Columns | None = None,
    where: Where | None = None,
    missing: MissingWords | None = None,
    baseline: System | None = None,
    duplicates: Duplicates = "error",
    keep: Sequence[RowKind] = (),
    inconsistent: Inconsistent = "tie",
    correct: CorrectionName = "holm",
    confidence: ConfidenceLevel = 95,
    resamples: Count = 1000,
    seed: Seed = 0,
    show: PreferenceTable | None = None,
    log: LogSpec = None,
) -> PreferenceResult:
    """Estimates strengths and ranks of systems from votes between two outputs, as ``fw prefer`` does.

    Args:
        votes: A table with a row for each vote and columns ``input``, ``system_a``, ``system_b`` and ``winner``
            (``a``, ``b``, ``tie``, ``A>B``, ``A>>B``, which counts as ``A>B``, a system, or a number from 1, the first,
            to 2, the second), such as a DataFrame; rows with these keys; triples of two systems and the winner; a file,
            also of AlpacaEval, MT-Bench and Arena-Hard; or a list of tables or files. Further columns: ``rater``,
            covariates, clusters. A table with columns ``best`` and ``worst`` and a list ``items`` has choices of a best
            and a worst item.
        strength_scale: The scale of the strengths: log-odds with mean 0 (``natural``), or 1000 + log-odds · 400/ln 10
            (``arena``).
        covariates: A covariate that is controlled for, such as ``length``: the columns ``length_a`` and ``length_b``,
            or a column ``length`` with their difference.
        cluster: What makes votes dependent: ``input``, ``rater``, a column, or ``none``; by default, ``input`` if an
            input has several votes.
        ridge: The factor λ of the penalty λ/2 · Σ strength², which makes all strengths finite.
        against: The votes of people on the same outputs. The ranking of a judge is compared with theirs by Kendall's
            τ-b of the strengths, and its votes with theirs by their agreement.
        subset: The column of the votes of people that divides the comparison into subsets.
        columns: The columns of ``input``, ``rater``, ``first`` and ``second`` system and ``vote``, where they have
            other names.
        where: The values of columns that votes must have.
        missing: The words that mean a missing value; by default, only empty cells do.
        baseline: The system that all others are compared with, if rows of Arena-Hard do not name it.
        duplicates: Which of several votes by one rater on the same outputs in the same order is kept: none (``error``),
            the ``first`` or the ``last``.
        keep: The kinds of rows that count although they are attention checks or rejected work, such as ``BAD``.
        inconsistent: What two different verdicts of one rater on the same outputs, shown in both orders, become: a
            ``tie``, no vote (``drop``), or two votes (``keep``).
        correct: The correction of the tests of all pairs, on which ranks are based.
        confidence: The confidence level of intervals and ranks, as a fraction (0.95) or in percent (95).
        resamples: The number of resamples for the intervals of τ-b, which draw inputs, or the clusters of ``cluster``.
        seed: The random seed of resamples, and of the splits for the reliability of best–worst scores.
        show: The table that is printed; by default that of systems, and with ``against`` also those of rankings and of
            agreement.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.

    Raises:
        InputError: if an argument is invalid, or the votes do not determine the strengths.
        DataError: if votes are invalid.

    Source: Bradley and Terry (Biometrika, 1952); Chiang et al., "Chatbot Arena" (ICML 2024).

    >>> import metrics_framework as fw
    >>> result = fw.prefer([("x", "y", "a"), ("x", "y", "a"), ("y", "x", "a"), ("x", "z", "tie"), ("y", "z", "a")])
    >>> result.to_records()[0]["system"]
    'x'
    """
    from metrics_framework.api.analysis_results import PreferenceResult
    from metrics_framework.api.arguments import log_of
    from metrics_framework.inputs.rating_rows import RatingRules, sources_of
    from metrics_framework.meta_evaluation.prefer.study import PreferenceStudy
    from metrics_framework.meta_evaluation.prefer.votes import VoteReader, VoteRows

    given = checked_arguments(prefer, locals())
    refuse_idle(prefer, given)
    request = PreferenceRequest.of(given)
    forms = "a table, rows, triples or files", _of_triple
    sources, library = sources_of(votes, "votes", *forms)
    sides = [f"{name}{side}" for name in request.covariates for side in ("", "_a", "_b", "_1", "_2")]
    rules = RatingRules.of({**{name: given[name] for name in _READ}, "covariates": sides}, known=VoteRows.roles)
    reader = VoteReader(request.covariates, request.judge_labels, rules, baseline, given["duplicates"])
    tables = reader.read(sources)
    people = None
    if against is not None:
        reader = replace(reader, numbers=(), labels=[] if request.subset is None else [request.subset])
        people = reader.read(sources_of(against, "against", *forms)[0])
    needs_baseline = tables.needs_baseline or (people is not None and people.needs_baseline)
    refuse_idle(prefer, given, has_choices=bool(tables.choices), needs_baseline=needs_baseline)
    log = log_of(log)
    for note in tables.notes:
        log.note(note)
    return PreferenceResult.of(PreferenceStudy.of(tables, request, people), log, library)


def _of_triple(row: Any) -> Any:
    is_triple = type(row) in (tuple, list) and len(row) == 3 and all(isinstance(word, (str, int)) for word in row)
    return dict(zip(("system_a", "system_b", "winner"), row, strict=True)) if is_triple else row
