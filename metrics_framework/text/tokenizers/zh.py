"""The tokenizer ``zh``."""

from __future__ import annotations

import re

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers._mteval import HYPHEN_AFTER_NUMBER, CharacterKinds, tokens_by_kinds
from metrics_framework.text.tokenizers.mteval_13a import kind_13a
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

# Ideographs and their parts, phonetic symbols, punctuation, full-width forms, and everything from U+2001 to U+2A6D,
# including dashes and arrows. The last range is a quirk of sacreBLEU: it means U+20000 to U+2A6D6, but Python reads
# only four of the five digits.
# Compiling the class takes some milliseconds, so it is deferred to the first use.
_CHINESE = (
    "[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb"
    "\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]"
)


def _kind(character: str) -> str:
    return "$" if re.match(_CHINESE, character) else kind_13a(character)


_KINDS = CharacterKinds(_kind)


@Tokenizer.register("zh")
class Chinese(Tokenizer):
    """Every Chinese character is a token, the rest is tokenized by the rules of 13a, as in sacreBLEU.

    XML entities are not decoded, and a period or comma between a digit and an end of the text is not separated.

    >>> Chinese().tokenize("他有3.5元(约),共3.")
    '他 有 3.5 元 ( 约 ) , 共 3.'
    """

    unit = "character"
    sacrebleu_name = "zh"

    @overrides
    def tokenize(self, text: str) -> str:
        text = text.strip()
        return tokens_by_kinds(text, HYPHEN_AFTER_NUMBER.sub("$", text.translate(_KINDS)))
