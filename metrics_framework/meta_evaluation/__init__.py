"""Meta-evaluation: how well metrics, judges and raters agree, as functions on arrays.

Matrices have one row per system and one column per input; NaN is a missing score. The functions are loaded when they
are first used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from metrics_framework.common import names_in

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.coefficients.calibration import AccuracyCurve as AccuracyCurve
    from metrics_framework.meta_evaluation.coefficients.calibration import Calibration as Calibration
    from metrics_framework.meta_evaluation.coefficients.calibration import accuracy_curve as accuracy_curve
    from metrics_framework.meta_evaluation.coefficients.calibration import calibrate as calibrate
    from metrics_framework.meta_evaluation.coefficients.on_arrays import coefficient as coefficient
    from metrics_framework.meta_evaluation.coefficients.on_arrays import group_values as group_values
    from metrics_framework.meta_evaluation.coefficients.on_arrays import group_weights as group_weights
    from metrics_framework.meta_evaluation.coefficients.on_arrays import resampled as resampled
    from metrics_framework.meta_evaluation.coefficients.spa import SoftPairwiseAccuracy as SoftPairwiseAccuracy
    from metrics_framework.meta_evaluation.coefficients.spa import soft_pairwise_accuracy as soft_pairwise_accuracy
    from metrics_framework.meta_evaluation.differences.averages import PRESETS as PRESETS
    from metrics_framework.meta_evaluation.differences.averages import AverageMatrix as AverageMatrix
    from metrics_framework.meta_evaluation.differences.averages import Task as Task
    from metrics_framework.meta_evaluation.differences.averages import average_matrix as average_matrix
    from metrics_framework.meta_evaluation.differences.compared_metrics import Difference as Difference
    from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix as DifferenceMatrix
    from metrics_framework.meta_evaluation.differences.compared_metrics import cluster_ranks as cluster_ranks
    from metrics_framework.meta_evaluation.differences.compared_metrics import difference as difference
    from metrics_framework.meta_evaluation.differences.compared_metrics import difference_matrix as difference_matrix
    from metrics_framework.meta_evaluation.differences.difference_test import Power as Power
    from metrics_framework.meta_evaluation.differences.stat_sig import PartialConjunction as PartialConjunction
    from metrics_framework.meta_evaluation.differences.stat_sig import (
        partial_conjunction_test as partial_conjunction_test,
    )
    from metrics_framework.meta_evaluation.differences.stat_sig import stat_sig_test as stat_sig_test
    from metrics_framework.meta_evaluation.estimate.estimators import PredictedMean as PredictedMean
    from metrics_framework.meta_evaluation.estimate.estimators import misclassification as misclassification
    from metrics_framework.meta_evaluation.estimate.estimators import predicted_mean as predicted_mean
    from metrics_framework.meta_evaluation.explanations import PartialCorrelation as PartialCorrelation
    from metrics_framework.meta_evaluation.explanations import VarianceShares as VarianceShares
    from metrics_framework.meta_evaluation.explanations import partial_correlation as partial_correlation
    from metrics_framework.meta_evaluation.explanations import variance_shares as variance_shares
    from metrics_framework.meta_evaluation.intervals import Interval as Interval
    from metrics_framework.meta_evaluation.judge.alternative_annotator import AltTest as AltTest
    from metrics_framework.meta_evaluation.judge.alternative_annotator import RaterTest as RaterTest
    from metrics_framework.meta_evaluation.judge.alternative_annotator import alt_test as alt_test
    from metrics_framework.meta_evaluation.judge.calibration import Reliability as Reliability
    from metrics_framework.meta_evaluation.judge.calibration import reliability as reliability
    from metrics_framework.meta_evaluation.prefer.strengths import BradleyTerry as BradleyTerry
    from metrics_framework.meta_evaluation.prefer.strengths import bradley_terry as bradley_terry
    from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import Agreement as Agreement
    from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import agreement as agreement

if not TYPE_CHECKING:  # or type checkers would accept every name

    def __getattr__(name: str) -> Any:
        names = names_in(__file__)
        if name == "__all__":
            return [*names]
        if name not in names:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name, obj=sys.modules[__name__])
        import importlib

        value = getattr(importlib.import_module(names[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*names_in(__file__), *(name for name in globals() if name.startswith("__"))})
