"""The options of intervals: their choices and defaults, and how a configuration or a caller sets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

IntervalMethod = Literal["percentile", "bca", "studentized", "jackknife"]
METHOD_NAMES: Mapping[IntervalMethod, str] = {
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "studentized": "studentized bootstrap",
    "jackknife": "jackknife",
}
INTERVAL_METHODS = tuple(METHOD_NAMES)
Scheme = Literal["draws", "poisson"]
SCHEMES: Mapping[Scheme, str] = {
    "draws": "draws inputs with replacement, as sacreBLEU does",
    "poisson": "gives each input a random weight that depends only on its id, for runs of any size",
}
SCHEME: Scheme = "draws"
METHOD: IntervalMethod = "percentile"
"""The method of sacreBLEU."""
RESAMPLES = 1000
SEED = 12345
"""The default seed of sacreBLEU."""
LEVEL = 0.95
CONFIDENCE_OPTIONS: Mapping[str, str] = {
    "level": "level",
    "method": "method",
    "resamples": "resamples",
    "resampling": "scheme",
    "seed": "seed",
}
"""Each option, and the parameter of `Resampling` that it sets."""


def resampling_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of `Resampling` that options of intervals set; a level may be in percent.

    Raises:
        InputError: if the level is not a confidence level.

    >>> resampling_arguments({"level": 90, "resampling": "poisson"})
    {'level': 0.9, 'scheme': 'poisson'}
    """
    from metrics_framework.significance.confidence_level import as_fraction

    arguments = {CONFIDENCE_OPTIONS[name]: value for name, value in options.items()}
    return {**arguments, "level": as_fraction(arguments["level"])} if "level" in arguments else arguments
