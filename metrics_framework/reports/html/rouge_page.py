"""The page of ``fw visualize rouge``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from metrics_framework.common.errors import UnknownChoiceError, UsageError, counted
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.reports.html.document import as_script, document, facts_list, file_list, html
from metrics_framework.reports.numbers import span
from metrics_framework.text.rouge_words import RougeWords, lines_of, stop_words
from metrics_framework.version import __version__

_SCRIPTS = ("elements.js", "settings.js", "rouge_counts.js", "rouge_parts.js", "rouge.js")
_STYLES = ("page.css", "sentences.css", "visual.css", "rouge.css")


def rouge_page(data: RougeData) -> str:
    """Writes the page."""
    outputs = sum(len(texts.outputs) for texts in data.instances)
    counts = sorted({len(output.references) for texts in data.instances for output in texts.outputs})
    facts = {
        "Inputs": str(len(data.instances)),
        "Systems": str(len(data.systems)),
        "Summaries": str(outputs),
        "References per summary": span(counts[0], counts[-1]),
        "Made with": f"fw {__version__}",
    }
    parts = {
        "title": html(data.title),
        "lead": html(f"{counted(len(data.systems), 'system')} on {counted(len(data.instances), 'input')}."),
        "facts": facts_list(facts),
        "notes": "".join(f"<li>{html(note)}</li>" for note in data.notes),
        "files": f"Files: {file_list(data.files)}" if data.files else "",
        "data": as_script(data.as_json()),
    }
    return document("rouge.html", _STYLES, _SCRIPTS, parts)


FORMAT = "fw-rouge"
FORMAT_VERSION = 1
MAX_CHARACTERS = 30_000_000
"""The greatest number of characters of all texts of a page, which a browser still opens in a few seconds."""
Measure = Literal["1", "2", "3", "4", "l"]
ScoringFunction = Literal["average", "max"]


@dataclass(frozen=True)
class RougeOptions:
    """The settings of the page when it is opened; its reader can change them.

    Args:
        measure: The order of the n-grams, or ``l`` for ROUGE-L.
        use_porter_stemmer: Whether words are stemmed.
        remove_stopwords: Whether stop words are removed.
        scoring_function: How several references are combined: ``average`` (sums of counts) or ``max``.

    Raises:
        UnknownChoiceError: if the measure or the function does not exist.
    """

    measure: Measure = "1"
    use_porter_stemmer: bool = True
    remove_stopwords: bool = False
    scoring_function: ScoringFunction = "average"

    def __post_init__(self) -> None:
        """Checks the names."""
        for name, value, known in (
            ("measure", self.measure, get_args(Measure)),
            ("scoring_function", self.scoring_function, get_args(ScoringFunction)),
        ):
            if value not in known:
                raise UnknownChoiceError(name, str(value), known)


@dataclass(frozen=True)
class Output:
    """A summary.

    Args:
        system: The index of its system.
        kind: ``peer``, or ``reference`` for a model summary.
        summary: Its sentences.
        references: The indices of its references among those of the input.
    """

    system: int
    kind: str
    summary: list[str]
    references: list[int]


@dataclass
class InputTexts:
    """The texts of an input.

    Args:
        id: The instance id.
        references: The sentences of each reference.
        outputs: The summaries.
    """

    id: str
    references: list[list[str]] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)


@dataclass
class RougeData:
    """Everything on the page.

    Args:
        title: The heading.
        files: The names of the files, without folders.
        options: The settings when the page is opened.
        systems: The systems, in the order of the input.
        instances: The inputs, in the order of the input.
        stems: The words of the texts whose stem differs from them, lowercased, and their stems.
        stops: The stop words in the texts.
        notes: Remarks for the reader.
    """

    title: str
    files: list[str]
    options: RougeOptions
    systems: list[str]
    instances: list[InputTexts]
    stems: dict[str, str]
    stops: list[str]
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Returns the JSON that the page embeds."""
        return {"format": FORMAT, "format_version": FORMAT_VERSION, "fw": __version__, **asdict(self)}


def rouge_data(instances: Iterable[EvalInstance], title: str, files: Sequence[str], options: RougeOptions) -> RougeData:
    """Groups summaries by input.

    Args:
        instances: Summaries with the fields ``summary`` and ``references``.
        title: The heading.
        files: The names of the files.
        options: The settings when the page is opened.

    Raises:
        UsageError: if the texts are too long for a page.
    """
    systems: dict[str, int] = {}
    inputs: dict[str, InputTexts] = {}
    for instance in instances:
        texts = inputs.setdefault(instance.instance_id, InputTexts(instance.instance_id))
        indices = [_index(texts.references, lines_of(reference)) for reference in instance.fields["references"]]
        system = systems.setdefault(instance.summarizer_id, len(systems))
        summary = lines_of(instance.fields["summary"])
        texts.outputs.append(Output(system, instance.summarizer_type, summary, indices))
    _check_size(list(inputs.values()))
    stems, stops = _vocabulary(inputs.values())
    return RougeData(title, list(files), options, list(systems), list(inputs.values()), stems, stops)


def _index(references: list[list[str]], sentences: list[str]) -> int:
    """Returns the index of a reference, which is added if it is new."""
    if sentences not in references:
        references.append(sentences)
    return references.index(sentences)


def _check_size(inputs: Sequence[InputTexts]) -> None:
    size = sum(len(line) for texts in inputs for lines in _texts_of(texts) for line in lines)
    if size > MAX_CHARACTERS:
        raise UsageError(
            f"a page can show at most {MAX_CHARACTERS:,} characters, got {size:,}; choose fewer inputs or systems "
            "(--instances, --systems)"
        )


def _texts_of(texts: InputTexts) -> list[list[str]]:
    return [*texts.references, *(output.summary for output in texts.outputs)]


def _vocabulary(inputs: Iterable[InputTexts]) -> tuple[dict[str, str], list[str]]:
    """Returns the stems that differ from their words, and the stop words, of all texts."""
    plain, stemmed = RougeWords(use_porter_stemmer=False), RougeWords(use_porter_stemmer=True)
    words = sorted(
        {word for texts in inputs for lines in _texts_of(texts) for line in lines for word in plain.words(line)}
    )
    stems = {word: stem for word in words for stem in stemmed.words(word) if stem != word}
    return stems, sorted(stop_words().intersection(words))
