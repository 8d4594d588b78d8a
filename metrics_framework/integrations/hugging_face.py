"""Metrics with the methods that code written for Hugging Face's ``evaluate`` expects.

>>> from metrics_framework.integrations import hugging_face
>>> sari = hugging_face.load("sari")
>>> sari.compute(
...     sources=["About 95 species are currently accepted."],
...     predictions=["About 95 you now get in."],
...     references=[[
...         "About 95 species are currently known.",
...         "About 95 species are now accepted.",
...         "95 species are now accepted.",
...     ]],
... )["sari"]
26.953601953601954
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.construct import built_with, parse_spec
from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.checks import check_list
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.metric import load as load_metric

PLURALS = {"summary": "predictions", "references": "references", "source": "sources", "documents": "documents"}


class HuggingFaceMetric:
    """A metric with ``compute``, ``add`` and ``add_batch``.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._added: dict[str, list[Any]] = {}

    def compute(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        sources: Sequence[Any] | None = None,
        documents: Sequence[Any] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Scores what was added and what is given together, and returns the dictionary of the metric's published card.

        Args:
            predictions: The texts to score.
            references: For each the list of its references, or a single one.
            sources: For each its source, for metrics that need it.
            documents: For each its documents, for metrics that need them.
            options: Options of the metric, for this call; the others stay as they are.

        Raises:
            InputError: if a field that the metric needs is not given, or the lists differ in length.
        """
        before = {name: list(values) for name, values in self._added.items()}
        try:
            self.add_batch(predictions=predictions, references=references, sources=sources, documents=documents)
            metric: Any = self._with(options) if options else self.metric
            macro = metric.evaluate(*(_column(metric, name, self._added) for name in metric.fields))[0]
        except BaseException:
            self._added = before
            raise
        self._added = {}
        return published(metric, macro)

    def _with(self, options: Mapping[str, Any]) -> Any:
        aliases = self.metric.option_aliases
        ours = {aliases.get(name, name): value for name, value in options.items()}
        return load_metric(self.metric.name, **{**built_with(self.metric, Metric), **ours})

    def add(self, *, prediction: Any, reference: Any = None, references: Any = None, source: Any = None) -> None:
        """Takes one output, to be scored by the next `compute`."""
        given = {"predictions": prediction, "references": reference if references is None else references}
        given["sources"] = source
        for name, value in given.items():
            if value is not None:
                self._added.setdefault(name, []).append(value)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, documents: Any = None
    ) -> None:
        """Takes several outputs, to be scored by the next `compute`.

        Raises:
            InputError: if one of the arguments is not a list.
        """
        given = {"predictions": predictions, "references": references, "sources": sources, "documents": documents}
        for name, values in given.items():
            if values is not None:
                self._added.setdefault(name, []).extend(check_list(name, values))


def load(name: str | Mapping[str, Any], /, **options: Any) -> HuggingFaceMetric:
    """Builds a metric as `metrics_framework.load` does, with the methods of Hugging Face's ``evaluate``.

    What is not given is as on the published card; so ``load("sari")`` is the variant ``hf``.

    Args:
        name: As for `metrics_framework.load`.
        options: The options of the metric.
    """
    plain, given = parse_spec(name)
    return HuggingFaceMetric(load_metric(plain, **{**Metric.by_name(plain).card_options, **given, **options}))


def published(metric: Metric, scores: MetricsDict) -> dict[str, Any]:
    """Returns scores under the names of the metric's published card; under our flat names where there is none."""
    flat = scores.flatten()
    names = metric.card_names or {name: name for name in flat}
    return {theirs: flat[ours] for ours, theirs in names.items()}


def _column(metric: Metric, name: str, columns: Mapping[str, list[Any]]) -> list[Any]:
    plural = PLURALS.get(name, name)
    if plural not in columns:
        raise InputError(f"'{metric.name}' needs {plural}; got {', '.join(columns) or 'nothing'}")
    if name == "references":
        return [[value] if isinstance(value, str) else value for value in columns[plural]]
    return columns[plural]
