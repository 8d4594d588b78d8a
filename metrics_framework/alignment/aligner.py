"""The base of all word aligners."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.alignment import REGISTRY
from metrics_framework.common.options import build, parse_spec
from metrics_framework.common.registrable import Registrable


class Aligner(Registrable, registry=REGISTRY):
    """Aligns the words of two texts."""

    @abstractmethod
    def align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        """Returns the indices of aligned words, as sorted pairs of an index in the source and one in the target.

        Args:
            source: The words of the source.
            target: The words of the other text.

        Raises:
            DataError: if alignments are read from a file, and it does not contain that of the two texts.
        """

    def signature(self) -> str:
        """Returns the value of the aligner in the signatures: its name, and all else that determines the pairs."""
        return self.registered_name


def load_aligner(spec: str | Mapping[str, Any], /) -> Aligner:
    """Builds an aligner by name.

    Args:
        spec: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.

    Raises:
        UnknownNameError: if there is no aligner, or no option, of that name.
        UsageError: if an option has a wrong value.
    """
    name, given = parse_spec(spec)
    aligner: Aligner = build(Aligner.by_name(name), Aligner, given, name)
    return aligner
