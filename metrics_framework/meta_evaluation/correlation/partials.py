"""Partial correlations of the pairs of a study: at equal values of covariates, such as the length of the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from metrics_framework.common.errors import UsageError
from metrics_framework.meta_evaluation.correlation.settings import StudySettings
from metrics_framework.meta_evaluation.explanations.partial_correlations import (
    PartialCoefficient,
    PartialCorrelation,
    PartialLevel,
    partial_correlation,
)
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns


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
    """

    metric1: str
    metric2: str
    level: str
    coefficient: str
    covariates: Sequence[str]
    found: PartialCorrelation

    def as_json(self) -> dict[str, Any]:
        """Returns the correlation as it appears in the JSON file."""
        return {
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


def partials_of(
    columns: ScoreColumns, pairs: Sequence[tuple[str, str]], covariates: Sequence[str], settings: StudySettings
) -> list[Partial]:
    """Computes the partial correlations of all pairs, at the levels and by the coefficients that have them.

    Args:
        columns: The scores, with the covariates.
        pairs: The pairs of scores.
        covariates: The names of the covariates.
        settings: The settings of the study.

    Raises:
        UsageError: if the study has no level or no coefficient with a partial correlation.
    """
    names = [name for name in settings.coefficients if name in get_args(PartialCoefficient)]
    levels = [level for level in settings.levels if level in get_args(PartialLevel)]
    if not names or not levels:
        raise UsageError(
            f"partial correlations need a coefficient of {', '.join(get_args(PartialCoefficient))} "
            f"at a level of {', '.join(get_args(PartialLevel))}"
        )
    values = {name: columns.scores[name] for name in covariates}
    return [
        Partial(metric, human, level, name, covariates, found)
        for metric, human in pairs
        if metric not in covariates
        for level in levels
        for name in names
        for found in [
            partial_correlation(
                columns.scores[human],
                columns.scores[metric],
                values,
                cast("PartialCoefficient", name),
                level=cast("PartialLevel", level),
            )
        ]
    ]
