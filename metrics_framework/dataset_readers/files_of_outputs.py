"""Files of outputs: the names of their systems, which are given or differ in the paths, and checks of plain text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.io.reading import STANDARD, stem, uncompressed_name

_OTHER_ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""The endings of JSON and tables, which are no plain text."""


def system_names(paths: Sequence[str], given: Sequence[str] | None = None) -> list[str]:
    """Returns the name of the system of each file of outputs.

    A file is named after its file name without ending. Files with the same name are named after the shortest part of
    their paths in which they all differ.

    Args:
        paths: The files, each with the outputs of one system.
        given: The names, one for each file, an empty string for a file without a name; `None` for no names.

    Raises:
        UsageError: if the number of names differs from that of the files.
        DataError: if two files belong to one system.

    >>> system_names(["runs/careful.txt", "runs/beam.0.1.txt"])
    ['careful', 'beam.0.1']
    >>> system_names(["runs/a/out.txt", "runs/b/out.txt"]), system_names(["a.txt", "b.txt"], ["ours", ""])
    (['a', 'b'], ['ours', 'b'])
    """
    if given is not None and len(given) != len(paths):
        raise UsageError(f"'systems' must have a name for each of the {len(paths)} files of outputs, got {len(given)}")
    names = path_names(paths, given)
    for index, name in enumerate(names):
        first = names.index(name)
        if first < index:
            raise DataError(
                f"{paths[first]} and {paths[index]} both belong to system '{name}'; "
                "name them, as in --outputs NAME=FILE"
            )
    return names


def files_of_fields(
    references: list[str] | None, documents: list[str] | None, source: str | None
) -> dict[str, list[str]]:
    """Returns the fields that text files parallel to the outputs have, and their files."""
    files = {"references": references or [], "documents": documents or [], "source": [] if source is None else [source]}
    return {field: of_field for field, of_field in files.items() if of_field}


def path_names(paths: Sequence[str], given: Sequence[str] | None = None) -> list[str]:
    """Returns the name of each file as in `system_names`; files in which nothing differs have the same name."""
    names = [stem(path) for path in paths]
    if given is None and len(set(names)) == len(names):
        return names
    names = list(given or [""] * len(paths))
    unnamed: dict[str, list[int]] = {}
    for index, path in enumerate(paths):
        if not names[index]:
            unnamed.setdefault(stem(path), []).append(index)
    for name, indices in sorted(unnamed.items(), key=lambda item: len(item[1])):  # unique file names first
        candidates, taken = _candidates([paths[index] for index in indices]), {*names, ""}
        different = (parts for parts in candidates if len({*parts}) == len(parts) and taken.isdisjoint(parts))
        for index, part in zip(indices, next(different, [name] * len(indices)), strict=True):
            names[index] = part
    return names


def _candidates(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yields parts of paths: first single components, then longer parts; near the end of the path first.

    The ending of the file belongs to a part only if the parts of its length do not differ without it.
    """
    with_endings = [[part for part in os.path.normpath(path).split(os.sep) if part] for path in paths]
    without = [[*components[:-1], stem(path)] for components, path in zip(with_endings, paths, strict=True)]
    longest = max(map(len, with_endings))
    for length in range(1, longest + 1):
        for split, ends in ((without, range(longest - length + 1)), (with_endings, range(1))):
            for end in ends:
                yield ["/".join(part[max(0, len(part) - end - length) : len(part) - end]) for part in split]


def check_plain_text(outputs: Sequence[str], others: Sequence[str] = ()) -> None:
    """Checks the endings of plain-text files.

    Args:
        outputs: The files of outputs.
        others: The files of references, documents and sources.

    Raises:
        UsageError: if a file has the ending of another format.
    """
    for path in others:
        if uncompressed_name(path).endswith(_OTHER_ENDINGS):
            advice = "; if its lines have N references each, separated by tabs, add --num-refs N"
            is_tsv = uncompressed_name(path).endswith(".tsv") and os.path.exists(path)
            found = advice if is_tsv else _misplaced(path)
            raise UsageError(f"references, documents and sources must be plain text, got '{path}'{found}")
    for path in outputs:
        if uncompressed_name(path).endswith(_OTHER_ENDINGS):
            advice = f"use --input-files for JSONL and tables{_misplaced(path)}"
            raise UsageError(f"--outputs must be plain text, got '{path}'; {advice}")


def _misplaced(path: str) -> str:
    """Returns advice for a file that does not exist: it is one to write, which a flag with several files took."""
    return "" if os.path.exists(path) else "; a file to write comes before the flags"


def refuse_several_systems(path: str, first_line: str) -> None:
    """Rejects outputs of several systems on standard input: sacreBLEU reads one output of each, separated by tabs.

    Args:
        path: The file of outputs; only standard input is checked.
        first_line: Its first line.

    Raises:
        DataError: if the line contains a tab.
    """
    if path == STANDARD and "\t" in first_line:
        texts = first_line.count("\t") + 1
        raise DataError(
            f"expected the output of one system, got {texts} texts separated by tabs; write one file per "
            "system and use -i FILE FILE …, which also accepts texts with tabs",
            path,
            1,
        )
