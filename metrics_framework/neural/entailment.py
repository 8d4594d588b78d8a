"""Models of natural language inference: the probability that a text entails or contradicts another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metrics_framework.common.errors import DataError
from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, padded
from metrics_framework.neural.models import Loaded
from metrics_framework.neural.pairs import encode_pairs

CLASSES = ("entailment", "contradiction", "neutral")


class Entailment(NamedTuple):
    """How one text relates to another.

    Attributes:
        entailment: The probability that the first text entails the second one.
        contradiction: The probability that it contradicts it.
        is_cut: Whether the pair was truncated.
    """

    entailment: float
    contradiction: float
    is_cut: bool


def entailments(
    loaded: Loaded, pairs: Sequence[tuple[str, str]], max_length: int, batches: Batches
) -> list[Entailment]:
    """Returns the probabilities for pairs of texts.

    Args:
        loaded: A classifier with three classes.
        pairs: The pairs.
        max_length: The largest number of tokens of a pair; of longer pairs, the longer text is truncated.
        batches: Runs the batches.

    Raises:
        DataError: if the model does not name its classes.
    """
    indices = class_indices(loaded.model.config.id2label, loaded.model.name_or_path)
    encoded = encode_pairs(loaded, pairs, min(max_length, loaded.max_length))
    values = batches.run(
        [len(one.ids) for one in encoded],
        lambda batch: _probabilities(loaded, [encoded[index] for index in batch], indices[:2]),
    )
    return [Entailment(value[0], value[1], one.is_cut) for value, one in zip(values, encoded, strict=True)]


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


def _probabilities(loaded: Loaded, batch: Sequence[Encoded], indices: Sequence[int]) -> list[list[float]]:
    import torch

    with torch.inference_mode():
        probabilities = loaded.model(**padded(loaded, batch)).logits.float().softmax(dim=-1)
        chosen: list[list[float]] = probabilities[:, list(indices)].tolist()
    return chosen
