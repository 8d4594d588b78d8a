"""Probabilities of an encoder–decoder: of the tokens of a given text, and of the first token that it generates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, encode, padded
from metrics_framework.neural.models import Loaded

if TYPE_CHECKING:
    import torch

_MAX_EXPONENT = 700.0  # beyond it, numbers are infinite
_IGNORED = -100
"""The id of padding in labels, which transformers ignores."""


def shortened(loaded: Loaded, max_length: int) -> Loaded:
    """Returns the model with another limit of the number of tokens.

    It is not higher than that of the model, except for models with relative positions, such as T5: the limit of their
    tokenizers is only that of their training.
    """
    if hasattr(loaded.model.config, "relative_attention_num_buckets"):
        return replace(loaded, max_length=max_length)
    return replace(loaded, max_length=min(max_length, loaded.max_length))


def mean_log_probabilities(
    loaded: Loaded, pairs: Sequence[tuple[str, str]], batches: Batches
) -> list[tuple[float, list[bool]]]:
    """Returns the mean log probability of the tokens of a text given another text, and which texts are truncated.

    Args:
        loaded: An encoder–decoder.
        pairs: For each value the text that the encoder reads, and that whose tokens are predicted.
        batches: Runs the batches.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    encoded = dict(zip(texts, encode(loaded, texts), strict=True))
    inputs = [(encoded[given], encoded[target]) for given, target in pairs]
    values = batches.run(
        [len(given.ids) + len(target.ids) for given, target in inputs],
        lambda batch: _means(loaded, [inputs[index] for index in batch]),
    )
    return [(value, [given.is_cut, target.is_cut]) for value, (given, target) in zip(values, inputs, strict=True)]


def _means(loaded: Loaded, batch: Sequence[tuple[Encoded, Encoded]]) -> list[float]:
    import torch

    length = max(len(target.ids) for _, target in batch)
    labels = torch.tensor(
        [target.ids + [_IGNORED] * (length - len(target.ids)) for _, target in batch], device=loaded.device
    )
    with torch.inference_mode():
        logits = loaded.model(**_inputs(loaded, [given for given, _ in batch]), labels=labels).logits.float()
        known = labels != _IGNORED
        chosen = logits.log_softmax(dim=-1).gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        means: list[float] = ((chosen * known).sum(dim=1) / known.sum(dim=1)).tolist()
    return means


def answer_probabilities(
    loaded: Loaded, texts: Sequence[str], answers: tuple[str, str], batches: Batches
) -> list[tuple[float, bool]]:
    """Returns the probability of the first of two answers, and whether the text is truncated.

    Args:
        loaded: An encoder–decoder.
        texts: The texts that the encoder reads.
        answers: The answers; each counts by its first token.
        batches: Runs the batches.
    """
    distinct = list(dict.fromkeys(texts))
    encoded = encode(loaded, distinct)
    ids = [one.ids[0] for one in encode(loaded, answers)]
    logits = first_logits(loaded, encoded, loaded.model.config.decoder_start_token_id, ids, batches)
    found = {
        text: (1 / (1 + exp(min(other - first, _MAX_EXPONENT))), one.is_cut)
        for text, (first, other), one in zip(distinct, logits, encoded, strict=True)
    }
    return [found[text] for text in texts]


def first_logits(
    loaded: Loaded, encoded: Sequence[Encoded], start: int, ids: Sequence[int], batches: Batches
) -> list[list[float]]:
    """Returns the logits of some tokens as the first token that the decoder generates, for each input.

    Args:
        loaded: An encoder–decoder.
        encoded: The inputs.
        start: The id of the token that the decoder starts with.
        ids: The ids of the tokens.
        batches: Runs the batches.
    """
    return batches.run(
        [len(one.ids) for one in encoded],
        lambda batch: _first(loaded, [encoded[index] for index in batch], start, ids),
    )


def _first(loaded: Loaded, batch: Sequence[Encoded], start: int, ids: Sequence[int]) -> list[list[float]]:
    import torch

    starts = torch.full((len(batch), 1), start, device=loaded.device)
    with torch.inference_mode():
        logits = loaded.model(**_inputs(loaded, batch), decoder_input_ids=starts).logits[:, 0].float()
        chosen: list[list[float]] = logits[:, list(ids)].tolist()
    return chosen


def _inputs(loaded: Loaded, batch: Sequence[Encoded]) -> dict[str, torch.Tensor]:
    """Returns the inputs of the encoder; encoder–decoders have no token types."""
    inputs = padded(loaded, batch)
    inputs.pop("token_type_ids", None)
    return inputs
