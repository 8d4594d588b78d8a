"""`load_test_set`: reads the texts of a test set in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, InputError, Problems
from metrics_framework.data.fields import check_field, with_standard_names
from metrics_framework.data.identity import parse_id
from metrics_framework.data.texts import Text, shown
from metrics_framework.datasets.locations import find_test_set
from metrics_framework.io.jsonl import read_jsonl


class ParallelTexts(NamedTuple):
    """The texts of a test set; item n of each list belongs to instance n.

    Attributes:
        instance_ids: The ids of the instances.
        sources: The sources.
        references_list: The references of each instance, empty if the test set has none.
    """

    instance_ids: list[str]
    sources: list[Text]
    references_list: list[list[Text]]

    @property
    def references(self) -> list[list[Text]]:
        """The same as ``references_list``, under the name that `evaluate` gives it."""
        return self.references_list


def load_test_set(name_or_path: str) -> ParallelTexts:
    """Reads the sources and references of a test set.

    Args:
        name_or_path: A test set that ``fw setup dataset`` has set up (``fw list datasets`` shows them), or a JSONL file
            of rows with ``instance_id``, ``source`` and ``references``.

    Raises:
        UnknownNameError: if there is no test set with this name.
        DataError: if the test set is not set up, or rows are invalid.
    """
    path = find_test_set(name_or_path)
    texts, problems = ParallelTexts([], [], []), Problems()
    for line, row in read_jsonl(path, problems):
        try:
            _add(texts, with_standard_names(row))
        except (DataError, InputError) as problem:
            problems.add(DataError(str(problem), path, line))
    problems.raise_any()
    return texts


def _add(texts: ParallelTexts, row: Mapping[str, Any]) -> None:
    for name in ("instance_id", "source"):
        if name not in row:
            raise DataError(f"'{name}' is missing; a row of a test set has 'instance_id', 'source' and 'references'")
    if "summary" in row:
        raise DataError("a test set must have no outputs ('summary'); read them with load_reader('default')")
    given = row.get("references", [])
    if not isinstance(given, list):
        raise DataError(f"'references' must be a list of texts, got {shown(given)}")
    source, references = _text(row["source"]), [_text(reference) for reference in given]
    check_field("source", source)
    if references:
        check_field("references", references)
    texts.instance_ids.append(parse_id(row["instance_id"], "instance_id"))
    texts.sources.append(source)
    texts.references_list.append(references)


def _text(value: Any) -> Any:
    return value["text"] if isinstance(value, dict) and "text" in value else value
