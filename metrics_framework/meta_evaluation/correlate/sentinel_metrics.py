"""Sentinels: scores that know nothing about quality, which a metric must beat.

A metric that agrees with people no better than the length of the output, its similarity to the source, or a property
of the source alone has not been shown to measure quality.

Source: Perrella et al. (ACL 2024), "Guardians of the Machine Translation Meta-Evaluation: Sentinel Metrics Fall In!".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.common.errors import UsageError
from metrics_framework.data.field_names import OTHER_NAMES
from metrics_framework.data.texts import as_string, is_text

Unit: TypeAlias = "tuple[str, str]"

LENGTH, COPY, CONSTANT = "sentinel-length", "sentinel-copy", "sentinel-constant"
SENTINELS: Mapping[str, str] = {
    LENGTH: "number of words of the output",
    COPY: "similarity of the output to the source, 100 minus TER",
    CONSTANT: "number of words of the source, the same for all outputs of an input",
}
"""Name of a sentinel to what it is."""


def sentinel_scores(rows: Iterable[tuple[Unit, Mapping[str, Any]]]) -> dict[str, dict[Unit, float]]:
    """Computes the sentinels for which rows have texts.

    Args:
        rows: Instance and summarizer of each row, and its cells.

    Returns:
        Sentinel to the score of each output; without `COPY` and `CONSTANT` if there are no sources.

    Raises:
        UsageError: if no row has the text of an output.
    """
    summaries: dict[Unit, str] = {}
    sources: dict[Unit, str] = {}
    for unit, cells in rows:
        for texts, field in ((summaries, "summary"), (sources, "source")):
            text = _text(cells, field)
            if text is not None:
                texts.setdefault(unit, text)
    if not summaries:
        raise UsageError(
            "sentinels need the texts of outputs and sources; name the input of fw score with --texts, or use a table "
            "with columns such as 'summary' and 'source', or simp_sent and orig_sent"
        )
    scores = {LENGTH: {unit: float(len(text.split())) for unit, text in summaries.items()}}
    if sources:
        scores[COPY] = _similarities(summaries, sources)
        scores[CONSTANT] = {unit: float(len(text.split())) for unit, text in sources.items()}
    return scores


def _text(cells: Mapping[str, Any], field: str) -> str | None:
    for name in (field, f"{field}_text", *OTHER_NAMES[field]):
        value = cells.get(name)
        if isinstance(value, Mapping):
            value = value.get("text")
        if value is not None and is_text(value):
            return as_string(value)
    return None


def _similarities(summaries: Mapping[Unit, str], sources: Mapping[Unit, str]) -> dict[Unit, float]:
    from metrics_framework.metrics.ter import Ter

    units: Sequence[Unit] = [unit for unit in summaries if unit in sources]
    scores = Ter().score_all([summaries[unit] for unit in units], [[sources[unit]] for unit in units])
    return {unit: 100 - float(score["ter"]) for unit, score in zip(units, scores, strict=True)}
