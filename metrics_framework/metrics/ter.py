"""TER: how much a text has to be edited to become one of its references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.texts import Text, as_string
from metrics_framework.kernels.dispatch import Kernel
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.text.tercom import tercom_words


@Metric.register("ter")
class Ter(CorpusMetric, ReferenceBasedMetric):
    """Counts the edits that turn a summary into the nearest reference, as a share of its length.

    TER = 100 · edits / length. An edit inserts, deletes or replaces a word, or moves a block of words to another place.
    The edits are those to the reference that needs the fewest; the length is the mean number of words of the
    references. Over a corpus edits and lengths are added up before they are divided. An empty reference has length 0;
    where all lengths are 0, TER is 100 if there are edits and 0 if there are none.

    Range: 0, for a summary equal to a reference, and up, beyond 100 too. Lower is better.

    Source: Snover, Dorr, Schwartz, Micciulla and Makhoul (AMTA 2006); equal to sacreBLEU 2.6.0 to the last bit,
    which is modelled on tercom.

    Args:
        normalized: Whether to set punctuation and symbols apart from words, by the rules of tercom.
        no_punct: Whether to remove punctuation.
        asian_support: Whether to treat Chinese and Japanese characters too where text is normalized, each as a word,
            or punctuation removed; it does nothing by itself.
        case_sensitive: Whether upper and lower case differ.

    Raises:
        InputError: if there are not as many lists of references as summaries, or a list of them is empty.

    >>> Ter().score("d e f g h a b c", ["a b c d e f g h"])  # "a b c" moves
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
        """Returns for each output of each group the number of edits and the mean length of the references."""
        from metrics_framework.kernels.python.ter import ter_statistics

        counts_list = ter_statistics(
            [list(map(self._words, summaries)) for summaries in summaries_list],
            [list(map(self._reference_words, references)) for references in references_list],
        )
        return [[[edits, length / number] for edits, length, number in counts] for counts in counts_list]

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

    def _reference_words(self, text: Text) -> tuple[str, ...]:
        """Tokenizes a reference twice, as sacreBLEU does: ``cat's.`` is ``cat's .`` first and ``cat 's .`` then."""
        words = self._words(text)
        return self._words(" ".join(words)) if self.normalized else words

    def _words(self, text: Text) -> tuple[str, ...]:
        return tercom_words(as_string(text), self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
