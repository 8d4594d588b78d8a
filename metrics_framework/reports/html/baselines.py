"""Baselines: the copied source, its first words, the first sentences of documents, and one reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, overload

from metrics_framework.common.errors import MissingExtraError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import Text, as_string
from metrics_framework.reports.html.test_set import TestSet
from metrics_framework.text.sentences import resolve_splitter, sentence_splitter

SHARE = 0.8
LEAD = 3
_BATCH = 2048
_MAX_SPLIT = 5000
"""The number of characters that are split to find the first sentences: splitters are slow on long texts."""


@dataclass(frozen=True)
class Baseline:
    """A baseline.

    Args:
        name: The name.
        about: A description of its outputs.
        outputs: The output for each sentence, with the fields that metrics need.
    """

    name: str
    about: str
    outputs: Sequence[EvalInstance]

    def batches(self) -> Iterator[Sequence[EvalInstance]]:
        """Yields the outputs in batches."""
        for start in range(0, len(self.outputs), _BATCH):
            yield self.outputs[start : start + _BATCH]


class _Outputs(Sequence[EvalInstance]):
    """Outputs that are made when they are read, from the fields of the first output for each sentence."""

    def __init__(self, test_set: TestSet, summary: Callable[[Any], Any], references: Callable[[Any], Any]) -> None:
        self._firsts = test_set.firsts
        self._summary = summary
        self._references = references

    @overrides
    def __len__(self) -> int:
        return len(self._firsts)

    @overload
    def __getitem__(self, index: int) -> EvalInstance: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[EvalInstance]: ...
    @overrides
    def __getitem__(self, index: int | slice) -> Any:
        return (
            list(map(self._made, self._firsts[index])) if isinstance(index, slice) else self._made(self._firsts[index])
        )

    def _made(self, first: EvalInstance) -> EvalInstance:
        fields = dict(first.fields, summary=self._summary(first.fields))
        if "references" in fields:
            fields["references"] = self._references(first.fields)
        return EvalInstance(first.instance_id, "baseline", "peer", fields, first.path, first.line)


def baselines(test_set: TestSet) -> tuple[list[Baseline], list[str]]:
    """Returns the baselines of a test set, and notes on those that its texts do not allow.

    The first words of the source are a baseline of simplification only, and the first sentences of the documents one of
    summarization. The outputs of the baseline of one reference, the first references, are scored against one reference
    fewer than the outputs of systems.
    """
    made, notes = list[Baseline](), list[str]()
    task = test_set.task
    if task.name == "summarization":
        made, notes = _lead(test_set)
    elif all(sentence.source is not None for sentence in test_set.sentences):
        made.append(Baseline("source copied", "the source, unchanged", _outputs(test_set, lambda of: of["source"])))
    if task.name == "simplification":
        made.append(
            Baseline(
                "first 80 % of the words",
                "the first 80 % of the words of the source, rounded down, at least one (EASSE then adds a full stop)",
                _outputs(test_set, lambda of: shortened(as_string(of["source"]))),
            )
        )
    if min(len(sentence.references) for sentence in test_set.sentences) > 1:
        made.append(
            Baseline(
                "one reference",
                f"the first reference of each {task.unit}, scored against its other references",
                _outputs(test_set, lambda of: of["references"][0], lambda of: of["references"][1:]),
            )
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
    return [Baseline(name, f"the {name} of the documents", _outputs(test_set, lambda of: leads[id(of)]))], []


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


def shortened(source: str, share: float = SHARE) -> str:
    """Returns the first words of a text.

    >>> shortened("one two three four five six")
    'one two three four'
    """
    words = source.split()
    return " ".join(words[: max(1, int(share * len(words) + 1e-9))])


def _outputs(
    test_set: TestSet, summary: Callable[[Any], Any], references: Callable[[Any], Any] = itemgetter("references")
) -> Sequence[EvalInstance]:
    return _Outputs(test_set, summary, references)
