"""The scores of a report: their order, direction and digits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from metrics_framework.metrics.base.direction import direction_of, label_of
from metrics_framework.metrics.base.metric import CorpusMetric
from metrics_framework.reports.html.collected_scores import Scores
from metrics_framework.reports.html.model import Better, Role, ScoreColumn, System

ROLES: dict[str, Role] = {
    "compression_ratio": "compression",
    "levenshtein_similarity": "similarity",
    "sentence_splits": "splits",
    "exact_copies": "copies",
}


def columns_of(
    scores: Sequence[Scores],
    systems: Iterable[System],
    size: int,
    titles: Mapping[str, str],
    digits: int,
    signatures: Mapping[str, str],
    main: Collection[str] = (),
) -> list[ScoreColumn]:
    """Describes every score that at least one output has, in the order of the metrics.

    The main score has the name of the metric; without such a score, all scores of the metric are main scores.
    Only the main score of a metric has a known direction. Scores from files belong to the metric of a signature if
    their name is its label or begins with it.

    Args:
        scores: The scores.
        systems: The systems and baselines.
        size: The number of sentences.
        titles: Score name to its title on the page, where they differ.
        digits: The number of decimal places of numbers that are not integers.
        signatures: Label of a metric to its signature, from the score files.
        main: The main scores of metrics that return one of them, in order, each with the direction of the metric.
    """
    names = [system.name for system in systems]
    read = {source.label for source in scores if source.metric is None}
    signed = {label: signature for label, signature in signatures.items() if label in read}
    columns = [column for source in scores for column in _columns(source, names, size, digits, signed, main)]
    return [replace(column, title=titles.get(column.name, column.name)) for column in columns]


def _columns(
    scores: Scores,
    systems: Sequence[str],
    size: int,
    digits: int,
    signatures: Mapping[str, str],
    main: Collection[str],
) -> list[ScoreColumn]:
    whole: dict[str, bool] = {}
    whole_outputs: dict[str, bool] = {}
    for system in systems:
        for name, value in scores.of_system(system).items():
            whole[name] = whole.get(name, True) and _is_whole(value)
        for name, values in scores.of_outputs(system, size).items():
            whole_outputs[name] = whole_outputs.get(name, True) and all(map(_is_whole, values))
    label = scores.label if scores.metric is not None else label_of(scores.label, signatures)
    better = _better(scores, signatures.get(label))
    chosen = [name for name in main if name in whole]
    is_main = chosen or [name for name in whole if name == label] or (list(whole) if label == scores.label else [])
    return [
        ScoreColumn(
            name,
            name,
            label,
            name in is_main,
            better if name == label or name in chosen else None,
            "corpus" if scores.metric is not None and isinstance(scores.metric.metric, CorpusMetric) else "mean",
            0 if whole[name] else digits,
            0 if whole_outputs[name] else digits,
            ROLES.get(name),
        )
        for name in [*chosen, *(name for name in whole if name not in chosen)]
    ]


def _is_whole(value: object) -> bool:
    return value is None or isinstance(value, int)


def _better(scores: Scores, signature: str | None) -> Better | None:
    """Returns the direction of the main score of a metric; for scores from files, of the metric in their signature."""
    if scores.metric is not None:
        direction = scores.metric.metric.higher_is_better
    else:
        direction = None if signature is None else direction_of(signature)
    return None if direction is None else "higher" if direction else "lower"
