"""Pairs of texts as the inputs of an encoder, truncated as published programs truncate them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from metrics_framework.neural.encoding import Encoded, valid_text
from metrics_framework.neural.models import Loaded, quiet

Truncation = Literal["longest_first", "only_first"]


def encode_pairs(
    loaded: Loaded, pairs: Sequence[tuple[str, str]], max_length: int, truncation: Truncation = "longest_first"
) -> list[Encoded]:
    """Encodes pairs of texts with the tokenizer of a model.

    Args:
        loaded: The model.
        pairs: The pairs.
        max_length: The largest number of tokens of a pair, including special tokens.
        truncation: Which text of a pair that is too long is truncated: the longer one, or the first one only, unless
            the second one is too long without it.
    """
    if not pairs:
        return []
    columns = [[valid_text(text) for text in column] for column in zip(*pairs, strict=True)]
    with quiet():
        full = loaded.tokenizer(*columns, truncation=False, verbose=False)
        types = full.get("token_type_ids") or [[]] * len(pairs)
        found = []
        for *pair, ids, of_pair in zip(*columns, full["input_ids"], types, strict=True):
            if len(ids) <= max_length:
                found.append(Encoded(ids, of_pair, False))
            else:
                found.append(_truncated(loaded, pair, max_length, truncation))
    return found


def _truncated(loaded: Loaded, pair: Sequence[str], max_length: int, truncation: Truncation) -> Encoded:
    try:
        cut = loaded.tokenizer(*pair, truncation=truncation, max_length=max_length, verbose=False)
    except Exception:  # tokenizers have no separate class for a first text that is too short
        cut = loaded.tokenizer(*pair, truncation="longest_first", max_length=max_length, verbose=False)
    return Encoded(cut["input_ids"], cut.get("token_type_ids") or [], True)
