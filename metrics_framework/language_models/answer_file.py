"""A file with every answer of a language model: what was answered about which output, why, and at what cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.jsonl import LineFile, read_jsonl
from metrics_framework.language_models.answers import Answer, reasoning_end

IDS = ("instance_id", "summarizer_id")
"""The fields that a metric needs besides those of its template, in order to name outputs."""
PROBED, POSITION, COMPARED_WITH = "probe-injection", "shown-as", "compared-with"
"""Marks of prompts, beside the fields of rows, which have no hyphens in templates."""
_PROMPT = "prompt"


class AnswerFile(LineFile):
    """Writes answers as JSON lines; the first row has the signature of the metric.

    Args:
        path: The file.
        cost: Returns the cost of input and output tokens; `None` without prices.

    Raises:
        UsageError: if its name does not end with ``.jsonl``, or it exists and has something other than answers.
    """

    def __init__(self, path: str, cost: Callable[[float, float], float | None]) -> None:
        super().__init__(path, "answers", _PROMPT)
        self._cost = cost

    @overrides
    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Adds answers, which `write` writes, with their cost."""
        for row in rows:
            given, written = row.get("input_tokens"), row.get("output_tokens")
            cost = None if given is None or written is None else self._cost(given, written)
            super().add([row if cost is None else {**row, "cost": cost}])


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
    marks = {"compared_with": COMPARED_WITH, "shown_as": POSITION, "probe_injection": PROBED}
    row |= {name: fields[mark] for name, mark in marks.items() if fields.get(mark)}
    row.update({"sample": sample, _PROMPT: digest})
    if answer is not None:
        row.update(answer=answer.text or answer.refusal, reasoning=reasoning_of(answer))
        row.update(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
    return row


def described_answers(paths: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Reads files of answers: for each input and system, what was answered, with its reasoning, as texts to read.

    Raises:
        DataError: if a file cannot be read, or a row is no answer.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        for line, row in read_jsonl(path):
            if _PROMPT not in row or any(not isinstance(row.get(name), (str, int)) for name in IDS):
                raise DataError("is no answer of a language model, as 'answers' of a metric writes it", path, line)
            instance, system = (str(row[name]) for name in IDS)
            found.setdefault((instance, system), []).append(_described(row))
    return found


def _described(row: Mapping[str, Any]) -> str:
    """Returns who answered what, and why.

    >>> _described({"model": "m", "template": "criterion", "sample": 1, "score": 4.0, "reasoning": "Kind."})
    'm, criterion, sample 2: 4. Kind.'
    """
    marks = [str(row.get("model", "")), str(row.get("template", ""))]
    marks += [f"sample {row['sample'] + 1}"] if row.get("sample") else []
    marks += [f"compared with {row['compared_with']}"] if row.get("compared_with") else []
    marks += [f"shown as the {row['shown_as']}"] if row.get("shown_as") else []
    marks += ["with a claimed score"] if row.get("probe_injection") else []
    score = row.get("score")
    outcome = row.get("problem") or row.get("verdict") or (f"{score:g}" if isinstance(score, (int, float)) else "")
    said = row.get("reasoning") or row.get("answer") or ""
    return f"{', '.join(filter(None, marks))}: {f'{outcome}. ' if outcome else ''}{said}".strip()


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
