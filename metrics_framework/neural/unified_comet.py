"""Unified models and xCOMET: they read output, source and reference as one input, in up to three passes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.neural.comet import CometModel
from metrics_framework.neural.encoding import Batches, Encoded, encode, offsets_of

if TYPE_CHECKING:
    import torch


PENALTIES = {"minor": 1, "major": 5, "critical": 10}
MAX_PENALTY = 25
_FORM = {"start": int, "end": int, "severity": str, "confidence": float, "text": str}


def token_spans(labels: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yields the maximal spans of tokens with a label above 0: the first token, the last one, and the label.

    A span has the severity of its first token, whatever the labels of later ones are. As in the published program, a
    span that reaches the last token is dropped.

    >>> list(token_spans([0, 2, 1, 0, 1, 1]))
    [(1, 2, 2)]
    """
    first = None
    for index, label in enumerate(labels):
        if label and first is None:
            first = index
        if not label and first is not None:
            yield first, index - 1, labels[first]
            first = None


def quality_of(severities: Sequence[str]) -> float:
    """Returns 1 minus the penalties of errors / 25, at least 0: 1 for a minor, 5 for a major, 10 for a critical error.

    >>> quality_of(["minor", "major"]), quality_of(["critical"] * 3)
    (0.76, 0.0)
    """
    penalty = min(MAX_PENALTY, sum(PENALTIES.get(severity, 0) for severity in severities))
    return (MAX_PENALTY - penalty) / MAX_PENALTY


def decoded(
    probabilities: Sequence[Sequence[float]],
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    severities: Sequence[str],
    tokenizer: Any,
) -> list[dict[str, Any]]:
    """Returns the error spans of an output: their first and last characters, severities, texts and confidences.

    Args:
        probabilities: For each token the probability of each label.
        ids: The ids of the tokens.
        offsets: The start and end of each token in the output.
        severities: The severities of the labels from 1 on.
        tokenizer: Decodes the ids of a span to its text.
    """
    labels = [max(range(len(of_token)), key=of_token.__getitem__) for of_token in probabilities]
    spans = []
    for first, last, label in token_spans(labels):
        tokens = range(first, last + 1)
        spans.append(
            {
                "start": offsets[first][0],
                "end": offsets[last][1],
                "severity": severities[label - 1],
                "confidence": math.fsum(probabilities[token][labels[token]] for token in tokens) / len(tokens),
                "text": tokenizer.decode([ids[token] for token in tokens]),
            }
        )
    return spans


def are_scores(value: Any) -> bool:
    """Returns whether a value of a cache has the form of partial scores."""
    return isinstance(value, dict) and all(isinstance(score, float | int) for score in value.values())


def are_spans(value: Any) -> bool:
    """Returns whether a value of a cache has the form of error spans, `None` for models without."""
    return value is None or (
        isinstance(value, list)
        and all(isinstance(span, dict) and {name: type(part) for name, part in span.items()} == _FORM for span in value)
    )


WORD_WEIGHTS = (0.1667, 0.3333, 0.5)
"""The weights of the passes with source, with reference and with both, for errors in words."""
XCOMET_WEIGHTS = (0.12, 0.33, 0.33)
"""The same for the score of xCOMET; without a reference, the pass with the source has the weight of all."""
QUALITY_WEIGHT = 0.22
"""The weight of the error spans in the score of xCOMET."""
PASSES = ("src", "ref", "unified")


Read: TypeAlias = "tuple[float, torch.Tensor | None]"
"""The score of one input, and for each token of the output the probability of each label; `None` without spans."""


def scores_of_joined(model: CometModel, items: Sequence[Sequence[str]], batches: Batches) -> list[list[Any]]:
    """Scores outputs; each distinct input is read once.

    Returns for each output its score, the scores of its passes and of its spans by their names, the error spans (`None`
    for models without), and in a list whether a text of it is truncated, or the texts together.

    Args:
        model: A unified model, or xCOMET.
        items: For each output its own text, and those that the model reads: source, reference, or both.
        batches: Runs the batches.
    """
    texts = list(dict.fromkeys(text for item in items for text in item))
    encoded = dict(zip(texts, encode(model.encoder, texts), strict=True))
    inputs_of = {item: list(_passes(item, model)) for item in map(tuple, items)}
    inputs = list(dict.fromkeys(one for passes in inputs_of.values() for one in passes))
    joined = [join(model, [encoded[text] for text in one]) for one in inputs]
    read = batches.run(
        [len(one.ids) for one in joined],
        lambda batch: _read(
            model, [joined[index] for index in batch], [len(encoded[inputs[index][0]].ids) for index in batch]
        ),
    )
    by_input = dict(zip(inputs, zip(read, joined, strict=True), strict=True))
    return [_of_item(model, [by_input[one] for one in inputs_of[tuple(item)]], item, encoded) for item in items]


