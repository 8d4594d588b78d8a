"""Sources of passages: files, or a parser that is run."""

from __future__ import annotations

import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from metrics_framework.common.errors import DataError, Problems, ProcessError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.io.content import paths_named
from metrics_framework.ucca.passage import Passage, letters, parse_passage, read_passage, without_non_xml_characters

ENDING = ".xml"
MAX_SHOWN = 60  # characters of a text in an error message
MAX_OUTPUT = 2000  # characters of the error output of a parser


class Passages(ABC):
    """Finds the passages of texts."""

    @abstractmethod
    def passages_of(self, texts: Sequence[str]) -> list[Passage]:
        """Returns for each text the passage with the same words, as compared by `letters`.

        Raises:
            DataError: if there is none, or it is invalid.
            ProcessError: if a parser fails.
        """

    @abstractmethod
    def files_read(self) -> list[str]:
        """Returns the files and folders that are read, or run."""


class PassageFiles(Passages):
    """Passages in files of the standard XML format, found by their words; file names and order do not matter.

    The files are read when the first passage is requested.

    Args:
        paths: Files, and folders with files ``*.xml``.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = list(paths)

    @overrides
    def files_read(self) -> list[str]:
        return self._paths

    @overrides
    def passages_of(self, texts: Sequence[str]) -> list[Passage]:
        found = [self._passages.get(letters(text)) for text in texts]
        problems = Problems()
        for text, passage in zip(texts, found, strict=True):
            if passage is None:
                message = (
                    f"no passage has the words of the source {_quoted(text)}, "
                    f"only {counted(len(self._passages), 'passage')} with other words; "
                    "a passage must have the same characters as its source, except for whitespace and the type of "
                    "quotes and brackets: add the file, or use a parser (option 'parser')"
                )
                problems.add(DataError(message, ", ".join(self._paths)))
        problems.raise_any()
        return [passage for passage in found if passage is not None]

    @cached_property
    def _passages(self) -> dict[str, Passage]:
        """The passages by their `letters`.

        Raises:
            DataError: if a file is not a passage, or two files contain different passages with the same words.
        """
        passages: dict[str, Passage] = {}
        files: dict[str, str] = {}
        problems = Problems()
        for path in _files(self._paths):
            with problems.at(path):
                passage = read_passage(path)
                key = letters(passage.words)
                first = files.setdefault(key, path)
                if passages.setdefault(key, passage) != passage:
                    raise DataError(f"has the same words as {first}, but is a different passage; remove one of them")
        problems.raise_any()
        return passages


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")


def _files(paths: Sequence[str]) -> list[str]:
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        names = sorted(name for name in os.listdir(path) if name.endswith(ENDING))
        if not names:
            raise DataError(
                f"is a folder without *{ENDING} files; expected UCCA passages in the standard XML format", path
            )
        found += [os.path.join(path, name) for name in names]
    return found


class PassageParser(Passages):
    """Passages from a parser: a program that reads a text from standard input and writes XML to standard output.

    The text is in UTF-8, ends with a line feed and has no characters that XML cannot contain. The program is run once
    per text, without a shell.

    Args:
        command: The program and its arguments, as in a shell.

    Raises:
        UsageError: if the command cannot be split into arguments.
    """

    def __init__(self, command: str) -> None:
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"'parser' must be a command, got '{command}': {error}") from None
        if not self._command:
            raise UsageError("'parser' must be a command, got nothing")

    @overrides
    def files_read(self) -> list[str]:
        program, *arguments = self._command
        return [*([program] if os.path.exists(program) else []), *paths_named(arguments)]

    @overrides
    def passages_of(self, texts: Sequence[str]) -> list[Passage]:
        return [self._passage_of(text) for text in texts]

    def _passage_of(self, text: str) -> Passage:
        output = self._run(f"{without_non_xml_characters(text)}\n".encode())
        name = f"the output of '{shlex.join(self._command)}' for the source {_quoted(text)}"
        passage = parse_passage(output, name)
        if letters(passage.words) != letters(text):
            raise DataError(
                f"has different words than the source: {_quoted(' '.join(passage.words))}; a parser may split words, "
                "but not change or remove them",
                path=name,
            )
        return passage

    def _run(self, text: bytes) -> bytes:
        import subprocess

        try:
            done = subprocess.run(self._command, input=text, capture_output=True, check=False)
        except OSError as error:
            raise ProcessError(f"the parser '{self._command[0]}' cannot be run: {error.strerror or error}") from None
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip()[-MAX_OUTPUT:]
            raise ProcessError(
                f"the parser '{shlex.join(self._command)}' failed with exit code {done.returncode}"
                f"{f': {message}' if message else ''}"
            )
        return done.stdout
