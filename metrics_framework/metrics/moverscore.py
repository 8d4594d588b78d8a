"""MoverScore: the cost of moving the token embeddings of a summary to those of a reference."""

from __future__ import annotations

import functools
import hashlib
import math
import string
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from metrics_framework.common.errors import DataError, InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.io.content import hash_of
from metrics_framework.io.reading import read_lines
from metrics_framework.metrics.base.metric import InputBatches, Metric
from metrics_framework.metrics.base.neural_metric import EmbeddedPairsMetric
from metrics_framework.neural.embeddings import DocumentFrequencies, Embedder, Embedding, transport_cost
from metrics_framework.neural.encoding import encode
from metrics_framework.neural.models import Loaded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

Variant = Literal["v1", "v2", "v2-2021"]
PUNCTUATION = frozenset(string.punctuation)
MASS = 1e-5
"""What the published version 1 adds to the weight of an n-gram before it divides by it."""


class Program(NamedTuple):
    """What the published programs do differently.

    Attributes:
        layers: The number of last layers that a vector is made from.
        power_means: Whether vectors are power means over these layers, and their distances are squared.
        is_inverse: Whether the score is 1 / (1 + distance), else 1 − distance.
    """

    layers: int
    power_means: bool
    is_inverse: bool

    def score(self, distance: float) -> float:
        """Returns the score, given the earth mover's distance."""
        return 1 / (1 + distance) if self.is_inverse else 1 - distance


PROGRAMS: dict[Variant, Program] = {
    "v1": Program(5, power_means=True, is_inverse=False),
    "v2": Program(1, power_means=False, is_inverse=False),
    "v2-2021": Program(1, power_means=False, is_inverse=True),
}


class Idf(NamedTuple):
    """The frequencies of the tokens of summaries and of references."""

    summaries: DocumentFrequencies
    references: DocumentFrequencies

    def fingerprint(self) -> list[str]:
        """Returns the fingerprints of both frequencies."""
        return [frequencies.fingerprint() for frequencies in self]


class WeightedVectors(NamedTuple):
    """The n-grams of a text: their weights, of shape (n,), and their vectors, of shape (n, size)."""

    weights: Array
    vectors: Array


