"""Reference-free features that describe how a simplification changes its source."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.io.content import hash_of
from metrics_framework.io.reading import STANDARD, read_lines
from metrics_framework.kernels.dispatch import NATIVE_TOKENIZATIONS, Request, Tokenization, native_kernel
from metrics_framework.metrics.base.batch_scores import in_groups
from metrics_framework.metrics.base.metric import CACHED_TEXTS, Metric
from metrics_framework.metrics.base.requirements import SENTENCE_SPLITTER, WORD_FREQUENCIES
from metrics_framework.metrics.base.shapes import SourceBasedMetric
from metrics_framework.text.frequencies import WordRarity, check_wordfreq, rarity_by_table, rarity_by_wordfreq
from metrics_framework.text.lexicon import FUNCTION_WORDS_NAME
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature
from metrics_framework.text.tokenizers.tokenizer import WordTokenizerName, load_tokenizer, tokenizer_signature

Compared: TypeAlias = "tuple[list[list[int]], list[str]]"
"""A group: the statistics of each summary, and the normalized texts of the summaries and, last, the source."""


@Metric.register("quality-estimation")
@dataclass(eq=False, repr=False)
class QualityEstimation(SourceBasedMetric):
    """Reference-free features of a simplification: compression, splits, copies, additions, deletions.

    The features compare an output with its source; the value of a system is the mean over its outputs:

    - ``compression_ratio``: characters of the summary / characters of the source.
    - ``sentence_splits``: sentences of the summary / sentences of the source.
    - ``levenshtein_similarity``: (|a| + |b| - d) / (|a| + |b|) for texts of |a| and |b| characters, where d is the
      minimum number of character insertions and deletions: 1 for equal texts, 0 for texts without common characters.
    - ``exact_copies``: 1 if both texts are equal, else 0.
    - ``additions_proportion``: words of the summary that are not in the source, or more often than there, / words of
      the longer text.
    - ``deletions_proportion``: the same for words of the source that are not in the summary.
    - ``lexical_complexity``: third quartile of ln(1 + frequency rank) over the content words of the summary that are in
      a word frequency table; ln(1 + N) for a table of N words if no content word is in it.

    All features are computed on normalized texts: tokenized and, with ``lowercase``, lowercased. Texts given as lists
    of sentences keep these sentences; all other texts are split by ``splitter``.

    Range: 0 and up. The first two features are NaN if the source is empty. If both texts are empty, they are exact
    copies with similarity 1 and no additions or deletions. The features describe what a system does, not how well:
    neither higher nor lower is better.

    Source: the features of EASSE (Alva-Manchego, Martin, Scarton and Specia, EMNLP 2019), after Martin, Humeau, Mazaré,
    de La Clergerie, Bordes and Sagot (2018). For the outputs in EASSE's Table 4, all features that require neither a
    sentence splitter nor a frequency table equal the published values.

    Args:
        tokenizer: The tokenizer.
        lowercase: Whether to lowercase text before tokenization.
        splitter: The sentence splitter; none counts each text as one sentence.
        lexical_complexity: Whether to compute lexical complexity, which requires a word frequency table.
        frequencies: The word frequency table: a file with a word, a tab and its frequency on each line; by default, the
            100,000 most frequent English words of the package wordfreq.

    Raises:
        UsageError: if an option has an invalid value.
        MissingExtraError: if the tokenizer, the splitter or the default table requires a package that is not installed.
        DataError: if the frequency table cannot be read or is malformed.

    >>> metric = QualityEstimation(splitter="none", lexical_complexity=False)
    >>> scores = metric.score("The cat sat.", "The big cat sat down.")
    >>> round(scores["compression_ratio"], 3), scores["additions_proportion"], round(scores["deletions_proportion"], 3)
    (0.591, 0.0, 0.333)
    """

    higher_is_better = None
    splits_at_spaces = True
    slow_above = 200_000
    slow_with = "source"
    requirements = (WORD_FREQUENCIES, SENTENCE_SPLITTER)
    score_range = (0, None)
    ratios = (
        "compression_ratio",
        "sentence_splits",
        "levenshtein_similarity",
        "exact_copies",
        "additions_proportion",
        "deletions_proportion",
    )
    kernel_name = "quality"
    citation = "alva-manchego-etal-2019-easse martin-etal-2018-reference"

    tokenizer: WordTokenizerName = "13a"
    lowercase: bool = True
    splitter: SplitterName = "auto"
    lexical_complexity: bool = True
    frequencies: str | None = None

    def __post_init__(self) -> None:
        if self.frequencies is not None and not self.lexical_complexity:
            raise UsageError("'frequencies' requires lexical complexity, but 'lexical_complexity' is false")
        self.splitter = resolve_splitter(self.splitter)
        self._tokenize = load_tokenizer(self.tokenizer).tokenize
        self._rarity_by_file = None if self.frequencies is None else _rarity_by_file(self.frequencies)
        self._split = sentence_splitter(self.splitter)
        if self.lexical_complexity and self.frequencies is None:
            check_wordfreq()

    @overrides
    def signature_options(self) -> dict[str, Any]:
        rarity = self._rarity()
        return {
            "tok": tokenizer_signature(self.tokenizer),
            "case": "lc" if self.lowercase else "mixed",
            "split": splitter_signature(self.splitter),
            "freq": "no" if rarity is None else rarity.name,
            **({} if rarity is None else {"stop": FUNCTION_WORDS_NAME}),
        }

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, sources: Sequence[Text]) -> list[list[MetricsDict]]:
        compared = self._compared(summaries_list, sources)
        rarity = self._rarity()
        results = []
        for summaries, source, (statistics_list, texts) in zip(summaries_list, sources, compared, strict=True):
            source_sentences = self._count_sentences(source, texts[-1]) if summaries else 0
            group = []
            for summary, text, statistics in zip(summaries, texts, statistics_list, strict=False):  # texts[-1]: source
                features = _features(statistics, self._count_sentences(summary, text), source_sentences)
                if rarity is not None:
                    features["lexical_complexity"] = rarity.third_quartile(text)
                group.append(features)
            results.append(group)
        return results

    def _compared(self, summaries_list: TextGroups, sources: Sequence[Text]) -> list[Compared]:
        """Normalizes the texts of each group and computes the statistics of `kernels.python.quality`."""
        kernel = native_kernel(self.kernel_name, Request.STATISTICS | Request.TEXTS)
        columns: tuple[list[list[int]], list[list[str]]] | None = None
        if kernel is not None and self.tokenizer in NATIVE_TOKENIZATIONS:
            tokenization, groups = NATIVE_TOKENIZATIONS[self.tokenizer], [(source,) for source in sources]
            columns = kernel(summaries_list, groups, lowercase=self.lowercase, tokenization=tokenization)
        if columns is not None:
            return list(zip(in_groups(columns[0], summaries_list), columns[1], strict=True))

        normalized = functools.lru_cache(CACHED_TEXTS)(self._normalized)
        texts_list = [[normalized(as_string(summary)) for summary in summaries] for summaries in summaries_list]
        source_texts = [normalized(as_string(source)) for source in sources]
        if kernel is not None:
            groups = [(source,) for source in source_texts]
            columns = kernel(texts_list, groups, lowercase=False, tokenization=Tokenization.WHITESPACE)
        if columns is not None:
            return list(zip(in_groups(columns[0], summaries_list), columns[1], strict=True))
        from metrics_framework.kernels.python.quality import quality_statistics

        return [
            (statistics, [*texts, source])
            for statistics, texts, source in zip(
                quality_statistics(texts_list, source_texts), texts_list, source_texts, strict=True
            )
        ]

    def _normalized(self, text: str) -> str:
        return self._tokenize(text.lower() if self.lowercase else text)

    def _count_sentences(self, text: Text, normalized: str) -> int:
        """Counts the sentences of a text; a list of several sentences is not split further."""
        given = 0 if isinstance(text, str) else sum(1 for sentence in text if sentence.strip())
        if given > 1:
            return given
        return max(1, len(self._split(normalized))) if normalized and not normalized.isspace() else 0

    def _rarity(self) -> WordRarity | None:
        if not self.lexical_complexity:
            return None
        return rarity_by_wordfreq() if self._rarity_by_file is None else self._rarity_by_file


def _rarity_by_file(path: str) -> WordRarity:
    """Reads a word frequency table; its name is its checksum."""
    if path == STANDARD:
        raise UsageError("'frequencies' must be a file, got '-' (standard input)")
    rarity = rarity_by_table("", read_lines(path), path)
    rarity.name = f"sha256-{hash_of(path)[:8]}"
    return rarity


def _features(statistics: Sequence[int], sentences: int, source_sentences: int) -> MetricsDict:
    length, source_length, distance, is_copy, words, source_words, shared = statistics
    lengths, most_words = length + source_length, max(words, source_words)
    return MetricsDict(
        compression_ratio=length / source_length if source_length else math.nan,
        sentence_splits=sentences / source_sentences if source_sentences else math.nan,
        levenshtein_similarity=(lengths - distance) / lengths if lengths else 1.0,
        exact_copies=float(is_copy),
        additions_proportion=(words - shared) / most_words if most_words else 0.0,
        deletions_proportion=(source_words - shared) / most_words if most_words else 0.0,
    )
