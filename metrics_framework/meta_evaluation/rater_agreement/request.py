"""What a study of ratings computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics_framework.common.errors import InputError, UnknownChoiceError, advice
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import AgreementCoefficient
from metrics_framework.meta_evaluation.rater_agreement.option_names import ALL
from metrics_framework.meta_evaluation.rater_agreement.reliability import COEFFICIENTS
from metrics_framework.meta_evaluation.scores.long_tables import Ratings


@dataclass(frozen=True)
class AgreementRequest:
    """What to compute.

    Args:
        statistics: Coefficients of agreement, or ``all``.
        weights: Their weights; by default the usual ones of each.
        by: The column for whose values the coefficients are also computed.
        pairwise: Whether to compare all pairs of raters.
        plans: Numbers of raters and inputs.
        cluster: The column of the inputs whose outputs are resampled together.
        confidence: The confidence level, in percent.
        resamples: The number of bootstrap resamples; 0 for no bootstrap intervals.
        seed: The seed.

    Raises:
        UnknownChoiceError: if there is no coefficient of a name.
        InputError: if a number is out of range.
    """

    statistics: Sequence[str] = ("krippendorff",)
    weights: Sequence[str] = ()
    by: str | None = None
    pairwise: bool = False
    plans: Sequence[tuple[int, int]] = ()
    cluster: str | None = None
    confidence: float = 95.0
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.statistics:
            if name != ALL and name not in COEFFICIENTS:
                raise UnknownChoiceError("statistic", name, (*COEFFICIENTS, ALL))
        for raters, inputs in self.plans:
            if raters < 1 or inputs < 1:
                raise InputError(f"a plan needs at least one input and one rater, got {inputs} and {raters}")
        for option in ("resamples", "seed"):
            if getattr(self, option) < 0:
                raise InputError(f"'{option}' must be 0 or more, got {getattr(self, option)}")

    def coefficients(self, ratings: Ratings) -> list[tuple[str, str]]:
        """Returns the coefficients to compute, each with its weights.

        ``all`` selects the coefficients that are defined for the ratings, with the given weights or else with all. A
        coefficient that is named has the given weights that it knows, or else its usual ones.

        Raises:
            InputError: if no coefficient has the weights, or a coefficient needs numbers.
        """
        if ALL in self.statistics:
            chosen = [kind for kind in COEFFICIENTS.values() if kind.raters in (None, len(ratings.raters))]
            chosen = [kind for kind in chosen if kind.label_weights is not None or not ratings.labels]
        else:
            chosen = [kind for kind in COEFFICIENTS.values() if kind.name in self.statistics]
        pairs = [(kind.name, weights) for kind in chosen for weights in self._weights(kind, ratings)]
        unused = [weights for weights in self.weights if weights not in {pair[1] for pair in pairs}]
        if unused:
            known = dict.fromkeys(weights for kind in chosen for weights in _known_weights(kind, ratings))
            why = f"'{ratings.name}' has categories" if ratings.labels else f"of {', '.join(self.statistics)}"
            given = ", ".join(unused)
            raise InputError(
                f"the weights {why} must be one of {', '.join(known)}, got '{given}'{advice(given, known)}"
            )
        return pairs

    def _weights(self, kind: type[AgreementCoefficient], ratings: Ratings) -> list[str]:
        known = _known_weights(kind, ratings)
        if ALL in self.statistics:
            known = [weights for weights in known if ratings.labels or weights in kind.weights_for(ratings.values)]
            return [weights for weights in known if not self.weights or weights in self.weights]
        usual = known if ratings.labels else [kind.default_weights]
        return [weights for weights in known if weights in self.weights] or usual


def _known_weights(kind: type[AgreementCoefficient], ratings: Ratings) -> list[str]:
    if not ratings.labels:
        return [*kind.all_weights]
    if kind.label_weights is None:
        raise InputError(f"'{ratings.name}' has categories, but '{kind.name}' needs numbers")
    return [kind.label_weights]
