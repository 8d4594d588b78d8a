"""Confidence intervals of the coefficients of two scores; all levels and coefficients share the same resamples."""

from __future__ import annotations

import numpy as np

from metrics_framework.meta_evaluation.correlation.settings import NONE, StudySettings, ancestor_interval_name
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.intervals.bootstrap import bootstrap, draw_resamples, fisher, percentile_interval
from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix

OLD = {"kendall-b": "kendall"}


class Intervals:
    """Computes the intervals of the coefficients of two scores.

    Args:
        matrix: The scores.
        settings: The settings of the study.
    """

    def __init__(self, matrix: ScoreMatrix, settings: StudySettings) -> None:
        self._settings = settings.interval
        self._matrix = matrix
        self._samples = {}
        method = settings.interval.method
        if method.startswith("bootstrap"):
            shape = len(matrix.systems), len(matrix.inputs)
            resamples, seed = settings.interval.resamples, settings.interval.seed
            draws = draw_resamples(ancestor_interval_name(method), shape, resamples, seed)
            levels = [level for level in settings.levels if level != "within-system"]
            self._samples = bootstrap(matrix.x, matrix.z, draws, levels)

    def interval(self, name: str, level: str, value: float, points: int) -> tuple[Interval, str]:
        """Returns the interval and its method."""
        ends = undefined = None
        method = self._settings.method
        key = level, OLD.get(name, name)
        if method == "fisher":
            ends = fisher(key[1], value, points, self._settings.tail)
        elif key in self._samples:
            samples = self._samples[key]
            ends = percentile_interval(samples, self._settings.tail)
            undefined = int(np.isnan(samples).sum())
        else:
            method = NONE
        lower, upper = ends or (np.nan, np.nan)
        return Interval(value, lower, upper, undefined), method
