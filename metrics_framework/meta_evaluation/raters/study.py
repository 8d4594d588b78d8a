"""A study of ratings: agreement, pairs of raters, plans and ceilings of one rated quality."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from metrics_framework.common.errors import DataError, InputError, UnknownChoiceError
from metrics_framework.common.suggestions import advice
from metrics_framework.meta_evaluation.coefficients.large_values import power_of_two
from metrics_framework.meta_evaluation.names import Coefficient, Level
from metrics_framework.meta_evaluation.raters.ceiling import Ceiling, ceilings
from metrics_framework.meta_evaluation.raters.generalizability import (
    Plan,
    VarianceComponents,
    complete_inputs,
    mean_of_ratings,
    variance_components,
)
from metrics_framework.meta_evaluation.raters.reliability import (
    DEFAULT_WEIGHTS,
    STATISTICS,
    WEIGHTS_OF,
    Agreement,
    agreement,
)
from metrics_framework.meta_evaluation.raters.standardize import standardized
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, Ratings, Unit
from metrics_framework.significance.arrays import Bools, Floats

ALL = "all"
USUAL_RATERS = (1, 2, 3, 5, 10, 20)
"""The numbers of raters of the plans that are shown unless others are requested."""
_CEILING_LEVELS: tuple[Level, ...] = ("global", "input", "system")
FEWEST_OUTPUTS = 20
"""Percentile intervals from fewer outputs are too short."""
_SPLITS = 1000
_FOR_LABELS = {"krippendorff": "nominal", "gwet": "identity", "fleiss": "identity", "cohen": "identity"}


@dataclass(frozen=True)
class Request:
    """What to compute.

    Args:
        statistics: Coefficients of agreement, or ``all``.
        weights: Their weights; by default the usual ones of each.
        by: The column whose groups of outputs are also analysed by themselves.
        pairwise: Whether to compare all pairs of raters.
        plans: Numbers of raters and inputs.
        cluster: The column of the inputs whose outputs are resampled together.
        confidence: The confidence level, in percent.
        resamples: The number of bootstrap resamples.
        seed: The seed.
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
    difference: float


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


@dataclass(frozen=True)
class RatingStudy:
    """What is found about the ratings of one quality.

    Args:
        ratings: The ratings.
        agreements: Group of outputs to its coefficients; the group of all outputs is empty.
        pairs: The pairs of raters who share outputs, if requested.
        plans: The reliability of studies of other sizes; `None` for categories.
        ceilings: The agreement of raters as rated and, with the key ``z-scores``, standardized; empty for categories.
        constant_raters: Raters without z-scores, because all their ratings are equal.
        ungrouped: The number of outputs that are in no group.
        clusters: The number of clusters; `None` if outputs are resampled by themselves.
    """

    ratings: Ratings
    agreements: Mapping[str, Sequence[Agreement]]
    pairs: Sequence[RaterPair]
    plans: Plans | None
    ceilings: Mapping[str, Sequence[Ceiling]]
    constant_raters: Sequence[str]
    ungrouped: int
    clusters: int | None

    def warnings(self) -> Iterator[str]:
        """Yields what may make the results misleading."""
        if self.constant_raters:
            listed = ", ".join(self.constant_raters)
            yield f"{self.ratings.name}: no z-scores of raters whose ratings are all equal: {listed}"
        drawn = [
            one.units for found in self.agreements.values() for one in found if one.undefined_resamples is not None
        ]
        items = min([*drawn, *([] if self.clusters is None else [self.clusters])], default=FEWEST_OUTPUTS)
        if items < FEWEST_OUTPUTS:
            what = "outputs" if items in drawn else "clusters"
            yield f"{self.ratings.name}: intervals from {items} {what} are too short; use {FEWEST_OUTPUTS} or more"


