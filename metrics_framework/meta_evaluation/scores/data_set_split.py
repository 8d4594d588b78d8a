"""Splits the rows of score files by data set, after rows without a label are assigned to a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import numpy as np

from metrics_framework.common.arrays import Bools
from metrics_framework.common.errors import Problems
from metrics_framework.meta_evaluation.scores.data_set_labels import DataSetLabels, sorted_labels
from metrics_framework.meta_evaluation.scores.row_merging import RowMerging
from metrics_framework.meta_evaluation.scores.score_files import ScoreFiles
from metrics_framework.meta_evaluation.scores.score_selection import ScoreSelection
from metrics_framework.meta_evaluation.scores.score_table import ScoreTable


def split_by_data_set(
    files: ScoreFiles, column: str, known: Iterable[tuple[tuple[str, str], str]] = ()
) -> tuple[dict[str, ScoreFiles], list[tuple[str, str]]]:
    """Returns the rows of each data set, by its label, and the outputs whose data set is unknown.

    Args:
        files: The rows, read with a column of data sets.
        column: The column.
        known: Further outputs whose data set is known.

    Raises:
        DataError: if a row without a label may belong to several data sets, or contradicts another row.
        UsageError: if there are too many data sets.
    """
    problems, table = Problems(), files.scores.table
    joined = _assign_unlabelled(table, column, known, problems)
    if joined.any():
        merging = RowMerging(table, problems)
        for block in table.blocks:
            merging.check(block, joined)
        merging.check_names()
    problems.raise_any()
    data_sets = np.asarray(table.data_set_of)
    labels = {str(label): number for number, label in enumerate(table.data_sets.names) if number}
    parts = {
        label: _part(files, label, ScoreSelection(table, np.flatnonzero(data_sets == labels[label])))
        for label in (sorted_labels(column, labels) if labels else ())
    }
    return parts, [table.unit(output) for output in np.flatnonzero(data_sets == 0).tolist()]


def _assign_unlabelled(
    table: ScoreTable, column: str, known: Iterable[tuple[tuple[str, str], str]], problems: Problems
) -> Bools:
    """Assigns rows without a label; returns which outputs have such rows besides rows with a label."""
    data_sets = np.asarray(table.data_set_of)
    unlabelled = np.flatnonzero(data_sets == 0).tolist()
    assigned: dict[int, str] = {}
    if unlabelled:
        outputs = np.flatnonzero(data_sets > 0).tolist()
        labelled = ((table.unit(output), str(table.data_sets.names[data_sets[output]])) for output in outputs)
        paths = {block.path for block in table.blocks if (data_sets[block.used_outputs()] > 0).any()}
        labels = DataSetLabels(column, chain(labelled, known), paths, problems)
        first = table.first_lines()
        found = ((output, labels.find(table.unit(output), *first[output])) for output in unlabelled)
        assigned = {output: label for output, label in found if label is not None}
    return table.assign(assigned)


def _part(files: ScoreFiles, label: str, scores: ScoreSelection) -> ScoreFiles:
    """Returns a data set, with the missing values and the similar names of its rows."""
    missing: dict[str, Counter[str]] = {name: Counter() for name in files.missing}
    for (data_set, *unit), values in files.missing_in.items():
        if data_set == label or (data_set is None and tuple(unit) in scores.units):
            for name, spelling in values:
                missing[name][spelling] += 1
    return replace(files, scores=scores, missing=missing, warnings=[*files.warnings, *scores.similar_names()])
