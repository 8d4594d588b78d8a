"""Which reader reads which files: what the flags of the input, or a configuration, come to."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.construct import options_of, parse_spec
from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.data.field_names import with_standard_names
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, load_reader
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.streams import STANDARD, stem


def reader_and_files(
    arguments: argparse.Namespace, config: Mapping[str, Any]
) -> tuple[DatasetReader, list[str], list[str]]:
    """Works out the reader, its input files, and the text files it reads beside them.

    Raises:
        UsageError: if there are no files, they contradict each other, or the reader does not take them.
    """
    if arguments.outputs and arguments.input_files:
        raise UsageError("--outputs and --input-files are two ways to give the outputs; leave one of them out")
    dataset = config.get("dataset") if arguments.dataset is None else arguments.dataset
    if dataset is not None:
        return _against_test_set(dataset, arguments, config)
    outputs = _outputs(arguments, config)
    files = outputs or _listed(arguments.input_files or config.get("input_files"))
    if not files:
        raise UsageError("no input; give --input-files FILE … (JSONL, CSV, TSV), or --outputs FILE … (plain text)")
    given = {key: getattr(arguments, key) or config.get(key) for key in ("references", "sources")}
    texts = {key: value for key, value in given.items() if value}
    spec = arguments.dataset_reader or config.get("dataset_reader")
    if not (spec or outputs):
        _refuse_plain_text(files)
    others = [file for value in texts.values() for file in _listed(value)]
    _refuse_repeated(files, _listed(texts.get("references")), _listed(texts.get("sources")))
    if STANDARD in others and len(files) > 1:
        raise UsageError("standard input can be read only once, but every file of outputs needs it; give a file")
    reader = _reader(spec or ("plain-text" if outputs else "default"), texts)
    reader.checked_files(files)
    return reader, files, others


def _against_test_set(
    dataset: str, arguments: argparse.Namespace, config: Mapping[str, Any]
) -> tuple[DatasetReader, list[str], list[str]]:
    """Works out the same for outputs in plain text and a test set; one with outputs of its own needs no others.

    Raises:
        UsageError: if there are no outputs, or something is given that the test set brings itself.
    """
    from metrics_framework.datasets.locations import NOT_REREADABLE, find_test_set

    for key in ("references", "sources", "dataset_reader"):
        if getattr(arguments, key) or config.get(key):
            flag = f"--{key.replace('_', '-')}"
            raise UsageError(f"--dataset brings references and sources itself; leave {flag} out, or --dataset")
    if arguments.input_files:
        raise UsageError("--dataset is for outputs in plain text; give them as --outputs instead of --input-files")
    path = find_test_set(dataset)
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise UsageError(NOT_REREADABLE.format(f"the pipe or device '{path}'"))
    files = _outputs(arguments, config) or _listed(config.get("input_files"))
    if _has_outputs(path):
        if files:
            raise UsageError(
                f"'{dataset}' has outputs of its own: leave --outputs out to score these, or name a test set that has "
                "none (fw list datasets)"
            )
        return load_reader("default"), [path], []
    if not files:
        raise UsageError(f"no outputs to score against '{dataset}'; give --outputs FILE … (plain text, one a line)")
    _refuse_repeated([*files, path])
    reader = load_reader("test-set", test_set=path)
    return reader, files, [path]


def _outputs(arguments: argparse.Namespace, config: Mapping[str, Any]) -> list[str]:
    """Returns the outputs in plain text, none if they are given as rows.

    Raises:
        UsageError: if the configuration has both.
    """
    if arguments.outputs or arguments.input_files:
        return _listed(arguments.outputs)
    if "outputs" in config and "input_files" in config:
        raise UsageError(
            "'outputs' and 'input_files' of a configuration are two ways to give the outputs; leave one out"
        )
    return _listed(config.get("outputs"))


def _has_outputs(path: str) -> bool:
    """Tells whether the rows of a test set have outputs, by the first one that can be read.

    Raises:
        DataError: if the file cannot be read, or the row has two names of one thing.
    """
    line, first = next(read_jsonl(path, Problems()), (0, {}))
    try:
        return "summary" in with_standard_names(first)
    except DataError as problem:
        raise DataError(problem.message, path, line) from None


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def _refuse_plain_text(files: Sequence[str]) -> None:
    for file in files:
        if file.endswith(".txt"):
            raise UsageError(f"'{file}' is plain text by its ending; give it as --outputs instead of --input-files")


def _refuse_repeated(*flags: Sequence[str]) -> None:
    """Refuses a file that one flag names twice, in whatever spelling, and standard input in two places.

    Flags may share a file: sources are outputs too, of a system that changes nothing.

    Raises:
        UsageError: if there is one.
    """
    if [file for files in flags for file in files].count(STANDARD) > 1:
        raise UsageError(f"'{STANDARD}' is given twice, but standard input can be read only once")
    for files in flags:
        seen: set[tuple[str, str]] = set()
        for file in files:
            same = os.path.realpath(file), stem(file)  # a link of another name is meant to be another system
            if same in seen:
                raise UsageError(f"'{file}' is given twice")
            seen.add(same)


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
