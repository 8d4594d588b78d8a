"""The tokenizer ``intl``."""

from __future__ import annotations

import functools
import unicodedata

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers._mteval import KIND_OF_CLASS, CharacterKinds, tokens_by_kinds
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

# Characters that Unicode 14 to 17 added to the three classes, so that tokens do not depend on Python's Unicode version.
_NEWER = {
    "P": (
        "61D 1B4E-1B4F 1B7D-1B7F 2E53-2E5D 2E60-2E63 10D6E 10ED0 10F86-10F89 113D4-113D5 113D7-113D8 116B9 11B00-11B09"
        " 11BE1 11F43-11F4F 12FF1-12FF2 16D6D-16D6F 1E5FF"
    ),
    "S": (
        "888 20C0-20C4 2427-2429 2B96 2FFC-2FFF 31E4-31E5 31EF FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF"
        " 10D8E-10D8F 10EC9-10ECA 10ED1-10ED8 1CC00-1CCEF 1CCFA-1CCFC 1CD00-1CEB3 1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD"
        " 1CF50-1CFC3 1D1E9-1D1FF 1D253-1D25A 1D25D-1D25E 1D260-1D27F 1DB00-1DB1C 1F1AE 1F6D8-1F6D9 1F6DC-1F6DF"
        " 1F774-1F77F 1F7D9-1F7DB 1F7F0-1F7FF 1F8B2-1F8BB 1F8C0-1F8C1 1F8D0-1F8D8 1F979 1F9CC 1FA54-1FA57 1FA75-1FA77"
        " 1FA7B-1FA7C 1FA87-1FA8F 1FAA9-1FAAF 1FAB7-1FABF 1FAC3-1FAC6 1FAC8 1FACC-1FACF 1FAD7-1FADD 1FADF-1FAEB"
        " 1FAEF-1FAFA 1FBCB-1FBEF 1FBFA"
    ),
    "N": (
        "10D40-10D49 116D0-116E3 11BF0-11BF9 11DE0-11DE9 11F50-11F59 1246F 12475-1247F 12550-12686 16130-16139"
        " 16AC0-16AC9 16D70-16D79 16FF4-16FF6 1CCF0-1CCF9 1D2C0-1D2D3 1E4F0-1E4F9 1E5F1-1E5FA"
    ),
}


@functools.cache
def _newer() -> dict[str, str]:
    """Returns the class of each newer character."""
    classes = {}
    for letter, ranges in _NEWER.items():
        for ends in ranges.split():
            first, _, last = ends.partition("-")
            classes.update(dict.fromkeys(map(chr, range(int(first, 16), int(last or first, 16) + 1)), letter))
    return classes


def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cn":
        category = _newer().get(character, category)
    return KIND_OF_CLASS.get(category[0], "a")


_KINDS = CharacterKinds(_kind)


@Tokenizer.register("intl")
class MtevalIntl(Tokenizer):
    """mteval-v14 with international tokenization, as in sacreBLEU: separates symbols and punctuation of any script.

    Digits, punctuation and symbols are as in Unicode 17. As in the original, punctuation between numbers is not
    separated, and neither is a period after a number at the end of the text.

    >>> MtevalIntl().tokenize("«Ça coûte 3,50 €», dit-il en 1999.")
    '« Ça coûte 3,50 € » , dit - il en 1999.'
    """

    sacrebleu_name = "intl"

    @overrides
    def tokenize(self, text: str) -> str:
        return tokens_by_kinds(text, text.translate(_KINDS))
