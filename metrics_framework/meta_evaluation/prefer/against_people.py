"""How well the votes of a judge agree with those of people."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from metrics_framework.meta_evaluation.prefer.votes import Vote
from metrics_framework.significance.proportions import Proportion, wilson

_Unit = tuple[str | None, tuple[str, str]]
_Pair = tuple[str, str]


@dataclass(frozen=True)
class VerdictAgreement:
    """The agreement of pairs of verdicts.

    Args:
        agreeing: The number of pairs of equal verdicts.
        count: The number of pairs.
        kappa: Cohen's κ, over which system wins; NaN if undefined.
    """

    agreeing: int
    count: int
    kappa: float

    def share(self, confidence: float = 95) -> Proportion:
        """Returns the share of equal verdicts, and Wilson's interval."""
        return wilson(self.agreeing, self.count, confidence)

    @classmethod
    def of(cls, verdicts: Sequence[_Pair]) -> VerdictAgreement:
        """Counts pairs of verdicts.

        >>> VerdictAgreement.of([("x", "x"), ("y", "y"), ("x", "y"), ("y", "y")])
        VerdictAgreement(agreeing=3, count=4, kappa=0.5)
        """
        return cls(sum(one == other for one, other in verdicts), len(verdicts), cohen_kappa(verdicts))


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
class JudgeAgreement:
    """The agreement of a judge with people.

    Args:
        judge: The name of the judge; `None` if the votes name none.
        with_ties: Over all verdicts; a tie is a third class.
        without_ties: Over the verdicts in which neither side is a tie.
        subsets: Subset to its agreement with and without ties.
    """

    judge: str | None
    with_ties: VerdictAgreement
    without_ties: VerdictAgreement
    subsets: Mapping[str, tuple[VerdictAgreement, VerdictAgreement]] = field(default_factory=dict)

    def macro_average(self, ties: bool = True) -> float:
        """Returns the mean share over the subsets that have verdicts; NaN without subsets."""
        shares = [found[0 if ties else 1].share().value for found in self.subsets.values()]
        defined = [share for share in shares if share == share]
        return math.fsum(defined) / len(defined) if defined else math.nan


@dataclass(frozen=True)
class AgainstPeople:
    """The agreement of judges with people, and of people with each other.

    Args:
        judges: The agreement of each judge.
        people: The agreement of pairs of people, with and without ties.
        units: The number of pairs of outputs that both judges and people voted on.
        unmatched: The number of votes of judges on outputs that people did not vote on.
    """

    judges: Sequence[JudgeAgreement]
    people: tuple[VerdictAgreement, VerdictAgreement]
    units: int
    unmatched: int


def against_people(judges: Iterable[Vote], people: Iterable[Vote], subset: str | None = None) -> AgainstPeople:
    """Compares each vote of a judge with each vote of people on the same two outputs.

    Args:
        judges: The votes of one judge, or of several that are named as raters.
        people: The votes of people.
        subset: The column whose values divide the votes of people into subsets.

    Source: Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena" (2023), Section 4.
    """
    by_unit: dict[_Unit, list[Vote]] = defaultdict(list)
    for vote in people:
        by_unit[vote.input, vote.pair].append(vote)
    compared: dict[str | None, list[tuple[str, _Pair]]] = defaultdict(list)
    units: set[_Unit] = set()
    unmatched = 0
    for judged in judges:
        unit = judged.input, judged.pair
        units.update([unit] if unit in by_unit else [])
        unmatched += unit not in by_unit
        compared[judged.rater] += [(_label(subset, vote), _classes(judged, vote)) for vote in by_unit.get(unit, ())]
    found = [_of_judge(judge, pairs, subset) for judge, pairs in compared.items()]
    between = [
        _classes(one, other)
        for votes in by_unit.values()
        for one, other in combinations(votes, 2)
        if one.rater is None or one.rater != other.rater
    ]
    return AgainstPeople(found, _with_and_without_ties(between), len(units), unmatched)


def _classes(one: Vote, other: Vote) -> _Pair:
    """Returns two verdicts as classes: the first or second system by name, or a tie."""
    names = {one.pair[0]: "first", one.pair[1]: "second", "": "tie"}
    return names[one.verdict], names[other.verdict]


def _label(subset: str | None, vote: Vote) -> str:
    return "" if subset is None else str(vote.values[subset])


def _of_judge(judge: str | None, pairs: Sequence[tuple[str, _Pair]], subset: str | None) -> JudgeAgreement:
    subsets: dict[str, list[_Pair]] = defaultdict(list)
    for label, verdicts in pairs if subset is not None else ():
        subsets[label].append(verdicts)
    with_ties, without_ties = _with_and_without_ties([verdicts for _, verdicts in pairs])
    of_subsets = {label: _with_and_without_ties(verdicts) for label, verdicts in sorted(subsets.items())}
    return JudgeAgreement(judge, with_ties, without_ties, of_subsets)


def _with_and_without_ties(verdicts: Sequence[_Pair]) -> tuple[VerdictAgreement, VerdictAgreement]:
    decided = [pair for pair in verdicts if "tie" not in pair]
    return VerdictAgreement.of(verdicts), VerdictAgreement.of(decided)
