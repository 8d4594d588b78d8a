"""SARI on lists of tokens: the n-grams of four orders that a summary adds to its source, keeps and deletes.

Notation, for one order and one output: S and P are the n-gram counts of the source and of the summary, R is the sum of
the counts of the r references, rS is S with every count multiplied by r. ``min`` is element-wise, negative differences
are 0, |X| is the number of types of X and ‖X‖ the sum of its counts::

    K = min(rS, rP)    what the summary keeps        G = min(K, R)           of that, what the references keep too
    L = min(rS, R)     what the references keep      D = rS - rP             what the summary deletes
    A = types of P that are not in S                 N = types of R that are not in S

The summaries of a group share source and references, which are counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.data.sums import plain_sum

ORDERS = (1, 2, 3, 4)

Tokens: TypeAlias = Sequence[str]
Ngram: TypeAlias = "str | tuple[str, ...]"
Groups: TypeAlias = Sequence[Sequence[Tokens]]


def ngrams(tokens: Tokens, order: int) -> Iterable[Any]:
    """Returns the n-grams of one order: tokens for order 1, tuples for higher orders.

    >>> list(ngrams(["a", "b", "c"], 2))
    [('a', 'b'), ('b', 'c')]
    """
    return tokens if order == 1 else zip(*(tokens[start:] for start in range(order)), strict=False)


class Context:
    """The counts of the source and the references of a group, for one order.

    Args:
        source: The tokens of the source.
        references: The tokens of each reference.
        order: The order of the n-grams.
        cased_source: The words of the source without lower-casing, split at whitespace.

    Attributes:
        source: S.
        references: R.
        number: r.
    """

    def __init__(self, source: Tokens, references: Sequence[Tokens], order: int, cased_source: Tokens = ()) -> None:
        self.order = order
        self.number = len(references)
        self.cased_source = cased_source
        self.reference_tokens = references
        self.source: dict[Ngram, int] = Counter(ngrams(source, order))
        self.references: dict[Ngram, int] = Counter(chain.from_iterable(ngrams(tokens, order) for tokens in references))

    @cached_property
    def new(self) -> int:
        """|N|."""
        return len(self.references) - sum(map(self.references.__contains__, self.source))

    @cached_property
    def source_entries(self) -> list[tuple[Ngram, int, int, int, int]]:
        """Each type of S with its counts in S, rS, R and rS - R, in the order of the source."""
        agreed, number = self.references.get, self.number
        entries = []
        for ngram, count in self.source.items():
            most, also = number * count, agreed(ngram, 0)
            entries.append((ngram, count, most, also, most - also if most > also else 0))
        return entries

    @cached_property
    def totals(self) -> tuple[int, int]:
        """‖L‖ and ‖rS - R‖."""
        surplus = sum(entry[4] for entry in self.source_entries)
        return sum(entry[2] for entry in self.source_entries) - surplus, surplus

    @cached_property
    def type_totals(self) -> tuple[int, int]:
        """|L| and |rS - R|."""
        return sum(map(self.references.__contains__, self.source)), sum(entry[4] > 0 for entry in self.source_entries)

    @cached_property
    def weights(self) -> Mapping[Ngram, float]:
        """The share of references that have an n-gram, among those long enough to have one."""
        containing = Counter(chain.from_iterable(set(ngrams(tokens, self.order)) for tokens in self.reference_tokens))
        able = sum(len(tokens) >= self.order for tokens in self.reference_tokens)
        return {ngram: count / able for ngram, count in containing.items()}


# ---- statistics of batches ------------------------------------------------------------------------------------------


def token_sums(
    sources: Sequence[Tokens], summaries_list: Groups, references_list: Groups, as_joshua: bool = False
) -> list[list[Any]]:
    """Counts the statistics of corpus SARI; the score of any set of outputs follows from the sum of their vectors.

    Args:
        sources: The tokens of the source of each group.
        summaries_list: The tokens of each summary of each group.
        references_list: The tokens of each reference of each group, one reference at least.
        as_joshua: Whether to count KEEP as the metric of the Joshua decoder does.

    Returns:
        For each summary of each group 36 integers: for orders 1 to 4, nine each::

            ADD     |A ∩ types of R|           |A|    |N|
            KEEP    ‖G‖                        ‖K‖    ‖L‖
            DELETE  ‖min(D, rS - R)‖           ‖D‖    ‖rS - R‖

        in each line the correct ones, the denominator of precision, the denominator of recall. In the metric of the
        Joshua decoder, KEEP has three other integers::

            KEEP    int(1000000 * sum over types of G/K)    int(sum over types of G/L)    |L|

        Overflow to 32 bits is applied to the sums, by the score.
    """
    of_order = _joshua_sums_of_order if as_joshua else token_sums_of_order
    return [
        [_joined(of_order, contexts, summary) for summary in summaries]
        for contexts, summaries in contexts_of(sources, summaries_list, references_list)
    ]


def contexts_of(
    sources: Sequence[Tokens],
    summaries_list: Groups,
    references_list: Groups,
    cased_sources: Sequence[Tokens] | None = None,
) -> Iterator[tuple[list[Context], Sequence[Tokens]]]:
    """Yields for each group its contexts of orders 1 to 4 and its summaries."""
    batch = zip(sources, summaries_list, references_list, cased_sources or sources, strict=True)
    for source, summaries, references, cased in batch:
        yield [Context(source, references, order, cased) for order in ORDERS], summaries


def _joined(
    statistics: Callable[[Context, Mapping[Ngram, int]], Sequence[int]], contexts: Sequence[Context], summary: Tokens
) -> list[int]:
    joined: list[int] = []
    for context in contexts:
        joined += statistics(context, Counter(ngrams(summary, context.order)))
    return joined


# ---- statistics of one order ----------------------------------------------------------------------------------------


def token_sums_of_order(context: Context, summary: Mapping[Ngram, int]) -> tuple[int, ...]:
    """Returns the nine numbers of `token_sums` for one order; ``summary`` is P."""
    references, number, count_of = context.references, context.number, summary.get
    added = added_types(context, summary)
    right_added = sum(map(references.__contains__, added))
    both_keep = keeps = both_delete = deletes = 0
    for ngram, count, most, agreed, surplus in context.source_entries:
        left = count_of(ngram, 0)
        if left >= count:
            keeps += most
            both_keep += most - surplus
        elif not left:
            deletes += most
            both_delete += surplus
        else:
            kept = number * left
            keeps += kept
            both_keep += min(kept, agreed)
            deletes += most - kept
            both_delete += min(most - kept, surplus)
    kept_by_references, deleted_by_references = context.totals
    return (
        *(right_added, len(added), context.new),
        *(both_keep, keeps, kept_by_references),
        *(both_delete, deletes, deleted_by_references),
    )


def _joshua_sums_of_order(context: Context, summary: Mapping[Ngram, int]) -> tuple[int, ...]:
    sums, shares = token_sums_of_order(context, summary), type_shares(context, summary)
    keep = (int(1e6 * shares.kept_of_summary), int(shares.kept_of_references), context.type_totals[0])
    return (*sums[:3], *keep, *sums[6:])


def added_types(context: Context, summary: Mapping[Ngram, int]) -> list[Ngram]:
    """Returns A, in the order of the summary."""
    source = context.source
    return [ngram for ngram in summary if ngram not in source]


class TypeShares(NamedTuple):
    """Sums of shares over the types of the source, and the number of types.

    Attributes:
        kept_of_summary: The sum of G/K.
        kept_types: |K|.
        kept_of_references: The sum of G/L.
        both_keep: ‖G‖.
        deleted_of_summary: The sum of (D - R)/D.
        deleted_types: |D|.
    """

    kept_of_summary: float
    kept_types: int
    kept_of_references: float
    both_keep: int
    deleted_of_summary: float
    deleted_types: int


def type_shares(context: Context, summary: Mapping[Ngram, int]) -> TypeShares:
    """Returns the sums over types that several formulas use, added in the order of the source."""
    number, count_of = context.number, summary.get
    of_summary = of_references = deleted_of_summary = 0.0
    kept_types = both_keep = deleted_types = 0
    for ngram, count, most, agreed, _ in context.source_entries:
        left = count_of(ngram, 0)
        if left:
            kept_types += 1
            kept = number * min(left, count)
            right = min(kept, agreed)
            if right:
                both_keep += right
                of_summary += right / kept
                of_references += right / min(most, agreed)
        if left < count:
            deleted_types += 1
            deleted = most - number * left
            if deleted > agreed:
                deleted_of_summary += (deleted - agreed) / deleted
    return TypeShares(of_summary, kept_types, of_references, both_keep, deleted_of_summary, deleted_types)


Parts: TypeAlias = tuple[float, float, float]
Formula: TypeAlias = Callable[[Context, Mapping[Ngram, int]], Parts]


def sentence_scores(
    formula: Formula,
    sources: Sequence[Tokens],
    summaries_list: Groups,
    references_list: Groups,
    cased_sources: Sequence[Tokens] | None = None,
) -> list[list[Any]]:
    """Scores single sentences, for the variants whose corpus score is the mean of sentence scores.

    Args:
        formula: `xu2016`, `modified`, `t2t`, `hf` or `set_based`.
        sources: As in `sari.token_sums`.
        summaries_list: As in `sari.token_sums`.
        references_list: As in `sari.token_sums`.
        cased_sources: The words of the sources without lower-casing, split at whitespace, for `modified`; by default
            ``sources``.

    Returns:
        For each summary of each group ``[add, keep, delete, 1.0]``: scores between 0 and 1, averaged over the four
        orders, and a 1 that counts the outputs.
    """
    return [
        [_mean_of_orders(formula, contexts, summary) for summary in summaries]
        for contexts, summaries in contexts_of(sources, summaries_list, references_list, cased_sources)
    ]


def _mean_of_orders(formula: Formula, contexts: Sequence[Context], summary: Tokens) -> list[float]:
    parts = [formula(context, Counter(ngrams(summary, context.order))) for context in contexts]
    return [*(plain_sum(scores) / len(ORDERS) for scores in zip(*parts, strict=True)), 1.0]


# ---- formulas of one sentence and order -----------------------------------------------------------------------------


def ratio(part: float, whole: float, empty: float = 0.0) -> float:
    """Divides; 0 / 0 is ``empty``."""
    return part / whole if whole else empty


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """Returns the F-score; 0 if precision or recall is 0. With ``beta`` 0 it is the precision."""
    if beta == 0:
        return precision
    if not precision or not recall:
        return 0.0
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def xu2016(context: Context, summary: Mapping[Ngram, int]) -> Parts:
    """Scores as the authors' script: shares averaged over types, precision for DELETE."""
    shares = type_shares(context, summary)
    added = added_types(context, summary)
    return (
        _added_score(context, sum(map(context.references.__contains__, added)), len(added)),
        _kept_score(context, shares),
        ratio(shares.deleted_of_summary, shares.deleted_types),
    )


