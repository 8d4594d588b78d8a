"""The tokenizer ``none``."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer


@Tokenizer.register("none")
class NoTokenizer(Tokenizer):
    """Leaves the text unchanged: its tokens are already separated by spaces."""

    sacrebleu_name = "none"

    @overrides
    def tokenize(self, text: str) -> str:
        return text
