"""Counts the input of a run, for signatures and warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.errors import DataError, TextWarning, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import turn_note
from metrics_framework.data.texts import Text
from metrics_framework.inputs.checks import SYSTEMS_NAMED, MetricNeeds, TextSample
from metrics_framework.inputs.keys import RowCounts, similar_names
from metrics_framework.metrics.base.metric import LabelledMetric

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader


Lengths: TypeAlias = tuple[int, int, int]
NUMBERED = (
    "rows have no 'instance_id', so they are numbered by their position in each file, as outputs of one system; if "
    "columns have the id of the input or the system, name them with --columns instance_id=COLUMN,system_id=COLUMN"
)
LEFT_OUT = "left out"


@dataclass
class InputSummary(RowCounts):
    """Counts of the input of a run.

    Attributes:
        outputs: Maps each summarizer id to its number of outputs.
        types: Maps each summarizer id to its type.
        references: The lowest and highest number of references.
        texts: The first texts of each system, for the checks of texts; `None` for no checks.
        needs: What the metrics need of texts.
        longest: Maps metrics to the lengths of the two texts whose comparison takes longest, if they are long, and to
            the length from which it takes a second.
        skipped: The number of outputs skipped because of ``--duplicates first`` or ``last``.
        columns: The columns that fields were read from, if they were named: ``COLUMN``, or ``COLUMN+COLUMN``.
        where: The conditions that rows had to meet.
        num_instances: The number of inputs; set after the last batch.
    """

    outputs: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    references: tuple[int, int] | None = None
    texts: TextSample | None = None
    needs: Sequence[MetricNeeds] = ()
    longest: dict[str, Lengths] = field(default_factory=dict)
    skipped: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    num_instances: int = 0
    _noted = False  # no field: whether long texts were reported

    def add(
        self, batch: ColumnBatch, fields: Collection[str] = ("summary",), metrics: Sequence[LabelledMetric] = ()
    ) -> None:
        """Counts the outputs of a batch.

        Args:
            batch: The outputs.
            fields: The fields that the metrics need.
            metrics: The metrics, which determine what is counted besides.
        """
        self.needs = self.needs or [one.needs for one in metrics]
        for system, indices in batch.by_system.items():
            self.outputs[system] = self.outputs.get(system, 0) + len(indices)
        if "summary" in fields:
            if self.texts is not None:
                self.texts.add(batch)
            if slow := [one for one in metrics if one.metric.slow_above is not None]:
                self._add_long_texts(batch, slow)
        references = batch.column("references")
        lists = references if set(map(type, references)) == {list} else filter(_is_list, references)
        counts = set(map(len, lists))
        if counts:
            lowest, highest = self.references or (min(counts), max(counts))
            self.references = (min(lowest, *counts), max(highest, *counts))

    def _add_long_texts(self, batch: ColumnBatch, metrics: Sequence[LabelledMetric]) -> None:
        """Finds the pair of texts of a batch whose comparison takes longest."""
        lengths = list(map(_length, batch.column("summary")))
        for one in metrics:
            limit, name = one.metric.slow_above or 0, one.metric.slow_with
            if max(lengths, default=0) * _LARGEST_RATIO > limit:
                for length, others in zip(lengths, batch.column(name), strict=True):
                    other = max(map(_length, others), default=0) if name == "references" else _length(others)
                    self._keep_longer(one.label, (length, other, limit))

    def _keep_longer(self, label: str, lengths: Lengths) -> None:
        first, second, _ = self.longest.get(label, (lengths[2],) * 3)
        if lengths[0] * lengths[1] > first * second:
            self.longest[label] = lengths

    def add_rows(self, reader: DatasetReader) -> None:
        """Adds what happened to the rows that a reader has read: which were left out, and how fields were found.

        Raises:
            UsageError: if the reader has read rows without its view.
        """
        counts = reader.take_row_counts()
        if reader.view is not None:
            if self.outputs and not counts.is_viewed:
                name = reader.registered_name or type(reader).__name__
                raise UsageError(f"--columns and --where have no effect on the dataset reader '{name}'; leave them out")
            self.columns = {name: "+".join(sources) for name, sources in reader.view.columns.items()}
            self.where = list(map(str, reader.view.where))
        self.add_counts(counts)

    def merge(self, other: InputSummary, starts: Mapping[str, int] | None = None) -> None:
        """Adds the counts of later input; the number of inputs is not added, because both may have the same inputs.

        Args:
            other: The counts.
            starts: The number of lines of each file before the other input.
        """
        if self.texts is not None and other.texts is not None:
            self.texts.merge(other.texts, starts or {})
        self.needs = self.needs or other.needs
        for label, lengths in other.longest.items():
            self._keep_longer(label, lengths)
        for system, count in other.outputs.items():
            self.outputs[system] = self.outputs.get(system, 0) + count
        for system, output_type in other.types.items():
            self.types.setdefault(system, output_type)
        ranges = [found for found in (self.references, other.references) if found is not None]
        if ranges:
            self.references = min(low for low, _ in ranges), max(high for _, high in ranges)
        self.skipped += other.skipped
        self.columns, self.where = self.columns or other.columns, self.where or other.where
        self.add_counts(other)

    @property
    def number_of_references(self) -> str:
        """The number of references as in a signature: ``8``, or ``1-10`` where it varies."""
        lowest, highest = self.references or (0, 0)
        return str(lowest) if lowest == highest else f"{lowest}-{highest}"

    def note_long_texts(self, log: Log) -> None:
        """Reports once which texts are long; it is called before they are scored, to explain a long run."""
        if not self._noted:
            for label, (first, second, limit) in self.longest.items():
                log.note(
                    f"'{label}' compares a text of {first:,} characters with one of {second:,}, which can take "
                    f"minutes: its time grows faster than the texts, and may exceed a second above {limit:,} "
                    "characters each. To score faster, split texts into segments, such as paragraphs"
                )
        self._noted = True

    def check_texts(self, log: Log) -> None:
        """Reports once what the checks of texts find; a run calls it before it scores, if its input is small.

        Raises:
            DataError: if they find anything and the run is strict.
        """
        if self.texts is not None and not self.texts.is_reported:
            self.texts.is_reported = True
            needs = [
                one._replace(expects_detokenized=one.expects_detokenized and not log.are_detokenized)
                for one in self.needs
            ]
            warnings, notes = self.texts.lines(needs, log.option_form)
            if warnings:
                log.warn_all(warnings, TextWarning)
            for note in notes:
                log.note(note)

    def warn(self, log: Log, compared: bool = False) -> None:
        """Warns of input that may mislead: skipped or missing outputs, and what the checks of texts find.

        Args:
            log: Receives the warnings.
            compared: Whether systems are compared, so that missing outputs matter.
        """
        self.check_texts(log)
        for note in self._row_notes():
            log.note(note)
        if len(self.outputs) > 1 and (alike := similar_names("systems", self.outputs, "output")):
            log.warn(alike)
        if self.skipped:
            were = "was" if self.skipped == 1 else "were"
            log.warn(f"{counted(self.skipped, 'duplicate output')} {were} skipped, as --duplicates requests")
        if self.longest:
            self.note_long_texts(log)
        short = {name: count for name, count in self.outputs.items() if count < self.num_instances}
        peers = [name for name in short if self.types[name] == "peer"]
        if compared and peers and len(self.outputs) > 1:
            have = "has" if len(peers) == 1 else "have"
            named = [f"'{name}' {short[name]}" for name in peers[:SYSTEMS_NAMED]] + ["…"] * (len(peers) > SYSTEMS_NAMED)
            log.warn(
                f"{len(peers)} of {len(self.outputs)} systems {have} "
                f"outputs for fewer than {self.num_instances} inputs "
                f"({', '.join(named)}); their scores cover different inputs"
            )

    def rows_as_json(self) -> dict[str, Any]:
        """Returns how rows were read, for files of results; nothing if all were read as they are."""
        written: dict[str, Any] = {"columns": self.columns} if self.columns else {}
        return {**written, "where": self.where, "left_out": self.left_out} if self.where else written

    def _row_notes(self) -> Iterator[str]:
        if self.is_numbered:
            yield NUMBERED
        if self.turn:
            yield turn_note(self.turn)
        if self.where:
            yield left_out_note(self.left_out, self.where)
        for column, name in self.unused.items():
            yield f"'{name}' is read from '{self.columns.get(name, '')}', so the column '{column}' is not used"


def left_out_note(count: int, where: Sequence[str]) -> str:
    """Returns how many rows did not meet the conditions."""
    from metrics_framework.inputs.row_view import flags_of_conditions

    return f"{LEFT_OUT} {counted(count, 'row')}, as {flags_of_conditions(where)} requests"


def no_outputs(summary: InputSummary, input_files: Sequence[str]) -> DataError:
    """Returns the error for input without outputs; if conditions left out all rows, it shows the values of columns."""
    from metrics_framework.inputs.row_view import all_left_out

    path = ", ".join(input_files)
    if not summary.left_out:
        return DataError("contains no outputs; there is nothing to score", path)
    return DataError(all_left_out(summary.where, summary.left_out, summary.values), path)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


_LARGEST_RATIO = 20
"""How much longer a text that a summary is compared with may be; pairs with a larger ratio are not looked for."""


def _length(text: Text | None) -> int:
    return len(text or "") if text is None or isinstance(text, str) else sum(map(len, text))
