"""Baselines: the copied source, its first words, and one reference scored against the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import as_string
from metrics_framework.reports.html.test_set import TestSet

SHARE = 0.8


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


def baselines(test_set: TestSet) -> Iterator[Baseline]:
    """Yields the baselines of a test set; the baseline of one reference needs two references for every sentence.

    Its outputs, the first references, are scored against one reference fewer than the outputs of systems.
    """
    yield Baseline("source copied", "the source, unchanged", _outputs(test_set, lambda fields: fields["source"]))
    yield Baseline(
        "first 80 % of the words",
        "the first 80 % of the words of the source, rounded down, at least one (EASSE then adds a full stop)",
        _outputs(test_set, lambda fields: shortened(as_string(fields["source"]))),
    )
    if min(len(sentence.references) for sentence in test_set.sentences) > 1:
        yield Baseline(
            "one reference",
            "the first reference of each sentence, scored against its other references",
            _outputs(test_set, lambda fields: fields["references"][0], lambda fields: fields["references"][1:]),
        )


def shortened(source: str, share: float = SHARE) -> str:
    """Returns the first words of a text.

    >>> shortened("one two three four five six")
    'one two three four'
    """
    words = source.split()
    return " ".join(words[: max(1, int(share * len(words) + 1e-9))])


def _outputs(test_set: TestSet, summary: Any, references: Any = None) -> list[EvalInstance]:
    """Builds an output for every sentence from the fields of the first system that has one."""
    made = []
    for outputs in zip(*test_set.systems.values(), strict=True):
        first = next(output for output in outputs if output is not None)
        fields = dict(first.fields, summary=summary(first.fields))
        if references is not None:
            fields["references"] = references(first.fields)
        made.append(EvalInstance(first.instance_id, "baseline", "peer", fields, first.path, first.line))
    return made
