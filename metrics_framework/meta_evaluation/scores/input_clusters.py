"""The clusters of inputs, such as their documents, from a column of a long table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from metrics_framework.common.errors import InputError
from metrics_framework.data.scored_output import INSTANCE_NAMES
from metrics_framework.meta_evaluation.scores.long_tables import LongTables


def input_clusters(tables: LongTables, column: str | None, instances: Iterable[str]) -> list[Hashable] | None:
    """Returns the cluster of each input; the column of inputs makes each input a cluster.

    Args:
        tables: The rows.
        column: The column of clusters; `None` for no clusters.
        instances: The ids of the inputs.

    Raises:
        InputError: if an input has no cluster.
        DataError: if rows of one input differ.
        UnknownNameError: if there is no column of the name.
    """
    if column is None:
        return None
    if column in INSTANCE_NAMES:
        return list(instances)
    clusters = tables.texts_of_inputs(column)
    found: list[Hashable] = []
    for instance in instances:
        if instance not in clusters:
            raise InputError(f"'{column}' must name the cluster of every input, but instance '{instance}' has none")
        found.append(clusters[instance])
    return found
