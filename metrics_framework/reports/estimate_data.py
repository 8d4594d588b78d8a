"""The results of ``fw estimate`` as records and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.estimation.predicted_means import PredictedMean
    from metrics_framework.meta_evaluation.estimation.system_estimates import MeanDifference, ShareEstimate, SystemMean


@dataclass(frozen=True)
class JudgeEstimates:
    """The estimates with the scores of one judge.

    Attributes:
        judge: The judge.
        means: The mean rating of each system.
        shares: The share of good outputs of each system, for pass/fail judges.
        differences: The differences of systems.
        undecided: The number of outputs left out because as many raters call them good as bad.
        clusters: The number of clusters of inputs; `None` without clusters.
    """

    judge: str
    means: Sequence[SystemMean]
    shares: Sequence[ShareEstimate]
    differences: Sequence[MeanDifference]
    undecided: int
    clusters: int | None


def estimate_records(estimates: Sequence[JudgeEstimates]) -> list[dict[str, Any]]:
    """Returns the numbers of each system and each difference in one level; undefined ones are `None`."""
    records = []
    for found in estimates:
        shares = {share.system: share for share in found.shares}
        for entry in found.means:
            first = {"judge": found.judge, "system": entry.system, "minus": None}
            records.append({**first, **_numbers(entry.mean), **_p_values(None), **_corrected(shares, entry.system)})
        for pair in found.differences:
            first = {"judge": found.judge, "system": pair.system1, "minus": pair.system2}
            records.append({**first, **_numbers(pair.mean), **_p_values(pair), **_corrected(shares, None)})
    return records


def _numbers(mean: PredictedMean | None) -> dict[str, Any]:
    names = ("rated", "unrated", "value", "lower", "upper", "tuning", "standard_error", "ratings_saved", "imbalance")
    values = {name: None if mean is None else _defined(getattr(mean, name)) for name in names}
    for name in ("value", "lower", "upper"):
        values[f"classical_{name}"] = None if mean is None else _defined(getattr(mean.classical, name))
    return values


def _p_values(pair: MeanDifference | None) -> dict[str, Any]:
    if pair is None:
        return {"p_value": None, "p_holm": None}
    return {"p_value": _defined(pair.p_value), "p_holm": _defined(pair.p_adjusted)}


def _corrected(shares: Mapping[str, ShareEstimate], system: str | None) -> dict[str, Any]:
    if not shares:
        return {}
    names = ("corrected", "corrected_lower", "corrected_upper", "sensitivity", "specificity")
    if system is None:
        return dict.fromkeys(names)
    share = shares[system]
    estimate = share.corrected
    numbers = (estimate.value, estimate.lower, estimate.upper, share.sensitivity.value, share.specificity.value)
    return {name: _defined(number) for name, number in zip(names, numbers, strict=True)}


def _defined(number: float) -> float | None:
    return None if math.isnan(number) else number


def estimates_as_json(estimates: Sequence[JudgeEstimates], options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all results; NaN is written as ``null``."""
    return {
        "command": "fw estimate",
        **options,
        "judges": [
            {
                "judge": found.judge,
                "clusters": found.clusters,
                "undecided": found.undecided,
                "systems": [asdict(entry) for entry in found.means],
                "shares": [_share(share) for share in found.shares],
                "differences": [asdict(pair) for pair in found.differences],
            }
            for found in estimates
        ],
    }


def _share(share: ShareEstimate) -> dict[str, Any]:
    n, bad, good = share.counts
    return {
        "system": share.system,
        "rated": share.rated._asdict(),
        "judged": share.judged._asdict(),
        "predicted": None if share.predicted is None else asdict(share.predicted),
        "corrected": share.corrected.as_json(),
        "sensitivity": share.sensitivity._asdict(),
        "specificity": share.specificity._asdict(),
        "counts": {"unrated": n, "rated_bad": bad, "rated_good": good},
        "reason": share.reason or None,
    }
