"""What a report holds: the data model that is embedded in the page as JSON, and what the tables are made of.

``as_json`` of `ReportData` is the format; every number stands there in full, and a cell of a table is that number with
the digits that its `ScoreColumn` states. A value that is not defined is `None`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

FORMAT = "fw-report"
FORMAT_VERSION = 1

Kind = Literal["system", "baseline"]
Better = Literal["higher", "lower"]
Aggregate = Literal["corpus", "mean"]
Role = Literal["compression", "similarity", "splits", "copies"]
Number = float | int | None


@dataclass(frozen=True)
class ScoreColumn:
    """Describes a score.

    Args:
        name: Its flat name, as in the score files.
        title: What the page calls it.
        metric: The label of the metric that gives it; the name again for a score from a file that has no signature.
        main: Whether it is what the metric is read for, not a component of that.
        better: The direction, `None` where there is none or it is not known.
        aggregate: Whether the score of a system is that of the metric on all outputs, or a mean over outputs.
        digits: Digits behind the point of the score of a system; 0 for whole numbers.
        output_digits: The same for the score of one output.
        role: What the sentence browser and the plots use it for.
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


@dataclass(frozen=True)
class Cell:
    """Holds a score of a system.

    Args:
        value: The score.
        low: The lower end of its confidence interval.
        high: The upper end.
        p: The p-value of the difference to the system compared with.
        p_holm: The same, adjusted for the number of systems, or of baselines, that are compared.
        difference: The score less that of the system compared with, on the sentences that both have.
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
    """Holds a system or a baseline.

    Args:
        name: The summarizer id, or the name of the baseline.
        kind: Which of the two.
        about: What a baseline does; empty for a system.
        outputs: The number of its outputs.
        scores: Score name to the score over all outputs.
        by_length: Score name to the scores of the outputs in each of the bins of source length.
        texts: Its output for each sentence, `None` where it has none; empty for a baseline.
        values: Score name to the score of each output, in the order of the sentences; empty for a baseline.
    """

    name: str
    kind: Kind = "system"
    about: str = ""
    outputs: int = 0
    scores: dict[str, Cell] = field(default_factory=dict)
    by_length: dict[str, list[Number]] = field(default_factory=dict)
    texts: list[str | None] = field(default_factory=list)
    values: dict[str, list[Number]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sentence:
    """Holds one input.

    Args:
        id: The instance id.
        source: The text to simplify.
        references: What people made of it.
    """

    id: str
    source: str
    references: list[str]


@dataclass(frozen=True)
class LengthBin:
    """Describes a fifth of the sentences, by the number of words of the source.

    Args:
        shortest: The least number of words.
        longest: The greatest.
        sentences: The number of sentences.
    """

    shortest: int
    longest: int
    sentences: int


@dataclass(frozen=True)
class Facts:
    """Describes the test set.

    Args:
        sentences: The number of inputs.
        references: The number of references of a sentence, as in ``8`` or ``1-10``.
        words_per_source: The mean number of words of a source; words are what stands between blanks.
        words_per_reference: The mean number of words of a reference, `None` without references.
        files: The names of the files that were read, without folders.
        licence: The licence of the data, `None` where nothing states one.
    """

    sentences: int
    references: str
    words_per_source: float
    words_per_reference: float | None
    files: list[str]
    licence: str | None = None


@dataclass(frozen=True)
class Resampling:
    """Says how intervals and p-values were made.

    Args:
        method: The method.
        confidence: Of the intervals, in percent.
        resamples: How many resamples were drawn.
        seed: The seed of the random numbers.
        compared_with: The system that p-values compare with, `None` where there is but one.
    """

    method: str
    confidence: float
    resamples: int
    seed: int
    compared_with: str | None


@dataclass
class ReportData:
    """Holds a report.

    Args:
        title: The heading.
        fw: The version of this package.
        facts: What the test set is like.
        signatures: Metric to the string that says exactly what was computed.
        scores: The scores there are, main or not, in the order of the metrics.
        systems: The systems in the order of the input, then the baselines.
        lengths: The five bins of source length, shortest first.
        sentences: The inputs, in the order of the first file.
        resampling: How intervals were made, `None` where there are none.
        notes: What a reader must know besides.
    """

    title: str
    fw: str
    facts: Facts
    signatures: dict[str, str]
    scores: list[ScoreColumn]
    systems: list[System]
    lengths: list[LengthBin]
    sentences: list[Sentence]
    resampling: Resampling | None = None
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Returns what the page embeds and its button downloads."""
        return {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}

    @property
    def main_scores(self) -> list[ScoreColumn]:
        """The scores that metrics are read for."""
        return [column for column in self.scores if column.main]
