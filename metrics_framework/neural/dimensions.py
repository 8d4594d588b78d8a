"""Templates of UniEval: for each dimension of quality a question, and the texts that it is about.

A template is a JSON object with an object for each dimension. Its ``question`` is a text, and its ``parts`` map the
names of texts to fields of an output. If ``sentences`` is ``mean`` or ``sum``, the question is asked about each
sentence of the summary, and the scores are combined so; otherwise it is asked about the whole summary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from metrics_framework.common.errors import DataError, UnknownNameError, message_of
from metrics_framework.io.content import hash_of

TEMPLATES = ("data-to-text", "dialogue", "summarization")
FIELDS = ("summary", "references", "source", "documents")
_SEPARATOR = " </s> "


@dataclass(frozen=True)
class Dimension:
    """A dimension of quality.

    Attributes:
        question: The question.
        parts: The fields of the texts that it is about, by the names of the texts.
        sentences: How the scores of sentences are combined, ``mean`` or ``sum``; empty for the whole summary.
    """

    question: str
    parts: Mapping[str, str]
    sentences: str = ""

    @property
    def has_reference(self) -> bool:
        """Whether the question is about a reference, too."""
        return "references" in self.parts.values()

    def combined(self, scores: Sequence[float]) -> float:
        """Returns the score of a summary, from those of its sentences or of the whole."""
        return math.fsum(scores) / (1 if self.sentences == "sum" else len(scores))

    def text(self, fields: Mapping[str, str]) -> str:
        """Returns what the model reads.

        >>> Dimension("Is it short?", {"text": "summary"}).text({"summary": "A cat."})
        'question: Is it short? </s> text: A cat.'
        """
        parts = [f"{name}: {fields[field]}" for name, field in self.parts.items()]
        return _SEPARATOR.join([f"question: {self.question}", *parts])


def load_dimensions(template: str) -> tuple[dict[str, Dimension], str]:
    """Returns the dimensions of a template, and what names it in signatures.

    Args:
        template: The name of a shipped template, or the path of a file.

    Raises:
        UnknownNameError: if there is no template of this name.
        DataError: if the file is no template.
    """
    if template in TEMPLATES:
        text = resources.files("metrics_framework.neural").joinpath(f"unieval_{template}.json").read_text("utf-8")
        return _parsed(text, template), template
    if not template.endswith(".json"):
        raise UnknownNameError("template", template, (*TEMPLATES, "the path of a JSON file"))
    try:
        with open(template, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {message_of(error)}", template) from error
    return _parsed(text, template), f"sha256-{hash_of(template)[:8]}"


def _parsed(text: str, path: str) -> dict[str, Dimension]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise DataError(f"must contain a JSON object: {message_of(error)}", path) from error
    if not isinstance(content, dict) or not content:
        raise DataError("must contain a JSON object with an object for each dimension", path)
    return {name: _dimension(name, value, path) for name, value in content.items()}


def _dimension(name: str, value: Any, path: str) -> Dimension:
    if not isinstance(value, dict) or not isinstance(value.get("question"), str):
        raise DataError(f"the dimension '{name}' must be an object with a 'question' and 'parts'", path)
    parts, sentences = value.get("parts"), value.get("sentences", "")
    if not isinstance(parts, dict) or "summary" not in parts.values() or not set(parts.values()) <= set(FIELDS):
        raise DataError(
            f"the 'parts' of the dimension '{name}' must map names of texts to fields ({', '.join(FIELDS)}), one of "
            "which is summary",
            path,
        )
    if sentences not in ("", "mean", "sum"):
        raise DataError(f"'sentences' of the dimension '{name}' must be mean or sum, got {sentences!r}", path)
    if unknown := value.keys() - {"question", "parts", "sentences"}:
        raise DataError(f"the dimension '{name}' has the unknown names {', '.join(sorted(unknown))}", path)
    return Dimension(value["question"], parts, sentences)
