"""Which coefficients, levels and outputs are chosen unless others are named."""

from __future__ import annotations

from metrics_framework.data.eval_instance import SUMMARIZER_TYPES

COEFFICIENTS = ("pearson", "spearman", "kendall")
LEVELS = ("input", "system", "global")
SUMMARIZER_FILTERS = ("all", *reversed(SUMMARIZER_TYPES))
DUPLICATES = ("error", "first", "last")
"""How to treat an output that appears twice in one file."""
