"""What `prefer` computes: strengths, ranks, win rates, position bias, and agreement with people."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from metrics_framework.common.errors import InputError, UnknownChoiceError, listed_names
from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.choices import PreferenceTable
from metrics_framework.meta_evaluation.prefer.agreement_with_people import (
    FEW_SYSTEMS,
    AgainstPeople,
    RankingAgreement,
    against_people,
    ranking_agreements,
    ranking_warnings,
)
from metrics_framework.meta_evaluation.prefer.request import (
    INPUT,
    NO_CLUSTERS,
    RATER,
    SCALES,
    Inconsistent,
    PreferenceRequest,
)
from metrics_framework.meta_evaluation.prefer.strengths import (
    BradleyTerry,
    UndeterminedError,
    bradley_terry,
    ranks,
)
from metrics_framework.meta_evaluation.prefer.votes import (
    BestWorst,
    Choice,
    Record,
    SplitHalfReliability,
    Vote,
    VoteTables,
    best_worst,
    records,
    split_half,
    votes_of,
)
from metrics_framework.meta_evaluation.study import Study
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.multiple_testing import Rank, caution_of_few
from metrics_framework.significance.proportions import EffectiveTrials

_DECIMALS = 9  # of strengths that are equal except for rounding


@dataclass(frozen=True)
class PreferenceStudy(Study):
    """What votes say.

    Attributes:
        request: How they were analysed.
        model: The strengths; `None` if the votes do not determine them.
        undetermined: Why the votes do not determine the strengths, or an empty string.
        ranks: System to its rank.
        systems: System to its wins, ties and losses, sorted by strength, the best first.
        pairs: Pair of systems to the wins, ties and losses of the first one.
        votes: The number of votes, after votes in both orders are merged.
        ties: The number of ties among them.
        soft_votes: The number of votes that are divided between both systems.
        inputs: The number of inputs; 0 if they are not named.
        raters: The number of raters; 0 if they are not named.
        cluster: What makes votes dependent; ``none`` if every vote is independent.
        position: The verdicts on pairs judged in both orders.
        against: The agreement of votes with those of people.
        rankings: The agreement of the ranking of each judge with that of people.
        best_worst: Item to its counts, if the tables contain choices.
        reliability: The split-half reliability of best–worst scores.
        left_out: The number of rows that are left out, by the reason.
        warnings: What may make the results misleading.
    """

    command: ClassVar[str] = "fw prefer"
    request: PreferenceRequest
    model: BradleyTerry | None
    undetermined: str
    ranks: Mapping[str, Rank]
    systems: Mapping[str, Record]
    pairs: Mapping[tuple[str, str], Record]
    votes: int
    ties: int
    inputs: int
    raters: int
    cluster: str
    soft_votes: int = 0
    position: PositionBias = field(default_factory=lambda: PositionBias([]))
    against: AgainstPeople | None = None
    rankings: Sequence[RankingAgreement] = ()
    best_worst: Mapping[str, BestWorst] | None = None
    reliability: SplitHalfReliability | None = None
    left_out: Mapping[str, int] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    @overrides
    def of(cls, tables: VoteTables, request: PreferenceRequest, people: VoteTables | None = None) -> PreferenceStudy:
        """Analyses votes, or choices of a best and a worst item.

        Args:
            tables: The votes or choices.
            request: How to analyse them.
            people: The votes of people, which those of judges are compared with. Then it is no error if the votes do
                not determine strengths.

        Raises:
            InputError: if there are choices and votes, the votes do not determine strengths, or an option needs what
                the votes or choices do not have.
        """
        if not tables.choices:
            found = _of_votes(tables.votes, request, None if people is None else people.votes)
        elif tables.votes or people is not None:
            raise InputError("choices of a best and a worst item cannot be combined with votes")
        else:
            found = _of_choices(tables.choices, request)
        return replace(found, left_out=tables.left_out, warnings=[*tables.warnings, *_warnings(found)])

    @overrides
    def cautions(self) -> Iterator[str]:
        rankings = {f"τ-b of {' '.join(filter(None, (one.name, one.subset)))}": one.units for one in self.rankings}
        yield from caution_of_few(rankings, "unit")
        if few := [one.name for one in self.rankings if one.tau_b.is_defined and one.systems < FEW_SYSTEMS]:
            yield (
                f"the interval of τ-b of fewer than {FEW_SYSTEMS} systems, which has few possible values, is too long "
                f"(95 % intervals of 4 systems contain the value in 99 to 100 % of cases): {listed_names(few)}"
            )
        if self.model is not None and (self.model.clusters or 0) != 1 and self.ties < self.votes:
            clusters = self.model.clusters
            yield from caution_of_few({"strengths": clusters or self.votes}, "vote" if clusters is None else "cluster")

    @property
    def caution_of_rates(self) -> str:
        """Says that intervals of win rates are too long: few clusters vary as independent votes do, or many tie."""
        each = (
            EffectiveTrials.of(one.outcomes, one.clusters) for one in (*self.systems.values(), *self.pairs.values())
        )
        few = any(2 * one.effective > one.size and 1 < (one.clusters or 20) < 20 for one in each)
        is_wide = few or self.votes <= 5 * self.ties < 5 * self.votes
        return "95 % intervals from few votes or of many ties are too long (right in 98 % of cases)" if is_wide else ""

    @overrides
    def to_records(self, of: PreferenceTable = "systems") -> list[dict[str, Any]]:
        """Returns a dictionary for each system, pair of systems, ranking, or agreement.

        Args:
            of: ``systems``, ``pairs``, ``ranking`` or ``agreement``.

        Raises:
            UnknownChoiceError: if it is another word.
        """
        if of not in _RECORDS:
            raise UnknownChoiceError("of", of, _RECORDS)
        return _RECORDS[of](self)

    @overrides
    def as_json(self) -> dict[str, Any]:
        request, model = self.request, self.model
        content: dict[str, Any] = {**head_of(self.command), "systems": system_records(self)}
        content |= {"pairs": pair_records(self), "coefficients": coefficient_records(self)}
        content |= {"votes": self.votes, "ties": self.ties, "inputs": self.inputs, "raters": self.raters}
        content |= {"soft_votes": self.soft_votes} if self.soft_votes else {}
        content["left_out"] = dict(self.left_out)
        content["clusters"] = {"by": self.cluster, "count": None if model is None else model.clusters}
        content |= {"scale": request.strength_scale, "ridge": request.ridge, "confidence": request.confidence}
        content |= {"correction": request.correct, "inconsistent": request.inconsistent}
        content["position"] = _position(self)
        if self.against is not None:
            content["ranking"] = {"statistic": "kendall-b", "interval": "bootstrap", "resamples": request.resamples}
            content["ranking"] |= {"seed": request.seed, "judges": ranking_records(self)}
            content["against"] = agreement_records(self)
        if self.reliability is not None:
            reliability = self.reliability
            content["split_half"] = {"pearson": reliability.pearson, "spearman": reliability.spearman}
            content["split_half"] |= {"spearman_brown": reliability.of_all, "splits": reliability.splits}
        cautions = [*self.cautions(), *([f"win rates: {rates}"] if (rates := self.caution_of_rates) else [])]
        return content | {"undetermined": self.undetermined or None, **({"cautions": cautions} if cautions else {})}


def _of_votes(
    votes: Sequence[Vote], request: PreferenceRequest, people: Sequence[Vote] | None = None
) -> PreferenceStudy:
    kept = merged(votes, request.inconsistent)
    if not kept:
        raise InputError("there are no votes")
    inputs = [vote.input for vote in kept if vote.input is not None]
    cluster = request.cluster or (INPUT if len(set(inputs)) < len(inputs) else NO_CLUSTERS)
    clusters = _clusters(kept, cluster, is_chosen=request.cluster is not None)
    bias = position_bias(votes, _clusters(votes, cluster, is_chosen=False))
    found = _estimated(kept, clusters, replace(request, cluster=cluster), people is not None)
    if people is None:
        return replace(found, position=bias)
    others = merged(people, request.inconsistent)
    return replace(
        found,
        position=bias,
        against=_compared(kept, others, request),
        rankings=ranking_agreements(kept, others, request),
    )


def _of_choices(choices: Sequence[Choice], request: PreferenceRequest) -> PreferenceStudy:
    """Returns the scores of items, and strengths from the votes that they imply."""
    if request.covariates or request.cluster not in (None, INPUT):
        raise InputError("choices of a best and a worst item have neither covariates nor other clusters than 'input'")
    votes, clusters = votes_of(choices)
    cluster = INPUT if any(choice.input is not None for choice in choices) else "choice"
    found = _estimated(votes, clusters, replace(request, cluster=cluster), may_fail=True)
    reliability = split_half(choices, seed=request.seed)
    return replace(found, best_worst=best_worst(choices), reliability=reliability)


def _clusters(votes: Sequence[Vote], cluster: str, is_chosen: bool) -> list[str] | None:
    """Returns the cluster of each vote; by default, a vote without an input is a separate cluster."""
    if cluster == NO_CLUSTERS:
        return None
    labels = [_label(vote, cluster) for vote in votes]
    missing = labels.count(None)
    if missing and is_chosen:
        raise InputError(
            f"clusters by '{cluster}' need a column '{cluster}'; it is missing or empty in {missing} votes"
        )
    return [f"vote {index}" if label is None else f"{cluster} {label}" for index, label in enumerate(labels)]


def _label(vote: Vote, cluster: str) -> str | None:
    if cluster in (INPUT, RATER):
        return vote.input if cluster == INPUT else vote.rater
    return None if vote.values.get(cluster) is None else str(vote.values[cluster])


def _estimated(
    votes: Sequence[Vote], clusters: Sequence[str] | None, request: PreferenceRequest, may_fail: bool
) -> PreferenceStudy:
    of_systems, of_pairs = records(votes, clusters)
    model, undetermined = None, ""
    try:
        model = _model(votes, clusters, request)
    except UndeterminedError as problem:
        if not may_fail:
            raise
        undetermined = str(problem.args[0])
    strengths = {} if model is None else dict(zip(model.systems, model.strengths.tolist(), strict=True))
    names = sorted(of_systems, key=lambda name: (-round(strengths.get(name, 0.0), _DECIMALS), name))
    found = [] if model is None else ranks(model, request.confidence, request.correct)
    return PreferenceStudy(
        request=request,
        model=model,
        undetermined=undetermined,
        ranks=dict(zip(strengths, found, strict=True)),
        systems={name: of_systems[name] for name in names},
        pairs=of_pairs,
        votes=len(votes),
        ties=sum(vote.winner == "tie" for vote in votes),
        soft_votes=sum(vote.share is not None for vote in votes),
        inputs=len({vote.input for vote in votes} - {None}),
        raters=len({vote.rater for vote in votes} - {None}),
        cluster=str(request.cluster),
    )


def _model(votes: Sequence[Vote], clusters: Sequence[str] | None, request: PreferenceRequest) -> BradleyTerry:
    triples = [(vote.first, vote.second, vote.outcome) for vote in votes]
    covariates = {name: [vote.values[name] for vote in votes] for name in request.covariates}
    return bradley_terry(triples, covariates=covariates or None, clusters=clusters, ridge=request.ridge)


def _compared(judges: Sequence[Vote], people: Sequence[Vote], request: PreferenceRequest) -> AgainstPeople:
    if any(vote.input is None for vote in (*judges, *people)):
        raise InputError("a comparison with people needs the input of every vote, in a column 'input'")
    found = against_people(judges, people, request.subset, request.cluster, request.confidence)
    if not found.units:
        raise InputError(
            "people did not vote on any pair of outputs that the judges voted on; inputs and systems must have the "
            "same names in both tables"
        )
    return found


def _warnings(found: PreferenceStudy) -> list[str]:
    warnings = [*ranking_warnings(found.rankings), *found.cautions()]
    if found.model is None:
        return [*warnings, f"no strengths: {found.undetermined}"]
    clusters, votes = found.model.clusters, found.votes
    if clusters == 1:
        warnings.append(f"no intervals: all votes are in one cluster ({found.cluster})")
    elif found.ties == votes:
        warnings.append("all votes are ties: every strength is equal, and errors are 0")
    if found.request.ridge:
        warnings.append("the ridge pulls strengths together, so intervals do not hold the true ones at their level")
    return warnings


def system_records(found: PreferenceStudy) -> list[dict[str, Any]]:
    """Returns a dictionary for each system, the strongest first; undefined numbers are NaN."""
    estimates = _strengths(found)
    records = []
    for system, record in found.systems.items():
        names, rank = ("strength", "standard_error", "lower", "upper"), found.ranks.get(system)
        row: dict[str, Any] = {"system": system}
        row |= dict(zip(names, estimates.get(system, (math.nan,) * 4), strict=True))
        row |= {"rank_best": rank and rank.best, "rank_worst": rank and rank.worst}
        row |= {"wins": record.wins, "ties": record.ties, "losses": record.losses}
        rate = record.win_rate(found.request.confidence)
        row |= {"win_rate": rate.value, "win_rate_lower": rate.lower, "win_rate_upper": rate.upper}
        if found.best_worst is not None:
            counts = found.best_worst[system]
            row |= {"best_worst": counts.score, "appearances": counts.appearances}
            row |= {"best": counts.best, "worst": counts.worst}
        records.append(row)
    if found.model is None and found.best_worst is not None:
        records.sort(key=lambda row: -float(row["best_worst"]))
    return records


def _strengths(found: PreferenceStudy) -> dict[str, tuple[float, ...]]:
    if found.model is None:
        return {}
    request = found.request
    value, lower, upper = found.model.intervals(request.confidence, request.strength_scale)
    errors = SCALES[request.strength_scale][1] * found.model.standard_errors
    columns = (value.tolist(), errors.tolist(), lower.tolist(), upper.tolist())
    return dict(zip(found.model.systems, zip(*columns, strict=True), strict=True))


def pair_records(found: PreferenceStudy) -> list[dict[str, Any]]:
    """Returns a dictionary for each pair of systems; the win rate is that of the first one."""
    records = []
    for (first, second), record in found.pairs.items():
        rate = record.win_rate(found.request.confidence)
        row = {"system_a": first, "system_b": second, "wins": record.wins, "ties": record.ties}
        row |= {"losses": record.losses, "win_rate": rate.value, "lower": rate.lower, "upper": rate.upper}
        records.append(row)
    return records


def coefficient_records(found: PreferenceStudy) -> list[dict[str, Any]]:
    """Returns a dictionary for each covariate, with its coefficient in standard deviations of the covariate."""
    if found.model is None:
        return []
    model = found.model
    columns = (model.covariates, model.coefficients.tolist(), model.coefficient_errors.tolist())
    records = []
    for name, value, error in zip(*columns, strict=True):
        ends = model.interval(value, error, found.request.confidence)
        row = {"covariate": name, "value": value, "standard_error": error, "lower": ends.lower, "upper": ends.upper}
        records.append(row)
    return records


def agreement_records(found: PreferenceStudy) -> list[dict[str, Any]]:
    """Returns a dictionary for each agreement: of each judge with people, in each subset, and of people."""
    return [] if found.against is None else [one.as_json() for one in found.against.agreements]


def ranking_records(found: PreferenceStudy) -> list[dict[str, Any]]:
    """Returns a dictionary for each judge and subset: Kendall's τ-b of its strengths with those of people."""
    return [
        {"judge": one.name, "subset": one.subset, "systems": one.systems}
        | dict(zip(("tau_b", "lower", "upper"), one.tau_b.numbers, strict=True))
        | {"by": one.by, "units": one.units, "undefined_resamples": one.tau_b.undefined_resamples}
        | {"reason": one.reason or None}
        for one in found.rankings
    ]


