"""Prompt templates: files with a header, and one or more messages with fields for the texts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib import resources

from metrics_framework.common.errors import DataError, UnknownNameError
from metrics_framework.language_models.answer_forms import FORMS, AnswerForm, RegexForm, TextsForm
from metrics_framework.language_models.template import HIGHEST, LOWEST, PAIR_FIELDS, Message, Template

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
