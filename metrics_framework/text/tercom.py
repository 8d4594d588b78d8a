"""The words that TER compares: the tokenizer of tercom, as sacreBLEU has it.

::

    lower case      unless the case counts
    western rules   with ``normalized``: line ends and XML escapes go, punctuation and symbols stand apart
    Asian rules     with ``normalized`` and ``asian_support``: CJK characters and their punctuation stand apart
    no punctuation  with ``no_punct``: the nine marks of `_WESTERN_MARKS` go, with ``asian_support`` the Asian ones too
    words           what stands between white space

Each rule reads from left to right and goes on behind what it matched. Kana stay in one piece.
"""

from __future__ import annotations

import functools
import re

CACHED_TEXTS = 2**13

# ---- western rules --------------------------------------------------------------------------------------------------

_REPLACED = (("\n-", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOL = re.compile(r"[{-~\[-`!-&(-+:-@/]")  # ASCII without letters, digits, white space and ' , - .
_MARK_BEHIND_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_MARK_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_BEHIND_DIGIT = re.compile(r"(?<=[0-9])-")

# ---- Asian rules ----------------------------------------------------------------------------------------------------

_ASIAN_MARKS = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULL_WIDTH_MARKS = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
_IDEOGRAPH = (  # compiling it takes some milliseconds, so that it is left to the first use
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


@functools.lru_cache(maxsize=CACHED_TEXTS)
def tercom_words(
    text: str,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> tuple[str, ...]:
    """Cuts a text into words.

    Args:
        text: The text.
        normalized: Whether to apply the western rules.
        no_punct: Whether to remove punctuation.
        asian_support: Whether to treat Asian characters, as far as the two options before ask for it.
        case_sensitive: Whether to leave upper case as it is.

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
    """Applies the western rules; what comes back begins and ends with a blank."""
    for old, new in _REPLACED:
        text = text.replace(old, new)
    text = _SYMBOL.sub(r" \g<0> ", f" {text} ")
    text = text.replace("'s ", " 's ")
    text = _MARK_BEHIND_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _MARK_BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_BEHIND_DIGIT.sub(" - ", text)
