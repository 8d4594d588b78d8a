"""The data of a report, which is embedded in the page as JSON and from which the tables are written.

`ReportData.as_json` returns the format. Numbers have all their digits; the tables round them to the digits of their
`ScoreColumn`. An undefined value is `None`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from metrics_framework.data.metrics_dict import ScoredCount
from metrics_framework.significance.resampling import METHOD_NAMES

FORMAT = "fw-report"
FORMAT_VERSION = 2

Kind = Literal["system", "baseline"]
Better = Literal["higher", "lower"]
Aggregate = Literal["corpus", "mean"]
Role = Literal["compression", "similarity", "splits", "copies"]
Number = float | int | None


@dataclass(frozen=True)
class ScoreColumn:
    """A score on the page.

    Args:
        name: The flat name, as in the score files.
        title: The title on the page.
        metric: The label of the metric; for a score from a file without signature, the name of the score.
        main: Whether it is a main score of the metric, not a component.
        better: The direction, `None` if neither or unknown.
        aggregate: Whether the score of a system is computed from all its outputs together or averaged over them.
        digits: The number of decimal places of a system score; 0 for integers.
        output_digits: The number of decimal places of the score of one output.
        role: The use in the sentence browser.
    """

    name: str
    title: str
    metric: str
    main: bool
    better: Better | None = None
    aggregate: Aggregate = "corpus"
    digits: int = 2
    output_digits: int = 2
    role: Role | None = None

    @property
    def output_title(self) -> str:
        """The title of the scores of single outputs, whose mean is not the score of all outputs together."""
        return f"{self.title} per output" if self.aggregate == "corpus" else self.title


@dataclass(frozen=True)
class Cell:
    """A score of a system.

    Args:
        value: The score.
        low: The lower end of its confidence interval.
        high: The upper end.
        p: The p-value of the difference from the system compared with.
        p_holm: The p-value with Holm's correction for the number of systems, or of baselines, that are compared.
        difference: The score minus the score of the system compared with, on the sentences that both have outputs for.
        compared: The number of these sentences.
    """

    value: Number
    low: Number = None
    high: Number = None
    p: Number = None
    p_holm: Number = None
    difference: Number = None
    compared: int | None = None


@dataclass
class System:
    """A system or a baseline.

    Args:
        name: The summarizer id, or the name of the baseline.
        kind: Whether it is a system or a baseline.
        about: A description of a baseline; empty for a system.
        outputs: The number of its outputs.
        scores: Score name to the score over all outputs.
        by_length: Score name to the scores of the outputs in each of the bins of length.
        texts: Its output for each sentence, `None` if missing; empty for a baseline.
        values: Score name to the score of each output, in the order of the sentences; empty for a baseline.
        scored: Score name to the number of outputs with the score, for means that some outputs have no score for.
        scored_by_length: For these scores, the numbers of outputs with the score and of all in each of the bins.
        answers: What language models answered about its output for each sentence; empty without a file of answers.
        spans: The errors that a metric predicts in each output, as start, end and severity; empty without any.
        spans_of: The label of this metric.
    """

    name: str
    kind: Kind = "system"
    about: str = ""
    outputs: int = 0
    scores: dict[str, Cell] = field(default_factory=dict)
    by_length: dict[str, list[Number]] = field(default_factory=dict)
    texts: list[str | None] = field(default_factory=list)
    values: dict[str, Sequence[Number]] = field(default_factory=dict)
    scored: dict[str, int] = field(default_factory=dict)
    scored_by_length: dict[str, list[ScoredCount]] = field(default_factory=dict)
    answers: list[list[str]] = field(default_factory=list)
    spans: list[list[tuple[int, int, str]] | None] = field(default_factory=list)
    spans_of: str = ""

    def count(self, name: str) -> ScoredCount | None:
        """Returns how many outputs have a score; `None` if all have it."""
        return ScoredCount(self.scored[name], self.outputs) if name in self.scored else None


@dataclass(frozen=True)
class Sentence:
    """An input.

    Args:
        id: The instance id.
        source: The text to simplify or translate, `None` without one.
        references: The human-written outputs.
        documents: The documents of a summary.
    """

    id: str
    source: str | None
    references: list[str]
    documents: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RowField:
    """A field of the rows by which the page divides the sentences, such as a domain.

    Args:
        name: The name.
        values: Its different values.
        codes: For each system, or once for all, the index of the value of each sentence; -1 without a value.
    """

    name: str
    values: list[str | float]
    codes: list[Sequence[int]]


@dataclass(frozen=True)
class LengthBin:
    """A fifth of the sentences, sorted by the number of words of the source or of another text.

    Args:
        shortest: The smallest number of words.
        longest: The largest number of words.
        sentences: The number of sentences.
    """

    shortest: int
    longest: int
    sentences: int


@dataclass(frozen=True)
class Facts:
    """Facts about the test set.

    Args:
        sentences: The number of inputs.
        references: The number of references per sentence, such as ``8`` or ``1-10``.
        words_per_source: The mean number of words of a source, or of all documents of an input, split at whitespace;
            `None` without sources.
        words_per_reference: The mean number of words of a reference, `None` without references.
        files: The names of the input files, without folders.
        licence: The licence of the data, `None` if unknown.
        task: The task.
        marks: What is marked in outputs: ``edits`` of the source, or ``matches`` with references.
        unit: What an input is called.
        length_of: The text by whose length the inputs are divided, `None` if they are not.
    """

    sentences: int
    references: str
    words_per_source: float | None
    words_per_reference: float | None
    files: list[str]
    licence: str | None = None
    task: str = "simplification"
    marks: str = "edits"
    unit: str = "sentence"
    length_of: str | None = "source"


@dataclass(frozen=True)
class ResamplingFacts:
    """How intervals and p-values were computed.

    Args:
        method: The method.
        confidence: The confidence level of the intervals, in percent.
        resamples: The number of resamples.
        seed: The random seed.
        compared_with: The system that the tests compare the other systems with, `None` if there is only one system.
        intervals: The method of the intervals.
        test: The test, with the number of its trials.
    """

    method: str
    confidence: float
    resamples: int
    seed: int
    compared_with: str | None
    intervals: str = METHOD_NAMES["percentile"]
    test: str = ""


@dataclass
class ReportData:
    """A report.

    Args:
        title: The heading.
        fw: The version of this package.
        facts: The description of the test set.
        signatures: Metric to its signature.
        scores: All scores, in the order of the metrics.
        systems: The systems in the order of the input, then the baselines.
        lengths: The five bins of length, shortest first.
        sentences: The inputs, in the order of the first file.
        resampling: How intervals and p-values were computed, `None` without them.
        notes: Notes for the reader.
        fields: The other fields of the rows.
        word_counts: The number of words of the text of each sentence by whose length they are divided.
        listed: The indices of the sentences that the page lists; `None` for all. Scores are always over all outputs.
        selection: How these sentences were chosen; empty for all.
        cautions: Where intervals and tests need care.
    """

    title: str
    fw: str
    facts: Facts
    signatures: dict[str, str]
    scores: list[ScoreColumn]
    systems: list[System]
    lengths: list[LengthBin]
    sentences: list[Sentence]
    resampling: ResamplingFacts | None = None
    notes: list[str] = field(default_factory=list)
    fields: list[RowField] = field(default_factory=list)
    word_counts: Sequence[int] = ()
    listed: list[int] | None = None
    selection: str = ""
    cautions: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Returns the JSON that the button of the page downloads."""
        places = self.places
        head = self.head()
        for system, described in zip(self.systems, head["systems"], strict=True):
            described["texts"] = [system.texts[place] for place in places] if system.texts else []
            if system.answers:
                described["answers"] = [system.answers[place] for place in places]
            if system.spans:
                described["spans"] = [system.spans[place] for place in places]
            described["values"] = {name: [column[place] for place in places] for name, column in system.values.items()}
        head["sentences"] = [asdict(self.sentences[place]) for place in places]
        head["fields"] = [
            {"name": one.name, "values": one.values, "codes": [[of[place] for place in places] for of in one.codes]}
            for one in self.fields
        ]
        return head

    def head(self) -> dict[str, Any]:
        """Returns the data without anything that grows with the number of sentences."""
        systems = [replace(system, texts=[], answers=[], spans=[], values={}) for system in self.systems]
        data = asdict(replace(self, sentences=[], systems=systems, fields=[], word_counts=(), listed=None))
        for key in ("listed", "word_counts", *["cautions"] * (not self.cautions)):
            del data[key]
        for system in data["systems"]:
            for key in ("answers", "scored", "scored_by_length", "spans", "spans_of"):
                if not system[key]:
                    del system[key]
        return {"format": FORMAT, "format_version": FORMAT_VERSION, **data}

    @property
    def places(self) -> Sequence[int]:
        """The indices of the sentences that the page lists."""
        return range(len(self.sentences)) if self.listed is None else self.listed

    @property
    def spans_of(self) -> str:
        """The label of the metric that predicts errors in the outputs; empty without any."""
        return next((system.spans_of for system in self.systems if system.spans), "")

    @property
    def main_scores(self) -> list[ScoreColumn]:
        """The main scores."""
        return [column for column in self.scores if column.main]
