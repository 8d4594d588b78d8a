"""The verdicts of ``gate``: whether a new run is better, no worse by a margin, or worse than an old one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.calls import PARAMETERS, in_python
from metrics_framework.common.errors import DataError, InputError, counted
from metrics_framework.data.file_formats import head_of
from metrics_framework.significance.multiple_testing import FEWEST_UNITS, holm

Verdict = Literal["better", "no worse", "worse", "undecided"]
FailOn = Literal["worse", "undecided", "no-worse"]
Unpaired = Literal["drop", "worst"]
LARGEST = 1e50
"""Scores and margins that are larger cannot be computed with."""
EXIT_CODES: Mapping[Verdict, int] = {"worse": 3, "undecided": 4, "no worse": 5}
"""Verdict to the exit code of a gate that it fails; the lowest code of several metrics counts."""
MAX_UNPAIRED = 0.05
"""With a larger share of inputs that only one run has a score for, the gate is undecided: failures are not random."""
MAX_SKEWNESS = 2
FEW_INPUTS = 100
"""Fewer inputs do not show changes that are rare."""
MAX_LOSSES = 10


@dataclass(frozen=True)
class PairedScores:
    """The scores of two runs on the same inputs.

    Args:
        name: The flat name of the score.
        inputs: The inputs of both runs.
        new: The scores of the new run, NaN for none, shape (inputs,).
        old: Those of the old run.
        higher_is_better: Whether higher scores are better.
        score_range: The lowest and highest possible score; `None` if they are unknown.
        is_binary: Whether each score is a single outcome, 0 or 1.
        labels: The cluster of each input; `None` without clusters.
        signature: The signature of the metric, if it is known.
    """

    name: str
    inputs: Sequence[str]
    new: Floats
    old: Floats
    higher_is_better: bool = True
    score_range: tuple[float, float] | None = None
    is_binary: bool = False
    labels: Sequence[Any] | None = None
    signature: str | None = None


@dataclass(frozen=True)
class GateRequest:
    """What a gate asks.

    Args:
        margins: Score to the tolerated loss; an empty name is any other score.
        runs: The names of the new and the old run.
        alpha: The level of each one-sided test.
        power: The power that needed numbers of examples promise.
        fail_on: The verdicts that fail; empty for ``worse``, and ``undecided`` of scores with a margin.
        unpaired: What to do with inputs that one run has no score for; `None` to drop them if they are few.
        clusters: What a cluster is; `None` without clusters.
        seed: The seed of sign flips and of the order of bets.
    """

    margins: Mapping[str, float] = field(default_factory=dict)
    runs: tuple[str, str] = ("new", "old")
    alpha: float = 0.05
    power: float = 0.8
    fail_on: Sequence[FailOn] = ()
    unpaired: Unpaired | None = None
    clusters: str | None = None
    seed: int = 0

    def fails_on(self, has_margin: bool) -> Sequence[FailOn]:
        """Returns the verdicts of a score that fail."""
        return self.fail_on or (["worse", "undecided"] if has_margin else ["worse"])


@dataclass(frozen=True)
class GatedScore:
    """What is found about a score.

    Attributes:
        metric: The flat name of the score.
        verdict: ``better``, ``no worse`` (than the margin allows), ``worse`` or ``undecided``.
        fails: Whether the gate fails because of it.
        old: The mean of the old run on the common inputs.
        new: That of the new run.
        difference: The improvement of the mean: new minus old, or old minus new if lower is better.
        lower: The lower end of the two-sided 1 − 2α interval of the difference.
        upper: The upper end.
        margin: The loss that is tolerated; `None` for none.
        p_better: The p-value of no improvement.
        p_worse: The p-value of no loss.
        p_no_worse: The p-value of a loss of the margin or more.
        p_better_holm: ``p_better`` after Holm's correction for the number of scores.
        p_worse_holm: ``p_worse`` after this correction.
        inputs: The number of common inputs.
        clusters: The number of their clusters; equal to ``inputs`` without clusters.
        unlike: The number of differences, or of means of clusters, other than the commonest.
        skewness: The skewness of the differences.
        needed: The number of examples that show that it is no worse by the margin, if nothing changed.
        detectable: The least margin for which the present number of examples is enough.
        higher_is_better: Whether higher scores are better.
        method: How the p-values were computed.
        reason: Why the verdict is undecided, or numbers do not exist; empty if there is nothing to say.
        dropped: Why inputs were left out, to their number.
        warnings: What may make the verdict misleading.
        losses: The inputs that lost most, with their old and new scores.
        is_small_loss: Whether it is worse, although by less than the margin.
        signature: The signature of the metric, if it is known.
    """

    metric: str
    verdict: Verdict
    fails: bool
    old: float
    new: float
    difference: float
    lower: float
    upper: float
    margin: float | None
    p_better: float
    p_worse: float
    p_no_worse: float
    p_better_holm: float
    p_worse_holm: float
    inputs: int
    clusters: int
    unlike: int
    skewness: float
    needed: float
    detectable: float
    higher_is_better: bool
    method: str
    reason: str
    dropped: Mapping[str, int]
    warnings: Sequence[str]
    losses: Sequence[tuple[str, float, float]]
    is_small_loss: bool
    signature: str | None


@dataclass(frozen=True)
class GateStudy:
    """The verdicts of a gate.

    Attributes:
        request: What was asked.
        scores: What is found about each score.
        warnings: What may make verdicts misleading.
    """

    request: GateRequest
    scores: Sequence[GatedScore]
    warnings: Sequence[str]

    @classmethod
    def of(cls, pairs: Sequence[PairedScores], request: GateRequest) -> GateStudy:
        """Tests the scores of two runs, with Holm's correction of the alarms for their number.

        Args:
            pairs: The scores.
            request: What is asked.

        Raises:
            DataError: if the runs have no input with a score in common, or a score is outside its range.
            InputError: if a margin is the range or more, or the range is needed but unknown.
        """
        tested = [_tested(one, request) for one in pairs]
        better, worse = (holm([one[name] for one in tested]) for name in ("p_better", "p_worse"))
        scores = [_gated(*one, request) for one in zip(tested, better, worse, strict=True)]
        names = [f"{one.metric}: " * (len(scores) > 1) for one in scores]
        warnings = [name + text for name, one in zip(names, scores, strict=True) for text in one.warnings]
        return cls(request, scores, warnings)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the only score, or the worst of several."""
        order: list[Verdict] = [*EXIT_CODES, "better"]
        return min((one.verdict for one in self.scores), key=order.index)

    if not TYPE_CHECKING:  # or type checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            """Returns what is found about the only score."""
            if name in GatedScore.__dataclass_fields__ and len(self.scores) == 1:
                return getattr(self.scores[0], name)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    @property
    def failures(self) -> list[GatedScore]:
        """The scores that fail."""
        return [one for one in self.scores if one.fails]

    @property
    def exit_code(self) -> int:
        """The exit code: 0 if all scores pass, 3 if one is worse, else 4 if one is undecided, else 5."""
        return min((EXIT_CODES[one.verdict] for one in self.failures), default=0)

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each score."""
        without = "without a margin, p_no_worse and needed do not exist"
        reasons = ("; ".join(filter(None, [one.reason, without * (one.margin is None)])) for one in self.scores)
        return [{**asdict(one), "reason": reason} for one, reason in zip(self.scores, reasons, strict=True)]

    def as_json(self) -> dict[str, Any]:
        """Returns all findings; numbers that do not exist are NaN here and ``null`` in the file."""
        request, scores = asdict(self.request), {one.pop("metric"): one for one in self.to_records()}
        del request["margins"]
        runs = dict(zip(("new", "old"), request.pop("runs"), strict=True))
        request["fail_on"] = self.request.fails_on(any(one.margin is not None for one in self.scores))
        found = {"passed": not self.failures, "exit_code": self.exit_code}
        return {**head_of("fw gate"), **found, **runs, **request, "scores": scores}


def _aligned(scores: PairedScores, request: GateRequest) -> tuple[Indices, Floats, Floats, dict[str, int], float]:
    """Returns the inputs that count, their new and old scores, why others do not, and the share of unpaired ones."""
    import numpy as np

    new, old = scores.new, scores.old
    low, high = scores.score_range or (-LARGEST, LARGEST)
    for name, run in (("new", new), ("old", old)):
        for index in np.flatnonzero((run < low) | (run > high)).tolist()[:1]:
            raise DataError(
                f"'{scores.name}' of the {name} run is {run[index]:g} for input '{scores.inputs[index]}', outside its "
                f"range {low:g} to {high:g}; set its range with --score-range"
            )
    has_new, has_old = ~np.isnan(new), ~np.isnan(old)
    masks = {"only in new": has_new & ~has_old, "only in old": has_old & ~has_new, "in neither": ~(has_new | has_old)}
    dropped = {why: int(mask.sum()) for why, mask in masks.items() if mask.any()}
    unpaired = float((has_new ^ has_old).sum() / max(1, (has_new | has_old).sum()))
    if request.unpaired == "worst" and unpaired:
        if scores.score_range is None:
            raise InputError(f"--unpaired 'worst' needs the range of '{scores.name}': set --score-range")
        worst = low if scores.higher_is_better else high
        new, old = np.where(masks["only in old"], worst, new), np.where(masks["only in new"], worst, old)
    (kept,) = np.nonzero(~np.isnan(new + old))
    if not len(kept):
        examples = [np.flatnonzero(has).tolist()[:1] for has in (has_new, has_old)]
        has = [f"has '{scores.inputs[one[0]]}', for example" if one else "has no such input" for one in examples]
        raise DataError(
            f"the two runs have no input in common with '{scores.name}': the new one {has[0]}, the old one {has[1]}"
        )
    return kept, new[kept], old[kept], dropped, unpaired


def _tested(scores: PairedScores, request: GateRequest) -> dict[str, Any]:
    """Returns the fields of `GatedScore` that do not depend on other scores."""
    from metrics_framework.significance.clusters import Clusters, shared_labels
    from metrics_framework.significance.non_inferiority import UNKNOWN_RANGE, Question, answer, skewness

    margin = request.margins.get(scores.name, request.margins.get(""))
    width = math.nan if scores.score_range is None else scores.score_range[1] - scores.score_range[0]
    if margin is not None and margin >= width:
        raise InputError(
            f"the margin of '{scores.name}' must be below the width of its range, {width:g}, got {margin:g}"
        )
    kept, new, old, dropped, unpaired = _aligned(scores, request)
    differences = (new - old) * (1 if scores.higher_is_better else -1)
    labels = None if scores.labels is None else shared_labels([scores.labels[index] for index in kept.tolist()])
    clusters = None if labels is None else Clusters.of(labels, len(labels))
    question = Question(math.nan if margin is None else margin, request.alpha, request.power, request.seed)
    found = answer(differences, question, width, is_binary=scores.is_binary, clusters=clusters)._asdict()
    units, reasons, warnings, number = clusters.count if clusters else len(kept), [], [], skewness(differences)
    if units < FEWEST_UNITS:
        reasons.append(f"{counted(units, 'cluster' if clusters else 'input')}, fewer than {FEWEST_UNITS}")
    if unpaired > MAX_UNPAIRED and request.unpaired is None:
        share = f"{100 * unpaired:.1f} % of the inputs have a score in one run only"
        reasons.append(f"{share}; failures are not random, so choose --unpaired drop or worst")
    if abs(number) > MAX_SKEWNESS and not scores.is_binary:
        warnings.append(f"few large differences decide (skewness {number:.1f})")
    if len(kept) < FEW_INPUTS:
        warnings.append(f"changes rarer than 3/{len(kept)} are unseen")
    of_test = f"{found['reason']}: --score-range" if found["reason"] == UNKNOWN_RANGE else found["reason"]
    losing = [index for index in differences.argsort(kind="stable")[:MAX_LOSSES].tolist() if differences[index] < 0]
    reason = in_python("; ".join(filter(None, [*reasons, of_test])), PARAMETERS.get())
    losses = [(scores.inputs[kept[index]], float(old[index]), float(new[index])) for index in losing]
    means = {"old": float(old.mean()), "new": float(new.mean()), "difference": float(differences.mean())}
    about = {"metric": scores.name, "higher_is_better": scores.higher_is_better, "signature": scores.signature}
    counts = {"inputs": len(kept), "clusters": units, "skewness": number, "dropped": dropped, "losses": losses}
    said = {"verdict": "undecided" if reasons else "", "margin": margin, "reason": reason, "warnings": warnings}
    return {**found, **about, **means, **counts, **said}


def _gated(found: dict[str, Any], p_better: float, p_worse: float, request: GateRequest) -> GatedScore:
    """Returns a score with its verdict, given the corrected p-values of the alarms."""
    tests = {"better": p_better, "no worse": found["p_no_worse"], "worse": p_worse}
    verdict = found["verdict"] or next((name for name, p in tests.items() if p <= request.alpha), "undecided")
    is_wider = verdict == "worse" and found["upper"] > 0
    reason = "the interval, from betting, is wider than the test needs" if is_wider else found["reason"]
    fails = verdict.replace(" ", "-") in request.fails_on(found["margin"] is not None)
    is_small_loss = verdict == "no worse" and p_worse <= request.alpha
    alarms = {"p_better_holm": p_better, "p_worse_holm": p_worse, "is_small_loss": is_small_loss}
    return GatedScore(**{**found, **alarms, "verdict": verdict, "fails": fails, "reason": reason})
