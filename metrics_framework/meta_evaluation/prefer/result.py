"""The result of `prefer`: what votes say, as records and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.prefer.against_people import AgainstPeople, JudgeAgreement, VerdictAgreement
from metrics_framework.meta_evaluation.prefer.best_worst import BestWorst, Reliability
from metrics_framework.meta_evaluation.prefer.position import PositionBias
from metrics_framework.meta_evaluation.prefer.ranking_agreement import RankingAgreement
from metrics_framework.meta_evaluation.prefer.request import PreferenceRequest
from metrics_framework.meta_evaluation.prefer.strengths import SCALES, BradleyTerry, Rank
from metrics_framework.meta_evaluation.prefer.votes import Record
from metrics_framework.significance.proportions import Proportion


@dataclass(frozen=True)
class Preferences:
    """What votes say.

    Args:
        request: How they were analysed.
        model: The strengths; `None` if the votes do not determine them.
        undetermined: Why the votes do not determine the strengths, or an empty string.
        ranks: System to its rank.
        systems: System to its wins, ties and losses, sorted by strength, the best first.
        pairs: Pair of systems to the wins, ties and losses of the first one.
        votes: The number of votes, after votes in both orders are merged.
        ties: The number of ties among them.
        inputs: The number of inputs; 0 if they are not named.
        raters: The number of raters; 0 if they are not named.
        cluster: What makes votes dependent; ``none`` if every vote is independent.
        position: The verdicts on pairs judged in both orders.
        against: The agreement of votes with those of people.
        rankings: The agreement of the ranking of each judge with that of people.
        best_worst: Item to its counts, if the tables contain choices.
        reliability: The split-half reliability of best–worst scores.
        left_out: The number of rows that are left out, by the reason.
    """

    request: PreferenceRequest
    model: BradleyTerry | None
    undetermined: str
    ranks: Mapping[str, Rank]
    systems: Mapping[str, Record]
    pairs: Mapping[tuple[str, str], Record]
    votes: int
    ties: int
    inputs: int
    raters: int
    cluster: str
    position: PositionBias = field(default_factory=lambda: PositionBias(0, 0, 0, 0))
    against: AgainstPeople | None = None
    rankings: Sequence[RankingAgreement] = ()
    best_worst: Mapping[str, BestWorst] | None = None
    reliability: Reliability | None = None
    left_out: Mapping[str, int] = field(default_factory=Counter)


def system_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each system, the strongest first; undefined numbers are NaN."""
    estimates = _strengths(found)
    records = []
    for system, record in found.systems.items():
        strength, error, lower, upper = estimates.get(system, (math.nan,) * 4)
        rank = found.ranks.get(system, (None, None))
        row: dict[str, Any] = {
            "system": system,
            "strength": strength,
            "standard_error": error,
            "lower": lower,
            "upper": upper,
        }
        row |= {"rank_best": rank[0], "rank_worst": rank[1]}
        row |= {"wins": record.wins, "ties": record.ties, "losses": record.losses}
        rate = record.win_rate(found.request.confidence)
        row |= {"win_rate": rate.value, "win_rate_lower": rate.lower, "win_rate_upper": rate.upper}
        if found.best_worst is not None:
            counts = found.best_worst[system]
            row |= {"best_worst": counts.score, "appearances": counts.appearances}
            row |= {"best": counts.best, "worst": counts.worst}
        records.append(row)
    if found.model is None and found.best_worst is not None:
        records.sort(key=lambda row: -float(row["best_worst"]))
    return records


def _strengths(found: Preferences) -> dict[str, tuple[float, ...]]:
    if found.model is None:
        return {}
    request = found.request
    value, lower, upper = found.model.intervals(request.confidence, request.scale)
    errors = SCALES[request.scale][1] * found.model.standard_errors
    columns = (value.tolist(), errors.tolist(), lower.tolist(), upper.tolist())
    return dict(zip(found.model.systems, zip(*columns, strict=True), strict=True))


def pair_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each pair of systems; the win rate is that of the first one."""
    records = []
    for (first, second), record in found.pairs.items():
        rate = record.win_rate(found.request.confidence)
        row = {"system_a": first, "system_b": second, "wins": record.wins, "ties": record.ties}
        row |= {"losses": record.losses, "win_rate": rate.value, "lower": rate.lower, "upper": rate.upper}
        records.append(row)
    return records


def coefficient_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each covariate, with its coefficient in standard deviations of the covariate."""
    if found.model is None:
        return []
    model = found.model
    t = model.quantile(found.request.confidence)
    columns = (model.covariates, model.coefficients.tolist(), model.coefficient_errors.tolist())
    return [
        {"covariate": name, "value": value, "standard_error": e, "lower": value - t * e, "upper": value + t * e}
        for name, value, e in zip(*columns, strict=True)
    ]


