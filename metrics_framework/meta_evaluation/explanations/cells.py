"""The outputs that have all of some scores and covariates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.checks import checked_scores


@dataclass(frozen=True)
class CompleteCells:
    """The outputs that have both scores and every covariate.

    Args:
        x: The first score, shape (outputs,).
        z: The second.
        covariates: Shape (outputs, covariates).
        systems: The system of each output, shape (outputs,).
        inputs: The input of each output.
        left_out: The number of outputs left out that have both scores, but not every covariate.
    """

    x: Floats
    z: Floats
    covariates: Floats
    systems: Indices
    inputs: Indices
    left_out: int

    @classmethod
    def of(cls, x: Floats, z: Floats, covariates: Mapping[str, Any]) -> CompleteCells:
        """Selects the outputs.

        Args:
            x: The first score, shape (systems, inputs); NaN where missing.
            z: The second, of the same shape.
            covariates: Name to values, of the same shape.

        Raises:
            InputError: if a covariate is no matrix of numbers of that shape.
        """
        if not isinstance(covariates, Mapping):
            raise InputError(f"'covariates' must be a mapping of names to matrices, got {type(covariates).__name__}")
        matrices = [checked_scores(values, f"covariates[{name!r}]") for name, values in covariates.items()]
        for name, matrix in zip(covariates, matrices, strict=True):
            if matrix.shape != x.shape:
                raise InputError(
                    f"'covariates[{name!r}]' must have the shape of the scores, {x.shape}, got {matrix.shape}"
                )
        scored = ~np.isnan(x) & ~np.isnan(z)
        complete = scored & ~np.isnan(np.array(matrices).reshape(-1, *x.shape)).any(axis=0)
        systems, inputs = np.nonzero(complete)
        chosen = (
            np.stack([matrix[complete] for matrix in matrices], axis=1) if matrices else np.empty((len(systems), 0))
        )
        return cls(x[complete], z[complete], chosen, systems, inputs, int(scored.sum() - complete.sum()))