_RECORDS: Mapping[str, Callable[[PreferenceStudy], list[dict[str, Any]]]] = {
    "systems": system_records,
    "pairs": pair_records,
    "ranking": ranking_records,
    "agreement": agreement_records,
}
"""The tables by name."""


def _position(found: PreferenceStudy) -> dict[str, Any] | None:
    bias, level = found.position, found.request.confidence
    if not bias.pairs:
        return None
    consistency, first = bias.consistency(level), bias.first_rate(level)
    return {
        "pairs": bias.pairs,
        "consistent": bias.consistent,
        "consistency": consistency.as_json(),
        "first": bias.first,
        "second": bias.second,
        "first_rate": first.as_json(),
        "p_value": bias.p_value,
    }


_Swapped = dict[int, int]


@dataclass(frozen=True)
class PositionBias:
    """How verdicts depend on the order in which two outputs are shown.

    Args:
        kinds: What happened to each pair judged in both orders: ``same`` for the same verdict, ``a`` or ``b`` if the
            output shown first or second won twice, ``tie`` if only one verdict is a tie.
        clusters: The cluster of each pair; by default pairs are independent.
        alone: The number of votes without one in the other order.
    """

    kinds: Sequence[str]
    clusters: Sequence[Hashable] | None = None
    alone: int = 0

    @property
    def pairs(self) -> int:
        """The number of pairs judged in both orders."""
        return len(self.kinds)

    @property
    def consistent(self) -> int:
        """The number of pairs with the same verdict in both orders."""
        return self.kinds.count("same")

    @property
    def first(self) -> int:
        """The number of pairs in which the output shown first won twice."""
        return self.kinds.count("a")

    @property
    def second(self) -> int:
        """The number of pairs in which the output shown second won twice."""
        return self.kinds.count("b")

    def consistency(self, confidence: float = 95) -> Interval:
        """Returns the share of pairs with the same verdict in both orders, and its score interval."""
        return EffectiveTrials.of([kind == "same" for kind in self.kinds], self.clusters).interval(confidence)

    def first_rate(self, confidence: float = 95) -> Interval:
        """Returns the share of `first` in `first` and `second`, and its score interval."""
        return self._decided.interval(confidence)

    @property
    def _decided(self) -> EffectiveTrials:
        decided = [index for index, kind in enumerate(self.kinds) if kind in ("a", "b")]
        labels = None if self.clusters is None else [self.clusters[index] for index in decided]
        return EffectiveTrials.of([self.kinds[index] == "a" for index in decided], labels)

    @property
    def test(self) -> str:
        """The name of the test of no preference for a position."""
        return "exact binomial" if self._decided.clusters is None else "t-test over clusters"

    @property
    def p_value(self) -> float:
        """The two-sided p-value of no preference for a position; see `EffectiveTrials.even_p`.

        >>> round(PositionBias(["same"] * 25 + ["a"] * 9 + ["b"] * 3).p_value, 9)
        0.145996094
        """
        return self._decided.even_p


