"""Everything that votes say: strengths, ranks, win rates, position bias, and agreement with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.preferences.against_people import AgainstPeople, against_people
from metrics_framework.meta_evaluation.preferences.best_worst import (
    BestWorst,
    Choice,
    Reliability,
    best_worst,
    split_half,
    votes_of,
)
from metrics_framework.meta_evaluation.preferences.position import Inconsistent, PositionBias, merged, position_bias
from metrics_framework.meta_evaluation.preferences.ranks import Rank, ranks
from metrics_framework.meta_evaluation.preferences.strengths import (
    BradleyTerry,
    Scale,
    bradley_terry,
    check_scale,
)
from metrics_framework.meta_evaluation.preferences.votes import Vote
from metrics_framework.meta_evaluation.preferences.win_rates import Record, records
from metrics_framework.meta_evaluation.preferences.wins import UndeterminedError
from metrics_framework.significance.confidence_level import as_percent

FEW_CLUSTERS = 5
"""Below this number of clusters, or of votes without clusters, errors are unreliable."""
_DECIMALS = 9  # of strengths that are equal except for rounding
INPUT, RATER, NO_CLUSTERS = "input", "rater", "none"


@dataclass(frozen=True)
class PreferenceSettings:
    """How votes are analysed.

    Args:
        scale: The scale of the strengths.
        covariates: The covariates whose effect is controlled.
        cluster: What makes votes dependent: ``input``, ``rater``, a column, or ``none``. By default ``input`` if an
            input has several votes.
        ridge: The weight of the penalty on strengths.
        correction: The correction of the tests that ranks are based on.
        confidence: The confidence level in percent.
        inconsistent: What two different verdicts on one pair of outputs, shown in both orders, become.
        subset: The column that divides the agreement with people into subsets.
        seed: The seed of random splits.
    """

    scale: Scale = "natural"
    covariates: Sequence[str] = ()
    cluster: str | None = None
    ridge: float = 0.0
    correction: str = "holm"
    confidence: float = 95
    inconsistent: Inconsistent = "tie"
    subset: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the scale and the confidence level."""
        check_scale(self.scale)
        object.__setattr__(self, "confidence", as_percent(self.confidence))

    @property
    def judge_labels(self) -> Sequence[str]:
        """The columns that the votes need besides covariates; subsets may be in the votes of people instead."""
        return [] if self.cluster in (None, INPUT, RATER, NO_CLUSTERS) else [str(self.cluster)]

    @property
    def people_labels(self) -> Sequence[str]:
        """The columns that the votes of people need."""
        return [] if self.subset is None else [self.subset]


@dataclass(frozen=True)
class Preferences:
    """What votes say.

    Args:
        settings: How they were analysed.
        model: The strengths; `None` if the votes do not determine them.
        undetermined: Why the votes do not determine the strengths, or an empty string.
        ranks: System to its rank.
        systems: System to its wins, ties and losses, sorted by strength, the best first.
        pairs: Pair of systems to the wins, ties and losses of the first one.
        votes: The number of votes, after votes in both orders are merged.
        ties: The number of ties among them.
        inputs: The number of inputs; 0 if they are not named.
        raters: The number of raters; 0 if they are not named.
        cluster: What makes votes dependent; ``none`` if every vote is independent.
        position: The verdicts on pairs judged in both orders.
        against: The agreement with people.
        best_worst: Item to its counts, if the tables contain choices.
        reliability: The split-half reliability of best–worst scores.
        left_out: The number of rows that are left out, by the reason.
    """

    settings: PreferenceSettings
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
    position: PositionBias = field(default_factory=lambda: PositionBias(0, 0, 0, 0))
    against: AgainstPeople | None = None
    best_worst: Mapping[str, BestWorst] | None = None
    reliability: Reliability | None = None
    left_out: Mapping[str, int] = field(default_factory=Counter)


