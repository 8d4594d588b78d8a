"""Metrics with the interface of Hugging Face's ``evaluate``.

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

from metrics_framework.common.errors import InputError
from metrics_framework.common.options import built_with, parse_spec
from metrics_framework.inputs.texts import listed, parallel
from metrics_framework.integrations.cards import REGISTRY, Card
from metrics_framework.metrics.base.metric import Metric

_ARGUMENTS = {"summary": "predictions", "references": "references", "source": "sources", "documents": "documents"}


class HuggingFaceMetric:
    """A metric with ``compute``, ``add`` and ``add_batch``.

    Args:
        metric: The metric.
        card: The card that defines options, arguments and results; by default, options and results are those of the
            metric.
        options: The options that the metric was built with; by default, those that it has.
        use_aggregator: What `compute` does by default.
    """

    def __init__(
        self,
        metric: Metric,
        card: Card | None = None,
        options: Mapping[str, Any] | None = None,
        use_aggregator: bool = True,
    ) -> None:
        self.metric = metric
        self._options = {**built_with(metric, Metric), **_by_own_names(metric, options or {})}
        self._use_aggregator = use_aggregator
        self._card = Card(metric.name) if card is None else card
        self._added: dict[str, list[Any]] = {}

    def compute(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        sources: Sequence[Any] | None = None,
        documents: Sequence[Any] | None = None,
        use_aggregator: bool | None = None,
        **options: Any,
    ) -> Any:
        """Scores all added outputs and the arguments; returns what the metric card returns.

        This is a dictionary of scores, and a number for the cards ``wer`` and ``cer``. Metrics without a card return
        their scores under their flat names.

        Args:
            predictions: The texts to score.
            references: The list of references of each prediction, or a single reference for each.
            sources: The source of each prediction, for metrics that need it.
            documents: The documents of each prediction, for metrics that need them.
            use_aggregator: Whether to return the scores of all predictions together, as floats, or lists of the scores
                of each; by default as in `load`, where it is true by default.
            options: Options of the metric that are different for this call.

        Raises:
            InputError: if a field that the metric needs is missing, or the lists differ in length.
        """
        before = {name: list(values) for name, values in self._added.items()}
        try:
            self.add_batch(predictions=predictions, references=references, sources=sources, documents=documents)
            metric: Any = self.metric
            if options:
                metric = self._card.build({**self._options, **_by_own_names(metric, options)})
            columns = {name: _column(metric, name, self._added) for name in metric.fields}
            self._card.check(self._added)
            macro, micro = self._card.evaluate(metric, list(parallel(columns, _ARGUMENTS).values()))
        except BaseException:
            self._added = before
            raise
        self._added = {}
        if self._use_aggregator if use_aggregator is None else use_aggregator:
            return self._card.result(metric, macro)
        scores = [self._card.result(metric, of_output) for of_output in micro]
        if not isinstance(scores[0], dict):
            return scores
        return {name: [of_output[name] for of_output in scores] for name in scores[0]}

    def add(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        references: Any = None,
        source: Any = None,
        sources: Any = None,
        documents: Any = None,
    ) -> None:
        """Adds one output for the next `compute`.

        Args:
            prediction: The text to score.
            reference: Its reference, or the list of its references.
            references: The same.
            source: Its source.
            sources: The same, under the name that ``evaluate`` gives it: ``add(prediction=…, sources=…)``.
            documents: The list of its documents.

        Raises:
            InputError: if an argument is given under two names.
        """
        given = {
            "predictions": prediction,
            "references": _either("reference", reference, "references", references),
            "sources": _either("source", source, "sources", sources),
            "documents": documents,
        }
        for name, value in given.items():
            if value is not None:
                self._added.setdefault(name, []).append(value)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, documents: Any = None
    ) -> None:
        """Adds several outputs for the next `compute`.

        Raises:
            InputError: if an argument is not a list.
        """
        given = {"summary": predictions, "references": references, "source": sources, "documents": documents}
        lists: dict[str, Sequence[Any]] = {}
        for field, values in given.items():
            if values is not None:
                name = _ARGUMENTS[field]
                lists[name] = listed(field, values, name, len(next(iter(lists.values()))) if lists else None)
        for name, values in lists.items():
            self._added.setdefault(name, []).extend(values)


def load(
    name: str | Mapping[str, Any], config_name: str | None = None, /, *, use_aggregator: bool = True, **options: Any
) -> HuggingFaceMetric:
    """Builds a metric as `metrics_framework.load` does, with the interface of Hugging Face's ``evaluate``.

    Options, arguments and results are those of the metric card with this name: the same keys, on the same scale. A card
    that no metric of this package computes is refused with the metric to use instead. The name of another metric also
    works; its scores have their flat names. `HuggingFaceMetric` accepts any metric, also where a card has its name:
    ``HuggingFaceMetric(fw.load("meteor"))`` is METEOR 1.5.

    Args:
        name: The metric, as for `metrics_framework.load`, or the name of its card.
        config_name: The model, for metrics that have one, such as ``comet``.
        use_aggregator: Whether `compute` returns the scores of all predictions together by default.
        options: The options of the card, or of the metric.

    Raises:
        UnknownNameError: if there is neither a card nor a metric of this name, or an option is unknown.
        UsageError: if the card is unavailable, or an option has an invalid value.
    """
    named, given = parse_spec(name)
    card: Card = Card.by_name(named)() if named in REGISTRY.names() else Card(named)
    model = {} if config_name is None else {"model": config_name}
    options = {**given, **model, **options}
    return HuggingFaceMetric(card.build(options), card, options, use_aggregator)


def _by_own_names(metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    return {metric.option_aliases.get(name, name): value for name, value in options.items()}


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    if value is not None and other is not None:
        raise InputError(f"'{name}' and '{other_name}' mean the same; use only one of them")
    return other if value is None else value


def _column(metric: Metric, name: str, columns: Mapping[str, list[Any]]) -> list[Any]:
    argument = _ARGUMENTS.get(name, name)
    if argument not in columns:
        raise InputError(f"'{metric.name}' needs {argument}; got {', '.join(columns) or 'nothing'}")
    return columns[argument]
