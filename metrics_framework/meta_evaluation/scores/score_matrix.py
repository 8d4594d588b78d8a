"""`ScoreMatrix`: the scores of two metrics as matrices of systems × inputs, and the outputs left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.system_means import system_means


@dataclass(frozen=True)
class ScoreMatrix:
    """The outputs that have both scores.

    Args:
        x: The first metric, shape (systems, inputs); NaN if there is no output with both scores.
        z: The second, of the same shape, NaN in the same cells.
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        dropped: Cause to the number of outputs left out.
        jackknifed_names: Metric to the ``_jk`` score that outputs without the metric have instead.
        examples: Cause to the instance and summarizer of one output left out, the first by id.
        missing_judgements: The number of judgements missing from lists of judgements; means are over those present.
    """

    x: Floats
    z: Floats
    systems: Sequence[str]
    inputs: Sequence[str]
    dropped: Mapping[str, int]
    jackknifed_names: Mapping[str, str]
    examples: Mapping[str, tuple[str, str]]
    missing_judgements: int

    @property
    def num_cells(self) -> int:
        """The number of outputs that have both scores."""
        return int((~np.isnan(self.x)).sum())

    def has_outputs_of(self, other: ScoreMatrix) -> bool:
        """Returns whether two matrices have scores of the same outputs."""
        same_ids = (self.systems, self.inputs) == (other.systems, other.inputs)
        return same_ids and bool((np.isnan(self.x) == np.isnan(other.x)).all())

    def system_means(self) -> tuple[Floats, Floats]:
        """Averages both scores of each system over its inputs; shapes (systems,)."""
        return system_means(self.x), system_means(self.z)
