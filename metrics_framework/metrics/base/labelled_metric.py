"""Metrics with labels, which name their scores in a run (decision 0009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.options import arguments_of, build, parse_spec
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric


class LabelledMetric:
    """A metric and the label that names its scores in this run.

    Args:
        metric: The metric.
        label: The label; the default label of the metric unless the user chose another.

    Attributes:
        is_renamed: Whether the label differs from the name of the metric.
    """

    def __init__(self, metric: Metric, label: str) -> None:
        self.metric = metric
        self.label = label
        self.is_renamed = label != metric.name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the name and options of the metric; its other attributes need not be picklable.

        Raises:
            UsageError: if the metric is not registered under its name.
        """
        registry, name = Metric.registry(), self.metric.name
        if name not in registry.names(aliases=True) or registry.get(name) is not type(self.metric):
            raise UsageError(
                f"the metric '{name}' is not registered, so worker processes cannot build it; use --jobs 1"
            )
        return _rebuilt, (name, *arguments_of(self.metric), self.label)

    def renamed(self, scores: MetricsDict) -> MetricsDict:
        """Renames scores: with label ``x``, ``sari_keep`` becomes ``x_keep`` and ``other`` becomes ``x_other``."""
        if not self.is_renamed:
            return scores
        return MetricsDict({self.renamed_score(name): value for name, value in scores.items()})

    def renamed_score(self, name: str) -> str:
        """Returns the name of a score in this run."""
        if not self.is_renamed:
            return name
        metric = self.metric.name
        if name == metric or name.startswith(f"{metric}_"):
            return self.label + name[len(metric) :]
        return f"{self.label}_{name}"


def _rebuilt(name: str, arguments: tuple[Any, ...], options: dict[str, Any], label: str) -> LabelledMetric:
    return LabelledMetric(Metric.by_name(name)(*arguments, **options), label)


def labelled(specs: Sequence[str | Mapping[str, Any] | Metric | LabelledMetric]) -> list[LabelledMetric]:
    """Builds the metrics of a run.

    Args:
        specs: Metrics, with or without labels, or names with options as `load` accepts them; ``label`` is an additional
            option.

    Raises:
        UsageError: if two metrics have the same label, or a metric cannot be built.
    """
    metrics: dict[str, LabelledMetric] = {}
    for spec in specs:
        if isinstance(spec, LabelledMetric):
            labelled_metric = spec
        elif isinstance(spec, Metric):
            labelled_metric = LabelledMetric(spec, spec.default_label)
        else:
            name, options = parse_spec(spec)
            label = options.pop("label", None)
            metric = build(METRICS.get(name), Metric, options, name)
            labelled_metric = LabelledMetric(metric, str(label or metric.default_label))
        if labelled_metric.label in metrics:
            raise UsageError(
                f"two metrics of this run are labelled '{labelled_metric.label}', so their scores would have the same "
                f"names; set another label, as in {labelled_metric.metric.name}:label=other-name"
            )
        metrics[labelled_metric.label] = labelled_metric
    return list(metrics.values())
