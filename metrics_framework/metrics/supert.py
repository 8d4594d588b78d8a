"""SUPERT: similarity of a summary to salient sentences of its documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import TextGroups
from metrics_framework.metrics.base.batch_scores import in_groups
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import DocumentSentencesMetric, check_positive
from metrics_framework.neural.embeddings import TokenVectors, token_vectors
from metrics_framework.text.lexicon import nltk_stop_words
from metrics_framework.text.sentences import sentence_splitter, sentences_of

if TYPE_CHECKING:
    from numpy import ndarray

SENTENCES_FOR_SEPARATE_REFERENCES = 15
WORD_STARTS = "Ġ▁"  # the characters before the first token of a word in byte-level and SentencePiece vocabularies
Item = dict[str, Any]


@Metric.register("supert")
@dataclass(eq=False, repr=False)
class Supert(DocumentSentencesMetric):
    """SUPERT: soft token alignment of a summary with the first sentences of its documents.

    The first ``top`` sentences of each document form a pseudo-reference; if all documents together have fewer than 15
    such sentences, all of them form one pseudo-reference. An encoder embeds each sentence alone. Stop words of English
    and the special tokens at the start and end of a sentence are removed. For a pseudo-reference with token vectors r
    and a summary with token vectors s, precision is the mean over s of the highest cosine similarity with any r, recall
    the mean over r of the highest with any s, and F1 = 2 · precision · recall / (precision + recall). ``supert``,
    ``supert_precision`` and ``supert_recall`` are the means of F1, precision and recall over the pseudo-references.

    A summary without tokens scores 0; the score is NaN if the documents have no tokens. A sentence is truncated after
    ``max_tokens`` tokens, as in the published program, and the run reports the number of outputs with such
    sentences.

    Range: up to 1, higher is better; cosines may be negative. The score of a system is the mean over its outputs.

    Source: Gao, Zhao and Eger (ACL 2020), with details of their program (github.com/yg211/acl20-ref-free-eval), whose
    model is ``sentence-transformers/bert-large-nli-stsb-mean-tokens``.

    Args:
        model: The encoder: a local folder or a name on the Hugging Face hub.
        top: The number of first sentences of each document in the pseudo-references.
        max_tokens: The number of tokens of a sentence after which the rest is left out.

    Raises:
        UsageError: if ``top`` or ``max_tokens`` is not positive, or the model does not exist.
        UnknownNameError: if the splitter is unknown.
        DataError: if the model cannot be loaded.
        MissingExtraError: if torch, transformers or the package of the splitter is not installed.
    """

    score_range = (None, 1)
    citation = "gao-etal-2020-supert"

    ratios = ("supert", "supert_precision", "supert_recall")
    items_per_store = 64  # bounds the memory of the vectors
    note_of_cut = "sentences of {outputs} or of the documents are too long; the ends of these are ignored"
    usual_model = "sentence-transformers/bert-large-nli-stsb-mean-tokens"

    top: int = 15
    max_tokens: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(top=self.top, max_tokens=self.max_tokens)

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, documents_list: TextGroups) -> list[list[MetricsDict]]:
        split = sentence_splitter(self.splitter)
        items = [
            {"summary": list(sentences_of(summary, split)), "references": references}
            for summaries, documents in zip(summaries_list, documents_list, strict=True)
            for references in [pseudo_references([sentences_of(document, split) for document in documents], self.top)]
            for summary in summaries
        ]
        values = self.cached_scores(items, self._similarities, (*[float | None] * 3, bool))
        return in_groups((_named(*of_item) for of_item in values), summaries_list)

    def _similarities(self, items: Sequence[Item]) -> list[list[float | None]]:
        """Returns F1, precision and recall of each item, and whether one of its sentences was truncated."""
        loaded = self.loaded()
        sentences = list(dict.fromkeys(sentence for item in items for sentence in _sentences_of(item)))
        encoded = dict(zip(sentences, token_vectors(loaded, sentences, self.max_tokens, self.batches), strict=True))
        vectors = {
            sentence: content_vectors(of_sentence, loaded.tokenizer) for sentence, of_sentence in encoded.items()
        }
        return [
            [*_mean_similarity(item, vectors), any(encoded[sentence].is_cut for sentence in _sentences_of(item))]
            for item in items
        ]


# ---- the definition, on sentences and vectors ------------------------------------------------------------------------


def pseudo_references(documents: Sequence[Sequence[str]], top: int) -> list[list[str]]:
    """Returns the sentences of each pseudo-reference.

    Args:
        documents: The sentences of each document.
        top: The number of first sentences that each document contributes.

    >>> pseudo_references([["a", "b", "c"], ["d"], []], top=2)  # fewer than 15 sentences
    [['a', 'b', 'd']]
    """
    references = [list(document[:top]) for document in documents if document]
    sentences = list(chain.from_iterable(references))
    return references if len(sentences) >= SENTENCES_FOR_SEPARATE_REFERENCES else [sentences]


def similarity(summary: ndarray, reference: ndarray) -> tuple[float, float, float]:
    """Returns F1, precision and recall of a soft token alignment.

    Args:
        summary: The token vectors of the summary, of length 1 each and of shape (tokens, dimensions).
        reference: The token vectors of a pseudo-reference, likewise. Both have at least one token.
    """
    cosines = summary @ reference.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0, precision, recall


def content_vectors(sentence: TokenVectors, tokenizer: Any) -> ndarray:
    """Returns the vectors of the tokens of a sentence, with length 1, without stop words and the tokens at its ends."""
    ends = (tokenizer.cls_token, tokenizer.sep_token, tokenizer.bos_token, tokenizer.eos_token)
    content = [
        index
        for index, token in enumerate(sentence.tokens)
        if token not in ends and token.lstrip(WORD_STARTS).lower() not in nltk_stop_words()
    ]
    vectors: ndarray = sentence.vectors[content].astype("float64")  # so that cosines do not exceed 1 by rounding
    normalized: ndarray = vectors / (vectors**2).sum(axis=1, keepdims=True) ** 0.5
    return normalized


def _named(f1: float | None, precision: float | None, recall: float | None) -> MetricsDict:
    scores = {"supert": f1, "supert_precision": precision, "supert_recall": recall}
    return MetricsDict({name: math.nan if score is None else score for name, score in scores.items()})


def _sentences_of(item: Item) -> Iterator[str]:
    return chain(item["summary"], *item["references"])


def _mean_similarity(item: Item, vectors: Mapping[str, ndarray]) -> list[float | None]:
    """Returns the means of F1, precision and recall over the pseudo-references of an item; `None` if undefined."""
    summary = _joined(item["summary"], vectors)
    references = [_joined(sentences, vectors) for sentences in item["references"]]
    known = [reference for reference in references if len(reference)]
    if not known:
        return [None] * 3
    if not len(summary):
        return [0.0] * 3
    columns = zip(*(similarity(summary, reference) for reference in known), strict=True)
    return [plain_sum(column) / len(known) for column in columns]


def _joined(sentences: Sequence[str], vectors: Mapping[str, ndarray]) -> ndarray:
    import numpy as np

    return np.concatenate([vectors[sentence] for sentence in sentences]) if sentences else np.empty((0, 1))
