"""`Answer`: which metric agrees best with a human rating, which do not differ from it, and what to mind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metrics_framework.common.errors import counted, listed_names
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Average, Comparison
from metrics_framework.meta_evaluation.correlate.correlation import MAX_TIED, Correlation, Estimate, LevelResult
from metrics_framework.meta_evaluation.correlate.data import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy
from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
from metrics_framework.meta_evaluation.differences.difference_test import ranked_metrics
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, without_small_groups
from metrics_framework.meta_evaluation.intervals import ENOUGH_INPUTS, ENOUGH_RANKED_SYSTEMS
from metrics_framework.meta_evaluation.study import NOT_IN_JSON, OMITTED_IF_EMPTY, OMITTED_IF_NONE, Finding
from metrics_framework.significance.multiple_testing import CORRECTIONS, ROUNDING, TestedDifference, cautions_of_tests

SAME = 5e-4
"""Coefficients that differ by less look alike in tables."""
MANY_TIES = 0.2
"""From this share of tied pairs on, coefficients of ranks depend on how they treat ties."""
WIDE = 0.25
"""An interval is wide if it covers at least this share of the range of its coefficient."""


@dataclass(frozen=True)
class Answer(Finding):
    """Which metric agrees best with a human rating.

    Args:
        data_set: The data set; empty if there is only one, or for an average.
        human: The human rating.
        level: The level; `None` for an average over tasks.
        coefficient: The coefficient; `None` for an average over tasks.
        points: What the coefficient of the best metric counts: inputs, systems or outputs; the number of tasks of an
            average.
        best: The best metric; `None` if all are undefined or not ranked.
        others: The other metrics, the best first. Sentinels are not among them.
        unranked: The metrics that correlate negatively, if it is unknown whether their lower scores are better.
        undefined: The metrics without a value.
        confidence: The confidence level of the intervals, in percent.
        test: How the metrics were compared; `None` without a test.
        cautions: What a reader must mind.
    """

    data_set: str = field(metadata=OMITTED_IF_EMPTY)
    human: str = field(metadata={"json": "metric2"})
    level: Level | None
    coefficient: str | None
    points: int = field(metadata={"json": "n"})
    best: RankedMetric | None
    others: tuple[RankedMetric, ...]
    unranked: tuple[RankedMetric, ...]
    undefined: tuple[str, ...]
    confidence: float
    test: AnswerTest | None
    cautions: tuple[Caution, ...]

    @property
    def tied(self) -> tuple[RankedMetric, ...]:
        """The metrics that the test does not distinguish from the best one."""
        return tuple(one for one in self.others if one.is_worse is False)

    @property
    def worse(self) -> tuple[RankedMetric, ...]:
        """The metrics that are significantly worse than the best one."""
        return tuple(one for one in self.others if one.is_worse)


@dataclass(frozen=True)
class Caution(Finding):
    """Something to mind.

    Args:
        kind: What it is about, such as ``few-systems``.
        text: What to mind, as the part of a sentence.
    """

    kind: str
    text: str


def answers_of(study: CorrelationStudy) -> list[Answer]:
    """Returns the answer for each human rating: by the average over tasks if there is one, else for each data set.

    Other answers are by the first coefficient, at the level that the data support best among those that are shown.
    """
    shown = as_shown(study)
    if shown.averages:
        return [_of_average(one, shown) for one in shown.averages]
    columns = task_columns(shown)
    return [_of_rating(shown, columns, *where) for where in dict.fromkeys((one.data_set, one.human) for one in columns)]


def _of_average(average: Average, study: CorrelationStudy) -> Answer:
    found = average.found
    ranked = ranked_by_average(average)
    kept = [one for one in ranked if one.is_ranked]
    best = kept[0] if kept else None
    cautions = [*_directions([], ranked), *_sentinels(ranked, best)]
    cautions += _test_cautions(found, ranked) if best is not None else []
    if best is not None:
        metrics = [name for name in found.metrics if name not in SENTINELS]
        of_tasks = [max(metrics, key=lambda name: values[name]) for values in found.task_values.values()]
        others = sum(name != best.metric for name in of_tasks)
        if others:
            text = f"another metric is best in {others} of {counted(len(of_tasks), 'task')}"
            cautions.append(Caution("other-tasks", text))
    cautions += data_cautions(correlations_of(study, average.human), None, "")
    return Answer(
        data_set="",
        human=average.human,
        level=None,
        coefficient=None,
        points=len(found.task_values),
        best=best,
        others=tuple(kept[1:]),
        unranked=(),
        undefined=found.left_out,
        confidence=study.request.confidence,
        test=AnswerTest.of(found) if len(found.metrics) > 1 else None,
        cautions=tuple(dict.fromkeys(cautions)),
    )


def correlations_of(study: CorrelationStudy, human: str, data_set: str | None = None) -> list[Correlation]:
    """Returns the correlations of metrics, without sentinels, with a human score, of one data set or of all."""
    return [
        one
        for one in study.correlations
        if one.metric2 == human and (data_set is None or one.data_set == data_set) and one.metric1 not in SENTINELS
    ]


def _of_rating(study: CorrelationStudy, columns: Sequence[TaskColumn], data_set: str, human: str) -> Answer:
    name = study.request.coefficients[0]
    level = main_level(study, name)
    metrics = correlations_of(study, human, data_set) or [one for one in study.correlations if one.metric2 == human]
    of_rating = [one for one in columns if (one.data_set, one.human) == (data_set, human)]
    column = next(one for one in of_rating if (one.level, one.coefficient) == (level, name))
    best = next(iter(column.metrics), None)
    found = None if column.comparison is None else column.comparison.found
    undefined = [one for one, estimate in column.estimates.items() if not estimate.defined and one not in SENTINELS]
    return Answer(
        data_set=data_set,
        human=human,
        level=level,
        coefficient=name,
        points=max(one.levels[level].points for one in metrics) if best is None else best.points or 0,
        best=best,
        others=tuple(column.metrics[1:]),
        unranked=tuple(one for one in column.ranked if not one.is_ranked and one.metric not in SENTINELS),
        undefined=tuple(undefined),
        confidence=study.request.confidence,
        test=None if found is None else AnswerTest.of(found),
        cautions=(
            *data_cautions(metrics, level, best.metric if best else ""),
            *_directions(metrics, column.ranked),
            *_sentinels(column.ranked, best),
            *([] if best is None else _best_cautions(best, metrics, column)),
            *([] if found is None or best is None else _test_cautions(found, column.ranked)),
            *([] if best is None else _disagreements(of_rating, column, best)),
        ),
    )


def _disagreements(columns: Sequence[TaskColumn], answered: TaskColumn, best: RankedMetric) -> list[Caution]:
    """Returns which other coefficients, at the levels shown, another metric is best by."""
    others: dict[str, list[str]] = {}
    for one in columns:
        if one is answered or not one.metrics:
            continue
        first, same = one.metrics[0], one.by_name.get(best.metric)
        if same is None or first.value - same.value >= SAME:
            where = "" if one.level == answered.level else f" at the {one.level} level"
            others.setdefault(first.metric, []).append(f"{load_coefficient(one.coefficient).title}{where}")
    return [Caution("other-coefficients", f"{name} is best by {', '.join(by)}") for name, by in others.items()]


def data_cautions(results: Sequence[Correlation], level: Level | None, best: str) -> list[Caution]:
    """Returns what to mind about the outputs: how few there are, ties, and scores that are missing.

    Args:
        results: The correlations with a human score.
        level: The level of the answer; `None` for an average.
        best: The best metric, whose ties count.
    """
    systems = max((len(one.matrix.systems) for one in results), default=0)
    inputs = max((len(one.matrix.inputs) for one in results), default=0)
    found = []
    for what, count, enough in (("system", systems, ENOUGH_RANKED_SYSTEMS), ("input", inputs, ENOUGH_INPUTS)):
        if count < enough:
            text = f"there {'is' if count == 1 else 'are'} only {counted(count, what)}"
            found.append(Caution(f"few-{what}s", text))
    if level is not None and results:
        chosen = next((one for one in results if one.metric1 == best), results[0])
        found += _level_cautions(chosen, chosen.levels[level])
    causes = ("metric1_missing", "metric2_missing", "both_missing")
    missing = Counter[str]()  # over all data sets
    for one in results:
        missing[one.metric1] += sum(one.dropped[cause] for cause in causes)
    for count in dict.fromkeys(filter(None, missing.values())):
        names = [name for name, of_metric in missing.items() if of_metric == count]
        whose = "" if len(names) == len(missing) else f" for {', '.join(names)}"
        text = f"{counted(count, 'output')} left out{whose}, because a score is missing"
        found.append(Caution("missing-outputs", text))
    return found


def _level_cautions(result: Correlation, level: LevelResult) -> list[Caution]:
    """Returns what to mind about the groups of a level, and about ties."""
    found = []
    of_two = level.details.get("group_sizes", {}).get("2", 0)
    if level.level == "input" and 2 * of_two > level.points:
        inputs = counted(level.points, "input")
        text = f"{of_two} of {inputs} have only two systems, where every coefficient is +1 or -1"
        found.append(Caution("two-systems-per-input", text))
    for key, name in (("metric2", result.metric2), ("metric1", result.metric1)):
        share = level.ties[key] / level.ties["pairs"] if level.ties["pairs"] else 0
        if share >= MANY_TIES:
            found.append(Caution("ties", f"{100 * share:.0f} % of pairs are tied in {name}"))
    return found


def _directions(results: Sequence[Correlation], ranked: Sequence[RankedMetric]) -> list[Caution]:
    found = []
    negated = [one.metric for one in ranked if one.is_negated]
    if negated:
        negates = "which this ranking negates and the table of correlations does not"
        text = f"lower is better for {', '.join(negated)}, {negates}"
        found.append(Caution("reversed-direction", text))
    elif len(results) == 1 and results[0].higher_is_better is False:
        text = f"lower is better for {results[0].metric1}, so that a good correlation is negative"
        found.append(Caution("reversed-direction", text))
    unknown = {one.metric1 for one in results if one.higher_is_better is None}
    names = [one.metric for one in ranked if one.metric in unknown and one.is_negative]
    if names:
        are = f"{names[0]} correlates" if len(names) == 1 else f"{', '.join(names)} correlate"
        flags, in_python = (f"--metric=-{name}" for name in names), (f"'-{name}'" for name in names)
        use = f"use {' '.join(flags)} ({', '.join(in_python)} in Python)"
        found.append(Caution("negative", f"{are} negatively; if lower scores are better, {use}"))
    return found


def _sentinels(ranked: Sequence[RankedMetric], best: RankedMetric | None) -> list[Caution]:
    found = []
    above = True
    for one in ranked:
        above = above and one is not best
        if one.metric not in SENTINELS or best is None:
            continue
        what = f"{one.label} ({one.value:.3f}), which knows nothing about quality,"
        if above:
            found.append(Caution("sentinel", f"{what} is above all metrics"))
        elif one.is_worse is False:
            found.append(Caution("sentinel", f"{what} is not distinguishable from {best.label}"))
    return found


def _best_cautions(best: RankedMetric, results: Sequence[Correlation], column: TaskColumn) -> list[Caution]:
    """Returns what to mind about the best metric: its interval, its ε, and outputs that other metrics do not have.

    Args:
        best: The metric.
        results: The correlations of the metrics, without sentinels.
        column: The coefficient of the answer.
    """
    found = []
    low, high = load_coefficient(column.coefficient).range
    if best.lower is not None and best.upper is not None:
        if low < 0 and best.lower <= 0 <= best.upper:
            found.append(Caution("interval-contains-zero", f"the interval of {best.label} contains 0"))
        elif best.upper - best.lower >= WIDE * (high - low):
            found.append(Caution("wide-interval", f"the interval of {best.label} is wide"))
    estimates = next(one for one in results if one.metric1 == best.metric).levels[column.level].estimates
    tied = estimates[column.coefficient].details.get("tied", 0)
    if tied >= MAX_TIED:
        found.append(Caution("epsilon", f"the calibrated ε ties {100 * tied:.0f} % of pairs"))
    tested = any(one.p_value is not None for one in column.ranked)
    if not tested and any(not one.matrix.has_outputs_of(results[0].matrix) for one in results):
        found.append(Caution("different-outputs", "the metrics have scores for different outputs"))
    return found


def _test_cautions(found: DifferenceMatrix | AverageMatrix, ranked: Sequence[RankedMetric]) -> list[Caution]:
    """Returns what to mind about the tests of the best metric: p-values that cannot be small, and few common outputs.

    Args:
        found: The comparison.
        ranked: All compared metrics, in its order.
    """
    best, *others = [index for index, one in enumerate(ranked) if one.is_ranked]
    is_corrected = found.is_corrected and found.correction != "none"
    pairs = [(i, j) for i in range(len(ranked)) for j in range(i + 1, len(ranked))]
    least = [found.of_pair(*pair).least_p / (1 if found.is_corrected else 2) for pair in pairs]  # half, if one-sided
    reachable = dict(zip(pairs, CORRECTIONS[found.correction](least) if is_corrected else least, strict=True))
    names = {other: f"{ranked[best].label} against {ranked[other].label}" for other in others}
    hopeless = [other for other in others if reachable[min(best, other), max(best, other)] > found.alpha]
    cautions = []
    if hopeless:
        lowest = min(reachable[min(best, other), max(best, other)] for other in hopeless)
        of = f" of {listed_names([names[other] for other in hopeless])}" if len(hopeless) < len(others) else ""
        words = "corrected " * is_corrected
        text = f"the test cannot find a difference{of}: no {words}p-value below {lowest:.3g} is possible"
        drawn = [found.of_pair(best, other) for other in hopeless]
        if not any(one.is_exact for one in drawn):
            draws = max(one.permutations or one.resamples for one in drawn)
            enough = math.ceil((draws + 1) * lowest / found.alpha)  # the least p-value is about 1 / (draws + 1)
            text += f" with so few draws; {enough} resamples or more are enough"
        cautions.append(Caution("least-p", text))
    if found.is_corrected:
        tested = [
            TestedDifference(
                names[other],
                found.adjusted[best, other],
                found.p_values[best, other],
                least=found.of_pair(best, other).least_p,
            )
            for other in others
            if other not in hopeless
        ]
        cautions += [Caution("least-p", text) for text in cautions_of_tests(tested, found.alpha)]
    if isinstance(found, DifferenceMatrix) and (cells := [*filter(None, found.cells_of_pairs.values())]):
        text = f"metrics were compared in pairs, on the outputs that both have, {min(cells)} or more"
        cautions.append(Caution("compared-outputs", text))
    return cautions


@dataclass(frozen=True)
class RankedMetric(Finding):
    """A metric in the order of a coefficient.

    Args:
        metric: The metric.
        is_negated: Whether its scores were negated, because lower is better.
        value: The coefficient of the scores of which higher is better.
        points: What the coefficient counts; `None` for an average.
        lower: The lower end of its interval, if there is one.
        upper: The upper end.
        interval_method: The method of the interval, if there is one.
        p_value: The p-value of its difference from the best metric; `None` for the best one, and without a test.
        is_worse: Whether it is significantly worse than the best metric; `None` where there is no p-value.
        is_ranked: Whether it can be the best one: neither a sentinel, nor negative if its direction is unknown.
    """

    metric: str
    is_negated: bool
    value: float
    points: int | None = field(default=None, metadata={"json": "n", **OMITTED_IF_NONE})
    lower: float | None = None
    upper: float | None = None
    interval_method: str = field(default="", metadata={"json": "ci_method", **OMITTED_IF_EMPTY})
    p_value: float | None = None
    is_worse: bool | None = None
    is_ranked: bool = field(default=True, metadata=NOT_IN_JSON)

    @property
    def is_negative(self) -> bool:
        """Whether the coefficient is negative, and so is its interval, if there is one."""
        return self.value < 0 and (self.upper is None or self.upper < 0)

    @property
    def label(self) -> str:
        """The name, with a minus sign if the scores were negated."""
        return f"-{self.metric}" if self.is_negated else self.metric


@dataclass(frozen=True)
class AnswerTest(Finding):
    """How metrics were compared.

    Args:
        test: The test.
        population: The population of which its p-values speak.
        sides: 2 for two-sided p-values, 1 for one-sided ones in favour of the better metric.
        correction: The correction of the p-values for the number of pairs, or ``none``.
        pairs: The number of pairs of metrics that were compared.
        alpha: The level of significance.
    """

    test: str
    population: str
    sides: int
    correction: str
    pairs: int
    alpha: float

    @staticmethod
    def of(found: DifferenceMatrix | AverageMatrix) -> AnswerTest:
        """Returns the test of a comparison, by the p-values that its ranks follow; an average may have several."""
        size, corrected = len(found.metrics), found.is_corrected
        tests = found.tests.values() if isinstance(found, AverageMatrix) else [found.test]
        return AnswerTest(
            test="/".join(dict.fromkeys(tests)),
            population=found.population,
            sides=2 if corrected else 1,
            correction=found.correction if corrected else "none",
            pairs=size * (size - 1) // 2,
            alpha=found.alpha,
        )


@dataclass(frozen=True)
class TaskColumn:
    """The metrics by one coefficient.

    Args:
        data_set: The data set; empty if there is only one.
        human: The human rating.
        level: The level.
        coefficient: The coefficient.
        estimates: Metric to its coefficient, oriented so that higher is better; also undefined ones.
        ranked: The metrics with a value, the best first; sentinels are among them.
        comparison: The comparison of the metrics; `None` without a test.
    """

    data_set: str
    human: str
    level: Level
    coefficient: str
    estimates: Mapping[str, Estimate]
    ranked: tuple[RankedMetric, ...]
    comparison: Comparison | None = None

    @property
    def metrics(self) -> list[RankedMetric]:
        """The metrics that can be the best one, the best first."""
        return [one for one in self.ranked if one.is_ranked]

    @property
    def by_name(self) -> dict[str, RankedMetric]:
        """Metric to its entry."""
        return {one.metric: one for one in self.ranked}


def task_columns(study: CorrelationStudy) -> list[TaskColumn]:
    """Returns a column for each data set, rating, level and coefficient of a study."""
    comparisons = {(one.data_set, one.human, one.level, one.coefficient): one for one in study.comparisons}
    ratings: dict[tuple[str, str], list[Correlation]] = {}
    for result in study.correlations:
        ratings.setdefault((result.data_set, result.metric2), []).append(result)
    return [
        _task_column(results, level, one.name, comparisons.get((*rating, level, one.name)))
        for rating, results in ratings.items()
        for level in study.request.levels
        for one in study.request.coefficients_at(level)
    ]


def _task_column(results: Sequence[Correlation], level: Level, name: str, compared: Comparison | None) -> TaskColumn:
    """Returns the metrics by one coefficient; a single metric keeps the value of the table, which is not oriented."""
    is_single = len(results) == 1
    estimates = {
        one.metric1: one.levels[level].estimates[name] if is_single else _oriented(one, level, name) for one in results
    }
    compared = compared if compared is not None and len(compared.found.metrics) > 1 else None
    metrics = []
    for one in results:
        estimate, direction = estimates[one.metric1], one.higher_is_better
        metric = RankedMetric(
            one.metric1,
            not is_single and direction is False,
            estimate.value,
            one.levels[level].points_of(name),
            estimate.lower,
            estimate.upper,
            estimate.interval_method if estimate.lower is not None else "",
        )
        is_unknown = not is_single and direction is None and metric.is_negative
        metrics.append(replace(metric, is_ranked=one.metric1 not in SENTINELS and not is_unknown))
    order = ranked_metrics({one.metric: one.value for one in metrics}) if compared is None else compared.found.metrics
    ranked = sorted((one for one in metrics if one.metric in order), key=lambda one: order.index(one.metric))
    found = None if compared is None else compared.found
    return TaskColumn(
        results[0].data_set, results[0].metric2, level, name, estimates, _with_p_values(ranked, found), compared
    )


def ranked_by_average(average: Average) -> tuple[RankedMetric, ...]:
    """Returns the metrics by their average over tasks, the best first."""
    found = average.found
    ranked = [
        RankedMetric(name, name in average.negated, value, is_ranked=name not in SENTINELS)
        for name, value in found.averages.items()
    ]
    return _with_p_values(ranked, found)


def _with_p_values(
    ranked: Sequence[RankedMetric], found: DifferenceMatrix | AverageMatrix | None
) -> tuple[RankedMetric, ...]:
    """Adds the p-values of the differences from the best metric, given metrics in the order of a comparison."""
    best = next((index for index, one in enumerate(ranked) if one.is_ranked), None)
    if found is None or best is None:
        return tuple(ranked)
    tested = []
    for index, one in enumerate(ranked):
        p = float(found.ranking_p_values[best, index])
        is_worse = index > best and p <= found.alpha
        is_tested = not math.isnan(p) and (one.is_ranked or one.metric in SENTINELS)
        tested.append(replace(one, p_value=p, is_worse=is_worse) if is_tested else one)
    return tuple(tested)


def _oriented(result: Correlation, level: Level, name: str) -> Estimate:
    """Returns a coefficient of scores of which higher is better: those of a metric like TER are negated.

    The interval is turned around where negating the scores negates the coefficient, and unknown elsewhere.
    """
    estimate, request = result.levels[level].estimates[name], result.request
    if result.higher_is_better is not False or not estimate.defined:
        return estimate
    coefficient = load_coefficient(name)
    scores = ScorePair(without_small_groups(result.matrix.z, level, request.min_group), -result.matrix.x)
    options = request.options_for(coefficient, result.metric1, result.metric2, level)
    value = coefficient.measure(scores, level, options).value
    if abs(value + estimate.value) > ROUNDING or estimate.lower is None or estimate.upper is None:
        return replace(estimate, value=value, lower=None, upper=None)
    return replace(estimate, value=value, lower=-estimate.upper, upper=-estimate.lower)


def main_level(study: CorrelationStudy, coefficient: str) -> Level:
    """Returns the level, of those that were computed for a coefficient, that the data support best.

    That is ``input`` if most inputs have three systems or more, because with two systems every coefficient is ±1, and
    there is more than one; else ``system`` if there are ten systems or more, or one input, such as a whole test set;
    else ``global``. All metrics must support it, unless they are undefined there.
    """
    request = study.request
    levels = [level for level in request.levels if coefficient in {one.name for one in request.coefficients_at(level)}]
    results = [one for one in study.correlations if one.metric1 not in SENTINELS] or study.correlations
    used = [found for one in results if "input" in levels and (found := one.levels["input"]).points]
    is_one_input = all(len(one.matrix.inputs) == 1 for one in results)
    if used and not is_one_input and all(2 * one.details["group_sizes"].get("2", 0) <= one.points for one in used):
        return "input"
    ranked = is_one_input or all(len(one.matrix.systems) >= ENOUGH_RANKED_SYSTEMS for one in results)
    if "system" in levels and ranked:
        return "system"
    return "global" if "global" in levels else levels[0]


def shown_levels(study: CorrelationStudy) -> list[Level]:
    """Returns the levels of tables and pages: those asked for, else the best supported one of each coefficient."""
    request = study.request
    if request.levels_asked:
        return list(request.levels)
    first, *others = request.coefficients
    shown = [main_level(study, first)]
    for name in others:
        if not set(shown) & set(load_coefficient(name).levels):
            shown.append(main_level(study, name))
    return [level for level in request.levels if level in shown]


def as_shown(study: CorrelationStudy) -> CorrelationStudy:
    """Returns a study without the levels that are not shown, in all of its sections."""
    levels = shown_levels(study)
    if levels == list(study.request.levels):
        return study
    partials = [one for one in study.partials if one.level in levels]
    return replace(
        study,
        request=replace(study.request, levels=levels),
        correlations=[_restricted(one, levels) for one in study.correlations],
        comparisons=[one for one in study.comparisons if one.level in levels],
        ceilings=[
            replace(one, ceilings={key: found for key, found in one.ceilings.items() if key[0] in levels})
            for one in study.ceilings
        ],
        raters=[_restricted(one, levels) for one in study.raters],
        partials=partials or study.partials,  # they exist at the levels input and global only
        slices=[
            replace(one, correlations=[_restricted(found, levels) for found in one.correlations])
            for one in study.slices
        ],
        changes=[one for one in study.changes if one.level in levels],
        variance=study.variance if "global" in levels else {},
        hidden_levels=[level for level in study.request.levels if level not in levels],
    )


def _restricted(result: Correlation, levels: Sequence[Level]) -> Correlation:
    """Returns a correlation at some of its levels, without the warnings of the others."""
    kept = {level: found for level, found in result.levels.items() if level in levels}
    return replace(result, levels=kept, cautions=[(level, text) for level, text in result.cautions if level in levels])
