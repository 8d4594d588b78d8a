"""Quality features: what a rewriting does to its source, seen without a reference."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from overrides import overrides

from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.io.streams import STANDARD, open_lines
from metrics_framework.kernels.dispatch import Request, Tokenization, native_kernel
from metrics_framework.metrics.base.batch_scores import in_groups
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import SourceBasedMetric
from metrics_framework.text.frequencies import WordRarity, check_wordfreq, rarity_by_table, rarity_by_wordfreq
from metrics_framework.text.function_words import FUNCTION_WORDS_NAME
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature
from metrics_framework.text.tokenizers import get_tokenizer

Tokenizer = Literal["13a", "intl", "moses", "penn", "none"]
Compared: TypeAlias = "tuple[list[list[int]], list[str]]"  # numbers of each summary; summaries and source, normalised
MOST_TEXTS_KNOWN = 2**14


@Metric.register("quality-estimation")
class QualityEstimation(SourceBasedMetric):
    """Describes what a rewriting does to its source: shortens, splits, copies, adds and deletes.

    No reference is needed. Each feature is a number of one output, and the mean of them is that of a system:

    - ``compression_ratio``: characters of the summary / characters of the source.
    - ``sentence_splits``: sentences of the summary / sentences of the source.
    - ``levenshtein_similarity``: (|a| + |b| - d) / (|a| + |b|) for texts of |a| and |b| characters, where d is the
      least number of characters to insert and delete: 1 for equal texts, 0 for texts that share no character.
    - ``exact_copies``: 1 if both texts are equal, else 0.
    - ``additions_proportion``: words of the summary that the source does not have, or not so often, / the number of
      words of the longer text.
    - ``deletions_proportion``: the same for words of the source that the summary does not have.
    - ``lexical_complexity``: third quartile of ln(1 + rank) of the content words of the summary that are in a table of
      words by frequency; ln(1 + N), of a table of N words, where there is none.

    Both texts are normalised first, as ``tokenizer`` and ``lowercase`` say; all features are those of the normalised
    texts. A text that is a list of several sentences has as many sentences; any other is cut by ``splitter``.

    Range: from 0. NaN, not defined, where the source is empty (compression and splits). Two empty texts are an exact
    copy of similarity 1, with nothing added or deleted. None of the features is better because it is higher: they say
    what a system does, not how well.

    Source: the features of EASSE (Alva-Manchego, Martin, Scarton and Specia, EMNLP 2019), after Martin, Humeau, Mazaré,
    de La Clergerie, Bordes and Sagot (2018). On the outputs of its Table 4 the features that need neither sentences nor
    a table of words equal those published, to all digits.

    Args:
        tokenizer: How text is tokenized.
        lowercase: Whether text is lower-cased before it is tokenized.
        splitter: What cuts a text into sentences; with none a text is one.
        lexical_complexity: Whether it is computed: it alone needs a table of words.
        frequencies: A file with a word, a tab and its frequency on each line; by default the 100,000 most frequent
            English words of the package wordfreq.

    Raises:
        UsageError: if an option has a value it cannot have.
        MissingExtraError: if the tokenizer, the splitter or the default table needs a package that is not installed.
        DataError: if the file of frequencies cannot be read, or holds something else.

    >>> metric = QualityEstimation(splitter="none", lexical_complexity=False)
    >>> scores = metric.score("The cat sat.", "The big cat sat down.")
    >>> round(scores["compression_ratio"], 3), scores["additions_proportion"], round(scores["deletions_proportion"], 3)
    (0.591, 0.0, 0.333)
    """

    higher_is_better: ClassVar[bool | None] = None
    score_range: ClassVar[tuple[float | None, float | None]] = (0, None)
    citation: ClassVar[str] = """@inproceedings{alva-manchego-etal-2019-easse,
    title = "{EASSE}: Easier Automatic Sentence Simplification Evaluation",
    author = "Alva-Manchego, Fernando and Martin, Louis and Scarton, Carolina and Specia, Lucia",
    booktitle = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the 9th
        International Joint Conference on Natural Language Processing (EMNLP-IJCNLP): System Demonstrations",
    year = "2019",
    address = "Hong Kong, China",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/D19-3009",
    doi = "10.18653/v1/D19-3009",
    pages = "49--54",
}
@inproceedings{martin-etal-2018-reference,
    title = "Reference-less Quality Estimation of Text Simplification Systems",
    author = "Martin, Louis and Humeau, Samuel and Mazar{\\'e}, Pierre-Emmanuel and de La Clergerie, {\\'E}ric and
        Bordes, Antoine and Sagot, Beno{\\^\\i}t",
    booktitle = "Proceedings of the 1st Workshop on Automatic Text Adaptation (ATA)",
    year = "2018",
    address = "Tilburg, the Netherlands",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/W18-7005",
    doi = "10.18653/v1/W18-7005",
    pages = "29--38",
}"""

    def __init__(
        self,
        tokenizer: Tokenizer = "13a",
        lowercase: bool = True,
        splitter: SplitterName = "auto",
        lexical_complexity: bool = True,
        frequencies: str | None = None,
    ) -> None:
        super().__init__()
        if tokenizer not in get_args(Tokenizer):
            raise UnknownNameError("tokenizer", tokenizer, get_args(Tokenizer))
        if splitter not in get_args(SplitterName):
            raise UnknownNameError("splitter", splitter, get_args(SplitterName))
        if frequencies is not None and not lexical_complexity:
            raise UsageError("'frequencies' belongs to lexical complexity, which 'lexical_complexity' turns off")
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.splitter: SplitterName = resolve_splitter(splitter)
        self.lexical_complexity = lexical_complexity
        self.frequencies = frequencies
        self._tokenize = get_tokenizer(tokenizer)
        self._rarity_by_file = None if frequencies is None else _rarity_by_file(frequencies)
        self._split = sentence_splitter(self.splitter)
        if lexical_complexity and frequencies is None:
            check_wordfreq()

    @overrides
    def signature_options(self) -> dict[str, Any]:
        rarity = self._rarity()
        return {
            "tok": self.tokenizer,
            "case": "lc" if self.lowercase else "mixed",
            "split": splitter_signature(self.splitter),
            "freq": "no" if rarity is None else rarity.name,
            **({} if rarity is None else {"stop": FUNCTION_WORDS_NAME}),
        }

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[list[MetricsDict]]:
        compared = self._compared(summaries_list, sources)
        rarity = self._rarity()
        results = []
        for summaries, source, (numbers, texts) in zip(summaries_list, sources, compared, strict=True):
            source_sentences = self._sentences(source, texts[-1]) if summaries else 0
            group = []
            for summary, text, own in zip(summaries, texts, numbers, strict=False):  # the last text is the source
                features = _features(own, self._sentences(summary, text), source_sentences)
                if rarity is not None:
                    features["lexical_complexity"] = rarity.third_quartile(text)
                group.append(features)
            results.append(group)
        return results

    def _compared(self, summaries_list: Sequence[Sequence[Text]], sources: Sequence[Text]) -> list[Compared]:
        """Normalises texts and counts, for each group, what `kernels.python.quality` says."""
        kernel = native_kernel("quality", Request.STATISTICS | Request.TEXTS)
        found: tuple[list[list[int]], list[list[str]]] | None = None
        if kernel is not None and self.tokenizer in ("13a", "none"):
            tokenization = Tokenization.TOKENIZER_13A if self.tokenizer == "13a" else Tokenization.WHITESPACE
            found = kernel(
                summaries_list, [(source,) for source in sources], lowercase=self.lowercase, tokenization=tokenization
            )
        if found is not None:
            return list(zip(in_groups(found[0], summaries_list), found[1], strict=True))
        normalized = functools.lru_cache(MOST_TEXTS_KNOWN)(self._normalized)
        texts_list = [[normalized(as_string(summary)) for summary in summaries] for summaries in summaries_list]
        own_sources = [normalized(as_string(source)) for source in sources]
        if kernel is not None:
            found = kernel(
                texts_list, [(source,) for source in own_sources], lowercase=False, tokenization=Tokenization.WHITESPACE
            )
        if found is not None:
            return list(zip(in_groups(found[0], summaries_list), found[1], strict=True))
        from metrics_framework.kernels.python.quality import quality_statistics

        statistics = quality_statistics(texts_list, own_sources)
        return [(own, [*texts, source]) for own, texts, source in zip(statistics, texts_list, own_sources, strict=True)]

    def _normalized(self, text: str) -> str:
        return self._tokenize(text.lower() if self.lowercase else text)

    def _sentences(self, text: Text, normalized: str) -> int:
        """Counts the sentences of a text; those of a list are not cut any further, unless it is only one."""
        listed = 0 if isinstance(text, str) else sum(1 for sentence in text if sentence.strip())
        if listed > 1:
            return listed
        return max(1, len(self._split(normalized))) if normalized and not normalized.isspace() else 0

    def _rarity(self) -> WordRarity | None:
        if not self.lexical_complexity:
            return None
        return rarity_by_wordfreq() if self._rarity_by_file is None else self._rarity_by_file


def _rarity_by_file(path: str) -> WordRarity:
    """Reads a table of frequencies; its name is that of its checksum."""
    if path == STANDARD:
        raise UsageError("'frequencies' must name a file; it cannot be read from stdin")
    with open_lines(path) as lines:
        rarity = rarity_by_table("", lines, path)
    with open(path, "rb") as file:
        rarity.name = f"sha256-{hashlib.sha256(file.read()).hexdigest()[:8]}"
    return rarity


def _features(numbers: Sequence[int], sentences: int, source_sentences: int) -> MetricsDict:
    length, source_length, distance, is_copy, words, source_words, shared = numbers
    lengths, most_words = length + source_length, max(words, source_words)
    return MetricsDict(
        compression_ratio=length / source_length if source_length else math.nan,
        sentence_splits=sentences / source_sentences if source_sentences else math.nan,
        levenshtein_similarity=(lengths - distance) / lengths if lengths else 1.0,
        exact_copies=float(is_copy),
        additions_proportion=(words - shared) / most_words if most_words else 0.0,
        deletions_proportion=(source_words - shared) / most_words if most_words else 0.0,
    )