def study_ratings(tables: LongTables, ratings: Ratings, request: Request) -> RatingStudy:
    """Analyses the ratings of one quality.

    Args:
        tables: The tables of the ratings, which also have the columns of groups and clusters.
        ratings: The ratings.
        request: What to compute.

    Raises:
        InputError: if the weights do not belong to a statistic, or to categories.
        UnknownNameError: if there is no statistic or column of a name.
        DataError: if an input has no cluster.
    """
    chosen = chosen_statistics(ratings, request)
    clusters = None if request.cluster is None else _clusters(tables, ratings, request.cluster)
    groups = {"": np.ones(len(ratings.units), dtype=bool)}
    if request.by is not None:
        groups |= _groups(tables, ratings, request.by)
    scores, constant = (ratings, []) if ratings.labels else standardized(ratings)
    return RatingStudy(
        ratings,
        {
            group: [
                _agreement(ratings.values[:, members], *pair, _chosen(clusters, members), request) for pair in chosen
            ]
            for group, members in groups.items()
        },
        [*_pairs(ratings)] if request.pairwise else [],
        None if ratings.labels else reliability_plans(ratings, request.plans),
        {} if ratings.labels else {"ratings": _ceilings(ratings, request), "z-scores": _ceilings(scores, request)},
        constant,
        len(ratings.units) - sum(int(members.sum()) for group, members in groups.items() if group)
        if request.by is not None
        else 0,
        None if clusters is None else len(set(clusters)),
    )


def chosen_statistics(ratings: Ratings, request: Request) -> list[tuple[str, str]]:
    """Returns the coefficients of agreement to compute, each with its weights.

    Raises:
        UnknownChoiceError: if there is no coefficient of a name.
        InputError: if no coefficient has the weights, or they need numbers.
    """
    for name in request.statistics:
        if name != ALL and name not in STATISTICS:
            raise UnknownChoiceError("statistic", name, (*STATISTICS, ALL))
    is_all = ALL in request.statistics
    names = [name for name in STATISTICS if is_all or name in request.statistics]
    if is_all and len(ratings.raters) != 2:
        names.remove("cohen")
    pairs = [(name, weights) for name in names for weights in _weights(name, ratings, request, is_all)]
    unused = [weights for weights in request.weights if weights not in {pair[1] for pair in pairs}]
    if unused or not pairs:
        why = f"'{ratings.name}' has categories" if ratings.labels else f"of {', '.join(names)}"
        known = dict.fromkeys(
            weights for name in names for weights in ([_FOR_LABELS.get(name)] if ratings.labels else WEIGHTS_OF[name])
        )
        expected, given = list(filter(None, known)), ", ".join(unused) or "icc"
        raise InputError(
            f"the weights {why} must be one of {', '.join(expected) or 'none'}, got '{given}'{advice(given, expected)}"
        )
    return pairs


def _weights(name: str, ratings: Ratings, request: Request, is_all: bool) -> list[str]:
    if ratings.labels:
        usual = known = [_FOR_LABELS[name]] if name in _FOR_LABELS else []
    else:
        known = [*WEIGHTS_OF[name]]
        if is_all and np.nanmin(ratings.values, initial=0) < 0:
            known = [weights for weights in known if weights != "ratio"]
        usual = known if is_all else [DEFAULT_WEIGHTS[name]]
    return [weights for weights in known if weights in request.weights] if request.weights else usual


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


def _ceilings(ratings: Ratings, request: Request) -> list[Ceiling]:
    several = len({system for _, system in ratings.units}) > 1  # else no other level is defined
    chosen: list[tuple[Coefficient, Level]] = [
        ("pearson", level) for level in _CEILING_LEVELS[: None if several else 1]
    ]
    return ceilings(ratings, chosen, splits=_SPLITS, seed=request.seed)


def _agreement(
    values: Floats, name: str, weights: str, clusters: Sequence[Hashable] | None, request: Request
) -> Agreement:
    return agreement(
        values,
        name,
        weights=weights,
        confidence=request.confidence,
        resamples=request.resamples,
        seed=request.seed,
        clusters=clusters,
    )


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


def _clusters(tables: LongTables, ratings: Ratings, column: str) -> list[str]:
    of = tables.texts_of_inputs(column)
    without: list[Unit] = [unit for unit in ratings.units if unit[0] not in of]
    if without:
        raise DataError(f"{len(without)} outputs have no '{column}'; the first is of instance '{without[0][0]}'")
    return [of[instance] for instance, _ in ratings.units]


def _chosen(clusters: Sequence[str] | None, members: Bools) -> list[str] | None:
    return None if clusters is None else [name for name, is_in in zip(clusters, members, strict=True) if is_in]
