"""Lin's concordance, a coefficient of the plug-in ``fw_example_plugin``: for a test, and by its definition."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from metrics_framework import Coefficient

FOLDER = Path(__file__).parent / "plugins" / "fw_example_plugin"
MODULE = "fw_example_plugin.concordance"


@contextmanager
def registered_concordance() -> Iterator[type[Coefficient]]:
    """Registers the coefficient ``concordance`` by importing the module of the plug-in, and forgets it afterwards."""
    registry = Coefficient.registry()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        registry.search()
        patch.setattr(registry, "entries", dict(registry.entries))
        try:
            yield importlib.import_module(MODULE).Concordance
        finally:
            for name in [name for name in sys.modules if name.startswith("fw_example_plugin")]:
                del sys.modules[name]


def plain_concordance(human: Sequence[float], metric: Sequence[float]) -> float:
    """Computes 2·s_hm / (s_hh + s_mm + (h̄ − m̄)²) of one group of outputs, with variances over n."""
    n = len(human)
    if n < 2:
        return math.nan
    mean_h, mean_m = math.fsum(human) / n, math.fsum(metric) / n
    covariance = math.fsum((h - mean_h) * (m - mean_m) for h, m in zip(human, metric, strict=True)) / n
    variances = math.fsum((h - mean_h) ** 2 for h in human) / n + math.fsum((m - mean_m) ** 2 for m in metric) / n
    spread = variances + (mean_h - mean_m) ** 2
    return 2 * covariance / spread if spread else math.nan
