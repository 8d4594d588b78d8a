"""Scores of outputs for `compare`: read from score files, tables and rows, one mean per system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.api.option_types import Scores
from metrics_framework.api.score_sources import sources_of
from metrics_framework.common.errors import DataError, Problems, UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.data.fields import Duplicates, with_standard_names
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.dataset_readers.rows import parsed_instance_id, read_rows
from metrics_framework.evaluation.score_comparison import ScoredSystems, add_cluster, scored_systems, taken_as_higher
from metrics_framework.metrics.base.direction import ScoreFacts, facts_of
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.significance.score_vectors import ScoreVectors

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.scores.long_rows import ScoresInMemory
    from metrics_framework.meta_evaluation.scores.score_files import ScoreFiles


def read_scores(
    scores: Scores,
    names: Sequence[str],
    lower_is_better: Sequence[str],
    duplicates: Duplicates,
    log: Log,
    cluster: str | None = None,
) -> list[ScoredSystems]:
    """Reads scores of outputs; the score of a system is the mean over its outputs.

    Args:
        scores: Files, rows, tables or results.
        names: The flat names of the scores; by default the main scores of metrics, and all ratings.
        lower_is_better: The scores for which lower is better, besides those of registered metrics.
        duplicates: What to do with several rows for one output.
        log: Receives warnings and notes.
        cluster: The column of the clusters, which is no score unless it is named.

    Raises:
        DataError: if a file is invalid or has no scores.
        UnknownNameError: if there is no score of a name.
    """
    from metrics_framework.meta_evaluation.scores.score_columns import Components
    from metrics_framework.meta_evaluation.scores.score_files import read_score_files

    files = read_score_files(sources_of(scores)[0], duplicates)
    problems = Problems()
    for path, why in files.without_scores.items():
        problems.add(DataError(f"contains no scores. {why}", path))
    problems.raise_any()
    for warning in (*files.warnings, *(column.warning(column.path) for column in files.dropped)):
        log.warn(warning)
    components = Components(files.signatures)
    known = _known_names(files.rows, components)
    for name in (*names, *lower_is_better):
        if name not in known:
            raise UnknownNameError("score", name, list(known), files.hints.get(name, ""))
    chosen = list(names) or [name for name in _main_scores(known, files) if name != cluster]
    scored = []
    for name in dict.fromkeys(chosen):
        facts = facts_of(name, files.signatures, known)
        scored.append(_scored(name, files, components, facts, name in lower_is_better, log))
    return scored


def _known_names(rows: Iterable[MetricsRow], components: Any) -> dict[str, None]:
    """Returns the names of all scores that are numbers or lists of ratings."""
    known: dict[str, None] = {}
    seen: set[str] = set()
    for row in rows:
        for name, value in row.metrics.items():
            if name not in seen:
                seen.add(name)
                known.update(dict.fromkeys(components.names(name, value) or [name]))
    return known


def _main_scores(known: Iterable[str], files: ScoreFiles) -> list[str]:
    """Returns the scores that are not components of a metric: ``sari_add`` is one if ``sari`` is a score."""
    labels = {*files.signatures, *Metric.registry().names(aliases=True)}
    known = list(known)
    return [
        name
        for name in known
        if not any(name.startswith(f"{label}_") and label in known for label in labels if label != name)
    ]


def _scored(
    name: str, files: ScoreFiles, components: Any, facts: ScoreFacts, lower_is_better: bool, log: Log
) -> ScoredSystems:
    from metrics_framework.meta_evaluation.scores.score_columns import as_number

    ids: dict[str, list[str]] = {}
    values: dict[str, list[dict[str, float]]] = {}
    for row in files.rows:
        if name in row.metrics or name.rpartition("_")[0] in row.metrics:
            ids.setdefault(row.summarizer_id, []).append(row.instance_id)
            score = as_number(components.value(row.metrics, name))
            values.setdefault(row.summarizer_id, []).append({name: score})
    systems = {system: ScoreVectors.of_scores(ids[system], values[system]) for system in ids}
    return scored_systems(
        name,
        systems,
        name,
        higher_is_better=taken_as_higher(name, False if lower_is_better else facts.higher_is_better, log),
        is_ratio=facts.is_ratio,
        signature=files.signatures.get(name.removesuffix("_jk")),
    )


def clusters_of_scores(scores: Scores, name: str) -> dict[str, str]:
    """Reads the cluster of each input from a column of files or tables of scores.

    Args:
        scores: The files, rows or tables.
        name: The name of the column.

    Raises:
        DataError: if no file has the column, or an input has two clusters.
    """
    clusters: dict[str, str] = {}
    problems = Problems()
    for source in sources_of(scores)[0]:
        for path, line, row in _rows(source, problems):
            if row.get(name) in (None, ""):
                continue
            try:
                add_cluster(clusters, name, parsed_instance_id(with_standard_names(row)), row[name], path, line)
            except DataError as problem:
                problems.add(problem if problem.path else DataError(problem.message, path, line))
    problems.raise_any()
    return clusters


def _rows(source: str | ScoresInMemory, problems: Problems) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    if isinstance(source, str):
        for line, row in read_rows(source, problems):
            yield source, line, row
    else:
        for line, cells in source.cells:
            yield source.name, line, cells
