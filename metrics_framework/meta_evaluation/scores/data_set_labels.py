"""The data sets of outputs, to which rows without a label are assigned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.data.scored_output import name_of_output

MAX_DATA_SETS = 100
"""A column with more values is no partition of the data, but a text or a number."""


class DataSetLabels:
    """Finds the data set of rows without a label, among the data sets of labelled rows.

    A row belongs to the data set of its output, or to that of its input if it names no system.

    Args:
        column: The column of data sets.
        labelled: The output and the data set of each labelled row; the system is empty if a row has none.
        labelled_paths: The files that have labels.
        problems: Collects rows that may belong to several data sets.
    """

    def __init__(
        self,
        column: str,
        labelled: Iterable[tuple[tuple[str, str], str]],
        labelled_paths: Iterable[str],
        problems: Problems,
    ) -> None:
        self._column = column
        self._paths = {*labelled_paths}
        self._problems = problems
        self._reported: set[str] = set()
        self._label_of: dict[tuple[str, str], str] = {}
        self._several: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for output, label in labelled:
            for unit in (output, (output[0], "")):
                first = self._label_of.setdefault(unit, label)
                if first != label:
                    self._several[unit] |= {first, label}

    def find(self, unit: tuple[str, str], path: str, line: int) -> str | None:
        """Returns the data set of a row without a label; `None` if it is unknown, or ambiguous, which is a problem.

        Args:
            unit: Its input and system; the system is empty if it names none.
            path: The file.
            line: The line.
        """
        labels = self._several.get(unit)
        if labels is None:
            return self._label_of.get(unit)
        among = f"{name_of_output(unit)} is in several data sets ({', '.join(map(repr, sorted(labels)))})"
        if path in self._paths:
            self._problems.add(DataError(f"'{self._column}' is missing, and {among}; add it", path, line))
        elif path not in self._reported:  # once for each file
            self._reported.add(path)
            message = f"has no column '{self._column}', and {among}; add the column to this file"
            self._problems.add(DataError(message, path, line))
        return None


def sorted_labels(column: str, labels: Iterable[str]) -> list[str]:
    """Returns the different labels of a column, sorted.

    Raises:
        UsageError: if there are none, or too many.
    """
    found = sorted({*labels})
    if not found:
        raise UsageError(f"no output has a value in the column '{column}'")
    if len(found) > MAX_DATA_SETS:
        raise UsageError(
            f"the column '{column}' has {len(found)} different values; use one with at most {MAX_DATA_SETS}"
        )
    return found
