"""The result of a study of ratings: plain values, as records and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command reads the signature of its function without numpy
    from metrics_framework.meta_evaluation.correlate.raters import Ceiling
    from metrics_framework.meta_evaluation.rater_agreement.generalizability import Plan, VarianceComponents
    from metrics_framework.meta_evaluation.rater_agreement.reliability import Agreement
    from metrics_framework.meta_evaluation.rater_agreement.request import AgreementRequest
    from metrics_framework.meta_evaluation.scores.long_tables import Ratings

MIN_RESAMPLED = 20
"""Percentile intervals from fewer outputs, or clusters of outputs, are too short."""
_MAX_LISTED = 5


@dataclass(frozen=True)
class RaterPair:
    """The agreement of two raters.

    Args:
        rater1: The first rater.
        rater2: The second.
        outputs: The number of outputs that both rated.
        alpha: Krippendorff's alpha, interval, or nominal for categories; NaN if undefined.
        kappa: Cohen's kappa with quadratic weights, or unweighted for categories; NaN if undefined.
        difference: The mean of the ratings of the second minus those of the first; NaN for categories.
    """

    rater1: str
    rater2: str
    outputs: int
    alpha: float
    kappa: float
    difference: float = math.nan


@dataclass(frozen=True)
class Plans:
    """The reliability of studies of other sizes.

    Args:
        components: The variance components; `None` unless raters and outputs are completely crossed.
        crossed: The plans, if they are.
        nested: The number of ratings per output, to the reliability of their mean, if they are not.
        left_out: The number of inputs that are left out because ratings are missing.
        reason: Why raters are taken as nested in outputs, or empty.
    """

    components: VarianceComponents | None
    crossed: Sequence[Plan] = ()
    nested: Mapping[int, float] = field(default_factory=dict)
    left_out: int = 0
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the plans by the names of the JSON file."""
        return {
            "variance_components": None if self.components is None else self.components.as_json(),
            "plans": [plan.as_json() for plan in self.crossed],
            "mean_of_ratings": {str(k): value for k, value in self.nested.items()},
        }


@dataclass(frozen=True)
class RatingStudy:
    """What is found about the ratings of one quality.

    Args:
        ratings: The ratings.
        agreements: Group of outputs to its coefficients; the group of all outputs is empty.
        resampled: Group of outputs to the number of its outputs, or clusters of outputs, that are resampled.
        cautions: Group of outputs to why its intervals are too short, or an empty string.
        pairs: The pairs of raters who share outputs, if requested.
        plans: The reliability of studies of other sizes; `None` for categories.
        ceilings: The agreement of raters as rated and, with the key ``z-scores``, standardized; empty for categories.
        constant_raters: Raters without z-scores, because all their ratings are equal.
        ungrouped: The number of outputs that are in no group.
        clusters: The number of clusters; `None` if outputs are resampled by themselves.
    """

    ratings: Ratings
    agreements: Mapping[str, Sequence[Agreement]]
    resampled: Mapping[str, int]
    cautions: Mapping[str, str]
    pairs: Sequence[RaterPair]
    plans: Plans | None
    ceilings: Mapping[str, Sequence[Ceiling]]
    constant_raters: Sequence[str]
    ungrouped: int
    clusters: int | None

    @property
    def every_agreement(self) -> list[Agreement]:
        """The coefficients of all groups."""
        return [one for found in self.agreements.values() for one in found]

    def warnings(self) -> Iterator[str]:
        """Yields what may make the results misleading."""
        name = self.ratings.name
        if self.constant_raters:
            yield f"{name}: no z-scores of raters whose ratings are all equal: {', '.join(self.constant_raters)}"
        drawn = [group for group, found in self.agreements.items() if any(one.is_resampled for one in found)]
        fewest = min((self.resampled[group] for group in drawn), default=MIN_RESAMPLED)
        if fewest < MIN_RESAMPLED:
            what = "outputs" if self.clusters is None else "clusters"
            yield f"{name}: intervals from {fewest} {what} are too short; use {MIN_RESAMPLED} or more"
        for caution in dict.fromkeys(filter(None, self.cautions.values())):
            groups = [group for group, text in self.cautions.items() if text == caution]
            yield f"{name}{'' if '' in groups else _listed(groups)}: {caution}"

    def as_json(self) -> dict[str, Any]:
        """Returns the study as it appears in the JSON file; undefined values are NaN here and ``null`` there."""
        plans = Plans(None) if self.plans is None else self.plans
        agreements = [{"group": group, **one.as_json()} for group, found in self.agreements.items() for one in found]
        return {
            "rating": self.ratings.name,
            "raters": list(self.ratings.raters),
            "outputs": len(self.ratings.units),
            "missing": dict(self.ratings.missing),
            "categories": list(self.ratings.labels) or None,
            "clusters": self.clusters,
            "outputs_without_group": self.ungrouped,
            "agreement": agreements,
            "pairs": [asdict(pair) for pair in self.pairs],
            **plans.as_json(),
            "ceilings": {name: [one.as_json() for one in found] for name, found in self.ceilings.items()},
        }


def _listed(groups: Sequence[str]) -> str:
    """Returns groups in brackets: the first few, and the number of the rest."""
    more = f" and {len(groups) - _MAX_LISTED} more" if len(groups) > _MAX_LISTED else ""
    return f" ({', '.join(groups[:_MAX_LISTED])}{more})"


@dataclass(repr=False)
class RatingStudies:
    """What is found about the ratings of each quality.

    Attributes:
        studies: What is found about each rated quality.
        request: What was computed.
        warnings: What may make the result misleading.
    """

    studies: list[RatingStudy]
    request: AgreementRequest
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, rating: str) -> RatingStudy:
        """Returns what is found about a rated quality.

        Raises:
            KeyError: if there is none of this name.
        """
        for study in self.studies:
            if study.ratings.name == rating:
                return study
        raise KeyError(rating)

    def __iter__(self) -> Iterator[RatingStudy]:
        """Yields the studies of the rated qualities."""
        return iter(self.studies)

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient of each rated quality and group of outputs."""
        records = []
        for study in self.studies:
            for group, agreements in study.agreements.items():
                for agreement in agreements:
                    numbers = agreement.as_json()
                    statistic = {"statistic": numbers.pop("name"), **numbers}
                    records.append({"rating": study.ratings.name, "group": group, **statistic})
        return records

    def as_json(self) -> dict[str, Any]:
        """Returns all results; the first key names the command."""
        settings = {name: getattr(self.request, name) for name in ("confidence", "resamples", "seed", "by", "cluster")}
        from metrics_framework.data.file_formats import head_of

        return {**head_of("fw agreement"), **settings, "ratings": [study.as_json() for study in self.studies]}