def join(model: CometModel, segments: Sequence[Encoded]) -> Encoded:
    """Joins texts to one input of a model, and truncates it if it is too long.

    Args:
        model: The model.
        segments: The texts, each with its special tokens.
    """
    tokenizer, family = model.encoder.tokenizer, model.parameters.family
    bodies = [[token for token in one.ids if token != tokenizer.pad_token_id][1:-1] for one in segments]
    separators = [tokenizer.sep_token_id] * family.separators
    ids = [tokenizer.cls_token_id, *bodies[0]]
    for body in bodies[1:]:
        ids += [*separators, *body]
    ids.append(tokenizer.sep_token_id)
    budget = model.max_joined - (1 + family.separators * len(bodies))
    is_cut = sum(map(len, bodies)) > budget and len(ids) > model.max_joined
    if is_cut:
        ids = ids[: model.max_joined]
    types = [int(index >= len(bodies[0]) + 2) for index in range(len(ids))] if family.has_types else []
    return Encoded(ids, types, is_cut or any(one.is_cut for one in segments))


def _passes(item: tuple[str, ...], model: CometModel) -> Iterator[tuple[str, ...]]:
    """Yields the texts of each pass: one, or three if the model reads both source and reference."""
    if len(item) == 3:
        yield item[:2]
        yield (item[0], item[2])
    yield item


def _read(model: CometModel, batch: Sequence[Encoded], lengths: Sequence[int]) -> list[Read]:
    """Returns what a model computes from a batch of inputs, of whose outputs the numbers of tokens are known."""
    import torch

    with torch.inference_mode():
        inputs, layers = model.layers_of(batch, padding_type=1)
        scores = model.scores_of(model.states_of(layers, inputs["attention_mask"])[:, 0])
        if model.parameters.word_layer is None:
            return [(score, None) for score in scores]
        words = torch.nn.functional.linear(layers[model.parameters.word_layer], *model.word_head).softmax(dim=-1).cpu()
        return [
            (score, words[index, :length]) for index, (score, length) in enumerate(zip(scores, lengths, strict=True))
        ]


def _of_item(
    model: CometModel, passes: Sequence[tuple[Read, Encoded]], item: Sequence[str], encoded: Mapping[str, Encoded]
) -> list[Any]:
    reads = [read for read, _ in passes]
    scores = [score for score, _ in reads]
    spans = _spans(model, reads, item[0], encoded[item[0]])
    parts = dict(zip(PASSES, scores, strict=True)) if len(scores) == 3 else {}
    score = math.fsum(scores) / len(scores)
    if model.parameters.kind == "xcomet":
        weights = XCOMET_WEIGHTS if len(scores) == 3 else (math.fsum(XCOMET_WEIGHTS),)
        capped = [min(1.0, value) for value in scores]
        parts = parts or {"src": capped[0]}  # capped only without a reference, as in the published program
        parts["mqm"] = quality_of([span["severity"] for span in spans or ()])
        weighted = [value * weight for value, weight in zip(capped, weights, strict=True)]
        score = math.fsum([*weighted, QUALITY_WEIGHT * parts["mqm"]])
    return [score, parts, spans, [any(one.is_cut for _, one in passes)]]


def _spans(model: CometModel, reads: Sequence[Read], text: str, encoded: Encoded) -> list[dict[str, Any]] | None:
    labels = [labels for _, labels in reads if labels is not None]
    if not labels:
        return None
    import torch

    weights = WORD_WEIGHTS if len(labels) == 3 else (1.0,)
    weighted = [weight * of_pass for weight, of_pass in zip(weights, labels, strict=True)]
    total = torch.sum(torch.stack(weighted), dim=0)
    offsets = offsets_of(model.encoder, text)
    length = min(len(total), len(offsets))
    return decoded(total[:length].tolist(), encoded.ids, offsets, model.parameters.severities, model.encoder.tokenizer)
