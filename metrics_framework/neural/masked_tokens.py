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
    unique = list(dict.fromkeys(inputs))

    def compute(indices: list[int]) -> list[list[bool]]:
        batch = [unique[index] for index in indices]
        predicted = iter(_most_probable(loaded, batch))
        return [[next(predicted) == id_ for _, id_ in masked_input.masked] for masked_input in batch]

    results = batches.run([len(masked_input.ids) for masked_input in unique], compute)
    correct = dict(zip(unique, results, strict=True))
    return [correct[masked_input] for masked_input in inputs]


def _most_probable(loaded: Loaded, batch: Sequence[MaskedInput]) -> list[int]:
    """Returns the most probable id of each masked token of a batch, input by input."""
    import torch

    rows = [row for row, masked_input in enumerate(batch) for _ in masked_input.masked]
    columns = [column for masked_input in batch for column, _ in masked_input.masked]

    def keep_masked(_: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        return (states[0][rows, columns],)

    # The last layer multiplies by the size of the vocabulary: for all tokens of a batch, its result has gigabytes.
    hook = loaded.model.get_output_embeddings().register_forward_pre_hook(keep_masked)
    try:
        with torch.inference_mode():
            encoded = [Encoded(list(masked_input.ids), [], False) for masked_input in batch]
            logits = loaded.model(**padded(loaded, encoded)).logits
    finally:
        hook.remove()
    most_probable: list[int] = logits.argmax(-1).tolist()
    return most_probable
