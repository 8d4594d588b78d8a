"""Models of natural language inference: the probability that a text entails or contradicts another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.errors import DataError, message_of
from metrics_framework.io.model_files import needs_safe_weights
from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, padded
from metrics_framework.neural.models import Loaded
from metrics_framework.neural.pairs import encode_pairs

if TYPE_CHECKING:
    from numpy import ndarray

CLASSES = ("entailment", "contradiction", "neutral")
PERCENTILES = (
    *(0.0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97),
    *(0.975, 0.98, 0.985, 0.99, 0.995, 1.0),
)
"""The edges of the bins of the published weights of SummaC-Conv."""


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


class Convolution:
    """The layers of SummaC-Conv: the score of a summary from histograms of entailment.

    Args:
        path: A file of PyTorch with the published weights: ``mlp`` and ``layer_final``.
        bins: The edges of the bins of a histogram.

    Raises:
        DataError: if the file cannot be read as tensors only, lacks weights, or has another number of bins.
    """

    def __init__(self, path: str, bins: Sequence[float]) -> None:
        weights = _weights(path)
        self._bins = list(bins)
        self._hidden, self._hidden_bias = weights["mlp.weight"], weights["mlp.bias"]
        self._final, self._final_bias = weights["layer_final.weight"], weights["layer_final.bias"]
        expected = self._hidden.shape[-1]
        if len(bins) - 1 != expected:
            raise DataError(f"has weights for {expected} bins, but 'bins' has {len(bins)} edges", path)

    def score(self, entailments_list: Sequence[Sequence[float]]) -> float:
        """Returns the score, given for each piece of the summary the entailment by each piece of the document."""
        import numpy as np

        counts = np.stack([np.histogram(values, bins=self._bins)[0] for values in entailments_list])
        mean = float((counts @ self._hidden[0] + self._hidden_bias[0]).mean())
        logits = mean * self._final.sum(axis=1) + self._final_bias  # the program repeats the mean for each input
        exponentials = np.exp(logits - logits.max())
        return float(exponentials[1] / exponentials.sum())


def _weights(path: str) -> dict[str, ndarray]:
    import pickle

    import torch

    try:
        content: Any = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise needs_safe_weights(path, "", message_of(error).strip().splitlines()[0]) from error
    except (RuntimeError, EOFError, OSError, ValueError) as error:
        raise DataError(f"cannot be read as weights of PyTorch: {message_of(error).splitlines()[0]}", path) from error
    names = ("mlp.weight", "mlp.bias", "layer_final.weight", "layer_final.bias")
    if not isinstance(content, dict) or not set(names) <= content.keys():
        raise DataError(f"is not the file of weights of SummaC-Conv: it must have {', '.join(names)}", path)
    return {name: content[name].double().numpy() for name in names}
