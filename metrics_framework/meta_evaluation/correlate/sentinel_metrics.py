"""Sentinels: scores that know nothing about quality, which a metric must beat.

A metric that agrees with people no better than the length of the output, its similarity to the source, or a property
of the source alone has not been shown to measure quality.

Source: Perrella et al. (ACL 2024), "Guardians of the Machine Translation Meta-Evaluation: Sentinel Metrics Fall In!".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.data.fields import OTHER_NAMES, column_of
from metrics_framework.data.texts import as_string, is_text
from metrics_framework.meta_evaluation.scores.long_rows import LongRow

Unit: TypeAlias = "tuple[str, str]"

LENGTH, COPY, CONSTANT = "sentinel-length", "sentinel-copy", "sentinel-constant"
SENTINELS: Mapping[str, str] = {
    LENGTH: "number of words of the output",
    COPY: "similarity of the output to the source, 100 minus TER",
    CONSTANT: "number of words of the source, the same for all outputs of an input",
}
"""Name of a sentinel to what it is."""


def sentinel_scores(rows: Iterable[LongRow]) -> dict[str, dict[Unit, float]]:
    """Computes the sentinels for which rows have texts.

    Args:
        rows: The rows of all files.

    Returns:
        Sentinel to the score of each output; without `COPY` and `CONSTANT` if there are no sources.

    Raises:
        UsageError: if no row has the text of an output.
        DataError: if an output has two texts, in two rows or two columns.
    """
    summaries: dict[Unit, str] = {}
    sources: dict[Unit, str] = {}
    for row in rows:
        for texts, field in ((summaries, "summary"), (sources, "source")):
            text = _text(row, field)
            if text is not None and texts.setdefault(row.unit, text) != text:
                raise DataError(f"'{field}' of {row.output_name} differs from that in another row", row.path, row.line)
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


def _text(row: LongRow, field: str) -> str | None:
    texts: dict[str, str] = {}
    for name in (field, f"{field}_text", *OTHER_NAMES[field]):
        value = row.cells.get(name)
        if isinstance(value, Mapping):
            value = value.get("text")
        if value is not None and is_text(value):
            texts[name] = as_string(value)
    try:
        column = column_of(texts, [*texts])
    except DataError as problem:
        raise DataError(problem.message, row.path, row.line) from None
    return None if column is None else texts[column]


def _similarities(summaries: Mapping[Unit, str], sources: Mapping[Unit, str]) -> dict[Unit, float]:
    from metrics_framework.metrics.ter import Ter

    units: Sequence[Unit] = [unit for unit in summaries if unit in sources]
    scores = Ter().score_all([summaries[unit] for unit in units], [[sources[unit]] for unit in units])
    return {unit: 100 - float(score["ter"]) for unit, score in zip(units, scores, strict=True)}