def agreement_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each agreement: of each judge with people, in each subset, and of people."""
    if found.against is None:
        return []
    level = found.request.confidence
    records = []
    for judge in found.against.judges:
        name = "judge" if judge.judge is None else judge.judge
        records += _both(name, "", (judge.with_ties, judge.without_ties), level)
        for subset, both in judge.subsets.items():
            records += _both(name, subset, both, level)
        records += _macro_averages(name, judge)
    return [*records, *_both("people with each other", "", found.against.people, level)]


def _both(name: str, subset: str, both: Sequence[VerdictAgreement], level: float) -> list[dict[str, Any]]:
    return [
        _agreement(name, subset, ties, one, one.share(level)) for ties, one in zip((True, False), both, strict=True)
    ]


def _agreement(name: str, subset: str, ties: bool, one: VerdictAgreement, share: Proportion) -> dict[str, Any]:
    row = {"judge": name, "subset": subset, "ties": "with" if ties else "without", "n": one.count}
    return row | {"agreement": share.value, "lower": share.lower, "upper": share.upper, "kappa": one.kappa}


def _macro_averages(name: str, judge: JudgeAgreement) -> list[dict[str, Any]]:
    undefined = {"lower": math.nan, "upper": math.nan, "kappa": math.nan}
    return [
        {"judge": name, "subset": "(macro average)", "ties": words, "n": len(judge.subsets)}
        | {"agreement": judge.macro_average(ties), **undefined}
        for words, ties in (("with", True), ("without", False))
        if judge.subsets
    ]


def ranking_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each judge and subset: Kendall's τ-b of its strengths with those of people."""
    return [
        {
            "judge": ranking.name,
            "subset": ranking.subset,
            "systems": ranking.systems,
            "tau_b": ranking.tau_b.value,
            "lower": ranking.tau_b.lower,
            "upper": ranking.tau_b.upper,
            "by": ranking.by,
            "units": ranking.units,
            "undefined_resamples": ranking.tau_b.undefined_resamples,
            "reason": ranking.reason or None,
        }
        for ranking in found.rankings
    ]


RECORDS: Mapping[str, Callable[[Preferences], list[dict[str, Any]]]] = {
    "systems": system_records,
    "pairs": pair_records,
    "ranking": ranking_records,
    "agreement": agreement_records,
}
"""The tables by name."""


def as_json(found: Preferences, warnings: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
    """Returns everything as a dictionary that `to_json` writes."""
    request, model = found.request, found.model
    content: dict[str, Any] = {**head_of("fw prefer"), "systems": system_records(found)}
    content |= {"pairs": pair_records(found), "coefficients": coefficient_records(found)}
    content |= {"votes": found.votes, "ties": found.ties, "inputs": found.inputs, "raters": found.raters}
    content["left_out"] = dict(found.left_out)
    content["clusters"] = {"by": found.cluster, "count": None if model is None else model.clusters}
    content |= {"scale": request.scale, "ridge": request.ridge, "confidence": request.confidence}
    content |= {"correction": request.correction, "inconsistent": request.inconsistent}
    content["position"] = _position(found)
    if found.against is not None:
        content["ranking"] = {"statistic": "kendall-b", "interval": "bootstrap", "resamples": request.resamples}
        content["ranking"] |= {"seed": request.seed, "judges": ranking_records(found)}
        content["against"] = agreement_records(found)
    if found.reliability is not None:
        reliability = found.reliability
        content["split_half"] = {"pearson": reliability.pearson, "spearman": reliability.spearman}
        content["split_half"] |= {"spearman_brown": reliability.of_all, "splits": reliability.splits}
    return content | {"undetermined": found.undetermined or None, "notes": list(notes), "warnings": list(warnings)}


def _position(found: Preferences) -> dict[str, Any] | None:
    bias, level = found.position, found.request.confidence
    if not bias.pairs:
        return None
    consistency, first = bias.consistency(level), bias.first_rate(level)
    return {
        "pairs": bias.pairs,
        "consistent": bias.consistent,
        "consistency": consistency._asdict(),
        "first": bias.first,
        "second": bias.second,
        "first_rate": first._asdict(),
        "p_value": bias.p_value,
    }
