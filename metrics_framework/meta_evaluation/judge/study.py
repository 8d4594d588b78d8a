"""A study of judges: the alternative annotator test, sentinels that know nothing of quality, differences, agreement."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.ratings import LongTables
from metrics_framework.inputs.roles import roles_of_name
from metrics_framework.meta_evaluation.groups.moments import power_of_two
from metrics_framework.meta_evaluation.judge.alternative_annotator import PASSING, RULES, AltTest, compare
from metrics_framework.meta_evaluation.judge.calibration import JudgeReliability, judge_reliability
from metrics_framework.meta_evaluation.judge.judge_agreement import (
    JudgeAgreement,
    MeanAgreement,
    RepeatedRuns,
    agreement_of_judge,
    agreement_of_raters,
    commonest,
    kappa_parts,
    runs_of,
)
from metrics_framework.meta_evaluation.judge.jury import JuryComparison, compare_jury
from metrics_framework.meta_evaluation.judge.panels import Panel, panel_of
from metrics_framework.meta_evaluation.judge.request import (
    BIN_COUNT,
    CONSTANT,
    CONSTANTS,
    EQUAL_WIDTH,
    LENGTH,
    MEDIAN,
    MIN_UNITS,
    SCORINGS,
    SHUFFLED,
    AltTestSettings,
    Binning,
    JudgeRequest,
    Scoring,
)
from metrics_framework.meta_evaluation.prefer.votes import with_verdicts
from metrics_framework.meta_evaluation.rater_agreement.rated_units import caution_of_skew
from metrics_framework.meta_evaluation.study import (
    NOT_IN_JSON,
    OMITTED_IF_NO_ENTRY,
    OMITTED_IF_NONE,
    Finding,
    Study,
    flat,
    json_of,
)
from metrics_framework.significance.clusters import Clusters, Units, mean_of_defined
from metrics_framework.significance.interval_methods import Interval, Scale
from metrics_framework.significance.multiple_testing import caution_of_few

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_LABELS = 50
SWEEP = tuple(step / 100 for step in range(101))
"""The values of ε that are tried."""
MIN_DRAWN = 100
"""Below this many outputs, or clusters of outputs, intervals are too short (`benchmarks/interval_coverage.py`)."""
_FOR_LABELS: Scoring = "accuracy"
_FOR_NUMBERS: Scoring = "neg_rmse"
"""The scorings of ratings that are text, and of numbers, unless another one is requested."""
_GROUPS = 5
_OUTSIDE = 0.05
"""The largest share of judgements outside the range of the ratings without a warning."""


@dataclass(frozen=True)
class JudgeStudy(Study):
    """Whether judges may replace raters.

    Attributes:
        request: What was computed.
        judging: All results.
        repeated: The agreement of repeated runs, if they were named.
        missing: The counts of missing ratings by their spelling.
        warnings: What may make the results misleading.
    """

    command: ClassVar[str] = "fw judge"
    request: JudgeRequest
    judging: Judging
    repeated: RepeatedRuns | None = field(metadata=OMITTED_IF_NONE)
    missing: Mapping[str, int] = field(metadata=OMITTED_IF_NO_ENTRY)
    warnings: list[str]

    @classmethod
    @overrides
    def of(cls, tables: LongTables, request: JudgeRequest) -> Self:
        """Tests judges and sentinels on ratings and judgements.

        Args:
            tables: The tables of ratings and judgements.
            request: What to compute.

        Raises:
            InputError: if there is one rater, the scoring does not fit the values, no unit is judged by all judges, or
                no rater has enough units.
            DataError: if a value is not a number, or contradicts another row.
            UnknownNameError: if there is no column of a name.
        """
        if request.labels or "vote" in roles_of_name(request.rating) or tables.holds_text(request.rating):
            for name in (request.rating, *request.judges):
                tables = with_verdicts(tables, name)
        asks_for_labels = request.scoring is not None and RULES[request.scoring].compares_labels
        is_text = request.labels or tables.holds_text(request.rating, partly=asks_for_labels)
        scoring = request.scoring or (_FOR_LABELS if is_text else _FOR_NUMBERS)
        panel = panel_of(
            tables,
            request.rating,
            request.judges,
            as_labels=is_text and RULES[scoring].compares_labels,
            text=request.text,
            cluster=request.cluster,
            confidence_columns=request.confidence_columns,
        )
        advice = (
            tables.advice_on_raters(tables.ratings(request.rating)) if len(panel.raters) < 2 and not is_text else ""
        )
        _check(panel, request.rating, scoring, advice)
        negated = _negated(panel)
        drawn = {"resamples": request.resamples, "seed": request.seed}
        bins = (request.bins, request.binning)
        judging = judge_raters(
            panel, request.settings(scoring), **drawn, confidence=request.confidence, bins=bins, jury=request.jury
        )
        runs = runs_of(tables, request) if request.repeated else None
        scales = _other_scales(panel) if scoring == _FOR_NUMBERS else []
        missing = tables.rules.value_missing.get(request.rating, {})
        return cls(request, judging, runs, missing, [*negated, *scales, *_warnings(judging)])

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each judge and sentinel."""
        return [report.as_record() for report in self.judging.judges]

    @overrides
    def cautions(self) -> Iterator[str]:
        found = self.judging
        unit = "output" if found.clusters is None else "cluster"
        units = {"all judges": found.clusters or found.units}
        yield from caution_of_few(units, unit)
        if not found.is_labels:
            yield from caution_of_skew(units, found.ratings)

    @overrides
    def known(self) -> dict[str, Any]:
        return {"has_probabilities": bool(self.judging.calibration)}

    @overrides
    def stated(self) -> dict[str, Any]:
        test = asdict(self.judging.settings)
        scale = {} if self.request.scale is None else {"scale": self.request.scale.stated}
        options = self.request.options("confidence", "resamples", "seed")
        return {"rating": self.request.rating, **test, **options, **scale}

    @overrides
    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in super().as_json().items():
            found |= value if name == "judging" else {name: value}
        return found


