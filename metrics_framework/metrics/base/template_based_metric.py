"""`TemplateBasedMetric`: a metric whose fields depend on an option, such as a prompt template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.keywords import renamed
from metrics_framework.metrics.base.metric import SCORES, Metric


class TemplateBasedMetric(Metric, forwards=True):
    """Base class of metrics whose fields depend on an option.

    The arguments of all methods are the fields of the metric, in the order of ``fields`` or by name.
    """

    def score(self, *arguments: Any, **named: Any) -> MetricsDict:
        """Scores one summary."""
        summary, *context = self._ordered(arguments, named)
        return self.score_batch(SCORES, [[summary]], *([value] for value in context)).scores[0]

    def score_all(self, *arguments: Any, **named: Any) -> list[MetricsDict]:
        """Scores each summary with its context."""
        return self._score_each(SCORES, self._ordered(arguments, named)).scores

    def score_multi(self, *arguments: Any, **named: Any) -> list[MetricsDict]:
        """Scores several summaries with the same context."""
        summaries, *context = self._ordered(arguments, named)
        return self.score_batch(SCORES, [summaries], *([value] for value in context)).scores

    def score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        """Scores groups of summaries; further arguments have one entry for each group."""
        return self._score_multi_all(*arguments)

    def evaluate(self, *arguments: Any, **named: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        """Returns the means over all summaries, and the scores of each."""
        return self._evaluate(*self._ordered(arguments, named))

    def _ordered(self, arguments: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """Returns all arguments in the order of the fields."""
        values = dict(zip(self.fields, arguments, strict=False))
        by_name = renamed(named, self.fields)
        wrong = sorted((by_name.keys() - set(self.fields)) | (by_name.keys() & values.keys()))
        values.update(by_name)
        missing = [name for name in self.fields if name not in values]
        if wrong or missing or len(arguments) > len(self.fields):
            raise TypeError(
                f"'{self.name}' needs {', '.join(self.fields)}, in this order or by name"
                + (f"; missing: {', '.join(missing)}" if missing else "")
                + (f"; unexpected: {', '.join(wrong)}" if wrong else "")
            )
        return [values[name] for name in self.fields]
