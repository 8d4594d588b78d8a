"""Curves, such as an accuracy against the largest difference that counts as a tie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from metrics_framework.reports.svg import Axis, Panel, text

MAX_VERTICES = 600


def step_curve(
    title: str,
    caption: str,
    axes: tuple[str, str],
    points: Sequence[tuple[float, float]],
    chosen: tuple[float, float],
) -> Panel:
    """Draws a step curve, and marks one of its points.

    Args:
        title: The heading of the panel.
        caption: The line below it.
        axes: The titles of the axes.
        points: The points, in the order of x; at most 600 of them are drawn, the marked one always.
        chosen: The point that is marked.
    """
    every = max(1, len(points) // MAX_VERTICES)
    drawn = sorted({*points[::every], *points[-1:], chosen})
    panel = Panel(
        title,
        caption,
        Axis.around([x for x, _ in drawn], axes[0]),
        Axis.around([y for _, y in drawn], axes[1]),
    )
    steps = [(drawn[0][0], drawn[0][1])]
    for (_, before), (x, y) in pairwise(drawn):
        steps += [(x, before), (x, y)]
    panel.marks.append(polyline(panel, steps))
    panel.marks.append(panel.circle(*chosen, 4.5, "point", f"{chosen[1]:.4f} at {chosen[0]:.6g}"))
    left, top = panel.position(*chosen)
    panel.marks.append(text(left + 8, top - 8, f"{chosen[0]:.4g}", "name"))
    return panel


def polyline(panel: Panel, points: Sequence[tuple[float, float]], kind: str = "curve") -> str:
    """Draws a line through points.

    Args:
        panel: The panel.
        points: The points, in the order of x.
        kind: The class of the line.
    """
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (panel.position(*point) for point in points))
    fill = "" if kind == "curve" else ' fill="none"'  # which the style of curves has
    return f'<polyline class="{kind}"{fill} points="{path}"/>'
