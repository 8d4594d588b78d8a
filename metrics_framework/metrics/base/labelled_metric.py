"""A metric and the name its scores have in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.construct import arguments_of, parse_spec
from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.metric import Metric, load


@dataclass
class LabelledMetric:
    """A metric and the name that its scores go by in this run.

    Args:
        metric: The metric.
        label: The name; the metric's own unless the user chose another.
    """

    metric: Metric
    label: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process by the metric's name and options: what else it holds need not be sendable.

        Raises:
            UsageError: if the registry does not have the metric under its name.
        """
        registry, name = Metric.registry(), self.metric.name
        if name not in registry.names(aliases=True) or registry.get(name) is not type(self.metric):
            raise UsageError(f"the metric '{name}' is not registered, so that other processes cannot build it")
        return _rebuilt, (name, *arguments_of(self.metric), self.label)

    @property
    def name(self) -> str:
        """The label."""
        return self.label

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields the metric needs."""
        return self.metric.fields

    @property
    def is_renamed(self) -> bool:
        """Whether the label is another name than the metric's own."""
        return self.label != self.metric.name

    def renamed(self, scores: MetricsDict) -> MetricsDict:
        """Returns the scores under the label: ``sari_keep`` becomes ``label_keep``, ``other`` ``label_other``."""
        if not self.is_renamed:
            return scores
        return MetricsDict({self.renamed_score(name): value for name, value in scores.items()})

    def renamed_score(self, name: str) -> str:
        """Returns the name that a score goes by in this run."""
        own = self.metric.name
        if self.label == own:
            return name
        if name == own or name.startswith(f"{own}_"):
            return self.label + name[len(own) :]
        return f"{self.label}_{name}"


def _rebuilt(name: str, arguments: tuple[Any, ...], options: dict[str, Any], label: str) -> LabelledMetric:
    return LabelledMetric(Metric.by_name(name)(*arguments, **options), label)


def labelled(specs: Sequence[str | Mapping[str, Any] | Metric]) -> list[LabelledMetric]:
    """Builds the metrics of a run.

    Args:
        specs: Metrics, or names with options as `load` takes them, and the option ``label`` besides.

    Raises:
        UsageError: if two have the same label, or one cannot be built.
    """
    metrics: list[LabelledMetric] = []
    for spec in specs:
        metrics.append(_labelled(spec))
        label = metrics[-1].label
        if label in [metric.label for metric in metrics[:-1]]:
            raise UsageError(
                f"two metrics of this run are called '{label}', so that their scores would have the same names; "
                f"give one of them a label, as in {metrics[-1].metric.name}:label=other-name"
            )
    return metrics


def _labelled(spec: str | Mapping[str, Any] | Metric) -> LabelledMetric:
    if isinstance(spec, Metric):
        return LabelledMetric(spec, spec.name)
    name, options = parse_spec(spec)
    label = options.pop("label", None)
    metric = load({"type": name, **options})
    return LabelledMetric(metric, str(label or metric.name))
