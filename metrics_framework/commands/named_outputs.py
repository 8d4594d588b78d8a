"""Names of systems on the command line: ``--outputs ours=a/out.txt theirs=b/out.txt``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from metrics_framework.common.errors import UsageError
from metrics_framework.io.locations import expanded


def split_names(words: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Splits names from files.

    A word that is the path of an existing file, or has a slash before its first ``=``, is a file without a name.

    Args:
        words: Files, or ``NAME=FILE``.

    Returns:
        The files, and for each its name or an empty string; `None` if no file has a name.

    Raises:
        UsageError: if a name is given twice, or a word can be read both ways.
    """
    if not any("=" in word for word in words):
        return list(words), None
    pairs = [_split(word) for word in words]
    names = [name for name, _ in pairs if name]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--outputs: the name '{name}' is given to two files; systems need different names")
    return [file for _, file in pairs], [name for name, _ in pairs] if names else None


def with_matches(files: Sequence[str], names: Sequence[str] | None) -> tuple[list[str], list[str] | None]:
    """Replaces patterns by the files that match them; returns the names of all files as `split_names` does.

    Raises:
        UsageError: if no file matches a pattern, or a pattern with a name matches several.
        DataError: if a remote folder cannot be listed.
    """
    found = [expanded([file]) for file in files]
    if names is None:
        return [file for matches in found for file in matches], None
    for name, file, matches in zip(names, files, found, strict=True):
        if name and len(matches) > 1:
            raise UsageError(f"--outputs: the name '{name}' is given to '{file}', which matches {len(matches)} files")
    pairs = [(file, name) for name, matches in zip(names, found, strict=True) for file in matches]
    return [file for file, _ in pairs], [name for _, name in pairs]


def _split(word: str) -> tuple[str, str]:
    name, equals, file = word.partition("=")
    if not (equals and name and file) or "/" in name or os.sep in name:
        return "", word
    if not os.path.exists(word):
        return name, file
    if os.path.exists(file):
        raise UsageError(
            f"--outputs: '{word}' is a file, and '{file}' is too; use './{word}' for the file without a name, or "
            f"'{name}=./{file}' for the other file with a name"
        )
    return "", word