@dataclass(frozen=True)
class Judging(Finding):
    """The result for all judges.

    Attributes:
        settings: The options of the test.
        units: The number of units used: all judges have judged them, and enough raters have rated them.
        clusters: The number of clusters of these units; `None` without clusters.
        unjudged: Judge to the number of units without its judgement.
        too_few_raters: The number of judged units with too few raters.
        left_out_raters: Rater to its number of units, for those with too few.
        constants: Constant sentinel to what it answers: a number or a label.
        sweep_epsilons: The values of ε that are tried.
        judges: The judges in the given order, followed by the sentinels.
        differences: The differences of all pairs of judges.
        raters: The agreement of the raters with each other.
        calibration: Of the judges that state confidence or probabilities, whether these come true.
        jury: The jury compared with single judges; `None` without one.
        undecided: The judges that pass with one variance of the test and do not with the other.
        foreign_labels: Judge to its labels that no rater gives.
        is_labels: Whether ratings are labels.
        has_lengths: Whether the lengths of outputs are known.
        ratings: The ratings of these units, shape (raters, units).
    """

    settings: AltTestSettings = field(metadata=NOT_IN_JSON)
    units: int
    clusters: int | None
    unjudged: Mapping[str, int]
    too_few_raters: int
    left_out_raters: Mapping[str, int]
    constants: Mapping[str, float | str]
    sweep_epsilons: Sequence[float]
    judges: Sequence[JudgeReport]
    differences: Sequence[JudgeDifference]
    raters: MeanAgreement
    calibration: list[JudgeReliability] = field(metadata={"omitted if": []})
    jury: JuryComparison | None = field(metadata=OMITTED_IF_NONE)
    undecided: Sequence[str] = field(metadata=NOT_IN_JSON)
    foreign_labels: Mapping[str, Sequence[str]] = field(metadata=NOT_IN_JSON)
    is_labels: bool = field(metadata=NOT_IN_JSON)
    has_lengths: bool = field(metadata=NOT_IN_JSON)
    ratings: Floats = field(metadata=NOT_IN_JSON, repr=False, compare=False)

    @property
    def raters_by_ranks(self) -> int:
        """The number of raters who are tested by the signed-rank test, because they have few outputs."""
        return sum(rater.is_by_ranks for rater in self.judges[0].test.raters)


