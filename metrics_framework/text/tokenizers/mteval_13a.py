"""The tokenizer ``13a``."""

from __future__ import annotations

import re

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers._mteval import (
    HYPHEN_AFTER_NUMBER,
    KIND_OF_CLASS,
    CharacterKinds,
    tokens_by_kinds,
)
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

_SYMBOLS = r"{-~\[-`!-&(-+:-@/"
_KIND = re.compile(rf"(?P<S>[{_SYMBOLS}])|(?P<P>[.,])|(?P<N>[0-9])|(?P<H>-)")
_TOKENS = re.compile(rf"(?:[^\s{_SYMBOLS}.,\-]+|(?<=[0-9])[.,](?=[0-9])|(?<![0-9])-)+|[{_SYMBOLS}.,\-]").findall


def kind_13a(character: str) -> str:
    """Returns the letter for the kind of a character that is not whitespace."""
    match = _KIND.match(character)
    return KIND_OF_CLASS[match.lastgroup or ""] if match else "a"


_KINDS = CharacterKinds(kind_13a)


@Tokenizer.register("13a")
class Mteval13a(Tokenizer):
    """WMT's mteval-v13a, as in sacreBLEU: separates ASCII symbols, and periods and commas outside numbers."""

    sacrebleu_name = "13a"

    @overrides
    def tokenize(self, text: str) -> str:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in text:
            text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        if ".." in text or ",," in text or ".," in text or ",." in text:
            text = f" {text} "
            return tokens_by_kinds(text, HYPHEN_AFTER_NUMBER.sub("$", text.translate(_KINDS)))
        # Without two adjacent marks, no match hides another from the next pass: one expression finds all tokens.
        return " ".join(_TOKENS(text))
