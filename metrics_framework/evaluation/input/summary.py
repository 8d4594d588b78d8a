"""Counts the input of a run, for signatures and warnings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.logs import Log
from metrics_framework.common.plurals import counted
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import as_string
from metrics_framework.evaluation.input.column_batch import ColumnBatch


@dataclass
class InputSummary:
    """Counts of the input of a run.

    Attributes:
        outputs: Maps each summarizer id to its number of outputs.
        types: Maps each summarizer id to its type.
        references: The lowest and highest number of references.
        own_text: The number of outputs of type ``reference`` whose text is among their references.
        skipped: The number of outputs skipped because of ``--duplicates first`` or ``last``.
        num_instances: The number of inputs; set after the last batch.
    """

    outputs: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    references: tuple[int, int] | None = None
    own_text: int = 0
    skipped: int = 0
    num_instances: int = 0

    def add(self, batch: ColumnBatch) -> None:
        """Counts the outputs of a batch."""
        for system, count in Counter(batch.systems).items():
            self.outputs[system] = self.outputs.get(system, 0) + count
        references = batch.column("references")
        lists = references if set(map(type, references)) == {list} else filter(_is_list, references)
        counts = set(map(len, lists))
        if counts:
            lowest, highest = self.references or (min(counts), max(counts))
            self.references = (min(lowest, *counts), max(highest, *counts))
        if "reference" in batch.types:
            self.own_text += sum(map(_has_own_text, batch.instances))

    @property
    def number_of_references(self) -> str:
        """The number of references as in a signature: ``8``, or ``1-10`` where it varies."""
        lowest, highest = self.references or (0, 0)
        return str(lowest) if lowest == highest else f"{lowest}-{highest}"

    def warn(self, log: Log, compared: bool = False) -> None:
        """Warns of input that may mislead: outputs among their own references, skipped outputs, missing outputs.

        Args:
            log: Receives the warnings.
            compared: Whether systems are compared, so that missing outputs matter.
        """
        if self.own_text:
            log.warn(
                f"{self.own_text} outputs of type 'reference' have their own text among their references, "
                f"which inflates their scores; remove it from the references of those rows"
            )
        if self.skipped:
            were = "was" if self.skipped == 1 else "were"
            log.warn(f"{counted(self.skipped, 'duplicate output')} {were} skipped, as --duplicates requests")
        short = {name: count for name, count in self.outputs.items() if count < self.num_instances}
        peers = [name for name in short if self.types[name] == "peer"]
        if compared and peers and len(self.outputs) > 1:
            listing = ", ".join(f"'{name}' {short[name]}" for name in peers[:5])
            log.warn(
                f"{len(peers)} of {len(self.outputs)} systems have outputs for fewer than {self.num_instances} inputs "
                f"({listing}{', …' if len(peers) > 5 else ''}); their scores cover different inputs"
            )


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _has_own_text(instance: EvalInstance) -> bool:
    references = instance.fields.get("references") or ()
    if instance.summarizer_type != "reference" or "summary" not in instance.fields or not _is_list(references):
        return False
    return as_string(instance.fields["summary"]) in map(as_string, references)