def modified(context: Context, summary: Mapping[Ngram, int], deletion: str = "precision") -> Parts:
    """Scores as the authors' later script: an added n-gram is wrong if deleting words of the source can produce it.

    The script searches for the lower-cased n-gram in the source before lower-casing, and splits both with
    ``str.split()`` for this: an empty token can always be produced, and a token that contains a tab is two words.

    Args:
        context: Source and references.
        summary: P.
        deletion: ``precision`` or ``f1``.
    """
    shares = type_shares(context, summary)
    added = added_types(context, summary)
    right = sum(ngram in context.references and not _is_in_cased_source(ngram, context) for ngram in added)
    deleted = ratio(shares.deleted_of_summary, shares.deleted_types)
    if deletion == "f1":
        deleted = f_score(deleted, ratio(shares.deleted_of_summary, context.type_totals[1]))
    return _added_score(context, right, len(added)), _kept_score(context, shares), deleted


def hf(context: Context, summary: Mapping[Ngram, int]) -> Parts:
    """Scores as the Hugging Face metric: recall of KEEP over tokens, and 0 / 0 is 1."""
    shares = type_shares(context, summary)
    added = added_types(context, summary)
    recall = ratio(shares.both_keep, context.totals[0], 1.0)
    return (
        _added_score(context, sum(map(context.references.__contains__, added)), len(added), 1.0),
        f_score(ratio(shares.kept_of_summary, shares.kept_types, 1.0), recall),
        ratio(shares.deleted_of_summary, shares.deleted_types, 1.0),
    )


