"""Baselines that need no system: the source copied, its first words, one reference against the others."""

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
    """Holds a baseline.

    Args:
        name: Its name.
        about: What it does.
        outputs: Its output for each sentence, with the fields that metrics need.
    """

    name: str
    about: str
    outputs: Sequence[EvalInstance]


def baselines(test_set: TestSet) -> Iterator[Baseline]:
    """Makes the baselines of a test set; that of the references only where every sentence has two or more.

    Its outputs are the first references, each scored against the others of its sentence, which are one fewer than
    the systems are scored against.
    """
    yield Baseline("source copied", "the source as it is", _outputs(test_set, lambda fields: fields["source"]))
    yield Baseline(
        "first 80 % of the words",
        "as many of the first words of the source as make 80 % of them, rounded down; one at least",
        _outputs(test_set, lambda fields: shortened(as_string(fields["source"]))),
    )
    if min(len(sentence.references) for sentence in test_set.sentences) > 1:
        yield Baseline(
            "one reference",
            "the first reference of each sentence, scored against the others of that sentence",
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
    """Makes an output of the fields of every sentence, as the first system that has them gives them."""
    made = []
    for outputs in zip(*test_set.systems.values(), strict=True):
        first = next(one for one in outputs if one is not None)
        fields = dict(first.fields, summary=summary(first.fields))
        if references is not None:
            fields["references"] = references(first.fields)
        made.append(EvalInstance(first.instance_id, "baseline", "peer", fields, first.path, first.line))
    return made
