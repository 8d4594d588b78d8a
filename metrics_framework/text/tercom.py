"""The tokenizer of tercom, for TER, as in sacreBLEU.

::

    lower case      unless ``case_sensitive``
    western rules   with ``normalized``: line ends and XML escapes are replaced, punctuation and symbols separated
    Asian rules     with ``normalized`` and ``asian_support``: CJK characters and their punctuation are separated
    no punctuation  with ``no_punct``: `_WESTERN_MARKS` are removed, with ``asian_support`` also Asian punctuation
    words           split at whitespace

Each rule reads from left to right and continues after its last match. Kana are not separated.
"""

from __future__ import annotations

import functools
import re

TERCOM_CACHE_SIZE = 2**13

# ---- western rules --------------------------------------------------------------------------------------------------

_REPLACED = (("\n-", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOL = re.compile(r"[{-~\[-`!-&(-+:-@/]")  # ASCII without letters, digits, whitespace and ' , - .
_MARK_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_MARK_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"(?<=[0-9])-")

# ---- Asian rules ----------------------------------------------------------------------------------------------------

_ASIAN_MARKS = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULL_WIDTH_MARKS = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
_IDEOGRAPH = (  # compiling it takes some milliseconds, so it is deferred to the first use
    "["
    "\u2e80-\u2eff"  # radicals
    "\u31c0-\u31ef"  # strokes
    "\u3200-\u3f22"  # enclosed letters, and half of extension A
    "\u3400-\u4dbf"  # extension A
    "\u4e00-\u9fff"  # unified ideographs
    "\uf900-\ufaff"  # compatibility ideographs
    "\ufe30-\ufe4f"  # compatibility forms
    f"{_ASIAN_MARKS}{_FULL_WIDTH_MARKS}]"
)

# ---- no punctuation -------------------------------------------------------------------------------------------------

_WESTERN_MARKS = '.,?:;!"()'
_WESTERN_PUNCTUATION = re.compile(f"[{_WESTERN_MARKS}]")
_ANY_PUNCTUATION = re.compile(f"[{_WESTERN_MARKS}{_ASIAN_MARKS}{_FULL_WIDTH_MARKS}]")


@functools.lru_cache(maxsize=TERCOM_CACHE_SIZE)
def tercom_words(
    text: str,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> tuple[str, ...]:
    """Splits a text into words.

    Args:
        text: The text.
        normalized: Whether to apply the western rules.
        no_punct: Whether to remove punctuation.
        asian_support: Whether `normalized` and `no_punct` also apply to Asian characters.
        case_sensitive: Whether to keep the case.

    >>> tercom_words("It isn't 3.5% (yet).", normalized=True)
    ('it', "isn't", '3.5', '%', '(', 'yet', ')', '.')
    >>> tercom_words("It isn't 3.5% (yet).", no_punct=True, case_sensitive=True)
    ('It', "isn't", '35%', 'yet')
    """
    text = text.rstrip()
    if not case_sensitive:
        text = text.lower()
    if normalized and text:
        text = _western(text)
        if asian_support:
            text = re.sub(_IDEOGRAPH, r" \g<0> ", text)
    if no_punct:
        text = (_ANY_PUNCTUATION if asian_support else _WESTERN_PUNCTUATION).sub("", text)
    return tuple(text.split())


def _western(text: str) -> str:
    """Applies the western rules; the result begins and ends with a space."""
    for old, new in _REPLACED:
        text = text.replace(old, new)
    text = _SYMBOL.sub(r" \g<0> ", f" {text} ")
    text = text.replace("'s ", " 's ")
    text = _MARK_AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _MARK_BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(" - ", text)
