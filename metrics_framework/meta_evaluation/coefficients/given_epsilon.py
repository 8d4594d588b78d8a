"""`GivenEpsilon`: coefficients that report the ε they were given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


class GivenEpsilon(Coefficient):
    """A coefficient with an ε that is 0 unless it is given, and is never calibrated."""

    @overrides
    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        if options.epsilon is None:
            return options, {}
        return options, {"epsilon": options.epsilon, "epsilon_source": options.epsilon_source}