@dataclass(frozen=True)
class JudgeReport(Finding):
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

    def as_record(self) -> dict[str, Any]:
        """Returns the numbers in one level; undefined ones are `None`."""
        return {
            "judge": self.name,
            "is_sentinel": self.is_sentinel,
            "epsilon": self.test.epsilon,
            "winning_rate": self.test.winning_rate,
            "passes": self.test.passes,
            "least_epsilon": self.least_epsilon,
            "raters": len(self.test.raters),
            "units": self.test.units,
            **flat("advantage_probability", self.advantage),
            **flat("above_constant", self.above_constant),
            **flat("alpha", self.agreement.alpha),
            **flat("kappa", self.agreement.kappa),
            **flat("signed_error", self.agreement.signed_error),
            **flat("spread", self.agreement.spread),
        }

    @overrides
    def as_json(self) -> dict[str, Any]:
        return {
            "judge": self.name,
            "is_sentinel": self.is_sentinel,
            "advantage_probability": json_of(self.advantage),
            "winning_rate": self.test.winning_rate,
            "passes": self.test.passes,
            "verdict": self.verdict,
            "least_epsilon": self.least_epsilon,
            "above_constant": json_of(self.above_constant),
            "sweep": list(self.sweep),
            "raters": json_of(self.test.raters),
            "agreement": json_of(self.agreement),
            "signed_error": json_of(self.agreement.signed_error),
            "spread": json_of(self.agreement.spread),
        }


@dataclass(frozen=True)
class JudgeDifference(Finding):
    """The difference of two judges.

    Attributes:
        judge1: The first judge.
        judge2: The second judge.
        advantage: ρ of the first minus ρ of the second.
    """

    judge1: str
    judge2: str
    advantage: Interval = field(metadata={"json": "advantage_probability"})


def _warnings(judging: Judging) -> Iterator[str]:
    """Yields what may make the results misleading."""
    for name, labels in judging.foreign_labels.items():
        if labels:
            yield f"'{name}' gives labels that no rater gives: {', '.join(labels)}"
    passing = [
        report.name
        for report in judging.judges
        if report.is_sentinel and report.name in (*CONSTANTS, LENGTH) and report.test.passes
    ]
    if passing:
        yield (
            f"{_joined(passing)} {'passes' if len(passing) == 1 else 'pass'} the test, so passing shows little: "
            "compare each judge with the constant, or use --scoring ranks, by which a constant cannot win"
        )
    if judging.undecided:
        yield (
            f"{_joined(judging.undecided)}: the verdict depends on the variance of the test; raters agree so often "
            "that the one of the authors (--variance published) passes judges too easily"
        )
    drawn, of = (judging.units, "output") if judging.clusters is None else (judging.clusters, "cluster")
    if drawn < MIN_DRAWN:
        yield (
            f"intervals from {counted(drawn, of)} are too short (95 % intervals from 60 contain the value in 92 to "
            f"96 % of cases, of agreement and spread of skewed ratings in 83 %); use {MIN_DRAWN} or more"
        )
    few = judging.raters_by_ranks
    if few:
        yield (
            f"{counted(few, 'rater')} with fewer than {MIN_UNITS} outputs: the signed-rank test of "
            "so few outputs rejects true null hypotheses too often (19 % instead of 5 % of 15 outputs, ε = 0.1)"
        )


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _check(panel: Panel, rating: str, scoring: Scoring, advice: str) -> None:
    if len(panel.raters) < 2:
        raise InputError(
            f"'{rating}' has ratings by {len(panel.raters)} rater, but the test needs two or more for each output; "
            + (advice or "name the raters in a column 'rater_id', or use lists with one rating per rater")
        )
    for name, values in {rating: panel.ratings, **panel.judges}.items():
        different = len(np.unique(values[~np.isnan(values)]))
        if RULES[scoring].compares_labels and different > MAX_LABELS:
            others = " or ".join(other for other in SCORINGS if not RULES[other].compares_labels)
            raise InputError(
                f"the scoring '{scoring}' is for labels, but '{name}' has {different} different values; use {others}"
            )


