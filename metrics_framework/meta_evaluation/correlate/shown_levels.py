"""Which levels of a study are shown to people: those that were asked for, else the one that the data support best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.metric_pairs import level_warnings
from metrics_framework.meta_evaluation.correlate.result import Correlation, LevelResult
from metrics_framework.meta_evaluation.correlate.sentinel_metrics import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.intervals.cautions import ENOUGH_RANKED_SYSTEMS
from metrics_framework.meta_evaluation.levels import Level


def best_supported(results: Sequence[Correlation], levels: Sequence[Level]) -> Level:
    """Returns the level, of some levels, that the data support best.

    That is ``input`` if most inputs have three systems or more, because with two systems every coefficient is ±1; else
    ``system`` if there are ten systems or more; else ``global``.

    Args:
        results: The correlations; each of them must support the level, unless it is undefined there.
        levels: One or more levels, which all correlations have.
    """
    used = [found for result in results if "input" in levels and (found := result.levels["input"]).points]
    if used and all(map(_is_mostly_of_three, used)):
        return "input"
    if "system" in levels and all(len(result.matrix.systems) >= ENOUGH_RANKED_SYSTEMS for result in results):
        return "system"
    return "global" if "global" in levels else levels[0]


def _is_mostly_of_three(level: LevelResult) -> bool:
    return bool(2 * level.details["group_sizes"].get("2", 0) <= level.points)


def main_level(study: Study, coefficient: str) -> Level:
    """Returns the level, of those that were computed for a coefficient, that the data support best."""
    request = study.request
    levels = [level for level in request.levels if coefficient in {one.name for one in request.coefficients_at(level)}]
    metrics = [one for one in study.correlations if one.metric1 not in SENTINELS]
    return best_supported(metrics or study.correlations, levels)


def shown_levels(study: Study) -> list[Level]:
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


def as_shown(study: Study) -> Study:
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
    of_levels, remaining = level_warnings(result, result.levels), level_warnings(result, kept)
    warnings = [one for one in result.warnings if one not in of_levels or one in remaining]
    return replace(result, levels=kept, warnings=warnings)