def position_bias(votes: Sequence[Vote], clusters: Sequence[Hashable] | None = None) -> PositionBias:
    """Counts verdicts on pairs of outputs that one rater judged once in each order.

    Args:
        votes: The votes; those without an input are ignored.
        clusters: The cluster of each vote; by default pairs are independent.
    """
    swapped = _swapped(votes)
    kinds = [_kind(votes[one], votes[other]) for one, other in swapped.items()]
    labels = None if clusters is None else [clusters[one] for one in swapped]
    return PositionBias(kinds, labels, len(votes) - 2 * len(swapped))


def _kind(one: Vote, other: Vote) -> str:
    """Returns ``same`` for the same verdict, the side that won twice, or ``tie`` if only one vote is a tie."""
    if one.verdict == other.verdict:
        return "same"
    return one.winner if one.winner == other.winner else "tie"


def merged(votes: Sequence[Vote], inconsistent: Inconsistent = "tie") -> list[Vote]:
    """Merges the two votes on a pair that was judged in both orders into one.

    Args:
        votes: The votes.
        inconsistent: What two different verdicts become: a ``tie``, or none (``drop``); ``keep`` keeps all votes.
    """
    if inconsistent == "keep":
        return list(votes)
    swapped = _swapped(votes)
    seconds = set(swapped.values())
    kept = []
    for index, vote in enumerate(votes):
        if index in seconds:
            continue
        other = votes[swapped[index]] if index in swapped else vote
        if vote.verdict != other.verdict:
            if inconsistent == "drop":
                continue
            vote = vote._replace(winner="tie", share=None)
        elif vote.share is not None or other.share is not None:
            vote = vote._replace(share=(vote.outcome + (other.outcome if other is vote else 1 - other.outcome)) / 2)
        kept.append(vote)
    return kept


def _swapped(votes: Iterable[Vote]) -> _Swapped:
    """Maps the index of a vote to that of the vote by the same rater on the same outputs in the other order.

    Outputs on which a rater has voted twice in one order are left out: without names of raters, they may come from
    several.
    """
    by_unit: dict[tuple[str | None, str, tuple[str, str]], list[tuple[int, str]]] = defaultdict(list)
    for index, vote in enumerate(votes):
        if vote.input is not None:
            by_unit[vote.rater, vote.input, vote.pair].append((index, vote.first))
    pairs = (found for found in by_unit.values() if len(found) == 2 and found[0][1] != found[1][1])
    return {one: other for (one, _), (other, _) in pairs}
