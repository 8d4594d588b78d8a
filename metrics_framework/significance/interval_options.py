"""The options of intervals that a configuration or a caller sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.significance.confidence_level import as_fraction

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
    arguments = {CONFIDENCE_OPTIONS[name]: value for name, value in options.items()}
    return {**arguments, "level": as_fraction(arguments["level"])} if "level" in arguments else arguments
