"""The scores of outputs from several files: which outputs there are, and in which rows of which files."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import numpy as np

from metrics_framework.common.arrays import Bools, Indices
from metrics_framework.data.scored_output import ScoredOutput
from metrics_framework.meta_evaluation.scores.numbering import Numbering
from metrics_framework.meta_evaluation.scores.score_block import ScoreBlock

_SHIFT = 32


class ScoreTable:
    """The outputs of several files, numbered in the order in which they first appear.

    Attributes:
        blocks: The rows of each file, in the order of the files.
        instances: The ids of inputs.
        systems: The ids of systems.
        types: The types of outputs; the first one is no type.
        instance_of: The number of the input of each output.
        system_of: The number of the system of each output.
        data_set_of: The number of the data set of each output; 0 if it is unknown.
        data_sets: The labels of data sets; the first one is no label.
    """

    def __init__(self) -> None:
        self.blocks: list[ScoreBlock] = []
        self.instances = Numbering[str]()
        self.systems = Numbering[str]()
        self.types = Numbering[str | None]([None])
        self.data_sets = Numbering[str | None]([None])
        self.instance_of = array("i")
        self.system_of = array("i")
        self.data_set_of = array("i")
        self._index: dict[int, dict[int, int]] = {0: {}}
        self._latest = array("q")  # the last row of each output, counted over all files
        self._rows_before = 0

    def __len__(self) -> int:
        return len(self.instance_of)

    def start(self, path: str) -> ScoreBlock:
        """Starts the rows of a file."""
        self._rows_before += len(self.blocks[-1]) if self.blocks else 0
        self.blocks.append(ScoreBlock(path))
        return self.blocks[-1]

    def add(self, output: ScoredOutput, *, replace: bool = False) -> int | None:
        """Adds a row to the last file, unless that has a row of the same output.

        Args:
            output: The row.
            replace: Whether the row replaces an earlier one of the file.

        Returns:
            The line of the earlier row of the same output in the file; `None` if there is none.
        """
        block = self.blocks[-1]
        number = self._number(output)
        row = self._latest[number] - self._rows_before
        if row >= 0 and not replace:
            return block.lines[row]
        if row >= 0:
            block.replace(row)
        self._latest[number] = self._rows_before + len(block)
        block.add(number, output.line, self.types.number(output.summarizer_type), output.metrics)
        return block.lines[row] if row >= 0 else None

    def _number(self, output: ScoredOutput) -> int:
        """Returns the number of an output, which is new if it has not appeared before."""
        instance, system = self.instances.number(output.instance_id), self.systems.number(output.summarizer_id)
        data_set = 0 if output.data_set is None else self.data_sets.number(output.data_set)
        index = self._index.setdefault(data_set, {})
        key = instance << _SHIFT | system
        number = index.get(key)
        if number is None:
            number = index[key] = len(self.instance_of)
            self.instance_of.append(instance)
            self.system_of.append(system)
            self.data_set_of.append(data_set)
            self._latest.append(-1)
        return number

    def unit(self, number: int) -> tuple[str, str]:
        """Returns the input and the system of an output."""
        return self.instances.names[self.instance_of[number]], self.systems.names[self.system_of[number]]

    def part(self, block: ScoreBlock, row: int) -> ScoredOutput:
        """Returns a row as it was read."""
        number = block.outputs[row]
        data_set = self.data_sets.names[self.data_set_of[number]]
        kind = self.types.names[block.types[row]]
        return ScoredOutput(*self.unit(number), kind, block.scores(row), block.path, block.lines[row], data_set)

    def first_lines(self) -> dict[int, tuple[str, int]]:
        """Returns the file and line of the first row of each output."""
        found: dict[int, tuple[str, int]] = {}
        for block in self.blocks:
            for output, line in zip(block.outputs, block.lines, strict=True):
                found.setdefault(output, (block.path, line))
        return found

    def assign(self, labels: Mapping[int, str]) -> Bools:
        """Assigns outputs without a label to data sets; returns which outputs already had rows there.

        Args:
            labels: The number of an output to its label.
        """
        target: Indices = np.append(np.arange(len(self)), -1)  # the last one is of rows that are not used
        for output, label in labels.items():
            data_set = self.data_sets.number(label)
            key = self.instance_of[output] << _SHIFT | self.system_of[output]
            target[output] = self._index.setdefault(data_set, {}).setdefault(key, output)
            self.data_set_of[output] = data_set if target[output] == output else -1
        joined: Bools = np.zeros(len(self), dtype=np.bool_)
        joined[target[:-1][target[:-1] != np.arange(len(self))]] = True
        for block in [*self.blocks]:
            rows = block.move(target)
            if len(rows):
                self.blocks.append(block.take(rows))
                block.drop(rows)
        return joined

    def type_numbers(self) -> Indices:
        """Returns the number of the type of each output: the first type that a row of it has, or 0."""
        numbers: Indices = np.zeros(len(self), dtype=np.intp)
        for block in reversed(self.blocks):
            types, outputs = np.asarray(block.types), np.asarray(block.outputs)
            typed = np.flatnonzero((types > 0) & (outputs >= 0))
            numbers[outputs[typed]] = types[typed]
        return numbers
