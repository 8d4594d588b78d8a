"""The plot of correlations: an SVG file with a panel for each level, and a row for each pair of scores."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.errors import InputError
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.reports.correlation_panels import PANEL_ORDER, panels_of
from metrics_framework.reports.svg import Panel, document

MAX_ROWS = 40


def correlation_plot(results: Sequence[Correlation], level: Level | None = None) -> str:
    """Returns an SVG file with a panel for each computed level; with several correlations, a row for each.

    Args:
        results: The correlations.
        level: The level to show, for all correlations side by side; by default all levels.

    Raises:
        InputError: if the level was not computed, or there are too many correlations.

    The same results always yield the same bytes. Colours follow the light or dark setting of the reader.
    """
    if len(results) > MAX_ROWS:
        raise InputError(f"a plot shows at most {MAX_ROWS} pairs of scores, got {len(results)}")
    shown = [one for one in PANEL_ORDER if one in results[0].levels and level in (None, one)]
    shown = [one for one in shown if _has_points(results[0], one)]
    if not shown:
        raise InputError(f"there is no plot of the {level or 'chosen'} level, because it was not computed")
    panels = [panel for result in results for panel in _titled(result, panels_of(result, shown), len(results))]
    return document(_title(results), _subtitle(results[0]), panels, len(shown) if level is None else 3)


def _has_points(result: Correlation, level: Level) -> bool:
    """Returns whether a level has something to draw: scores, or coefficients of groups."""
    return level in ("global", "system") or bool(result.levels[level].groups)


def _titled(result: Correlation, panels: list[Panel], pairs: int) -> list[Panel]:
    if pairs > 1:
        for panel in panels:
            panel.title = f"{result.metric1}: {panel.title[0].lower()}{panel.title[1:]}"
    return panels


def _title(results: Sequence[Correlation]) -> str:
    humans = list(dict.fromkeys(result.metric2 for result in results))
    if len(results) == 1:
        return f"{results[0].metric1} against {humans[0]}"
    return f"{counted(len(results), 'correlation')} with {', '.join(humans)}"


def _subtitle(result: Correlation) -> str:
    matrix = result.matrix
    return (
        f"{matrix.num_cells} outputs of {len(matrix.systems)} systems on {len(matrix.inputs)} inputs "
        f"(type: {result.summarizer_type}); bands: bootstrap of the fitted line over inputs (all outputs) or systems"
    )