def analyse_votes(
    votes: Sequence[Vote], settings: PreferenceSettings, people: Sequence[Vote] | None = None
) -> Preferences:
    """Analyses votes.

    Args:
        votes: The votes.
        settings: How to analyse them.
        people: The votes of people, which those of judges are compared with. Then it is no error if the votes do not
            determine strengths.

    Raises:
        InputError: if the votes do not determine strengths, or a setting needs what the votes do not have.
    """
    bias = position_bias(votes)
    kept = merged(votes, settings.inconsistent)
    if not kept:
        raise InputError("there are no votes")
    cluster = settings.cluster or _default_cluster(kept)
    clusters = _clusters(kept, cluster, is_chosen=settings.cluster is not None)
    found = _estimated(kept, clusters, replace(settings, cluster=cluster), people is not None)
    if people is None:
        return replace(found, position=bias)
    return replace(found, position=bias, against=_compared(kept, merged(people, settings.inconsistent), settings))


def analyse_choices(choices: Sequence[Choice], settings: PreferenceSettings) -> Preferences:
    """Analyses choices of a best and a worst item: their scores, and strengths from the votes that they imply.

    Raises:
        InputError: if a setting needs what choices do not have.
    """
    if settings.covariates or settings.cluster not in (None, INPUT):
        raise InputError("choices of a best and a worst item have neither covariates nor other clusters than 'input'")
    votes, clusters = votes_of(choices)
    cluster = INPUT if any(choice.input is not None for choice in choices) else "choice"
    found = _estimated(votes, clusters, replace(settings, cluster=cluster), may_fail=True)
    reliability = split_half(choices, seed=settings.seed)
    return replace(found, best_worst=best_worst(choices), reliability=reliability)


def _default_cluster(votes: Sequence[Vote]) -> str:
    inputs = [vote.input for vote in votes if vote.input is not None]
    return INPUT if len(set(inputs)) < len(inputs) else NO_CLUSTERS


def _clusters(votes: Sequence[Vote], cluster: str, is_chosen: bool) -> list[str] | None:
    """Returns the cluster of each vote; by default, a vote without an input is one cluster."""
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
    votes: Sequence[Vote], clusters: Sequence[str] | None, settings: PreferenceSettings, may_fail: bool
) -> Preferences:
    of_systems, of_pairs = records(votes)
    model, undetermined = None, ""
    try:
        model = _model(votes, clusters, settings)
    except UndeterminedError as problem:
        if not may_fail:
            raise
        undetermined = str(problem.args[0])
    strengths = {} if model is None else dict(zip(model.systems, model.strengths.tolist(), strict=True))
    names = sorted(of_systems, key=lambda name: (-round(strengths.get(name, 0.0), _DECIMALS), name))
    found = [] if model is None else ranks(model, settings.confidence, settings.correction)
    return Preferences(
        settings=settings,
        model=model,
        undetermined=undetermined,
        ranks=dict(zip(strengths, found, strict=True)),
        systems={name: of_systems[name] for name in names},
        pairs=of_pairs,
        votes=len(votes),
        ties=sum(vote.winner == "tie" for vote in votes),
        inputs=len({vote.input for vote in votes} - {None}),
        raters=len({vote.rater for vote in votes} - {None}),
        cluster=str(settings.cluster),
    )


def _model(votes: Sequence[Vote], clusters: Sequence[str] | None, settings: PreferenceSettings) -> BradleyTerry:
    triples = [(vote.first, vote.second, vote.winner) for vote in votes]
    covariates = {name: [vote.values[name] for vote in votes] for name in settings.covariates}
    return bradley_terry(triples, covariates=covariates or None, clusters=clusters, ridge=settings.ridge)


def _compared(judges: Sequence[Vote], people: Sequence[Vote], settings: PreferenceSettings) -> AgainstPeople:
    if any(vote.input is None for vote in (*judges, *people)):
        raise InputError("a comparison with people needs the input of every vote, in a column 'input'")
    found = against_people(judges, people, settings.subset)
    if not found.units:
        raise InputError(
            "people did not vote on any pair of outputs that the judges voted on; inputs and systems must have the "
            "same names in both tables"
        )
    return found
