"""What a metric needs besides this package: packages, programs, files and models, and how to get them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics_framework.common.errors import DataError, DownloadError, ProcessError, UsageError
from metrics_framework.common.installation import DISTRIBUTION, install_extra, pip_install
from metrics_framework.common.overriding import overrides

_SPEC_OF_EXTRA = re.compile(r"(?P<spec>[^;]+);\s*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]\s*")


class Requirement(ABC):
    """One thing that a metric needs.

    `Metric.requirements` lists them; ``fw list metrics`` shows which are missing, and ``fw setup metric`` gets them.

    Attributes:
        kind: What kind of thing it is.
    """

    kind: str

    @property
    def name(self) -> str:
        """Its name, without its kind: the first of the attributes."""
        return str(next(iter(vars(self).values())))

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
        from shlex import join

        return f"run: {join(self._command(from_folder))}"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        import subprocess

        if importlib.util.find_spec("pip") is None:
            raise UsageError(f"this Python has no pip ({sys.executable}); install the package by other means")
        from shlex import join

        command = self._command(from_folder)
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode
        importlib.invalidate_caches()
        if code:
            raise ProcessError(f"pip ended with exit code {code}: {join(command)}")

    def _command(self, from_folder: str | None) -> list[str]:
        from metrics_framework.io.child_process import module_command

        source = [] if from_folder is None else ["--no-index", "--find-links", from_folder]
        wanted = self.specs or specs_of(self.extra) or [self.module]
        return module_command("pip", "install", *source, *wanted)


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
        from metrics_framework.io.disk_cache import cache_home
        from metrics_framework.io.download import content_problem, download, mirrored
        from metrics_framework.io.writing import replacing

        for folder in (cache_home(), os.path.dirname(self.path)):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        if from_folder is None:
            download(mirrored(self.url), self.path, self.sha256, self.size)
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


@dataclass(frozen=True)
class HubModel(Requirement):
    """A model of the Hugging Face hub.

    Args:
        model: Its name, optionally with a revision.
    """

    kind = "model"
    model: str

    @overrides
    def is_met(self) -> bool:
        from metrics_framework.neural.sources import is_local

        return is_local(self.model)

    @overrides
    def how_to_get_it(self) -> str:
        return (
            f"needs the model '{self.model}': give its folder as 'model', or download it with hf download {self.model}"
        )

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        return f"download the model {self.model} to the cache of the Hugging Face hub"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.neural.sources import download_model

        download_model(self.model)


@dataclass(frozen=True)
class CheckpointFiles(Requirement):
    """The files of a checkpoint of another program than transformers.

    Args:
        model: The folder, or the name on the hub, optionally with a revision.
        files: The paths of the files in it.
    """

    kind = "checkpoint"
    model: str
    files: tuple[str, ...]

    @overrides
    def is_met(self) -> bool:
        from metrics_framework.neural.sources import local_file

        return all(local_file(self.model, file) is not None for file in self.files)

    @overrides
    def how_to_get_it(self) -> str:
        return f"needs the checkpoint '{self.model}': a folder with {' and '.join(self.files)}, given as 'model'"

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        if os.path.isdir(os.path.expanduser(self.model)):
            return None
        return f"download {' and '.join(self.files)} of {self.model} to the cache of the Hugging Face hub"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.neural.sources import download_model

        try:
            download_model(self.model, self.files)
        except DownloadError as error:
            raise DownloadError(
                f"{error}",
                "fw: without a network, bring two folders: that of the checkpoint, with "
                f"{' and '.join(self.files)}, as --model, and that of its encoder, with config.json and the "
                "files of the tokenizer but without its weights, as --encoder",
            ) from error


@dataclass(frozen=True)
class FilesWithoutWeights(Requirement):
    """The configuration and the tokenizer of a model, whose weights are in a checkpoint.

    Args:
        kind: What the model is, and the name of the option: ``encoder`` or ``tokenizer``.
        find: Returns the names of the models; nothing before the checkpoint is known that names them.
    """

    kind: str
    find: Callable[[], Sequence[str]]

    @property
    @overrides
    def name(self) -> str:
        return " and ".join(self.find()) or "that the checkpoint names"

    @overrides
    def is_met(self) -> bool:
        from metrics_framework.neural.sources import is_local

        names = self.find()
        return bool(names) and all(map(is_local, names))

    @overrides
    def how_to_get_it(self) -> str:
        return (
            f"needs the {self.kind} {self.name}: bring its folder, with config.json and the files of the tokenizer but "
            f"without weights, and give it as --{self.kind}"
        )

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        return f"download the configuration and the tokenizer of the {self.kind} {self.name}, without weights"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.neural.sources import WITHOUT_WEIGHTS, download_model, is_local

        for name in self.find():
            if is_local(name):
                continue
            try:
                download_model(name, WITHOUT_WEIGHTS)
            except DownloadError as error:
                raise DownloadError(f"{error}", f"fw: {self.how_to_get_it()}") from error
