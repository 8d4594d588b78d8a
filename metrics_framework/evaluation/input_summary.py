"""Counts the input of a run, for signatures and warnings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, TextWarning, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.texts import Text
from metrics_framework.inputs.checks import MetricNeeds, TextSample
from metrics_framework.inputs.keys import similar_names
from metrics_framework.metrics.base.metric import LabelledMetric

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader
    from metrics_framework.inputs.row_view import RowCounts


SYSTEMS_NAMED = 5
"""The largest number of systems that a warning names."""
VALUES_NAMED = 10
"""The largest number of values of a column that an error names."""
NUMBERED = (
    "rows have no 'instance_id', so they are numbered by their position in each file, as outputs of one system; if "
    "columns have the id of the input or the system, name them with --columns instance_id=COLUMN,system_id=COLUMN"
)
LEFT_OUT = "left out"


@dataclass
class InputSummary:
    """Counts of the input of a run.

    Attributes:
        outputs: Maps each summarizer id to its number of outputs.
        types: Maps each summarizer id to its type.
        references: The lowest and highest number of references.
        texts: The first texts of each system, for the checks of texts; `None` for no checks.
        needs: What the metrics need of texts.
        line_metrics: The metrics whose sentences are lines of texts.
        lines: Counts of texts with line breaks or sentences, for these metrics.
        slow_metrics: Maps each metric that is slow for long texts to its `slow_above` and `slow_with`.
        longest: Maps metrics to the lengths of the two texts whose comparison takes longest, if they are long.
        skipped: The number of outputs skipped because of ``--duplicates first`` or ``last``.
        columns: The columns that fields were read from, if they were named: ``COLUMN``, or ``COLUMN+COLUMN``.
        where: The conditions that rows had to meet.
        left_out: The number of rows that did not.
        values: The columns of conditions that were not met, and how many of these rows have each value.
        unused: Columns with the name of a field that was read from another column, and that field.
        is_numbered: Whether the rows of files have no ids, so that they were numbered.
        turn: The column of turns of a dialogue, which are part of the ids; empty if there is none.
        num_instances: The number of inputs; set after the last batch.
    """

    outputs: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    references: tuple[int, int] | None = None
    texts: TextSample | None = None
    needs: Sequence[MetricNeeds] = ()
    line_metrics: Sequence[str] = ()
    lines: dict[str, int] = field(default_factory=dict)
    slow_metrics: dict[str, Sequence[Any]] = field(default_factory=dict)
    longest: dict[str, Sequence[int]] = field(default_factory=dict)
    skipped: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    left_out: int = 0
    values: dict[str, dict[str, int]] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)
    is_numbered: bool = False
    turn: str = ""
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
        if metrics:
            self.needs = self.needs or [one.needs for one in metrics]
            self.line_metrics = [one.label for one in metrics if one.metric.compares_lines]
            slow = [(one.label, one.metric.slow_above, one.metric.slow_with) for one in metrics]
            self.slow_metrics = {label: (above, field) for label, above, field in slow if above is not None}
        for system, count in Counter(batch.systems).items():
            self.outputs[system] = self.outputs.get(system, 0) + count
        if "summary" in fields:
            summaries = batch.column("summary")
            if self.texts is not None:
                self.texts.add(batch)
            if self.slow_metrics:
                find_long_texts(self.longest, self.slow_metrics, batch)
            if self.line_metrics:
                count_lines(self.lines, "outputs", summaries)
                references_list = filter(_is_list, batch.column("references"))
                count_lines(self.lines, "references", chain.from_iterable(references_list))
        references = batch.column("references")
        lists = references if set(map(type, references)) == {list} else filter(_is_list, references)
        counts = set(map(len, lists))
        if counts:
            lowest, highest = self.references or (min(counts), max(counts))
            self.references = (min(lowest, *counts), max(highest, *counts))

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
        self._merge_rows(counts)

    def _merge_rows(self, other: InputSummary | RowCounts) -> None:
        self.left_out += other.left_out
        for column, counts in other.values.items():
            merged = self.values.setdefault(column, {})
            for value, count in counts.items():
                merged[value] = merged.get(value, 0) + count
        self.unused.update(other.unused)
        self.is_numbered = self.is_numbered or other.is_numbered
        self.turn = self.turn or other.turn

    def merge(self, other: InputSummary, starts: Mapping[str, int] | None = None) -> None:
        """Adds the counts of later input; the number of inputs is not added, because both may have the same inputs.

        Args:
            other: The counts.
            starts: The number of lines of each file before the other input.
        """
        if self.texts is not None and other.texts is not None:
            self.texts.merge(other.texts, starts or {})
        for name in ("needs", "line_metrics", "slow_metrics"):
            setattr(self, name, getattr(self, name) or getattr(other, name))
        for label, lengths in other.longest.items():
            keep_longer(self.longest, label, lengths)
        for name in ("outputs", "lines"):
            counts = getattr(self, name)
            for system, count in getattr(other, name).items():
                counts[system] = counts.get(system, 0) + count
        for system, output_type in other.types.items():
            self.types.setdefault(system, output_type)
        ranges = [found for found in (self.references, other.references) if found is not None]
        if ranges:
            self.references = min(low for low, _ in ranges), max(high for _, high in ranges)
        self.skipped += other.skipped
        self.columns, self.where = self.columns or other.columns, self.where or other.where
        self._merge_rows(other)

    @property
    def number_of_references(self) -> str:
        """The number of references as in a signature: ``8``, or ``1-10`` where it varies."""
        lowest, highest = self.references or (0, 0)
        return str(lowest) if lowest == highest else f"{lowest}-{highest}"

    def note_long_texts(self, log: Log) -> None:
        """Reports once which texts are long; it is called before they are scored, to explain a long run."""
        if not self._noted:
            for note in long_text_notes(self.longest, self.slow_metrics):
                log.note(note)
        self._noted = True

    def check_texts(self, log: Log) -> None:
        """Reports once what the checks of texts find; a run calls it before it scores, if its input is small.

        Raises:
            DataError: if they find anything and the run is strict.
        """
        if self.texts is not None and not self.texts.is_reported:
            self.texts.is_reported = True
            if lines := self.texts.lines(self.needs, log.option_form):
                log.warn_all(lines, TextWarning)

    def warn(self, log: Log, compared: bool = False, scored: bool = True) -> None:
        """Warns of input that may mislead: skipped or missing outputs, and what the checks of texts find.

        Args:
            log: Receives the warnings.
            compared: Whether systems are compared, so that missing outputs matter.
            scored: Whether outputs are scored.
        """
        self.check_texts(log)
        for note in self._row_notes():
            log.note(note)
        for warning in self._key_warnings():
            log.warn(warning)
        if scored and self.longest:
            self.note_long_texts(log)
        if scored and self.lines:
            for note in line_notes(self.lines, self.line_metrics):
                log.note(note)
        short = {name: count for name, count in self.outputs.items() if count < self.num_instances}
        peers = [name for name in short if self.types[name] == "peer"]
        if compared and peers and len(self.outputs) > 1:
            have = "has" if len(peers) == 1 else "have"
            log.warn(
                f"{len(peers)} of {len(self.outputs)} systems {have} "
                f"outputs for fewer than {self.num_instances} inputs "
                f"({_listing(peers, lambda name: str(short[name]))}); their scores cover different inputs"
            )

    def rows_as_json(self) -> dict[str, Any]:
        """Returns how rows were read, for files of results; nothing if all were read as they are."""
        written: dict[str, Any] = {"columns": self.columns} if self.columns else {}
        return {**written, "where": self.where, "left_out": self.left_out} if self.where else written

    def _row_notes(self) -> Iterator[str]:
        if self.is_numbered:
            yield NUMBERED
        if self.turn:
            yield f"'{self.turn}' is part of the ids of inputs, as the turn of a dialogue"
        if self.where:
            yield left_out_note(self.left_out, self.where)
        for column, name in self.unused.items():
            yield f"'{name}' is read from '{self.columns.get(name, '')}', so the column '{column}' is not used"

    def _key_warnings(self) -> Iterator[str]:
        alike = similar_names("systems", self.outputs, "output")
        if alike is not None:
            yield alike
        if self.skipped:
            were = "was" if self.skipped == 1 else "were"
            yield f"{counted(self.skipped, 'duplicate output')} {were} skipped, as --duplicates requests"


def left_out_note(count: int, where: Sequence[str]) -> str:
    """Returns how many rows did not meet the conditions."""
    return f"{LEFT_OUT} {counted(count, 'row')}, as {_flags(where)} requests"


def no_outputs(summary: InputSummary, input_files: Sequence[str]) -> DataError:
    """Returns the error for input without outputs; if conditions left out all rows, it shows the values of columns."""
    from metrics_framework.common.errors import advice

    path = ", ".join(input_files)
    if not summary.left_out:
        return DataError("contains no outputs; there is nothing to score", path)
    listings = []
    for column, values in summary.values.items():
        most = sorted(values, key=lambda value: -values[value])[:VALUES_NAMED]
        named = ", ".join(f"'{value}' ({values[value]})" for value in most)
        listings.append(f"'{column}' has the values {named}{', …' if len(values) > len(most) else ''}")
    wanted = [condition.partition("=")[2] for condition in summary.where if "!=" not in condition]
    known = [value for values in summary.values.values() for value in values]
    close = next(filter(None, (advice(value, known) for value in wanted if value not in known)), "")
    return DataError(
        f"{_flags(summary.where)} leaves out all {counted(summary.left_out, 'row')}; {'; '.join(listings)}{close}", path
    )


def _flags(where: Sequence[str]) -> str:
    return " ".join(f"--where {condition}" for condition in where)


def _listing(systems: Collection[str], count: Callable[[str], str]) -> str:
    """Names the first systems, each with a count."""
    named = [f"'{name}' {count(name)}" for name in islice(systems, SYSTEMS_NAMED)]
    return ", ".join([*named, "…"] if len(systems) > SYSTEMS_NAMED else named)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


Lengths = Sequence[int]
"""The numbers of characters of a summary and of a text that it is compared with."""

_LARGEST_RATIO = 20
"""How much longer a text that a summary is compared with may be; pairs with a larger ratio are not looked for."""


def find_long_texts(longest: dict[str, Lengths], slow_metrics: Mapping[str, Sequence[Any]], batch: ColumnBatch) -> None:
    """Finds the pair of texts of a batch whose comparison takes longest.

    Args:
        longest: Maps each metric to the lengths of the slowest pair so far, if any is long.
        slow_metrics: Maps each metric to its `slow_above` and `slow_with`.
        batch: The outputs.
    """
    lengths = list(map(_length, batch.column("summary")))
    for label, (limit, name) in slow_metrics.items():
        if max(lengths, default=0) * _LARGEST_RATIO <= limit:
            continue
        for length, others in zip(lengths, batch.column(name), strict=True):
            other = max(map(_length, others), default=0) if name == "references" else _length(others)
            if length * other > limit**2:
                keep_longer(longest, label, (length, other))


def keep_longer(longest: dict[str, Lengths], label: str, lengths: Lengths) -> None:
    """Replaces the lengths of a metric if comparing texts of the given lengths takes longer."""
    before = longest.get(label, (0, 0))
    if lengths[0] * lengths[1] > before[0] * before[1]:
        longest[label] = tuple(lengths)


def long_text_notes(longest: Mapping[str, Lengths], slow_metrics: Mapping[str, Sequence[Any]]) -> list[str]:
    """Returns what a run reports: a note for each metric with long texts."""
    return [
        f"'{label}' compares a text of {first:,} characters with one of {second:,}, which can take minutes: "
        f"its time grows faster than the texts, and may exceed a second above {slow_metrics[label][0]:,} "
        "characters each. To score faster, split texts into segments, such as paragraphs"
        for label, (first, second) in longest.items()
    ]


def _length(text: Text | None) -> int:
    if text is None or isinstance(text, str):
        return len(text or "")
    return sum(map(len, text))


SAMPLE = 1000
"""The number of texts, of outputs and of references, in which sentences are searched for."""
_ENDS_BEFORE_THE_END = re.compile(r"[.!?][\"'”’)\]]*\s+[^\s<]").search


def count_lines(counts: dict[str, int], side: str, texts: Iterable[Text]) -> None:
    """Counts texts of several lines and, among the first texts, those with several sentences.

    Args:
        counts: The counts, to which those of the texts are added.
        side: What the texts are: ``outputs`` or ``references``.
        texts: The texts.
    """
    several_lines, total = f"{side} of several lines", f"searched {side}"
    several_sentences = f"{side} of several sentences"
    for text in texts:
        line = text if isinstance(text, str) else "\n".join(text)
        if "\n" in line and "\n" in line.strip():
            counts[several_lines] = counts.get(several_lines, 0) + 1
        if counts.get(total, 0) < SAMPLE:
            counts[total] = counts.get(total, 0) + 1
            if _ENDS_BEFORE_THE_END(line):
                counts[several_sentences] = counts.get(several_sentences, 0) + 1


def line_notes(counts: dict[str, int], line_metrics: Sequence[str]) -> list[str]:
    """Returns what a run reports: at most one note.

    Args:
        counts: Counts of all outputs and references.
        line_metrics: The metrics whose sentences are lines.
    """
    whole = [side for side in ("outputs", "references") if _are_whole(counts, side)]
    if not whole or not line_metrics:
        return []
    return [
        f"{_names(line_metrics)} compared the {' and '.join(whole)} as one sentence each: none has a line break, but "
        "most have several sentences. Scores of texts with one sentence per line differ; to split texts, use "
        f"--sentences auto (or {line_metrics[0]}:sentences=auto)"
    ]


def _are_whole(counts: dict[str, int], side: str) -> bool:
    """Returns whether no text has several lines, but most of the first texts have several sentences."""
    searched, several = counts.get(f"searched {side}", 0), counts.get(f"{side} of several sentences", 0)
    return not counts.get(f"{side} of several lines") and 2 * several > searched


def _names(metrics: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in metrics)
