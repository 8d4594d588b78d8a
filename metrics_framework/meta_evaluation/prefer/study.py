"""What `prefer` computes: strengths, ranks, win rates, position bias, and agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.prefer.against_people import AgainstPeople, against_people
from metrics_framework.meta_evaluation.prefer.best_worst import Choice, best_worst, split_half, votes_of
from metrics_framework.meta_evaluation.prefer.position import merged, position_bias
from metrics_framework.meta_evaluation.prefer.ranking_agreement import ranking_agreements, ranking_warnings
from metrics_framework.meta_evaluation.prefer.request import INPUT, NO_CLUSTERS, RATER, PreferenceRequest
from metrics_framework.meta_evaluation.prefer.result import Preferences
from metrics_framework.meta_evaluation.prefer.strengths import BradleyTerry, bradley_terry, ranks
from metrics_framework.meta_evaluation.prefer.vote_arrays import UndeterminedError
from metrics_framework.meta_evaluation.prefer.vote_tables import VoteTables
from metrics_framework.meta_evaluation.prefer.votes import Vote, records

FEW_CLUSTERS = 5
"""Below this number of clusters, or of votes without clusters, errors are unreliable."""
_DECIMALS = 9  # of strengths that are equal except for rounding


def analysed(tables: VoteTables, request: PreferenceRequest, people: VoteTables | None = None) -> Preferences:
    """Analyses votes, or choices of a best and a worst item.

    Args:
        tables: The votes or choices.
        request: How to analyse them.
        people: The votes of people, which those of judges are compared with.

    Raises:
        InputError: if there are choices and votes; see `analyse_votes` and `analyse_choices`.
    """
    if not tables.choices:
        found = analyse_votes(tables.votes, request, None if people is None else people.votes)
    elif tables.votes or people is not None:
        raise InputError("choices of a best and a worst item cannot be combined with votes")
    else:
        found = analyse_choices(tables.choices, request)
    return replace(found, left_out=tables.left_out)


def analyse_votes(
    votes: Sequence[Vote], request: PreferenceRequest, people: Sequence[Vote] | None = None
) -> Preferences:
    """Analyses votes.

    Args:
        votes: The votes.
        request: How to analyse them.
        people: The votes of people, which those of judges are compared with. Then it is no error if the votes do not
            determine strengths.

    Raises:
        InputError: if the votes do not determine strengths, or a setting needs what the votes do not have.
    """
    bias = position_bias(votes)
    kept = merged(votes, request.inconsistent)
    if not kept:
        raise InputError("there are no votes")
    cluster = request.cluster or _default_cluster(kept)
    clusters = _clusters(kept, cluster, is_chosen=request.cluster is not None)
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


def analyse_choices(choices: Sequence[Choice], request: PreferenceRequest) -> Preferences:
    """Analyses choices of a best and a worst item: their scores, and strengths from the votes that they imply.

    Raises:
        InputError: if a setting needs what choices do not have.
    """
    if request.covariates or request.cluster not in (None, INPUT):
        raise InputError("choices of a best and a worst item have neither covariates nor other clusters than 'input'")
    votes, clusters = votes_of(choices)
    cluster = INPUT if any(choice.input is not None for choice in choices) else "choice"
    found = _estimated(votes, clusters, replace(request, cluster=cluster), may_fail=True)
    reliability = split_half(choices, seed=request.seed)
    return replace(found, best_worst=best_worst(choices), reliability=reliability)


def _default_cluster(votes: Sequence[Vote]) -> str:
    inputs = [vote.input for vote in votes if vote.input is not None]
    return INPUT if len(set(inputs)) < len(inputs) else NO_CLUSTERS


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
) -> Preferences:
    of_systems, of_pairs = records(votes)
    model, undetermined = None, ""
    try:
        model = _model(votes, clusters, request)
    except UndeterminedError as problem:
        if not may_fail:
            raise
        undetermined = str(problem.args[0])
    strengths = {} if model is None else dict(zip(model.systems, model.strengths.tolist(), strict=True))
    names = sorted(of_systems, key=lambda name: (-round(strengths.get(name, 0.0), _DECIMALS), name))
    found = [] if model is None else ranks(model, request.confidence, request.correction)
    return Preferences(
        request=request,
        model=model,
        undetermined=undetermined,
        ranks=dict(zip(strengths, found, strict=True)),
        systems={name: of_systems[name] for name in names},
        pairs=of_pairs,
        votes=len(votes),
        ties=sum(vote.winner == "tie" for vote in votes),
        inputs=len({vote.input for vote in votes} - {None}),
        raters=len({vote.rater for vote in votes} - {None}),
        cluster=str(request.cluster),
    )


def _model(votes: Sequence[Vote], clusters: Sequence[str] | None, request: PreferenceRequest) -> BradleyTerry:
    triples = [(vote.first, vote.second, vote.winner) for vote in votes]
    covariates = {name: [vote.values[name] for vote in votes] for name in request.covariates}
    return bradley_terry(triples, covariates=covariates or None, clusters=clusters, ridge=request.ridge)


def _compared(judges: Sequence[Vote], people: Sequence[Vote], request: PreferenceRequest) -> AgainstPeople:
    if any(vote.input is None for vote in (*judges, *people)):
        raise InputError("a comparison with people needs the input of every vote, in a column 'input'")
    found = against_people(judges, people, request.subset)
    if not found.units:
        raise InputError(
            "people did not vote on any pair of outputs that the judges voted on; inputs and systems must have the "
            "same names in both tables"
        )
    return found


def warnings_on(found: Preferences) -> list[str]:
    """Returns what may make the results misleading."""
    warnings = ranking_warnings(found.rankings)
    if found.model is None:
        return [*warnings, f"no strengths: {found.undetermined}"]
    clusters, votes = found.model.clusters, found.votes
    if clusters == 1:
        warnings.append(f"no intervals: all votes are in one cluster ({found.cluster})")
    elif found.ties == votes:
        warnings.append("all votes are ties: every strength is equal, and errors are 0")
    elif (clusters or votes) < FEW_CLUSTERS:
        what = f"{votes} votes" if clusters is None else f"{clusters} clusters ({found.cluster})"
        warnings.append(f"intervals are unreliable: there are only {what}, fewer than {FEW_CLUSTERS}")
    if found.request.ridge:
        warnings.append("the ridge pulls strengths together, so intervals do not hold the true ones at their level")
    return warnings
