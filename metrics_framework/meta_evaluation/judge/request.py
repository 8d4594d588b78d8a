"""What a study of judges computes, and the options of the alternative annotator test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from metrics_framework.common.errors import InputError, UnknownChoiceError, advice
from metrics_framework.meta_evaluation.study import Request

if TYPE_CHECKING:
    from metrics_framework.inputs.values import Scale

Scoring = Literal["accuracy", "neg_rmse", "ranks"]
"""How a judge and a rater are scored against the other raters; each is a class of `scorings`."""
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
Binning = Literal["width", "mass"]
"""How the edges of the bins of probabilities are chosen: of equal width, or with about equally many outputs."""
BINNINGS: tuple[Binning, ...] = get_args(Binning)
Variance = Literal["floor", "published"]
"""The variance of d of a rater: at least the least one that the null hypothesis allows, or that of the data."""
EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""How much worse than a rater a judge may be, by the kind of raters (Calderon et al. 2025)."""
BIN_COUNT = 10
EQUAL_WIDTH: Binning = "width"
MIN_UNITS = 30
"""Below this many units, the signed-rank test replaces the t-test."""
CONSTANT = "constant"
MEDIAN = "median"
CONSTANTS = (CONSTANT, MEDIAN)
"""The sentinels that always answer the same."""
LENGTH = "length"
SHUFFLED = "shuffled"


@dataclass(frozen=True)
class AltTestSettings:
    """The options of the test; see `alt_test`.

    Raises:
        InputError: if an option is out of range.
        UnknownChoiceError: if there is no scoring of the name.
    """

    scoring: Scoring
    epsilon: float
    q: float = 0.05
    min_humans: int = 2
    min_instances: int = MIN_UNITS
    variance: Variance = "floor"

    def __post_init__(self) -> None:
        if self.scoring not in SCORINGS:
            raise UnknownChoiceError("scoring", self.scoring, SCORINGS)
        if not 0 <= self.epsilon <= 1:
            raise InputError(f"'epsilon' must be between 0 and 1, got {self.epsilon:g}")
        if not 0 < self.q < 1:
            raise InputError(f"'q' must be between 0 and 1, got {self.q:g}")
        if self.min_humans < 2:
            raise InputError(f"'min_humans' must be 2 or more: a rater needs others, got {self.min_humans}")
        if self.min_instances < 1:
            raise InputError(f"'min_instances' must be 1 or more, got {self.min_instances}")
        if self.variance not in get_args(Variance):
            raise UnknownChoiceError("variance", self.variance, get_args(Variance))

    def least_variance(self, epsilon: float) -> float:
        """Returns the least variance of d that counts; d of ranks may have any."""
        return epsilon * (1 - epsilon) if self.variance == "floor" and self.scoring != "ranks" else 0.0


@dataclass(frozen=True)
class JudgeRequest(Request):
    """The options of `api.judge.judge`; the judges include the jury."""

    rating: str
    judges: Sequence[str]
    repeated: Sequence[str]
    scoring: Scoring | None
    epsilon: float | str
    q: float
    min_raters: int
    min_units: int
    variance: Variance
    text: str | None
    cluster: str | None
    jury: str | None
    stated_confidence: Sequence[str]
    bins: int
    binning: Binning
    labels: bool
    scale: Scale | None
    rater_column: str | None
    confidence: float
    resamples: int
    seed: int

    def __post_init__(self) -> None:
        if not self.judges:
            raise InputError("'judges' must name at least one judge")
        if self.rating in self.judges:
            raise InputError(f"'{self.rating}' is both the rating and a judge")
        if len(set(self.repeated)) == 1:
            raise InputError("'repeated' must name the columns of two runs or more")
        for name in self.judges:
            if name in CONSTANTS:
                raise InputError(f"'{name}' is the name of a sentinel; rename the column")
        if self.jury is not None and {*self.judges} <= {self.jury}:
            raise InputError(f"the jury '{self.jury}' is compared with single judges, but 'judges' names none")
        if self.stated_confidence and len(self.stated_confidence) not in (1, len(self.judges)):
            raise InputError(
                f"'stated_confidence' must be one column for all judges or one for each of {len(self.judges)} judges, "
                f"got {len(self.stated_confidence)}"
            )
        self.settings(self.scoring or SCORINGS[0])  # checks them

    @property
    def confidence_columns(self) -> dict[str, str]:
        """Judge to the column of the confidence that it states; empty if judges state none."""
        columns = list(self.stated_confidence)
        return dict(zip(self.judges, columns * len(self.judges) if len(columns) == 1 else columns, strict=False))

    def settings(self, scoring: Scoring) -> AltTestSettings:
        """Returns the options of the test with a scoring."""
        options = self.q, self.min_raters, self.min_units, self.variance
        return AltTestSettings(scoring, tolerance_of(self.epsilon), *options)


def tolerance_of(epsilon: float | str) -> float:
    """Returns ε as a number.

    Raises:
        InputError: if it is neither a number nor a kind of raters.

    >>> tolerance_of("crowd"), tolerance_of("0.12"), tolerance_of(0)
    (0.1, 0.12, 0.0)
    """
    if isinstance(epsilon, str) and epsilon in EPSILONS:
        return EPSILONS[epsilon]
    try:
        return float(epsilon)
    except ValueError:
        close = advice(str(epsilon), EPSILONS)
        raise InputError(
            f"'epsilon' must be a number or one of {', '.join(EPSILONS)}, got '{epsilon}'{close}"
        ) from None
