"""The result of a study of judges: plain values, as records and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import counted
from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.intervals.resamples import Interval
from metrics_framework.meta_evaluation.judge.request import CONSTANTS, LENGTH, MIN_UNITS, AltTestSettings

if TYPE_CHECKING:  # the command reads the signature of its function without numpy
    from metrics_framework.meta_evaluation.judge.alternative_annotator import AltTest
    from metrics_framework.meta_evaluation.judge.jury import JuryComparison
    from metrics_framework.meta_evaluation.judge.reliability import Reliability
    from metrics_framework.meta_evaluation.judge.repeated_runs import RepeatedRuns

SWEEP = tuple(step / 100 for step in range(101))
"""The values of ε that are tried."""
MIN_DRAWN = 100
"""Below this many outputs, or clusters of outputs, intervals are too short (`benchmarks/judging.py`)."""


@dataclass(frozen=True)
class PairAgreement:
    """The agreement of two raters, or of a judge with a rater.

    Attributes:
        rater1: The first rater; empty for a judge.
        rater2: The second rater.
        n: The number of units that both rated.
        alpha: Krippendorff's α: nominal for labels, else at the interval level; NaN if undefined.
        kappa: Cohen's κ: unweighted for labels, else with quadratic weights; NaN if undefined.
    """

    rater1: str
    rater2: str
    n: int
    alpha: float
    kappa: float

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; the pairs of a judge have no first rater."""
        return {name: value for name, value in asdict(self).items() if value != ""}


@dataclass(frozen=True)
class KappaParts:
    """What κ depends on besides agreement, as means over raters (Byrt, Bishop and Carlin, 1993).

    With two labels and one rater, κ = (PABAK − PI² + BI²) / (1 − PI² + BI²), where PI = 2 prevalence − 1 and BI = bias.

    Attributes:
        label: The commonest label of the ratings.
        agreement: The share of units with equal labels.
        prevalence: The share of this label, mean of both sides.
        bias: How much more often the judge gives this label than a rater, as a difference of shares; between raters,
            the mean absolute difference.
        adjusted: The agreement corrected for chance as if all k labels were equally common, (k · agreement − 1) /
            (k − 1); for two labels, the prevalence-adjusted bias-adjusted kappa, PABAK.
    """

    label: str | float
    agreement: float
    prevalence: float
    bias: float
    adjusted: float


