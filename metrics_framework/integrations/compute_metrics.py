"""`compute_metrics`: metrics for the Seq2SeqTrainer of transformers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metrics_framework.api.settings import Metrics, metrics_of
from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import numbers_of
from metrics_framework.data.texts import shown
from metrics_framework.inputs.roles import no_field
from metrics_framework.inputs.texts import listed, parallel, without_checks
from metrics_framework.metrics.base.metric import LabelledMetric

_WORDS = {"summary": "predictions", "source": "sources"}


def compute_metrics(
    tokenizer: Any, metrics: Metrics, *, references: Sequence[Any] | None = None, sources: Sequence[Any] | None = None
) -> Callable[[Any], dict[str, float]]:
    """Returns the function ``compute_metrics`` of a trainer, which scores generated texts with ``metrics.evaluate``.

    Use it with ``Seq2SeqTrainingArguments(predict_with_generate=True)``. Predictions, labels and inputs are decoded
    without special tokens. The names of all scores are flat, and lists become several scores, such as
    ``bleu_precisions_1``.

    Args:
        tokenizer: The tokenizer of the model, or another object with ``batch_decode`` and ``pad_token_id``.
        metrics: A metric or several, as for `evaluate`.
        references: For each input of the evaluation set its reference, or a list of its references, in order; by
            default, the decoded labels.
        sources: For each input its source, in order; by default, the decoded inputs, which the trainer passes with
            ``include_for_metrics=["inputs"]``.

    Raises:
        UsageError: if a metric or an option is unknown.
        InputError: if the tokenizer cannot decode.

    >>> import metrics_framework as fw
    >>> class Tokenizer:
    ...     pad_token_id = 0
    ...
    ...     def batch_decode(self, ids, skip_special_tokens):
    ...         return [" ".join(f"word{token}" for token in row if token) for row in ids]
    >>> compute = fw.compute_metrics(Tokenizer(), "ter")
    >>> predictions, labels = [[1, 2, 3], [4, 5, -100]], [[1, 2, -100], [4, 5, -100]]
    >>> compute((predictions, labels))
    {'ter': 25.0, 'ter_num_edits': 1, 'ter_ref_length': 4.0}
    """
    chosen = metrics_of(metrics)
    if not hasattr(tokenizer, "batch_decode"):
        raise InputError(f"the tokenizer must have the method batch_decode, got {shown(tokenizer)}")

    texts = {
        field: None if values is None else listed(field, values, _WORDS.get(field, field))
        for field, values in (("references", references), ("source", sources))
    }

    def compute(evaluated: Any) -> dict[str, float]:
        predictions, labels, inputs = _parts(evaluated)
        given: dict[str, Any] = {"summary": _decoded(tokenizer, predictions)}
        for field, ids in (("references", labels), ("source", inputs)):
            if texts[field] is not None:
                given[field] = texts[field]
            elif ids is not None:
                given[field] = _decoded(tokenizer, ids)
        fields = parallel(given, _WORDS, chosen, is_generated=True)
        scores: dict[str, float] = {}
        with without_checks():
            for metric in chosen:
                scores.update(_evaluated(metric, fields))
        return scores

    return compute


def _evaluated(metric: LabelledMetric, fields: Mapping[str, Sequence[Any]]) -> dict[str, float]:
    for field in metric.metric.fields:
        if field not in fields:
            how = {
                "source": 'pass sources=, or train with include_for_metrics=["inputs"]',
                "references": "pass references=, or evaluate with labels",
            }.get(field, "the trainer does not have it")
            raise InputError(no_field(metric.label, field, None, how))
    scores, _ = metric.metric.evaluate(*(fields[field] for field in metric.metric.fields))
    flat = metric.renamed(scores).flatten().items()
    return {key: number for name, value in flat for key, number in numbers_of(name, value).items()}


def _parts(evaluated: Any) -> tuple[Any, Any, Any]:
    """Returns predictions, labels and inputs, given an ``EvalPrediction`` or a tuple."""
    if hasattr(evaluated, "predictions"):
        return evaluated.predictions, evaluated.label_ids, getattr(evaluated, "inputs", None)
    predictions, labels, *inputs = evaluated
    return predictions, labels, inputs[0] if inputs else None


def _decoded(tokenizer: Any, ids: Any) -> list[str]:
    """Returns texts, given arrays of token ids or of logits, whose largest one is taken, or a tuple that begins so."""
    import numpy as np

    if isinstance(ids, tuple):  # of a model that also returns hidden states
        ids = ids[0]
    rows = [row.argmax(axis=-1) if row.ndim == 2 else row for row in map(np.asarray, ids)]  # of equal lengths or not
    if {row.ndim for row in rows} - {1}:
        raise InputError(
            "predictions, labels and inputs must be arrays of token ids or logits, got the shape "
            f"{np.shape(ids) or shown(ids)}"
        )
    padding = tokenizer.pad_token_id
    if padding is None:
        padding = tokenizer.eos_token_id
    array = np.full((len(rows), max(map(len, rows), default=0)), padding)
    for index, row in enumerate(rows):  # negative ids are no tokens: labels that the loss ignores, and padding
        array[index, : len(row)] = np.where(row < 0, padding, row)
    decoded: list[str] = tokenizer.batch_decode(array, skip_special_tokens=True)
    return [text.strip() for text in decoded]
