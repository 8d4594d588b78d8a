"""A file with every answer of a language model: what was answered about which output, why, and at what cost."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.streams import open_for_writing
from metrics_framework.language_models.answers import Answer, reasoning_end

IDS = ("instance_id", "summarizer_id")
"""The fields that a metric needs besides those of its template, in order to name outputs."""
PROBED, POSITION = "probe-injection", "shown-as"
"""Marks of prompts, beside the fields of rows, which have no hyphens in templates."""
_PROMPT = "prompt"
ENDING = ".jsonl"


class AnswerFile:
    """Writes answers as JSON lines; the file is complete after each batch of outputs, and replaced as a whole.

    Args:
        path: The file.
        cost: Returns the cost of input and output tokens; `None` without prices.

    Raises:
        UsageError: if its name does not end with ``.jsonl``, or it exists and has something other than answers.
    """

    def __init__(self, path: str, cost: Callable[[float, float], float | None]) -> None:
        if not path.endswith(ENDING):
            raise UsageError(f"answers are JSON lines: use a name that ends in {ENDING}, got '{path}'")
        self.path = path
        self._cost = cost
        self._rows: list[dict[str, Any]] = []
        self._is_begun = False
        self._refuse_other_files()

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Adds answers, which `write` writes, with their cost."""
        for row in rows:
            given, written = row.get("input_tokens"), row.get("output_tokens")
            cost = None if given is None or written is None else self._cost(given, written)
            self._rows.append(row if cost is None else {**row, "cost": cost})

    def write(self, signature: str) -> None:
        """Appends the answers added since the last call; the first call replaces the file of an earlier run.

        Args:
            signature: The signature of the metric, for the first row.

        Raises:
            UsageError: if the file cannot be written.
        """
        if not self._rows:
            return
        if not self._is_begun:
            self._rows[0]["signature"] = signature
        with open_for_writing(self.path) as stream:
            for line in self._written() if self._is_begun else ():
                stream.write(line)
            for row in self._rows:
                stream.write(to_line(row))
        self._rows, self._is_begun = [], True

    def _written(self) -> Iterable[str]:
        with open(self.path, encoding="utf-8") as stream:
            yield from stream

    def _refuse_other_files(self) -> None:
        if not os.path.isfile(self.path) or not os.path.getsize(self.path):
            return
        try:
            with open(self.path, encoding="utf-8") as stream:
                is_own = _PROMPT in json.loads(stream.readline())
        except (ValueError, TypeError):
            is_own = False
        if not is_own:
            raise UsageError(f"'{self.path}' exists and is no file of answers; use another file for the answers")


def answer_row(
    fields: Mapping[str, Any],
    about: Mapping[str, str],
    messages: Sequence[Mapping[str, str]],
    sample: int,
    answer: Answer | None,
) -> dict[str, Any]:
    """Returns the row of an answer, without what it means.

    Args:
        fields: The fields of the output.
        about: What the judge is.
        messages: The prompt.
        sample: The number of the sample.
        answer: The answer; `None` if there is none.
    """
    digest = hashlib.sha256(json.dumps(messages).encode("ascii")).hexdigest()[:12]
    row: dict[str, Any] = {**{name: fields[name] for name in IDS}, **about}
    if fields.get(POSITION):
        row["shown_as"] = fields[POSITION]
    if fields.get(PROBED):
        row["probe_injection"] = True
    row.update({"sample": sample, _PROMPT: digest})
    if answer is not None:
        row.update(answer=answer.text or answer.refusal, reasoning=reasoning_of(answer))
        row.update(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
    return row


def reasoning_of(answer: Answer) -> str:
    """Returns the reasoning of an answer: apart from its text, before ``</think>``, or a member of its JSON object.

    >>> reasoning_of(Answer("<think>Short.</think> 4")), reasoning_of(Answer('{"reasoning": "Kind.", "score": 5}'))
    ('Short.', 'Kind.')
    """
    if answer.reasoning:
        return answer.reasoning
    end = reasoning_end(answer.text)
    if end:
        return answer.text[:end].strip().removeprefix("<think>").removesuffix("</think>").strip()
    start, last = answer.text.find("{"), answer.text.rfind("}")
    try:
        found = json.loads(answer.text[start : last + 1]) if start >= 0 else {}
    except (ValueError, RecursionError):
        return ""
    said = found.get("reasoning") if isinstance(found, dict) else None
    return said if isinstance(said, str) else ""
