"""The template of a judge: a shipped one or a file, with a criterion, steps and worked examples that options state."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics_framework.common.errors import DataError, InputError, Problems, UsageError
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.reading import read_lines
from metrics_framework.language_models.answer_forms import TextsForm, scale_of
from metrics_framework.language_models.answers import Answer
from metrics_framework.language_models.field_texts import texts_of
from metrics_framework.language_models.template import RESERVED, Message, Template, WorkedExample
from metrics_framework.language_models.templates import load_template, parse_template

DEFAULT, CRITERION, STEPS = "direct-assessment", "criterion", "steps"
_NUMBERED = re.compile(r"\s*(\d+[.)]|[-*])\s+")


def judge_template(
    name: str | None = None,
    criterion: str | None = None,
    scale: str | None = None,
    shown_fields: Sequence[str] = (),
    steps: str | None = None,
    examples: str | None = None,
) -> Template:
    """Returns the template that options describe.

    Args:
        name: A shipped template or the path of a file; by default `CRITERION` with a criterion, else `DEFAULT`.
        criterion: What ``{criterion}`` is replaced by; without it, ``{criterion}`` is a field of the rows.
        scale: The scale of the template `CRITERION`, such as ``1-5``.
        shown_fields: The fields of the rows that the template `CRITERION` also shows.
        steps: A file with one step of the evaluation per line; ``{steps}`` is replaced by them, or they follow the
            criterion.
        examples: A file of JSON lines with worked examples.

    Raises:
        UsageError: if an option has no effect on the template, or an invalid value.
        UnknownNameError: if there is no template of that name.
        DataError: if a file cannot be read or is malformed.
    """
    name = name or (DEFAULT if criterion is None else CRITERION)
    template = load_template(name)
    if name == CRITERION:
        template = _with_scale_and_fields(template, scale, shown_fields)
    elif scale is not None or shown_fields:
        option = "scale" if scale is not None else "shown_fields"
        raise UsageError(
            f"'{option}' needs a criterion; the template '{template.name}' states what it shows and asks for"
        )
    template = _with_values(template, _values(template, criterion, steps))
    return template if examples is None else replace(template, examples=_examples(template, examples))


def _with_scale_and_fields(template: Template, scale: str | None, shown_fields: Sequence[str]) -> Template:
    text = template.text
    if scale is not None:
        ends = scale_of(scale)
        if ends is None:
            raise UsageError(f"'scale' must be like '1-5' or '0 to 100', got '{scale}'")
        text = re.sub("(?m)^scale: .*$", f"scale: {ends[0]:g} to {ends[1]:g}", text)
    for name in shown_fields:
        if not re.fullmatch(r"\w+", name) or name in RESERVED or f"{{{name}}}" in text:
            raise UsageError(
                f"'shown_fields' must name fields of the rows, each once and without 'summary', got '{name}'"
            )
        block = f"<{name}-{{fence}}>\n{{{name}}}\n</{name}-{{fence}}>\n\n"
        text = text.replace("<output-{fence}>", f"{block}<output-{{fence}}>")
    return parse_template(text, template.name, template.path)


def _values(template: Template, criterion: str | None, steps: str | None) -> dict[str, str]:
    """Returns what options insert for fields of a template.

    Raises:
        UsageError: if an option has no effect.
    """
    values = {}
    if criterion is not None:
        if CRITERION not in template.names:
            raise UsageError(
                f"the template '{template.name}' does not have {{criterion}}, so a criterion has no effect"
            )
        if not criterion.strip():
            raise UsageError("'criterion' must be a text, such as 'Is it polite?', got an empty one")
        values[CRITERION] = criterion.strip()
    if steps is None:
        return values
    if STEPS in template.names:
        values[STEPS] = _numbered(steps)
    elif CRITERION in values:
        values[CRITERION] += f"\n\nSteps:\n{_numbered(steps)}"
    else:
        raise UsageError(f"the template '{template.name}' does not have {{steps}}, so 'steps' needs a criterion")
    return values


def _numbered(path: str) -> str:
    """Returns the steps in a file, numbered.

    Raises:
        DataError: if there are none.
    """
    lines = [_NUMBERED.sub("", line, count=1).strip() for line in read_lines(path)]
    steps = [line for line in lines if line]
    if not steps:
        raise DataError("has no steps; write one step of the evaluation per line", path)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _with_values(template: Template, values: Mapping[str, str]) -> Template:
    """Returns a template in which values replace fields; braces in a value have no meaning."""
    if not values:
        return template
    messages = []
    for message in template.messages:
        parts = [message.parts[0]]
        for field, text in zip(message.parts[1::2], message.parts[2::2], strict=True):
            if field in values:
                parts[-1] += values[field] + text
            else:
                parts += [field, text]
        messages.append(Message(message.role, parts))
    return replace(template, messages=messages, text=template.text + json.dumps(values, sort_keys=True))


def _examples(template: Template, path: str) -> list[WorkedExample]:
    """Reads worked examples: rows with the fields of the template, and an ``answer``, or a ``score`` and ``reasoning``.

    Raises:
        DataError: if a row is invalid, or there are none.
    """
    problems, examples = Problems(), []
    for line, row in read_jsonl(path, problems):
        try:
            examples.append(_example(template, row))
        except InputError as error:
            problems.add(DataError(str(error), path, line))
    problems.raise_any()
    if not examples:
        raise DataError("has no examples", path)
    return examples


def _example(template: Template, row: Mapping[str, Any]) -> WorkedExample:
    texts = {}
    for name in template.fields:
        if name not in row:
            raise InputError(f"'{name}' is missing, which the template '{template.name}' shows")
        texts[name] = texts_of(name, row[name])
    answer = _answer(template, row)
    problem = template.form.read(Answer(answer)).problem
    if problem:
        raise InputError(f"the answer is {problem}, so no answer like it would count: {answer}")
    return WorkedExample(texts, answer)


def _answer(template: Template, row: Mapping[str, Any]) -> str:
    """Returns the answer of an example, in the form that the template asks for."""
    given = row.get("answer")
    if given is not None:
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    if row.get("score") is None:
        raise InputError("an example needs an 'answer' or a 'score'")
    return template.form.written(row["score"], row.get("reasoning"))


def list_template(name: str, option: str, field: str, word: str) -> Template:
    """Returns a template that asks for a list of texts.

    Args:
        name: A shipped template or the path of a file.
        option: The option that names it, for messages.
        field: The field that it must show.
        word: A word that the list must be able to have; an empty string if texts are free.

    Raises:
        UsageError: if it asks for something else.
        UnknownNameError: if there is no template of that name.
        DataError: if a file cannot be read or is malformed.
    """
    template = load_template(name)
    if (
        not isinstance(template.form, TextsForm)
        or field not in template.fields
        or (word and word not in template.form.words)
    ):
        needed = f"'words' with '{word}' and " if word else ""
        raise UsageError(f"'{option}' must name a template with 'answer: {TextsForm.kind} KEY', {needed}{{{field}}}")
    return template
