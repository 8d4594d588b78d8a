"""The page of ``fw visualize pyramid``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation, located
from metrics_framework.data.texts import as_string
from metrics_framework.metrics.pyramid_score import average_units, ideal_weight
from metrics_framework.reports.html.document import as_script, document, facts_list, file_list, html
from metrics_framework.version import __version__

_SCRIPTS = ("elements.js", "settings.js", "pyramid_parts.js", "pyramid.js")
_STYLES = ("page.css", "sentences.css", "visual.css", "pyramid.css")


def pyramid_page(data: PyramidData) -> str:
    """Writes the page."""
    views = data.pyramids
    facts = {
        "Pyramids": str(len(views)),
        "Model summaries": str(sum(len(view.models) for view in views)),
        "Content units": str(sum(len(view.units) for view in views)),
        "Scored summaries": str(sum(len(view.summaries) for view in views)),
        "Made with": f"fw {__version__}",
    }
    systems = {summary.name for view in views for summary in view.summaries if summary.kind == "peer"}
    parts = {
        "title": html(data.title),
        "lead": html(f"{counted(len(systems), 'system')} on {counted(len(views), 'input')}."),
        "facts": facts_list(facts),
        "notes": "".join(f"<li>{html(note)}</li>" for note in data.notes),
        "signature": html(data.signature),
        "files": f"Files: {file_list(data.files)}" if data.files else "",
        "data": as_script(data.as_json()),
    }
    return document("pyramid.html", _STYLES, _SCRIPTS, parts)


FORMAT = "fw-pyramids"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Segment:
    """A stretch of a summary that expresses the same units throughout.

    Args:
        text: Its text; the segments of a summary add up to its text.
        units: The indices of these units, sorted.
    """

    text: str
    units: list[int]


@dataclass(frozen=True)
class ModelSummary:
    """A model summary.

    Args:
        name: Its author.
        segments: Its text; empty if the file has none.
    """

    name: str
    segments: list[Segment]


@dataclass(frozen=True)
class Contributor:
    """What a model summary contributes to a unit.

    Args:
        model: The index of the summary.
        texts: The parts of its text.
    """

    model: int
    texts: list[str]


@dataclass(frozen=True)
class Unit:
    """A content unit.

    Args:
        id: Its id in the pyramid.
        label: The description of its content.
        contributors: The model summaries that express it.
    """

    id: int
    label: str
    contributors: list[Contributor]


@dataclass(frozen=True)
class ExpressedUnit:
    """A unit that a scored summary expresses.

    Args:
        unit: The index of the unit.
        texts: The parts of the text of the summary.
    """

    unit: int
    texts: list[str]


@dataclass(frozen=True)
class ScoredSummary:
    """A summary that is scored against a pyramid.

    Args:
        name: Its author.
        kind: ``peer``, or ``reference`` for a model summary.
        left_out: The index of the model summary that the pyramid is scored without; `None` for the whole pyramid.
        segments: Its text; empty if the file has none.
        units: The units that it expresses.
        total: The sum of their weights.
        size: The number of units of an ideal summary.
        ideal: The sum of the weights of an ideal summary.
        score: The score, `None` if undefined.
    """

    name: str
    kind: str
    left_out: int | None
    segments: list[Segment]
    units: list[ExpressedUnit]
    total: int
    size: int
    ideal: int
    score: float | None


@dataclass
class PyramidView:
    """A pyramid and the summaries that are scored against it.

    Args:
        instance: The input.
        models: The model summaries.
        units: The content units, in the order of the file.
        summaries: The scored summaries.
    """

    instance: str
    models: list[ModelSummary]
    units: list[Unit]
    summaries: list[ScoredSummary] = field(default_factory=list)


@dataclass
class PyramidData:
    """Everything on the page.

    Args:
        title: The heading.
        files: The names of the files, without folders.
        signature: The signature of the scores.
        pyramids: The pyramids.
        notes: Remarks for the reader.
    """

    title: str
    files: list[str]
    signature: str
    pyramids: list[PyramidView]
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Returns the JSON that the page embeds."""
        return {"format": FORMAT, "format_version": FORMAT_VERSION, "fw": __version__, **asdict(self)}


def pyramid_views(scored: Iterable[tuple[EvalInstance, float | None]]) -> tuple[list[PyramidView], list[str]]:
    """Groups scored summaries by pyramid.

    Args:
        scored: Summaries with the fields ``annotation`` and ``pyramid``, and their scores.

    Returns:
        The pyramids, and notes on parts that could not be found.
    """
    groups: dict[str, list[tuple[EvalInstance, float | None]]] = {}
    for instance, score in scored:
        groups.setdefault(instance.instance_id, []).append((instance, score))
    finder = _PartFinder()
    views = [view for group in groups.values() for view in _views(group, finder)]
    return views, finder.notes()


