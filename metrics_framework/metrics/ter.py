"""TER: the translation edit rate."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.kernels.dispatch import Kernel
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.metrics.base.totals import ratio


@Metric.register("ter")
@dataclass(eq=False, repr=False)
class Ter(CorpusMetric, ReferenceBasedMetric):
    """Translation edit rate: edits to the closest reference, divided by the average reference length.

    TER = 100 · edits / length. An edit inserts, deletes or substitutes a word, or shifts a block of words to another
    position. Edits are counted against the closest reference, the one that requires the fewest; the length is the mean
    number of words of all references. Corpus-level TER divides the sum of edits by the sum of lengths. If all
    references are empty, TER is 100 if there are edits, else 0.

    Range: 0 (equal to a reference) and up; values above 100 are possible. Lower is better.

    Source: Snover, Dorr, Schwartz, Micciulla and Makhoul (AMTA 2006). Equal to the last bit to sacreBLEU 2.6.0, which
    reimplements tercom.

    Args:
        normalized: Whether to separate punctuation and symbols from words by the rules of tercom.
        no_punct: Whether to remove punctuation.
        asian_support: Whether normalized also separates Chinese and Japanese characters and no_punct also removes
            Chinese and Japanese punctuation; no effect without these options.
        case_sensitive: Whether to distinguish upper and lower case.

    Raises:
        InputError: if the lists differ in length or a list of references is empty.

    >>> Ter().score("d e f g h a b c", ["a b c d e f g h"])  # one shift: "a b c"
    {'ter': 12.5, 'ter_num_edits': 1, 'ter_ref_length': 8.0}
    >>> Ter(no_punct=True).signature().rpartition("|")[0]
    'ter|case:lc|norm:no|punct:no|asian:no'
    """

    kernel_name = "ter"
    higher_is_better = False
    score_range = (0, None)
    component_ranges = {"ter_num_edits": (0, None), "ter_ref_length": (0, None)}
    option_aliases = {"ignore_punct": "no_punct", "support_zh_ja_chars": "asian_support"}
    card_names = {"ter": "score", "ter_num_edits": "num_edits", "ter_ref_length": "ref_length"}
    spaceless_options = dict.fromkeys(("zh", "ja"), "normalized=true,asian_support=true")
    citation = "snover-etal-2006-study"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def __post_init__(self) -> None:
        self.splits_at_spaces = not (self.normalized and self.asian_support)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }

    @overrides
    def other_signatures(self, refs: str) -> dict[str, str]:
        options = self.signature_options()
        return {"sacrebleu": sacrebleu_signature(refs, {"case": options.pop("case"), "tok": "tercom", **options})}

    def statistics_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output the number of edits and the mean reference length."""
        from metrics_framework.kernels.python.ter import ter_statistics

        statistics = ter_statistics(
            [list(map(self._words, summaries)) for summaries in summaries_list],
            [list(map(self._reference_words, references)) for references in references_list],
        )
        return [[[edits, length / count] for edits, length, count in group] for group in statistics]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        if not self.normalized and not (self.no_punct and self.asian_support):
            return kernel(*groups, case_sensitive=self.case_sensitive, no_punct=self.no_punct)
        summaries_list, references_list = groups
        return kernel(
            [[" ".join(self._words(summary)) for summary in summaries] for summaries in summaries_list],
            [[" ".join(self._reference_words(text)) for text in references] for references in references_list],
            case_sensitive=True,
            no_punct=False,
        )

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        edits, length = statistics
        ratio = edits / length if length > 0 else float(edits > 0)
        return MetricsDict({"ter": 100 * ratio, "ter_num_edits": int(edits), "ter_ref_length": float(length)})

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        edits, length = sums.T
        ratios = ratio(edits, length, edits > 0)
        return {"ter": 100 * ratios, "ter_num_edits": edits, "ter_ref_length": length}

    def _reference_words(self, text: Text) -> tuple[str, ...]:
        """Tokenizes a reference twice, as sacreBLEU does: ``cat's.`` becomes ``cat's .``, then ``cat 's .``."""
        words = self._words(text)
        return self._words(" ".join(words)) if self.normalized else words

    def _words(self, text: Text) -> tuple[str, ...]:
        return tercom_words(as_string(text), self.normalized, self.no_punct, self.asian_support, self.case_sensitive)


# ---- tercom: western rules ------------------------------------------------------------------------------------------

_REPLACED = (("\n-", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOL = re.compile(r"[{-~\[-`!-&(-+:-@/]")  # ASCII without letters, digits, whitespace and ' , - .
_MARK_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_MARK_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"(?<=[0-9])-")

# ---- tercom: Asian rules --------------------------------------------------------------------------------------------

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

# ---- tercom: no punctuation -----------------------------------------------------------------------------------------

_WESTERN_MARKS = '.,?:;!"()'
_WESTERN_PUNCTUATION = re.compile(f"[{_WESTERN_MARKS}]")
_ANY_PUNCTUATION = re.compile(f"[{_WESTERN_MARKS}{_ASIAN_MARKS}{_FULL_WIDTH_MARKS}]")


@functools.lru_cache(maxsize=2**13)
def tercom_words(
    text: str,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> tuple[str, ...]:
    """Splits a text into words as the tokenizer of tercom in sacreBLEU.

    ::

        lower case      unless ``case_sensitive``
        western rules   with ``normalized``: line ends and XML escapes are replaced, punctuation and symbols separated
        Asian rules     with ``normalized`` and ``asian_support``: CJK characters and their punctuation are separated
        no punctuation  with ``no_punct``: `_WESTERN_MARKS` are removed, with ``asian_support`` also Asian punctuation
        words           split at whitespace

    Each rule reads from left to right and continues after its last match. Kana are not separated.

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
