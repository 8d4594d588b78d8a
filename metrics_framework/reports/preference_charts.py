"""Charts of strengths and ranks with their intervals, as SVG."""

from __future__ import annotations

import math

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.prefer.result import Preferences, coefficient_records, system_records
from metrics_framework.reports.charts.forest import Group, Row, forest
from metrics_framework.reports.charts.ranks import Rank, rank_chart


def strength_chart(found: Preferences) -> str:
    """Draws the strengths of systems with their intervals, the strongest first."""
    rows = [
        Row(str(record["system"]), record["strength"], record["lower"], record["upper"])
        for record in system_records(found)
    ]
    is_natural = found.request.scale == "natural"
    mark, label = (math.nan, "") if is_natural else (1000.0, "mean")
    groups = [Group("systems", rows, mark, label)]
    quantity = "strength, log-odds" if is_natural else "strength, arena scale"
    return forest("Strengths of systems", _subtitle(found), groups, quantity, 3 if is_natural else 0)


def rank_chart_of(found: Preferences) -> str:
    """Draws the ranks of systems with their intervals, the strongest first."""
    ranks = [
        Rank(system, place, *found.ranks[system])
        for place, system in enumerate(found.systems, 1)
        if system in found.ranks
    ]
    return rank_chart("Ranks of systems", _subtitle(found), ranks)


def _subtitle(found: Preferences) -> str:
    votes = f"Bradley–Terry, {counted(found.votes, 'vote')}, {found.request.confidence:g} % intervals"
    covariates = [str(record["covariate"]) for record in coefficient_records(found)]
    return f"{votes}; equal {', '.join(covariates)}" if covariates else votes