def _negated(panel: Panel) -> list[str]:
    """Negates the scores of metrics whose lower values are better, and returns a warning for each."""
    from metrics_framework.metrics.base.direction import direction_of

    negated = [name for name in panel.judges if direction_of(name) is False]
    for name in negated:
        panel.judges[name] *= -1
    return [f"lower values of '{name}' are better, so its scores are negated" for name in negated]


@np.errstate(over="ignore", invalid="ignore")  # numbers near the greatest float have no mean and no correlation
def _other_scales(panel: Panel) -> list[str]:
    """Returns a warning for each judge whose scores are not on the scale of the ratings.

    Either more than 5 % of them are outside the range of the ratings, or their range is less than a fifth of it, or the
    judge is high where the mean rating is low.
    """
    rated = panel.ratings[np.isfinite(panel.ratings)]
    low, high = float(rated.min()), float(rated.max())
    sums, counts = np.nansum(panel.ratings, axis=0), np.isfinite(panel.ratings).sum(axis=0)
    warnings = []
    for name, scores in panel.judges.items():
        used = np.isfinite(scores) & (counts > 0)
        own, means = scores[used], sums[used] / counts[used]
        if not len(own) or own.min() == own.max():
            continue
        least, most = float(own.min()), float(own.max())
        r = np.corrcoef(own, means)[0, 1] if means.min() < means.max() else 0.0
        if np.mean((own < low) | (own > high)) > _OUTSIDE or most - least < (high - low) / 5:
            warnings.append(
                f"'{name}' is from {least:g} to {most:g}, but ratings are from {low:g} to {high:g}; compare a judge on "
                "another scale by the scoring 'ranks'"
            )
        elif r < 0:
            warnings.append(f"'{name}' is high where ratings are low (r {r:.2f}); check the direction of its scale")
    return warnings


def judge_raters(
    panel: Panel,
    settings: AltTestSettings,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 95,
    bins: tuple[int, Binning] = (BIN_COUNT, EQUAL_WIDTH),
    jury: str | None = None,
) -> Judging:
    """Tests judges and sentinels on the units that all judges have judged.

    Args:
        panel: Judgements and ratings.
        settings: The options of the test.
        resamples: The number of sign flips that compare the jury with single judges.
        seed: The seed of the flips, of the shuffled judge, and of groups of more than a thousand units.
        confidence: The level of the intervals, a fraction or in percent.
        bins: The number of bins of stated confidence, and how their edges are chosen.
        jury: The judge that combines the others.

    Raises:
        InputError: if there is no unit, or no rater has enough units.
    """
    judged = np.logical_and.reduce([~np.isnan(values) for values in panel.judges.values()])
    enough = (~np.isnan(panel.ratings)).sum(axis=0) >= settings.min_humans
    if not (judged & enough).any():
        question = "do the tables have the same ids of inputs and systems, and are the scores neither empty nor null?"
        advice = f"; {question}" if enough.any() else ""
        raise InputError(
            f"no unit has a judgement of every judge and {settings.min_humans} or more raters: {int(judged.sum())} "
            f"have the former, {int(enough.sum())} the latter{advice}"
        )
    used = panel.of_units(judged & enough)
    units = Units(Clusters.of(used.clusters, used.ratings.shape[1]), confidence, seed)
    inquiry = _Inquiry(used, settings, units)
    constants = {name: float(inquiry.judgements[name][0]) for name in CONSTANTS if name in inquiry.judgements}
    return Judging(
        settings=settings,
        units=used.ratings.shape[1],
        clusters=None if used.clusters is None else units.clusters.count,
        unjudged={name: int((enough & np.isnan(values)).sum()) for name, values in panel.judges.items()},
        too_few_raters=int((judged & ~enough).sum()),
        left_out_raters=inquiry.comparisons[CONSTANT].left_out_raters,
        constants={name: used.labels[int(one)] if used.labels else one for name, one in constants.items()},
        sweep_epsilons=SWEEP,
        judges=[inquiry.report(name) for name in inquiry.comparisons],
        differences=inquiry.differences(),
        raters=inquiry.raters_agreement(),
        calibration=inquiry.calibration(used.stated, bins),
        jury=None if jury is None else inquiry.jury(jury, resamples),
        undecided=inquiry.undecided(),
        foreign_labels={
            name: sorted({used.labels[int(code)] for code in np.setdiff1d(values, used.ratings)} if used.labels else ())
            for name, values in used.judges.items()
        },
        is_labels=inquiry.is_labels,
        ratings=used.ratings,
        has_lengths=used.lengths is not None,
    )