@Metric.register("moverscore")
@dataclass(eq=False, repr=False)
class MoverScore(EmbeddedPairsMetric):
    """MoverScore: similarity by the earth mover's distance between the token embeddings of summary and reference.

    Punctuation, stop words and the second and later subwords of a word have weight 0. All other tokens, including the
    special ones, have the same weight or, with ``idf``, log((N + 1) / (c + 1)) for a token in c of N texts, counted
    separately in summaries and references. The cost of moving a token is the distance of the vectors, and EMD is the
    least cost of moving all weights of the summary to those of the reference. The variants are those of the published
    programs:

    - ``v2-2021``: 1 / (1 + EMD) of the Euclidean distances of the embeddings of the last layer, scaled to length 1.
    - ``v2``: 1 − EMD of the same distances.
    - ``v1``: 1 − EMD of the squared distances of concatenated power means, that is minimum, mean and maximum, over the
      last five layers, each scaled to length 1. N-grams are weighted means of the vectors of their tokens.

    With several references, the score is the mean over the references, as in SacreROUGE.

    Range: 1/3 to 1 for ``v2-2021``, −1 to 1 for ``v2`` and −3 to 1 for ``v1``, higher is better. The score is 0 if the
    summary or the reference is empty, or consists of characters that the tokenizer drops, such as U+200B or U+FFFD;
    also if all tokens of the summary have weight 0, but not all of the reference. It is NaN if all tokens of the
    reference have weight 0.

    Source: Zhao, Peyrard, Liu, Gao, Meyer and Eger (EMNLP 2019). ``v2-2021`` is ``moverscore_v2.py`` in the authors'
    repository (github.com/AIPHES/emnlp19-moverscore) since 27 January 2021, whose README recommends it for its speed;
    ``v2`` is this file until then, and in the package moverscore 1.0.3; ``v1`` is ``moverscore.py`` in both. SacreROUGE
    uses ``v2`` with idf over distinct texts and a list of stop words.

    Args:
        model: The folder of an encoder with WordPiece subwords, such as BERT or DistilBERT, or its name on the hub.
        variant: The version of the published program: ``v2-2021`` (authors' repository since 2021, 1 / (1 + EMD)),
            ``v2`` (package 1.0.3, 1 − EMD) or ``v1`` (power means and n-grams, 1 − EMD).
        ngram: The length of the n-grams that are moved; only ``v1`` moves other n-grams than single tokens.
        idf: Whether to weight tokens by their inverse document frequency in the distinct summaries and references of
            the call or of the whole run.
        stop_words: A file of words without weight, separated by spaces or line ends.

    Raises:
        UsageError: if there is no such model or device.
        InputError: if the length of n-grams does not fit the variant.
        DataError: if the model or the file of stop words cannot be loaded.
        MissingExtraError: if torch or transformers is not installed.
    """

    score_range = (None, 1 + 1e-6)
    ratios = ("moverscore",)
    definition = 2  # texts without tokens are scored as 0
    usual_model = "distilbert-base-uncased"
    citation = "zhao-etal-2019-moverscore"

    variant: Variant = "v2-2021"
    ngram: int = 1
    idf: bool = False
    stop_words: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._program = PROGRAMS[self.variant]
        if self.ngram < 1 or (self.ngram > 1 and not self._program.power_means):
            raise InputError(
                f"'ngram' must be 1, or at least 1 with the variant 'v1', got {self.ngram} with '{self.variant}'"
            )
        self._embedders: dict[int, Embedder] = {}
        self.needs_all_inputs = self.idf

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "model": super().signature_options()["model"],
            "variant": self.variant,
            "ngram": self.ngram,
            "idf": self.idf,
            "stop": hash_of(self.stop_words) if self.stop_words else None,
            "precision": self.precision,
        }

    @overrides
    def prepared(self, inputs: InputBatches) -> AbstractContextManager[None]:
        return self.weighted_by(self._idf_of((columns[0], columns[1]) for _, columns in inputs))

    @overrides
    def combined(self, values: Sequence[Sequence[float]]) -> float:
        return math.fsum(score for (score,) in values) / len(values)

    @overrides
    def compute(self, pairs: Sequence[tuple[str, str]], weights: Any | None) -> list[list[Any]]:
        loaded = self.loaded()
        layers = min(self._program.layers, loaded.model.config.num_hidden_layers)
        embedder = self._embedders.setdefault(layers, Embedder(self.batches, layers))
        embeddings = embedder.embed(loaded, (text for pair in pairs for text in pair))
        sides = [
            {text: self._weighted(embeddings[text], loaded, frequencies) for text in dict.fromkeys(texts)}
            for texts, frequencies in zip(zip(*pairs, strict=True), weights or (None, None), strict=True)
        ]
        return self.with_flags(
            loaded, embeddings, pairs, lambda summary, reference: [self._score(sides[0][summary], sides[1][reference])]
        )

    def _score(self, summary: WeightedVectors, reference: WeightedVectors) -> float:
        import numpy as np

        if reference.weights.any() and not summary.weights.any():
            return 0.0  # as if it were empty: if it were undefined, it would not count in the mean of its system
        squares = np.maximum(2 - 2 * summary.vectors @ reference.vectors.T, 0)
        costs = squares if self._program.power_means else np.sqrt(squares)
        return self._program.score(transport_cost(summary.weights, reference.weights, costs))

    def _weighted(
        self, embedding: Embedding, loaded: Loaded, frequencies: DocumentFrequencies | None
    ) -> WeightedVectors:
        import numpy as np

        ids = embedding.encoded.ids
        tokens = loaded.tokenizer.convert_ids_to_tokens(ids)
        kept = [index for index, token in enumerate(tokens) if not self._is_left_out(token)]
        states = embedding.states[:, kept].double().numpy()
        weights = np.array([1.0 if frequencies is None else frequencies.inverse(ids[index]) for index in kept])
        if self._program.power_means:
            weights, vectors = _ngrams(weights, power_means(states), self.ngram)
        else:
            vectors = states[-1]
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return WeightedVectors(weights, vectors / np.where(lengths > 0, lengths, 1))

    def _is_left_out(self, token: str) -> bool:
        return "##" in token or token in PUNCTUATION or token in self._stop_words

    @functools.cached_property
    def _stop_words(self) -> frozenset[str]:
        if self.stop_words is None:
            return frozenset()
        words = frozenset(word for line in read_lines(self.stop_words) for word in line.split())
        if not words:
            raise DataError("has no words", self.stop_words)
        return words

    # ---- idf weights ----

    @overrides
    def weights_of(self, summaries_list: TextGroups, references_list: TextGroups) -> Any | None:
        if not self.idf:
            return None
        return self._idf_of([([text for summaries in summaries_list for text in summaries], references_list)])

    def _idf_of(self, batches: Iterable[tuple[Sequence[Text], TextGroups]]) -> Idf:
        """Counts the tokens of distinct summaries and of distinct references."""
        idf = Idf(DocumentFrequencies(), DocumentFrequencies())
        known: tuple[set[bytes], set[bytes]] = (set(), set())
        for summaries, references_list in batches:
            references = [text for references in references_list for text in references]
            for frequencies, hashes, texts in zip(idf, known, (summaries, references), strict=True):
                new = {_hash_of(text): text for text in (as_string(text).strip() for text in texts)}
                for encoded in encode(self.loaded(), [text for key, text in new.items() if key not in hashes]):
                    frequencies.add(encoded.ids)
                hashes.update(new)
        return idf


def power_means(states: Array) -> Array:
    """Concatenates minimum, mean and maximum over layers of vectors scaled to length 1.

    Args:
        states: An array of shape (layers, tokens, size).

    Returns:
        An array of shape (tokens, 3 · size).
    """
    import numpy as np

    lengths = np.linalg.norm(states, axis=-1, keepdims=True)
    scaled = states / np.where(lengths > 0, lengths, 1)
    return np.concatenate([scaled.min(axis=0), scaled.mean(axis=0), scaled.max(axis=0)], axis=-1)


def _ngrams(weights: Array, vectors: Array, length: int) -> WeightedVectors:
    """Returns the sum of the weights and the weighted mean of the vectors of each n-gram; a short text is one."""
    import numpy as np

    length = min(length, len(weights))
    starts = range(len(weights) - length + 1) if length else ()
    sums = np.array([weights[start : start + length].sum() for start in starts])
    means = [
        weights[start : start + length] @ vectors[start : start + length] / (total + MASS)
        for start, total in zip(starts, sums, strict=True)
    ]
    return WeightedVectors(sums, np.array(means).reshape(len(sums), vectors.shape[1]))


def _hash_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
