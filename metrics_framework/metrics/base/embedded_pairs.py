"""`EmbeddedPairsMetric`: what BERTScore and MoverScore share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from metrics_framework.common.errors import counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.neural_metric import NeuralMetric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.neural.embeddings import Embedding
from metrics_framework.neural.encoding import texts_without_tokens
from metrics_framework.neural.models import Loaded

FLAGS = 4
"""The number of flags after the values of a pair, see `EmbeddedTexts.flags`."""


class EmbeddedTexts(NamedTuple):
    """The embeddings of some texts.

    Attributes:
        embeddings: The embedding of each text.
        empty: The texts without tokens.
    """

    embeddings: Mapping[str, Embedding]
    empty: set[str]

    @classmethod
    def of(cls, loaded: Loaded, embeddings: Mapping[str, Embedding]) -> EmbeddedTexts:
        """Finds the texts without tokens."""
        encoded = {text: embedding.encoded for text, embedding in embeddings.items()}
        return cls(embeddings, texts_without_tokens(loaded, encoded))

    def flags(self, pair: Sequence[str]) -> list[bool]:
        """Returns whether each text of a pair has no tokens, and whether each was truncated."""
        return [
            *(text in self.empty for text in pair),
            *(self.embeddings[text].encoded.is_cut for text in pair),
        ]


class EmbeddedPairsMetric(NeuralMetric, ReferenceBasedMetric, ABC):
    """Base class of metrics that compare the token embeddings of a summary with those of each reference.

    The values of a pair of texts depend on these texts, the options and the weights of tokens. A metric with
    `needs_all_inputs` computes the weights from all texts of a run, or of a call. If a text has no tokens, because it
    is empty or the tokenizer drops all its characters, the values of its pairs are 0.

    Attributes:
        score_of_empty: The score of texts without tokens, in a note.
        values_per_pair: The number of values that `compute` returns for a pair, besides the flags.
    """

    score_of_empty = "0"
    values_per_pair: ClassVar[int] = 1
    jackknifer = ReferencesJackknifer()

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self._weights: Any = None
        self._has_empty = False
        self._dropped: set[str] = set()

    @abstractmethod
    def weights_of(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> Any | None:
        """Returns the weights of tokens for the texts of a call: an object with ``fingerprint()``; `None` for none."""

    @abstractmethod
    def compute(self, pairs: Sequence[tuple[str, str]], weights: Any | None) -> list[list[Any]]:
        """Returns for each pair of a summary and a reference its values and `EmbeddedTexts.flags`."""

    @abstractmethod
    def combined(self, values: Sequence[Sequence[float]]) -> Any:
        """Returns the score of a summary, given the values of its pairs with each reference."""

    @overrides
    def notes(self) -> Sequence[str]:
        notes = [*super().notes()]
        if self._has_empty:
            notes.append(f"{self.name}: the scores of empty texts are {self.score_of_empty}")
        if self._dropped:
            texts = counted(len(self._dropped), "text")
            notes.append(
                f"{self.name}: the tokenizer of the model drops all characters of {texts}; like those of empty texts, "
                f"the scores are {self.score_of_empty}"
            )
        return notes

    @overrides
    def score_batch(self, request: int, *arguments: Any, checked: bool = False) -> BatchScores:
        if not self.needs_all_inputs or self._weights is not None:
            return super().score_batch(request, *arguments, checked=checked)
        with self.weighted_by(self.weights_of(*arguments)):  # one for the scores and the leave-one-out scores
            return super().score_batch(request, *arguments, checked=checked)

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        pairs = [
            (as_string(summary).strip(), as_string(reference).strip())
            for summaries, references in zip(summaries_list, references_list, strict=True)
            for summary in summaries
            for reference in references
        ]
        weights = self._weights
        if weights is None:
            weights = self.weights_of(summaries_list, references_list)
        values = iter(self._values_of(pairs, weights))
        return [
            [MetricsDict({self.name: self.combined([next(values) for _ in references])}) for _ in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]

    @contextmanager
    def weighted_by(self, weights: Any) -> Iterator[None]:
        """Scores texts with weights that are known, while the context lasts."""
        self._weights = weights
        try:
            yield
        finally:
            self._weights = None

    def _values_of(self, pairs: Sequence[tuple[str, str]], weights: Any | None) -> list[list[float]]:
        key = "" if weights is None else weights.fingerprint()
        found = self.cached_scores(
            [[*pair, key] for pair in pairs],
            lambda items: self.compute([(item[0], item[1]) for item in items], weights),
            (*[float] * self.values_per_pair, *[bool] * FLAGS),
        )
        for pair, values in zip(pairs, found, strict=True):
            flags = values[-FLAGS:]
            self.record_cut(text for text, cut in zip(pair, flags[2:], strict=True) if cut)
            self._dropped.update(text for text, is_empty in zip(pair, flags, strict=False) if text and is_empty)
            self._has_empty = self._has_empty or not all(pair)
        return [values[:-FLAGS] for values in found]
