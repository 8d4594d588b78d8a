"""Where the passages of texts come from: files, or a program that makes them."""

from __future__ import annotations

import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from overrides import overrides

from metrics_framework.common.errors import DataError, Problems, ProcessError, UsageError
from metrics_framework.ucca.passage import Passage, letters, without_what_xml_cannot_hold
from metrics_framework.ucca.standard_xml import parse_passage, read_passage

ENDING = ".xml"
MOST_SHOWN = 60
MOST_SAID = 2000


class Passages(ABC):
    """Gives the passages of texts."""

    @abstractmethod
    def passages_of(self, texts: Sequence[str]) -> list[Passage]:
        """Returns for each text the passage that has its words, in the sense of `letters`.

        Raises:
            DataError: if there is none, or it is not as it must be.
            ProcessError: if a program should make it and fails.
        """


class PassageFiles(Passages):
    """Passages in files of the standard XML format, found by their words: names and order of the files do not matter.

    The files are read when the first passage is asked for.

    Args:
        paths: Files, and folders whose files ``*.xml`` count.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = list(paths)

    @overrides
    def passages_of(self, texts: Sequence[str]) -> list[Passage]:
        found = [self._passages.get(letters(text)) for text in texts]
        problems = Problems()
        for text, passage in zip(texts, found, strict=True):
            if passage is None:
                problems.add(self._missing(text))
        problems.raise_any()
        return [passage for passage in found if passage is not None]

    def _missing(self, text: str) -> DataError:
        return DataError(
            f"no passage has the words of the source {_quoted(text)}; passages of other words: {len(self._passages)}. "
            f"Expected one for each source, with the same characters but for white space and the kind of quotes and "
            f"brackets: add the file, or let a program make it (option 'parser')",
            path=", ".join(self._paths),
        )

    @cached_property
    def _passages(self) -> dict[str, Passage]:
        """The passages by their letters.

        Raises:
            DataError: if a file does not hold a passage, or two files hold different ones of the same words.
        """
        passages: dict[str, Passage] = {}
        files: dict[str, str] = {}
        problems = Problems()
        for path in _files(self._paths):
            try:
                passage = read_passage(path)
            except DataError as error:
                problems.add(error)
                continue
            key = letters(passage.words)
            if passages.setdefault(key, passage) != passage:
                problems.add(DataError(f"is another passage of the same words as {files[key]}; keep one of them", path))
            files.setdefault(key, path)
        problems.raise_any()
        return passages


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")


def _files(paths: Sequence[str]) -> list[str]:
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        names = sorted(name for name in os.listdir(path) if name.endswith(ENDING))
        if not names:
            raise DataError(f"is a folder without files *{ENDING}; expected UCCA passages in the standard format", path)
        found += [os.path.join(path, name) for name in names]
    return found


class PassageParser(Passages):
    """Passages that a program makes: it reads a text from standard input and writes standard XML to standard output.

    The text comes in UTF-8, with a line feed behind it and without characters that XML cannot hold. The program is run
    once for each text, without a shell.

    Args:
        command: The program and its arguments, as one writes them in a shell.

    Raises:
        UsageError: if it cannot be taken apart into words.
    """

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"'parser' must be a command, got '{command}': {error}") from None
        if not self._words:
            raise UsageError("'parser' must be a command, got nothing")

    @overrides
    def passages_of(self, texts: Sequence[str]) -> list[Passage]:
        return [self._passage_of(text) for text in texts]

    def _passage_of(self, text: str) -> Passage:
        output = self._run(f"{without_what_xml_cannot_hold(text)}\n".encode())
        name = f"the output of '{shlex.join(self._words)}' for the source {_quoted(text)}"
        passage = parse_passage(output, name)
        if letters(passage.words) != letters(text):
            raise DataError(
                f"has other words than the source: {_quoted(' '.join(passage.words))}; a parser may cut words, "
                f"but not change or drop them",
                path=name,
            )
        return passage

    def _run(self, text: bytes) -> bytes:
        import subprocess

        try:
            done = subprocess.run(self._words, input=text, capture_output=True, check=False)
        except OSError as error:
            raise ProcessError(f"the parser '{self._words[0]}' cannot be run: {error.strerror or error}") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()[-MOST_SAID:]
            raise ProcessError(
                f"the parser '{shlex.join(self._words)}' ended with exit code {done.returncode}"
                f"{f' and said: {said}' if said else ''}"
            )
        return done.stdout
