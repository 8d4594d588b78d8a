"""Names of coefficients of agreement and of their weights; flags follow from them, so this imports nothing."""

from __future__ import annotations

from collections.abc import Mapping

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
