"""Whether judges may replace raters: the alternative annotator test, sentinels, differences and agreement."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.judges.alternative_annotator import (
    PASSING,
    AltTest,
    AltTestSettings,
    compare,
)
from metrics_framework.meta_evaluation.judges.judge_agreement import (
    JudgeAgreement,
    MeanAgreement,
    agreement_of_judge,
    agreement_of_raters,
)
from metrics_framework.meta_evaluation.judges.names import CONSTANT, CONSTANTS
from metrics_framework.meta_evaluation.judges.sentinels import sentinels
from metrics_framework.meta_evaluation.judges.unit_resamples import UnitResamples, mean_of_defined
from metrics_framework.significance.arrays import Bools, Floats
from metrics_framework.significance.clusters import Clusters

SWEEP = tuple(step / 100 for step in range(101))
"""The values of ε that are tried."""


@dataclass(frozen=True)
class Panel:
    """Judgements and ratings of the same units.

    Args:
        judges: The judgements of each judge, shape (units,), NaN where missing.
        ratings: Shape (raters, units), NaN where missing; labels are numbered.
        raters: The names of the raters.
        lengths: The length of each output, shape (units,), if texts are given.
        labels: The labels, if ratings are labels.
        clusters: The cluster of each unit; by default each unit is one.
    """

    judges: Mapping[str, Floats]
    ratings: Floats
    raters: Sequence[str]
    lengths: Floats | None = None
    labels: Sequence[str] = ()
    clusters: Sequence[Hashable] | None = None

    def of_units(self, used: Bools) -> Panel:
        """Returns the panel of some units; without lengths, if one of these units has none."""
        judges = {name: values[used] for name, values in self.judges.items()}
        lengths = None if self.lengths is None or np.isnan(self.lengths[used]).any() else self.lengths[used]
        clusters = (
            None
            if self.clusters is None
            else [cluster for cluster, kept in zip(self.clusters, used, strict=True) if kept]
        )
        return Panel(judges, self.ratings[:, used], self.raters, lengths, self.labels, clusters)


@dataclass(frozen=True)
class JudgeReport:
    """What is found about a judge or a sentinel.

    Attributes:
        name: The judge.
        is_sentinel: Whether it is a sentinel.
        test: The alternative annotator test.
        advantage: ρ with its interval over other units, for these raters.
        above_constant: ρ minus that of the better constant, the mean or the median; `None` for constants.
        sweep: The winning rate for each ε of `SWEEP`.
        least_epsilon: The least ε at which it passes; `None` if there is none.
        agreement: Its agreement with each rater.
    """

    name: str
    is_sentinel: bool
    test: AltTest
    advantage: Interval
    above_constant: Interval | None
    sweep: Sequence[float]
    least_epsilon: float | None
    agreement: JudgeAgreement

    @property
    def verdict(self) -> str:
        """Whether it passes, and whether it is better than a constant.

        A judge that passes no better than a constant does so because raters are noisy.
        """
        passes = "passes" if self.test.passes else "does not pass"
        if self.above_constant is None or self.is_sentinel or self.above_constant.lower > 0:
            return passes
        worse = self.above_constant.upper < 0
        return f"{passes}; {'worse' if worse else 'no better'} than a constant"


@dataclass(frozen=True)
class JudgeDifference:
    """The difference of two judges.

    Attributes:
        judge1: The first judge.
        judge2: The second judge.
        advantage: ρ of the first minus ρ of the second.
    """

    judge1: str
    judge2: str
    advantage: Interval


@dataclass(frozen=True)
class Judging:
    """The result for all judges.

    Attributes:
        judges: The judges in the given order, followed by the sentinels.
        differences: The differences of all pairs of judges.
        raters: The agreement of the raters with each other.
        settings: The options of the test.
        units: The number of units used: all judges have judged them, and enough raters have rated them.
        clusters: The number of clusters of these units; `None` without clusters.
        foreign_labels: Judge to its labels that no rater gives.
        unjudged: Judge to the number of units without its judgement.
        too_few_raters: The number of judged units with too few raters.
        constants: Constant sentinel to what it answers: a number or a label.
        is_labels: Whether ratings are labels.
        has_lengths: Whether the lengths of outputs are known.
    """

    judges: Sequence[JudgeReport]
    differences: Sequence[JudgeDifference]
    raters: MeanAgreement
    settings: AltTestSettings
    units: int
    clusters: int | None
    foreign_labels: Mapping[str, Sequence[str]]
    unjudged: Mapping[str, int]
    too_few_raters: int
    constants: Mapping[str, float | str]
    is_labels: bool
    has_lengths: bool


def judge_raters(
    panel: Panel, settings: AltTestSettings, *, resamples: int = 1000, seed: int = 0, confidence: float = 95
) -> Judging:
    """Tests judges and sentinels on the units that all judges have judged.

    Args:
        panel: Judgements and ratings.
        settings: The options of the test.
        resamples: The number of bootstrap resamples of units.
        seed: The seed of resamples and of the shuffled judge.
        confidence: The level of the intervals, a fraction or in percent.

    Raises:
        InputError: if there is no unit, or no rater has enough units.
    """
    judged = np.logical_and.reduce([~np.isnan(values) for values in panel.judges.values()])
    enough = (~np.isnan(panel.ratings)).sum(axis=0) >= settings.min_humans
    if not (judged & enough).any():
        advice = "; do the tables have the same ids of inputs and systems?" if enough.any() else ""
        raise InputError(
            f"no unit has a judgement of every judge and {settings.min_humans} or more raters: {int(judged.sum())} "
            f"have the former, {int(enough.sum())} the latter{advice}"
        )
    used = panel.of_units(judged & enough)
    drawn = UnitResamples(Clusters.of(used.clusters, used.ratings.shape[1]), resamples, seed, confidence)
    inquiry = _Inquiry(used, settings, drawn)
    names = inquiry.judgements
    return Judging(
        judges=[inquiry.report(name) for name in inquiry.comparisons],
        differences=inquiry.differences(),
        raters=inquiry.raters_agreement(),
        settings=settings,
        units=used.ratings.shape[1],
        clusters=None if used.clusters is None else drawn.clusters.count,
        foreign_labels={
            name: sorted({used.labels[int(code)] for code in np.setdiff1d(values, used.ratings)} if used.labels else ())
            for name, values in used.judges.items()
        },
        unjudged={name: int((enough & np.isnan(values)).sum()) for name, values in panel.judges.items()},
        too_few_raters=int((judged & ~enough).sum()),
        constants={name: _answer(inquiry.judgements[name], used.labels) for name in CONSTANTS if name in names},
        is_labels=inquiry.is_labels,
        has_lengths=used.lengths is not None,
    )


def _answer(judgements: Floats, labels: Sequence[str]) -> float | str:
    value = float(judgements[0])
    return labels[int(value)] if labels else value


class _Inquiry:
    """The comparisons of judges and sentinels with the raters, on the same units and resamples.

    Args:
        panel: Judgements and ratings, without missing judgements.
        settings: The options of the test.
        resamples: How units are resampled.
    """

    def __init__(self, panel: Panel, settings: AltTestSettings, resamples: UnitResamples) -> None:
        self.is_labels = settings.scoring == "accuracy"
        self._judges = list(panel.judges)
        self._resamples = resamples
        extra = sentinels(panel.judges, panel.ratings, panel.lengths, as_labels=self.is_labels, seed=resamples.seed)
        self.judgements = {**panel.judges, **{name: extra[name] for name in extra if name not in panel.judges}}
        self.comparisons = {
            name: compare(values, panel.ratings, panel.raters, settings) for name, values in self.judgements.items()
        }
        self._raters = self.comparisons[CONSTANT].raters
        self._ratings = panel.ratings[[name in self._raters for name in panel.raters]]
        self._tests = {name: comparison.test() for name, comparison in self.comparisons.items()}
        self._drawn = {name: self._advantages(comparison.wins.judge) for name, comparison in self.comparisons.items()}

    def _advantages(self, wins: Floats) -> Floats:
        """Returns ρ in each resample; raters without a drawn unit are excluded."""
        rated, won = (~np.isnan(wins)).astype(np.float64), np.nan_to_num(wins)
        parts = []
        for weights in self._resamples.blocks(len(wins)):
            counts = weights @ rated.T
            parts.append(mean_of_defined(np.where(counts > 0, weights @ won.T / np.maximum(counts, 1), np.nan)))
        return np.concatenate(parts)

    @property
    def _constant(self) -> str:
        """The constant that wins most often."""
        constants = [name for name in CONSTANTS if name in self._tests]
        return max(constants, key=lambda name: self._tests[name].advantage_probability)

    def _difference(self, first: str, second: str) -> Interval:
        value = self._tests[first].advantage_probability - self._tests[second].advantage_probability
        return self._resamples.interval(value, self._drawn[first] - self._drawn[second])

    def report(self, name: str) -> JudgeReport:
        test, comparison = self._tests[name], self.comparisons[name]
        sweep = [comparison.winning_rate(epsilon) for epsilon in SWEEP]
        passed = (epsilon for epsilon, rate in zip(SWEEP, sweep, strict=True) if rate >= PASSING)
        return JudgeReport(
            name=name,
            is_sentinel=name not in self._judges,
            test=test,
            advantage=self._resamples.interval(test.advantage_probability, self._drawn[name]),
            above_constant=None if name in CONSTANTS else self._difference(name, self._constant),
            sweep=sweep,
            least_epsilon=next(passed, None),
            agreement=agreement_of_judge(
                self.judgements[name], self._ratings, self._raters, self._resamples, as_labels=self.is_labels
            ),
        )

    def differences(self) -> list[JudgeDifference]:
        names = self._judges
        pairs = [(first, second) for index, first in enumerate(names) for second in names[index + 1 :]]
        return [JudgeDifference(first, second, self._difference(first, second)) for first, second in pairs]

    def raters_agreement(self) -> MeanAgreement:
        return agreement_of_raters(self._ratings, self._raters, self._resamples, as_labels=self.is_labels)
