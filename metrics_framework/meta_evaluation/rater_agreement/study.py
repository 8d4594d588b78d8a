"""A study of ratings: agreement, pairs of raters, plans and ceilings of one rated quality."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import long_work
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.correlate.raters import Ceiling, ceilings
from metrics_framework.meta_evaluation.groups.moments import power_of_two
from metrics_framework.meta_evaluation.rater_agreement.generalizability import (
    complete_inputs,
    mean_of_ratings,
    variance_components,
)
from metrics_framework.meta_evaluation.rater_agreement.rated_units import RatedUnits, standardized
from metrics_framework.meta_evaluation.rater_agreement.reliability import COEFFICIENTS, Agreement, agreement
from metrics_framework.meta_evaluation.rater_agreement.request import AgreementRequest
from metrics_framework.meta_evaluation.rater_agreement.result import Plans, RaterPair, RatingStudy
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, Ratings, input_clusters

USUAL_RATERS = (1, 2, 3, 5, 10, 20)
"""The numbers of raters of the plans that are shown unless others are requested."""
MIN_OTHERS = 10
"""With as many outputs of rarer ratings, intervals contain the value of the population in 90 % of cases or more."""
_RARE = 0.25
_COVERAGE = ((1.5, "11 to 43"), (3.5, "44 to 77"), (7.5, "70 to 92"))
"""Below how many outputs with a rarer rating, how often 95 % intervals of alpha contain the value of the population."""
_CEILING_LEVELS: tuple[Level, ...] = ("global", "input", "system")
_SPLITS = 1000


def study_ratings(tables: LongTables, ratings: Ratings, request: AgreementRequest) -> RatingStudy:
    """Analyses the ratings of one quality.

    Args:
        tables: The tables of the ratings, which also have the columns of groups and clusters.
        ratings: The ratings.
        request: What to compute.

    Raises:
        InputError: if the weights do not belong to a statistic, categories cannot be analysed as requested, or an input
            has no cluster.
        UnknownNameError: if there is no column of a name.
    """
    if ratings.labels and request.plans:
        raise InputError(f"'{ratings.name}' has categories, but plans need numbers")
    of_groups = _AgreementOfGroups(tables, ratings, request)
    scores, constant = (ratings, []) if ratings.labels else standardized(ratings)
    found = {} if ratings.labels else {"ratings": _ceilings(ratings, request), "z-scores": _ceilings(scores, request)}
    return RatingStudy(
        ratings=ratings,
        agreements=of_groups.agreements,
        resampled={group: of_groups.resampled(members) for group, members in of_groups.members.items()},
        cautions={group: of_groups.caution(group) for group in of_groups.members},
        pairs=[*_pairs(ratings)] if request.pairwise else [],
        plans=None if ratings.labels else reliability_plans(ratings, request.plans),
        ceilings=found,
        constant_raters=constant,
        ungrouped=of_groups.ungrouped,
        clusters=None if of_groups.clusters is None else len(set(of_groups.clusters)),
    )


class _AgreementOfGroups:
    """The coefficients of agreement of all outputs, and of each group of outputs.

    Args:
        tables: The tables of the ratings, which also have the columns of groups and clusters.
        ratings: The ratings.
        request: What to compute.
    """

    def __init__(self, tables: LongTables, ratings: Ratings, request: AgreementRequest) -> None:
        self._values = ratings.values
        self._request = request
        chosen = request.coefficients(ratings)
        self.clusters = input_clusters(tables, request.cluster, [instance for instance, _ in ratings.units])
        self.members = {"": np.ones(len(ratings.units), dtype=bool)}
        if request.by is not None:
            self.members |= _groups(tables, ratings, request.by)
        grouped = sum(int(members.sum()) for group, members in self.members.items() if group)
        self.ungrouped = 0 if request.by is None else len(ratings.units) - grouped
        self.agreements: dict[str, list[Agreement]] = {group: [] for group in self.members}
        sizes = {group: int(members.sum()) for group, members in self.members.items()}
        total = len(chosen) * sum(sizes.values())
        what = f"computing the agreement on {len(ratings.units):,} outputs"
        with long_work(what, total, "fewer resamples take less", "computed", "agreements on outputs") as work:
            for group, members in self.members.items():
                for name, weights in chosen:
                    self.agreements[group].append(self._agreement(members, name, weights))
                    work.advance(sizes[group])

    def _agreement(self, members: Bools, name: str, weights: str) -> Agreement:
        request = self._request
        return agreement(
            self._values[:, members],
            name,
            weights=weights,
            confidence=request.confidence,
            resamples=request.resamples,
            seed=request.seed,
            clusters=self._clusters_of(members),
        )

    def _clusters_of(self, members: Bools) -> list[Hashable] | None:
        if self.clusters is None:
            return None
        return [cluster for cluster, is_in in zip(self.clusters, members, strict=True) if is_in]

    def resampled(self, members: Bools) -> int:
        """Returns the number of outputs with two ratings, or of their clusters."""
        used = members & (np.isfinite(self._values).sum(axis=0) >= 2)
        clusters = self._clusters_of(used)
        return int(used.sum()) if clusters is None else len(set(clusters))

    def caution(self, group: str) -> str:
        """Returns why the intervals of a group are too short, or an empty string."""
        members = self.members[group]
        drawn = [COEFFICIENTS[one.name] for one in self.agreements[group] if one.is_resampled]
        if all(kind.label_weights is None for kind in drawn):  # the coverage of others was not measured
            return ""
        return rare_ratings_caution(self._values[:, members], self.resampled(members))


def rare_ratings_caution(values: Floats, resampled: int) -> str:
    """Returns how rarely intervals contain the value of the population, if few outputs have a rarer rating.

    The share of ratings that are not the commonest one, times the number of outputs, decides, whatever the number of
    raters and their agreement (`benchmarks/agreement_coverage.py`).

    Args:
        values: The ratings, shape (raters, units); NaN where missing.
        resampled: The number of units, or of clusters of units, that are resampled.

    Returns:
        A warning; empty unless other ratings than the commonest one are rare, and outputs are few.
    """
    units = RatedUnits(values)
    counts = units.counts[units.is_paired].sum(axis=0)
    other = 1 - float(counts.max() / counts.sum())
    covered = next((covered for most, covered in _COVERAGE if resampled * other < most), "")
    if not covered or other > _RARE:
        return ""
    return (
        "few outputs have another rating than the commonest one: in simulations of such ratings, 95 % intervals of "
        f"Krippendorff's α contained the value of the population in {covered} % of cases, and those of κ about as "
        f"often; use enough outputs that {MIN_OTHERS} or more have another rating"
    )


def reliability_plans(ratings: Ratings, plans: Sequence[tuple[int, int]] = ()) -> Plans:
    """Predicts the reliability of studies with other numbers of raters and inputs.

    If all raters rated all outputs of at least two inputs, plans follow from variance components. Else raters are
    nested in outputs, and the reliability of an output's mean of k ratings follows from the intraclass correlation.

    Args:
        ratings: The ratings.
        plans: Numbers of raters and inputs; by default the usual numbers of raters.
    """
    cube = ratings.cube()[2]
    complete = complete_inputs(cube)
    if min(complete.shape) >= 2:
        components = variance_components(complete)
        inputs = components.inputs
        numbers = plans or [(raters, inputs) for raters in sorted({*USUAL_RATERS, components.raters})]
        crossed = [components.plan(inputs, raters) for raters, inputs in numbers]
        return Plans(components, crossed, left_out=cube.shape[1] - inputs)
    reason = _why_nested(cube, complete)
    single = agreement(ratings.values, "icc", weights="1,1").value
    if math.isnan(single):
        return Plans(None, reason=reason)
    raters = [raters for raters, _ in plans] or sorted({*USUAL_RATERS, round(float(np.mean(ratings.counts)))} - {0})
    return Plans(None, nested=mean_of_ratings(single, raters), reason=reason)


def _why_nested(cube: Floats, complete: Floats) -> str:
    systems, _, raters = cube.shape
    if systems < 2 or raters < 2:
        return f"there {'is one system' if systems < 2 else 'is one rater'}"
    rated = int(np.isfinite(cube).sum())
    return f"{complete.shape[1]} inputs have ratings of all systems by all raters, {rated} of {cube.size} ratings exist"


def _ceilings(ratings: Ratings, request: AgreementRequest) -> list[Ceiling]:
    several = len({system for _, system in ratings.units}) > 1  # else no other level is defined
    chosen: list[tuple[str, Level]] = [("pearson", level) for level in _CEILING_LEVELS[: None if several else 1]]
    return ceilings(ratings, chosen, splits=_SPLITS, seed=request.seed)


def _pairs(ratings: Ratings) -> Iterator[RaterPair]:
    level, weights = ("nominal", "identity") if ratings.labels else ("interval", "quadratic")
    for first, second in combinations(range(len(ratings.raters)), 2):
        both = ratings.values[[first, second]]
        both = both[:, np.isfinite(both).all(axis=0)]
        if both.size:
            yield RaterPair(
                ratings.raters[first],
                ratings.raters[second],
                both.shape[1],
                agreement(both, "krippendorff", weights=level, resamples=0).value,
                agreement(both, "cohen", weights=weights, resamples=0).value,
                math.nan if ratings.labels else _mean_difference(both),
            )


def _mean_difference(both: Floats) -> float:
    """Returns the mean of the second row minus the first; NaN if it is larger than any float."""
    scale = power_of_two(both)
    difference = float((both[1] / scale - both[0] / scale).mean()) * scale
    return difference if math.isfinite(difference) else math.nan


def _groups(tables: LongTables, ratings: Ratings, column: str) -> dict[str, Bools]:
    of = tables.texts(column)
    labels = [of.get(unit) for unit in ratings.units]
    names = sorted({label for label in labels if label is not None})
    return {name: np.array([label == name for label in labels], dtype=bool) for name in names}
