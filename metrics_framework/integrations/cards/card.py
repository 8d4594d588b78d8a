"""`Card`: the arguments, options and results of a metric of Hugging Face's ``evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.integrations.cards import REGISTRY
from metrics_framework.metrics.base.metric import Metric, load


class Card(Registrable, registry=REGISTRY):
    """A metric of ``evaluate``, computed with a metric of this package.

    Args:
        metric_name: The metric of this package; by default, that of the class.

    Attributes:
        metric_name: The metric of this package.
        without_effect: The options of the card that change no score.
        same_number_of_references: Whether all predictions must have the same number of references, as in sacreBLEU.
        one_reference: Whether each prediction has one reference, which is a text.
    """

    metric_name: str = ""
    without_effect: ClassVar[Sequence[str]] = ()
    same_number_of_references: ClassVar[bool] = False
    one_reference: ClassVar[bool] = False

    def __init__(self, metric_name: str | None = None) -> None:
        self.metric_name = self.metric_name if metric_name is None else metric_name

    def build(self, options: Mapping[str, Any]) -> Metric:
        """Builds the metric.

        Args:
            options: Options of the card or of the metric.

        Raises:
            UsageError: if an option is unknown, or the card cannot be computed.
        """
        known = {name: value for name, value in options.items() if name not in self.without_effect}
        return load(self.metric_name, **{**Metric.by_name(self.metric_name).card_options, **known})

    def check(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Checks the arguments; all cards accept predictions and sources that are strings.

        Args:
            columns: The arguments by name: predictions, references and sources.

        Raises:
            InputError: if the card does not accept them.
        """
        for name in ("predictions", "sources") if self.registered_name else ():
            for index, value in enumerate(columns.get(name, ())):
                if is_list(value):
                    raise InputError(f"'{name}' must be strings, got {shown(as_list(value))} (entry {index})")
        self._check_references(columns.get("references", ()))

    def _check_references(self, references: Sequence[Any]) -> None:
        advice = f"HuggingFaceMetric(fw.load('{self.metric_name}')) accepts any number"
        counts = [len(as_list(value)) if is_list(value) else 1 for value in references]
        if self.one_reference:
            for index, value in enumerate(references):
                if is_list(value):
                    raise InputError(
                        f"the card '{self.registered_name}' has one reference for each prediction, a text, got "
                        f"{shown(value)} (entry {index}); {advice}"
                    )
        if self.same_number_of_references and len(set(counts)) > 1:
            index = next(index for index, count in enumerate(counts) if count != counts[0])
            raise InputError(
                f"the card '{self.registered_name}' needs the same number of references for each prediction, got "
                f"{counts[0]} for entry 0 and {counts[index]} for entry {index}; {advice}"
            )

    def evaluate(self, metric: Metric, arguments: Sequence[Any]) -> tuple[MetricsDict, list[MetricsDict]]:
        """Returns the scores of all predictions together, and of each; see `Metric.evaluate`."""
        return metric.evaluate(*arguments)

    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        """Returns what the card returns.

        Args:
            metric: The metric.
            scores: Its scores.
        """
        flat = scores.flatten()
        names = metric.card_names or {name: name for name in flat}
        return {name_on_card: flat[name] for name, name_on_card in names.items() if name in flat}


class UnavailableCard(Card):
    """A card whose scores no metric of this package returns."""

    reason: ClassVar[str]

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        raise UsageError(f"the card '{self.registered_name}' is unavailable: {self.reason}")
