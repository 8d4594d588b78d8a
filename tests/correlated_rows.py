"""Correlates rows of scores without files."""

from __future__ import annotations

from metrics_framework.common.errors import ListName
from metrics_framework.meta_evaluation.correlate.correlation import correlate_pair
from metrics_framework.meta_evaluation.correlate.data import Provenance
from metrics_framework.meta_evaluation.correlate.request import (
    DEFAULT_COEFFICIENTS,
    DEFAULT_LEVELS,
    CorrelateRequest,
)
from metrics_framework.meta_evaluation.scores.long_rows import ScoresInMemory
from metrics_framework.meta_evaluation.scores.score_columns import select_columns
from metrics_framework.meta_evaluation.scores.score_files import read_score_files


def correlate(
    rows,
    metric1,
    metric2,
    *,
    summarizer_type="peer",
    ci_method="default",
    confidence=95.0,
    two_tailed=True,
    resamples=1000,
    seed=0,
    levels=DEFAULT_LEVELS,
    coefficients=DEFAULT_COEFFICIENTS,
    signatures=None,
    directions=None,
    hints=None,
    missing=None,
):
    """Correlates two scores of rows."""
    request = CorrelateRequest(
        [(metric1, metric2)],
        coefficients,
        levels,
        ci_method,
        confidence,
        two_tailed,
        resamples,
        seed,
    )
    files = read_score_files([ScoresInMemory(ListName("rows"), rows=list(rows))])
    columns = select_columns(files.scores, (metric1, metric2), summarizer_type, hints, signatures or {})
    provenance = Provenance(signatures or {}, directions or {}, missing or {})
    return correlate_pair(columns, (metric1, metric2), request, provenance)
