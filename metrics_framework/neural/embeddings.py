"""Embeddings of tokens, their weights, and how texts are compared by them: greedy matching and optimal transport."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.errors import ProcessError
from metrics_framework.neural.encoding import Batches, Encoded, encode, hidden_states
from metrics_framework.neural.models import Loaded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import torch

    Array = npt.NDArray[np.float64]

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

    def embed(
        self,
        loaded: Loaded,
        texts: Iterable[str],
        compute: Callable[[list[Encoded]], Sequence[torch.Tensor]] | None = None,
    ) -> dict[str, Embedding]:
        """Returns the embedding of each distinct text.

        Args:
            loaded: The model.
            texts: The texts.
            compute: Returns the embeddings of a batch; by default the hidden states.
        """
        wanted = list(dict.fromkeys(texts))
        found = {text: self._known[text] for text in wanted if text in self._known}
        missing = [text for text in wanted if text not in found]
        encoded = encode(loaded, missing)
        states = self._batches.of_encoded(encoded, compute or partial(hidden_states, loaded, layers=self.layers))
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


class TokenVectors(NamedTuple):
    """The tokens of a sentence.

    Args:
        tokens: The tokens, with special tokens.
        vectors: The vector of each token in the last layer, of shape (tokens, dimensions).
        is_cut: Whether tokens at the end are missing.
    """

    tokens: list[str]
    vectors: np.ndarray
    is_cut: bool


def token_vectors(loaded: Loaded, sentences: Sequence[str], most_tokens: int, batches: Batches) -> list[TokenVectors]:
    """Encodes each sentence alone.

    Args:
        loaded: A model for the task ``encoder``.
        sentences: The sentences.
        most_tokens: The number of tokens of a sentence, without special tokens, after which the rest is left out.
        batches: Runs the model.
    """
    most = min(most_tokens + loaded.tokenizer.num_special_tokens_to_add(), loaded.max_length)
    rows = encode(replace(loaded, max_length=most), sentences)
    states = batches.of_encoded(rows, partial(hidden_states, loaded))
    return [
        TokenVectors(loaded.tokenizer.convert_ids_to_tokens(row.ids), of_row[0].numpy(), row.is_cut)
        for row, of_row in zip(rows, states, strict=True)
    ]


class DocumentFrequencies:
    """Counts the documents that contain each token.

    The inverse document frequency of a token in c of N documents is log((N + 1) / (c + 1)).

    >>> frequencies = DocumentFrequencies()
    >>> frequencies.add([1, 2, 2])
    >>> frequencies.add([1])
    >>> [round(frequencies.inverse(token), 3) for token in (1, 2, 9)]
    [0.0, 0.405, 1.099]
    """

    def __init__(self) -> None:
        self.documents = 0
        self._counts: Counter[int] = Counter()

    def add(self, tokens: Iterable[int], times: int = 1) -> None:
        """Adds a document, or several equal ones."""
        self.documents += times
        for token in set(tokens):
            self._counts[token] += times

    def inverse(self, token: int) -> float:
        """Returns the inverse document frequency of a token."""
        return math.log((self.documents + 1) / (self._counts[token] + 1))

    def fingerprint(self) -> str:
        """Returns the first digits of a hash of all counts."""
        content = json.dumps([self.documents, sorted(self._counts.items())])
        return hashlib.sha256(content.encode()).hexdigest()[:12]


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs operations of torch on one thread: for small arrays, threads cost more time than they save."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def normalized(states: torch.Tensor) -> torch.Tensor:
    """Returns vectors of length 1: an array of shape (tokens, size), like the argument."""
    return states / states.norm(dim=-1, keepdim=True)


def greedy_matching(
    summary: torch.Tensor, reference: torch.Tensor, summary_weights: Sequence[float], reference_weights: Sequence[float]
) -> tuple[float, float]:
    """Returns precision and recall: the weighted means of the highest cosine similarity of each token.

    Args:
        summary: Normalized embeddings, of shape (tokens of the summary, size).
        reference: Normalized embeddings, of shape (tokens of the reference, size).
        summary_weights: The weight of each token of the summary.
        reference_weights: The weight of each token of the reference.

    Returns:
        Precision and recall; NaN if all weights of the summary or of the reference are 0.
    """
    similarities = summary @ reference.T
    return (
        _weighted_mean(similarities.amax(dim=1), summary_weights),
        _weighted_mean(similarities.amax(dim=0), reference_weights),
    )


def _weighted_mean(values: torch.Tensor, weights: Sequence[float]) -> float:
    total = math.fsum(weights)
    products = (value * weight for value, weight in zip(values.tolist(), weights, strict=True))
    return math.fsum(products) / total if total else math.nan


def f1_of(precision: float, recall: float) -> float:
    """Returns the harmonic mean; 0 if both are 0, or if one is NaN, as in the package bert-score."""
    total = precision + recall
    return 2 * precision * recall / total if total and not math.isnan(total) else 0.0


def transport_cost(supplies: Array, demands: Array, costs: Array) -> float:
    """Returns the earth mover's distance between two weighted sets of points.

    It is the optimum of the linear program: minimize Σ costs · flow for flow ≥ 0, whose rows add up to the supplies and
    whose columns add up to the demands; both are divided by their sums first. If all weights are equal, and there are
    as many supplies as demands, an assignment is optimal; otherwise HiGHS solves the program with the dual simplex.

    Args:
        supplies: The weights of the first set, of shape (n,).
        demands: The weights of the second set, of shape (m,).
        costs: The cost of moving a unit from each point to each other point, of shape (n, m).

    Returns:
        The cost; NaN if all weights of a set are 0.

    Raises:
        ProcessError: if the solver fails, as it does for costs that are not finite.

    >>> import numpy as np
    >>> transport_cost(np.array([1.0, 1.0]), np.array([3.0]), np.array([[2.0], [4.0]]))
    3.0
    """
    rows, columns = supplies > 0, demands > 0
    if not rows.any() or not columns.any():
        return math.nan
    supplies, demands = supplies[rows] / supplies[rows].sum(), demands[columns] / demands[columns].sum()
    costs = costs[rows][:, columns]
    if 1 in costs.shape:
        return float(supplies @ costs @ demands)
    if len(supplies) == len(demands) and supplies.max() == supplies.min() and demands.max() == demands.min():
        from scipy.optimize import linear_sum_assignment

        return float(costs[linear_sum_assignment(costs)].mean())
    return _by_linear_program(supplies, demands, costs)


def _by_linear_program(supplies: Array, demands: Array, costs: Array) -> float:
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    number, width = costs.shape
    flows = np.arange(costs.size)
    # One constraint per supply and per demand; the last one follows from the others.
    constraints = csr_array(
        (np.ones(2 * costs.size), (np.concatenate([flows // width, number + flows % width]), np.tile(flows, 2))),
        shape=(number + width, costs.size),
    )[:-1]
    found = linprog(costs.ravel(), A_eq=constraints, b_eq=np.concatenate([supplies, demands])[:-1], method="highs-ds")
    if found.status:
        raise ProcessError(f"the transport of {number} to {width} tokens cannot be computed: {found.message}")
    return float(found.fun)
