"""TER: the translation edit rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.texts import Text, as_string
from metrics_framework.kernels.dispatch import Kernel
from metrics_framework.metrics.base.array_scores import Floats, ratio
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.text.tercom import tercom_words


@Metric.register("ter")
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

    kernel_name: ClassVar[str] = "ter"
    jackknifer = ReferencesJackknifer()
    higher_is_better: ClassVar[bool] = False
    score_range: ClassVar[tuple[float | None, float | None]] = (0, None)
    option_aliases: ClassVar[Mapping[str, str]] = {"ignore_punct": "no_punct", "support_zh_ja_chars": "asian_support"}
    card_names: ClassVar[Mapping[str, str]] = {
        "ter": "score",
        "ter_num_edits": "num_edits",
        "ter_ref_length": "ref_length",
    }
    citation: ClassVar[str] = """@inproceedings{snover-etal-2006-study,
    title = "A Study of Translation Edit Rate with Targeted Human Annotation",
    author = "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and Makhoul, John",
    booktitle = "Proceedings of the 7th Conference of the Association for Machine Translation in the Americas:
        Technical Papers",
    year = "2006",
    address = "Cambridge, Massachusetts, USA",
    publisher = "Association for Machine Translation in the Americas",
    url = "https://aclanthology.org/2006.amta-papers.25",
    pages = "223--231",
}"""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        super().__init__()
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive

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

    def statistics_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[Statistics]]:
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
        ratios = ratio(edits, length)
        ratios[length <= 0] = edits[length <= 0] > 0
        return {"ter": 100 * ratios, "ter_num_edits": edits, "ter_ref_length": length}

    def _reference_words(self, text: Text) -> tuple[str, ...]:
        """Tokenizes a reference twice, as sacreBLEU does: ``cat's.`` becomes ``cat's .``, then ``cat 's .``."""
        words = self._words(text)
        return self._words(" ".join(words)) if self.normalized else words

    def _words(self, text: Text) -> tuple[str, ...]:
        return tercom_words(as_string(text), self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
