"""`Interval`: an estimate with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Args:
        value: The estimate; NaN if undefined.
        lower: The lower end; NaN if undefined.
        upper: The upper end; NaN if undefined.
        undefined_resamples: The number of resamples in which the estimate is undefined; they are excluded. `None` for
            methods without resamples.
    """

    value: float
    lower: float = math.nan
    upper: float = math.nan
    undefined_resamples: int | None = None

    @property
    def is_defined(self) -> bool:
        """Whether both ends are defined."""
        return not (math.isnan(self.lower) or math.isnan(self.upper))

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; NaN is written as ``null``."""
        return {name: number for name, number in asdict(self).items() if number is not None}
