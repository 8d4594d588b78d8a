"""Which reader reads which files: what the flags of the input, or a configuration, come to."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.construct import options_of, parse_spec
from metrics_framework.common.errors import UsageError
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, load_reader
from metrics_framework.io.streams import STANDARD


def reader_and_files(
    arguments: argparse.Namespace, config: Mapping[str, Any]
) -> tuple[DatasetReader, list[str], list[str]]:
    """Works out the reader, its input files, and the text files it reads beside them.

    Raises:
        UsageError: if there are no files, they contradict each other, or the reader does not take them.
    """
    if arguments.outputs and arguments.input_files:
        raise UsageError("--outputs and --input-files are two ways to give the outputs; leave one of them out")
    files = _listed(arguments.outputs or arguments.input_files or config.get("input_files"))
    if not files:
        raise UsageError("no input; give --input-files FILE … (JSONL, CSV, TSV), or --outputs FILE … (plain text)")
    given = {key: getattr(arguments, key) or config.get(key) for key in ("references", "sources")}
    texts = {key: value for key, value in given.items() if value}
    spec = arguments.dataset_reader or config.get("dataset_reader")
    if not (spec or arguments.outputs):
        _refuse_plain_text(files)
    others = [file for value in texts.values() for file in _listed(value)]
    _refuse_repeated([*files, *others])
    if STANDARD in others and len(files) > 1:
        raise UsageError("standard input can be read only once, but every file of outputs needs it; give a file")
    reader = _reader(spec or ("plain-text" if arguments.outputs else "default"), texts)
    reader.checked_files(files)
    return reader, files, others


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def _refuse_plain_text(files: Sequence[str]) -> None:
    for file in files:
        if file.endswith(".txt"):
            raise UsageError(f"'{file}' is plain text by its ending; give it as --outputs instead of --input-files")


def _refuse_repeated(files: Sequence[str]) -> None:
    for file in files:
        if files.count(file) > 1:
            advice = ", but standard input can be read only once" if file == STANDARD else ""
            raise UsageError(f"'{file}' is given twice{advice}")


def _reader(spec: str | Mapping[str, Any], texts: Mapping[str, Any]) -> DatasetReader:
    try:
        name = parse_spec(spec)[0]
    except UsageError as error:
        raise UsageError(f"--dataset-reader: {error}") from None
    known = {option.name for option in options_of(DatasetReader.by_name(name), DatasetReader)}
    for key in texts:
        if key not in known:
            raise UsageError(f"the dataset reader '{name}' does not take --{key}; 'default' and 'plain-text' do")
    options = {key: _listed(value) if key == "references" else value for key, value in texts.items()}
    return load_reader(spec, **options)
