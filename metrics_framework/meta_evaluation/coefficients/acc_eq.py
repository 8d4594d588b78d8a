"""acc-eq, the pairwise accuracy of outputs with the ε that fits the metric best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.calibration import calibrated
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.kendall import Accuracy
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


@Coefficient.register("acc-eq")
class AccEq(Accuracy):
    """acc-eq, (C + T_hm)/T with tie calibration: ε is the one that maximizes it, unless one is given.

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
    Tie Calibration".
    """

    title = "acc-eq"
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon"})
    calibrates_epsilon: ClassVar[bool] = True

    @overrides
    def with_given_epsilon(self, options: CoefficientOptions) -> CoefficientOptions:
        raise InputError(
            f"'epsilon' must be 0 for '{self.name}', got {options.epsilon}; it calibrates epsilon on the data: pass a "
            "given one to 'acc-23'"
        )

    @overrides
    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        found = calibrated(scores, level)
        at_extremes = {"accuracy_at_zero": found.accuracy_at_zero, "accuracy_all_tied": found.accuracy_all_tied}
        if options.epsilon is not None:
            source = options.epsilon_source
            return options, {"epsilon": options.epsilon, "epsilon_source": source, **at_extremes}
        details = {"epsilon": found.epsilon, "epsilon_source": "calibrated on these data", **at_extremes}
        epsilon = 0.0 if math.isnan(found.epsilon) else found.epsilon
        return replace(options, epsilon=epsilon), {**details, "tied": found.tied}
