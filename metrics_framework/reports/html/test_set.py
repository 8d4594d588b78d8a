"""The outputs of several systems side by side, a row per sentence; baselines, and the sentences that a page lists."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal

from metrics_framework.common.errors import (
    DataError,
    MissingExtraError,
    Problems,
    UnknownNameError,
    UsageError,
    counted,
)
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import FIELD_CHECKS
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, as_string
from metrics_framework.evaluation.profiles.profile import TaskName
from metrics_framework.reports.html.model import LengthBin, RowField, ScoreColumn, Sentence, System
from metrics_framework.reports.svg import isolated
from metrics_framework.significance.resampling import SEED
from metrics_framework.text.sentences import resolve_splitter, sentence_splitter

Marks = Literal["edits", "matches"]


@dataclass(frozen=True)
class Task:
    """How a report shows the outputs of a task.

    Args:
        name: The name.
        marks: What is marked in outputs: ``edits`` of the source, or ``matches`` with references.
        unit: What the page calls an input.
        title: The heading of a report without a title.
    """

    name: TaskName
    marks: Marks
    unit: str
    title: str


TASKS: dict[TaskName, Task] = {
    task.name: task
    for task in (
        Task("simplification", "edits", "sentence", "Simplification report"),
        Task("summarization", "matches", "input", "Summarization report"),
        Task("translation", "matches", "sentence", "Translation report"),
    )
}
SIMPLIFICATION = TASKS["simplification"]


MAX_VALUES = 1000
"""The most different texts that divide sentences; numbers may be any."""
LONGEST = 100
_MISSING = -1


@dataclass
class RowFields:
    """Collects the fields of rows whose values are short texts, numbers or truth values."""

    _values: dict[str, dict[Any, int]] = field(default_factory=dict)
    _codes: dict[str, dict[str, dict[int, int]]] = field(default_factory=dict)
    _dropped: dict[str, str] = field(default_factory=dict)

    def add(self, index: int, instance: EvalInstance) -> None:
        """Adds the fields of an output."""
        for name, value in instance.fields.items():
            if name in FIELD_CHECKS or name in self._dropped or value is None:
                continue
            values = self._values.setdefault(name, {})
            if not isinstance(value, (str, int, float)) or (isinstance(value, str) and len(value) > LONGEST):
                self._dropped[name] = "its values are not all short texts or numbers"
                continue
            code = values.setdefault((type(value) is bool, value), len(values))
            self._codes.setdefault(name, {}).setdefault(instance.summarizer_id, {})[index] = code
            if len(values) > MAX_VALUES and isinstance(value, str):
                self._dropped[name] = f"it has more than {MAX_VALUES:,} values"

    def finished(self, systems: Sequence[str], size: int, first: str | None = None) -> tuple[list[RowField], list[str]]:
        """Returns the fields, and notes on those that are left out.

        A field with one value for all outputs of a sentence is a field of sentences.

        Args:
            systems: The systems.
            size: The number of sentences.
            first: The field that comes first, by which the page divides the inputs.

        Raises:
            UnknownNameError: if no row has this field.
            UsageError: if the inputs cannot be divided by it.
        """
        fields = []
        for name, of_systems in self._codes.items():
            values = [value for _, value in self._values[name]]
            if len(values) < 2 or name in self._dropped:
                continue
            known_codes = [of_systems.get(system, {}) for system in systems]
            columns = [[codes.get(index, _MISSING) for index in range(size)] for codes in known_codes]
            common = _common(columns)
            codes: list[Sequence[int]] = [*columns] if common is None else [common]
            fields.append(RowField(name, values, codes))
        fields.sort(key=lambda field: field.name != first)
        known = [*(name for name in self._values if name not in self._dropped), *self._dropped]
        if first is not None and first not in known:
            hint = "" if known else "No row has a field that says more about its input; leave --by out"
            raise UnknownNameError("field", first, known, hint)
        if first is not None and (not fields or fields[0].name != first):
            why = self._dropped.get(first, "it has a single value")
            raise UsageError(f"the page cannot divide its inputs by '{first}', because {why}; choose another field")
        dropped = [f"{isolated(name)} ({why})" for name, why in self._dropped.items()]
        return fields, [f"Fields of the rows that cannot divide the list: {', '.join(dropped)}."] if dropped else []


def _common(columns: Sequence[Sequence[int]]) -> list[int] | None:
    """Returns the codes of the sentences, `None` if two outputs for a sentence differ."""
    common = list(columns[0])
    for column in columns[1:]:
        for index, code in enumerate(column):
            if common[index] == _MISSING:
                common[index] = code
            elif code not in (_MISSING, common[index]):
                return None
    return common


MAX_SYSTEMS = 20
MAX_CHARACTERS = 30_000_000
"""The greatest number of characters of all documents that a page embeds."""
FIELDS = ("source", "references", "documents")
LengthOf = Literal["source", "documents", "first reference"]
_MEASURED: dict[LengthOf, Callable[[Sentence], list[str]]] = {
    "documents": lambda one: one.documents,
    "source": lambda one: [] if one.source is None else [one.source],
    "first reference": lambda one: one.references[:1],
}
LENGTH_BINS = 5


@dataclass
class TestSet:
    """The sentences and the outputs of the systems.

    Args:
        sentences: The inputs, in the order in which they were read.
        systems: Summarizer id to its output for each sentence, `None` if missing.
        others: The number of outputs of type ``reference``, which are left out.
        task: The task.
        firsts: The first output that was read for each sentence, with all its fields.
        fields: The other fields of the rows.
    """

    __test__ = False  # tells pytest that this is not a test

    sentences: list[Sentence] = field(default_factory=list)
    systems: dict[str, list[str | None]] = field(default_factory=dict)
    others: int = 0
    task: Task = SIMPLIFICATION
    firsts: list[EvalInstance] = field(default_factory=list)
    fields: RowFields = field(default_factory=RowFields)
    _indices: dict[str, int] = field(default_factory=dict)
    _problems: Problems = field(default_factory=Problems)

    def add(self, instance: EvalInstance) -> int | None:
        """Adds an output, and returns the index of its sentence; `None` for an output of type ``reference``."""
        if instance.summarizer_type != "peer":
            self.others += 1
            return None
        index = self._indices.setdefault(instance.instance_id, len(self._indices))
        if index == len(self.sentences):
            self.firsts.append(instance)
            self.sentences.append(_sentence(instance, self.task))
        elif (problem := _contradiction(self.firsts[index], instance, self.task)) is not None:
            self._problems.add(problem)
        texts = self.systems.setdefault(instance.summarizer_id, [])
        texts.extend([None] * (index + 1 - len(texts)))
        texts[index] = as_string(instance.fields.get("summary", ""))
        self.fields.add(index, instance)
        return index

    def finish(self) -> None:
        """Checks the outputs that were added.

        Raises:
            DataError: if two outputs for one input differ in the source or in the references.
            UsageError: if there are no outputs of systems, or of too many.
        """
        self._problems.raise_any()
        if not self.systems:
            raise UsageError(f"there are no outputs of type 'peer'; all {self.others} outputs are of type 'reference'")
        if len(self.systems) > MAX_SYSTEMS:
            raise UsageError(
                f"a report can compare at most {MAX_SYSTEMS} systems, got {len(self.systems)}; make several reports"
            )
        for texts in self.systems.values():
            texts.extend([None] * (len(self.sentences) - len(texts)))

    @property
    def number_of_references(self) -> str:
        """The number of references per sentence, as in signatures: ``8``, or ``1-10`` if it varies."""
        counts = [len(sentence.references) for sentence in self.sentences]
        least, greatest = min(counts), max(counts)
        return str(least) if least == greatest else f"{least}-{greatest}"

    @property
    def length_of(self) -> LengthOf | None:
        """The texts by whose length the sentences are divided: the first kind that all have, `None` without any."""
        return next((kind for kind, texts in _MEASURED.items() if all(map(texts, self.sentences))), None)

    def lengths(self) -> list[int]:
        """Returns the number of words of the texts of each sentence that `length_of` names; empty without any."""
        kind = self.length_of
        return [] if kind is None else [sum(map(words, _MEASURED[kind](one))) for one in self.sentences]

    def bins(self) -> tuple[list[list[int]], list[LengthBin]]:
        """Divides the sentences into up to five bins of about equal size, by their `lengths`.

        Returns:
            The indices of the sentences of each bin, and a description of each bin. Sentences of equal length are in
            one bin, as in the buckets of the page.
        """
        lengths = self.lengths()
        if not lengths:
            return [], []
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        ends = [0]
        for number in range(1, LENGTH_BINS + 1):
            end = max(ends[-1] + 1, len(order) * number // LENGTH_BINS)
            while end < len(order) and lengths[order[end]] == lengths[order[end - 1]]:
                end += 1
            ends.append(min(end, len(order)))
        indices = [order[start:end] for start, end in pairwise(ends) if start < end]
        return indices, [LengthBin(lengths[in_bin[0]], lengths[in_bin[-1]], len(in_bin)) for in_bin in indices]


def words(text: str) -> int:
    """Counts the words of a text, split at whitespace.

    >>> words("  A cat, a dog. ")
    4
    """
    return len(text.split())


def mean(numbers: Sequence[float]) -> float | None:
    """Returns the mean, `None` without numbers."""
    return plain_sum(numbers) / len(numbers) if numbers else None


def _sentence(instance: EvalInstance, task: Task) -> Sentence:
    """Returns an input; the source of a summary is its only document, if it has no documents."""
    source, references, documents = (instance.fields.get(name) for name in FIELDS)
    texts = [as_string(text) for text in references or ()]
    if task.name != "summarization":
        return Sentence(instance.instance_id, None if source is None else as_string(source), texts)
    documents = documents or ([] if source is None else [source])
    return Sentence(instance.instance_id, None, texts, [as_string(document) for document in documents])


def _contradiction(first: EvalInstance, instance: EvalInstance, task: Task) -> DataError | None:
    for name in FIELDS if task.name == "summarization" else FIELDS[:2]:
        if instance.fields.get(name) != first.fields.get(name):
            shared = "documents" if task.name == "summarization" else "sources"
            where = f"{first.path}:{first.line}" if first.path else f"that of '{first.summarizer_id}'"
            return DataError(
                f"'{name}' of '{instance.instance_id}' differs from {where}; "
                f"the systems of a report must have the same {shared} and references",
                instance.path,
                instance.line,
            )
    return None


SHARE = 0.8
LEAD = 3
_BATCH = 2048
_MAX_SPLIT = 5000
"""The number of characters that are split to find the first sentences: splitters are slow on long texts."""


@dataclass(frozen=True)
class Baseline:
    """A baseline, whose outputs are made of the fields of the first output for each sentence.

    Args:
        name: The name.
        about: A description of its outputs.
        firsts: The first outputs.
        summary: Returns the output.
        references: Returns the references, if they are fewer than those of systems.
    """

    name: str
    about: str
    firsts: Sequence[EvalInstance]
    summary: Callable[[Any], Any]
    references: Callable[[Any], Any] | None = None

    def batches(self) -> Iterator[list[EvalInstance]]:
        """Yields the output for each sentence in batches, with the fields that metrics need."""
        for start in range(0, len(self.firsts), _BATCH):
            yield list(map(self._made, self.firsts[start : start + _BATCH]))

    def _made(self, first: EvalInstance) -> EvalInstance:
        fields = dict(first.fields, summary=self.summary(first.fields))
        if self.references is not None:
            fields["references"] = self.references(first.fields)
        return EvalInstance(first.instance_id, "baseline", "peer", fields, first.path, first.line)


def baselines(test_set: TestSet) -> tuple[list[Baseline], list[str]]:
    """Returns the baselines of a test set, and notes on those that its texts do not allow.

    The first words of the source are a baseline of simplification only, and the first sentences of the documents one of
    summarization. The outputs of the baseline of one reference, the first references, are scored against one reference
    fewer than the outputs of systems.
    """
    made, notes = list[Baseline](), list[str]()
    task, firsts = test_set.task, test_set.firsts
    if task.name == "summarization":
        made, notes = _lead(test_set)
    elif all(sentence.source is not None for sentence in test_set.sentences):
        made.append(Baseline("source copied", "the source, unchanged", firsts, itemgetter("source")))
    if task.name == "simplification":
        about = "the first 80 % of the words of the source, rounded down, at least one (EASSE then adds a full stop)"
        made.append(Baseline("first 80 % of the words", about, firsts, lambda of: first_words(as_string(of["source"]))))
    if min(len(sentence.references) for sentence in test_set.sentences) > 1:
        about = (
            f"the first reference of each {task.unit}, scored against its other references; as they are fewer than "
            "those of systems, it is not compared with them"
        )
        made.append(
            Baseline("one reference", about, firsts, lambda of: of["references"][0], lambda of: of["references"][1:])
        )
    else:
        notes.append(f"No baseline of one reference: at least one {task.unit} has fewer than two references.")
    return made, notes


def _lead(test_set: TestSet) -> tuple[list[Baseline], list[str]]:
    """Returns the baseline of the first sentences of the documents, or why there is none."""
    name = f"first {LEAD} sentences"
    if not all(sentence.documents for sentence in test_set.sentences):
        return [], [f"No baseline of the {name}: at least one {test_set.task.unit} has no documents."]
    try:
        leads = {id(of): lead(of.get("documents") or [of["source"]]) for of in (one.fields for one in test_set.firsts)}
    except MissingExtraError as error:
        return [], [f"No baseline of the {name}: {error}."]
    return [Baseline(name, f"the {name} of the documents", test_set.firsts, lambda of: leads[id(of)])], []


def lead(documents: Sequence[Text], number: int = LEAD) -> list[str]:
    """Returns the first sentences of documents.

    Raises:
        MissingExtraError: if a document is a string, and no sentence splitter is installed.

    >>> lead([["One.", "Two."], ["Three.", "Four."]])
    ['One.', 'Two.', 'Three.']
    """
    sentences: list[str] = []
    for document in documents:
        if len(sentences) >= number:
            break
        if isinstance(document, str):
            split = sentence_splitter(resolve_splitter("auto"))
            sentences += [one.strip() for one in split(document[:_MAX_SPLIT])]
        else:
            sentences += document
    return sentences[:number]


def first_words(source: str, share: float = SHARE) -> str:
    """Returns the first words of a text.

    >>> first_words("one two three four five six")
    'one two three four'
    """
    words = source.split()
    return " ".join(words[: max(1, int(share * len(words) + 1e-9))])


MAX_OUTPUTS = 200_000
"""The most outputs that a page lists."""


@dataclass(frozen=True)
class Selection:
    """Which sentences a page lists; all by default.

    Args:
        worst: The number of sentences with the worst scores to list.
        sample: The number of random sentences to list.
        seed: The seed of the random choice.
        most: The most outputs that a page lists.
    """

    worst: int | None = None
    sample: int | None = None
    seed: int = SEED
    most: int = MAX_OUTPUTS


def listed_sentences(
    selection: Selection, systems: Sequence[System], columns: Sequence[ScoreColumn], unit: str
) -> tuple[list[int] | None, str]:
    """Chooses the sentences that a page lists.

    Args:
        selection: What to list.
        systems: The systems and baselines, filled in.
        columns: The scores.
        unit: What a sentence is called.

    Returns:
        The indices of the sentences, and a description of the choice for the page; `None` if all are listed.

    Raises:
        UsageError: if there are too many outputs to list, or no score has a direction.
    """
    peers = [system for system in systems if system.kind == "system"]
    size, outputs = len(peers[0].texts), sum(system.outputs for system in peers)
    how: list[str] = []
    chosen: set[int] = set()
    if selection.worst is not None:
        column = _judging(columns)
        chosen.update(_worst(column, peers, size)[: selection.worst])
        how.append(f"the {counted(len(chosen), unit)} with the worst mean {column.title} of all systems")
    if selection.sample is not None:
        drawn = random.Random(selection.seed).sample(range(size), min(size, selection.sample))
        chosen.update(drawn)
        how.append(f"a random sample of {counted(len(drawn), unit)} (seed {selection.seed})")
    listed = len(chosen) / size * outputs if how else outputs
    if listed > selection.most:
        fewer = max(1, selection.most // len(peers))
        raise UsageError(
            f"a page lists at most {selection.most:,} outputs, got {outputs:,} of {counted(size, unit)}; list some of "
            f"them, such as --worst {fewer} or --sample {fewer}; tables cover all outputs in any case"
        )
    if not how or len(chosen) == size:
        return None, ""
    return sorted(chosen), f"This page lists {len(chosen):,} of {size:,} {unit}s: {' and '.join(how)}."


def _judging(columns: Sequence[ScoreColumn]) -> ScoreColumn:
    """Returns the first main score with a direction."""
    found = next((column for column in columns if column.main and column.better is not None), None)
    if found is None:
        raise UsageError("the worst outputs are unknown, because no score of this report has a direction; use --sample")
    return found


def _worst(column: ScoreColumn, peers: Sequence[System], size: int) -> list[int]:
    """Returns the indices of sentences, those with the worst mean score first, those without a score last."""
    sums, counts = [0.0] * size, [0] * size
    for system in peers:
        for index, value in enumerate(system.values.get(column.name, ())):
            if value is not None:
                sums[index] += value
                counts[index] += 1
    sign = 1 if column.better == "higher" else -1
    means = [sign * total / count if count else float("inf") for total, count in zip(sums, counts, strict=True)]
    return sorted(range(size), key=lambda index: (means[index], index))
