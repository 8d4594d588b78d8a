"""Test sets on disk: where they were set up, whether they have changed, and their texts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, MissingExtraError, Problems, UnknownNameError, UsageError
from metrics_framework.data.texts import Text
from metrics_framework.datasets.catalogue import REFERENCE_FIELDS, catalogued_part, catalogued_parts, language_pair_of
from metrics_framework.datasets.dataset import Dataset, Part, find_part, is_name
from metrics_framework.inputs.row_view import standard_row
from metrics_framework.inputs.rows import parsed_instance_id, text
from metrics_framework.inputs.rows import texts as texts_of
from metrics_framework.io.content import digest_of
from metrics_framework.io.disk_cache import home
from metrics_framework.io.jsonl import read_jsonl, to_line
from metrics_framework.io.reading import STANDARD, uncompressed_name
from metrics_framework.io.writing import open_for_writing, output_files

DATA_HOME_VARIABLE = "FW_DATA"
NOT_REREADABLE = "cannot read a test set from {}, which can be read only once; use its name or a JSONL file"


def data_home() -> str:
    """Returns the default folder of data sets.

    It is ``FW_DATA``, else ``$XDG_DATA_HOME/metrics_framework``, else ``~/.local/share/metrics_framework``.
    """
    return home(DATA_HOME_VARIABLE, "XDG_DATA_HOME", os.path.join("~", ".local", "share"))


def default_folder(dataset: Dataset) -> str:
    """Returns the folder of a data set in the data home."""
    return os.path.join(data_home(), dataset.registered_name)


def path_in(folder: str, part: Part) -> str:
    """Returns the file of a part in a folder."""
    return os.path.join(folder, f"{part.name}.jsonl")


def path_of(dataset: Dataset, part: Part) -> str:
    """Returns the file of a part, which need not exist: where it was last set up, else in the data home.

    Raises:
        DataError: if the record of its location is damaged.
    """
    record = _record(dataset, part)
    if not os.path.exists(record):
        return path_in(default_folder(dataset), part)
    with open(record, encoding="utf-8") as stream:
        try:
            return str(json.load(stream))
        except ValueError:
            raise DataError("must contain a path; delete this file and set the data set up again", record) from None


def record_path(dataset: Dataset, part: Part, path: str) -> None:
    """Records the location of a part in the data home.

    Raises:
        UsageError: if the data home cannot be written to.
    """
    record = _record(dataset, part)
    if os.path.abspath(path) != path_in(default_folder(dataset), part):
        with open_for_writing(record) as stream:
            stream.write(json.dumps(os.path.abspath(path)) + "\n")  # a path need not be valid UTF-8
        return
    with suppress(FileNotFoundError):
        os.unlink(record)


def licence_of(name_or_path: str) -> str | None:
    """Returns the licence of a named test set, `None` for a file."""
    if _is_path(name_or_path) or language_pair_of(name_or_path):
        return None
    return find_part(name_or_path)[0].manifest.licence


def find_test_set(name_or_path: str) -> str:
    """Returns the file of a test set.

    Args:
        name_or_path: The name of a test set that was set up, or a JSONL file.

    Raises:
        UnknownNameError: if there is no test set with this name.
        UsageError: if it is ``-``: standard input can be read only once.
        DataError: if it is not set up, or its file is missing or has changed.
    """
    if name_or_path == STANDARD:
        raise UsageError(NOT_REREADABLE.format("standard input"))
    if _is_path(name_or_path):
        return name_or_path
    catalogued = language_pair_of(name_or_path) is not None
    dataset, part = catalogued_part(name_or_path) if catalogued else find_part(name_or_path)
    path = path_of(dataset, part)
    if os.path.isfile(path):
        if is_changed(path):
            raise DataError(
                f"'{part.name}' has changed since it was set up: {path} does not have the SHA-256 in {path}.sha256; "
                f"set it up again with fw setup dataset {part.name} --force, or use --dataset {path} for the file as "
                f"it is"
            )
        return path
    command = f"fw setup dataset {part.name}"
    if os.path.exists(_record(dataset, part)):
        raise DataError(
            f"'{part.name}' was set up as {path}, which no longer exists; restore it, or set it up again: {command}"
        )
    if catalogued:
        with suppress(MissingExtraError):  # without sacreBLEU, fw setup dataset asks for it
            catalogued_parts(name_or_path, None)
    raise DataError(f"'{part.name}' is not set up ({path} does not exist); set it up with: {command}")


def _is_path(name_or_path: str) -> bool:
    """Returns whether an argument is a path: it looks like one, or is a file and cannot be a data set's name."""
    if language_pair_of(name_or_path) is not None:
        return os.path.isfile(name_or_path)
    if "/" in name_or_path or os.sep in name_or_path or uncompressed_name(name_or_path).endswith(".jsonl"):
        return True
    return not is_name(name_or_path) and os.path.isfile(name_or_path)