class _Inquiry:
    """The comparisons of judges and sentinels with the raters, on the same units.

    Args:
        panel: Judgements and ratings, without missing judgements.
        settings: The options of the test.
        units: What is left out in turn for intervals.
    """

    def __init__(self, panel: Panel, settings: AltTestSettings, units: Units) -> None:
        self.is_labels = RULES[settings.scoring].compares_labels
        self._judges = list(panel.judges)
        self._labels = panel.labels, panel.categories
        self._units = units
        extra = sentinels(panel.judges, panel.ratings, panel.lengths, as_labels=self.is_labels, seed=units.seed)
        self.judgements = {**panel.judges, **{name: extra[name] for name in extra if name not in panel.judges}}
        self.comparisons = {
            name: compare(values, panel.ratings, panel.raters, settings, panel.clusters)
            for name, values in self.judgements.items()
        }
        self._raters = self.comparisons[CONSTANT].raters
        self._ratings = panel.ratings[[name in self._raters for name in panel.raters]]
        self._tests = {name: comparison.test() for name, comparison in self.comparisons.items()}
        self._left_out = {
            name: self._advantages(comparison.wins.judge) for name, comparison in self.comparisons.items()
        }

    def _advantages(self, wins: Floats) -> Floats:
        """Returns ρ without each unit; raters without a unit are excluded."""
        rated, won = (~np.isnan(wins)).astype(np.float64), np.nan_to_num(wins)
        parts = []
        for weights in self._units.blocks(len(wins)):
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
        return self._units.interval(value, self._left_out[first] - self._left_out[second], Scale.linear(-1, 1))

    def report(self, name: str) -> JudgeReport:
        test, comparison = self._tests[name], self.comparisons[name]
        sweep = [comparison.winning_rate(epsilon) for epsilon in SWEEP]
        judgements = self.judgements[name]
        agreement = agreement_of_judge(judgements, self._ratings, self._raters, self._units, as_labels=self.is_labels)
        if name in self._judges:
            parts = kappa_parts(judgements, self._ratings, *self._labels, as_labels=self.is_labels)
            agreement = replace(agreement, parts=parts)
        passed = (epsilon for epsilon, rate in zip(SWEEP, sweep, strict=True) if rate >= PASSING)
        return JudgeReport(
            name=name,
            is_sentinel=name not in self._judges,
            test=test,
            advantage=self._units.interval(test.advantage_probability, self._left_out[name], Scale.linear(0, 1)),
            above_constant=None if name in CONSTANTS else self._difference(name, self._constant),
            sweep=sweep,
            least_epsilon=next(passed, None),
            agreement=agreement,
        )

    def undecided(self) -> list[str]:
        """Returns the judges whose verdict depends on the variance of the test."""
        settings = self.comparisons[CONSTANT].settings
        others = replace(settings, variance="published" if settings.variance == "floor" else "floor")
        passes = {name: replace(self.comparisons[name], settings=others).test().passes for name in self._judges}
        return [name for name in self._judges if passes[name] != self._tests[name].passes]

    def differences(self) -> list[JudgeDifference]:
        return [JudgeDifference(*pair, self._difference(*pair)) for pair in combinations(self._judges, 2)]

    def jury(self, jury: str, trials: int) -> JuryComparison:
        wins = {name: self.comparisons[name].wins.judge for name in self._judges}
        intervals = {name: self._difference(jury, name) for name in self._judges if name != jury}
        return compare_jury(jury, wins, intervals, self._units.clusters, trials=trials, seed=self._units.seed)

    def raters_agreement(self) -> MeanAgreement:
        found = agreement_of_raters(self._ratings, self._raters, self._units, as_labels=self.is_labels)
        return replace(found, parts=kappa_parts(None, self._ratings, *self._labels, as_labels=self.is_labels))

    def calibration(self, stated: Mapping[str, Floats], bins: tuple[int, Binning]) -> list[JudgeReliability]:
        judges = {name: self.judgements[name] for name in self._judges}
        return judge_reliability(judges, self._ratings, stated, self._units, bins)