@dataclass(frozen=True)
class MeanAgreement:
    """The mean agreement of pairs.

    Attributes:
        alpha: The mean of α over the pairs for which it is defined.
        kappa: The mean of κ.
        pairs: The agreement of each pair.
        parts: What κ consists of; `None` for ratings on a scale.
    """

    alpha: Interval
    kappa: Interval
    pairs: Sequence[PairAgreement]
    parts: KappaParts | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns the means, and the agreement of each pair."""
        pairs = [pair.as_json() for pair in self.pairs]
        parts = {} if self.parts is None else {"kappa_parts": asdict(self.parts)}
        return {"alpha": self.alpha.as_json(), "kappa": self.kappa.as_json(), **parts, "pairs": pairs}


@dataclass(frozen=True)
class JudgeAgreement(MeanAgreement):
    """The agreement of a judge with each rater.

    Attributes:
        signed_error: The mean over units of the judgement minus the mean rating: above 0, the judge is lenient. `None`
            for labels.
        spread: The standard deviation of the judge divided by that of a rater: the roots of their mean variances over
            the units of each rater. `None` for labels.
    """

    signed_error: Interval | None = None
    spread: Interval | None = None


@dataclass(frozen=True)
class JudgeReliability:
    """Whether the probabilities that a judge states come true.

    Attributes:
        judge: The judge.
        is_stated: Whether they are stated confidence; otherwise, judgements are probabilities of a rating of 1.
        measured: Brier score, expected calibration error and the reliability diagram.
        left_out: The number of units without stated confidence, or without a tested rater.
    """

    judge: str
    is_stated: bool
    measured: Reliability
    left_out: int

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name."""
        kind = "stated confidence" if self.is_stated else "probability"
        return {"judge": self.judge, "kind": kind, "left_out": self.left_out, **self.measured.as_json()}


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
            **_flat("advantage_probability", self.advantage),
            **_flat("above_constant", self.above_constant),
            **_flat("alpha", self.agreement.alpha),
            **_flat("kappa", self.agreement.kappa),
            **_flat("signed_error", self.agreement.signed_error),
            **_flat("spread", self.agreement.spread),
        }

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers as they appear in the JSON file; undefined ones are NaN here and ``null`` there."""
        return {
            "judge": self.name,
            "is_sentinel": self.is_sentinel,
            "advantage_probability": self.advantage.as_json(),
            "winning_rate": self.test.winning_rate,
            "passes": self.test.passes,
            "verdict": self.verdict,
            "least_epsilon": self.least_epsilon,
            "above_constant": _json_of(self.above_constant),
            "sweep": list(self.sweep),
            "raters": [rater.as_json() for rater in self.test.raters],
            "agreement": self.agreement.as_json(),
            "signed_error": _json_of(self.agreement.signed_error),
            "spread": _json_of(self.agreement.spread),
        }


def _flat(name: str, interval: Interval | None) -> dict[str, float | None]:
    numbers = (None,) * 3 if interval is None else (interval.value, interval.lower, interval.upper)
    names = (name, f"{name}_lower", f"{name}_upper")
    return {name: _defined(number) for name, number in zip(names, numbers, strict=True)}


def _defined(number: float | None) -> float | None:
    return None if number is None or math.isnan(number) else number


def _json_of(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else interval.as_json()


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

    def as_json(self) -> dict[str, Any]:
        """Returns the names of the judges, and the difference."""
        return {"judge1": self.judge1, "judge2": self.judge2, "advantage_probability": self.advantage.as_json()}


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
        calibration: Of the judges that state confidence or probabilities, whether these come true.
        jury: The jury compared with single judges; `None` without one.
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
    calibration: Sequence[JudgeReliability] = ()
    jury: JuryComparison | None = None

    @property
    def raters_by_ranks(self) -> int:
        """The number of raters who are tested by the signed-rank test, because they have few outputs."""
        return sum(rater.is_by_ranks for rater in self.judges[0].test.raters)

    def warnings(self) -> Iterator[str]:
        """Yields what may make the results misleading."""
        for name, labels in self.foreign_labels.items():
            if labels:
                yield f"'{name}' gives labels that no rater gives: {', '.join(labels)}"
        passing = [
            report.name
            for report in self.judges
            if report.is_sentinel and report.name in (*CONSTANTS, LENGTH) and report.test.passes
        ]
        if passing:
            yield (
                f"{_joined(passing)} {'passes' if len(passing) == 1 else 'pass'} the test, so passing shows little: "
                "compare each judge with the constant, or use --scoring ranks, by which a constant cannot win"
            )
        drawn, of = (self.units, "output") if self.clusters is None else (self.clusters, "cluster")
        if drawn < MIN_DRAWN:
            yield (
                f"intervals from {counted(drawn, of)} are too short (95 % intervals from 50 contain the value in 92 to "
                f"93 % of cases); use {MIN_DRAWN} or more"
            )
        few = self.raters_by_ranks
        if few:
            yield (
                f"{counted(few, 'rater')} with fewer than {MIN_UNITS} outputs: the signed-rank test of "
                "so few outputs rejects true null hypotheses too often (19 % instead of 5 % of 15 outputs, ε = 0.1)"
            )

    def as_json(self) -> dict[str, Any]:
        """Returns the results by the names of the JSON file."""
        return {
            "units": self.units,
            "clusters": self.clusters,
            "unjudged": dict(self.unjudged),
            "too_few_raters": self.too_few_raters,
            "left_out_raters": dict(self.judges[0].test.left_out_raters),
            "constants": dict(self.constants),
            "sweep_epsilons": list(SWEEP),
            "judges": [report.as_json() for report in self.judges],
            "differences": [pair.as_json() for pair in self.differences],
            "raters": self.raters.as_json(),
            **({"calibration": [one.as_json() for one in self.calibration]} if self.calibration else {}),
            **({} if self.jury is None else {"jury": self.jury.as_json()}),
        }


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@dataclass(repr=False)
class JudgeStudy:
    """Whether judges may replace raters.

    Attributes:
        judging: All results.
        rating: The rated quality.
        names: The judges.
        confidence: The level of the intervals.
        resamples: The number of resamples.
        seed: The random seed.
        warnings: What may make the results misleading.
        repeated: The agreement of repeated runs, if they were named.
    """

    judging: Judging
    rating: str
    names: Sequence[str]
    confidence: float
    resamples: int
    seed: int
    warnings: list[str] = field(default_factory=list)
    repeated: RepeatedRuns | None = None

    def __getitem__(self, name: str) -> JudgeReport:
        """Returns what is found about a judge or a sentinel.

        Raises:
            KeyError: if there is none of this name.
        """
        for report in self.judging.judges:
            if report.name == name:
                return report
        raise KeyError(name)

    def __iter__(self) -> Iterator[JudgeReport]:
        """Yields judges, followed by sentinels."""
        return iter(self.judging.judges)

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each judge and sentinel."""
        return [report.as_record() for report in self.judging.judges]

    def as_json(self) -> dict[str, Any]:
        """Returns all results; the first key names the command."""
        return {
            **head_of("fw judge"),
            "rating": self.rating,
            **asdict(self.judging.settings),
            **{name: getattr(self, name) for name in ("confidence", "resamples", "seed")},
            **self.judging.as_json(),
            **({} if self.repeated is None else {"repeated": self.repeated.as_json()}),
        }
