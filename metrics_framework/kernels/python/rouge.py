"""ROUGE as the program ROUGE-1.5.5 computes it: the definition of the native kernel.

Functions on lists of words; `metrics_framework.text.rouge_words` splits texts into words. A text is a list of
sentences: lists of words.

Source: Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004), and the output of the program, version
1.5.5, where the paper leaves details open.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Words: TypeAlias = Sequence[str]
Sentences: TypeAlias = Sequence[Words]
Counts: TypeAlias = "Counter[tuple[str, ...]]"
Vector: TypeAlias = tuple[float, float, float]
"""The statistics of a measure: hits, and the sizes of references and summary, the divisors of recall and precision."""

DIGITS = 5
"""The number of decimal places that the program prints and, for F, computes with."""


class Match(NamedTuple):
    """The statistics of a measure for one reference, and the recall by which the best reference is chosen."""

    hits: float
    reference: float
    summary: float
    recall: float


# ---- n-grams and skip-bigrams ----------------------------------------------------------------------------------------


def ngrams(words: Words, order: int) -> Counts:
    """Counts the n-grams of an order.

    >>> ngrams(["a", "b", "a", "b"], 2)
    Counter({('a', 'b'): 2, ('b', 'a'): 1})
    """
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def skip_bigrams(words: Words, gap: int, unigrams: bool = False) -> Counts:
    """Counts the pairs of words with at most ``gap`` words between them, as in ROUGE-S.

    Args:
        words: The words of a text.
        gap: The largest number of words between two words of a pair; negative for any number.
        unigrams: Whether to add the single words, as in ROUGE-SU. As in the program, the last word is not counted.

    >>> skip_bigrams(["a", "b", "c"], 0, unigrams=True)
    Counter({('a',): 1, ('a', 'b'): 1, ('b',): 1, ('b', 'c'): 1})
    """
    counts: Counts = Counter()
    reach = len(words) if gap < 0 else gap + 1
    for position, word in enumerate(words[:-1]):
        if unigrams:
            counts[word,] += 1
        counts.update((word, other) for other in words[position + 1 : position + 1 + reach])
    return counts


def shared(summary: Counts, reference: Counts) -> int:
    """Counts the hits: what occurs in both, each as often as in the text that has it less often."""
    return sum(min(count, reference[key]) for key, count in summary.items() if key in reference)


# ---- longest common subsequences -------------------------------------------------------------------------------------


def lcs_marks(reference: Words, summary: Words) -> set[int]:
    """Returns the positions of a longest common subsequence in a sentence of the reference.

    Of several longest ones it is the one that the program finds from the ends of both sentences: equal words are
    matched; else the last word of the reference is dropped, unless that makes the subsequence shorter.

    >>> sorted(lcs_marks(["a", "b", "c", "b"], ["b", "d", "a"]))
    [0]
    """
    lengths = [[0] * (len(summary) + 1)]
    for word in reference:
        above, row = lengths[-1], [0]
        for column, other in enumerate(summary):
            row.append(above[column] + 1 if word == other else max(above[column + 1], row[column]))
        lengths.append(row)
    return _marks(reference, summary, lambda row, column: lengths[row - 1][column] >= lengths[row][column - 1])


def weighted_lcs_marks(reference: Words, summary: Words, weights: Sequence[float]) -> set[int]:
    """Returns the positions of a weighted longest common subsequence in a sentence of the reference.

    Args:
        reference: A sentence.
        summary: A sentence.
        weights: The weight of a run of consecutive matches, by its length.
    """
    values, runs = [[0.0] * (len(summary) + 1)], [0] * (len(summary) + 1)
    for word in reference:
        above, row, next_runs = values[-1], [0.0], [0]
        for column, other in enumerate(summary):
            run = runs[column]
            if word == other:
                row.append(above[column] + weights[run + 1] - weights[run])
            else:
                row.append(max(above[column + 1], row[column]))
            next_runs.append(run + 1 if word == other else 0)
        values.append(row)
        runs = next_runs
    return _marks(reference, summary, lambda row, column: values[row - 1][column] >= values[row][column - 1])


def _marks(reference: Words, summary: Words, goes_up: Callable[[int, int], bool]) -> set[int]:
    row, column, marks = len(reference), len(summary), set()
    while row and column:
        if reference[row - 1] == summary[column - 1]:
            row, column = row - 1, column - 1
            marks.add(row)
        elif goes_up(row, column):
            row -= 1
        else:
            column -= 1
    return marks


def lcs_hits(summary: Sentences, reference: Sentences, left: Counter[str]) -> int:
    """Counts the hits of ROUGE-L: for each sentence of the reference the words in the union of its longest common
    subsequences with all sentences of the summary.

    Args:
        summary: The sentences of the summary.
        reference: The sentences of a reference.
        left: How often each word may count; it is reduced by the hits.

    >>> lcs_hits([["a", "b", "c"], ["a", "d"]], [["a", "b", "d"], ["a", "a"]], Counter("abcad"))  # there is no third a
    4
    """
    hits = 0
    for sentence in reference:
        for position in sorted(_union(lcs_marks, summary, sentence)):
            if left[sentence[position]] > 0:
                left[sentence[position]] -= 1
                hits += 1
    return hits


def weighted_lcs_hits(summary: Sentences, reference: Sentences, left: Counter[str], weights: Sequence[float]) -> float:
    """Returns the weight of the hits of ROUGE-W: the sum of the weights of all runs of consecutive marked words.

    Words are marked, and counted, as in `lcs_hits`, but by weighted longest common subsequences. As in the program, a
    run ends only at a word that counts and is not followed by a marked one.
    """
    total = 0.0
    find = functools.partial(weighted_lcs_marks, weights=weights)
    for sentence in reference:
        run = 0
        marks = _union(find, summary, sentence)
        for position in sorted(marks):
            if left[sentence[position]] > 0:
                left[sentence[position]] -= 1
                run += 1
                if position + 1 not in marks:
                    total += weights[run]
                    run = 0
    return total


def _union(find: Callable[[Words, Words], set[int]], summary: Sentences, sentence: Words) -> set[int]:
    return set().union(*(find(sentence, other) for other in summary))


# ---- statistics ------------------------------------------------------------------------------------------------------


def ngram_match(summary: Counts, reference: Counts) -> Match:
    """Returns the statistics of ROUGE-N, ROUGE-S and ROUGE-SU."""
    return _match(shared(summary, reference), sum(reference.values()), sum(summary.values()))


def lcs_match(summary: Sentences, reference: Sentences, summary_words: Words, reference_words: Words) -> Match:
    """Returns the statistics of ROUGE-L.

    Args:
        summary: The sentences of the summary.
        reference: The sentences of the reference.
        summary_words: The words of the summary: of all sentences, unless its bytes are limited.
        reference_words: The words of the reference.
    """
    left = Counter(summary_words) & Counter(reference_words)
    return _match(lcs_hits(summary, reference, left), sum(map(len, reference)), len(summary_words))


def weighted_lcs_match(
    summary: Sentences, reference: Sentences, summary_words: Words, reference_words: Words, weight: float
) -> Match:
    """Returns the statistics of ROUGE-W with the weight x^weight of a run of x words.

    As in the program, the size of the reference is the weight of the sum of the weights of its sentences, the size of
    the summary is the weight of its number of words, and the best reference is chosen by hits / sum of the weights.
    """
    weights = [float(length) ** weight for length in range(1 + max(map(len, reference), default=0))]
    size: float = functools.reduce(operator.add, (weights[len(sentence)] for sentence in reference), 0.0)
    left = Counter(summary_words) & Counter(reference_words)
    hits = weighted_lcs_hits(summary, reference, left, weights)
    return Match(hits, size**weight, float(len(summary_words)) ** weight, _ratio(hits, size))


def _match(hits: int, reference: int, summary: int) -> Match:
    return Match(hits, reference, summary, _ratio(hits, reference))


@dataclass(frozen=True)
class Measures:
    """What is computed: ROUGE-1 to ROUGE-N, ROUGE-L, ROUGE-W, ROUGE-S and ROUGE-SU, in this order.

    Attributes:
        max_ngram: The highest order of n-grams.
        has_lcs: Whether to compute ROUGE-L.
        wlcs_weight: The weight of ROUGE-W; `None` to leave it out.
        skip_gap: The largest gap of ROUGE-S and ROUGE-SU, negative for any; `None` to leave them out.
    """

    max_ngram: int
    has_lcs: bool = False
    wlcs_weight: float | None = None
    skip_gap: int | None = None

    def weights(self) -> list[float]:
        """Returns for each measure the power of which `recall_precision_f` takes the root."""
        weights = [1.0] * (self.max_ngram + self.has_lcs)
        weights += [] if self.wlcs_weight is None else [self.wlcs_weight]
        return weights + ([] if self.skip_gap is None else [1.0, 1.0])


class CountedText(NamedTuple):
    """A text, and the counts of its n-grams of each order, skip-bigrams, and skip-bigrams with unigrams."""

    words: Words
    sentences: Sentences
    counts: list[Counts]


def counted(words: Words, sentences: Sentences, measures: Measures) -> CountedText:
    """Counts what the measures compare in a text.

    Args:
        words: The words of the text.
        sentences: Its sentences: those words, unless the bytes of the text are limited.
        measures: What is computed.
    """
    counts = [ngrams(words, order) for order in range(1, measures.max_ngram + 1)]
    if measures.skip_gap is not None:
        counts += [skip_bigrams(words, measures.skip_gap, unigrams) for unigrams in (False, True)]
    return CountedText(words, sentences, counts)


def rouge_matches(summary: CountedText, reference: CountedText, measures: Measures) -> list[Match]:
    """Compares a summary with one reference by each measure."""
    matches = [ngram_match(*pair) for pair in zip(summary.counts, reference.counts, strict=True)]
    texts = (summary.sentences, reference.sentences, summary.words, reference.words)
    of_sentences = [lcs_match(*texts)] if measures.has_lcs else []
    if measures.wlcs_weight is not None:
        of_sentences.append(weighted_lcs_match(*texts, measures.wlcs_weight))
    return [*matches[: measures.max_ngram], *of_sentences, *matches[measures.max_ngram :]]


def rouge_scores(
    summary: CountedText, references: Sequence[CountedText], measures: Measures, best: bool, alpha: float
) -> list[tuple[float, float, float]]:
    """Returns recall, precision and F of a summary by each measure.

    >>> measures = Measures(max_ngram=2)
    >>> texts = [counted(text.split(), [text.split()], measures) for text in ("a b c", "a b", "c b c")]
    >>> rouge_scores(texts[0], texts[1:], measures, best=False, alpha=0.5)  # 2 + 2 of 2 + 3 and 3 + 3; 1 + 1 of 1 + 2 …
    [(80.0, 66.667, 72.727), (66.667, 50.0, 57.143)]
    """
    by_reference = [rouge_matches(summary, reference, measures) for reference in references]
    return [
        recall_precision_f(combined(matches, best), alpha, weight)
        for matches, weight in zip(zip(*by_reference, strict=True), measures.weights(), strict=True)
    ]


def combined(matches: Iterable[Match], best: bool) -> Vector:
    """Combines the statistics of all references.

    Args:
        matches: The statistics of each reference.
        best: Whether to return those of the reference with the highest recall, the first of several, instead of sums.
    """
    if best:
        return max(matches, key=operator.attrgetter("recall"))[:3]
    hits, references, summaries, _ = (functools.reduce(operator.add, column) for column in zip(*matches, strict=True))
    return hits, references, summaries


def recall_precision_f(vector: Vector, alpha: float, weight: float = 1.0) -> tuple[float, float, float]:
    """Returns recall, precision and F from 0 to 100, rounded to the five decimal places of shares that are printed.

    F = P · R / ((1 - α) · P + α · R) of the rounded precision P and recall R; 0 if there are no hits.

    >>> recall_precision_f((4, 8, 7), 0.5)
    (50.0, 57.143, 53.333)
    """
    hits, reference, summary = vector
    recall: float = round(_ratio(hits, reference) ** (1 / weight), DIGITS)
    precision: float = round(_ratio(hits, summary) ** (1 / weight), DIGITS)
    f = _ratio(precision * recall, (1 - alpha) * precision + alpha * recall)
    return _as_percentage(recall), _as_percentage(precision), _as_percentage(f)


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator > 0 else 0.0


def _as_percentage(share: float) -> float:
    return round(round(share, DIGITS) * 100_000) / 1000
