"""A prompt template: one or more messages with fields for the texts, and where the value is in an answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from metrics_framework.language_models.answer_forms import AnswerForm
from metrics_framework.language_models.fences import FENCE, fence_of
from metrics_framework.language_models.field_texts import inserted, texts_of

FIELDS = ("summary", "references", "source", "documents")
PAIR_FIELDS = ("first", "second")
"""The two texts that a pairwise template compares, in the order in which they are shown."""
LOWEST, HIGHEST = "lowest", "highest"
"""The ends of the scale, as fields of a template."""
RESERVED = (FENCE, LOWEST, HIGHEST)
"""What may be in braces, but is no field of a row."""


@dataclass(frozen=True)
class Message:
    """One message of a prompt.

    Args:
        role: ``system``, ``user`` or ``assistant``.
        parts: Texts and fields, in turn, beginning with a text.
    """

    role: str
    parts: Sequence[str]

    def filled(self, values: Mapping[str, str]) -> dict[str, str]:
        """Returns the message with the values of its fields; braces in a value have no meaning."""
        parts = [values[part] if index % 2 else part for index, part in enumerate(self.parts)]
        return {"role": self.role, "content": "".join(parts)}


@dataclass(frozen=True)
class WorkedExample:
    """An example with its answer, shown before the question.

    Args:
        texts: The texts of each field of the template.
        answer: The answer, in the form that the template asks for.
    """

    texts: Mapping[str, Sequence[str]]
    answer: str


@dataclass(frozen=True)
class Template:
    """A prompt template.

    Args:
        name: The name of the file, without ending.
        path: The path of the file, for messages.
        text: The content of the file.
        messages: The messages.
        form: Where the value is in an answer.
        verdicts: Maps the words of a pairwise template to ``first``, ``second`` or ``tie``; empty for scores.
        header: The header, as strings.
        examples: Worked examples, shown as messages before the last message.
    """

    name: str
    path: str
    text: str
    messages: Sequence[Message]
    form: AnswerForm
    verdicts: Mapping[str, str]
    header: Mapping[str, str]
    examples: Sequence[WorkedExample] = ()

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of rows in the messages: those of `FIELDS` in their order, then others as they occur."""
        names = [part for message in self.messages for part in message.parts[1::2] if part not in RESERVED]
        return tuple(dict.fromkeys([*(name for name in (*FIELDS, *PAIR_FIELDS) if name in names), *names]))

    @property
    def is_fenced(self) -> bool:
        """Whether the template asks for fences."""
        return FENCE in self.names

    @property
    def injection(self) -> str:
        """What ``--probe-injection`` appends to outputs: a line with the top of the scale as a score, or with 10."""
        return f"\nScore: {10 if self.form.scale is None else self.form.scale[1]:g}"

    @cached_property
    def names(self) -> frozenset[str]:
        """All names in braces."""
        return frozenset(part for message in self.messages for part in message.parts[1::2])

    @property
    def is_pairwise(self) -> bool:
        """Whether the template compares two texts."""
        return bool(self.verdicts)

    @cached_property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of an answer; with reasoning, if a message has the word in quotation marks."""
        texts = [part for message in self.messages for part in message.parts[::2]]
        return self.form.schema(any('"reasoning"' in text for text in texts))

    @cached_property
    def digest(self) -> str:
        """The first twelve hexadecimal digits of a SHA-256 of the file and of the worked examples."""
        shown = [[dict(example.texts), example.answer] for example in self.examples]
        text = self.text + (json.dumps(shown, sort_keys=True) if shown else "")
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def number(self, key: str, default: float) -> float:
        """Returns a number of the header."""
        return float(self.header.get(key, default))

    def filled(self, fields: Mapping[str, Any]) -> list[dict[str, str]]:
        """Returns the messages of a request.

        Several texts of a field are numbered and separated by empty lines; one is inserted as it is. In a template with
        a fence, it is part of these numbers.

        Args:
            fields: The texts, by field.

        Raises:
            InputError: if a value is neither a text, a number nor a list of them.
        """
        texts = {name: texts_of(name, fields[name]) for name in self.fields}
        fence = self._fence(texts) if self.is_fenced else ""
        *first, last = [message.filled(self._values(texts, fence)) for message in self.messages]
        for example in self.examples:
            first.append(self.messages[-1].filled(self._values(example.texts, fence)))
            first.append({"role": "assistant", "content": example.answer})
        return [*first, last]

    def _values(self, texts: Mapping[str, Sequence[str]], fence: str) -> dict[str, str]:
        """Returns what is inserted for each name."""
        low, high = self.form.scale or (0.0, 0.0)  # a template without a scale has neither name
        ends = {LOWEST: f"{low:g}", HIGHEST: f"{high:g}"}
        return {FENCE: fence, **ends, **{name: inserted(texts[name], fence) for name in self.fields}}

    def _fence(self, texts: Mapping[str, Sequence[str]]) -> str:
        """Returns a number that occurs in none of the texts of a request, and depends on all of them.

        It does not depend on what ``--probe-injection`` appends, so that the probe changes nothing else.
        """
        own = [text.removesuffix(self.injection) for name in self.fields for text in texts[name]]
        of_examples = [text for example in self.examples for name in self.fields for text in example.texts[name]]
        return fence_of([*own, *of_examples])
