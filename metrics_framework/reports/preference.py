"""The tables and charts of ``fw prefer``: systems, pairs of systems, and agreement with people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, get_args

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.choices import PreferenceTable
from metrics_framework.meta_evaluation.prefer.request import INPUT, NO_CLUSTERS, RATER
from metrics_framework.meta_evaluation.prefer.study import (
    PreferenceStudy,
    agreement_records,
    coefficient_records,
    pair_records,
    ranking_records,
    system_records,
)
from metrics_framework.reports.charts import Group, Row, forest, rank_chart
from metrics_framework.reports.formats.output_format import Note, OutputFormat
from metrics_framework.reports.numbers import (
    NONE,
    UNDEFINED,
    bounds,
    described_ranks,
    interval,
    number,
    p_equation,
    percent,
    span,
)
from metrics_framework.significance.multiple_testing import RANGES

SHOWN: tuple[PreferenceTable, ...] = get_args(PreferenceTable)
CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini–Hochberg", "by": "Benjamini–Yekutieli", "none": "no"}


def tables_of(found: PreferenceStudy, output: OutputFormat) -> list[str]:
    """Writes the table that was asked for, or the usual ones."""
    return [_PEOPLE[name](found, output) for name in shown_tables(found)]


def shown_tables(found: PreferenceStudy) -> list[PreferenceTable]:
    """Returns the table that was asked for; by default that of systems, of rankings with a τ-b, and of agreement."""
    if found.request.show:
        return [found.request.show]
    shown: list[PreferenceTable] = []
    if any(ranking.tau_b.value == ranking.tau_b.value for ranking in found.rankings):
        shown.append("ranking")
    if found.model or found.best_worst or not found.against:
        shown.append("systems")
    if found.against:
        shown.append("agreement")
    return shown


_Record: TypeAlias = "Mapping[str, Any]"
_Columns: TypeAlias = "dict[str, str | Callable[[_Record], str]]"
_COUNTS: _Columns = {name: name for name in ("wins", "ties", "losses")}


def _table(output: OutputFormat, records: Sequence[_Record], columns: _Columns, left: int = 1) -> str:
    """Writes a row for each record, given the name of the number or text of each column, or what writes its cell."""
    shown = columns.values()
    rows = [[number(record[one]) if isinstance(one, str) else one(record) for one in shown] for record in records]
    return output.render([*columns], rows, left=left)


def _ends(record: _Record) -> str:
    return bounds(record["lower"], record["upper"])


def _kappa(record: _Record) -> str:
    return number(record["kappa"], undefined=NONE if _ends(record) == NONE else UNDEFINED)  # averages have none


def _judge(records: Sequence[_Record]) -> _Columns:
    return {"judge": "judge", **({"subset": "subset"} if any(record["subset"] for record in records) else {})}


def _systems(found: PreferenceStudy, output: OutputFormat) -> str:
    digits = 3 if found.request.strength_scale == "natural" else 0
    columns: _Columns = {
        "system": "system",
        "strength": lambda of: number(of["strength"], digits, undefined=NONE),
        "interval": lambda of: bounds(of["lower"], of["upper"], digits),
        "rank": lambda of: NONE if of["rank_best"] is None else span(of["rank_best"], of["rank_worst"]),
        **_COUNTS,
        "win rate": "win_rate",
    }
    columns |= {} if found.best_worst is None else {"best−worst": "best_worst", "appearances": "appearances"}
    return _table(output, system_records(found), columns)


def _pairs(found: PreferenceStudy, output: OutputFormat) -> str:
    columns = {"first": "system_a", "second": "system_b", **_COUNTS, "win rate": "win_rate", "interval": _ends}
    return _table(output, pair_records(found), columns, left=2)


def _agreement(found: PreferenceStudy, output: OutputFormat) -> str:
    records = agreement_records(found)
    numbers: _Columns = {"n": "n", "agreement": "agreement", "interval": _ends, "kappa": _kappa}
    columns = {**_judge(records), "ties": "ties", **numbers}
    return _table(output, records, columns, left=len(columns) - 4)


def _ranking(found: PreferenceStudy, output: OutputFormat) -> str:
    records, units = ranking_records(found), _units(found.rankings[0].by)
    columns = {**_judge(records), "systems": "systems", "τ-b": "tau_b", "interval": _ends, units: "units"}
    return _table(output, records, columns, left=len(columns) - 4)


def _units(by: str) -> str:
    return {INPUT: "inputs", RATER: "raters", NO_CLUSTERS: "votes"}.get(by, f"clusters by {by}")


_PEOPLE = {"systems": _systems, "pairs": _pairs, "ranking": _ranking, "agreement": _agreement}


def notes_of(found: PreferenceStudy) -> list[Note]:
    """Returns what the tables are based on."""
    return notes_on(found, shown_tables(found))


def notes_on(found: PreferenceStudy, shown: Sequence[str] = SHOWN) -> list[Note]:
    """Returns what the results are based on.

    Args:
        found: The results.
        shown: The tables that the notes belong to.
    """
    lines = [_votes(found)]
    if "ranking" in shown and found.rankings:
        lines.append(_rankings(found))
    if {"ranking", "agreement"} & {*shown}:
        lines += [
            Note("ranking", one.reason, " ".join(filter(None, (one.name, one.subset))))
            for one in found.rankings
            if one.reason
        ]
    if "pairs" in shown:
        level = percent(found.request.confidence / 100)
        text = f"of the first system; {level} score intervals of {_independent(found.cluster)}"
        lines.append(Note("win rate", "; ".join(filter(None, (text, found.caution_of_rates)))))
    if found.model is not None and "systems" in shown:
        lines += [_scale(found), _intervals(found), _ranks(found)]
        lines += [_covariate(record) for record in coefficient_records(found)]
    if found.position.pairs:
        lines.append(_position(found))
    if found.reliability is not None:
        lines.append(_best_worst(found))
    if "agreement" in shown:
        lines += _against(found)
    return lines


def _votes(found: PreferenceStudy) -> Note:
    on = f" on {counted(found.inputs, 'input')}" if found.inputs else ""
    by = f" by {counted(found.raters, 'rater')}" if found.raters else ""
    left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(found.left_out.items()))
    ties = f"{counted(found.ties, 'tie')}, each half a win for both systems" if found.ties else "no ties"
    if found.soft_votes:
        ties += f"; {counted(found.soft_votes, 'soft vote')}, divided between both systems in strengths and win rates"
    votes = f"{counted(found.votes, 'vote')} between {counted(len(found.systems), 'system')}{on}{by}"
    return Note("votes", f"{votes}; {ties}; left out: {left_out or 'none'}")


def _rankings(found: PreferenceStudy) -> Note:
    request, drawn = found.request, _units(found.rankings[0].by)
    covariates = f", with the judge's at equal {', '.join(request.covariates)}" if request.covariates else ""
    undefined = [ranking.tau_b.undefined_resamples or 0 for ranking in found.rankings]
    left_out = f"; up to {max(undefined)} resamples left out, which do not determine both" if any(undefined) else ""
    return Note(
        "ranking",
        f"Kendall's τ-b of the strengths of systems by all votes of a judge and of people{covariates}; 1: same order, "
        f"−1: opposite order; {percent(request.confidence / 100)} bootstrap intervals, {request.resamples} "
        f"resamples of {drawn}, seed {request.seed}{left_out}; for other {drawn} and these systems",
    )


def _scale(found: PreferenceStudy) -> Note:
    words = "log-odds, mean 0"
    if found.request.strength_scale == "arena":
        words = "1000 + log-odds · 400/ln 10: 400 points are odds of 10 to 1"
    ridge = f"; ridge {found.request.ridge:g} pulls them together" if found.request.ridge else ""
    return Note("strengths", f"Bradley–Terry, {words}{ridge}")


def _intervals(found: PreferenceStudy) -> Note:
    errors, population = "independent votes", "votes on"
    if found.model is not None and found.model.clusters is not None:
        what = _units(found.cluster)
        errors, population = f"{found.model.clusters} {what}", f"{what} and"
    level = percent(found.request.confidence / 100)
    text = f"{level}, sandwich errors of {errors}, Student's t; for other {population} these systems"
    return Note("intervals", text)


def _independent(by: str) -> str:
    """Returns what score intervals take as independent."""
    return "independent votes" if by == NO_CLUSTERS else f"the effective number of independent votes over {_units(by)}"


def _ranks(found: PreferenceStudy) -> Note:
    correction = CORRECTION_NAMES[found.request.correct]
    alpha = percent(1 - found.request.confidence / 100)
    return Note(
        "ranks",
        f"{described_ranks(RANGES, 'system')}; two-sided t-tests of all pairs at {alpha}, {correction} correction",
    )


def _covariate(record: Mapping[str, Any]) -> Note:
    beta = interval(record["value"], record["lower"], record["upper"])
    return Note(
        "covariate",
        f"β {beta} per standard deviation; strengths are those of outputs with equal {record['covariate']}",
        str(record["covariate"]),
    )


def _position(found: PreferenceStudy) -> Note:
    bias = found.position
    consistency = bias.consistency(found.request.confidence)
    decided = bias.first + bias.second
    first = f"; {bias.first} of {decided} prefer the first position ({bias.test}, {p_equation(bias.p_value)})"
    alone = f"; {counted(bias.alone, 'vote')} in one order only, where position may decide" if bias.alone else ""
    fate = {
        "tie": "one verdict each, a tie if inconsistent",
        "drop": "one verdict each, none if inconsistent",
        "keep": "both votes are kept",
    }[found.request.inconsistent]
    return Note(
        "position",
        f"{bias.consistent} of {counted(bias.pairs, 'pair')} judged in both orders are consistent "
        f"({interval(*consistency.numbers)}){first if decided else ''}; {fate}{alone}",
    )


def _best_worst(found: PreferenceStudy) -> Note:
    reliability = found.reliability
    if reliability is None or not reliability.splits:
        return Note("split half", "undefined, because halves of the choices have too few items in common")
    return Note(
        "split half",
        f"reliability r {number(reliability.pearson)}, ρ {number(reliability.spearman)}, mean of {reliability.splits} "
        f"random splits; {number(reliability.of_all)} for all choices (Spearman–Brown)",
    )


def _against(found: PreferenceStudy) -> list[Note]:
    if found.against is None:
        return []
    against = found.against
    text = (
        f"share of equal verdicts of a judge and a person on {counted(against.units, 'pair')} of outputs, score "
        f"intervals of {_independent(found.request.cluster or INPUT)}, Cohen's κ; without ties: both decided"
    )
    if against.unmatched:
        text += f"; left out: {counted(against.unmatched, 'vote')} of judges on outputs without votes of people"
    if not against.pairs_of_people:
        text += "; no two people voted on the same outputs"
    return [Note("agreement", text)]


def strength_chart(found: PreferenceStudy) -> str:
    """Draws the strengths of systems with their intervals, the strongest first."""
    rows = [
        Row(str(record["system"]), record["strength"], record["lower"], record["upper"])
        for record in system_records(found)
    ]
    is_natural = found.request.strength_scale == "natural"
    mark, label = (math.nan, "") if is_natural else (1000.0, "mean")
    groups = [Group("systems", rows, mark, label)]
    quantity = "strength, log-odds" if is_natural else "strength, arena scale"
    return forest("Strengths of systems", _subtitle(found), groups, quantity, 3 if is_natural else 0)


def rank_chart_of(found: PreferenceStudy) -> str:
    """Draws the ranks of systems with their intervals, the strongest first."""
    ranks = [(system, found.ranks[system]) for system in found.systems if system in found.ranks]
    return rank_chart("Ranks of systems", _subtitle(found), ranks)


def _subtitle(found: PreferenceStudy) -> str:
    votes = f"Bradley–Terry, {counted(found.votes, 'vote')}, {percent(found.request.confidence / 100)} intervals"
    covariates = [str(record["covariate"]) for record in coefficient_records(found)]
    return f"{votes}; equal {', '.join(covariates)}" if covariates else votes
