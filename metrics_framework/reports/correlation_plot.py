"""The plot of correlations: an SVG file with a panel for each level, and a row for each pair of scores."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.errors import InputError, counted
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.reports.correlation_panels import PANEL_ORDER, panels_of
from metrics_framework.reports.svg import Panel, document, shortened

MAX_ROWS = 40
MAX_NAME = 36
MAX_SIZES = 3
"""Of more different data sets only their number is stated."""


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
    panels = [panel for result in results for panel in _titled(result, panels_of(result, shown), results)]
    return document(_title(results), _subtitle(results), panels, len(shown) if level is None else 3)


def _has_points(result: Correlation, level: Level) -> bool:
    """Returns whether a level has something to draw: scores, or coefficients of groups."""
    return level in ("global", "system") or bool(result.levels[level].groups)


def _titled(result: Correlation, panels: list[Panel], results: Sequence[Correlation]) -> list[Panel]:
    """Names in the title of each panel what distinguishes its correlation from the others."""
    parts = [result.metric1] if len(results) > 1 else []
    if len({one.metric2 for one in results}) > 1:
        parts.append(f"against {result.metric2}")
    name = ", ".join(filter(None, [" ".join(parts), result.data_set if len(results) > 1 else ""]))
    for panel in panels if name else ():
        panel.title = f"{shortened(name, MAX_NAME)}: {panel.title[0].lower()}{panel.title[1:]}"
    return panels


def _title(results: Sequence[Correlation]) -> str:
    humans = list(dict.fromkeys(result.metric2 for result in results))
    if len(results) == 1:
        return f"{results[0].metric1} against {humans[0]}"
    return f"{counted(len(results), 'correlation')} with {', '.join(humans)}"


def _subtitle(results: Sequence[Correlation]) -> str:
    sizes = list(dict.fromkeys(map(_size, results)))
    size = "; ".join(sizes) if len(sizes) <= MAX_SIZES else f"{len(sizes)} different sets of outputs"
    units = "inputs" if results[0].request.clusters is None else "clusters of inputs"
    of_type = f"(type: {results[0].summarizer_type})"
    return f"{size} {of_type}; bands: bootstrap of the fitted line over {units} (all outputs) or systems"


def _size(result: Correlation) -> str:
    matrix = result.matrix
    data_set = f"{result.data_set}: " if result.data_set else ""
    return f"{data_set}{matrix.num_cells} outputs of {len(matrix.systems)} systems on {len(matrix.inputs)} inputs"
