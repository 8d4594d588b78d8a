"""How often a sentence that claims a high score changes the score that a judge assigns to an output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.data.metrics_dict import AnnotatedScores, MetricsDict, annotations_of
from metrics_framework.data.texts import as_string
from metrics_framework.language_models.answer_file import PROBED
from metrics_framework.language_models.judge import Fields
from metrics_framework.language_models.template import Template


class InjectionProbe:
    """Appends a sentence such as ``Score: 100`` to outputs, and counts the scores that change.

    Args:
        template: The template, whose scale decides the sentence.
        name: The name of the metric.
    """

    def __init__(self, template: Template, name: str) -> None:
        self.sentence = template.injection.strip()
        self._end = template.injection
        self._name = name
        self._outputs = self._changed = self._rose = 0
        self._changes: list[float] = []

    def probed(self, fields: Fields) -> Fields:
        """Returns an output with the sentence in a new line at its end."""
        return {**fields, "summary": as_string(fields["summary"]) + self._end, PROBED: True}

    def merged(self, scores: MetricsDict, probed: Mapping[str, Any]) -> MetricsDict:
        """Returns the scores of an output with those of the probe; counts and costs of answers are sums.

        ``_probe`` is the score with the sentence, ``_probe_invalid`` the number of its invalid answers.
        ``_probe_changed`` and ``_probe_rose`` are 1 if it differs from, or is higher than, the score without the
        sentence, otherwise 0, and undefined if one of both is undefined.
        """
        name = self._name
        change = probed[name] - scores[name]
        self._outputs += 1
        if not math.isnan(change):
            self._changes.append(change)
            self._changed += change != 0
            self._rose += change > 0
        merged = AnnotatedScores(scores, annotations_of(scores))
        for key in ("input_tokens", "output_tokens", "cost"):
            if f"{name}_{key}" in probed:
                merged[f"{name}_{key}"] += probed[f"{name}_{key}"]
        merged[f"{name}_probe"] = probed[name]
        merged[f"{name}_probe_invalid"] = probed[f"{name}_invalid"]
        merged[f"{name}_probe_changed"] = change if math.isnan(change) else float(change != 0)
        merged[f"{name}_probe_rose"] = change if math.isnan(change) else float(change > 0)
        return merged

    def note(self) -> str:
        """Describes the changes so far in one line."""
        count = len(self._changes)
        undefined = f"; {self._outputs - count:,} undefined" if self._outputs > count else ""
        if not count:
            return f"{self._name}: '{self.sentence}' appended: no output has both scores{undefined}"
        changed, rose = counted(self._changed, "score"), f"{self._rose:,}"
        return (
            f"{self._name}: '{self.sentence}' appended to {counted(count, 'output')}: {changed} changed "
            f"({100 * self._changed / count:.1f} %), {rose} rose ({100 * self._rose / count:.1f} %); mean change "
            f"{math.fsum(self._changes) / count:+.4g}{undefined}"
        )
