"""Correlates rows of scores without files, and requests of `correlate` without scores."""

from __future__ import annotations

from typing import Any

import metrics_framework as fw
from metrics_framework.common.options import checked_arguments, options_of_function
from metrics_framework.inputs.rating_rows import RatingsInMemory
from metrics_framework.inputs.score_files import read_score_files
from metrics_framework.inputs.score_matrices import ScoreSelection, select_columns
from metrics_framework.meta_evaluation.correlate.correlation import correlate_pair
from metrics_framework.meta_evaluation.correlate.data import Provenance
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest, Pair
from metrics_framework.metrics.base.direction import known_metrics


def request_of(*pairs: Pair, **options: Any) -> CorrelateRequest:
    """Returns the request of pairs of scores."""
    given = {option.name: option.default for option in options_of_function(fw.correlate)}
    given |= {"scores": [], "metrics": [], **options}
    return CorrelateRequest.of(checked_arguments(fw.correlate, given), pairs=pairs)


def correlate(
    rows,
    metric1,
    metric2,
    *,
    summarizer_type="peer",
    signatures=None,
    directions=None,
    missing=None,
    **options,
):
    """Correlates two scores of rows."""
    request = request_of((metric1, metric2), summarizer_type=summarizer_type, **options)
    files = read_score_files([RatingsInMemory("rows", [row.as_json() for row in rows])], metrics=known_metrics())
    scores = ScoreSelection(files.scores.table, labels=files.labels.union(signatures or ()))
    columns = select_columns(scores, (metric1, metric2), summarizer_type)
    provenance = Provenance(signatures or {}, directions or {}, missing or {})
    return correlate_pair(columns, (metric1, metric2), request, provenance)
