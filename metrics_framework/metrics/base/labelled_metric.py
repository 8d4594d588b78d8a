"""A metric and the name its scores have in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.construct import arguments_of, parse_spec
from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.metric import Metric, load


@dataclass
class LabelledMetric:
    """A metric and the name of its scores in this run.

    Args:
        metric: The metric.
        label: The name; that of the metric unless the user chose another.

    Attributes:
        is_renamed: Whether the user chose another name.
    """

    metric: Metric
    label: str
    is_renamed: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_renamed = self.label != self.metric.name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the name and options of the metric, since other attributes of it need not be picklable.

        Raises:
            UsageError: if the registry does not have the metric under its name.
        """
        registry, name = Metric.registry(), self.metric.name
        if name not in registry.names(aliases=True) or registry.get(name) is not type(self.metric):
            raise UsageError(f"the metric '{name}' is not registered, so other processes cannot build it; use --jobs 1")
        return _rebuilt, (name, *arguments_of(self.metric), self.label)

    def renamed(self, scores: MetricsDict) -> MetricsDict:
        """Returns the scores under the label: ``sari_keep`` becomes ``label_keep``, ``other`` ``label_other``."""
        if not self.is_renamed:
            return scores
        return MetricsDict({self.renamed_score(name): value for name, value in scores.items()})

    def renamed_score(self, name: str) -> str:
        """Returns the name of a score in this run."""
        own = self.metric.name
        if not self.is_renamed:
            return name
        if name == own or name.startswith(f"{own}_"):
            return self.label + name[len(own) :]
        return f"{self.label}_{name}"


def _rebuilt(name: str, arguments: tuple[Any, ...], options: dict[str, Any], label: str) -> LabelledMetric:
    return LabelledMetric(Metric.by_name(name)(*arguments, **options), label)


def labelled(specs: Sequence[str | Mapping[str, Any] | Metric]) -> list[LabelledMetric]:
    """Builds the metrics of a run.

    Args:
        specs: Metrics, or names with options as `load` accepts them, where ``label`` is one more option.

    Raises:
        UsageError: if two have the same label, or one cannot be built.
    """
    metrics: dict[str, LabelledMetric] = {}
    for spec in specs:
        if isinstance(spec, Metric):
            found = LabelledMetric(spec, spec.name)
        else:
            name, options = parse_spec(spec)
            label = options.pop("label", None)
            metric = load({"type": name, **options})
            found = LabelledMetric(metric, str(label or metric.name))
        if found.label in metrics:
            raise UsageError(
                f"two metrics of this run are called '{found.label}', so their scores would have the same names; "
                f"give one of them a label, as in {found.metric.name}:label=other-name"
            )
        metrics[found.label] = found
    return list(metrics.values())
