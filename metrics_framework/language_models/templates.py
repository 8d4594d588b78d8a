"""Prompt templates: their files, the texts that they insert, their fences, and what a judge asks with them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from itertools import count
from typing import Any

from metrics_framework.common.errors import DataError, InputError, Problems, UnknownNameError, UsageError
from metrics_framework.data.fields import FIELD_CHECKS
from metrics_framework.data.texts import as_string, check_text, shown
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.reading import read_lines
from metrics_framework.language_models.answers import FORMS, Answer, AnswerForm, RegexForm, TextsForm, scale_of

FENCE = "fence"
"""The name of the fence in a template."""
DIGITS = 12


def fence_of(texts: Sequence[str]) -> str:
    """Returns a number of twelve digits that none of some texts contains.

    The number comes from a SHA-256 of the texts, so that it is the same in every run and in any order of the texts, and
    that a text cannot contain its own number except by a long search; then the next hash is used.

    Args:
        texts: All texts of a prompt.

    >>> fence_of(["A cat.", "A dog."]), fence_of(["A dog.", "A cat."])
    ('617719017306', '617719017306')
    """
    ordered = sorted(texts)
    numbers = (_number(attempt, ordered) for attempt in count())
    return next(number for number in numbers if not any(number in text for text in ordered))


def _number(attempt: int, texts: Sequence[str]) -> str:
    digest = hashlib.sha256(json.dumps([attempt, *texts]).encode("ascii")).hexdigest()
    return f"{int(digest, 16) % 10**DIGITS:0{DIGITS}}"


LISTS = ("references", "documents")
TEXTS = ("summary", "source", "first", "second")


def texts_of(name: str, value: Any) -> list[str]:
    """Returns the texts of a field.

    The items of a list are separate texts, except in a field that is one text, whose sentences they are. Numbers and
    truth values are written as in JSON.

    Args:
        name: The field.
        value: Its value.

    Raises:
        InputError: if it is neither a text, a number nor a list of them.

    >>> texts_of("summary", ["A cat.", "It sat."]), texts_of("context", ["A cat.", {"text": "A dog."}])
    (['A cat. It sat.'], ['A cat.', 'A dog.'])
    """
    if name in TEXTS:
        check_text(value, name)
        return [as_string(value)]
    if name in LISTS:
        FIELD_CHECKS[name](value, name)
        return list(map(as_string, value))
    is_list = isinstance(value, (list, tuple))
    if is_list and not value:
        raise InputError(f"'{name}' is in the prompt, so it must not be an empty list")
    return [_text(name, item) for item in (value if is_list else [value])]


def _text(name: str, value: Any) -> str:
    inner = value["text"] if isinstance(value, dict) and "text" in value else value
    if isinstance(inner, (bool, int, float)):
        return json.dumps(inner)
    if isinstance(inner, str) or (isinstance(inner, (list, tuple)) and all(isinstance(part, str) for part in inner)):
        return as_string(inner)
    raise InputError(f"'{name}' is in the prompt, so it must be a text, a number or a list of them, got {shown(value)}")


def inserted(texts: Sequence[str], fence: str = "") -> str:
    """Returns one text as it is, and several with numbers, separated by empty lines.

    Args:
        texts: The texts.
        fence: Part of each number in a template with a fence.

    >>> inserted(["a", "b"]), inserted(["a", "b"], "617")
    ('[1] a\\n\\n[2] b', '[1-617] a\\n\\n[2-617] b')
    """
    end = f"-{fence}]" if fence else "]"
    return (
        texts[0] if len(texts) == 1 else "\n\n".join(f"[{number}{end} {text}" for number, text in enumerate(texts, 1))
    )


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


ENDING = ".md"
HEADER = ("description", "answer", "scale", "verdicts", "words", "temperature", "samples", "max_tokens", "citation")
OUTCOMES = ("first", "second", "tie")
_FENCE = "---"
_ROLE = re.compile(r"^# (system|user|assistant)[ \t]*$", re.MULTILINE)
_BRACES = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")


def template_names() -> list[str]:
    """Returns the names of the templates of this package."""
    folder = resources.files(__package__) / "prompts"
    return sorted(entry.name.removesuffix(ENDING) for entry in folder.iterdir() if entry.name.endswith(ENDING))


def is_path(name: str) -> bool:
    """Returns whether a template is named by the path of its file.

    >>> is_path("pairwise"), is_path("pairwise.md"), is_path("prompts/mine")
    (False, True, True)
    """
    return name.endswith((ENDING, ".txt")) or "/" in name or os.sep in name


def load_template(name: str) -> Template:
    """Reads a template.

    Args:
        name: The name of a template of this package, or the path of a file, which ends with ``.md`` or ``.txt`` or
            contains a slash.

    Raises:
        UnknownNameError: if there is no template of that name.
        DataError: if the file cannot be read, or is not a template.
    """
    if is_path(name):
        try:
            with open(name, encoding="utf-8-sig") as stream:
                text = stream.read()
        except OSError as error:
            raise DataError(f"cannot read the template: {error.strerror}", name) from None
        except UnicodeDecodeError:
            raise DataError("the template is not UTF-8 text", name) from None
        return parse_template(text, os.path.splitext(os.path.basename(name))[0], name)
    names = template_names()
    if name not in names:
        raise UnknownNameError("template", name, names, "The path of a file ends with .md or .txt.")
    text = (resources.files(__package__) / "prompts" / f"{name}{ENDING}").read_text(encoding="utf-8")
    return parse_template(text, name, name)


def parse_template(text: str, name: str, path: str) -> Template:
    """Parses a template.

    Args:
        text: The content of the file.
        name: The name of the template.
        path: The path of the file, for messages.

    Raises:
        DataError: if the text is not a template.

    >>> text = "---\\nanswer: json score\\nscale: 1 to 5\\n---\\nRate {summary} as {{\\"score\\": 3}}."
    >>> parse_template(text, "mine", "mine.md").filled({"summary": "a {source}"})
    [{'role': 'user', 'content': 'Rate a {source} as {"score": 3}.'}]
    """
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE or _FENCE not in (line.rstrip() for line in lines[1:]):
        raise DataError(f"a template must begin with a header between two lines '{_FENCE}'", path, 1)
    end = next(index for index, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE)
    header = _header(lines[1:end], path)
    messages = _messages("\n".join(lines[end + 1 :]), path, end + 2)
    verdicts = _verdicts(header, path)
    template = Template(name, path, text, messages, _form(header, verdicts, path), verdicts, header)
    _check_fields(template)
    for key in ("temperature", "samples", "max_tokens"):
        if not re.fullmatch(r"\d+(\.\d+)?" if key == "temperature" else r"\d+", header.get(key, "1")):
            raise DataError(f"'{key}' must be a number, got '{header[key]}'", path)
    return template


def _header(lines: Sequence[str], path: str) -> dict[str, str]:
    """Returns the keys and values of a header; indented lines continue a value."""
    header: dict[str, str] = {}
    key = ""
    for number, line in enumerate(lines, 2):
        if line[:1].isspace() and key:
            header[key] = f"{header[key]}\n{line[2:] if line.startswith('  ') else line.strip()}".lstrip("\n")
            continue
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        if not colon or key not in HEADER:
            raise DataError(
                f"a line of the header must be 'key: value' with one of the keys {', '.join(HEADER)}, got '{line}'",
                path,
                number,
            )
        if key in header:
            raise DataError(f"duplicate key '{key}'; remove one of them", path, number)
        header[key] = value
    return header


def _messages(body: str, path: str, line: int) -> list[Message]:
    parts = _ROLE.split(body)
    if len(parts) > 1 and parts[0].strip():
        raise DataError("text before the first message, '# system' or '# user'", path, line)
    texts = list(zip(parts[1::2], parts[2::2], strict=True)) if len(parts) > 1 else [("user", body)]
    messages = []
    for role, text in texts:
        messages.append(Message(role, _parts(text.strip("\n"), path)))
        if not text.strip():
            raise DataError(f"the message '# {role}' is empty", path)
    return messages


def _parts(text: str, path: str) -> list[str]:
    """Splits a message into texts and fields, in turn."""
    parts, position = [""], 0
    for found in _BRACES.finditer(text):
        parts[-1] += text[position : found.start()]
        position = found.end()
        if found[0] in ("{{", "}}"):
            parts[-1] += found[0][0]
        elif found[1]:
            parts += [found[1], ""]
        elif found[1] is not None:
            raise DataError("{} has no name; write the name of a field of the rows, such as {source}", path)
        else:
            raise DataError(f"a single {found[0]}; write {found[0] * 2} for a brace in the text of the prompt", path)
    parts[-1] += text[position:]
    return parts


def _verdicts(header: Mapping[str, str], path: str) -> dict[str, str]:
    """Returns what each word of a pairwise template means."""
    verdicts = {}
    for pair in filter(None, (part.strip() for part in header.get("verdicts", "").split(","))):
        word, _, outcome = pair.partition("=")
        if not word.strip() or outcome.strip() not in OUTCOMES:
            raise DataError(f"'verdicts' must be like A=first, B=second, C=tie, got '{pair}'", path)
        verdicts[word.strip()] = outcome.strip()
    if verdicts and not {"first", "second"} <= set(verdicts.values()):
        raise DataError("'verdicts' must have a word for first and a word for second", path)
    return verdicts


def _form(header: Mapping[str, str], verdicts: Mapping[str, str], path: str) -> AnswerForm:
    kind, _, where = header.get("answer", "").partition(" ")
    form = FORMS.get(kind)
    if form is None or not where.strip():
        *first, last = ("'regex PATTERN'" if kind == RegexForm.kind else f"'{kind} KEY'" for kind in FORMS)
        raise DataError(f"'answer' must be {', '.join(first)} or {last}", path)
    return form.of_header(where.strip(), header, tuple(verdicts), path)


def _check_fields(template: Template) -> None:
    if isinstance(template.form, TextsForm):
        return
    pair = [name for name in PAIR_FIELDS if name in template.fields]
    if template.is_pairwise and ("summary" in template.fields or len(pair) < len(PAIR_FIELDS)):
        raise DataError("a template with 'verdicts' must have {first} and {second}, and not {summary}", template.path)
    if not template.is_pairwise and (pair or "summary" not in template.fields):
        raise DataError("a template with 'scale' must have {summary}, and not {first} or {second}", template.path)
    for name in (LOWEST, HIGHEST):
        if template.is_pairwise and name in template.names:
            raise DataError(
                f"{{{name}}} is an end of the scale, which a template with 'verdicts' has not", template.path
            )


DEFAULT, CRITERION, PAIRWISE_CRITERION, STEPS = "direct-assessment", "criterion", "pairwise-criterion", "steps"
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
        shown_fields: The fields of the rows that the templates `CRITERION` and `PAIRWISE_CRITERION` also show.
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
    if name == CRITERION or (name == PAIRWISE_CRITERION and scale is None):
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
        text = re.sub("(?m)^<(output|text-A)-{fence}>", lambda tag: block + tag[0], text)  # noqa: B023
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
        with problems.at(path, line):
            examples.append(_example(template, row))
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
