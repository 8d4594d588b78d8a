"""The tokenizer ``char``."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer


@Tokenizer.register("char")
class Characters(Tokenizer):
    """Every character is a token, as in sacreBLEU.

    >>> Characters().tokenize("猫, 犬")
    '猫 ,   犬'
    """

    unit = "character"
    sacrebleu_name = "char"

    @overrides
    def tokenize(self, text: str) -> str:
        return " ".join(text)
