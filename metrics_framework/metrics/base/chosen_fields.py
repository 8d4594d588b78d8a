"""The base class of metrics whose fields are options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.keywords import renamed
from metrics_framework.metrics.base.metric import SCORES, Metric


class ChosenFieldsMetric(Metric, forwards=True):
    """Base class of metrics whose fields depend on their options.

    The methods take one argument for each field, in the order of `fields`, or by name.
    """

    def score(self, *values: Any, **named: Any) -> MetricsDict:
        """Scores one output, given the values of its fields."""
        count = len(self.required_summary_fields)
        ordered = self._in_order(values, named)
        groups = [*([[value]] for value in ordered[:count]), *([value] for value in ordered[count:])]
        return self.score_batch(SCORES, *groups).scores[0]

    def score_all(self, *lists: Any, **named: Any) -> list[MetricsDict]:
        """Scores outputs, given a list for each field."""
        return self.score_each(SCORES, self._in_order(lists, named)).scores

    def score_multi(self, *values: Any, **named: Any) -> list[MetricsDict]:
        """Scores outputs of one context, given lists of the fields of outputs and the values of the other fields."""
        return self.score_batch(SCORES, *([value] for value in self._in_order(values, named))).scores

    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        """Scores groups of outputs, given groups of the fields of outputs and a list for each other field."""
        return self._score_multi_all(*groups)

    def evaluate(self, *lists: Any, **named: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        """Returns the scores of all outputs together and of each, given a list for each field."""
        return self._evaluate(*self._in_order(lists, named))

    def _in_order(self, values: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """Returns arguments in the order of the fields.

        Raises:
            TypeError: if an argument is unknown.
        """
        by_field = renamed(named, self.fields)
        ordered = [*values, *(by_field.pop(name) for name in self.fields[len(values) :] if name in by_field)]
        if by_field:
            raise TypeError(f"'{self.name}' has no field '{next(iter(by_field))}'; it has {', '.join(self.fields)}")
        return ordered
