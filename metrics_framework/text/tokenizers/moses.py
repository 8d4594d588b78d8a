"""The tokenizer ``moses``."""

from __future__ import annotations

import functools
from collections.abc import Callable

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer


@functools.cache
def _tokenizer() -> Callable[..., str]:
    from sacremoses import MosesTokenizer

    tokenize: Callable[..., str] = MosesTokenizer(lang="en").tokenize
    return tokenize


@Tokenizer.register("moses")
class Moses(Tokenizer):
    """The Moses tokenizer for English, without escaping ``&``, ``<`` and similar characters (package sacremoses)."""

    packages = ("sacremoses",)
    extra = "moses"

    @overrides
    def tokenize(self, text: str) -> str:
        return _tokenizer()(text, return_str=True, escape=False)
