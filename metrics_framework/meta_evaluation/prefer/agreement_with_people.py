"""How well the ranking of a judge agrees with that of people: Kendall's τ-b of their Bradley–Terry strengths."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, count
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.prefer.request import INPUT, NO_CLUSTERS, RATER, PreferenceRequest
from metrics_framework.meta_evaluation.prefer.strengths import (
    MIN_STEP,
    Rows,
    VoteArrays,
    maximum,
    strengths_of,
    vote_arrays,
)
from metrics_framework.meta_evaluation.prefer.votes import Vote
from metrics_framework.meta_evaluation.study import Finding
from metrics_framework.significance.clusters import bootstrap_weights
from metrics_framework.significance.interval_methods import Interval, percentile_interval
from metrics_framework.significance.proportions import EffectiveTrials

_Labels = tuple[Sequence[Hashable], Sequence[Hashable]]
MIN_SYSTEMS = 3
"""The τ-b of two systems is −1 or 1."""
FEW_SYSTEMS = 8
"""The τ-b of fewer systems has few values, so that its interval contains too many of them."""
MIN_DEFINED = 0.5
"""The least share of resamples that must determine both rankings for an interval."""
_BLOCK_NUMBERS = 1 << 21
"""The most numbers of an array of one block: resamples times units, or times pairs of systems."""
_NO_DIFFERENCE = 1e-9
"""Strengths that are closer differ by rounding only."""
_MAX_STEPS = 20


@dataclass(frozen=True)
class RankingAgreement:
    """The agreement of the ranking of a judge with that of people.

    Attributes:
        judge: The name of the judge; `None` if the votes name none.
        subset: The subset of the votes of people, or an empty string for all.
        systems: The number of systems that both the judge and people voted on.
        tau_b: Kendall's τ-b of their strengths, 1 for the same order and −1 for the opposite one, with its interval.
        by: What is drawn: ``input``, ``rater`` (of people), a column, or ``none`` for single votes.
        units: The number of inputs, or of other clusters of votes, that are drawn.
        reason: Why τ-b or its interval is undefined; empty if they are not.
    """

    judge: str | None
    subset: str = ""
    systems: int = 0
    tau_b: Interval = field(default_factory=lambda: Interval(math.nan))
    by: str = INPUT
    units: int = 0
    reason: str = ""

    @property
    def name(self) -> str:
        """The name of the judge in tables."""
        return "judge" if self.judge is None else self.judge

    @property
    def is_reversed(self) -> bool:
        """Whether τ-b is negative, or its interval contains no positive agreement."""
        return self.tau_b.value < 0 or self.tau_b.upper <= 0


def ranking_warnings(rankings: Sequence[RankingAgreement]) -> list[str]:
    """Returns which judges rank systems in the opposite order of people."""
    warnings = []
    for found in filter(lambda found: found.is_reversed, rankings):
        who = f"'{found.name}'" + (f" in '{found.subset}'" if found.subset else "")
        tau_b, order = found.tau_b, "shows no positive agreement with people in the order of systems"
        if tau_b.value < 0:
            extent = "exactly" if tau_b.value == -1 else "rather"
            order = f"ranks the systems {extent} in the opposite order of people"
        ends = f" [{tau_b.lower:.3f}, {tau_b.upper:.3f}]" if tau_b.is_defined else ""
        warnings.append(f"{who} {order} (Kendall's τ-b {tau_b.value:.3f}{ends}): do not rank systems by its votes")
    return warnings


def kendall_b(first: Floats, second: Floats) -> Floats:
    """Computes Kendall's τ-b of strengths, shape (…, systems); NaN if all strengths of one side are equal.

    >>> kendall_b(np.array([3.0, 2, 1]), np.array([[3.0, 2, 1], [1, 2, 3], [1, 1, 1]])).tolist()
    [1.0, -1.0, nan]
    """
    x, y = _signs(first), _signs(second)
    norm = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    return np.asarray(np.divide((x * y).sum(axis=-1), norm, out=np.full(norm.shape, math.nan), where=norm > 0))


def _signs(strengths: Floats) -> Floats:
    """Returns the sign of the difference of each pair of systems; NaN where strengths are undefined."""
    first, second = np.triu_indices(strengths.shape[-1], 1)
    differences = strengths[..., first] - strengths[..., second]
    return np.where(np.abs(differences) <= _NO_DIFFERENCE, 0.0, np.sign(differences))


def ranking_agreements(
    judges: Sequence[Vote], people: Sequence[Vote], request: PreferenceRequest
) -> list[RankingAgreement]:
    """Compares the strengths of systems by the votes of each judge with those by the votes of people.

    Strengths are those of `bradley_terry` with all votes of the judge, or of people; for a subset, with the votes of
    people in it, and those of the judge on the same inputs. The interval is τ-b ± the larger distance of a percentile
    of τ-b in bootstrap resamples, limited to [−1, 1]: resampling adds noise, which draws τ-b towards 0, so that
    percentiles alone would be too close to 0. Resamples draw inputs with all their votes, or other clusters.

    Args:
        judges: The votes of one judge, or of several that are named as raters.
        people: The votes of people.
        request: The covariates of the votes of judges, ridge, clusters, subsets, confidence, resamples and seed.

    Returns:
        The agreement of each judge, followed by those in each subset.
    """
    by_judge: dict[str | None, list[Vote]] = defaultdict(list)
    for vote in judges:
        by_judge[vote.rater].append(vote)
    by_subset: dict[str, list[Vote]] = defaultdict(list)
    if request.subset is not None:
        for vote in people:
            by_subset[str(vote.values[request.subset])].append(vote)
    found = []
    for judge, votes in by_judge.items():
        found.append(_agreement(RankingAgreement(judge), votes, people, request))
        for subset, rated in sorted(by_subset.items()):
            inputs = {vote.input for vote in rated}
            judged = [vote for vote in votes if vote.input in inputs]
            found.append(_agreement(RankingAgreement(judge, subset), judged, rated, request))
    return found


def _agreement(
    compared: RankingAgreement, votes: Sequence[Vote], people: Sequence[Vote], request: PreferenceRequest
) -> RankingAgreement:
    labels, reason = _units(votes, people, request.cluster)
    numbers = {label: number for number, label in enumerate(sorted({*chain(*labels)} - {None}, key=repr))}
    shared = sorted(_systems(votes) & _systems(people))
    compared = replace(compared, systems=len(shared), by=request.cluster or INPUT, units=len(numbers))
    if len(shared) < MIN_SYSTEMS:
        return replace(compared, reason=f"undefined, fewer than {MIN_SYSTEMS} systems with votes of both")
    sides, strengths = [], []
    parts = (("the judge", votes, request.covariates), ("people", people, ()))
    for (who, part, covariates), labels_of_part in zip(parts, labels, strict=True):
        try:
            sides.append(_Side.of(part, [numbers.get(label, len(numbers)) for label in labels_of_part], covariates))
            strengths.append(sides[-1].strengths(shared, request.ridge))
        except InputError as problem:
            return replace(compared, reason=f"undefined, {who}: {problem.args[0]}")
        if not _signs(strengths[-1]).any():
            return replace(compared, reason=f"undefined, all strengths of {who} are equal")
    value = float(kendall_b(*strengths))
    if reason or len(numbers) < 2:
        return replace(compared, tau_b=Interval(value), reason=reason or "no interval: all votes are in one cluster")
    return _with_interval(compared, value, _drawn(sides, shared, len(numbers), request), request)


def _systems(votes: Sequence[Vote]) -> set[str]:
    return {system for vote in votes for system in vote.pair}


def _units(votes: Sequence[Vote], people: Sequence[Vote], cluster: str | None) -> tuple[_Labels, str]:
    """Returns what each vote of the judge and of people is drawn with, and why that is impossible.

    A vote with the label `None` is in every resample.
    """
    if cluster == NO_CLUSTERS:
        return (_numbered(votes, "judge"), _numbered(people, "people")), ""
    if cluster == RATER:  # other people are drawn, the judge stays
        raters = [vote.rater for vote in people]
        return ([None] * len(votes), raters), "no interval: votes of people without a rater" if None in raters else ""
    if cluster is None or cluster == INPUT:
        return ([vote.input for vote in votes], [vote.input for vote in people]), ""
    values = {vote.input: vote.values[cluster] for vote in votes}
    is_split = any(vote.values[cluster] != values[vote.input] for vote in votes)
    labels = [
        [(cluster, values[vote.input]) if vote.input in values else vote.input for vote in part]
        for part in (votes, people)
    ]
    return (labels[0], labels[1]), f"no interval: votes on one input differ in '{cluster}'" if is_split else ""


def _numbered(votes: Sequence[Vote], who: str) -> list[Hashable]:
    """Returns a label for each vote, which does not depend on the order of the votes."""
    order = sorted(range(len(votes)), key=lambda index: repr(votes[index]))
    return [(who, int(place)) for place in np.argsort(order)]


@dataclass(frozen=True, eq=False)
class _Side:
    """The votes of a judge, or of people.

    Args:
        votes: The votes.
        units: The unit that each vote is drawn with, shape (votes,).
    """

    votes: VoteArrays
    units: Indices

    @classmethod
    def of(cls, votes: Sequence[Vote], units: Sequence[int], covariates: Sequence[str]) -> _Side:
        triples = [(vote.first, vote.second, vote.outcome) for vote in votes]
        values = {name: [vote.values[name] for vote in votes] for name in covariates}
        arrays = vote_arrays(triples, values or None, units)
        codes = sorted(set(units), key=repr)  # as `vote_arrays` numbers clusters
        return cls(replace(arrays, clusters=None), np.array(codes, dtype=np.intp)[arrays.clusters])

    def strengths(self, systems: Sequence[str], ridge: float) -> Floats:
        """Returns the strengths of some systems.

        Raises:
            InputError: if the votes do not determine them.
        """
        model = strengths_of(self.votes, self.votes.systems, ridge)
        return model.strengths[self._places(systems)]

    def resampled(self, weights: Floats, systems: Sequence[str], ridge: float) -> Floats:
        """Returns the strengths of some systems for weights of units, shape (resamples, systems)."""
        return resampled_strengths(self.votes, weights, self.units, ridge)[:, self._places(systems)]

    def _places(self, systems: Sequence[str]) -> list[int]:
        return [self.votes.systems.index(system) for system in systems]


def _drawn(sides: Sequence[_Side], systems: Sequence[str], units: int, request: PreferenceRequest) -> Floats:
    """Returns τ-b in each resample; NaN where the votes do not determine both rankings."""
    found = []
    size = max(1, _BLOCK_NUMBERS // max(units, *(len(side.votes.systems) ** 2 for side in sides)))
    for block in bootstrap_weights(units, request.resampling):
        for start in range(0, len(block), size):
            weights = np.pad(block[start : start + size], ((0, 0), (0, 1)), constant_values=1.0)
            found.append(kendall_b(*(side.resampled(weights, systems, request.ridge) for side in sides)))
    return np.concatenate(found)


def _with_interval(
    compared: RankingAgreement, value: float, drawn: Floats, request: PreferenceRequest
) -> RankingAgreement:
    found = percentile_interval(value, drawn, request.resampling.tail)
    defined = int(np.isfinite(drawn).sum())
    if defined < MIN_DEFINED * len(drawn):
        reason = f"no interval: only {defined} of {len(drawn)} resamples determine both rankings"
        return replace(compared, tau_b=found.without_ends(""), reason=reason)
    half_width = max(value - found.lower, found.upper - value, 0.0)
    lower, upper = max(-1.0, value - half_width), min(1.0, value + half_width)
    return replace(compared, tau_b=replace(found, lower=lower, upper=upper))


def resampled_strengths(votes: VoteArrays, weights: Floats, units: Indices, ridge: float = 0.0) -> Floats:
    """Estimates strengths as if each vote occurred as often as the weight of its unit says.

    Without covariates, all resamples take Newton steps together; one that does not converge is estimated on its own.

    Args:
        votes: The votes.
        weights: Shape (resamples, units).
        units: The unit of each vote.
        ridge: The weight of the penalty on strengths.

    Returns:
        Strengths with mean 0, shape (resamples, systems); NaN where the votes do not determine them.
    """
    wins = _win_matrices(votes, weights, units)
    strengths = np.full(wins.shape[:2], math.nan)
    determined = np.full(len(wins), True) if ridge else _are_connected(wins)
    if not votes.covariate_names:
        strengths[determined] = _newton(wins[determined], ridge)
    for index in np.flatnonzero(determined & np.isnan(strengths[:, 0])):
        with suppress(InputError):  # covariates separate wins from losses, or depend on each other
            strengths[index] = maximum(Rows.of(votes, weights[index, units]), ridge)[: len(votes.systems)]
    return strengths


def _win_matrices(votes: VoteArrays, weights: Floats, units: Indices) -> Floats:
    """Returns the wins of systems (rows) over others in each resample, shape (resamples, systems, systems)."""
    from scipy.sparse import csr_matrix

    size = len(votes.systems)
    cells = np.concatenate([votes.first * size + votes.second, votes.second * size + votes.first])
    outcomes = np.concatenate([votes.outcomes, 1 - votes.outcomes])
    of_units = csr_matrix((outcomes, (cells, np.tile(units, 2))), shape=(size * size, weights.shape[1]))
    return np.asarray((of_units @ weights.T).T.reshape(len(weights), size, size))


def _are_connected(wins: Floats) -> Bools:
    """Returns in which resamples every system has won against every other one, directly or through others."""
    size = wins.shape[1]
    reached = ((wins > 0) | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(max(1, math.ceil(math.log2(size)))):
        reached = (reached @ reached > 0).astype(np.float32)
    return np.asarray((reached > 0).all(axis=(1, 2)), dtype=np.bool_)


def _newton(wins: Floats, ridge: float) -> Floats:
    """Takes Newton steps until all resamples have converged; NaN for those that do not."""
    from scipy.special import expit

    counts = wins + wins.transpose(0, 2, 1)
    size, strengths = wins.shape[1], np.zeros(wins.shape[:2])
    for _ in range(_MAX_STEPS):
        p = expit(strengths[:, :, None] - strengths[:, None, :])
        gradient = (wins - counts * p).sum(axis=2) - ridge * strengths
        weights = counts * p * (1 - p)
        diagonal = weights.sum(axis=2) + ridge
        information = diagonal.mean(axis=1)[:, None, None] / size - weights  # adds a multiple of the mean strength
        information[:, range(size), range(size)] += diagonal
        try:
            step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:  # one resample is singular
            break
        strengths += step
        if not np.abs(step).max(initial=0) >= MIN_STEP:
            break
    strengths[~(np.abs(step).max(axis=1, initial=0) < MIN_STEP)] = math.nan
    return strengths


_Unit = tuple[str | None, tuple[str, str]]
_Pair = tuple[str, str]


@dataclass(frozen=True)
class VerdictAgreement(Finding):
    """The agreement of pairs of verdicts: a row of a table.

    Attributes:
        judge: The name of the judge, or ``people with each other``.
        subset: The subset of the votes of people; empty for all, ``(macro average)`` for the mean over subsets.
        ties: ``with`` ties, as a third class, or ``without`` verdicts of which one is a tie.
        n: The number of pairs, or of subsets.
        agreement: The share of equal verdicts.
        lower: The lower end of its score interval; NaN for the mean over subsets.
        upper: The upper end.
        kappa: Cohen's κ, over which system wins; NaN if undefined.
    """

    judge: str
    subset: str
    ties: str
    n: int
    agreement: float
    lower: float = math.nan
    upper: float = math.nan
    kappa: float = math.nan


def cohen_kappa(verdicts: Sequence[_Pair]) -> float:
    """Computes κ = (p_o − p_e)/(1 − p_e) of pairs of labels; NaN without pairs, or if all labels are equal."""
    count = len(verdicts)
    first, second = Counter(one for one, _ in verdicts), Counter(other for _, other in verdicts)
    expected = sum(first[label] * second[label] for label in first)
    if expected == count * count:
        return math.nan
    agreeing = sum(one == other for one, other in verdicts)
    return (count * agreeing - expected) / (count * count - expected)


@dataclass(frozen=True)
class AgainstPeople:
    """The agreement of judges with people, and of people with each other.

    Args:
        agreements: The agreement of each judge, also in each subset and as the mean over these, and that of people.
        pairs_of_people: The number of pairs of verdicts of people on the same outputs.
        units: The number of pairs of outputs that both judges and people voted on.
        unmatched: The number of votes of judges on outputs that people did not vote on.
    """

    agreements: Sequence[VerdictAgreement]
    pairs_of_people: int
    units: int
    unmatched: int


class _Compared(NamedTuple):
    """The verdicts of two votes on the same outputs.

    Attributes:
        verdicts: Both as classes: the first or second system by name, or a tie.
        cluster: What they are dependent within.
        subset: The subset of the vote of people.
    """

    verdicts: _Pair
    cluster: Hashable
    subset: str = ""


def against_people(
    judges: Sequence[Vote],
    people: Iterable[Vote],
    subset: str | None = None,
    cluster: str | None = None,
    confidence: float = 95,
) -> AgainstPeople:
    """Compares each vote of a judge with each vote of people on the same two outputs.

    Args:
        judges: The votes of one judge, or of several that are named as raters.
        people: The votes of people.
        subset: The column whose values divide the votes of people into subsets.
        cluster: What pairs of verdicts are dependent within: ``input`` (also `None`), ``rater`` (of people), a column
            of the votes of judges, or ``none``. By rater, the agreement of people with each other has no interval.
        confidence: The confidence level of the score intervals, a fraction or in percent.

    Source: Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena" (2023), Section 4.
    """
    cluster_of = _cluster_function(judges, cluster)
    by_unit: dict[_Unit, list[Vote]] = defaultdict(list)
    for vote in people:
        by_unit[vote.input, vote.pair].append(vote)
    compared: dict[str | None, list[_Compared]] = defaultdict(list)
    units: set[_Unit] = set()
    unmatched = 0
    for judged in judges:
        unit = judged.input, judged.pair
        units.update([unit] if unit in by_unit else [])
        unmatched += unit not in by_unit
        compared[judged.rater] += [
            _Compared(_classes(judged, vote), cluster_of(vote), "" if subset is None else str(vote.values[subset]))
            for vote in by_unit.get(unit, ())
        ]
    found = [
        one
        for judge, pairs in compared.items()
        for one in _of_judge("judge" if judge is None else judge, pairs, subset is not None, confidence)
    ]
    between = [
        _Compared(_classes(one, other), None if cluster == RATER else cluster_of(one))
        for votes in by_unit.values()
        for one, other in combinations(votes, 2)
        if one.rater is None or one.rater != other.rater
    ]
    found += _agreements("people with each other", "", between, confidence)
    return AgainstPeople(found, len(between), len(units), unmatched)


def _cluster_function(judges: Sequence[Vote], cluster: str | None) -> Callable[[Vote], Hashable]:
    """Returns a function that returns the cluster of a vote of people."""
    if cluster == NO_CLUSTERS:
        numbers = count()
        return lambda vote: next(numbers)
    if cluster == RATER:
        return lambda vote: vote.rater
    labels = {} if cluster in (None, INPUT) else {vote.input: vote.values[cluster] for vote in judges}
    return lambda vote: labels.get(vote.input, vote.input)


def _classes(one: Vote, other: Vote) -> _Pair:
    """Returns two verdicts as classes: the first or second system by name, or a tie."""
    names = {one.pair[0]: "first", one.pair[1]: "second", "": "tie"}
    return names[one.verdict], names[other.verdict]


def _of_judge(judge: str, pairs: Sequence[_Compared], has_subsets: bool, level: float) -> list[VerdictAgreement]:
    subsets: dict[str, list[_Compared]] = defaultdict(list)
    for pair in pairs if has_subsets else ():
        subsets[pair.subset].append(pair)
    parts = [one for label, part in sorted(subsets.items()) for one in _agreements(judge, label, part, level)]
    found = [*_agreements(judge, "", pairs, level), *parts]
    for ties in ("with", "without") if subsets else ():
        shares = [one.agreement for one in parts if one.ties == ties and not math.isnan(one.agreement)]
        mean = math.fsum(shares) / len(shares) if shares else math.nan
        found.append(VerdictAgreement(judge, "(macro average)", ties, len(subsets), mean))
    return found


def _agreements(judge: str, subset: str, pairs: Sequence[_Compared], level: float) -> list[VerdictAgreement]:
    """Returns the agreement with and without ties."""
    found = []
    for ties, used in (("with", pairs), ("without", [pair for pair in pairs if "tie" not in pair.verdicts])):
        verdicts = [pair.verdicts for pair in used]
        trials = EffectiveTrials.of([one == other for one, other in verdicts], [pair.cluster for pair in used])
        share = trials.interval(level)
        numbers = share.value, share.lower, share.upper, cohen_kappa(verdicts)
        found.append(VerdictAgreement(judge, subset, ties, len(used), *numbers))
    return found
