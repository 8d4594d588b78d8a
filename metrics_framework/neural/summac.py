"""The scores of SummaC, from the probabilities that pieces of documents entail or contradict pieces of a summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from metrics_framework.common.errors import DataError, UnknownChoiceError, UsageError, message_of
from metrics_framework.io.content import hash_of
from metrics_framework.io.model_files import needs_safe_weights
from metrics_framework.text.sentences import Granularity, pieces_of

if TYPE_CHECKING:
    from numpy import ndarray

Variant = Literal["zs", "conv"]
Operation = Literal["max", "mean", "min"]
OPERATIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "mean": lambda values: math.fsum(values) / len(values),
    "min": min,
}
PERCENTILES = (
    *(0.0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97),
    *(0.975, 0.98, 0.985, 0.99, 0.995, 1.0),
)
"""The edges of the bins of the published weights of SummaC-Conv."""
MAX_DOCUMENT_PIECES = 100
MAX_DROPPED = 10
"""The largest number of characters of a piece that is left out."""


class ZeroShot(NamedTuple):
    """The variant without trained layers.

    Attributes:
        op1: How probabilities are combined over the pieces of the documents.
        op2: How values are combined over the pieces of the summary.
        use_con: Whether to subtract the probabilities of contradiction.
    """

    op1: Operation = "max"
    op2: Operation = "mean"
    use_con: bool = True

    def score(self, values: Sequence[Sequence[Sequence[float]]]) -> float:
        """Returns the score, given for each piece of the summary the probabilities with each piece of the documents.

        >>> ZeroShot("max", "min", True).score([[(0.75, 0.5), (0.25, 0.0)], [(0.5, 0.25)]])
        0.25
        """
        first = OPERATIONS[self.op1]
        scores = [
            first([value[0] for value in group]) - (first([value[1] for value in group]) if self.use_con else 0.0)
            for group in values
        ]
        return OPERATIONS[self.op2](scores)


def compared_pieces(
    texts: Sequence[str], sentences: Sequence[Sequence[str]], granularity: Sequence[Granularity]
) -> list[list[list[str]]]:
    """Returns for each piece of a summary the pairs with the pieces of its documents.

    Args:
        texts: The documents as one text, and the summary.
        sentences: Their sentences.
        granularity: Their pieces.

    >>> compared_pieces(["A longer text.", "Its summary.  "], [[], []], ["document", "document"])
    [[['A longer text.', 'Its summary.  ']]]
    """
    documents, summaries = (
        [piece for piece in pieces_of(text, of_text, kind) if len(piece) > MAX_DROPPED]
        for text, of_text, kind in zip(texts, sentences, granularity, strict=True)
    )
    documents = documents[:MAX_DOCUMENT_PIECES]
    return [[[document, piece] for document in documents] for piece in summaries] if documents else []


def signed_options(
    options: Mapping[str, Any], variant: str, weights: str | None, bins: Sequence[float] | None
) -> dict[str, Any]:
    """Returns the options of a variant for its signature, with a hash of its weights."""
    options = dict(options)
    if weights is not None:
        options["weights"] = hash_of(weights)
        options["bins"] = "percentile" if bins is None else "+".join(f"{edge:g}" for edge in bins)
    unused = ZeroShot._fields if variant == "conv" else ("weights", "bins")
    return {name: value for name, value in options.items() if name not in unused}


def check_variant(variant: str, zero_shot: ZeroShot, weights: str | None, bins: Sequence[float] | None) -> None:
    """Checks the options of a variant.

    Raises:
        UnknownChoiceError: if there is no variant or operation of a name.
        UsageError: if an option belongs to the other variant, or the weights are missing.
    """
    if variant not in ("zs", "conv"):
        raise UnknownChoiceError("variant", variant, ("zs", "conv"))
    for name, operation in (("op1", zero_shot.op1), ("op2", zero_shot.op2)):
        if operation not in OPERATIONS:
            raise UnknownChoiceError(name, operation, OPERATIONS)
    if variant == "zs" and (weights is not None or bins is not None):
        raise UsageError("'weights' and 'bins' are options of the variant conv")
    if variant == "conv" and zero_shot != ZeroShot():
        raise UsageError("'op1', 'op2' and 'use_con' are options of the variant zs")
    if variant == "conv" and weights is None:
        raise UsageError("the variant conv needs 'weights', the file of the weights of its layers")


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

    def score(self, values: Sequence[Sequence[Sequence[float]]]) -> float:
        """Returns the score, given for each piece of the summary the probabilities with each piece of the documents."""
        import numpy as np

        counts = np.stack([np.histogram([value[0] for value in group], bins=self._bins)[0] for group in values])
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
