"""`CoefficientOptions`: the options of coefficients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import SIGN_FLIPS, STREAMS, Stream, checked_choice


@dataclass(frozen=True)
class CoefficientOptions:
    """The options of coefficients; each uses those that its `uses` names.

    Args:
        epsilon: Metric scores that differ by at most ε are tied; `None` if none is given, so that a coefficient that
            calibrates it does so.
        epsilon_source: Where ε comes from.
        threshold: The least difference of human scores that counts.
        sign_flips: The number of sign flips.
        seed: The seed of the sign flips.
        stream: How they are drawn.

    Raises:
        InputError: if a value is out of range.
    """

    epsilon: float | None = None
    epsilon_source: str = "given"
    threshold: float = 0.0
    sign_flips: int = SIGN_FLIPS
    seed: int = 0
    stream: Stream = "default"

    def __post_init__(self) -> None:
        for name, value in (("epsilon", self.epsilon or 0.0), ("threshold", self.threshold)):
            if not (isinstance(value, Real) and value >= 0 and math.isfinite(value)):
                raise InputError(f"'{name}' must be a number of at least 0, got {value!r}")
        checked_choice(self.stream, STREAMS, "stream")
        for name, count, least in (("sign_flips", self.sign_flips, 1), ("seed", self.seed, 0)):
            if not (isinstance(count, Integral) and count >= least):
                raise InputError(f"'{name}' must be an integer of at least {least}, got {count!r}")
