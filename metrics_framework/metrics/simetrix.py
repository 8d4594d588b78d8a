"""SIMetrix: how similar the words of a summary are to those of the documents it summarizes, without references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import DocumentBasedMetric
from metrics_framework.text.porter import published_porter_stem
from metrics_framework.text.rouge_words import RougeWords

SMOOTHING = 0.005
VOCABULARY_FACTOR = 1.5

Probability = Callable[[str], float]


@Metric.register("simetrix")
@dataclass(eq=False, repr=False)
class SIMetrix(DocumentBasedMetric):
    """SIMetrix: divergences between the word distributions of summary and documents, and likelihoods of the summary.

    With n(w) the count of a word in a text of N words, p(w) = n(w) / N and, smoothed, p(w) = (n(w) + δ) / (N + δ · B),
    where δ = 0.005 and B is 1.5 times the number of different words in the documents. Logarithms of divergences are
    natural, those of likelihoods to base 10; sums run over all words of both texts:

    - ``KLInputSummary`` = Σ p · ln(p / q), smoothed, for p of the documents and q of the summary; ``KLSummaryInput`` =
      Σ q · ln(q / p).
    - ``unsmoothedJSD``, ``smoothedJSD`` = ½ · Σ p · ln(p / m) + ½ · Σ q · ln(q / m), where m = (p + q) / 2.
    - ``unigramProb`` = Σ n(w) · log p(w) for the counts n of the summary and p of the documents, without smoothing and
      without the words that the documents do not have.
    - ``multinomialProb`` = ``unigramProb`` + log(N! / Π n(w)!), where N and n count all words of the summary.

    A word is a run of ASCII letters and digits, lowercased; all other characters separate words. By default, the stop
    words of the SMART list are removed and words are replaced by their Porter stems.

    The program has four more scores (``cosineAllWords``, ``percentTopicTokens``, ``fractionTopicWords``,
    ``topicWordOverlap``), which need word counts and inverse document frequencies of a background corpus that comes
    with it. They are not included.

    Range: divergences 0 and up (Jensen-Shannon: at most ln 2), lower is better; smoothed probabilities do not add up to
    1, so smoothed divergences of almost equal texts can be slightly below 0. Likelihoods have no bound (the unigram one
    is at most 0), higher is better, but longer summaries have lower ones. The divergence from a summary without
    words is NaN if it is not smoothed, and all scores are NaN if the documents have no words. The score of a system is
    the mean over its outputs.

    Source: Louis and Nenkova (2013). Equal to the program SIMetrix, with its stemmer and stop words, to the five digits
    that it prints; the definitions of smoothing follow Louis and Nenkova (EMNLP 2009), where δ is smaller.

    Args:
        use_stemmer: Whether to replace words by their stems.
        remove_stopwords: Whether to remove stop words.

    >>> scores = SIMetrix().score("Cats sleep.", ["The cats sleep all day.", "A cat eats."])
    >>> f"{scores['unsmoothedJSD']:.5f}"  # cat ½, sleep ½; cat ⅖, sleep ⅕, day ⅕, eat ⅕
    '0.17462'
    >>> SIMetrix(use_stemmer=False).signature().rpartition("|")[0]
    'simetrix|use_stemmer:no|remove_stopwords:yes'
    """

    reads_only_ascii = True
    ratios = ("KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD")
    higher_is_better = None
    citation = "louis-nenkova-2013-automatically louis-nenkova-2009-automatically"

    use_stemmer: bool = True
    remove_stopwords: bool = True

    def __post_init__(self) -> None:
        self._words = RougeWords(use_porter_stemmer=False, remove_stopwords=self.remove_stopwords).words

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, documents_list: TextGroups) -> list[list[MetricsDict]]:
        groups = zip(summaries_list, map(self._counts, documents_list), strict=True)
        return [
            [MetricsDict(simetrix_scores(self._counts([summary]), counts)) for summary in summaries]
            for summaries, counts in groups
        ]

    def _counts(self, texts: Iterable[Text]) -> Counter[str]:
        words = (word for text in texts for word in self._words(as_string(text)))
        return Counter(map(published_porter_stem, words) if self.use_stemmer else words)


def simetrix_scores(summary: Mapping[str, int], documents: Mapping[str, int]) -> dict[str, float]:
    """Returns the scores of a summary, given its word counts and those of its documents.

    >>> simetrix_scores({"a": 1, "x": 1}, {"a": 1, "b": 9})["unigramProb"]  # log 0.1
    -1.0
    """
    vocabulary = {**documents, **summary}
    size = VOCABULARY_FACTOR * len(documents)
    p, q = (_probability(counts, SMOOTHING, size) for counts in (documents, summary))
    total, counts = sum(documents.values()), summary.values()
    logs = (count * math.log10(documents[word] / total) for word, count in summary.items() if word in documents)
    unigram = math.fsum(logs) if total else math.nan
    arrangements = math.lgamma(sum(counts) + 1) - math.fsum(math.lgamma(count + 1) for count in counts)
    return {
        "KLInputSummary": _divergence(vocabulary, p, q),
        "KLSummaryInput": _divergence(vocabulary, q, p),
        "unsmoothedJSD": _jensen_shannon(vocabulary, _probability(documents), _probability(summary)),
        "smoothedJSD": _jensen_shannon(vocabulary, p, q),
        "unigramProb": unigram,
        "multinomialProb": unigram + arrangements / math.log(10),  # the number of orders that the words can have
    }


def _probability(counts: Mapping[str, int], smoothing: float = 0.0, size: float = 0.0) -> Probability:
    total = sum(counts.values()) + smoothing * size
    return lambda word: (counts.get(word, 0) + smoothing) / total if total else math.nan


def _divergence(vocabulary: Iterable[str], p: Probability, q: Probability) -> float:
    """Returns the Kullback-Leibler divergence of q from p; words of probability 0 add nothing."""
    terms = [share * math.log(share / q(word)) for word in vocabulary if (share := p(word))]
    return math.fsum(terms) if terms else math.nan


def _jensen_shannon(vocabulary: Iterable[str], p: Probability, q: Probability) -> float:
    def mean(word: str) -> float:
        return (p(word) + q(word)) / 2

    return _divergence(vocabulary, p, mean) / 2 + _divergence(vocabulary, q, mean) / 2
