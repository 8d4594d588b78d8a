"""Regression models: they encode each sentence alone, and estimate the score from the vectors of the sentences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.neural.checkpoints import pooled
from metrics_framework.neural.comet.model import CometModel
from metrics_framework.neural.encoding import Batches, Encoded, encode

if TYPE_CHECKING:
    import torch

MAX_SENTENCES = 1 << 15
"""The number of sentence vectors that are kept in memory for later outputs."""


class SentenceVector(NamedTuple):
    """The vector of a sentence.

    Attributes:
        vector: The vector, as float32 on the device of the model.
        is_cut: Whether the sentence is longer than the model allows.
    """

    vector: torch.Tensor
    is_cut: bool


class SentenceEstimator:
    """Scores outputs with a regression model; each distinct sentence is encoded once while it is in memory.

    Args:
        batches: Runs the batches.
    """

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._known: OrderedDict[str, SentenceVector] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the vectors, which another process computes again."""
        return {**self.__dict__, "_known": OrderedDict()}

    def scores(self, model: CometModel, items: Sequence[Sequence[str]]) -> list[tuple[float, list[bool]]]:
        """Returns the score of each output, and whether each of its texts was truncated.

        Args:
            model: The model.
            items: For each output its own text, its source and, if the model reads it, the reference.
        """
        import torch

        vectors = self._vectors(model, [text for item in items for text in item])
        scores: list[float] = []
        step = max(1, self._batches.batch_size * 16)
        with torch.inference_mode():
            for start in range(0, len(items), step):
                some = items[start : start + step]
                columns = [torch.stack([vectors[text].vector for text in column]) for column in zip(*some, strict=True)]
                scores += model.scores_of(features(*columns))
        return [(score, [vectors[text].is_cut for text in item]) for score, item in zip(scores, items, strict=True)]

    def _vectors(self, model: CometModel, texts: Sequence[str]) -> dict[str, SentenceVector]:
        wanted = dict.fromkeys(texts)
        found = {text: self._known[text] for text in wanted if text in self._known}
        missing = [text for text in wanted if text not in found]
        encoded = encode(model.encoder, missing)
        vectors = self._batches.run(
            [len(one.ids) for one in encoded],
            lambda batch: sentence_vectors(model, [encoded[index] for index in batch]),
        )
        new = {
            text: SentenceVector(vector, one.is_cut)
            for text, vector, one in zip(missing, vectors, encoded, strict=True)
        }
        for text in found:
            self._known.move_to_end(text)
        self._known.update(new)
        while len(self._known) > MAX_SENTENCES:
            self._known.popitem(last=False)
        return {**found, **new}


def sentence_vectors(model: CometModel, batch: Sequence[Encoded]) -> list[torch.Tensor]:
    """Returns the pooled vector of each sentence of a batch."""
    import torch

    with torch.inference_mode():
        inputs, layers = model.layers_of(batch)
        mask = inputs["attention_mask"]
        is_padding = inputs["input_ids"] == model.encoder.tokenizer.pad_token_id
        return list(pooled(model.states_of(layers, mask), is_padding, mask, model.parameters.pool))


def features(output: torch.Tensor, source: torch.Tensor, reference: torch.Tensor | None = None) -> torch.Tensor:
    """Returns the inputs of the estimator: the vectors, their products and the absolute values of their differences.

    Args:
        output: The vectors of outputs, of shape (outputs, dimensions).
        source: The vectors of their sources.
        reference: The vectors of their references, if the model reads them.
    """
    import torch

    of_source = [output * source, (output - source).abs()]
    if reference is None:
        return torch.cat([output, source, *of_source], dim=1)
    return torch.cat([output, reference, output * reference, (output - reference).abs(), *of_source], dim=1)
