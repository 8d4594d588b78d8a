"""Contextual embeddings of texts: each distinct text is embedded once while it is in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, encode, hidden_states
from metrics_framework.neural.models import Loaded

if TYPE_CHECKING:
    import torch

MAX_BYTES = 1 << 28
"""The size of the embeddings that are kept in memory for later texts."""


class Embedding(NamedTuple):
    """The embedding of a text.

    Attributes:
        encoded: Its tokens.
        states: The hidden states of the last layers: an array of shape (layers, tokens, size of the model).
    """

    encoded: Encoded
    states: torch.Tensor


class Embedder:
    """Embeds texts in batches, and remembers the latest embeddings.

    Args:
        batches: Runs the batches.
        layers: The number of last layers to return.
        most_bytes: The size of the embeddings to remember.
    """

    def __init__(self, batches: Batches, layers: int = 1, most_bytes: int = MAX_BYTES) -> None:
        self.layers = layers
        self.most_bytes = most_bytes
        self._batches = batches
        self._known: OrderedDict[str, Embedding] = OrderedDict()
        self._bytes = 0

    def embed(self, loaded: Loaded, texts: Iterable[str]) -> dict[str, Embedding]:
        """Returns the embedding of each distinct text."""
        wanted = list(dict.fromkeys(texts))
        found = {text: self._known[text] for text in wanted if text in self._known}
        missing = [text for text in wanted if text not in found]
        encoded = encode(loaded, missing)
        states = self._batches.run(
            [len(one.ids) for one in encoded],
            lambda batch: hidden_states(loaded, [encoded[index] for index in batch], self.layers),
        )
        new = {
            text: Embedding(*values) for text, values in zip(missing, zip(encoded, states, strict=True), strict=True)
        }
        self._remember(found, new)
        return {**found, **new}

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the embeddings, which another process computes again."""
        return {**self.__dict__, "_known": OrderedDict(), "_bytes": 0}

    def _remember(self, found: Iterable[str], new: dict[str, Embedding]) -> None:
        for text in found:
            self._known.move_to_end(text)
        for text, embedding in new.items():
            self._known[text] = embedding
            self._bytes += embedding.states.nbytes
        while self._bytes > self.most_bytes and self._known:
            self._bytes -= self._known.popitem(last=False)[1].states.nbytes
