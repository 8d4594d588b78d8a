"""`TestSettings`: how differences between metrics are tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import CORRECTED, RANKINGS, checked_choice
from metrics_framework.significance.multiple_testing import CORRECTIONS


@dataclass(frozen=True)
class TestSettings:
    """How differences between metrics are tested.

    Args:
        test: The name of the test; `None` for the one that is valid at each level.
        resamples: The number of random permutations or bootstrap resamples.
        seed: The random seed.
        correction: The correction of two-sided p-values for the number of pairs.
        alpha: The level of significance.
        jobs: The number of threads.
        power: Whether to estimate what the test can detect.
        progress: Receives the number of pairs that are done, and that of all pairs.
        ranking: The p-values that ranks follow: one of `RANKINGS`.

    Raises:
        InputError: if a setting is invalid.
    """

    __test__ = False  # not a class of tests

    test: str | None = None
    resamples: int = 1000
    seed: int = 0
    correction: str = "holm"
    alpha: float = 0.05
    jobs: int = 1
    power: bool = False
    progress: Callable[[int, int], None] | None = None
    ranking: str = CORRECTED

    def __post_init__(self) -> None:
        if self.resamples < 1 or self.seed < 0:
            raise InputError(
                f"'resamples' must be at least 1 and 'seed' at least 0, got {self.resamples} and {self.seed}"
            )
        checked_choice(self.correction, tuple(CORRECTIONS), "correction")
        checked_choice(self.ranking, RANKINGS, "ranking")
        if not 0 < self.alpha < 1:
            raise InputError(f"'alpha' must be between 0 and 1, got {self.alpha}")

    def report(self, done: int, total: int) -> None:
        """Reports progress."""
        if self.progress is not None:
            self.progress(done, total)