def _views(group: Sequence[tuple[EvalInstance, float | None]], finder: _PartFinder) -> Iterator[PyramidView]:
    """Yields a view of each pyramid of an input: a pyramid without one of its summaries belongs to the whole one."""
    found: list[tuple[Pyramid, PyramidView]] = []
    order = sorted(range(len(group)), key=lambda at: -len(group[at][0].fields["pyramid"].summarizer_ids))
    for at in order:
        instance, score = group[at]
        annotation, pyramid = instance.fields["annotation"], instance.fields["pyramid"]
        match = _matching(pyramid, found)
        if match is None:
            match = pyramid, _view(pyramid, finder), None
            found.append(match[:2])
        whole, view, left_out = match
        view.summaries.append(_scored_summary(annotation, pyramid, whole, left_out, score, finder))
    for _, view in found:
        yield view


def _matching(
    pyramid: Pyramid, found: Sequence[tuple[Pyramid, PyramidView]]
) -> tuple[Pyramid, PyramidView, int | None] | None:
    for whole, view in found:
        if pyramid == whole:
            return whole, view, None
        missing = [at for at, name in enumerate(whole.summarizer_ids) if name not in pyramid.summarizer_ids]
        if len(missing) == 1 and whole.remove_summary(missing[0]) == pyramid:
            return whole, view, missing[0]
    return None


def _view(pyramid: Pyramid, finder: _PartFinder) -> PyramidView:
    texts = [as_string(text) for text in pyramid.summaries]
    units = [
        Unit(
            scu.scu_id,
            scu.label or next((part.text for parts in scu.parts for part in parts if part.text), ""),
            [Contributor(model, _texts(texts[model], scu.parts_in(model))) for model in scu.contributors],
        )
        for scu in pyramid.scus
    ]
    parts_of_models = [
        [
            (index, part)
            for index, scu in enumerate(pyramid.scus)
            if model in scu.contributors
            for part in scu.parts_in(model)
        ]
        for model in range(len(texts))
    ]
    models = [
        ModelSummary(name, finder.segments(text, parts))
        for name, text, parts in zip(pyramid.summarizer_ids, texts, parts_of_models, strict=True)
    ]
    return PyramidView(pyramid.instance_id, models, units)


def _scored_summary(
    annotation: PyramidAnnotation,
    pyramid: Pyramid,
    whole: Pyramid,
    left_out: int | None,
    score: float | None,
    finder: _PartFinder,
) -> ScoredSummary:
    indices = {scu.scu_id: index for index, scu in enumerate(whole.scus)}
    parts_of = annotation.parts or [()] * len(annotation.scus)
    text = as_string(annotation.summary)
    expressed = [(indices[scu], parts) for scu, parts in zip(annotation.scus, parts_of, strict=True) if scu in indices]
    weights = {scu.scu_id: scu.weight for scu in pyramid.scus}
    number = len(pyramid.summarizer_ids)
    is_model = left_out is not None
    return ScoredSummary(
        annotation.summarizer_id,
        annotation.summarizer_type,
        left_out,
        finder.segments(text, [(unit, part) for unit, parts in expressed for part in parts], is_counted=not is_model),
        [ExpressedUnit(unit, _texts(text, parts)) for unit, parts in expressed],
        sum(weights.get(scu, 0) for scu in set(annotation.scus)),
        average_units(list(weights.values()), number),
        ideal_weight(list(weights.values()), number),
        score,
    )


def _texts(summary: str, parts: Sequence[Part]) -> list[str]:
    """Returns the texts of parts; a part without a text has that of its positions."""
    spans = [(part, None if part.text else located(summary, part)) for part in parts]
    return [summary[slice(*span)] if span else part.text for part, span in spans]


@dataclass
class _PartFinder:
    """Finds parts in summaries, and counts the missing ones.

    Args:
        parts: The number of parts.
        missing: The number of parts that a summary does not contain.
        without_text: The number of summaries without text that have parts.
    """

    parts: int = 0
    missing: int = 0
    without_text: int = 0

    def segments(self, text: str, parts: Sequence[tuple[int, Part]], is_counted: bool = True) -> list[Segment]:
        """Splits a summary at the ends of its parts.

        Args:
            text: The summary.
            parts: Parts of it, each with the index of its unit.
            is_counted: Whether the parts are counted; those of a model summary would count twice.
        """
        found = [(unit, located(text, part)) for unit, part in parts]
        spans = [(unit, *span) for unit, span in found if span is not None]
        if is_counted:
            self.without_text += bool(parts) and not text
            self.parts += len(parts) if text else 0
            self.missing += len(parts) - len(spans) if text else 0
        ends = sorted({0, len(text), *(end for _, *both in spans for end in both)})
        return [
            Segment(text[start:end], sorted({unit for unit, first, last in spans if first <= start and end <= last}))
            for start, end in pairwise(ends)
        ]

    def notes(self) -> list[str]:
        """Describes what could not be marked in the summaries."""
        notes = []
        if self.missing:
            notes.append(
                f"{self.missing} of {counted(self.parts, 'part')} not found in the texts of the summaries; listed with "
                "the content units, but not marked in the summaries."
            )
        if self.without_text:
            notes.append(
                f"Summaries without a text in the files: {self.without_text}; the texts of contributors are listed "
                "with the content units."
            )
        return notes
