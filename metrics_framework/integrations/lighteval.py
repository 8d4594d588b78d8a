"""Metrics for the tasks of lighteval."""

from __future__ import annotations

from typing import Any

from metrics_framework.api.settings import MetricSpec
from metrics_framework.common.errors import InputError
from metrics_framework.data.texts import as_list
from metrics_framework.inputs.roles import no_field
from metrics_framework.integrations.corpus_scorer import CorpusScorer


def corpus_level_metric(metric: MetricSpec, score: str | None = None) -> Any:
    """Returns a ``CorpusLevelMetric`` for the ``metrics`` of a task.

    The references of a document are its gold choices. Other fields, such as ``source``, are the entries of
    ``Doc(specific={"source": …})``.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object.
        score: The flat name of the score; by default, the score with the name of the metric.

    Raises:
        UsageError: if the metric cannot be built, or neither direction of its scores is better.
    """
    from lighteval.metrics.sample_preparator import Preparator
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.tasks.requests import SamplingMethod

    scorer = CorpusScorer(metric, score)

    class Prepared(Preparator):  # type: ignore[misc]
        """Keeps what the metric needs of a document."""

        def prepare(self, doc: Any, model_response: Any, **_: Any) -> dict[str, Any]:
            return _row(scorer, doc, model_response)

    return CorpusLevelMetric(
        metric_name=score or scorer.label,
        higher_is_better=scorer.higher_is_better,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=Prepared(),
        corpus_level_fn=scorer.score,  # lighteval pickles it for its bootstrap
    )


def _row(scorer: CorpusScorer, doc: Any, response: Any) -> dict[str, Any]:
    """Returns the fields of a document that the metric needs.

    Raises:
        InputError: if one is missing, or there are several outputs.
    """
    outputs = as_list(response.final_text)
    if len(outputs) != 1:
        raise InputError(
            f"'{scorer.label}' scores one output for each document, got {len(outputs)}; set num_samples=[1]"
        )
    known = {**(doc.specific or {}), "summary": outputs[0], "references": list(as_list(doc.get_golds()))}
    missing = [name for name in scorer.metric.fields if name not in known]
    if missing:
        advice = f"add it to Doc(specific={{'{missing[0]}': …}})"
        raise InputError(no_field(scorer.label, missing[0], None, advice))
    return {name: known[name] for name in scorer.metric.fields}
