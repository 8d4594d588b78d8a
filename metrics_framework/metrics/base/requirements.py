"""What a metric needs besides this package: packages, programs and files, and how to get them."""

from __future__ import annotations

import importlib.util
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass

from overrides import overrides


class Requirement(ABC):
    """One thing that a metric needs. `Metric.requirements` lists them; ``fw list metrics`` shows what is missing."""

    @abstractmethod
    def is_met(self) -> bool:
        """Returns whether it is there. Must be quick: no imports of large packages."""

    @abstractmethod
    def how_to_get_it(self) -> str:
        """Returns what to do, as one sentence without a full stop."""


@dataclass(frozen=True)
class Package(Requirement):
    """A Python package.

    Args:
        module: The name to import.
        extra: The extra of this package that installs it.
    """

    module: str
    extra: str

    @overrides
    def is_met(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    @overrides
    def how_to_get_it(self) -> str:
        return f"needs the package '{self.module}': pip install 'metrics-framework[{self.extra}]'"


@dataclass(frozen=True)
class Program(Requirement):
    """A program on the search path.

    Args:
        command: The name of the program.
        advice: How to install it.
    """

    command: str
    advice: str

    @overrides
    def is_met(self) -> bool:
        return shutil.which(self.command) is not None

    @overrides
    def how_to_get_it(self) -> str:
        return f"needs the program '{self.command}': {self.advice}"
