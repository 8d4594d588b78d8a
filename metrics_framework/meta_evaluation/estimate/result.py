"""The result of `estimate`: means, differences and shares of systems, as records and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.estimate.request import Tuning
from metrics_framework.meta_evaluation.intervals.resamples import Interval

if TYPE_CHECKING:  # the command reads the signature of its function without NumPy
    from metrics_framework.meta_evaluation.estimate.predicted_means import PredictedMean
    from metrics_framework.significance.proportions import Proportion


@dataclass(frozen=True)
class SystemMean:
    """The mean of a system.

    Attributes:
        system: The system.
        mean: The estimate; `None` without an output that has a rating and a score.
        ratings_without_score: The number of ratings that are not used, because the output has no score.
    """

    system: str
    mean: PredictedMean | None
    ratings_without_score: int


@dataclass(frozen=True)
class MeanDifference:
    """The difference of two systems on the same inputs.

    Attributes:
        system1: The first system.
        system2: The second system.
        rated: The number of inputs whose outputs are both rated.
        mean: The mean of the first minus the second; `None` for fewer than ten such inputs.
        p_value: The two-sided p-value of no difference; NaN if undefined.
        p_adjusted: The same with Holm's correction.
    """

    system1: str
    system2: str
    rated: int
    mean: PredictedMean | None
    p_value: float
    p_adjusted: float


@dataclass(frozen=True)
class ShareEstimate:
    """The share of good outputs of a system, by a pass/fail judge.

    Attributes:
        system: The system.
        rated: The share of good ones among the rated outputs, with Wilson's interval.
        predicted: The prediction-powered share, within [0, 1]; `None` without rated outputs.
        corrected: The share corrected for the errors of the judge (Rogan and Gladen); NaN if undefined.
        judged: The share that the judge calls good among the unrated outputs, with Wilson's interval.
        sensitivity: The share that the judge calls good among good outputs, with Wilson's interval.
        specificity: The share that it calls bad among bad outputs, with Wilson's interval.
        counts: The number of unrated outputs, of bad and of good rated ones: n, m₀ and m₁.
        reason: Why the corrected share is undefined; empty if it is not.
    """

    system: str
    rated: Proportion
    predicted: PredictedMean | None
    corrected: Interval
    judged: Proportion
    sensitivity: Proportion
    specificity: Proportion
    counts: tuple[int, int, int]
    reason: str


class CurvePoint(NamedTuple):
    """The estimates from some of the ratings.

    Attributes:
        ratings: The number of rated outputs.
        mean: The prediction-powered mean.
        classical: The mean of the ratings only.
    """

    ratings: int
    mean: Interval
    classical: Interval


@dataclass(frozen=True)
class RatingCurve:
    """The estimates of a system against the number of its ratings, which are added in a random order.

    Attributes:
        system: The system.
        points: The estimates, in the order of the number of ratings; the last one is that of all ratings.
    """

    system: str
    points: Sequence[CurvePoint]


@dataclass(frozen=True)
class JudgeEstimates:
    """The estimates with the scores of one judge.

    Attributes:
        judge: The judge.
        means: The mean rating of each system.
        shares: The share of good outputs of each system, for pass/fail judges.
        differences: The differences of systems.
        undecided: The number of outputs left out because as many raters call them good as bad.
        clusters: The number of clusters of inputs; `None` without clusters.
        curves: The estimates of systems with more than five ratings, from fewer ratings.
    """

    judge: str
    means: Sequence[SystemMean]
    shares: Sequence[ShareEstimate]
    differences: Sequence[MeanDifference]
    undecided: int
    clusters: int | None
    curves: Sequence[RatingCurve] = ()


@dataclass(repr=False)
class EstimateStudy:
    """Mean ratings of systems, and their differences.

    Attributes:
        estimates: The estimates with the scores of each judge.
        rating: The rated quality.
        baseline: The system that others are compared with; `None` for all pairs.
        tuning: How λ is chosen.
        confidence: The level of the intervals, in percent.
        cluster: The column of clusters.
        warnings: What may make the estimates misleading.
    """

    estimates: Sequence[JudgeEstimates]
    rating: str
    baseline: str | None
    tuning: Tuning
    confidence: float
    cluster: str | None
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, system: str) -> SystemMean:
        """Returns the mean of a system with the scores of the first judge.

        Raises:
            KeyError: if there is no system of this name.
        """
        for entry in self.estimates[0].means:
            if entry.system == system:
                return entry
        raise KeyError(system)

    def __iter__(self) -> Iterator[JudgeEstimates]:
        """Yields the estimates with the scores of each judge."""
        return iter(self.estimates)

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each system and each difference."""
        records = []
        for found in self.estimates:
            shares = {share.system: share for share in found.shares}
            for entry in found.means:
                first = {"judge": found.judge, "system": entry.system, "minus": None}
                records.append({**first, **_numbers(entry.mean), **_p_values(None), **_corrected(shares, entry.system)})
            for pair in found.differences:
                first = {"judge": found.judge, "system": pair.system1, "minus": pair.system2}
                records.append({**first, **_numbers(pair.mean), **_p_values(pair), **_corrected(shares, None)})
        return records

    def as_json(self) -> dict[str, Any]:
        """Returns all results; the first key names the command."""
        names = ("rating", "baseline", "tuning", "confidence", "cluster")
        return {
            **head_of("fw estimate"),
            **{name: getattr(self, name) for name in names},
            "judges": [
                {
                    "judge": found.judge,
                    "clusters": found.clusters,
                    "undecided": found.undecided,
                    "systems": [asdict(entry) for entry in found.means],
                    "shares": [_share(share) for share in found.shares],
                    "differences": [asdict(pair) for pair in found.differences],
                }
                for found in self.estimates
            ],
        }


def _numbers(mean: PredictedMean | None) -> dict[str, Any]:
    names = ("rated", "unrated", "value", "lower", "upper", "tuning", "standard_error", "ratings_saved", "imbalance")
    values: dict[str, Any] = {name: None if mean is None else _defined(getattr(mean, name)) for name in names}
    for name in ("value", "lower", "upper"):
        values[f"classical_{name}"] = None if mean is None else _defined(getattr(mean.classical, name))
    return {**values, "interval": None if mean is None else mean.interval}


def _p_values(pair: MeanDifference | None) -> dict[str, Any]:
    if pair is None:
        return {"p_value": None, "p_holm": None}
    return {"p_value": _defined(pair.p_value), "p_holm": _defined(pair.p_adjusted)}


def _corrected(shares: Mapping[str, ShareEstimate], system: str | None) -> dict[str, Any]:
    if not shares:
        return {}
    names = ("corrected", "corrected_lower", "corrected_upper", "sensitivity", "specificity")
    if system is None:
        return dict.fromkeys(names)
    share = shares[system]
    estimate = share.corrected
    numbers = (estimate.value, estimate.lower, estimate.upper, share.sensitivity.value, share.specificity.value)
    return {name: _defined(number) for name, number in zip(names, numbers, strict=True)}


def _defined(number: float) -> float | None:
    return None if math.isnan(number) else number


def _share(share: ShareEstimate) -> dict[str, Any]:
    n, bad, good = share.counts
    return {
        "system": share.system,
        "rated": share.rated._asdict(),
        "judged": share.judged._asdict(),
        "predicted": None if share.predicted is None else asdict(share.predicted),
        "corrected": share.corrected.as_json(),
        "sensitivity": share.sensitivity._asdict(),
        "specificity": share.specificity._asdict(),
        "counts": {"unrated": n, "rated_bad": bad, "rated_good": good},
        "reason": share.reason or None,
    }
