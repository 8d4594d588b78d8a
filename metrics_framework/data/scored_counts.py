"""How many outputs of each system have a score, where some have none (decision 0069)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import FwError


class ScoredCount(NamedTuple):
    """How many outputs have a score.

    Attributes:
        scored: The number of outputs with the score.
        outputs: The number of all outputs.

    >>> str(ScoredCount(40, 48))
    '40/48'
    """

    scored: int
    outputs: int

    def __str__(self) -> str:
        return f"{self.scored}/{self.outputs}"

    @property
    def missing(self) -> int:
        """The number of outputs without the score."""
        return self.outputs - self.scored

    @property
    def share_missing(self) -> float:
        """The share of outputs without the score. Equal shares are equal floats: division is correctly rounded."""
        return self.missing / self.outputs if self.outputs else 0.0


def unequal_shares(name: str, systems: Mapping[str, ScoredCount]) -> str | None:
    """Returns a warning if the share of outputs without a score differs between systems, otherwise `None`.

    Every difference counts: the means are then over different inputs, however small the difference is, and no test
    can show that the missing scores are not the low ones.

    Args:
        name: The name of the score.
        systems: System to its counts.

    >>> unequal_shares("judge", {"a": ScoredCount(8, 10), "b": ScoredCount(4, 5)})
    >>> print(unequal_shares("judge", {"a": ScoredCount(8, 10), "b": ScoredCount(9, 10)}))
    'judge': the share of outputs without a score differs between systems, from 1 of 10 of 'b' to 2 of 10 of 'a'; \
their means are over different inputs
    """
    least, most = (choose(systems, key=lambda system: systems[system].share_missing) for choose in (min, max))
    if systems[least].share_missing == systems[most].share_missing:
        return None
    ends = [f"{systems[system].missing} of {systems[system].outputs} of '{system}'" for system in (least, most)]
    return (
        f"'{name}': the share of outputs without a score differs between systems, from {ends[0]} to {ends[1]}; "
        "their means are over different inputs"
    )


def quoted(names: Iterable[str]) -> str:
    """Returns a list of names in quotation marks.

    >>> quoted(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(f"'{name}'" for name in names)


def is_defined(value: Any) -> bool:
    """Returns whether a score is defined; for a list or several scores, whether one of them is.

    >>> is_defined(0.0), is_defined(None), is_defined([float("nan")])
    (True, False, False)
    """
    if isinstance(value, (list, tuple)):
        return any(map(is_defined, value))
    if isinstance(value, Mapping):
        return any(map(is_defined, value.values()))
    return value is not None and value == value


class UndefinedScoresError(FwError):
    """All scores of a run are undefined; its files are written, and say so.

    Args:
        names: The names of the scores.
        outputs: The number of outputs.

    >>> print(UndefinedScoresError(["judge"], 2))
    no output has a score: 'judge' is undefined for all outputs (2), and null in the results; see the notes of the \
metric, and check its options and the input
    """

    def __init__(self, names: Sequence[str], outputs: int) -> None:
        listing = ", ".join(f"'{name}'" for name in names)
        verb = "is" if len(names) == 1 else "are"
        super().__init__(
            f"no output has a score: {listing} {verb} undefined for all outputs ({outputs}), and null in the results; "
            "see the notes of the metric, and check its options and the input"
        )
