"""Partial correlations of the pairs of a study: at equal values of covariates, such as the length of the output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

import numpy as np

from metrics_framework.common.errors import UsageError
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest
from metrics_framework.meta_evaluation.explanations import (
    PartialCoefficient,
    PartialCorrelation,
    PartialLevel,
    partial_correlation,
)
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns
from metrics_framework.meta_evaluation.sums.score_pair import without_small_groups


@dataclass(frozen=True)
class Partial:
    """A partial correlation of a metric and a human score.

    Args:
        metric1: The metric.
        metric2: The human score.
        level: The level.
        coefficient: The coefficient.
        covariates: The names of the covariates.
        found: The partial correlation.
        data_set: The data set of the outputs; empty if there is only one.
    """

    metric1: str
    metric2: str
    level: str
    coefficient: str
    covariates: Sequence[str]
    found: PartialCorrelation
    data_set: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the correlation as it appears in the JSON file."""
        return {
            **({"data_set": self.data_set} if self.data_set else {}),
            "metric1": self.metric1,
            "metric2": self.metric2,
            "level": self.level,
            "coefficient": self.coefficient,
            "covariates": list(self.covariates),
            "value": self.found.value,
            "uncontrolled": self.found.uncontrolled,
            "p_value": self.found.p_value,
            "num_outputs": self.found.outputs,
            "dropped": self.found.left_out,
        }


def partials_of(columns: ScoreColumns, request: CorrelateRequest, data_set: str = "") -> list[Partial]:
    """Computes the partial correlations of all pairs, at the levels and by the coefficients that have them.

    Args:
        columns: The scores, with the covariates.
        request: What to compute.
        data_set: The data set of the scores.

    Raises:
        UsageError: if the study has no level or no coefficient with a partial correlation.
    """
    if not request.covariates:
        return []
    names = [name for name in request.coefficients if name in get_args(PartialCoefficient)]
    levels = [level for level in request.levels if level in get_args(PartialLevel)]
    if not names or not levels:
        raise UsageError(
            f"partial correlations need a coefficient of {', '.join(get_args(PartialCoefficient))} "
            f"at a level of {', '.join(get_args(PartialLevel))}"
        )
    return [
        Partial(metric, human, level, name, request.covariates, found, data_set)
        for metric, human in request.pairs
        if metric not in request.covariates
        for level in levels
        for name in names
        for found in [_partial(columns, metric, human, level, name, request)]
    ]


def _partial(
    columns: ScoreColumns, metric: str, human: str, level: Level, name: str, request: CorrelateRequest
) -> PartialCorrelation:
    scores = columns.scores
    joint = np.where(np.isnan(scores[metric]), np.nan, scores[human])
    found = partial_correlation(
        without_small_groups(joint, level, request.min_group),
        scores[metric],
        {covariate: scores[covariate] for covariate in request.covariates},
        cast("PartialCoefficient", name),
        level=cast("PartialLevel", level),
    )
    # The p-value is that of independent outputs, which outputs of one cluster are not.
    return found if request.clusters is None else replace(found, p_value=math.nan)