def _record(dataset: Dataset, part: Part) -> str:
    return os.path.join(default_folder(dataset), f"{part.name}.place")


def sum_path(path: str) -> str:
    """Returns the file that contains the sum of a test set; ``sha256sum -c`` reads it too."""
    return f"{path}.sha256"


def write_rows(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes the rows of a test set, and their sum.

    Raises:
        UsageError: if the files cannot be written.
        OSError: if the disk is full; it names the path.
    """
    digest = hashlib.sha256()
    with output_files() as files:
        stream = files.open(path)
        for row in rows:
            line = to_line(row)
            digest.update(line.encode("utf-8"))
            stream.write(line)
        name = path.replace("\\", "/").rpartition("/")[2]
        files.open(sum_path(path)).write(f"{digest.hexdigest()}  {name}\n")


def is_changed(path: str) -> bool:
    """Returns whether a test set differs from what was set up; False if its sum was not kept."""
    try:
        with open(sum_path(path), encoding="utf-8") as stream:
            expected = stream.read(64)
    except OSError:  # it was set up by an earlier version
        return False
    try:
        return digest_of(path) != expected
    except DataError:
        return True


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
    for line, given in read_jsonl(path, problems):
        with problems.at(path, line):
            row = standard_row(given)
            if "summary" in row:
                raise DataError("a test set must have no outputs ('summary'); read them with load_reader('default')")
            texts.instance_ids.append(parsed_instance_id(row))
            texts.sources.append(text(row, "source"))
            has_references = row.get("references") or row.get("reference") is not None
            texts.references_list.append(texts_of(row, "references", "reference") if has_references else [])
    problems.raise_any()
    return texts


ALL = "all"


def lines_of(path: str, fields: Sequence[str]) -> Iterator[str]:
    """Yields the fields of each row of a test set, separated by tabs.

    Args:
        path: The test set.
        fields: ``src`` for the source, ``ref`` for the first reference, ``ref:0``, ``ref:1``, … or the names of the
            references, the keys of ``metadata``; ``all`` for all fields.

    Raises:
        UnknownNameError: if a row does not have a field.
        DataError: if the test set cannot be read.
    """
    problems = Problems()
    for _, row in read_jsonl(path, problems):
        texts = _texts(standard_row(row))
        shown = _listed(texts) if list(fields) == [ALL] else list(fields)
        for field in shown:
            if field not in texts:
                raise UnknownNameError(f"field of {path}", field, _listed(texts))
        yield "\t".join(texts[field] for field in shown)
    problems.raise_any()


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    """Returns the texts of a row by field; a reference has a number, and a name if the row states it."""
    metadata = dict(row.get("metadata", {}))
    names = metadata.pop(REFERENCE_FIELDS, [])
    references = [str(text) for text in row.get("references", [])]
    numbered = {f"ref:{number}": text for number, text in enumerate(references)}
    named = dict(zip(names, references, strict=False))
    first = {"ref": references[0]} if references else {}
    texts = {"src": str(row.get("source", "")), **first, **numbered, **named, **metadata}
    return {field: " ".join(str(text).split()) if field in metadata else str(text) for field, text in texts.items()}


def _listed(texts: Mapping[str, str]) -> list[str]:
    """Returns the fields without those that repeat a named reference."""
    named = any(field.startswith("ref:") and not field[4:].isdecimal() for field in texts)
    hidden = {"ref"} | {field for field in texts if named and field.startswith("ref:") and field[4:].isdecimal()}
    return [field for field in texts if field not in hidden] if len(texts) > 2 else list(texts)
