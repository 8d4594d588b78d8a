"""What `agreement` computes: coefficients of agreement, pairs of raters, plans and ceilings of each rated quality."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, advice, listed_names
from metrics_framework.common.logs import long_work
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.rating_rows import RATERS
from metrics_framework.inputs.ratings import LongTables, Ratings, input_clusters
from metrics_framework.inputs.roles import roles_of_name
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.groups.moments import power_of_two
from metrics_framework.meta_evaluation.prefer.votes import with_verdicts
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import (
    COEFFICIENTS,
    Agreement,
    AgreementCoefficient,
    agreement,
    coefficient_of,
)
from metrics_framework.meta_evaluation.rater_agreement.ceilings import Ceiling, ceilings, standardized
from metrics_framework.meta_evaluation.rater_agreement.generalizability import Plans, reliability_plans
from metrics_framework.meta_evaluation.rater_agreement.rated_units import RatedUnits, caution_of_skew
from metrics_framework.meta_evaluation.rater_agreement.request import ALL, AgreementRequest
from metrics_framework.meta_evaluation.study import Finding, Study, json_of
from metrics_framework.significance.clusters import MAX_LEFT_OUT, labels_of
from metrics_framework.significance.multiple_testing import caution_of_few

if TYPE_CHECKING:
    from typing_extensions import Self

MIN_OTHERS = 15
"""With as many outputs of rarer ratings, intervals contain the value of the population in 92 % of cases or more."""
_RARE = 0.25
_COVERAGE = ((1.5, "29 to 97"), (3.5, "64 to 93"), (12.5, "86 to 98"))
"""Below how many outputs with a rarer rating, how often 95 % intervals of alpha contain the value of the population."""
_CEILING_LEVELS: tuple[Level, ...] = ("global", "input", "system")
_SPLITS = 1000


_RATINGS = "ratings"
"""The name of ratings in one column per rater."""


@dataclass(frozen=True)
class AgreementStudy(Study):
    """What is found about the ratings of each quality.

    Attributes:
        request: What was computed.
        studies: What is found about each rated quality.
        warnings: What may make the findings misleading.
    """

    command: ClassVar[str] = "fw agreement"
    request: AgreementRequest
    studies: list[RatingStudy] = field(metadata={"json": "ratings"})
    warnings: list[str]

    @classmethod
    @overrides
    def of(cls, tables: LongTables, request: AgreementRequest) -> Self:
        """Analyses ratings.

        Args:
            tables: The tables of the ratings, which also have the columns of groups and clusters.
            request: What to compute.

        Raises:
            InputError: if the weights do not belong to a statistic, categories cannot be analysed as requested, or an
                input has no cluster.
            DataError: if a rating is invalid.
            UnknownNameError: if there is no column of a name.
        """
        found = [_ratings(tables, name, request.labels) for name in dict.fromkeys(request.rating)]
        if request.raters:
            found = [replace(tables.ratings(RATERS, as_labels=request.labels), name=_RATINGS)]
        studies = [_study(tables, ratings, request) for ratings in found]
        alone = [(one.name, tables.advice_on_raters(one)) for one in found]
        warnings = [f"'{name}' has ratings by 1 rater; {advice}" for name, advice in alone if advice]
        named = {*request.rating, *request.raters, request.by, request.cluster}
        used = {row.path for row in tables.rows if not named.isdisjoint(row.cells)}
        unused = dict.fromkeys(row.path for row in tables.rows if row.path not in used)
        warnings += [f"{path} has no column '{request.rating[0]}', so it is not used" for path in unused if used]
        return cls(request, studies, [*warnings, *(warning for study in studies for warning in _warnings(study))])

    @overrides
    def cautions(self) -> Iterator[str]:
        for study in self.studies:
            units = {
                " ".join(filter(None, (study.ratings.name, one.title, group))): study.clusters or one.units
                for group, found in study.agreements.items()
                for one in found
                if not math.isnan(one.lower)
            }
            yield from caution_of_few(units, "output" if study.clusters is None else "cluster")
            if study.plans is not None:
                yield from caution_of_skew(units, study.ratings.values)

    @overrides
    def known(self) -> dict[str, Any]:
        studies = self.studies
        are_many = any((one.clusters or len(one.ratings.units)) > MAX_LEFT_OUT for one in studies)
        drawn = [ceiling.splits == _SPLITS for one in studies for found in one.ceilings.values() for ceiling in found]
        return {"is_drawn": are_many or any(drawn)}

    @overrides
    def stated(self) -> dict[str, Any]:
        scale = {} if self.request.scale is None else {"scale": self.request.scale.stated}
        return {**self.request.options("confidence", "seed", "by", "cluster"), **scale}

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient of each rated quality and group of outputs."""
        records = []
        for study in self.studies:
            for group, agreements in study.agreements.items():
                for one in agreements:
                    numbers = one.as_json()
                    statistic = {"statistic": numbers.pop("name"), **numbers}
                    records.append({"rating": study.ratings.name, "group": group, **statistic})
        return records