def t2t(context: Context, summary: Mapping[Ngram, int], beta: float = 0.0) -> Parts:
    """Scores as the hook of tensor2tensor: sets, weighted by the share of references, and 0 / 0 is 1.

    Args:
        context: Source and references.
        summary: P.
        beta: The weight of recall for DELETE.
    """
    weights = context.weights
    added = added_types(context, summary)
    kept = [weights.get(ngram, 0.0) for ngram in context.source if ngram in summary]
    deleted = [1.0 - weights.get(ngram, 0.0) for ngram in context.source if ngram not in summary]
    to_keep = plain_sum(weights.get(ngram, 0.0) for ngram in context.source)
    to_delete = plain_sum(1.0 - weights.get(ngram, 0.0) for ngram in context.source)
    keep, delete = plain_sum(kept), plain_sum(deleted)
    return (
        _added_score(context, sum(map(context.references.__contains__, added)), len(added), 1.0),
        f_score(ratio(keep, len(kept), 1.0), ratio(keep, to_keep, 1.0)),
        f_score(ratio(delete, len(deleted), 1.0), ratio(delete, to_delete, 1.0), beta),
    )


def set_based(context: Context, summary: Mapping[Ngram, int], keep_recall: str = "union") -> Parts:
    """Scores sets of n-grams, the references pooled: precision for ADD, F1 for KEEP and DELETE.

    Args:
        context: Source and references.
        summary: P.
        keep_recall: What the recall of KEEP divides by: the ``union`` or the ``intersection`` of source and references.
    """
    source, references = context.source, context.references
    added = added_types(context, summary)
    kept = [ngram for ngram in source if ngram in summary]
    deleted = [ngram for ngram in source if ngram not in summary]
    both_keep = sum(map(references.__contains__, kept))
    both_delete = len(deleted) - sum(map(references.__contains__, deleted))
    to_keep = len(source) + context.new if keep_recall == "union" else context.type_totals[0]
    to_delete = len(source) - context.type_totals[0]
    return (
        ratio(sum(map(references.__contains__, added)), len(added)),
        f_score(ratio(both_keep, len(kept)), ratio(both_keep, to_keep)),
        f_score(ratio(both_delete, len(deleted)), ratio(both_delete, to_delete)),
    )


def _added_score(context: Context, right: int, added: int, empty: float = 0.0) -> float:
    return f_score(ratio(right, added, empty), ratio(right, context.new, empty))


def _kept_score(context: Context, shares: TypeShares) -> float:
    precision = ratio(shares.kept_of_summary, shares.kept_types)
    return f_score(precision, ratio(shares.kept_of_references, context.type_totals[0]))


def _is_in_cased_source(ngram: Ngram, context: Context) -> bool:
    """Returns whether the tokens of an n-gram, split at whitespace, are a subsequence of the cased source."""
    words = (ngram if isinstance(ngram, str) else " ".join(ngram)).split()
    rest = iter(context.cased_source)
    return all(word in rest for word in words)
