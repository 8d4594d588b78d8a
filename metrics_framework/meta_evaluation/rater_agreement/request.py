"""What a study of ratings computes, and the names of coefficients of agreement and of their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.study import Request

if TYPE_CHECKING:
    from metrics_framework.inputs.values import Scale

ALL = "all"
"""Selects all coefficients."""
WEIGHTS: Mapping[str, tuple[str, ...]] = {
    "krippendorff": ("nominal", "ordinal", "interval", "ratio"),
    "gwet": ("identity", "linear", "quadratic"),
    "fleiss": ("identity", "linear", "quadratic"),
    "cohen": ("identity", "linear", "quadratic"),
    "icc": ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k"),
}
"""Coefficient of agreement, in the order of tables, to the weights that it may have."""


@dataclass(frozen=True)
class AgreementRequest(Request):
    """The options of `api.agreement.agreement`."""

    rating: Sequence[str]
    statistics: Sequence[str]
    weights: Sequence[str]
    by: str | None
    pairwise: bool
    plans: Sequence[tuple[int, int]]
    labels: bool
    scale: Scale | None
    rater_column: str | None
    raters: Sequence[str]
    cluster: str | None
    confidence: float
    seed: int

    def __post_init__(self) -> None:
        if self.raters and self.rater_column is not None:
            raise InputError("'rater_column' names the raters of 'rating'; leave it out with 'raters'")
        if bool(self.rating) == bool(self.raters):
            raise InputError("either 'rating' must name the ratings, or 'raters' the columns of the raters")