def _ratings(tables: LongTables, name: str, as_labels: bool) -> Ratings:
    if as_labels or "vote" in roles_of_name(name):
        tables = with_verdicts(tables, name)
    return tables.ratings(name, as_labels=as_labels)


@dataclass(frozen=True)
class RatingStudy(Finding):
    """What is found about the ratings of one quality.

    Args:
        ratings: The ratings.
        agreements: Group of outputs to its coefficients; the group of all outputs is empty.
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
    cautions: Mapping[str, str]
    pairs: Sequence[RaterPair]
    plans: Plans | None
    ceilings: Mapping[str, Sequence[Ceiling]]
    constant_raters: Sequence[str]
    ungrouped: int
    clusters: int | None

    def as_json(self) -> dict[str, Any]:
        """Returns the study as it appears in the JSON file; undefined values are NaN here and ``null`` there."""
        plans = Plans(None) if self.plans is None else self.plans
        agreements = [{"group": group, **json_of(one)} for group, found in self.agreements.items() for one in found]
        return {
            "rating": self.ratings.name,
            "raters": list(self.ratings.raters),
            "outputs": len(self.ratings.units),
            "missing": dict(self.ratings.missing),
            "categories": list(self.ratings.labels or self.ratings.categories) or None,
            "clusters": self.clusters,
            "outputs_without_group": self.ungrouped,
            "agreement": agreements,
            "pairs": json_of(self.pairs),
            **plans.as_json(),
            "ceilings": json_of(self.ceilings),
        }


@dataclass(frozen=True)
class RaterPair(Finding):
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


def _study(tables: LongTables, ratings: Ratings, request: AgreementRequest) -> RatingStudy:
    if ratings.labels and request.plans:
        raise InputError(f"'{ratings.name}' has categories, but plans need numbers")
    of_groups = _AgreementOfGroups(tables, ratings, request)
    scores, constant = (ratings, []) if ratings.labels else standardized(ratings)
    found = {} if ratings.labels else {"ratings": _ceilings(ratings, request), "z-scores": _ceilings(scores, request)}
    return RatingStudy(
        ratings=ratings,
        agreements=of_groups.agreements,
        cautions={group: of_groups.caution(group) for group in of_groups.members},
        pairs=[*_pairs(ratings)] if request.pairwise else [],
        plans=None if ratings.labels else reliability_plans(ratings, request.plans),
        ceilings=found,
        constant_raters=constant,
        ungrouped=of_groups.ungrouped,
        clusters=None if of_groups.clusters is None else len(set(of_groups.clusters)),
    )


def _warnings(study: RatingStudy) -> Iterator[str]:
    """Yields what may make the results misleading."""
    name = study.ratings.name
    if study.constant_raters:
        yield f"{name}: no z-scores of raters whose ratings are all equal: {', '.join(study.constant_raters)}"
    for caution in dict.fromkeys(filter(None, study.cautions.values())):
        groups = [group for group, text in study.cautions.items() if text == caution]
        yield f"{name}{'' if '' in groups else f' ({listed_names(groups)})'}: {caution}"


def chosen_coefficients(request: AgreementRequest, ratings: Ratings) -> list[tuple[str, str]]:
    """Returns the coefficients to compute, each with its weights.

    ``all`` selects the coefficients that are defined for the ratings, with the given weights or else with all. A
    coefficient that is named has the given weights that it knows, or else its usual ones.

    Raises:
        InputError: if no coefficient has the weights, or a coefficient needs numbers.
    """
    if ALL in request.statistics:
        chosen = [kind for kind in COEFFICIENTS.values() if kind.raters in (None, len(ratings.raters))]
        chosen = [kind for kind in chosen if kind.label_weights is not None or not ratings.labels]
    else:
        chosen = [kind for kind in COEFFICIENTS.values() if kind.name in request.statistics]
    pairs = [(kind.name, weights) for kind in chosen for weights in _weights(kind, request, ratings)]
    unused = [weights for weights in request.weights if weights not in {pair[1] for pair in pairs}]
    if unused:
        known = dict.fromkeys(weights for kind in chosen for weights in _known_weights(kind, ratings))
        why = f"'{ratings.name}' has categories" if ratings.labels else f"of {', '.join(request.statistics)}"
        given = ", ".join(unused)
        raise InputError(f"the weights {why} must be one of {', '.join(known)}, got '{given}'{advice(given, known)}")
    return pairs


def _weights(kind: type[AgreementCoefficient], request: AgreementRequest, ratings: Ratings) -> list[str]:
    known = _known_weights(kind, ratings)
    if ALL in request.statistics:
        known = [weights for weights in known if ratings.labels or weights in kind.weights_for(ratings.values)]
        return [weights for weights in known if not request.weights or weights in request.weights]
    usual = known if ratings.labels else [kind.default_weights]
    return [weights for weights in known if weights in request.weights] or usual


def _known_weights(kind: type[AgreementCoefficient], ratings: Ratings) -> list[str]:
    if not ratings.labels:
        return [*kind.all_weights]
    if kind.label_weights is None:
        raise InputError(f"'{ratings.name}' has categories, but '{kind.name}' needs numbers")
    return [kind.label_weights]


class _AgreementOfGroups:
    """The coefficients of agreement of all outputs, and of each group of outputs.

    Args:
        tables: The tables of the ratings, which also have the columns of groups and clusters.
        ratings: The ratings.
        request: What to compute.
    """

    def __init__(self, tables: LongTables, ratings: Ratings, request: AgreementRequest) -> None:
        self._values = ratings.values
        self._categories = ratings.categories
        self._request = request
        chosen = chosen_coefficients(request, ratings)
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
        with long_work(what, total, "fewer groups take less", "computed", "agreements on outputs") as work:
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
            seed=request.seed,
            clusters=labels_of(self.clusters, members),
            categories=self._categories,
        )

    def caution(self, group: str) -> str:
        """Returns why the intervals of a group are too short, or an empty string."""
        with_interval = [COEFFICIENTS[one.name] for one in self.agreements[group] if not math.isnan(one.lower)]
        if all(kind.label_weights is None for kind in with_interval):  # the coverage of others was not measured
            return ""
        members = self.members[group]
        used = members & (np.isfinite(self._values).sum(axis=0) >= 2)
        clusters = labels_of(self.clusters, used)
        return rare_ratings_caution(self._values[:, members], int(used.sum()) if clusters is None else len({*clusters}))


def rare_ratings_caution(values: Floats, independent: int) -> str:
    """Returns how rarely intervals contain the value of the population, if few outputs have a rarer rating.

    The share of ratings that are not the commonest one, times the number of outputs, decides, whatever the number of
    raters and their agreement (`benchmarks/agreement_coverage.py`).

    Args:
        values: The ratings, shape (raters, units); NaN where missing.
        independent: The number of units with two ratings, or of clusters of these.

    Returns:
        A warning; empty unless other ratings than the commonest one are rare, and outputs are few.
    """
    units = RatedUnits(values)
    counts = units.is_paired @ units.counts
    other = 1 - float(counts.max() / counts.sum())
    covered = next((covered for most, covered in _COVERAGE if independent * other < most), "")
    if not covered or other > _RARE:
        return ""
    return (
        "few outputs have another rating than the commonest one: in simulations of such ratings, 95 % intervals of "
        f"Krippendorff's α contained the value of the population in {covered} % of cases, and those of κ about as "
        f"often; use enough outputs that {MIN_OTHERS} or more have another rating"
    )


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
                coefficient_of(both, "krippendorff", level).value(),
                coefficient_of(both, "cohen", weights).value(),
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
