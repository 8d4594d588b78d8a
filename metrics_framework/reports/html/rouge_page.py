"""The page of ``fw visualize rouge``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import UsageError, counted
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.reports.html.document import data_page
from metrics_framework.reports.numbers import span
from metrics_framework.text.rouge_words import RougeWords, lines_of, stop_words

_SCRIPTS = ("rouge_counts.js", "rouge_parts.js", "rouge.js")
MAX_CHARACTERS = 30_000_000
"""The greatest number of characters of all texts of a page, which a browser still opens in a few seconds."""


def rouge_page(
    instances: Iterable[EvalInstance], title: str, files: Sequence[str], options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Groups summaries by input, and writes the page.

    Args:
        instances: Summaries with the fields ``summary`` and ``references``.
        title: The heading.
        files: The names of the files, without folders.
        options: The settings when the page is opened; its reader can change them.

    Returns:
        The page, and the data that it embeds: among them, systems, references and outputs refer to each other by index.

    Raises:
        UsageError: if the texts are too long for a page.
    """
    systems: dict[str, int] = {}
    inputs: dict[str, dict[str, Any]] = {}
    for instance in instances:
        name, kind = instance.instance_id, instance.summarizer_type
        texts = inputs.setdefault(name, {"id": name, "references": [], "outputs": []})
        indices = [_index(texts["references"], lines_of(reference)) for reference in instance.fields["references"]]
        system = systems.setdefault(instance.summarizer_id, len(systems))
        summary = lines_of(instance.fields["summary"])
        texts["outputs"].append({"system": system, "kind": kind, "summary": summary, "references": indices})
    outputs = [output for texts in inputs.values() for output in texts["outputs"]]
    references = (text for texts in inputs.values() for text in texts["references"])
    lines = [line for text in (*references, *(output["summary"] for output in outputs)) for line in text]
    if (size := sum(map(len, lines))) > MAX_CHARACTERS:
        raise UsageError(
            f"a page can show at most {MAX_CHARACTERS:,} characters, got {size:,}; choose fewer inputs or systems "
            "(--instances, --systems)"
        )
    stems, stops = _vocabulary(lines)
    data: dict[str, Any] = {"format": "fw-rouge", "title": title, "files": [*files], "options": dict(options)}
    data |= {"systems": [*systems], "instances": [*inputs.values()], "stems": stems, "stops": stops, "notes": []}
    counts = sorted({len(output["references"]) for output in outputs})
    facts = {
        "Inputs": str(len(inputs)),
        "Systems": str(len(systems)),
        "Summaries": str(len(outputs)),
        "References per summary": span(counts[0], counts[-1]),
    }
    lead = f"{counted(len(systems), 'system')} on {counted(len(inputs), 'input')}."
    return data_page("rouge", _SCRIPTS, lead, facts, data)


def _index(references: list[list[str]], sentences: list[str]) -> int:
    """Returns the index of a reference, which is added if it is new."""
    if sentences not in references:
        references.append(sentences)
    return references.index(sentences)


def _vocabulary(lines: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Returns the words of lines whose stem differs from them, lowercased, with their stems; and the stop words."""
    plain, stemmed = RougeWords(use_porter_stemmer=False), RougeWords(use_porter_stemmer=True)
    words = sorted({word for line in lines for word in plain.words(line)})
    stems = {word: stem for word in words for stem in stemmed.words(word) if stem != word}
    return stems, sorted(stop_words().intersection(words))
