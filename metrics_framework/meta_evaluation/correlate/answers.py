"""`Answer`: which metric agrees best with a human rating, which do not differ from it, and what to mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answer_cautions import (
    Caution,
    average_cautions,
    comparison_cautions,
    data_cautions,
    metric_cautions,
)
from metrics_framework.meta_evaluation.correlate.ranked_metrics import AnswerTest, RankedMetric, ranked_by_average
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.meta_evaluation.correlate.sentinel_metrics import SENTINELS
from metrics_framework.meta_evaluation.correlate.shown_levels import as_shown, main_level
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.correlate.task_averages import Average
from metrics_framework.meta_evaluation.correlate.task_columns import TaskColumn, task_columns
from metrics_framework.meta_evaluation.levels import Level

SAME = 5e-4
"""Coefficients that differ by less look alike in tables."""


@dataclass(frozen=True)
class Answer:
    """Which metric agrees best with a human rating.

    Args:
        human: The human rating.
        level: The level; `None` for an average over tasks.
        coefficient: The coefficient; `None` for an average over tasks.
        points: What the coefficient counts at its level: inputs, systems or outputs; the number of tasks of an average.
        best: The best metric; `None` if all are undefined.
        others: The other metrics, the best first. Sentinels are not among them.
        undefined: The metrics without a value.
        confidence: The confidence level of the intervals, in percent.
        test: How the metrics were compared; `None` without a test.
        cautions: What a reader must mind.
        data_set: The data set; empty if there is only one, or for an average.
    """

    human: str
    level: Level | None
    coefficient: str | None
    points: int
    best: RankedMetric | None
    others: tuple[RankedMetric, ...]
    undefined: tuple[str, ...]
    confidence: float
    test: AnswerTest | None
    cautions: tuple[Caution, ...]
    data_set: str = ""

    @property
    def tied(self) -> tuple[RankedMetric, ...]:
        """The metrics that the test does not distinguish from the best one."""
        return tuple(one for one in self.others if one.is_worse is False)

    @property
    def worse(self) -> tuple[RankedMetric, ...]:
        """The metrics that are significantly worse than the best one."""
        return tuple(one for one in self.others if one.is_worse)

    def as_json(self) -> dict[str, Any]:
        """Returns the answer as it appears in the JSON file; NaN is written as ``null``."""
        where = {"data_set": self.data_set} if self.data_set else {}
        return {
            **where,
            "metric2": self.human,
            "level": self.level,
            "coefficient": self.coefficient,
            "n": self.points,
            "best": None if self.best is None else self.best.as_json(),
            "others": [one.as_json() for one in self.others],
            "undefined": list(self.undefined),
            "confidence": self.confidence,
            "test": None if self.test is None else asdict(self.test),
            "cautions": [asdict(one) for one in self.cautions],
        }


def answers_of(study: Study) -> list[Answer]:
    """Returns the answer for each human rating: by the average over tasks if there is one, else for each data set.

    Other answers are by the first coefficient, at the level that the data support best among those that are shown.
    """
    shown = as_shown(study)
    if shown.averages:
        return [_of_average(one, shown) for one in shown.averages]
    columns = task_columns(shown)
    return [_of_rating(shown, columns, *where) for where in dict.fromkeys((one.data_set, one.human) for one in columns)]


def _of_average(average: Average, study: Study) -> Answer:
    found = average.found
    ranked = ranked_by_average(average)
    kept = [one for one in ranked if one.metric not in SENTINELS]
    cautions = [*average_cautions(average, ranked), *data_cautions(_of(study, average.human), None, "")]
    return Answer(
        human=average.human,
        level=None,
        coefficient=None,
        points=len(found.task_values),
        best=kept[0] if kept else None,
        others=tuple(kept[1:]),
        undefined=found.left_out,
        confidence=study.request.interval.confidence,
        test=AnswerTest.of_average(found) if len(found.metrics) > 1 else None,
        cautions=tuple(dict.fromkeys(cautions)),
    )


def _of(study: Study, human: str, data_set: str | None = None) -> list[Correlation]:
    return [
        one
        for one in study.correlations
        if one.metric2 == human and (data_set is None or one.data_set == data_set) and one.metric1 not in SENTINELS
    ]


def _of_rating(study: Study, columns: Sequence[TaskColumn], data_set: str, human: str) -> Answer:
    name = study.request.coefficients[0]
    level = main_level(study, name)
    metrics = _of(study, human, data_set) or [one for one in study.correlations if one.metric2 == human]
    of_rating = [one for one in columns if (one.data_set, one.human) == (data_set, human)]
    column = next(one for one in of_rating if (one.level, one.coefficient) == (level, name))
    best = column.metrics[0] if column.metrics else None
    found = None if column.comparison is None else column.comparison.found
    undefined = [one for one, estimate in column.estimates.items() if not estimate.defined and one not in SENTINELS]
    return Answer(
        human=human,
        level=level,
        coefficient=name,
        points=max(one.levels[level].points for one in metrics),
        best=best,
        others=tuple(column.metrics[1:]),
        undefined=tuple(undefined),
        confidence=study.request.interval.confidence,
        test=None if found is None else AnswerTest.of(found, found.test),
        cautions=(
            *data_cautions(metrics, level, best.metric if best else ""),
            *metric_cautions(metrics, level, name, column.ranked),
            *comparison_cautions(column.comparison),
            *_disagreements(of_rating, column),
        ),
        data_set=data_set,
    )


def _disagreements(columns: Sequence[TaskColumn], answered: TaskColumn) -> list[Caution]:
    """Returns which other coefficients, at the levels shown, another metric is best by."""
    others: dict[str, list[str]] = {}
    for one in columns:
        if one is answered or not one.metrics or not answered.metrics:
            continue
        first, best = one.metrics[0], one.by_name.get(answered.metrics[0].metric)
        if best is None or first.value - best.value >= SAME:
            where = "" if one.level == answered.level else f" at the {one.level} level"
            others.setdefault(first.metric, []).append(f"{load_coefficient(one.coefficient).title}{where}")
    return [Caution("other-coefficients", f"{name} is best by {', '.join(by)}") for name, by in others.items()]
