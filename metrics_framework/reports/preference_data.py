"""What votes say, as records and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metrics_framework.meta_evaluation.preferences.against_people import JudgeAgreement, VerdictAgreement
from metrics_framework.meta_evaluation.preferences.analysis import Preferences
from metrics_framework.meta_evaluation.preferences.strengths import SCALES
from metrics_framework.significance.proportions import Proportion


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
        rate = record.win_rate(found.settings.confidence)
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
    settings = found.settings
    value, lower, upper = found.model.intervals(settings.confidence, settings.scale)
    errors = SCALES[settings.scale][1] * found.model.standard_errors
    columns = (value.tolist(), errors.tolist(), lower.tolist(), upper.tolist())
    return dict(zip(found.model.systems, zip(*columns, strict=True), strict=True))


def pair_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each pair of systems; the win rate is that of the first one."""
    records = []
    for (first, second), record in found.pairs.items():
        rate = record.win_rate(found.settings.confidence)
        row = {"system_a": first, "system_b": second, "wins": record.wins, "ties": record.ties}
        row |= {"losses": record.losses, "win_rate": rate.value, "lower": rate.lower, "upper": rate.upper}
        records.append(row)
    return records


def coefficient_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each covariate, with its coefficient in standard deviations of the covariate."""
    if found.model is None:
        return []
    model = found.model
    t = model.quantile(found.settings.confidence)
    columns = (model.covariates, model.coefficients.tolist(), model.coefficient_errors.tolist())
    return [
        {"covariate": name, "value": value, "standard_error": e, "lower": value - t * e, "upper": value + t * e}
        for name, value, e in zip(*columns, strict=True)
    ]


def agreement_records(found: Preferences) -> list[dict[str, Any]]:
    """Returns a dictionary for each agreement: of each judge with people, in each subset, and of people."""
    if found.against is None:
        return []
    level = found.settings.confidence
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


def as_json(found: Preferences, warnings: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
    """Returns everything as a dictionary that `to_json` writes."""
    settings, model = found.settings, found.model
    content: dict[str, Any] = {"command": "fw prefer", "systems": system_records(found)}
    content |= {"pairs": pair_records(found), "coefficients": coefficient_records(found)}
    content |= {"votes": found.votes, "ties": found.ties, "inputs": found.inputs, "raters": found.raters}
    content["left_out"] = dict(found.left_out)
    content["clusters"] = {"by": found.cluster, "count": None if model is None else model.clusters}
    content |= {"scale": settings.scale, "ridge": settings.ridge, "confidence": settings.confidence}
    content |= {"correction": settings.correction, "inconsistent": settings.inconsistent}
    content["position"] = _position(found)
    if found.against is not None:
        content["against"] = agreement_records(found)
    if found.reliability is not None:
        reliability = found.reliability
        content["split_half"] = {"pearson": reliability.pearson, "spearman": reliability.spearman}
        content["split_half"] |= {"spearman_brown": reliability.of_all, "splits": reliability.splits}
    return content | {"undetermined": found.undetermined or None, "notes": list(notes), "warnings": list(warnings)}


def _position(found: Preferences) -> dict[str, Any] | None:
    bias, level = found.position, found.settings.confidence
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
