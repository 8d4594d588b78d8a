"""The page of ``fw visualize pyramid``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation, located
from metrics_framework.data.texts import as_string
from metrics_framework.metrics.pyramid_score import average_units, ideal_weight
from metrics_framework.reports.html.document import data_page, html

_SCRIPTS = ("pyramid_parts.js", "pyramid.js")


def pyramid_page(
    title: str, files: Sequence[str], signature: str, views: Sequence[Mapping[str, Any]], notes: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """Writes the page.

    Args:
        title: The heading.
        files: The names of the files, without folders.
        signature: The signature of the scores.
        views: The pyramids, as `pyramid_views` returns them.
        notes: Remarks for the reader.

    Returns:
        The page, and the data that it embeds.
    """
    data: dict[str, Any] = {"format": "fw-pyramids", "title": title, "files": [*files], "signature": signature}
    data |= {"pyramids": [*views], "notes": [*notes]}
    summaries = [summary for view in views for summary in view["summaries"]]
    facts = {
        "Pyramids": str(len(views)),
        "Model summaries": str(sum(len(view["models"]) for view in views)),
        "Content units": str(sum(len(view["units"]) for view in views)),
        "Scored summaries": str(len(summaries)),
    }
    systems = {summary["name"] for summary in summaries if summary["kind"] == "peer"}
    lead = f"{counted(len(systems), 'system')} on {counted(len(views), 'input')}."
    return data_page("pyramid", _SCRIPTS, lead, facts, data, signature=html(signature))


View = dict[str, Any]
"""A pyramid and the summaries that are scored against it, as the page embeds them: see `pyramid_views`."""


def pyramid_views(scored: Iterable[tuple[EvalInstance, float | None]]) -> tuple[list[View], list[str]]:
    """Groups scored summaries by pyramid.

    Indices of units and of model summaries are those of the lists ``units`` and ``models`` of a pyramid. A summary has
    ``segments``, whose texts add up to its text, each with the ``units`` that it expresses throughout; none if the file
    has no text.

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


def _views(group: Sequence[tuple[EvalInstance, float | None]], finder: _PartFinder) -> Iterator[View]:
    """Yields a view of each pyramid of an input: a pyramid without one of its summaries belongs to the whole one."""
    found: list[tuple[Pyramid, View]] = []
    order = sorted(range(len(group)), key=lambda at: -len(group[at][0].fields["pyramid"].summarizer_ids))
    for at in order:
        instance, score = group[at]
        annotation, pyramid = instance.fields["annotation"], instance.fields["pyramid"]
        match = _matching(pyramid, found)
        if match is None:
            match = pyramid, _view(pyramid, finder), None
            found.append(match[:2])
        whole, view, left_out = match
        view["summaries"].append(_scored_summary(annotation, pyramid, whole, left_out, score, finder))
    for _, view in found:
        yield view


def _matching(pyramid: Pyramid, found: Sequence[tuple[Pyramid, View]]) -> tuple[Pyramid, View, int | None] | None:
    for whole, view in found:
        if pyramid == whole:
            return whole, view, None
        missing = [at for at, name in enumerate(whole.summarizer_ids) if name not in pyramid.summarizer_ids]
        if len(missing) == 1 and whole.remove_summary(missing[0]) == pyramid:
            return whole, view, missing[0]
    return None


def _view(pyramid: Pyramid, finder: _PartFinder) -> View:
    texts = [as_string(text) for text in pyramid.summaries]
    units = []
    for scu in pyramid.scus:
        of_models = [{"model": model, "texts": _texts(texts[model], scu.parts_in(model))} for model in scu.contributors]
        label = scu.label or next((part.text for parts in scu.parts for part in parts if part.text), "")
        units.append({"id": scu.scu_id, "label": label, "contributors": of_models})
    models = []
    for model, (name, text) in enumerate(zip(pyramid.summarizer_ids, texts, strict=True)):
        expressed = [(index, scu) for index, scu in enumerate(pyramid.scus) if model in scu.contributors]
        parts = [(index, part) for index, scu in expressed for part in scu.parts_in(model)]
        models.append({"name": name, "segments": finder.segments(text, parts)})
    return {"instance": pyramid.instance_id, "models": models, "units": units, "summaries": []}


def _scored_summary(
    annotation: PyramidAnnotation,
    pyramid: Pyramid,
    whole: Pyramid,
    left_out: int | None,
    score: float | None,
    finder: _PartFinder,
) -> dict[str, Any]:
    indices = {scu.scu_id: index for index, scu in enumerate(whole.scus)}
    parts_of = annotation.parts or [()] * len(annotation.scus)
    text = as_string(annotation.summary)
    expressed = [(indices[scu], parts) for scu, parts in zip(annotation.scus, parts_of, strict=True) if scu in indices]
    parts_of_text = [(unit, part) for unit, parts in expressed for part in parts]
    weights = {scu.scu_id: scu.weight for scu in pyramid.scus}
    number = len(pyramid.summarizer_ids)
    return {
        "name": annotation.summarizer_id,
        "kind": annotation.summarizer_type,
        "left_out": left_out,  # the model summary that the pyramid is scored without
        "segments": finder.segments(text, parts_of_text, is_counted=left_out is None),
        "units": [{"unit": unit, "texts": _texts(text, parts)} for unit, parts in expressed],
        "total": sum(weights.get(scu, 0) for scu in set(annotation.scus)),
        "size": average_units(list(weights.values()), number),  # of an ideal summary
        "ideal": ideal_weight(list(weights.values()), number),
        "score": score,
    }


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

    def segments(self, text: str, parts: Sequence[tuple[int, Part]], is_counted: bool = True) -> list[dict[str, Any]]:
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
        segments = []
        for start, end in pairwise(ends):
            units = sorted({unit for unit, first, last in spans if first <= start and end <= last})
            segments.append({"text": text[start:end], "units": units})
        return segments

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
