"""Contextual vectors of the tokens of sentences, from an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, hidden_states, valid_text
from metrics_framework.neural.models import Loaded, quiet

if TYPE_CHECKING:
    from numpy import ndarray


class TokenVectors(NamedTuple):
    """The tokens of a sentence.

    Args:
        tokens: The tokens, with special tokens.
        vectors: The vector of each token in the last layer, of shape (tokens, dimensions).
        is_cut: Whether tokens at the end are missing.
    """

    tokens: list[str]
    vectors: ndarray
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
    with quiet():
        rows = [_encoded(loaded, valid_text(sentence), most) for sentence in sentences]
    states = batches.run(
        [len(row.ids) for row in rows], lambda indices: hidden_states(loaded, [rows[index] for index in indices])
    )
    return [
        TokenVectors(loaded.tokenizer.convert_ids_to_tokens(row.ids), of_row[0].numpy(), row.is_cut)
        for row, of_row in zip(rows, states, strict=True)
    ]


def _encoded(loaded: Loaded, sentence: str, most: int) -> Encoded:
    whole = loaded.tokenizer(sentence)["input_ids"]
    ids = loaded.tokenizer(sentence, truncation=True, max_length=most)["input_ids"] if len(whole) > most else whole
    return Encoded(ids, [], len(whole) > most)
