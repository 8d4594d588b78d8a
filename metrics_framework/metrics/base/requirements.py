"""What a metric needs besides this package: packages, programs, files and models, and how to get them."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from metrics_framework.common.errors import DataError, ProcessError, UsageError
from metrics_framework.common.installation import DISTRIBUTION, install_extra, pip_install
from metrics_framework.common.overriding import overrides

_SPEC_OF_EXTRA = re.compile(r"(?P<spec>[^;]+);\s*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]\s*")


class Requirement(ABC):
    """One thing that a metric needs.

    `Metric.requirements` lists them; ``fw list metrics`` shows which are missing, and ``fw setup metric`` gets them.

    Attributes:
        kind: What kind of thing it is.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name, without its kind."""

    @abstractmethod
    def is_met(self) -> bool:
        """Returns whether it is there. Must be quick: no imports of large packages."""

    @abstractmethod
    def how_to_get_it(self) -> str:
        """Returns what to do, as one sentence without a full stop."""

    def plan(self, from_folder: str | None) -> str | None:
        """Returns what `set_up` will do, as the end of "will …"; `None` if only the user can get it.

        Args:
            from_folder: A folder to get it from, instead of the network.
        """
        return None

    def set_up(self, from_folder: str | None) -> None:
        """Gets it.

        Args:
            from_folder: As for `plan`.

        Raises:
            FwError: if that is impossible.
        """
        raise UsageError(f"the {self.kind} '{self.name}' cannot be set up")


@dataclass(frozen=True)
class Package(Requirement):
    """A Python package.

    Args:
        module: The name to import.
        extra: The extra of this package that installs it.
        alternative: Another package that is enough.
        specs: What pip has to install, for plug-ins, whose packages no extra installs.
    """

    kind = "package"
    module: str
    extra: str = ""
    alternative: str = ""
    specs: tuple[str, ...] = ()

    @property
    @overrides
    def name(self) -> str:
        return self.module

    @overrides
    def is_met(self) -> bool:
        modules = filter(None, (self.module, self.alternative))
        return any(importlib.util.find_spec(module) is not None for module in modules)

    @overrides
    def how_to_get_it(self) -> str:
        command = install_extra(self.extra) if self.extra else pip_install(*(self.specs or (self.module,)))
        return f"needs the package '{self.module}': {command}"

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        return f"run: {shlex.join(self._command(from_folder))}"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        import subprocess

        if importlib.util.find_spec("pip") is None:
            raise UsageError(f"this Python has no pip ({sys.executable}); install the package by other means")
        command = self._command(from_folder)
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode
        importlib.invalidate_caches()
        if code:
            raise ProcessError(f"pip ended with exit code {code}: {shlex.join(command)}")

    def _command(self, from_folder: str | None) -> list[str]:
        source = [] if from_folder is None else ["--no-index", "--find-links", from_folder]
        return [sys.executable, "-m", "pip", "install", *source, *(self.specs or specs_of(self.extra) or [self.module])]


def specs_of(extra: str) -> list[str]:
    """Returns what an extra of this package installs, as pip's specifications.

    An installed copy of this package need not be on an index, so its extra is not named.

    >>> specs_of("judge")
    ['httpx>=0.27']
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return [f"{DISTRIBUTION}[{extra}]"]
    found = filter(None, map(_SPEC_OF_EXTRA.fullmatch, lines))
    return [match["spec"].strip() for match in found if match["extra"] == extra]


@dataclass(frozen=True)
class Program(Requirement):
    """A program on the search path.

    Args:
        command: The name of the program.
        advice: How to install it.
    """

    kind = "program"
    command: str
    advice: str

    @property
    @overrides
    def name(self) -> str:
        return self.command

    @overrides
    def is_met(self) -> bool:
        return shutil.which(self.command) is not None

    @overrides
    def how_to_get_it(self) -> str:
        return f"needs the program '{self.command}': {self.advice}"


@dataclass(frozen=True)
class Resource(Requirement):
    """A file to download, with its checksum.

    Args:
        file: The name of the file.
        url: Its address.
        size: The number of bytes.
        sha256: The SHA-256, as hexadecimal digits.
    """

    kind = "file"
    file: str
    url: str
    size: int
    sha256: str

    @property
    @overrides
    def name(self) -> str:
        return self.file

    @property
    def path(self) -> str:
        """Where the file is once it is set up."""
        from metrics_framework.io.disk_cache import cache_home

        return os.path.join(cache_home(), "resources", self.file)

    @overrides
    def is_met(self) -> bool:
        return os.path.isfile(self.path) and os.path.getsize(self.path) == self.size

    @overrides
    def how_to_get_it(self) -> str:
        return f"needs the file '{self.file}' ({self.size:,} bytes) of {self.url}"

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        from metrics_framework.io.download import mirrored

        source = mirrored(self.url) if from_folder is None else os.path.join(from_folder, self.file)
        return f"{'download' if from_folder is None else 'copy'} {source} ({self.size:,} bytes) to {self.path}"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.io.download import content_problem, download, mirrored
        from metrics_framework.io.writing import replacing

        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if from_folder is None:
            download(mirrored(self.url), self.path, self.size, self.sha256)
            return
        source = os.path.join(from_folder, self.file)
        if not os.path.isfile(source):
            raise DataError(f"does not exist; it is the file of {self.url}", source)
        problem = content_problem(source, self.size, self.sha256)
        if problem is not None:
            raise DataError(f"{problem}; nothing was written", source)
        with open(source, "rb") as original, replacing(self.path) as target:
            shutil.copyfileobj(original, target)


SENTENCE_SPLITTER = Package("pysbd", "simplification", alternative="nltk")
WORD_FREQUENCIES = Package("wordfreq", "simplification")


def missing(requirements: Sequence[Requirement]) -> list[Requirement]:
    """Returns the requirements that are not met."""
    return [requirement for requirement in requirements if not requirement.is_met()]
