"""Predicting masked tokens with a masked language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, padded
from metrics_framework.neural.models import Loaded


class MaskedInput(NamedTuple):
    """An input with masked tokens.

    Args:
        ids: The ids of its tokens, with special tokens and masks.
        masked: The index and the id of each token that is masked.
    """

    ids: tuple[int, ...]
    masked: tuple[tuple[int, int], ...]


def correct_predictions(loaded: Loaded, inputs: Sequence[MaskedInput], batches: Batches) -> list[list[bool]]:
    """Returns whether the model's most probable token is the masked one, for each masked token of each input.

    Equal inputs are computed once.

    Args:
        loaded: A model for the task ``masked-lm``.
        inputs: The inputs; none is longer than the model allows.
        batches: Runs the model.
    """
    import torch

    unique = list(dict.fromkeys(inputs))

    def compute(indices: list[int]) -> list[list[bool]]:
        batch = [unique[index] for index in indices]
        encoded = [Encoded(list(masked_input.ids), [], False) for masked_input in batch]
        with torch.inference_mode():
            logits = loaded.model(**padded(loaded, encoded)).logits
        return [_are_correct(masked_input, of_input) for masked_input, of_input in zip(batch, logits, strict=True)]

    results = batches.run([len(masked_input.ids) for masked_input in unique], compute)
    correct = dict(zip(unique, results, strict=True))
    return [correct[masked_input] for masked_input in inputs]


def _are_correct(masked_input: MaskedInput, logits: Any) -> list[bool]:
    predicted = logits[[index for index, _ in masked_input.masked]].argmax(-1).tolist()
    return [one == id_ for one, (_, id_) in zip(predicted, masked_input.masked, strict=True)]
