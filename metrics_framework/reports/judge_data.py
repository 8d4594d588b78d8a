"""The results of ``fw judge`` as records and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.judges.judge_agreement import MeanAgreement
from metrics_framework.meta_evaluation.judges.judging import SWEEP, JudgeReport, Judging


def judge_record(report: JudgeReport) -> dict[str, Any]:
    """Returns the numbers of a judge in one level; undefined ones are `None`."""
    return {
        "judge": report.name,
        "is_sentinel": report.is_sentinel,
        "epsilon": report.test.epsilon,
        "winning_rate": report.test.winning_rate,
        "passes": report.test.passes,
        "least_epsilon": report.least_epsilon,
        "raters": len(report.test.raters),
        "units": report.test.units,
        **_flat("advantage_probability", report.advantage),
        **_flat("above_constant", report.above_constant),
        **_flat("alpha", report.agreement.alpha),
        **_flat("kappa", report.agreement.kappa),
        **_flat("signed_error", report.agreement.signed_error),
        **_flat("spread", report.agreement.spread),
    }


def _flat(name: str, interval: Interval | None) -> dict[str, float | None]:
    numbers = (None,) * 3 if interval is None else (interval.value, interval.lower, interval.upper)
    names = (name, f"{name}_lower", f"{name}_upper")
    return {name: _defined(number) for name, number in zip(names, numbers, strict=True)}


def _defined(number: float | None) -> float | None:
    return None if number is None or math.isnan(number) else number


def judging_as_json(judging: Judging, rating: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all results; NaN is written as ``null``.

    Args:
        judging: The results.
        rating: The rated quality.
        options: Further options.
    """
    return {
        "command": "fw judge",
        "rating": rating,
        **asdict(judging.settings),
        **options,
        "units": judging.units,
        "clusters": judging.clusters,
        "unjudged": dict(judging.unjudged),
        "too_few_raters": judging.too_few_raters,
        "left_out_raters": dict(judging.judges[0].test.left_out_raters),
        "constants": dict(judging.constants),
        "sweep_epsilons": list(SWEEP),
        "judges": [_judge(report) for report in judging.judges],
        "differences": [
            {"judge1": pair.judge1, "judge2": pair.judge2, "advantage_probability": pair.advantage.as_json()}
            for pair in judging.differences
        ],
        "raters": _agreement(judging.raters),
    }


def _judge(report: JudgeReport) -> dict[str, Any]:
    signed_error, spread = report.agreement.signed_error, report.agreement.spread
    return {
        "judge": report.name,
        "is_sentinel": report.is_sentinel,
        "advantage_probability": report.advantage.as_json(),
        "winning_rate": report.test.winning_rate,
        "passes": report.test.passes,
        "verdict": report.verdict,
        "least_epsilon": report.least_epsilon,
        "above_constant": None if report.above_constant is None else report.above_constant.as_json(),
        "sweep": list(report.sweep),
        "raters": [asdict(rater) for rater in report.test.raters],
        "agreement": _agreement(report.agreement),
        "signed_error": None if signed_error is None else signed_error.as_json(),
        "spread": None if spread is None else spread.as_json(),
    }


def _agreement(agreement: MeanAgreement) -> dict[str, Any]:
    return {
        "alpha": agreement.alpha.as_json(),
        "kappa": agreement.kappa.as_json(),
        "pairs": [{name: value for name, value in asdict(pair).items() if value != ""} for pair in agreement.pairs],
    }
