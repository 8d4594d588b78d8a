"""acc-eq, the pairwise accuracy of outputs with the ε that fits the metric best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import checked_choice
from metrics_framework.meta_evaluation.coefficients.calibration import calibrated, fold_epsilons
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.kendall import Accuracy
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import LEVELS, Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


@Coefficient.register("acc-eq")
class AccEq(Accuracy):
    """acc-eq, (C + T_hm)/T with tie calibration: ε is the one that maximizes it, unless one is given.

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
    Tie Calibration".
    """

    title = "acc-eq"
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon", "folds"})

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
        if options.fold_epsilons:
            return options, {}
        if options.folds:
            epsilons, fold_of = fold_epsilons(scores, options.folds, level, skips_empty=True)
            source = f"cross-fitted over {options.folds} folds of inputs"
            fitted = replace(options, fold_epsilons=epsilons, fold_of=fold_of)
            return fitted, {"epsilon": [*epsilons], "epsilon_source": source}
        found = calibrated(scores, level)
        at_extremes = {"accuracy_at_zero": found.accuracy_at_zero, "accuracy_all_tied": found.accuracy_all_tied}
        if options.epsilon is not None:
            source = options.epsilon_source
            return options, {"epsilon": options.epsilon, "epsilon_source": source, **at_extremes}
        details = {"epsilon": found.epsilon, "epsilon_source": "calibrated on these data", **at_extremes}
        epsilon = 0.0 if math.isnan(found.epsilon) else found.epsilon
        return replace(options, epsilon=epsilon), {**details, "tied": found.tied}


@dataclass(frozen=True)
class CrossFit:
    """The accuracy of a metric with ε calibrated on other inputs than those it is applied to.

    Args:
        accuracy: The mean of the values that are defined; NaN if none is.
        epsilon: The ε of each fold of inputs, calibrated on the other folds; shape (folds,).
        values: The accuracy of each group: at the level ``input`` in the order of the inputs, shape (inputs,), at other
            levels of the groups within each fold, shape (folds, groups).
    """

    accuracy: float
    epsilon: Floats
    values: Floats


def cross_fit(human: Any, metric: Any, *, folds: int, level: Level = "input") -> CrossFit:
    """Computes acc-eq with cross-fitted ε: the input with index j is in the fold j mod K.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        folds: The number of folds K, from 2 to the number of inputs.
        level: The level, as in `calibrate`; groups contain inputs of one fold only.

    Raises:
        InputError: if an argument is invalid.

    >>> human = [[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]]
    >>> metric = [[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]]
    >>> found = cross_fit(human, metric, folds=2)
    >>> found.epsilon.round(9).tolist(), found.values.round(3).tolist()
    ([0.05, 0.0], [1.0, 0.667, 0.667, 0.667])
    """
    scores, at = ScorePair(human, metric), checked_choice(level, LEVELS, "level")
    epsilons, fold_of = fold_epsilons(scores, folds, at)
    found = AccEq().measure(scores, at, CoefficientOptions(fold_epsilons=epsilons, fold_of=fold_of))
    values = found.groups if at == "input" else found.groups.reshape(folds, -1)
    return CrossFit(found.value, np.array(epsilons), values)
