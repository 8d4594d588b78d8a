"""Prompt templates: files with a header, and one or more messages with fields for the texts."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from metrics_framework.common.errors import DataError, UnknownNameError
from metrics_framework.data.texts import as_string
from metrics_framework.language_models.answers import AnswerForm
from metrics_framework.language_models.fences import FENCE, fence_of

ENDING = ".md"
FIELDS = ("summary", "references", "source", "documents")
PAIR_FIELDS = ("first", "second")
"""The two texts that a pairwise template compares, in the order in which they are shown."""
NAMES = (*FIELDS, *PAIR_FIELDS, FENCE)
"""What may be in braces."""
LISTS = ("references", "documents")
HEADER = ("description", "answer", "scale", "verdicts", "temperature", "samples", "max_tokens", "citation")
OUTCOMES = ("first", "second", "tie")
_FENCE = "---"
_ROLE = re.compile(r"^# (system|user|assistant)[ \t]*$", re.MULTILINE)
_BRACES = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_SCALE = re.compile(r"(-?[\d.]+) to (-?[\d.]+)")


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
    """

    name: str
    path: str
    text: str
    messages: Sequence[Message]
    form: AnswerForm
    verdicts: Mapping[str, str]
    header: Mapping[str, str]

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of the messages, in the order of `FIELDS`; the fence is none."""
        return tuple(name for name in (*FIELDS, *PAIR_FIELDS) if name in self._names)

    @property
    def is_fenced(self) -> bool:
        """Whether the template asks for fences."""
        return FENCE in self._names

    @property
    def injection(self) -> str:
        """What ``--probe-injection`` appends to outputs: a line with the top of the scale as a score, or with 10."""
        return f"\nScore: {10 if self.form.scale is None else self.form.scale[1]:g}"

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(part for message in self.messages for part in message.parts[1::2])

    @property
    def is_pairwise(self) -> bool:
        """Whether the template compares two texts."""
        return bool(self.verdicts)

    @cached_property
    def digest(self) -> str:
        """The first twelve hexadecimal digits of a SHA-256 of the file."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def number(self, key: str, default: float) -> float:
        """Returns a number of the header."""
        return float(self.header.get(key, default))

    def filled(self, fields: Mapping[str, Any]) -> list[dict[str, str]]:
        """Returns the messages of a request.

        Several references or documents are numbered and separated by empty lines; one is inserted as it is. In a
        template with a fence, it is part of these numbers.

        Args:
            fields: The texts, by field.
        """
        values = {}
        if self.is_fenced:
            values[FENCE] = self._fence(fields)
        for name in self.fields:
            values[name] = _inserted(_texts(name, fields[name]), values.get(FENCE, ""))
        return [message.filled(values) for message in self.messages]

    def _fence(self, fields: Mapping[str, Any]) -> str:
        """Returns a number that occurs in none of the texts of a request, and depends on all of them.

        It does not depend on what ``--probe-injection`` appends, so that the probe changes nothing else.
        """
        texts = [text for name in self.fields for text in _texts(name, fields[name])]
        return fence_of([text.removesuffix(self.injection) for text in texts])


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
        elif found[1] in NAMES:
            parts += [found[1], ""]
        elif found[1] is not None:
            known = ", ".join(f"{{{name}}}" for name in NAMES)
            raise DataError(f"unknown field {found[0]}; the fields are {known}", path)
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
    if kind not in ("json", "regex") or not where.strip():
        raise DataError("'answer' must be 'json KEY' or 'regex PATTERN'", path)
    if kind == "regex":
        try:
            groups = re.compile(where.strip()).groups
        except re.error as error:
            raise DataError(f"'answer' has an invalid regular expression: {error}", path) from None
        if groups != 1:
            raise DataError(f"the regular expression of 'answer' must have exactly one group, got {groups}", path)
    if bool(verdicts) == ("scale" in header):
        raise DataError("a template must have either 'scale' (for scores) or 'verdicts' (for pairs)", path)
    if verdicts:
        return AnswerForm(kind, where.strip(), words=tuple(verdicts))
    found = _SCALE.fullmatch(header["scale"])
    try:
        low, high = (float(found[1]), float(found[2])) if found else (1.0, 0.0)
    except ValueError:
        low, high = 1.0, 0.0
    if low >= high:
        raise DataError(f"'scale' must be like '0 to 100', got '{header['scale']}'", path)
    return AnswerForm(kind, where.strip(), (low, high))


def _check_fields(template: Template) -> None:
    pair = [name for name in PAIR_FIELDS if name in template.fields]
    if template.is_pairwise and ("summary" in template.fields or len(pair) < len(PAIR_FIELDS)):
        raise DataError("a template with 'verdicts' must have {first} and {second}, and not {summary}", template.path)
    if not template.is_pairwise and (pair or "summary" not in template.fields):
        raise DataError("a template with 'scale' must have {summary}, and not {first} or {second}", template.path)


def _texts(name: str, value: Any) -> list[str]:
    """Returns the texts of a field."""
    return list(map(as_string, value)) if name in LISTS else [as_string(value)]


def _inserted(texts: Sequence[str], fence: str) -> str:
    end = f"-{fence}]" if fence else "]"
    return (
        texts[0] if len(texts) == 1 else "\n\n".join(f"[{number}{end} {text}" for number, text in enumerate(texts, 1))
    )
