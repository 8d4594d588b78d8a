"""AutoRank: the means of several metrics as one rank of each system, as WMT25 ranks systems before people rate them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.data.texts import shown
from metrics_framework.evaluation.score_comparison import (
    ComparedSystem,
    CompareSettings,
    ScoreComparison,
    ScoredSystems,
)
from metrics_framework.evaluation.system_scores import Evaluation, ScoreKind
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.clusters import bootstrap_weights
from metrics_framework.significance.confidence import ScoreCollector, renamed
from metrics_framework.significance.interval_methods import percentile_interval
from metrics_framework.significance.resampling import Resampling, weighted_sums
from metrics_framework.version import __version__

if TYPE_CHECKING:
    from metrics_framework.common.arrays import Floats
    from metrics_framework.significance.score_vectors import ScoreVectors

AUTORANK = "autorank"
LEAST_SPREAD = 1e-9


def autorank(
    means: Mapping[str, Mapping[str, float]], higher_is_better: Mapping[str, bool] | bool = True
) -> dict[str, float]:
    """Returns the AutoRank of each system: 1 is the best, and the number of systems N the worst.

    For each metric, z = (x − median x) / max(1e-9, max x − 25th percentile of x), with x the means of all systems,
    whose sign is turned if lower is better, and linear percentiles. With z̄ the mean of a system over the metrics, its
    AutoRank is 1 + (N − 1)(max z̄ − z̄)/(max z̄ − min z̄).

    Source: Kocmi et al. (2025), "Preliminary Ranking of WMT25 General Machine Translation Systems".

    Args:
        means: Metric to system to the mean of its scores.
        higher_is_better: Whether higher scores are better, of all metrics or of each.

    Raises:
        InputError: if there is no metric, a system has no finite mean of a metric, or an argument has another type.
        UnknownNameError: if a direction is that of a metric without means.

    >>> quality = {"a": 0.66, "b": 0.65, "c": 0.60, "d": 0.40}
    >>> errors = {"a": 5.7, "b": 6.4, "c": 7.0, "d": 12.0}
    >>> ranks = autorank({"quality": quality, "errors": errors}, {"quality": True, "errors": False})
    >>> {system: round(rank, 6) for system, rank in ranks.items()}
    {'a': 1.0, 'b': 1.22677, 'c': 1.654867, 'd': 4.0}
    """
    import numpy as np

    if not isinstance(means, Mapping) or not all(isinstance(of_metric, Mapping) for of_metric in means.values()):
        raise InputError(f"'means' must be a dictionary from metrics to dictionaries of systems, got {shown(means)}")
    directions = higher_is_better if isinstance(higher_is_better, Mapping) else dict.fromkeys(means, higher_is_better)
    for metric, is_higher in directions.items():
        if metric not in means:
            raise UnknownNameError("metric", metric, [*means])
        if is_higher not in (True, False):
            raise InputError(f"'higher_is_better' must be True or False, got {shown(is_higher)}")
    systems = list(dict.fromkeys(system for of_metric in means.values() for system in of_metric))
    if not systems:
        raise InputError("'means' must have a metric with systems")
    rows = []
    for metric, of_metric in means.items():
        numbers = {system for system, mean in of_metric.items() if isinstance(mean, Real) and math.isfinite(mean)}
        missing = [system for system in systems if system not in numbers]
        if missing:
            raise InputError(
                f"system '{missing[0]}' has no mean of '{metric}', and AutoRank needs those of all metrics"
            )
        rows.append([of_metric[system] * (1 if directions.get(metric, True) else -1) for system in systems])
    return dict(zip(systems, map(float, _ranks(np.asarray(rows, dtype=float))), strict=True))


def _ranks(means: Floats) -> Floats:
    """Returns the AutoRank of systems; NaN if all are equal.

    Args:
        means: The means, of which higher ones are better, shape (…, metrics, systems).

    Returns:
        The ranks, shape (…, systems).
    """
    import numpy as np

    median = np.median(means, axis=-1, keepdims=True)
    low, high = np.percentile(means, [25, 100], axis=-1, keepdims=True)
    averages = ((means - median) / np.maximum(high - low, LEAST_SPREAD)).mean(axis=-2)
    best, worst = averages.max(axis=-1, keepdims=True), averages.min(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        ranks: Floats = 1 + (means.shape[-1] - 1) * ((best - averages) / (best - worst))
    return ranks


def parsed_aggregate(given: Any) -> tuple[str, ...]:
    """Returns the metrics that ``autorank:metrics=A+B`` names; none for ``autorank``, which is about all of them.

    Raises:
        ValueError: if it is something else.

    >>> parsed_aggregate("autorank"), parsed_aggregate("autorank:metrics=chrF+++ter")
    ((), ('chrF++', 'ter'))
    """
    if isinstance(given, tuple):
        return given
    name, _, metrics = str(given).partition(":metrics=")
    if name != AUTORANK or str(given).endswith("="):
        raise ValueError
    return tuple(re.split(r"\+(?!\+|$)", metrics)) if metrics else ()


def _chosen(named: Sequence[str], known: Sequence[str], default: Sequence[str]) -> Sequence[str]:
    """Returns the metrics of the ranks.

    Raises:
        InputError: if a score has the name of the ranks.
        UnknownNameError: if there is no score of a name.
    """
    if AUTORANK in known:
        raise InputError(f"a score of the data is called '{AUTORANK}', as the ranks are; rename its column")
    for metric in named:
        if metric not in known:
            raise UnknownNameError("score", metric, known)
    return named or default


def add_autorank(
    found: Evaluation, metrics: Sequence[LabelledMetric], collector: ScoreCollector | None, *, named: Sequence[str]
) -> None:
    """Adds the AutoRank of systems to their scores, with percentile intervals if there are intervals.

    Args:
        found: The scores of the systems.
        metrics: The metrics of the run.
        collector: The outputs, if there are intervals.
        named: The scores that count; none for the main scores.

    Raises:
        InputError: if a system has no score of a metric, or a score has the name of the ranks.
        UnknownNameError: if there is no score of a name.
    """
    import numpy as np

    numbers = [name for name, value in found.metrics.flatten().items() if not isinstance(value, (list, str))]
    names = _chosen(named, numbers, [name for name in numbers if found.kinds[name].is_main])
    better = {name: found.kinds[name].higher_is_better is not False for name in names}
    flat = {system: scores.flatten() for system, scores in found.systems.items()}
    ranks = autorank({name: {system: scores[name] for system, scores in flat.items()} for name in names}, better)
    for system, scores in found.systems.items():
        scores[AUTORANK] = ranks[system]
    drawn_by = ""
    if collector is not None and found.confidence is not None:
        systems, resampling = collector.score_vectors(), found.confidence.resampling
        by_metric = _drawn([*zip(*systems.values(), strict=True)], resampling)
        drawn = [renamed(metrics, iter(of_system)) for of_system in zip(*by_metric, strict=True)]
        means = [[of_system[name] * (1.0 if better[name] else -1.0) for of_system in drawn] for name in names]
        for system, draws in zip(systems, _ranks(np.asarray(means).transpose(2, 0, 1)).T, strict=True):
            interval = percentile_interval(ranks[system], draws, resampling.tail)
            found.confidence.systems[system][AUTORANK] = interval
        drawn_by = _drawn_by(resampling)
    found.metrics[AUTORANK] = math.nan
    found.names[AUTORANK] = [AUTORANK]
    found.kinds[AUTORANK] = ScoreKind(AUTORANK, higher_is_better=False)
    found.signature[AUTORANK] = f"{AUTORANK}|metrics:{'+'.join(names)}{drawn_by}|fw:{__version__}"


def _drawn_by(resampling: Resampling) -> str:
    """Returns the fields of a signature with intervals."""
    return f"|intervals:percentile|bs:{resampling.resamples}|seed:{resampling.seed}"


def _drawn(rows: Sequence[Sequence[ScoreVectors]], resampling: Resampling) -> Iterator[list[dict[str, Floats]]]:
    """Yields for each metric the scores of each system in each resample; all outputs for an input are drawn together.

    Args:
        rows: For each metric, the outputs of each system.
        resampling: How to resample.
    """
    import numpy as np

    every_unit = dict.fromkeys(unit for row in rows for one in row for unit in one.inputs)
    units = {name: index for index, name in enumerate(every_unit)}
    for row in rows:
        matrices = [np.zeros((len(units), one.vectors.shape[1])) for one in row]
        for matrix, one in zip(matrices, row, strict=True):
            matrix[[units[unit] for unit in one.inputs]] = one.vectors
        sums = weighted_sums(bootstrap_weights(len(units), resampling), matrices, resampling.resamples)
        yield [one.scores_of(of) for one, of in zip(row, sums, strict=True)]


def autorank_comparison(
    every: Sequence[ScoredSystems], named: Sequence[str], settings: CompareSettings, clusters: Mapping[str, str] | None
) -> ScoreComparison:
    """Returns the AutoRank of systems, with percentile intervals: all metrics of an input are drawn together.

    Args:
        every: The scores.
        named: The metrics; none for all scores.
        settings: How to resample.
        clusters: Input to its cluster, if inputs are drawn in clusters.

    Raises:
        InputError: if a score has the name of the ranks, or no known direction.
        DataError: if a system has no score of a metric.
    """
    import numpy as np

    by_name, resampling = {score.name: score for score in every}, settings.resampling
    scores = [by_name[name] for name in _chosen(named, [*by_name], [*by_name])]
    systems = list(dict.fromkeys(system for score in scores for system in (*score.systems, *score.unscored)))
    for score in scores:
        if score.higher_is_better is None:
            needed = "AutoRank needs; name it in 'higher_is_better' or 'lower_is_better'"
            raise InputError(f"'{score.name}' has an unknown direction, which {needed}")
        missing = [system for system in systems if system not in score.systems]
        if missing:
            others = ", ".join(one.name for one in scores if missing[0] in one.systems)
            found = f"'{missing[0]}' has scores of {others}, but not of '{score.name}'"
            raise DataError(f"{found}; AutoRank needs all of them")
    vectors = [[score.systems[system].clustered(clusters) for system in systems] for score in scores]
    points, resampled = [], []
    for score, row, drawn in zip(scores, vectors, _drawn(vectors, resampling), strict=True):
        factor = score.scale * (-1.0 if score.higher_is_better is False else 1.0)
        points.append([factor * float(one.score()[score.name][0]) for one in row])
        resampled.append([factor * of_system[score.name] for of_system in drawn])
    values = _ranks(np.asarray(points))
    draws = _ranks(np.asarray(resampled).transpose(2, 0, 1))
    units = {unit for row in vectors for one in row for unit in one.inputs}
    compared = []
    for system, value, of_system in zip(systems, map(float, values), draws.T, strict=True):
        count = len(set[str]().union(*(score.systems[system].inputs for score in scores)))
        interval = percentile_interval(value, of_system, resampling.tail)
        compared.append(ComparedSystem(system, count, value, interval, len(units) if clusters else count, math.nan))
    how = _drawn_by(resampling) + ("" if settings.macro is None else f"|macro:{settings.macro}")
    signature = f"{AUTORANK}|metrics:{'+'.join(score.name for score in scores)}{how}|fw:{__version__}"
    humans = frozenset[str]().union(*(score.humans for score in scores))
    about = ScoredSystems(AUTORANK, {}, higher_is_better=False, signature=signature, humans=humans)
    return ScoreComparison(about, sorted(compared, key=lambda one: (math.isnan(one.score), one.score)), [], [])
