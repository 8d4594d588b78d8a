"""The verdicts of ``gate``: whether a new run is better, no worse by a margin, or worse than an old one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.common.arrays import Floats
from metrics_framework.common.calls import PARAMETERS, in_python
from metrics_framework.common.errors import DataError, InputError, counted
from metrics_framework.data.file_formats import head_of
from metrics_framework.significance.multiple_testing import FEWEST_UNITS, holm

if TYPE_CHECKING:
    from metrics_framework.significance.non_inferiority import Answer

Verdict = Literal["better", "no worse", "worse", "undecided"]
FailOn = Literal["worse", "undecided", "no-worse"]
Unpaired = Literal["drop", "worst"]
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
        dropped: Why rows were left out while the runs were read, to their number.
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
    dropped: Mapping[str, int] = field(default_factory=dict)
    signature: str | None = None

    def __post_init__(self) -> None:
        """Checks the range.

        Raises:
            DataError: if a score is outside it.
        """
        import numpy as np

        low, high = self.score_range or (-math.inf, math.inf)
        for name, run in (("new", self.new), ("old", self.old)):
            for index in np.flatnonzero((run < low) | (run > high)).tolist()[:1]:
                raise DataError(
                    f"'{self.name}' of the {name} run is {run[index]:g} for input '{self.inputs[index]}', outside its "
                    + in_words(f"range {low:g} to {high:g}; set its range with --scale")
                )

    @property
    def width(self) -> float:
        """The width of the range; NaN if it is unknown."""
        return math.nan if self.score_range is None else self.score_range[1] - self.score_range[0]

    def completed(self) -> PairedScores:
        """Returns the scores with the least possible one for inputs that one run has no score for.

        Raises:
            InputError: if the range is unknown.
        """
        import numpy as np

        if self.score_range is None:
            raise InputError(in_words(f"--unpaired 'worst' needs the range of '{self.name}': set --scale"))
        worst = self.score_range[0 if self.higher_is_better else 1]
        has_new, has_old = ~np.isnan(self.new), ~np.isnan(self.old)
        new = np.where(~has_new & has_old, worst, self.new)
        return PairedScores(**{**vars(self), "new": new, "old": np.where(~has_old & has_new, worst, self.old)})


@dataclass(frozen=True)
class GateRequest:
    """What a gate asks.

    Args:
        margins: Score to the tolerated loss; an empty name is any other score.
        alpha: The level of each one-sided test.
        power: The power that needed numbers of examples promise.
        fail_on: The verdicts that fail; empty for ``worse``, and ``undecided`` of scores with a margin.
        unpaired: What to do with inputs that one run has no score for; `None` to drop them if they are few.
        seed: The seed of sign flips and of the order of bets.
        clusters: What a cluster is; `None` without clusters.
        runs: The names of the new and the old run.
    """

    margins: Mapping[str, float] = field(default_factory=dict)
    alpha: float = 0.05
    power: float = 0.8
    fail_on: Sequence[FailOn] = ()
    unpaired: Unpaired | None = None
    seed: int = 0
    clusters: str | None = None
    runs: tuple[str, str] = ("new", "old")

    def margin_of(self, name: str) -> float | None:
        """Returns the margin of a score; `None` if it has none."""
        return self.margins.get(name, self.margins.get(""))


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
        tested = [_Tested(one, request) for one in pairs]
        better, worse = (holm([getattr(one.found, name) for one in tested]) for name in ("p_better", "p_worse"))
        scores = [one.gated(*adjusted) for one, *adjusted in zip(tested, better, worse, strict=True)]
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
        records = []
        for one in self.scores:
            record = {**asdict(one), "warnings": [*one.warnings]}
            del record["losses"]
            records.append(record)
        return records

    def as_json(self) -> dict[str, Any]:
        """Returns all findings; numbers that do not exist are NaN here and ``null`` in the file."""
        request = asdict(self.request)
        return {
            **head_of("fw gate"),
            "passed": not self.failures,
            "exit_code": self.exit_code,
            **dict(zip(("new", "old"), request.pop("runs"), strict=True)),
            **{name: request[name] for name in ("alpha", "power", "fail_on", "unpaired", "clusters", "seed")},
            "scores": {one.pop("metric"): one for one in self.to_records()},
        }


class _Tested:
    """A score of two runs, tested.

    Args:
        scores: The score.
        request: What is asked.
    """

    def __init__(self, scores: PairedScores, request: GateRequest) -> None:
        import numpy as np

        from metrics_framework.significance.clusters import Clusters
        from metrics_framework.significance.non_inferiority import Question, answer

        self._request, self._margin = request, request.margin_of(scores.name)
        margin = self._margin
        if margin is not None and margin >= scores.width:
            raise InputError(
                f"the margin of '{scores.name}' must be below the width of its range, {scores.width:g}, got {margin:g}"
            )
        has_new, has_old = ~np.isnan(scores.new), ~np.isnan(scores.old)
        masks = {
            "only in new": has_new & ~has_old,
            "only in old": has_old & ~has_new,
            "in neither": ~(has_new | has_old),
        }
        self._dropped = {why: int(mask.sum()) for why, mask in masks.items() if mask.any()}
        self._unpaired = int((has_new ^ has_old).sum()) / max(1, int((has_new | has_old).sum()))
        if request.unpaired == "worst" and self._unpaired:
            scores = scores.completed()
        both = ~np.isnan(scores.new) & ~np.isnan(scores.old)
        if not both.any():
            raise DataError(f"the two runs have no input in common with '{scores.name}'")
        self._scores, self._kept = scores, np.flatnonzero(both)
        self._new, self._old = scores.new[both], scores.old[both]
        self._differences = (self._new - self._old) * (1 if scores.higher_is_better else -1)
        labels = None if scores.labels is None else [scores.labels[index] for index in self._kept.tolist()]
        clusters = None if labels is None else Clusters.of(labels, len(labels))
        self._units = len(self._kept) if clusters is None else clusters.count
        question = Question(margin, request.alpha, request.power, request.seed)
        self.found: Answer = answer(
            self._differences, question, scores.width, is_binary=scores.is_binary, clusters=clusters
        )

    def gated(self, p_better: float, p_worse: float) -> GatedScore:
        """Returns what is found, given the corrected p-values of the alarms."""
        from metrics_framework.significance.non_inferiority import UNKNOWN_RANGE, skewness

        reason = self.found.reason
        if reason == UNKNOWN_RANGE:
            reason = in_words(f"{reason}: --scale")
        reasons = [in_words(reason) for reason in self._obstacles()]
        verdict = self._verdict(p_better, p_worse, is_open=bool(reasons))
        by_default: list[FailOn] = ["worse", "undecided"] if self._margin is not None else ["worse"]
        fail_on = self._request.fail_on or by_default
        found, number = self.found._asdict(), skewness(self._differences)
        return GatedScore(
            **{**found, "reason": "; ".join(filter(None, [*reasons, reason]))},
            metric=self._scores.name,
            verdict=verdict,
            fails=verdict.replace(" ", "-") in fail_on,
            old=float(self._old.mean()),
            new=float(self._new.mean()),
            difference=float(self._differences.mean()),
            margin=self._margin,
            p_better_holm=p_better,
            p_worse_holm=p_worse,
            inputs=len(self._kept),
            clusters=self._units,
            skewness=number,
            higher_is_better=self._scores.higher_is_better,
            dropped={**self._scores.dropped, **self._dropped},
            warnings=[*self._warnings(number)],
            losses=self._losses(),
            is_small_loss=verdict == "no worse" and p_worse <= self._request.alpha,
            signature=self._scores.signature,
        )

    def _verdict(self, p_better: float, p_worse: float, is_open: bool) -> Verdict:
        alpha = self._request.alpha
        if is_open:
            return "undecided"
        if p_better <= alpha:
            return "better"
        if self.found.p_no_worse <= alpha:
            return "no worse"
        return "worse" if p_worse <= alpha else "undecided"

    def _obstacles(self) -> Iterable[str]:
        """Yields why the data cannot decide."""
        unit = "input" if self._scores.labels is None else "cluster"
        if self._units < FEWEST_UNITS:
            yield f"{counted(self._units, unit)}, fewer than {FEWEST_UNITS}"
        if self._unpaired > MAX_UNPAIRED and self._request.unpaired is None:
            yield (
                f"{100 * self._unpaired:.1f} % of the inputs have a score in one run only; failures are not random, so "
                "choose --unpaired drop or worst"
            )

    def _warnings(self, number: float) -> Iterable[str]:
        inputs = len(self._kept)
        if abs(number) > MAX_SKEWNESS and not self._scores.is_binary:
            yield f"few large differences decide (skewness {number:.1f})"
        if inputs < FEW_INPUTS:
            yield f"changes rarer than 3/{inputs} are unseen"

    def _losses(self) -> list[tuple[str, float, float]]:
        order = self._differences.argsort(kind="stable")[:MAX_LOSSES]
        return [
            (self._scores.inputs[self._kept[index]], float(self._old[index]), float(self._new[index]))
            for index in order.tolist()
            if self._differences[index] < 0
        ]


def in_words(message: str) -> str:
    """Returns a message whose flags are parameters if a function of Python was called, where --scale is score_range."""
    names = PARAMETERS.get()
    return in_python(message.replace("--scale", "--score-range"), names) if "score_range" in names else message
