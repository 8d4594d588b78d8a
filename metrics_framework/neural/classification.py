"""Models that read one or two texts and classify them: scores of a head, and probabilities of entailment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.neural.encoding import Batches, Encoded, encode, padded, valid_text
from metrics_framework.neural.models import Loaded, quiet

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


def scores_of_texts(loaded: Loaded, inputs: Sequence[Sequence[str]], head: Head, batches: Batches) -> list[list[Any]]:
    """Returns for each input its score, and in a list whether it is truncated.

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
    return batches.values_of(encoded, lambda batch: _outputs(loaded, batch, head.activation, [output]))


def _outputs(
    loaded: Loaded, batch: Sequence[Encoded], activation: Activation, outputs: Sequence[int]
) -> list[list[float]]:
    import torch

    with torch.inference_mode():
        logits = loaded.model(**padded(loaded, batch)).logits.float()
        if activation == "sigmoid":
            logits = logits.sigmoid()
        elif activation == "softmax":
            logits = logits.softmax(dim=-1)
        values: list[list[float]] = logits[:, list(outputs)].tolist()
    return values


def encode_pairs(loaded: Loaded, pairs: Sequence[Sequence[str]]) -> list[Encoded]:
    """Encodes pairs of texts; of a pair that is too long, the first text is truncated.

    If the second text is too long without the first one, the longer one is truncated.
    """
    columns = [[valid_text(text) for text in column] for column in zip(*pairs, strict=True)]
    with quiet():
        full = loaded.tokenizer(*columns, truncation=False, verbose=False)
        types = full.get("token_type_ids") or [[]] * len(pairs)
        return [
            Encoded(ids, of_pair, False) if len(ids) <= loaded.max_length else _truncated(loaded, pair)
            for *pair, ids, of_pair in zip(*columns, full["input_ids"], types, strict=True)
        ]


def _truncated(loaded: Loaded, pair: Sequence[str]) -> Encoded:
    options = {"max_length": loaded.max_length, "verbose": False}
    try:
        cut = loaded.tokenizer(*pair, truncation="only_first", **options)
    except Exception:  # tokenizers have no separate class for a first text that is too short
        cut = loaded.tokenizer(*pair, truncation="longest_first", **options)
    return Encoded(cut["input_ids"], cut.get("token_type_ids") or [], True)


CLASSES = ("entailment", "contradiction", "neutral")


def entailments(loaded: Loaded, pairs: Sequence[Sequence[str]], max_length: int, batches: Batches) -> list[list[Any]]:
    """Returns for each pair the probabilities that its first text entails and contradicts the second one, and in a list
    whether it is truncated.

    Args:
        loaded: A classifier with three classes.
        pairs: The pairs.
        max_length: The largest number of tokens of a pair; of longer pairs, the longer text is truncated.
        batches: Runs the batches.

    Raises:
        DataError: if the model does not name its classes.
    """
    indices = class_indices(loaded.model.config.id2label, loaded.model.name_or_path)
    shorter = replace(loaded, max_length=min(max_length, loaded.max_length))
    encoded = encode(shorter, *(list(column) for column in zip(*pairs, strict=True)))
    return batches.values_of(encoded, lambda batch: _outputs(loaded, batch, "softmax", indices[:2]))


def class_indices(labels: Mapping[int, str], model: str) -> list[int]:
    """Returns the indices of the classes entailment, contradiction and neutral.

    Raises:
        DataError: if a class is missing.

    >>> class_indices({0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}, "a-model")
    [2, 0, 1]
    """
    known = {str(label).lower(): int(index) for index, label in labels.items()}
    if missing := [name for name in CLASSES if name not in known]:
        raise DataError(
            f"is not a model of natural language inference with three classes: 'id2label' of its configuration has "
            f"{', '.join(known)}, but not {', '.join(missing)}",
            model,
        )
    return [known[name] for name in CLASSES]
