"""A first pass over all inputs of a run, for metrics whose scores depend on all of them (decision 0043)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

InputBatches: TypeAlias = Iterable[tuple[Sequence[str], Sequence[Sequence[Any]]]]
"""For each batch of outputs the ids of their inputs, and the values of each field of the metric."""


class FirstPass:
    """What metrics do before the first output of a run is scored; by default nothing.

    Attributes:
        needs_all_inputs: Whether a run must read all its inputs before it scores the first output.
        checks_all_inputs: Whether a run should check all its inputs before it scores the first output, because scores
            are expensive. Input that can be read only once is checked in batches.
    """

    needs_all_inputs: bool = False
    checks_all_inputs: bool = False

    def check_inputs(self, columns: Sequence[Sequence[Any]]) -> None:
        """Checks outputs before the first one is scored; metrics with `checks_all_inputs` define it.

        Args:
            columns: The values of each field of the metric.

        Raises:
            OutputError: if an output cannot be scored.
        """

    def prepared(self, inputs: InputBatches) -> AbstractContextManager[None]:
        """Reads all inputs of a run; metrics with `needs_all_inputs` define it.

        Args:
            inputs: The inputs.

        Returns:
            A context in which the outputs of the run are scored.
        """
        return nullcontext()
