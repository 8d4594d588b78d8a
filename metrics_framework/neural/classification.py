"""Models with a head for classification: one of their outputs is the score of the texts that they read together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from metrics_framework.common.errors import UsageError
from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, encode, padded
from metrics_framework.neural.models import Loaded

Activation = Literal["none", "sigmoid", "softmax"]


class Head(NamedTuple):
    """Which output of a model is the score.

    Args:
        activation: The function that is applied to the outputs.
        output_index: The index of the output that is the score; `None` if there is only one.
    """

    activation: Activation
    output_index: int | None

    def index_in(self, loaded: Loaded) -> int:
        """Returns the index of the output that is the score.

        Raises:
            UsageError: if it is unknown, or the activation does not fit the number of outputs.
        """
        count = loaded.model.config.num_labels
        if self.activation == "softmax" and count == 1:
            raise UsageError("the activation softmax needs a model with several outputs; this model has one")
        if self.output_index is None and count > 1:
            names = ", ".join(f"{index} ({name})" for index, name in sorted(loaded.model.config.id2label.items()))
            raise UsageError(
                f"the model has {count} outputs: set 'output_index' to the one that is the score, of {names}"
            )
        output = self.output_index or 0
        if not 0 <= output < count:
            raise UsageError(f"'output_index' must be from 0 to {count - 1}, the outputs of the model, got {output}")
        return output


def scores_of_texts(
    loaded: Loaded, inputs: Sequence[Sequence[str]], head: Head, batches: Batches
) -> list[list[float | bool]]:
    """Returns the score of each input, and whether it was truncated.

    Args:
        loaded: The model.
        inputs: The inputs, of one text or two.
        head: Which output is the score.
        batches: Runs the batches.

    Raises:
        UsageError: if the model does not have this output.
    """
    output = head.index_in(loaded)
    encoded = encode(loaded, *(list(column) for column in zip(*inputs, strict=True)))
    values = batches.run(
        [len(one.ids) for one in encoded],
        lambda batch: _outputs(loaded, [encoded[index] for index in batch], head.activation, output),
    )
    return [[value, one.is_cut] for value, one in zip(values, encoded, strict=True)]


def _outputs(loaded: Loaded, batch: Sequence[Encoded], activation: Activation, output: int) -> list[float]:
    import torch

    with torch.inference_mode():
        logits = loaded.model(**padded(loaded, batch)).logits.float()
        if activation == "sigmoid":
            logits = logits.sigmoid()
        elif activation == "softmax":
            logits = logits.softmax(dim=-1)
        values: list[float] = logits[:, output].tolist()
    return values
