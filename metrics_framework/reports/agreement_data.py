"""Studies of ratings as records and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from metrics_framework.meta_evaluation.raters.study import RatingStudy, Request


def agreement_records(studies: Sequence[RatingStudy]) -> list[dict[str, Any]]:
    """Returns a dictionary for each coefficient of each rated quality and group of outputs."""
    records = []
    for study in studies:
        for group, agreements in study.agreements.items():
            for agreement in agreements:
                numbers = agreement.as_json()
                statistic = {"statistic": numbers.pop("name"), **numbers}
                records.append({"rating": study.ratings.name, "group": group, **statistic})
    return records


def studies_as_json(studies: Sequence[RatingStudy], request: Request) -> dict[str, Any]:
    """Returns all results; the first key names the command."""
    settings = {
        "confidence": request.confidence,
        "resamples": request.resamples,
        "seed": request.seed,
        "by": request.by,
        "cluster": request.cluster,
    }
    return {"command": "fw agreement", **settings, "ratings": [_study_as_json(study) for study in studies]}


def _study_as_json(study: RatingStudy) -> dict[str, Any]:
    plans = study.plans
    return {
        "rating": study.ratings.name,
        "raters": list(study.ratings.raters),
        "outputs": len(study.ratings.units),
        "missing": dict(study.ratings.missing),
        "categories": list(study.ratings.labels) or None,
        "clusters": study.clusters,
        "outputs_without_group": study.ungrouped,
        "agreement": [{"group": group, **one.as_json()} for group, found in study.agreements.items() for one in found],
        "pairs": [asdict(pair) for pair in study.pairs],
        "variance_components": None if plans is None or plans.components is None else plans.components.as_json(),
        "plans": [] if plans is None else [plan.as_json() for plan in plans.crossed],
        "mean_of_ratings": {} if plans is None else {str(k): value for k, value in plans.nested.items()},
        "ceilings": {name: [one.as_json() for one in found] for name, found in study.ceilings.items()},
    }
