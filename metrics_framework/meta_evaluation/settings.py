"""The settings of `correlate`: coefficients, levels, outputs and confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metrics_framework.data.eval_instance import SUMMARIZER_TYPES
from metrics_framework.significance.resampling import RESAMPLES

COEFFICIENTS = ("pearson", "spearman", "kendall")
LEVELS = ("input", "system", "global")
SUMMARIZER_FILTERS = ("all", *reversed(SUMMARIZER_TYPES))
DUPLICATES = ("error", "first", "last")
"""How to treat an output that appears twice in one file."""

RESAMPLED = {
    "bootstrap-both": "systems and inputs",
    "bootstrap-input": "inputs",
    "bootstrap-system": "systems",
}
"""The items that each bootstrap resamples."""

INTERVAL_METHODS = {
    "none": "none",
    "fisher": "fisher",
    "bootstrap-both": "bootstrap-both",
    "bootstrap-inputs": "bootstrap-input",
    "bootstrap-systems": "bootstrap-system",
    "bootstrap-input": "bootstrap-input",
    "bootstrap-system": "bootstrap-system",
}
"""Accepted names of interval methods, and the name of each in the JSON file."""


@dataclass(frozen=True)
class IntervalSettings:
    """How confidence intervals of correlations are computed.

    Args:
        method: ``none``, ``fisher``, ``bootstrap-both``, ``bootstrap-input`` or ``bootstrap-system``.
        confidence: The confidence level, in percent.
        two_tailed: Whether alpha is split between both ends; otherwise each end gets all of it.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
    """

    method: str = "bootstrap-both"
    confidence: float = 95.0
    two_tailed: bool = True
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def alpha(self) -> float:
        """The significance level, a fraction of 1."""
        return round((100 - self.confidence) / 100, 12)

    @property
    def tail(self) -> float:
        """The fraction of the distribution beyond each end."""
        return self.alpha / 2 if self.two_tailed else self.alpha

    @property
    def is_bootstrap(self) -> bool:
        """Whether resamples are drawn."""
        return self.method in RESAMPLED

    def as_json(self) -> dict[str, Any]:
        """Returns the settings that the JSON file repeats at each level."""
        return {"ci_method": self.method, "alpha": self.alpha, "two_tailed": self.two_tailed}
