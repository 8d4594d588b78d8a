"""Metrics as a scorer of inspect-ai: scores of each sample, and of all samples together."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.integrations.corpus_scorer import CorpusScorer

_KEY = "metrics_framework"
"""The key in the metadata of a score."""


def _scorers(metrics: Any) -> list[CorpusScorer]:
    specs = list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]
    if not specs or not all(isinstance(spec, (str, Mapping)) for spec in specs):
        raise UsageError("metrics must be names, such as 'ter' or 'sari:variant=hf', or dictionaries with 'type'")
    return [CorpusScorer(dict(spec) if isinstance(spec, Mapping) else spec) for spec in specs]


def _row(state: Any, target: Any, fields: Sequence[str], source: str | None) -> dict[str, Any]:
    """Returns the fields of a sample that metrics need.

    Raises:
        InputError: if one is missing.
    """
    known = {**state.metadata, "summary": state.output.completion}
    known["source"] = state.input_text if source is None else state.metadata.get(source)
    known["references"] = list(target) if any(target) else None  # without a target, a sample has the target ""
    missing = [name for name in fields if known.get(name) is None]
    if missing:
        where = {"references": "set target="}.get(missing[0], f"set metadata={{'{source or missing[0]}': …}}")
        raise InputError(f"sample {state.sample_id} has no {missing[0]}; {where} in Sample()")
    return {name: known[name] for name in fields}


@functools.cache
def _registered() -> Any:
    """Registers metric and scorer with inspect-ai; returns the function that builds the scorer."""
    from inspect_ai.scorer import Score, metric, scorer

    def corpus() -> Any:
        def of_samples(scores: Sequence[Any]) -> dict[str, float]:
            kept = [one.score.metadata[_KEY] for one in scores]
            rows = [part["fields"] for part in kept]
            found = (one.numbers(rows) for one in _scorers(kept[0]["metrics"]))
            return {name: number for numbers in found for name, number in numbers.items()}

        return of_samples

    def fw_scorer(metrics: Any, source: str | None = None) -> Any:
        scorers = _scorers(metrics)
        names = list(dict.fromkeys(["summary", *(name for one in scorers for name in one.metric.fields)]))

        async def score(state: Any, target: Any) -> Any:
            row = _row(state, target, names, source)
            value = {name: number for one in scorers for name, number in one.scores_of_one(row).items()}
            return Score(value=value, answer=row["summary"], metadata={_KEY: {"metrics": metrics, "fields": row}})

        return score

    corpus_metric = metric(name="fw_corpus", scores="unreduced")(corpus)
    return scorer(metrics=[corpus_metric()], name="fw_scorer")(fw_scorer)


def fw_scorer(metrics: str | Mapping[str, Any] | Sequence[Any], source: str | None = None) -> Any:
    """Returns a scorer for ``Task(scorer=…)``.

    The value of a sample has all scores of the metrics. The metric ``fw_corpus`` has those of all samples together,
    and of all epochs: every output is one of the corpus.

    Args:
        metrics: A metric or several: a name, ``name:option=value,…``, or a dictionary with ``type`` and options. The
            log of the run keeps them, so objects are not accepted.
        source: For metrics that need the source, the key in the metadata of the samples; by default, their input.

    Raises:
        UsageError: if a metric cannot be built.
    """
    return _registered()(metrics, source)