def sentinels(
    judges: Mapping[str, Floats], ratings: Floats, lengths: Floats | None, *, as_labels: bool, seed: int = 0
) -> dict[str, Floats]:
    """Returns the judgements of the sentinels by name.

    - ``constant`` answers the mean of all ratings, or their commonest label, everywhere.
    - ``median`` answers their median, the lower one of two, everywhere. Unlike the mean it is a rating, and ties with
      raters who give it; left out for labels and if it is the mean.
    - ``length`` predicts the rating from the length of the output: by least squares, or for labels the commonest label
      among the fifth of the outputs of similar length. It is fitted on the ratings, as the constant is.
    - ``shuffled`` has the values of a judge in random order; one for each judge.

    Args:
        judges: The judgements of each judge, shape (units,).
        ratings: Shape (raters, units), NaN without a rating.
        lengths: The length of each output, shape (units,), if outputs are given.
        as_labels: Whether numbers are labels.
        seed: The seed of the order.
    """
    known = ratings[~np.isnan(ratings)]
    answer = commonest(known) if as_labels else _mean(known)
    found = {CONSTANT: np.full(ratings.shape[1], answer)}
    middle = float(np.sort(known)[(len(known) - 1) // 2])
    if not as_labels and middle != answer:
        found[MEDIAN] = np.full(ratings.shape[1], middle)
    if lengths is not None:
        found[LENGTH] = _labels_by_length(ratings, lengths) if as_labels else _line(ratings, lengths)
    stream = np.random.default_rng(np.random.SeedSequence((seed, 1)))
    for name, values in judges.items():
        found[SHUFFLED if len(judges) == 1 else f"{SHUFFLED} {name}"] = stream.permutation(values)
    return found


def _mean(values: Floats) -> float:
    scale = power_of_two(values)
    return float((values / scale).mean()) * scale


def _line(ratings: Floats, lengths: Floats) -> Floats:
    """Predicts ratings from lengths by least squares over all single ratings."""
    raters, units = np.nonzero(~np.isnan(ratings))
    y = ratings[raters, units]
    mean = _mean(y)
    scale = power_of_two(y)
    sizes = lengths / power_of_two(lengths)
    centred = sizes - sizes[units].mean()
    spread = float((centred[units] ** 2).sum())
    slope = float((centred[units] * (y / scale - mean / scale)).sum()) / spread if spread else 0.0
    largest = sys.float_info.max / max(scale, 1.0)  # a line through the largest ratings could leave the range of floats
    return np.asarray(np.clip(mean / scale + slope * centred, -largest, largest) * scale)


def _labels_by_length(ratings: Floats, lengths: Floats) -> Floats:
    """Predicts the commonest label among the outputs of similar length."""
    edges = np.quantile(lengths, np.arange(1, _GROUPS) / _GROUPS)
    group = np.searchsorted(edges, lengths)
    predicted = np.empty(len(lengths))
    for number in np.unique(group):
        of_group = ratings[:, group == number]
        predicted[group == number] = commonest(of_group[~np.isnan(of_group)])
    return predicted
